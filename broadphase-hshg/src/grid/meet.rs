//! What becomes of those who met.

use alloc::vec::Vec;

use broadphase_core::{Flow, Pair, Scalar, pairs};

use super::Hshg;

/// Takes those who met in a sweep.
pub(super) trait Meet<S: Scalar, const D: usize, T: Copy> {
    type Answer: Flow;

    /// Takes the objects in pairs of places.
    fn visit(&mut self, hshg: &Hshg<S, D, T>, hits: &[[u32; 2]]) -> Self::Answer;

    /// Where no more is wanted than all their keys, the list of these: a sweep may append them
    /// itself.
    fn list(&mut self) -> Option<&mut Vec<Pair>> {
        None
    }
}

impl<S, const D: usize, T, R, F> Meet<S, D, T> for F
where
    S: Scalar,
    T: Copy,
    R: Flow,
    F: FnMut(&Hshg<S, D, T>, &[[u32; 2]]) -> R,
{
    type Answer = R;

    #[inline(always)]
    fn visit(&mut self, hshg: &Hshg<S, D, T>, hits: &[[u32; 2]]) -> R {
        self(hshg, hits)
    }
}

/// Appends all keys to a list.
pub(super) struct Keys<'a>(pub(super) &'a mut Vec<Pair>);

impl<S: Scalar, const D: usize, T: Copy> Meet<S, D, T> for Keys<'_> {
    type Answer = ();

    #[inline(always)]
    fn visit(&mut self, hshg: &Hshg<S, D, T>, hits: &[[u32; 2]]) {
        pairs::append_keys(hshg.backend, self.0, hits, &hshg.store.keys);
    }

    fn list(&mut self) -> Option<&mut Vec<Pair>> {
        Some(self.0)
    }
}
