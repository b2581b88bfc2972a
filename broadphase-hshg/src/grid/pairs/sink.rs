//! The sink: the receiver of the pairs that a sweep finds.

use alloc::vec::Vec;
use core::ops::ControlFlow;

use broadphase_core::{Flow, Pair, Scalar, pairs};

use crate::grid::Core;
use crate::grid::storage::store::Store;

/// A filter that appends the keys of accepted pairs of slots to a list.
pub(in crate::grid) type PairFilter<'a, S, const D: usize> =
    dyn Fn(&Store<S, D>, &[[u32; 2]], &mut Vec<Pair>) + Sync + 'a;

/// A visitor of pairs of slots, which can break to stop the search.
pub(in crate::grid) type PairVisitor<'a, S, const D: usize> =
    dyn FnMut(&Store<S, D>, &[[u32; 2]]) -> ControlFlow<()> + 'a;

/// The sink of pairs of slots, which receives many pairs per call.
pub(in crate::grid) enum PairSink<'a, S, const D: usize> {
    /// Appends the keys of all pairs.
    Keys(&'a mut Vec<Pair>),
    /// Appends the keys of the pairs that a filter accepts.
    Filtered(&'a PairFilter<'a, S, D>, &'a mut Vec<Pair>),
    /// Calls a visitor.
    Visit(&'a mut PairVisitor<'a, S, D>),
}

impl<'a, S: Scalar, const D: usize> PairSink<'a, S, D> {
    /// Returns a sink that appends keys to a list: of all pairs, or of pairs that a filter accepts.
    pub(in crate::grid) fn new(
        filter: Option<&'a PairFilter<'a, S, D>>,
        list: &'a mut Vec<Pair>,
    ) -> Self {
        match filter {
            None => Self::Keys(list),
            Some(filter) => Self::Filtered(filter, list),
        }
    }

    /// Returns the list of a sink, and its filter, if any; `None` if the sink calls a visitor.
    pub(in crate::grid) const fn list(
        &mut self,
    ) -> Option<(Option<&'a PairFilter<'a, S, D>>, &mut Vec<Pair>)> {
        match self {
            Self::Keys(list) => Some((None, list)),
            Self::Filtered(filter, list) => Some((Some(*filter), list)),
            Self::Visit(_) => None,
        }
    }

    /// Passes pairs of slots to the list, filter or visitor. Breaks if the visitor breaks.
    pub(in crate::grid) fn push(
        &mut self,
        core: &Core<S, D>,
        hits: &[[u32; 2]],
    ) -> ControlFlow<()> {
        match self {
            Self::Keys(list) => pairs::append_keys(core.backend, list, hits, &core.store.keys),
            Self::Filtered(filter, list) => filter(&core.store, hits, list),
            Self::Visit(visit) => return visit(&core.store, hits),
        }
        ControlFlow::Continue(())
    }
}

/// Calls `visit` with each pair of slots until `visit` stops. Writes the last value that `visit`
/// returned to `answer`.
#[inline(always)]
pub(in crate::grid) fn visit_hits<R: Flow>(
    hits: &[[u32; 2]],
    answer: &mut R,
    mut visit: impl FnMut([u32; 2]) -> R,
) -> ControlFlow<()> {
    for &hit in hits {
        *answer = visit(hit);
        if answer.stops() {
            return ControlFlow::Break(());
        }
    }
    ControlFlow::Continue(())
}
