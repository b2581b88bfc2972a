//! Table of the distinct filters of a world.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::cmp::Reverse;

use broadphase_core::Filter;

/// Maximum number of filters for which the results of all combinations are kept as a bit matrix.
pub(crate) const MATRIX_MAX_FILTERS: usize = 64;

/// With more filters in use, no refusing set is chosen, because the choice sorts all filters.
const REFUSING_SET_MAX_FILTERS: usize = 4096;

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
    /// Number of objects whose filter is not in the refusing set.
    searchers: usize,
    /// Number of filters given to or taken from objects since the refusing set was chosen.
    changes: usize,
    /// Buffer: numbers of filters, sorted by the number of objects.
    by_uses: Vec<u32>,
}

/// Whether the filters in use accept each other: all combinations do, some may, or none does. Each
/// filter is also combined with itself.
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
    /// Whether the filter is in the refusing set, whose filters refuse themselves and each other.
    refusing: bool,
}

impl Entry {
    const fn new(filter: Filter) -> Self {
        Self { filter, uses: 0, refusing: false }
    }
}

/// Summary of filters that refuse themselves and each other.
struct RefusingSet {
    /// The owner that all filters have; 0 if their owners differ.
    owner: u32,
    /// The negative group that all filters have; 0 if there is none.
    group: i32,
    /// Union of the layers of all filters, and union of their masks (`masks`).
    layers: u64,
    masks: u64,
}

impl RefusingSet {
    const fn new(first: &Filter) -> Self {
        let &Filter { layers, mask, group, owner } = first;
        Self { owner, group: if group < 0 { group } else { 0 }, layers, masks: mask }
    }

    /// Adds a filter if the summary proves that the filter refuses itself and all filters of the
    /// set; the summary misses few such filters. Returns whether the filter was added.
    fn add(&mut self, filter: &Filter) -> bool {
        let one_owner = self.owner != 0 && self.owner == filter.owner;
        let one_group = self.group != 0 && self.group == filter.group;
        let apart = filter.mask & self.layers == 0 || filter.layers & self.masks == 0;
        // A positive group would accept another filter of the group, whatever the layers are.
        let by_layers = filter.group <= 0 && apart;
        if filter.accepts(filter) || !(one_owner || one_group || by_layers) {
            return false;
        }
        self.owner = if one_owner { self.owner } else { 0 };
        self.group = if one_group { self.group } else { 0 };
        self.layers |= filter.layers;
        self.masks |= filter.mask;
        true
    }
}

const fn sort_key(filter: &Filter) -> [u64; 3] {
    [filter.layers, filter.mask, (filter.group as u32 as u64) << 32 | filter.owner as u64]
}

impl Filters {
    pub(crate) fn new() -> Self {
        Self {
            entries: alloc::vec![Entry::new(Filter::ALL)],
            numbers: BTreeMap::new(),
            free: Vec::new(),
            in_use: 0,
            matrix: Vec::new(),
            stale: true,
            agreement: Agreement::Some,
            searchers: 0,
            changes: 0,
            by_uses: Vec::new(),
        }
    }

    /// Returns the number of a filter and increments its reference count.
    pub(crate) fn acquire(&mut self, filter: Filter) -> u32 {
        let number = if filter == Filter::ALL {
            ALL
        } else {
            let Self { entries, numbers, free, .. } = self;
            *numbers.entry(sort_key(&filter)).or_insert_with(|| {
                let entry = Entry::new(filter);
                if let Some(number) = free.pop() {
                    entries[number as usize] = entry;
                    return number;
                }
                entries.push(entry);
                (entries.len() - 1) as u32
            })
        };
        if self.entries[number as usize].uses == 0 {
            self.in_use += 1;
            self.stale = true;
        }
        self.acquire_number(number)
    }

    /// Increments the reference count of the filter with this number, and returns the number.
    pub(crate) fn acquire_number(&mut self, number: u32) -> u32 {
        let entry = &mut self.entries[number as usize];
        entry.uses += 1;
        self.searchers += usize::from(!entry.refusing);
        self.changes += 1;
        number
    }

