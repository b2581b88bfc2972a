//! The filters of a world: each different one once, and which of them agree.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use broadphase_core::Filter;

/// Up to so many filters, which of them agree is kept as rows of bits.
const FEW: usize = 64;

/// The number of [`Filter::ALL`], which is always there.
pub(crate) const ALL: u32 = 0;

/// Different filters by number, counted.
#[derive(Clone, Debug)]
pub(crate) struct Filters {
    kinds: Vec<Kind>,
    numbers: BTreeMap<[u64; 3], u32>,
    free: Vec<u32>,
    /// How many are in use.
    in_use: usize,
    /// Bit `b` of row `a`: whether filters `a` and `b` agree. Empty if there are too many.
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

    /// The number of a filter, which is used once more.
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

    /// The same number, used once more.
    pub(crate) fn take_again(&mut self, number: u32) -> u32 {
        self.kinds[number as usize].uses += 1;
        number
    }

    /// The filter of a number is used once less.
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

    /// How many numbers there are, in use or not.
    pub(crate) fn numbers(&self) -> usize {
        self.kinds.len()
    }

    /// How many different filters objects have.
    pub(crate) const fn in_use(&self) -> usize {
        self.in_use
    }

    /// The bytes of memory held; of the tree, those of what is in it.
    pub(crate) fn memory_use(&self) -> usize {
        self.kinds.capacity() * size_of::<Kind>()
            + self.numbers.len() * size_of::<([u64; 3], u32)>()
            + self.free.capacity() * size_of::<u32>()
            + self.rows.capacity() * size_of::<u64>()
    }

    /// Does what [`accept`](Self::accept) is faster after, if anything has changed.
    pub(crate) fn prepare(&mut self) {
        if !core::mem::take(&mut self.stale) {
            return;
        }
        self.rows.clear();
        // Once there were many.
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

    /// Whether all objects have the same filter, and it agrees with itself.
    pub(crate) fn all_agree(&self) -> bool {
        let only = self.kinds.iter().find(|kind| kind.uses > 0);
        self.in_use <= 1 && only.is_none_or(|kind| kind.filter.accepts(&kind.filter))
    }

    /// Whether two filters agree.
    #[inline]
    pub(crate) fn accept(&self, a: u32, b: u32) -> bool {
        match self.rows.get(a as usize) {
            Some(row) if !self.stale => row >> b & 1 != 0,
            _ => self.get(a).accepts(&self.get(b)),
        }
    }
}
