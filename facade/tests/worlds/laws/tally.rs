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

    /// Prints all counts.
    ///
    /// # Panics
    /// If one of these things did not happen so often.
    pub(crate) fn assert_at_least(&self, times: usize, what: &[&str]) {
        println!("{:?}", self.0);
        for &what in what {
            let counted = self.0.get(what).copied().unwrap_or(0);
            assert!(counted >= times, "{what}: {counted} times, too few of {times} to prove it");
        }
    }
}
