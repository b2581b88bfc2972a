//! Table of the distinct filters of a world.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use broadphase_core::Filter;

/// Maximum number of filters for which the results of all combinations are kept as a bit matrix.
const MATRIX_MAX_FILTERS: usize = 64;

/// Number of [`Filter::ALL`], which is always in the table.
pub(crate) const ALL: u32 = 0;

/// Distinct filters by number, with reference counts.
#[derive(Clone, Debug)]
pub(crate) struct Filters {
    entries: Vec<Entry>,
    numbers: BTreeMap<[u64; 3], u32>,
    free: Vec<u32>,
    /// Number of filters in use.
    in_use: usize,
    /// Bit matrix: bit `b` of row `a` is set if filters `a` and `b` accept each other. Empty if
    /// there are too many filters.
    matrix: Vec<u64>,
    stale: bool,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    filter: Filter,
    uses: u32,
}

const fn sort_key(filter: &Filter) -> [u64; 3] {
    [filter.layers, filter.mask, (filter.group as u32 as u64) << 32 | filter.owner as u64]
}

impl Filters {
    pub(crate) fn new() -> Self {
        Self {
            entries: alloc::vec![Entry { filter: Filter::ALL, uses: 0 }],
            numbers: BTreeMap::new(),
            free: Vec::new(),
            in_use: 0,
            matrix: Vec::new(),
            stale: true,
        }
    }

    /// Returns the number of a filter and increments its reference count.
    pub(crate) fn acquire(&mut self, filter: Filter) -> u32 {
        let number = if filter == Filter::ALL {
            ALL
        } else {
            let Self { entries, numbers, free, .. } = self;
            *numbers.entry(sort_key(&filter)).or_insert_with(|| {
                let entry = Entry { filter, uses: 0 };
                if let Some(number) = free.pop() {
                    entries[number as usize] = entry;
                    return number;
                }
                entries.push(entry);
                (entries.len() - 1) as u32
            })
        };
        let entry = &mut self.entries[number as usize];
        if entry.uses == 0 {
            self.in_use += 1;
            self.stale = true;
        }
        entry.uses += 1;
        number
    }

    /// Increments the reference count of a number, and returns the number.
    pub(crate) fn acquire_number(&mut self, number: u32) -> u32 {
        self.entries[number as usize].uses += 1;
        number
    }

    /// Decrements the reference count of a number.
    pub(crate) fn release(&mut self, number: u32) {
        let entry = &mut self.entries[number as usize];
        entry.uses -= 1;
        if entry.uses == 0 {
            self.in_use -= 1;
            self.stale = true;
            if number != ALL {
                self.numbers.remove(&sort_key(&entry.filter));
                self.free.push(number);
            }
        }
    }

    #[inline]
    pub(crate) fn get(&self, number: u32) -> Filter {
        self.entries[number as usize].filter
    }

    /// Returns the number of table entries, used or free.
    pub(crate) fn numbers(&self) -> usize {
        self.entries.len()
    }

    /// Returns the number of distinct filters in use.
    pub(crate) const fn in_use(&self) -> usize {
        self.in_use
    }

    /// Returns the number of allocated bytes; for the tree, the bytes of its entries.
    pub(crate) fn memory_use(&self) -> usize {
        self.entries.capacity() * size_of::<Entry>()
            + self.numbers.len() * size_of::<([u64; 3], u32)>()
            + self.free.capacity() * size_of::<u32>()
            + self.matrix.capacity() * size_of::<u64>()
    }

    /// Updates the bit matrix used by [`accept`](Self::accept) if the filters have changed.
    pub(crate) fn update_matrix(&mut self) {
        if !core::mem::take(&mut self.stale) {
            return;
        }
        self.matrix.clear();
        // The table was large once: shrink to the entries in use.
        let used = self.entries.iter().rposition(|entry| entry.uses > 0).map_or(1, |last| last + 1);
        if used < self.entries.len() && self.entries.len() > MATRIX_MAX_FILTERS {
            self.entries.truncate(used);
            self.free.retain(|&number| (number as usize) < used);
        }
        if self.entries.len() <= MATRIX_MAX_FILTERS {
            let entries = &self.entries;
            let row = |a: &Entry| {
                let agree = |b: &Entry| u64::from(a.filter.accepts(&b.filter));
                (0..).zip(entries).fold(0, |row, (number, b)| row | agree(b) << number)
            };
            self.matrix.extend(entries.iter().map(row));
        }
    }

    /// Returns whether all objects have the same filter, and that filter accepts itself.
    pub(crate) fn all_accept(&self) -> bool {
        let only = self.entries.iter().find(|entry| entry.uses > 0);
        self.in_use <= 1 && only.is_none_or(|entry| entry.filter.accepts(&entry.filter))
    }

    /// Returns whether two filters accept each other.
    #[inline]
    pub(crate) fn accept(&self, a: u32, b: u32) -> bool {
        match self.matrix.get(a as usize) {
            Some(row) if !self.stale => row >> b & 1 != 0,
            _ => self.get(a).accepts(&self.get(b)),
        }
    }
}
