//! Hits of one step of a search, and their order.
//!
//! Searches (casts and nearest) proceed in steps: segments of a path or shells around a target.
//! Each step collects the objects it finds, sorts them and passes them to the visitor, so steps
//! farther away run only if the visitor continues.

use alloc::vec::Vec;
use core::cmp::Ordering;
use core::hint::select_unpredictable;
use core::ops::ControlFlow;

use bounds_hexprism::{Flow, Scalar};

/// Object found by a search.
#[derive(Clone, Copy, Debug)]
pub struct Hit<S: Scalar> {
    /// Fraction of the path, or squared distance from the target.
    pub number: S::Real,
    /// Key of the object; hits with equal numbers are sorted by key.
    pub key: u32,
    /// Slot of the object in the structure, as passed to [`Hits::see`].
    pub slot: u32,
}

/// Callback that receives the hits in order; returns `Break` to end the search.
pub(super) type Visitor<'a, S> = dyn FnMut(&Hit<S>) -> ControlFlow<()> + 'a;

/// Runs a search with a visitor that passes hits to `show` until `show` stops; returns the result
/// with which it stopped, else [`Flow::CONTINUE`].
#[inline]
pub(super) fn show_until_stopped<S: Scalar, R: Flow>(
    mut show: impl FnMut(&Hit<S>) -> R,
    search: impl FnOnce(&mut Visitor<'_, S>),
) -> R {
    let mut last = R::CONTINUE;
    search(&mut |hit| {
        let flow = show(hit);
        if flow.stops() {
            last = flow;
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    });
    last
}

/// Number of hits stored without allocation.
const INLINE_HITS: usize = 12;

/// Collector of the hits of one step, with the cost of the search.
#[derive(Clone, Debug)]
pub struct Hits<S: Scalar> {
    /// The first `INLINE_HITS` hits.
    inline: [Hit<S>; INLINE_HITS],
    len: usize,
    /// All hits, if there are more than `INLINE_HITS`.
    heap: Vec<Hit<S>>,
    /// Whether `sort_and_map` has sorted the hits; their numbers alone no longer give the order.
    is_sorted: bool,
    /// Number of objects tested in this step.
    seen: usize,
    /// Maximum number of objects to test in this step.
    max_seen: usize,
    /// Cost that may still be spent on steps. When it is used up, the search finishes in one last
    /// step: a search by steps should not cost much more than a test of every object.
    budget: usize,
}

impl<S: Scalar> Hits<S> {
    pub(crate) const fn new(objects: usize) -> Self {
        let none = Hit { number: S::Real::ZERO, key: 0, slot: 0 };
        let budget = objects.saturating_mul(4) + 64;
        Self {
            inline: [none; INLINE_HITS],
            len: 0,
            heap: Vec::new(),
            is_sorted: false,
            seen: 0,
            max_seen: 0,
            budget,
        }
    }

    /// Begins a step that tests at most `max_seen` objects.
    pub(crate) fn begin(&mut self, max_seen: usize) {
        self.heap.clear();
        (self.len, self.is_sorted, self.seen, self.max_seen) = (0, false, 0, max_seen);
    }

    /// Tests an object: it is a hit if `number` returns its fraction or squared distance. Breaks if
    /// the step exceeds its maximum number of objects; the step is then repeated with a smaller
    /// area.
    #[inline(always)]
    pub fn see(
        &mut self,
        key: u32,
        slot: u32,
        number: impl FnOnce() -> Option<S::Real>,
    ) -> ControlFlow<()> {
        self.seen += 1;
        if self.seen > self.max_seen {
            return ControlFlow::Break(());
        }
        let number = number();
        let hit = Hit { number: number.unwrap_or_default(), key, slot };
        if self.len < INLINE_HITS {
            // The code is branch-free, because hits are unpredictable: always write, and advance
            // the length only for a hit.
            self.inline[self.len] = hit;
            self.len += usize::from(number.is_some());
        } else if number.is_some() {
            self.push_to_heap(hit);
        }
        ControlFlow::Continue(())
    }

    #[cold]
    fn push_to_heap(&mut self, hit: Hit<S>) {
        if self.len == INLINE_HITS {
            self.heap.extend_from_slice(&self.inline);
        }
        self.heap.push(hit);
        self.len += 1;
    }

    /// Subtracts from the budget of the search the number of objects that the structure has
    /// inspected without calling [`see`](Self::see).
    #[inline]
    pub const fn look(&mut self, objects: usize) {
        self.budget = self.budget.saturating_sub(objects);
    }

    /// Returns whether the hits of the step are complete; `false` if the step exceeded its maximum
    /// number of objects.
    #[inline]
    #[must_use]
    pub const fn are_all(&self) -> bool {
        self.seen <= self.max_seen
    }

    /// Returns the number of objects tested in this step.
    pub(crate) const fn seen(&self) -> usize {
        self.seen
    }

    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    /// Subtracts the cost of the current step from the budget of the search: the number of objects
    /// tested in the step, plus `more`.
    pub(crate) const fn spend(&mut self, more: usize) {
        self.budget = self.budget.saturating_sub(self.seen.saturating_add(more));
    }

    /// Returns whether budget is left; if not, the next step must cover the whole rest of the
    /// search.
    pub(crate) const fn has_budget(&self) -> bool {
        self.budget > 0
    }

    /// Returns the hits of the step, in any order.
    #[inline]
    fn all(&mut self) -> &mut [Hit<S>] {
        let Self { inline, len, heap, .. } = self;
        if *len > INLINE_HITS { &mut heap[..] } else { &mut inline[..*len] }
    }

    /// Returns whether a hit has a negative number.
    pub(super) fn has_negative(&mut self) -> bool {
        self.all().iter().any(|hit| hit.number < S::Real::ZERO)
    }

    /// Sorts the hits by number, then by key, and replaces each number `n` with `number(n)`.
    /// `number` must not reverse the order, but may map several numbers to one.
    pub(super) fn sort_and_map(&mut self, number: impl Fn(S::Real) -> S::Real) {
        sort(self.all());
        self.all().iter_mut().for_each(|hit| hit.number = number(hit.number));
        self.is_sorted = true;
    }

    /// Visits the hits ascending by number, then by key, until the visitor stops.
    #[inline]
    pub fn in_order<R: Flow>(&mut self, mut visit: impl FnMut(&Hit<S>) -> R) -> R {
        let is_sorted = self.is_sorted;
        let hits = self.all();
        // Find the first hit and visit it before sorting: many visitors stop after it.
        let mut nearest = 0;
        if !is_sorted {
            for index in 1..hits.len() {
                let is_nearer = precedes(&hits[index], &hits[nearest]);
                nearest = select_unpredictable(is_nearer, index, nearest);
            }
        }
        if nearest > 0 {
            hits.swap(0, nearest);
        }
        let Some((first, others)) = hits.split_first_mut() else { return R::CONTINUE };
        let flow = visit(first);
        if flow.stops() {
            return flow;
        }
        // Sort the others in parts of increasing length: most visitors stop after a few.
        let (mut rest, mut len) = (others, 16);
        while !rest.is_empty() {
            let count = if is_sorted { rest.len() } else { sort_first(rest, len) };
            let (part, later) = rest.split_at_mut(count);
            for hit in part {
                let flow = visit(hit);
                if flow.stops() {
                    return flow;
                }
            }
            (rest, len) = (later, len * 8);
        }
        R::CONTINUE
    }
}

/// Sorts hits. The function is not generic in the visitor, so that the sort is compiled once per
/// number type. Rejected: for few hits, counting the predecessors of each; it takes more
/// instructions and has as many mispredictions.
fn sort<S: Scalar>(hits: &mut [Hit<S>]) {
    hits.sort_unstable_by(compare);
}

/// Moves the first `count` hits to the front and sorts them. Returns their number, which is smaller
/// than `count` if there are fewer hits.
fn sort_first<S: Scalar>(hits: &mut [Hit<S>], count: usize) -> usize {
    let count = count.min(hits.len());
    if count < hits.len() {
        hits.select_nth_unstable_by(count, compare);
    }
    sort(&mut hits[..count]);
    count
}

/// Compares hits by number, then by key.
pub(crate) fn compare<S: Scalar>(a: &Hit<S>, b: &Hit<S>) -> Ordering {
    let order = a.number.partial_cmp(&b.number).unwrap_or(Ordering::Equal);
    order.then(a.key.cmp(&b.key))
}

/// Returns whether `a` comes before `b`.
#[inline(always)]
fn precedes<S: Scalar>(a: &Hit<S>, b: &Hit<S>) -> bool {
    (a.number < b.number) | ((a.number == b.number) & (a.key < b.key))
}
