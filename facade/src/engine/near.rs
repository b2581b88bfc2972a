//! Pairs of two worlds, and pairs within a distance in one world or of two worlds.
//!
//! 1. If no filters accept each other, return: there are no pairs.
//! 2. Select the structures.
//! 3. Find the pairs: by the structure of one world; by a sweep of the grids of two worlds;
//!    otherwise, including two worlds that wrap, by one query of the structure with more objects
//!    for each object of the other.

use alloc::vec::Vec;
#[cfg(feature = "hshg")]
use core::any::Any;

use broadphase_core::{Pair, PairSearch, Scalar, SpatialIndex, instances, pairs};

use super::Engine;
use crate::filters::{Agreement, FilterPairs};
use crate::registry::Registry;

/// A search for pairs of objects within a distance of each other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NearSearch<'a, S> {
    pub(crate) ours: &'a Registry,
    /// The objects of the other world; for pairs in one world, those of `ours`.
    pub(crate) theirs: &'a Registry,
    /// Maximum distance between boxes; 0 to find overlapping boxes.
    pub(crate) distance: S,
    /// Two sets of layers: the first object of a pair must be in a layer of the first set, the
    /// second in one of the second set. In one world the objects may be exchanged.
    pub(crate) layers: [u64; 2],
    /// Whether pairs are in canonical order; otherwise they are in any order.
    pub(crate) sorted: bool,
}

instances! {
    /// Replaces the contents of `out` with the slots of pairs. `other` is the engine of the other
    /// world, if any.
    pub(crate) fn find_near_pairs<S, D>(
        engine: &mut dyn Engine<S, D>,
        other: Option<&mut dyn Engine<S, D>>,
        search: &NearSearch<'_, S>,
        out: &mut Vec<Pair>,
    ) {
        let &NearSearch { ours, theirs, distance, layers, sorted } = search;
        let filters = FilterPairs::new(&ours.filters, &theirs.filters, layers, other.is_none());
        let filter = |found: &mut [Pair]| {
            pairs::accepted(found, |a, b| {
                filters.accept(ours.slots.filter_number(a), theirs.slots.filter_number(b))
            })
        };
        let mut search = PairSearch { distance: Some(distance), filter: None, sorted };
        match filters.agreement() {
            Agreement::All => {}
            Agreement::Some => search.filter = Some(&filter),
            Agreement::None => return out.clear(),
        }
        engine.select(ours.slots.len());
        let structure = engine.structure_mut();
        match other {
            None => structure.find_pairs(&search, out),
            Some(other) => {
                other.select(theirs.slots.len());
                find_between(structure, other.structure_mut(), &search, out);
            }
        }
    }
}

/// Replaces the contents of `out` with the accepted pairs of an object of each world.
fn find_between<S: Scalar, const D: usize>(
    ours: &mut dyn SpatialIndex<S, D>,
    theirs: &mut dyn SpatialIndex<S, D>,
    search: &PairSearch<'_, S>,
    out: &mut Vec<Pair>,
) {
    #[cfg(feature = "hshg")]
    {
        type Grid<S, const D: usize> = broadphase_hshg::Hshg<S, D>;
        let grid = (&mut *ours as &mut dyn Any).downcast_mut::<Grid<S, D>>();
        let other = (&mut *theirs as &mut dyn Any).downcast_mut::<Grid<S, D>>();
        if let (Some(grid), Some(other)) = (grid, other) {
            return grid.find_pairs_between(other, search, out);
        }
    }
    pairs::find_between(ours, theirs, search, out);
}
