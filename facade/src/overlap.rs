//! The pairs of the last step, with handles and users.

use core::fmt;
use core::iter::FusedIterator;
use core::slice::Iter;

use broadphase_core::Pair;

use crate::Handle;
use crate::slots::Slots;

/// Two objects that overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Overlap<U> {
    /// The two, the one in the lower slot first.
    pub handles: [Handle; 2],
    /// Their user data, in the same order.
    pub users: [U; 2],
}

/// The pairs of the last step, ascending by slots.
#[derive(Clone)]
pub struct Overlaps<'a, U> {
    pairs: Iter<'a, Pair>,
    slots: &'a Slots<U>,
}

impl<'a, U> Overlaps<'a, U> {
    pub(crate) fn new(pairs: &'a [Pair], slots: &'a Slots<U>) -> Self {
        Self { pairs: pairs.iter(), slots }
    }
}

impl<U: Copy> Iterator for Overlaps<'_, U> {
    type Item = Overlap<U>;

    #[inline]
    fn next(&mut self) -> Option<Overlap<U>> {
        let &[a, b] = self.pairs.next()?;
        let (a, b) = (self.slots.at_last_step(a), self.slots.at_last_step(b));
        Some(Overlap { handles: [a.0, b.0], users: [*a.1, *b.1] })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.pairs.size_hint()
    }
}

impl<U: Copy> ExactSizeIterator for Overlaps<'_, U> {}
impl<U: Copy> FusedIterator for Overlaps<'_, U> {}

impl<U> fmt::Debug for Overlaps<'_, U> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Overlaps").field(&self.pairs.as_slice()).finish()
    }
}
