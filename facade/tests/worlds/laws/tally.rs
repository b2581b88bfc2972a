//! What happened in a run: a suite in which nothing happens proves nothing.

use alloc::collections::BTreeMap;

/// How often each thing happened.
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

    /// What did not happen so often.
    pub(crate) fn missing(&self, times: usize, what: &[&str]) -> Option<String> {
        let counted = |what| self.0.get(what).copied().unwrap_or(0);
        let what = what.iter().find(|&&what| counted(what) < times)?;
        Some(format!("{what}: {} times, too few of {times} to prove it,", counted(what)))
    }
}
