//! Pairs with handles, user data and filters.

use alloc::vec::Vec;
use core::fmt;
use core::iter::FusedIterator;
use core::slice::Iter;

use broadphase_core::{Filter, Flow, Pair};

use crate::Handle;
use crate::registry::{PastMember, Registry};
use crate::slots::PairMember;
use crate::users::UserTable;

/// A pair: two objects that overlap, began to overlap, or ceased to overlap.
///
/// ```
/// use hexphase::{Aabb, BroadPhase, Filter, Overlap};
///
/// let mut world: BroadPhase<f32, 2, char> = BroadPhase::new();
/// let a = world.insert(Aabb::point([0.0, 0.0]), 'a')?;
/// let b = world.insert(Aabb::point([0.0, 0.0]), 'b')?;
/// world.step();
/// let overlap = world.pairs().next().unwrap();
/// let filters = [Filter::ALL; 2];
/// assert_eq!(overlap, Overlap { handles: [a, b], users: ['a', 'b'], filters });
/// # Ok::<(), hexphase::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Overlap<U> {
    /// Handles: the lower slot first, unless [`Overlaps::between`] or [`Overlaps::of`] has ordered
    /// them.
    pub handles: [Handle; 2],
    /// User data, in the order of `handles`: the current user data of an object that exists, or the
    /// last user data of a removed object. This is so for current, began and ended pairs; in
    /// [`BroadPhase::step_where`] both objects exist.
    ///
    /// [`BroadPhase::step_where`]: crate::BroadPhase::step_where
    pub users: [U; 2],
    /// Filters at the step that found the pair, in the order of `handles`.
    pub filters: [Filter; 2],
}

impl<U> Overlap<U> {
    pub(crate) fn of([a, b]: [PairMember; 2], users: [U; 2]) -> Self {
        Self { handles: [a.handle, b.handle], filters: [a.filter, b.filter], users }
    }
}

impl<U> Overlap<U> {
    /// Returns the pair with its objects exchanged.
    pub(crate) fn swapped(self) -> Self {
        let ([a, b], [s, t], [f, g]) = (self.handles, self.users, self.filters);
        Self { handles: [b, a], users: [t, s], filters: [g, f] }
    }
}

/// An iterator over the current, began or ended pairs of the last step, ascending by slots.
/// [`between`](Self::between) selects and orders the pairs of two sets of layers, and
/// [`of`](Self::of) those of one object.
///
/// ```
/// use hexphase::{Aabb, BroadPhase};
///
/// let mut world: BroadPhase<f32, 2, u32> = BroadPhase::new();
/// for user in 0..3 {
///     world.insert(Aabb::point([0.0, 0.0]), user)?;
/// }
/// world.step();
/// assert_eq!(world.pairs().len(), 3);
/// assert!(world.pairs().map(|overlap| overlap.users).eq([[0, 1], [0, 2], [1, 2]]));
/// # Ok::<(), hexphase::Error>(())
/// ```
pub struct Overlaps<'a, U> {
    pairs: Iter<'a, Pair>,
    /// For ended pairs: the members that had been removed, or had got another filter, before the
    /// last step.
    past: Option<&'a [PastMember]>,
    registry: &'a Registry,
    users: &'a UserTable<U>,
}

impl<'a, U: Copy> Overlaps<'a, U> {
    pub(crate) fn of_pairs(
        pairs: &'a [Pair],
        registry: &'a Registry,
        users: &'a UserTable<U>,
    ) -> Self {
        Self { pairs: pairs.iter(), past: None, registry, users }
    }

    pub(crate) fn of_ended(registry: &'a Registry, users: &'a UserTable<U>) -> Self {
        let (pairs, past) = (registry.ended.iter(), Some(&*registry.ended_past));
        Self { pairs, past, registry, users }
    }

