//! The search for pairs in a step.

use broadphase_core::{Pair, PairSearch, Scalar, SpatialIndexExt, pairs};

use super::Core;
use super::current::Selected;
use crate::filters::Agreement;
use crate::registry::{Registry, UnwindGuard};
use crate::snapshot::Plain;

/// Counts a pair, on any thread; returns whether to store it.
pub(crate) type CountFn<'a> = &'a (dyn Fn() -> bool + Sync);

/// Finds pairs and completes steps.
pub(crate) trait Pairs<S: Scalar, const D: usize> {
    /// Writes the current pairs to the registry; with events, those of the last step become the
    /// pairs of the step before. `count` is called once per pair; pairs that it rejects are not
    /// stored.
    ///
    /// 1. Select the structure.
    /// 2. Set the bounds of swept objects to the boxes around their paths.
    /// 3. Find the pairs that filters accept; none if no two filters accept each other.
    /// 4. Restore the bounds. If a search panics, the step is undone.
    fn find_pairs(&mut self, registry: &mut Registry, count: Option<CountFn<'_>>);
    /// Completes a step: the current bounds of swept objects become the starts of their next paths.
    fn complete_step(&mut self);
    /// Returns the fraction of the last step at which the objects in two slots first touched, or
    /// `None` if they did not touch.
    fn first_contact(&self, pair: Pair) -> Option<S::Real>;
}

impl<S: Scalar + Plain, const D: usize> Pairs<S, D> for Core<S, D> {
    fn find_pairs(&mut self, registry: &mut Registry, count: Option<CountFn<'_>>) {
        self.current.select(registry.slots.len());
        let sides = self.current.options.sides;
        registry.filters.update_matrix();
        registry.exchange_pairs();
        let guard = UnwindGuard(registry);
        let Registry { slots, filters, pairs: out, .. } = &mut *guard.0;
        let structure = self.current.structure_mut();
        self.swept.set_path_bounds(structure, &sides);
        let agreement = filters.agreement();
        let agree = |a, b| filters.accept(slots.filter_number(a), slots.filter_number(b));
        let keep_agreeing = |found: &mut [Pair]| pairs::accepted(found, agree);
        let keep_counted = |found: &mut [Pair]| {
            let all = agreement == Agreement::All;
            let is_stored = count.unwrap_or(&|| true);
            pairs::accepted(found, |a, b| (all || agree(a, b)) && is_stored())
        };
        let mut search = PairSearch::OVERLAPS;
        match (agreement, count) {
            (_, Some(_)) => search.filter = Some(&keep_counted),
            (Agreement::All, None) => {}
            (_, None) => search.filter = Some(&keep_agreeing),
        }
        if agreement == Agreement::None {
            out.clear();
            structure.optimize();
        } else {
            structure.find_pairs(&search, out);
        }
        self.swept.restore_bounds(structure);
        core::mem::forget(guard);
        let Selected { structure, choice } = self.current.selected_mut();
        if let Some(stats) = structure.state().search {
            *choice = choice.after_search(stats, structure.len());
        }
    }

    fn complete_step(&mut self) {
        self.swept.complete_step();
    }

    fn first_contact(&self, pair: Pair) -> Option<S::Real> {
        self.swept.first_contact(self.current.structure(), &self.current.options.sides, pair)
    }
}
