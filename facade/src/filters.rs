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
    /// there are more than [`MATRIX_MAX_FILTERS`] entries.
    matrix: Vec<u64>,
    stale: bool,
    agreement: Agreement,
}

/// Whether the filters in use accept each other, each also compared with itself: all combinations
/// do, some may, or none does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Agreement {
    All,
    Some,
    None,
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
            agreement: Agreement::Some,
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

    /// Decrements the reference count of a number; at 0, the number is free.
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

    /// Drops unused entries at the end of the table.
    fn drop_unused(&mut self) {
        let used = self.entries.iter().rposition(|entry| entry.uses > 0).map_or(1, |last| last + 1);
        if used < self.entries.len() {
            self.entries.truncate(used);
            self.free.retain(|&number| (number as usize) < used);
        }
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.drop_unused();
        self.entries.shrink_to_fit();
        self.free.shrink_to_fit();
        // The matrix has a row for each entry, so it must be rebuilt.
        self.stale = true;
    }

    /// Updates the agreement, and the bit matrix used by [`accept`](Self::accept), if the filters
    /// have changed since the last call.
    pub(crate) fn update_matrix(&mut self) {
        if !core::mem::take(&mut self.stale) {
            return;
        }
        self.matrix.clear();
        if self.entries.len() > MATRIX_MAX_FILTERS {
            self.drop_unused();
        }
        let only = self.entries.iter().find(|entry| entry.uses > 0);
        let accepts_itself = |entry: &Entry| entry.filter.accepts(&entry.filter);
        self.agreement = match self.in_use {
            0 | 1 if only.is_none_or(accepts_itself) => Agreement::All,
            0 | 1 => Agreement::None,
            _ => Agreement::Some,
        };
        if self.entries.len() > MATRIX_MAX_FILTERS {
            return;
        }
        let entries = &self.entries;
        let row = |a: &Entry| {
            let agree = |b: &Entry| u64::from(a.filter.accepts(&b.filter));
            (0..).zip(entries).fold(0, |row, (number, b)| row | agree(b) << number)
        };
        self.matrix.extend(entries.iter().map(row));
        let bits = (0..).zip(entries).map(|(number, entry)| u64::from(entry.uses > 0) << number);
        let used: u64 = bits.fold(0, |used, bit| used | bit);
        let mut rows = (0..entries.len()).filter(|row| used >> row & 1 != 0);
        let accepted = rows.clone().map(|row| self.matrix[row] & used);
        if rows.all(|row| self.matrix[row] & used == used) {
            self.agreement = Agreement::All;
        } else if accepted.fold(0, |all, row| all | row) == 0 {
            self.agreement = Agreement::None;
        }
    }

    /// Returns the agreement of the filters in use, as of the last
    /// [`update_matrix`](Self::update_matrix).
    pub(crate) const fn agreement(&self) -> Agreement {
        self.agreement
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

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use broadphase_core::Filter;
    use proptest::prelude::*;

    use super::{Agreement, Filters};

    fn filter() -> impl Strategy<Value = Filter> {
        (0u64..4, 0u64..4, -1i32..2, 0u32..3).prop_map(|(layers, mask, group, owner)| {
            Filter::layers(layers).mask(mask).group(group).owner(owner)
        })
    }

    proptest! {
        /// The agreement is that of all combinations of the filters in use; released filters have
        /// no effect.
        #[test]
        fn agreement_holds_for_all_filters_in_use(
            kept in prop::collection::vec(filter(), 0..5),
            dropped in prop::collection::vec(filter(), 0..30),
        ) {
            let mut filters = Filters::new();
            let numbers: Vec<u32> = dropped.iter().map(|&filter| filters.acquire(filter)).collect();
            kept.iter().for_each(|&filter| _ = filters.acquire(filter));
            filters.update_matrix();
            numbers.into_iter().for_each(|number| filters.release(number));
            filters.update_matrix();
            let answers = || kept.iter().flat_map(|a| kept.iter().map(|b| a.accepts(b)));
            let expected = match (answers().all(|yes| yes), answers().any(|yes| yes)) {
                (true, _) => Agreement::All,
                (_, false) => Agreement::None,
                _ => Agreement::Some,
            };
            prop_assert_eq!(filters.agreement(), expected);
        }
    }
}
