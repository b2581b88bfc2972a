//! Counts of the situations that occurred. Tests fail if a situation is too rare.

use alloc::collections::BTreeMap;
use core::ops::AddAssign;

/// How often each named situation occurred in one or several runs, such as a pair that ended
/// because a filter changed.
///
/// ```
/// let run = hexphase_sim::Run::new(1, &Default::default());
/// assert!(run.situations.count("began") > 0);
/// ```
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
