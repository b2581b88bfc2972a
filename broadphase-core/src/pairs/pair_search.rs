//! The description of a search for pairs.

use alloc::vec::Vec;
use core::fmt;

use super::Pair;

/// Moves the accepted pairs to the front of a list, in order, and returns their number. Called once
/// for each pair found, in any order, possibly on several threads.
pub type PairFilter<'a> = dyn Fn(&mut [Pair]) -> usize + Sync + 'a;

/// A search for pairs in one structure: which pairs, and in which order.
#[derive(Clone, Copy)]
pub struct PairSearch<'a, S = f32> {
    /// The largest distance between the bounds, as in [`Region::around`](crate::Region::around):
    /// infinity finds all pairs, a negative or NaN distance none. `None`: bounds must overlap, as
    /// at distance 0.
    pub distance: Option<S>,
    /// Accepts or refuses pairs; `None` accepts all.
    pub filter: Option<&'a PairFilter<'a>>,
    /// Whether pairs are in canonical order; otherwise they are in any order.
    pub sorted: bool,
}

impl<S> PairSearch<'_, S> {
    /// All overlapping pairs, in canonical order.
    pub const OVERLAPS: Self = Self { distance: None, filter: None, sorted: true };

    /// Removes the refused pairs of `found[from..]`.
    #[inline]
    pub fn keep_accepted(&self, found: &mut Vec<Pair>, from: usize) {
        if let Some(filter) = self.filter {
            let kept = filter(&mut found[from..]);
            found.truncate(from + kept);
        }
    }
}

impl<S: fmt::Debug> fmt::Debug for PairSearch<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { distance, filter, sorted } = self;
        let mut fields = f.debug_struct("PairSearch");
        fields.field("distance", distance).field("filter", &filter.is_some());
        fields.field("sorted", sorted).finish()
    }
}

/// Moves the pairs that `accept` accepts to the front, in order, and returns their number: a
/// [`PairFilter`] for a closure over keys.
#[inline]
pub fn accepted(pairs: &mut [Pair], accept: impl Fn(u32, u32) -> bool) -> usize {
    let mut kept = 0;
    for place in 0..pairs.len() {
        // Branch-free, because the outcome may be unpredictable.
        let [a, b] = pairs[place];
        pairs[kept] = [a, b];
        kept += usize::from(accept(a, b));
    }
    kept
}
