//! Table of the distinct filters of a world.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use broadphase_core::Filter;

/// Maximum number of filters for which the results of all combinations are kept as a bit matrix.
const FEW: usize = 64;

/// Number of [`Filter::ALL`], which is always in the table.
pub(crate) const ALL: u32 = 0;

/// Distinct filters by number, with reference counts.
#[derive(Clone, Debug)]
pub(crate) struct Filters {
    kinds: Vec<Kind>,
    numbers: BTreeMap<[u64; 3], u32>,
    free: Vec<u32>,
    /// Number of filters in use.
    in_use: usize,
    /// Bit matrix: bit `b` of row `a` is set if filters `a` and `b` accept each other. Empty if
    /// there are too many filters.
    rows: Vec<u64>,
    stale: bool,
}

#[derive(Clone, Copy, Debug)]
struct Kind {
    filter: Filter,
    uses: u32,
}

const fn name(filter: &Filter) -> [u64; 3] {
    [filter.layers, filter.mask, (filter.group as u32 as u64) << 32 | filter.owner as u64]
}

impl Filters {
    pub(crate) fn new() -> Self {
        Self {
            kinds: alloc::vec![Kind { filter: Filter::ALL, uses: 0 }],
            numbers: BTreeMap::new(),
            free: Vec::new(),
            in_use: 0,
            rows: Vec::new(),
            stale: true,
        }
    }

    /// Returns the number of a filter and increments its reference count.
    pub(crate) fn take(&mut self, filter: Filter) -> u32 {
        let number = if filter == Filter::ALL {
            ALL
        } else {
            let Self { kinds, numbers, free, .. } = self;
            *numbers.entry(name(&filter)).or_insert_with(|| {
                let kind = Kind { filter, uses: 0 };
                if let Some(number) = free.pop() {
                    kinds[number as usize] = kind;
                    return number;
                }
                kinds.push(kind);
                (kinds.len() - 1) as u32
            })
        };
        let kind = &mut self.kinds[number as usize];
        if kind.uses == 0 {
            self.in_use += 1;
            self.stale = true;
        }
        kind.uses += 1;
        number
    }

    /// Increments the reference count of a number, and returns the number.
    pub(crate) fn take_again(&mut self, number: u32) -> u32 {
        self.kinds[number as usize].uses += 1;
        number
    }

    /// Decrements the reference count of a number.
    pub(crate) fn release(&mut self, number: u32) {
        let kind = &mut self.kinds[number as usize];
        kind.uses -= 1;
        if kind.uses == 0 {
            self.in_use -= 1;
            self.stale = true;
            if number != ALL {
                self.numbers.remove(&name(&kind.filter));
                self.free.push(number);
            }
        }
    }

    #[inline]
    pub(crate) fn get(&self, number: u32) -> Filter {
        self.kinds[number as usize].filter
    }

    /// Returns the number of table entries, used or free.
    pub(crate) fn numbers(&self) -> usize {
        self.kinds.len()
    }

    /// Returns the number of distinct filters in use.
    pub(crate) const fn in_use(&self) -> usize {
        self.in_use
    }

    /// Returns the number of allocated bytes; for the tree, the bytes of its entries.
    pub(crate) fn memory_use(&self) -> usize {
        self.kinds.capacity() * size_of::<Kind>()
            + self.numbers.len() * size_of::<([u64; 3], u32)>()
            + self.free.capacity() * size_of::<u32>()
            + self.rows.capacity() * size_of::<u64>()
    }

    /// Updates the bit matrix used by [`accept`](Self::accept) if the filters have changed.
    pub(crate) fn prepare(&mut self) {
        if !core::mem::take(&mut self.stale) {
            return;
        }
        self.rows.clear();
        // The table was large once: shrink to the entries in use.
        let used = self.kinds.iter().rposition(|kind| kind.uses > 0).map_or(1, |last| last + 1);
        if used < self.kinds.len() && self.kinds.len() > FEW {
            self.kinds.truncate(used);
            self.free.retain(|&number| (number as usize) < used);
        }
        if self.kinds.len() <= FEW {
            let kinds = &self.kinds;
            let row = |a: &Kind| {
                let agree = |b: &Kind| u64::from(a.filter.accepts(&b.filter));
                (0..).zip(kinds).fold(0, |row, (number, b)| row | agree(b) << number)
            };
            self.rows.extend(kinds.iter().map(row));
        }
    }

    /// Returns whether all objects have the same filter, and that filter accepts itself.
    pub(crate) fn all_agree(&self) -> bool {
        let only = self.kinds.iter().find(|kind| kind.uses > 0);
        self.in_use <= 1 && only.is_none_or(|kind| kind.filter.accepts(&kind.filter))
    }

    /// Returns whether two filters accept each other.
    #[inline]
    pub(crate) fn accept(&self, a: u32, b: u32) -> bool {
        match self.rows.get(a as usize) {
            Some(row) if !self.stale => row >> b & 1 != 0,
            _ => self.get(a).accepts(&self.get(b)),
        }
    }
}
