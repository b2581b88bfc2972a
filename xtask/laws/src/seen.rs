//! What a visitor saw of one structure, to compare with what others find.

use core::fmt::Debug;
use core::ops::ControlFlow;

use broadphase_core::Flow;

/// What a visitor saw of the first, and its last answer.
pub(crate) struct Seen<K, R> {
    all: Vec<K>,
    answer: R,
}

impl<K: PartialEq + Debug, R: Flow> Seen<K, R> {
    pub(crate) const fn new() -> Self {
        Self { all: Vec::new(), answer: R::CONTINUE }
    }

    /// It saw this, and answered that: what the structure is told.
    pub(crate) fn is(&mut self, one: K, answer: R) -> ControlFlow<usize> {
        self.all.push(one);
        self.answer = answer;
        self.flow(self.all.len())
    }

    /// What a structure is told that has shown so many.
    fn flow(&self, count: usize) -> ControlFlow<usize> {
        if self.answer.stops() && count == self.all.len() {
            ControlFlow::Break(count)
        } else {
            ControlFlow::Continue(())
        }
    }

    /// Another structure shows the same.
    pub(crate) fn again(&self, found: &mut Vec<K>, one: K) -> ControlFlow<usize> {
        found.push(one);
        self.flow(found.len())
    }

    /// What the visitor answered last.
    pub(crate) fn answer(self) -> R {
        self.answer
    }

    /// That a structure hands on what it was told last.
    pub(crate) fn check(&self, told: ControlFlow<usize>, who: &str) {
        assert_eq!(told, self.flow(self.all.len()), "{who}: the last answer comes back");
    }

    /// That another one found the same in the same order.
    pub(crate) fn check_list(&self, found: &[K], told: ControlFlow<usize>, who: &str) {
        self.check(told, who);
        assert_eq!(found, self.all, "{who} beside the first");
    }
}

impl<K: Ord + Debug + Copy, R: Flow> Seen<K, R> {
    /// That another one found the same in any order, or some of it if it was stopped, each once.
    pub(crate) fn check_set(&self, mut found: Vec<K>, told: ControlFlow<usize>, who: &str) {
        self.check(told, who);
        let mut all = self.all.clone();
        all.sort_unstable();
        found.sort_unstable();
        if self.answer.stops() {
            assert_eq!(found.len(), all.len(), "{who} beside the first");
        } else {
            assert_eq!(found, all, "{who} beside the first");
        }
        assert!(found.is_sorted_by(|a, b| a < b), "{who}: each once: {found:?}");
    }
}
