//! Pairs with handles, user data and filters.

use alloc::vec::Vec;
use core::fmt;
use core::iter::FusedIterator;
use core::slice::Iter;

use broadphase_core::{Filter, Flow, Pair};

use crate::Handle;
use crate::registry::{PastMember, Registry};
use crate::slots::PairMember;
use crate::users::UserData;

/// A pair: two objects that overlap, began to overlap, or ceased to overlap.
///
/// ```
/// use hexphase::{Aabb, BroadPhase, Filter, Overlap};
///
/// let mut world: BroadPhase<f32, 1, char> = BroadPhase::new();
/// let handles = ['a', 'b'].map(|name| world.insert(Aabb::point([0.0]), name).unwrap());
/// world.step();
/// let overlap = world.pairs().next().unwrap();
/// assert_eq!(overlap, Overlap { handles, users: ['a', 'b'], filters: [Filter::ALL; 2] });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Overlap<U> {
    /// Handles, the object in the lower slot first.
    pub handles: [Handle; 2],
    /// User data, in the order of `handles`: the current user data of an object that exists, also
    /// if they were changed after the step, and the last user data of a removed object. This is so
    /// for current, began and ended pairs; in [`BroadPhase::step_where`] both objects exist.
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
///
/// ```
/// # use hexphase::{Aabb, BroadPhase};
/// let mut world: BroadPhase<f32, 1, u32> = BroadPhase::new();
/// for user in 0..3 {
///     world.insert(Aabb::point([0.0]), user)?;
/// }
/// world.step();
/// assert_eq!(world.pairs().len(), 3);
/// assert!(world.pairs().map(|overlap| overlap.users).eq([[0, 1], [0, 2], [1, 2]]));
/// # Ok::<(), hexphase::Error>(())
/// ```
pub struct Overlaps<'a, U> {
    pairs: Iter<'a, Pair>,
    /// For ended pairs: the members that had been removed, or had got another filter, before the
    /// last step. All other members still exist, or were removed since the last step and are kept
    /// until the next one.
    past: Option<&'a [PastMember]>,
    registry: &'a Registry,
    users: &'a UserData<U>,
}

impl<'a, U: Copy> Overlaps<'a, U> {
    pub(crate) fn of_pairs(
        pairs: &'a [Pair],
        registry: &'a Registry,
        users: &'a UserData<U>,
    ) -> Self {
        Self { pairs: pairs.iter(), past: None, registry, users }
    }

    pub(crate) fn of_ended(registry: &'a Registry, users: &'a UserData<U>) -> Self {
        let (pairs, past) = (registry.ended.iter(), Some(&*registry.ended_past));
        Self { pairs, past, registry, users }
    }

    /// Returns the objects and user data of the ended pair that was just taken from `self.pairs`.
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

    /// Calls `visit` with the handles and the user data of each pair, in order, until it stops.
    ///
    /// Equivalent to iterating, but user data and filters are not copied: faster if user data is
    /// larger than a few numbers.
    ///
    /// ```
    /// # use hexphase::{Aabb, BroadPhase};
    /// let mut world: BroadPhase<f32, 1, [u64; 8]> = BroadPhase::new();
    /// for n in 0..3 {
    ///     world.insert(Aabb::point([0.0]), [n; 8])?;
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

    /// Writes the pairs into `out`, ordered by keys that the caller computes from user data. In
    /// each pair the object with the smaller key comes first; pairs ascend by key; equal keys are
    /// ordered by handle. Previous contents of `out` are replaced.
    ///
    /// Slots, and so the order by handle, depend on the order of insertions and removals. Machines
    /// that hold the same objects but inserted them in different orders get equal lists if they
    /// sort by unique keys stored in the user data.
    ///
    /// Takes O(n log n) time for n pairs.
    ///
    /// ```
    /// # use hexphase::{Aabb, BroadPhase};
    /// let mut world: BroadPhase<f32, 1, u64> = BroadPhase::new();
    /// for id in [30, 20, 10] {
    ///     world.insert(Aabb::point([0.0]), id)?;
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

impl<U: Copy + fmt::Debug> fmt::Debug for Overlaps<'_, U> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}