    /// Decrements the reference count of the filter with this number; at 0, the number is free.
    pub(crate) fn release(&mut self, number: u32) {
        let entry = &mut self.entries[number as usize];
        entry.uses -= 1;
        self.searchers -= usize::from(!entry.refusing);
        self.changes += 1;
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

    /// Returns whether an object has the filter with this number.
    pub(crate) fn is_used(&self, number: u32) -> bool {
        self.entries[number as usize].uses > 0
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
            + self.by_uses.capacity() * size_of::<u32>()
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
        self.by_uses = Vec::new();
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

    /// Chooses the refusing set again if more than one in eight of all `objects` got or lost a
    /// filter since the last choice. Takes the filters by descending number of objects, and adds
    /// each that refuses itself and all filters in the set.
    ///
    /// Every pair that filters accept has an object whose filter is not in the set.
    pub(crate) fn update_refusing_set(&mut self, objects: usize) {
        if self.changes <= objects / 8 {
            return;
        }
        self.changes = 0;
        let Self { entries, by_uses, .. } = self;
        by_uses.clear();
        if self.in_use <= REFUSING_SET_MAX_FILTERS {
            by_uses.extend((0..).zip(&*entries).filter(|(_, entry)| entry.uses > 0).map(|at| at.0));
            by_uses
                .sort_unstable_by_key(|&number| (Reverse(entries[number as usize].uses), number));
        }
        entries.iter_mut().for_each(|entry| entry.refusing = false);
        self.searchers = objects;
        let mut set: Option<RefusingSet> = None;
        for &number in &*by_uses {
            let entry = &mut entries[number as usize];
            let filter = &entry.filter;
            entry.refusing = match &mut set {
                Some(set) => set.add(filter),
                None if filter.accepts(filter) => false,
                None => {
                    set = Some(RefusingSet::new(filter));
                    true
                }
            };
            self.searchers -= if entry.refusing { entry.uses as usize } else { 0 };
        }
    }

    /// Returns whether a filter is in the refusing set.
    #[inline]
    pub(crate) fn is_refusing(&self, number: u32) -> bool {
        self.entries[number as usize].refusing
    }

    /// Returns the number of objects whose filter is not in the refusing set.
    pub(crate) const fn searchers(&self) -> usize {
        self.searchers
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

    use super::{Agreement, Filters, REFUSING_SET_MAX_FILTERS};

    fn filter() -> impl Strategy<Value = Filter> {
        (0u64..4, 0u64..4, -1i32..2, 0u32..3).prop_map(|(layers, mask, group, owner)| {
            Filter::layers(layers).mask(mask).group(group).owner(owner)
        })
    }

    proptest! {
        /// The agreement covers all combinations of the filters in use; released filters have no
        /// effect.
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

        /// Filters of the refusing set refuse each other, also after filters were replaced, and all
        /// objects with other filters are counted.
        #[test]
        fn filters_of_the_refusing_set_refuse_each_other(
            first in prop::collection::vec(filter(), 1..30),
            second in prop::collection::vec(filter(), 0..30),
        ) {
            let mut filters = Filters::new();
            let mut numbers: Vec<u32> = first.iter().map(|&one| filters.acquire(one)).collect();
            for filter in second {
                filters.update_refusing_set(numbers.len());
                let refuse = |&a: &u32| filters.is_refusing(a);
                let set: Vec<u32> = numbers.iter().copied().filter(refuse).collect();
                prop_assert_eq!(filters.searchers(), numbers.len() - set.len());
                prop_assert!(set.iter().all(|&a| set.iter().all(|&b| !filters.accept(a, b))));
                filters.release(numbers.swap_remove(filter.layers as usize % numbers.len()));
                numbers.push(filters.acquire(filter));
            }
        }
    }

    #[test]
    fn the_refusing_set_has_the_filters_of_most_objects() {
        let shot = |owner| Filter::layers(2).mask(1).owner(owner);
        let ship = |owner| Filter::layers(1).owner(owner);
        let (all, none) = (Filter::ALL, Filter::NONE);
        let cases: [(&[(Filter, usize)], usize); 6] = [
            (&[(all.owner(1), 40), (all.owner(2), 3), (none, 2)], 3),
            (&[(all.group(-1), 40), (all, 3), (all.group(-1).owner(1), 2)], 3),
            (&[(ship(1), 1), (ship(2), 1), (shot(1), 9), (shot(2), 8)], 2),
            (&[(all.owner(1), 40), (ship(1), 3), (shot(1), 2), (shot(2), 1)], 1),
            (&[(all.group(1).owner(1), 40), (all.group(1).owner(2), 30), (none, 20)], 30),
            (&[(all, 40), (all.group(1), 30)], 70),
        ];
        for (kinds, searchers) in cases {
            let mut filters = Filters::new();
            let objects = kinds.iter().map(|kind| kind.1).sum();
            for &(filter, count) in kinds {
                (0..count).for_each(|_| _ = filters.acquire(filter));
            }
            filters.update_refusing_set(objects);
            assert_eq!(filters.searchers(), searchers, "{kinds:?}");
        }
    }

    #[test]
    fn too_many_filters_have_no_refusing_set() {
        let mut filters = Filters::new();
        for owner in 1..REFUSING_SET_MAX_FILTERS as u32 + 2 {
            filters.acquire(Filter::layers(2).mask(1).owner(owner));
        }
        filters.update_refusing_set(REFUSING_SET_MAX_FILTERS + 1);
        assert_eq!(filters.searchers(), REFUSING_SET_MAX_FILTERS + 1);
    }
}
