//! [`VisitLog`]: the visits of one structure, to compare with those of others.

use core::fmt::Debug;
use core::ops::ControlFlow;

/// The visits of the first structure, and whether the visitor stopped at the last one.
pub(crate) struct VisitLog<K> {
    visits: Vec<K>,
    stopped: bool,
}

impl<K: PartialEq + Debug> VisitLog<K> {
    pub(crate) const fn new() -> Self {
        Self { visits: Vec::new(), stopped: false }
    }

    /// Records a visit and whether the visitor stopped there. Returns the flow for the structure.
    pub(crate) fn record(&mut self, one: K, stops: bool) -> ControlFlow<usize> {
        self.visits.push(one);
        self.stopped = stops;
        self.flow(self.visits.len())
    }

    /// Returns the flow after `count` visits: a break if the visitor broke at that visit.
    fn flow(&self, count: usize) -> ControlFlow<usize> {
        if self.stopped && count == self.visits.len() {
            ControlFlow::Break(count)
        } else {
            ControlFlow::Continue(())
        }
    }

    /// Records a visit of another structure in `found`. Returns the flow for that structure.
    pub(crate) fn replay(&self, found: &mut Vec<K>, one: K) -> ControlFlow<usize> {
        found.push(one);
        self.flow(found.len())
    }

    /// Asserts that a structure returned the last flow of its visitor: `Break`, or `Continue` after
    /// all visits.
    pub(crate) fn assert_flow(&self, flow: ControlFlow<usize>, name: &str) {
        assert_eq!(flow, self.flow(self.visits.len()), "{name}: the last flow is returned");
    }

    /// Asserts that another structure had the same visits in the same order.
    pub(crate) fn assert_list(&self, found: &[K], flow: ControlFlow<usize>, name: &str) {
        self.assert_flow(flow, name);
        assert_eq!(found, self.visits, "{name} compared with the first");
    }
}

impl<K: Ord + Debug + Copy> VisitLog<K> {
    /// Asserts that another structure had the same visits in any order, each once. If the visitor
    /// broke, only their number must be equal.
    pub(crate) fn assert_set(&self, mut found: Vec<K>, flow: ControlFlow<usize>, name: &str) {
        self.assert_flow(flow, name);
        let mut visits = self.visits.clone();
        visits.sort_unstable();
        found.sort_unstable();
        if self.stopped {
            assert_eq!(found.len(), visits.len(), "{name} compared with the first");
        } else {
            assert_eq!(found, visits, "{name} compared with the first");
        }
        assert!(found.is_sorted_by(|a, b| a < b), "{name}: each visit once: {found:?}");
    }
}
