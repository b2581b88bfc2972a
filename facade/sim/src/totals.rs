//! Counts of operations, comparisons and steps.

use core::ops::AddAssign;

/// Counts of one or several runs.
///
/// An *operation* is one object inserted, moved, removed, or given another filter, motion class or
/// user data; one query; or one call for a whole world, such as a step, a snapshot or a search for
/// pairs. It counts once, although both worlds execute it. A *comparison* compares one value of a
/// world with the expected value: an object's state, a pair, an event, a result, or a hash.
///
/// ```
/// use hexphase_sim::Totals;
///
/// let mut sum = Totals::default();
/// sum += Totals { operations: 3, ..Totals::default() };
/// assert_eq!(sum.operations, 3);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Number of operations.
    pub operations: u64,
    /// Number of comparisons.
    pub comparisons: u64,
    /// Number of steps.
    pub steps: u64,
}

impl AddAssign for Totals {
    fn add_assign(&mut self, other: Self) {
        self.operations += other.operations;
        self.comparisons += other.comparisons;
        self.steps += other.steps;
    }
}
