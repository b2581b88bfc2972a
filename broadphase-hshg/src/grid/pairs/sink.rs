//! Where the pairs go that a sweep finds.

use alloc::vec::Vec;
use core::ops::ControlFlow;

use broadphase_core::{Pair, Scalar, pairs};

use crate::grid::Core;
use crate::grid::storage::store::Store;

/// Appends the keys of some of the pairs of places to a list.
pub(in crate::grid) type PairFilter<'a, S, const D: usize> =
    dyn Fn(&Store<S, D>, &[[u32; 2]], &mut Vec<Pair>) + Sync + 'a;

/// Takes pairs of places until it breaks.
pub(in crate::grid) type PairVisitor<'a, S, const D: usize> =
    dyn FnMut(&Store<S, D>, &[[u32; 2]]) -> ControlFlow<()> + 'a;

/// Takes the pairs that a sweep finds, many at a time.
pub(in crate::grid) enum PairSink<'a, S, const D: usize> {
    /// Appends the keys of all of them.
    Keys(&'a mut Vec<Pair>),
    /// Appends the keys of the pairs that a filter accepts.
    Filtered(&'a PairFilter<'a, S, D>, &'a mut Vec<Pair>),
    /// Calls a visitor.
    Visit(&'a mut PairVisitor<'a, S, D>),
}

impl<'a, S: Scalar, const D: usize> PairSink<'a, S, D> {
    /// Appends the keys of all pairs to a list, or of the pairs that a filter accepts.
    pub(in crate::grid) fn new(
        filter: Option<&'a PairFilter<'a, S, D>>,
        list: &'a mut Vec<Pair>,
    ) -> Self {
        match filter {
            None => Self::Keys(list),
            Some(filter) => Self::Filtered(filter, list),
        }
    }

    /// Takes pairs of places; breaks if no more are wanted.
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