    /// Returns the objects and user data of an ended pair, the last one that was returned from
    /// `self.pairs`.
    fn ended(&mut self, pair: Pair, mut past: &'a [PastMember]) -> ([PairMember; 2], [&'a U; 2]) {
        let Self { registry, users, .. } = *self;
        let index = registry.ended.len() - self.pairs.len() - 1;
        let members = [0, 1].map(|which| {
            let slot = pair[which];
            let of_now = || users.one_at_last_step(registry, slot);
            match past.split_first() {
                Some((first, rest)) if (first.pair, first.which) == (index, which) => {
                    past = rest;
                    (first.member, first.user.map_or_else(of_now, |place| &users.ended[place]))
                }
                _ => (registry.slots.at_last_step(slot, &registry.filters), of_now()),
            }
        });
        self.past = Some(past);
        (members.map(|member| member.0), members.map(|member| member.1))
    }

    /// Calls `visit` with the handles and the user data of each pair, in order, until stopped.
    ///
    /// Faster than iterating if user data is larger than a few numbers: nothing is copied.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase};
    ///
    /// let mut world: BroadPhase<f32, 2, [u64; 8]> = BroadPhase::new();
    /// for n in 0..3 {
    ///     world.insert(Aabb::point([0.0, 0.0]), [n; 8])?;
    /// }
    /// world.step();
    /// let mut sums = Vec::new();
    /// world.pairs().visit(|_, [a, b]| sums.push(a[7] + b[7]));
    /// assert_eq!(sums, [1, 2, 3]);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn visit<R: Flow>(mut self, mut visit: impl FnMut([Handle; 2], [&U; 2]) -> R) -> R {
        let Self { registry, users, .. } = self;
        while let Some(&pair) = self.pairs.next() {
            let flow = if let Some(past) = self.past {
                let (members, users) = self.ended(pair, past);
                visit(members.map(|member| member.handle), users)
            } else {
                let handles = pair.map(|slot| registry.slots.handle_at_last_step(slot));
                visit(handles, pair.map(|slot| users.one_at_last_step(registry, slot)))
            };
            if flow.stops() {
                return flow;
            }
        }
        R::CONTINUE
    }

    /// Returns the pairs of an object in a layer of `first` with an object in a layer of `second`,
    /// in that order, or by slot if both orders match. The layers are those of
    /// [`Overlap::filters`].
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase, Filter, Object};
    ///
    /// const ROCK: u64 = 1;
    /// const SHOT: u64 = 2;
    /// let mut world: BroadPhase<f32, 2, &str> = BroadPhase::new();
    /// for (name, layer) in [("small rock", ROCK), ("shot", SHOT), ("large rock", ROCK)] {
    ///     let at = Aabb::of_ball([0.0, 0.0], 1.0);
    ///     world.insert_object(Object::new(at, name).filter(Filter::layers(layer)))?;
    /// }
    /// world.step();
    /// let hits: Vec<_> = world.began().between(SHOT, ROCK).map(|hit| hit.users).collect();
    /// assert_eq!(hits, [["shot", "small rock"], ["shot", "large rock"]]);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn between(self, first: u64, second: u64) -> impl Iterator<Item = Overlap<U>> + Clone {
        self.filter_map(move |overlap| {
            let [a, b] = overlap.filters.map(|filter| filter.layers);
            if a & first != 0 && b & second != 0 {
                Some(overlap)
            } else if b & first != 0 && a & second != 0 {
                Some(overlap.swapped())
            } else {
                None
            }
        })
    }

    /// Returns the pairs of one object, which is first, ascending by the slot of the other object.
    ///
    /// Pairs with objects in higher slots are adjacent and found by binary search; for others, the
    /// pairs of all lower slots are read, less than a nanosecond each. For many objects, iterate
    /// over all pairs once instead.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase};
    ///
    /// let mut world: BroadPhase<f32, 2, &str> = BroadPhase::new();
    /// let [_, ship, _] = [("rock", 0.0), ("ship", 1.0), ("shot", 2.0)]
    ///     .map(|(name, x)| world.insert(Aabb::of_ball([x, 0.0], 0.5), name).unwrap());
    /// world.step();
    /// let touched: Vec<_> = world.began().of(ship).map(|pair| pair.users).collect();
    /// assert_eq!(touched, [["ship", "rock"], ["ship", "shot"]]);
    /// ```
    pub fn of(self, object: Handle) -> impl Iterator<Item = Overlap<U>> + Clone {
        let pairs = PairsOf::new(self.pairs.as_slice(), object.index());
        let (mut overlaps, mut taken) = (self, 0);
        let found = pairs.filter_map(move |index| {
            let overlap = overlaps.nth(index - taken)?;
            taken = index + 1;
            Some(if overlap.handles[0] == object { overlap } else { overlap.swapped() })
        });
        // The slot may have had another object at the step.
        found.filter(move |overlap| overlap.handles[0] == object)
    }

    /// Writes the pairs into `out`, ordered by keys that the caller computes from user data: in
    /// each pair the object with the smaller key comes first; pairs ascend by key; equal keys are
    /// ordered by handle.
    ///
    /// Slots, and so the order by handle, depend on earlier insertions and removals. Machines with
    /// the same objects get equal lists if they sort by unique keys in the user data. Takes O(n log
    /// n) time for n pairs.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase};
    ///
    /// let mut world: BroadPhase<f32, 2, u64> = BroadPhase::new();
    /// for id in [30, 20, 10] {
    ///     world.insert(Aabb::point([0.0, 0.0]), id)?;
    /// }
    /// world.step();
    /// let mut sorted = Vec::new();
    /// world.pairs().by_key(|&id| id, &mut sorted);
    /// let ids: Vec<_> = sorted.iter().map(|overlap| overlap.users).collect();
    /// assert_eq!(ids, [[10, 20], [10, 30], [20, 30]]);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn by_key(self, key: impl Fn(&U) -> u64, out: &mut Vec<Overlap<U>>) {
        let place = |overlap: &Overlap<U>, which: usize| {
            (key(&overlap.users[which]), overlap.handles[which])
        };
        out.clear();
        out.extend(self.map(|overlap| {
            if place(&overlap, 1) < place(&overlap, 0) { overlap.swapped() } else { overlap }
        }));
        out.sort_unstable_by_key(|overlap| (place(overlap, 0), place(overlap, 1)));
    }
}

