//! Pairs of two worlds, and pairs within a distance in one world or of two worlds.
//!
//! 1. If no filters accept each other, return: there are no pairs.
//! 2. Select the structures.
//! 3. Find the pairs. In one world, the structure finds them. The grids of two worlds are swept
//!    against each other. Otherwise, also in two worlds that wrap, query the structure with more
//!    objects once for each object of the other.

use alloc::vec::Vec;
use core::ops::ControlFlow;

use broadphase_core::{Lists, Pair, Region, Scalar, instances, pairs};

use super::Engine;
use crate::Handle;
use crate::filter_pairs::FilterPairs;
use crate::filters::{Agreement, Filters};
use crate::slots::Slots;
use crate::structure::{Proxy, Structure};

/// Receives pairs; breaks to stop the search.
pub(crate) type VisitPairs<'a> = dyn FnMut(&[[Handle; 2]]) -> ControlFlow<()> + 'a;

/// Number of queries that run at once.
const QUERIES_PER_BATCH: usize = 4096;

/// The objects of a world, without bounds and user data.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Members<'a> {
    pub(crate) slots: &'a Slots,
    pub(crate) filters: &'a Filters,
}

/// A search for pairs of objects within a distance of each other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairSearch<'a, S> {
    pub(crate) ours: Members<'a>,
    /// The objects of the other world; for pairs in one world, those of `ours`.
    pub(crate) theirs: Members<'a>,
    /// Maximum distance between boxes; 0 to find overlapping boxes.
    pub(crate) distance: S,
    /// Two sets of layers: the first object of a pair must be in a layer of the first set, and the
    /// second object in a layer of the second set. In one world the objects may be exchanged.
    pub(crate) layers: [u64; 2],
}

instances! {
    /// Writes the slots of the pairs that a search finds into `out`, in canonical order. `other` is
    /// the engine of the other world; `None` for pairs in one world.
    pub(crate) fn find_near_pairs<S, D>(
        engine: &mut dyn Engine<S, D>,
        other: Option<&mut dyn Engine<S, D>>,
        search: &PairSearch<'_, S>,
        out: &mut Vec<Pair>,
    ) {
        out.clear();
        search_pairs(engine, other, search, Output::Slots(&mut *out));
        pairs::sort(out);
    }

    /// Calls `visit` with the pairs that a search finds, in any order, until `visit` breaks.
    pub(crate) fn visit_near_pairs<S, D>(
        engine: &mut dyn Engine<S, D>,
        other: Option<&mut dyn Engine<S, D>>,
        search: &PairSearch<'_, S>,
        visit: &mut VisitPairs<'_>,
    ) {
        search_pairs(engine, other, search, Output::Visit(visit));
    }
}

/// Receives the pairs that a search finds.
enum Output<'a, 'b> {
    /// Appends the slots of all pairs to an empty list.
    Slots(&'a mut Vec<Pair>),
    /// Calls a visitor.
    Visit(&'a mut VisitPairs<'b>),
}

/// Implements [`find_near_pairs`] and [`visit_near_pairs`].
fn search_pairs<S: Scalar, const D: usize>(
    engine: &mut dyn Engine<S, D>,
    other: Option<&mut dyn Engine<S, D>>,
    search: &PairSearch<'_, S>,
    output: Output<'_, '_>,
) {
    let PairSearch { ours, theirs, layers, .. } = *search;
    let others = other.is_some().then_some(theirs.filters);
    let filters = FilterPairs::new(ours.filters, others, layers);
    if filters.agreement() == Agreement::None {
        return;
    }
    engine.select(ours.slots.len());
    let structure = engine.structure_mut();
    let other = other.map(|other| {
        other.select(theirs.slots.len());
        other.structure_mut()
    });
    match output {
        Output::Visit(visit) => search_structures(structure, other, search, &filters, visit),
        Output::Slots(out) => {
            #[cfg(feature = "hshg")]
            let mut other = other;
            // If all filters accept each other, grids can write the slots without reading the
            // objects.
            #[cfg(feature = "hshg")]
            if filters.agreement() == Agreement::All
                && crate::structure::write_all(structure, &mut other, search.distance, out)
            {
                return;
            }
            if other.is_none() {
                let accept = |a: &Proxy, b: &Proxy| filters.accept(a.filter, b.filter);
                return structure.pairs_within(search.distance, &accept, out);
            }
            search_structures(structure, other, search, &filters, &mut |pairs| {
                out.extend(pairs.iter().map(|pair| pair.map(Handle::index)));
                ControlFlow::Continue(())
            });
        }
    }
}

/// Calls `visit` with the accepted pairs in one structure, or of two, until `visit` breaks.
fn search_structures<S: Scalar, const D: usize>(
    structure: &mut dyn Structure<S, D>,
    other: Option<&mut dyn Structure<S, D>>,
    search: &PairSearch<'_, S>,
    filters: &FilterPairs<'_>,
    visit: &mut VisitPairs<'_>,
) {
    let distance = search.distance;
    let Some(other) = other else {
        return structure.visit_pairs_within(distance, filters, visit);
    };
    #[cfg(feature = "hshg")]
    if let (Some(grid), Some(other)) = (structure.grid(), other.grid()) {
        return crate::structure::visit_between(grid, other, distance, filters, visit);
    }
    let smaller = usize::from(other.len() < structure.len());
    if smaller == 0 {
        other.optimize();
    } else {
        structure.optimize();
    }
    let _ = query_pairs([structure, other], smaller, search, filters, visit);
}

/// Calls `visit` with the accepted pairs of an object of each structure, until `visit` breaks: one
/// query for each object of the structure with index `smaller`, in the other structure.
fn query_pairs<S: Scalar, const D: usize>(
    structures: [&dyn Structure<S, D>; 2],
    smaller: usize,
    search: &PairSearch<'_, S>,
    filters: &FilterPairs<'_>,
    visit: &mut VisitPairs<'_>,
) -> ControlFlow<()> {
    let [few, many] = [structures[smaller], structures[1 - smaller]];
    let members = [search.ours, search.theirs];
    let (mut slots, mut regions) = (Vec::new(), Vec::new());
    let (mut lists, mut found) = (Lists::default(), Vec::new());
    let mut order = few.order().peekable();
    while order.peek().is_some() {
        slots.clear();
        slots.extend(order.by_ref().take(QUERIES_PER_BATCH));
        regions.clear();
        let bounds = slots.iter().filter_map(|&slot| few.entry(slot)).map(|entry| entry.bounds);
        regions.extend(bounds.map(|bounds| Region::around(bounds, search.distance)));
        many.query_many(&regions, &mut lists);
        found.clear();
        for (&slot, list) in slots.iter().zip(lists.iter()) {
            for &other in list {
                let pair = if smaller == 0 { [slot, other] } else { [other, slot] };
                let [a, b] = [0, 1].map(|side| members[side].slots.content(pair[side]));
                let (Some(a), Some(b)) = (a, b) else { continue };
                if filters.accept(a.filter, b.filter) {
                    found.push([0, 1].map(|side| members[side].slots.handle(pair[side])));
                }
            }
        }
        visit(&found)?;
    }
    ControlFlow::Continue(())
}
