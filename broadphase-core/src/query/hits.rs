//! Hits of one step of a search, and their order.
//!
//! Searches (casts and nearest) proceed in steps: segments of a path or shells around a target.
//! Each step collects objects, sorts them and passes them to the visitor; the next step runs only
//! if the visitor continues.

use alloc::vec::Vec;
use core::cmp::Ordering;
use core::hint::select_unpredictable;
use core::ops::ControlFlow;

use bounds_hexprism::Scalar;

/// Object found by a search.
#[derive(Clone, Copy, Debug)]
pub struct Hit<S: Scalar> {
    /// Fraction of the path, or squared distance from the target.
    pub number: S::Real,
    /// Key of the object; hits with equal numbers are sorted by key.
    pub key: u32,
    /// Slot of the object in the structure.
    pub slot: u32,
}

/// Receives the hits in order, until it returns `Break`.
pub type VisitHit<'a, S> = dyn FnMut(&Hit<S>) -> ControlFlow<()> + 'a;

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
    /// Number of objects tested in this step.
    seen: usize,
    /// Maximum number of objects to test in this step.
    max_seen: usize,
    /// Cost that may still be spent on steps. When it is used up, one last step finishes the
    /// search, which thus costs little more than testing every object.
    budget: usize,
}

impl<S: Scalar> Hits<S> {
    pub(super) const fn new(objects: usize) -> Self {
        let none = Hit { number: S::Real::ZERO, key: 0, slot: 0 };
        let budget = objects.saturating_mul(4) + 64;
        Self { inline: [none; INLINE_HITS], len: 0, heap: Vec::new(), seen: 0, max_seen: 0, budget }
    }

    /// Begins a step that tests at most `max_seen` objects.
    pub(super) fn begin(&mut self, max_seen: usize) {
        self.heap.clear();
        (self.len, self.seen, self.max_seen) = (0, 0, max_seen);
    }

    /// Tests an object: it is a hit if `number` returns its fraction or squared distance. Breaks if
    /// the step exceeds its maximum number of objects; a step with a smaller area then follows.
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
            // Branch-free, because hits are unpredictable: always write, but advance only for a
            // hit.
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

    /// Subtracts from the budget the number of objects that the structure inspected without
    /// [`see`](Self::see).
    #[inline]
    pub const fn look(&mut self, objects: usize) {
        self.budget = self.budget.saturating_sub(objects);
    }

    /// Returns whether the hits are complete: the maximum number of objects was not exceeded.
    pub(super) const fn are_all(&self) -> bool {
        self.seen <= self.max_seen
    }

    /// Returns the number of objects tested in this step.
    pub(super) const fn seen(&self) -> usize {
        self.seen
    }

    pub(super) const fn len(&self) -> usize {
        self.len
    }

    /// Subtracts the cost of the step from the budget: the objects tested, plus `more`.
    pub(super) const fn spend(&mut self, more: usize) {
        self.budget = self.budget.saturating_sub(self.seen.saturating_add(more));
    }

    /// Returns whether budget is left; if not, the next step must cover the rest of the search.
    pub(super) const fn has_budget(&self) -> bool {
        self.budget > 0
    }

    #[inline]
    fn all(&mut self) -> &mut [Hit<S>] {
        let Self { inline, len, heap, .. } = self;
        if *len > INLINE_HITS { &mut heap[..] } else { &mut inline[..*len] }
    }

    pub(super) fn has_negative(&mut self) -> bool {
        self.all().iter().any(|hit| hit.number < S::Real::ZERO)
    }

    /// Visits the hits ascending by number, then by key, until the visitor stops.
    pub(super) fn in_order(&mut self, visit: &mut VisitHit<'_, S>) -> ControlFlow<()> {
        let hits = self.all();
        // Visit the first hit before sorting: many visitors stop after it.
        let mut nearest = 0;
        for index in 1..hits.len() {
            let is_nearer = precedes(&hits[index], &hits[nearest]);
            nearest = select_unpredictable(is_nearer, index, nearest);
        }
        if nearest > 0 {
            hits.swap(0, nearest);
        }
        let Some((first, others)) = hits.split_first_mut() else {
            return ControlFlow::Continue(());
        };
        visit(first)?;
        // Sort the others in parts of increasing length: most visitors stop after a few.
        let (mut rest, mut len) = (others, 16);
        while !rest.is_empty() {
            let count = sort_first(rest, len);
            let (part, later) = rest.split_at_mut(count);
            part.iter().try_for_each(&mut *visit)?;
            (rest, len) = (later, len * 8);
        }
        ControlFlow::Continue(())
    }
}

/// Moves the first `count` hits, or all if fewer, to the front and sorts them; returns their
/// number. Rejected: counting the predecessors of each; it has as many mispredictions.
fn sort_first<S: Scalar>(hits: &mut [Hit<S>], count: usize) -> usize {
    let count = count.min(hits.len());
    if count < hits.len() {
        hits.select_nth_unstable_by(count, compare);
    }
    hits[..count].sort_unstable_by(compare);
    count
}

pub(crate) fn compare<S: Scalar>(a: &Hit<S>, b: &Hit<S>) -> Ordering {
    let order = a.number.partial_cmp(&b.number).unwrap_or(Ordering::Equal);
    order.then(a.key.cmp(&b.key))
}

#[inline(always)]
fn precedes<S: Scalar>(a: &Hit<S>, b: &Hit<S>) -> bool {
    (a.number < b.number) | ((a.number == b.number) & (a.key < b.key))
}
