//! The search for pairs in a step.

use alloc::vec::Vec;

use broadphase_core::{Pair, Scalar};

use crate::engine::Core;
use crate::engine::current::Selected;
use crate::filters::Filters;
use crate::registry::{Registry, UnwindGuard};
use crate::snapshot::Plain;
use crate::structure::Structure;

impl<S: Scalar + Plain, const D: usize> Core<S, D> {
    /// Selects the structure, sets the bounds of swept objects to the boxes around their paths,
    /// fills the list of pairs, and restores the bounds. Pairs are found by `find`, or by
    /// `Crowd::find_pairs` if that is estimated to be faster. Only the latter calls `keep`, once
    /// per pair; `keep` returns whether to store the pair. If a search panics, the step is undone.
    pub(super) fn find_pairs_with(
        &mut self,
        registry: &mut Registry,
        keep: &(dyn Fn() -> bool + Sync),
        find: impl FnOnce(&mut dyn Structure<S, D>, &Filters, &mut Vec<Pair>),
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
            find(structure, filters, pairs);
        }
        self.crowd.end_search(structure, slots, filters, pairs.len());
        self.swept.restore_bounds(structure);
        core::mem::forget(guard);
        let Selected { structure, choice } = self.current.selected_mut();
        if let Some(stats) = structure.search_stats().filter(|_| !passes_over) {
            *choice = choice.after_search(stats, structure.len());
        }
    }
}
