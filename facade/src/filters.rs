//! Table of the distinct filters of a world.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use broadphase_core::Filter;

use crate::Error;

/// Maximum number of filters for which a bit matrix has the results of all combinations.
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
    /// `None` if the filters have changed since the last search for pairs.
    matrix: Option<FilterMatrix>,
}

/// Whether the filters in use accept each other and themselves: all combinations do, some may, or
/// none does.
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

impl Entry {
    const fn new(filter: Filter) -> Self {
        Self { filter, uses: 0 }
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
            matrix: None,
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
            self.matrix = None;
        }
        self.acquire_number(number)
    }

    /// Increments the reference count of the filter with this number, and returns the number.
    pub(crate) fn acquire_number(&mut self, number: u32) -> u32 {
        let entry = &mut self.entries[number as usize];
        entry.uses += 1;
        number
    }

    /// Decrements the reference count of the filter with this number; at 0, the number is free.
    pub(crate) fn release(&mut self, number: u32) {
        let entry = &mut self.entries[number as usize];
        entry.uses -= 1;
        if entry.uses == 0 {
            self.in_use -= 1;
            self.matrix = None;
            if number != ALL {
                self.numbers.remove(&sort_key(&entry.filter));
                self.free.push(number);
            }
        }
    }

    /// Reserves memory for releasing all filters.
    pub(crate) fn try_reserve_free(&mut self) -> Result<(), Error> {
        self.free.try_reserve(self.in_use).map_err(|_| Error::OutOfMemory)
    }

    #[inline]
    pub(crate) fn get(&self, number: u32) -> Filter {
        self.entries[number as usize].filter
    }

    /// Returns the number of table entries, used or free.
    pub(crate) fn numbers(&self) -> usize {
        // For snapshots: a new field does not compile until it is written by them or excluded here.
        let Self { entries, numbers: _, free: _, in_use: _, matrix: _ } = self;
        entries.len()
    }

    pub(crate) const fn in_use(&self) -> usize {
        self.in_use
    }

    pub(crate) fn memory_use(&self) -> usize {
        self.entries.capacity() * size_of::<Entry>()
            + self.numbers.len() * size_of::<([u64; 3], u32)>()
            + self.free.capacity() * size_of::<u32>()
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
        self.matrix = None;
    }

    /// Updates the matrix used by [`accept`](Self::accept), if the filters have changed.
    pub(crate) fn update_matrix(&mut self) {
        if self.matrix.is_none() {
            if self.entries.len() > MATRIX_MAX_FILTERS {
                self.drop_unused();
            }
            self.matrix = Some(FilterMatrix::new(self, self, Filter::accepts));
        }
    }

    /// Returns the agreement of the filters in use, after [`update_matrix`](Self::update_matrix).
    pub(crate) fn agreement(&self) -> Agreement {
        self.matrix.as_ref().map_or(Agreement::Some, |matrix| matrix.agreement)
    }

    /// Returns whether two filters accept each other.
    #[inline]
    pub(crate) fn accept(&self, a: u32, b: u32) -> bool {
        match &self.matrix {
            Some(FilterMatrix { rows: Some(rows), .. }) => rows[a as usize] >> b & 1 != 0,
            _ => self.get(a).accepts(&self.get(b)),
        }
    }
}

/// Which filters of two tables are accepted together.
#[derive(Clone, Debug)]
struct FilterMatrix {
    /// Bit `b` of row `a` is set if our filter `a` and their filter `b` are accepted. `None` if a
    /// table has more than [`MATRIX_MAX_FILTERS`] entries.
    rows: Option<[u64; MATRIX_MAX_FILTERS]>,
    agreement: Agreement,
}

impl FilterMatrix {
    fn new(ours: &Filters, theirs: &Filters, accepts: impl Fn(&Filter, &Filter) -> bool) -> Self {
        if ours.entries.len().max(theirs.entries.len()) > MATRIX_MAX_FILTERS {
            return Self { rows: None, agreement: Agreement::Some };
        }
        let (mut rows, mut all, mut any) = ([0; MATRIX_MAX_FILTERS], true, false);
        for (a, row) in ours.entries.iter().zip(&mut rows) {
            for (number, b) in theirs.entries.iter().enumerate() {
                let accepted = accepts(&a.filter, &b.filter);
                *row |= u64::from(accepted) << number;
                if a.uses > 0 && b.uses > 0 {
                    all &= accepted;
                    any |= accepted;
                }
            }
        }
        let agreement = match (all, any) {
            (true, _) => Agreement::All,
            (_, false) => Agreement::None,
            _ => Agreement::Some,
        };
        Self { rows: Some(rows), agreement }
    }
}

/// The filters and layers that a search for pairs of two worlds, or within a distance, accepts.
///
/// A pair is accepted if its filters accept each other, its first object is in a layer of
/// `layers[0]`, and its second in a layer of `layers[1]`. In one world, the objects may be
/// exchanged.
pub(crate) struct FilterPairs<'a> {
    ours: &'a Filters,
    theirs: &'a Filters,
    layers: [u64; 2],
    in_one_world: bool,
    matrix: FilterMatrix,
}

impl<'a> FilterPairs<'a> {
    pub(crate) fn new(
        ours: &'a Filters,
        theirs: &'a Filters,
        layers: [u64; 2],
        in_one_world: bool,
    ) -> Self {
        let accepts = |a: &Filter, b: &Filter| accept_in_layers(a, b, layers, in_one_world);
        let matrix = FilterMatrix::new(ours, theirs, accepts);
        Self { ours, theirs, layers, in_one_world, matrix }
    }

    /// Returns whether all pairs of filters in use are accepted, some may be, or none is.
    pub(crate) const fn agreement(&self) -> Agreement {
        self.matrix.agreement
    }

    /// Returns whether our filter `a` and their filter `b`, given by number, are accepted.
    #[inline]
    pub(crate) fn accept(&self, a: u32, b: u32) -> bool {
        let Self { ours, theirs, layers, in_one_world, .. } = *self;
        match &self.matrix.rows {
            Some(rows) => rows[a as usize] >> b & 1 != 0,
            None => accept_in_layers(&ours.get(a), &theirs.get(b), layers, in_one_world),
        }
    }
}

/// Returns whether two filters accept each other, and are in these layers, in one world in any
/// order.
fn accept_in_layers(a: &Filter, b: &Filter, layers: [u64; 2], in_one_world: bool) -> bool {
    let [first, second] = layers;
    let in_layers = |a: &Filter, b: &Filter| a.layers & first != 0 && b.layers & second != 0;
    let unlimited = layers == [!0; 2];
    a.accepts(b) && (unlimited || in_layers(a, b) || (in_one_world && in_layers(b, a)))
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
    }
}
