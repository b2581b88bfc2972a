//! The search for pairs in a step.

use alloc::vec::Vec;

use broadphase_core::{Pair, PairSearch, Scalar, SpatialIndex, pairs};

use crate::engine::Core;
use crate::engine::current::Selected;
use crate::filters::{Agreement, Filters};
use crate::registry::{Registry, UnwindGuard};
use crate::slots::Slots;
use crate::snapshot::Plain;

impl<S: Scalar + Plain, const D: usize> Core<S, D> {
    /// Implements [`Engine::find_pairs`](super::Engine::find_pairs).
    pub(super) fn find_all_pairs(&mut self, registry: &mut Registry) {
        self.find_pairs_with(registry, &|| true, |structure, slots, filters, out| {
            let agree = |a, b| filters.accept(slots.filter_number(a), slots.filter_number(b));
            let filter = |found: &mut [Pair]| pairs::accepted(found, agree);
            match filters.agreement() {
                Agreement::All => structure.find_pairs(&PairSearch::OVERLAPS, out),
                Agreement::Some => {
                    let search = PairSearch { filter: Some(&filter), ..PairSearch::OVERLAPS };
                    structure.find_pairs(&search, out);
                }
                Agreement::None => {
                    out.clear();
                    structure.optimize();
                }
            }
        });
    }

    /// Selects the structure, sets the bounds of swept objects to the boxes around their paths,
    /// fills the list of pairs, and restores the bounds. Pairs are found by `find`, or by
    /// `Crowd::find_pairs` if that is estimated to be faster. Only the latter calls `keep`, once
    /// per pair; `keep` returns whether to store the pair. If a search panics, the step is undone.
    pub(super) fn find_pairs_with(
        &mut self,
        registry: &mut Registry,
        keep: &(dyn Fn() -> bool + Sync),
        find: impl FnOnce(&mut dyn SpatialIndex<S, D>, &Slots, &Filters, &mut Vec<Pair>),
    ) {
        self.current.select(registry.slots.len());
        let sides = self.current.options.sides;
        registry.filters.update_matrix();
        registry.exchange_pairs();
        let guard = UnwindGuard(registry);
        let Registry { slots, filters, pairs, .. } = &mut *guard.0;
        let structure = self.current.structure_mut();
        self.swept.set_path_bounds(structure, &sides);
        let passes_over = self.crowd.pays(slots, filters);
        if passes_over {
            self.crowd.find_pairs(structure, slots, filters, keep, pairs);
        } else {
            find(structure, slots, filters, pairs);
        }
        self.crowd.end_search(structure, slots, filters, pairs.len());
        self.swept.restore_bounds(structure);
        core::mem::forget(guard);
        let Selected { structure, choice } = self.current.selected_mut();
        if let Some(stats) = structure.state().search.filter(|_| !passes_over) {
            *choice = choice.after_search(stats, structure.len());
        }
    }
}
