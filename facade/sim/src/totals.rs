//! Counts of operations, comparisons and steps, and of situations.

use alloc::collections::BTreeMap;
use core::ops::AddAssign;

/// Counts of one or several runs.
///
/// An *operation* is one object inserted, moved, removed, or given another filter, motion class or
/// user data; one query; or one call for a whole world, such as a step, a snapshot or a search for
/// pairs. It counts once, although both worlds execute it. A *comparison* compares one value of a
/// world with the expected value: an object's state, a pair, an event, a result, or a hash.
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

/// How often each named situation occurred in one or several runs, such as a pair that ended
/// because a filter changed. Tests fail if a situation is too rare.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Situations(BTreeMap<&'static str, u64>);

impl Situations {
    /// Returns how often a situation occurred.
    #[must_use]
    pub fn count(&self, what: &str) -> u64 {
        self.0.get(what).copied().unwrap_or(0)
    }

    pub(crate) fn add(&mut self, what: &'static str, times: usize) {
        *self.0.entry(what).or_default() += times as u64;
    }

    pub(crate) fn add_if(&mut self, happened: bool, what: &'static str) {
        self.add(what, usize::from(happened));
    }
}

impl AddAssign for Situations {
    fn add_assign(&mut self, other: Self) {
        for (what, times) in other.0 {
            *self.0.entry(what).or_default() += times;
        }
    }
}
