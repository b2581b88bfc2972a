//! Counts the situations that a test run covered. A run that covers too few fails.

use alloc::collections::BTreeMap;

/// Counts how often each named situation occurred in the test runs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally(BTreeMap<&'static str, usize>);

impl Tally {
    pub(crate) fn add(&mut self, what: &'static str, times: usize) {
        *self.0.entry(what).or_default() += times;
    }

    pub(crate) fn count(&mut self, what: &'static str) {
        self.add(what, 1);
    }

    pub(crate) fn count_if(&mut self, happened: bool, what: &'static str) {
        self.add(what, usize::from(happened));
    }

    pub(crate) fn append(&mut self, other: &Self) {
        other.0.iter().for_each(|(what, &times)| self.add(what, times));
    }

    /// Returns a message about the first situation with fewer than `times` occurrences.
    pub(crate) fn missing(&self, times: usize, what: &[&str]) -> Option<String> {
        let counted = |what| self.0.get(what).copied().unwrap_or(0);
        let what = what.iter().find(|&&what| counted(what) < times)?;
        Some(format!("{what}: {} times, expected at least {times},", counted(what)))
    }
}