impl<U: Copy> Iterator for Overlaps<'_, U> {
    type Item = Overlap<U>;

    #[inline]
    fn next(&mut self) -> Option<Overlap<U>> {
        let pair = *self.pairs.next()?;
        if let Some(past) = self.past {
            let (members, users) = self.ended(pair, past);
            return Some(Overlap::of(members, users.map(|&user| user)));
        }
        let users = self.users.at_last_step(self.registry, pair);
        Some(Overlap::of(self.registry.pair_at_last_step(pair), users))
    }

    fn nth(&mut self, n: usize) -> Option<Overlap<U>> {
        self.pairs = self.pairs.as_slice().get(n..).unwrap_or_default().iter();
        if let Some(past) = self.past {
            let index = self.registry.ended.len() - self.pairs.len();
            self.past = Some(&past[past.partition_point(|member| member.pair < index)..]);
        }
        self.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.pairs.size_hint()
    }
}

impl<U: Copy> ExactSizeIterator for Overlaps<'_, U> {}
impl<U: Copy> FusedIterator for Overlaps<'_, U> {}

impl<U> Clone for Overlaps<'_, U> {
    fn clone(&self) -> Self {
        Self { pairs: self.pairs.clone(), ..*self }
    }
}

/// The indices of the pairs with a slot in a sorted list, ascending. Not generic: compiled in this
/// crate.
#[derive(Clone)]
struct PairsOf<'a> {
    pairs: &'a [Pair],
    slot: u32,
    /// Index of the first pair whose first slot is `slot` or higher.
    first: usize,
    /// Index of the first pair not yet read.
    next: usize,
}

impl<'a> PairsOf<'a> {
    #[inline(never)]
    fn new(pairs: &'a [Pair], slot: u32) -> Self {
        let first = pairs.partition_point(|pair| pair[0] < slot);
        Self { pairs, slot, first, next: 0 }
    }
}

impl Iterator for PairsOf<'_> {
    type Item = usize;

    #[inline(never)]
    fn next(&mut self) -> Option<usize> {
        let Self { pairs, slot, first, next } = *self;
        let lower = pairs[next.min(first)..first].iter().position(|pair| pair[1] == slot);
        let index = lower.map_or(next.max(first), |at| next + at);
        self.next = index + 1;
        (lower.is_some() || pairs.get(index)?[0] == slot).then_some(index)
    }
}

impl<U: Copy + fmt::Debug> fmt::Debug for Overlaps<'_, U> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}
