//! What one step of a search found, to be put in order.

use alloc::vec::Vec;
use core::cmp::Ordering;
use core::hint::select_unpredictable;
use core::ops::ControlFlow;

use bounds_hexprism::{Flow, Scalar};

/// An object that was found.
#[derive(Clone, Copy, Debug)]
pub struct Hit<S: Scalar> {
    /// Its fraction or squared distance.
    pub number: S::Real,
    /// Its key, which decides between equal numbers.
    pub key: u32,
    /// Where the structure has it, if it said so.
    pub slot: u32,
}

/// Receives hits in their order; breaks if the caller wants no more.
pub(super) type Show<'a, S> = dyn FnMut(&Hit<S>) -> ControlFlow<()> + 'a;

/// So many hits need no memory of their own.
const FEW: usize = 12;

/// The hits of one step, and how much was looked at.
#[derive(Clone, Debug)]
pub struct Hits<S: Scalar> {
    /// As long as there are few.
    few: [Hit<S>; FEW],
    len: usize,
    /// All of them, if there are more.
    many: Vec<Hit<S>>,
    /// How many objects were seen in this step.
    seen: usize,
    /// How many may be.
    most: usize,
    /// How many may yet be seen before the search goes on in one step: one that looks at boxes
    /// should not see much more than one that looks at everything.
    budget: usize,
}

impl<S: Scalar> Hits<S> {
    pub(crate) const fn new(objects: usize) -> Self {
        let none = Hit { number: S::Real::ZERO, key: 0, slot: 0 };
        let budget = objects.saturating_mul(4) + 64;
        Self { few: [none; FEW], len: 0, many: Vec::new(), seen: 0, most: 0, budget }
    }

    /// Begins a step in which at most so many objects are to be seen.
    pub(crate) fn begin(&mut self, most: usize) {
        self.many.clear();
        (self.len, self.seen, self.most) = (0, 0, most);
    }

    /// Sees an object, which is a hit if it has a number. Breaks when there are too many for one
    /// step: then nothing more need be seen.
    #[inline(always)]
    pub fn see(
        &mut self,
        key: u32,
        slot: u32,
        number: impl FnOnce() -> Option<S::Real>,
    ) -> ControlFlow<()> {
        self.seen += 1;
        if self.seen > self.most {
            return ControlFlow::Break(());
        }
        let number = number();
        let hit = Hit { number: number.unwrap_or_default(), key, slot };
        if self.len < FEW {
            // Nobody can guess whether it is one: so no branch depends on it.
            self.few[self.len] = hit;
            self.len += usize::from(number.is_some());
        } else if number.is_some() {
            self.push_beyond(hit);
        }
        ControlFlow::Continue(())
    }

    #[cold]
    fn push_beyond(&mut self, hit: Hit<S>) {
        if self.len == FEW {
            self.many.extend_from_slice(&self.few);
        }
        self.many.push(hit);
        self.len += 1;
    }

    /// Counts objects that were looked at, if only to find that they need not be seen: a search that
    /// looks at too many goes on in one step.
    #[inline]
    pub const fn look(&mut self, objects: usize) {
        self.budget = self.budget.saturating_sub(objects);
    }

    /// Whether there were not too many.
    #[inline]
    #[must_use]
    pub const fn are_all(&self) -> bool {
        self.seen <= self.most
    }

    /// How many objects were seen.
    pub(crate) const fn seen(&self) -> usize {
        self.seen
    }

    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    /// Counts what the step cost.
    pub(crate) const fn pay(&mut self, more: usize) {
        self.budget = self.budget.saturating_sub(self.seen.saturating_add(more));
    }

    /// Whether another step may be taken that does not see everything that is left.
    pub(crate) const fn may_go_on(&self) -> bool {
        self.budget > 0
    }

    /// Visits the hits, ascending by number, then by key, until the visitor stops.
    #[inline]
    pub fn in_order<R: Flow>(&mut self, mut visit: impl FnMut(&Hit<S>) -> R) -> R {
        let Self { few, len, many, .. } = self;
        let hits = if *len > FEW { &mut many[..] } else { &mut few[..*len] };
        // Who wants the first alone need not wait until the others are in order.
        let mut nearest = 0;
        for place in 1..hits.len() {
            let is_nearer = precedes(&hits[place], &hits[nearest]);
            nearest = select_unpredictable(is_nearer, place, nearest);
        }
        if nearest > 0 {
            hits.swap(0, nearest);
        }
        let Some((first, others)) = hits.split_first_mut() else { return R::CONTINUE };
        let answer = visit(first);
        if answer.stops() {
            return answer;
        }
        sort(others);
        for hit in others {
            let answer = visit(hit);
            if answer.stops() {
                return answer;
            }
        }
        R::CONTINUE
    }
}

/// Not where visitors are known: a sort is much code to have once for each. To count for each of a
/// few hits how many come before it took more instructions, and guessed wrong as often.
fn sort<S: Scalar>(hits: &mut [Hit<S>]) {
    hits.sort_unstable_by(|a, b| {
        let order = a.number.partial_cmp(&b.number).unwrap_or(Ordering::Equal);
        order.then(a.key.cmp(&b.key))
    });
}

/// Whether a hit comes before another one.
#[inline(always)]
fn precedes<S: Scalar>(a: &Hit<S>, b: &Hit<S>) -> bool {
    (a.number < b.number) | ((a.number == b.number) & (a.key < b.key))
}
