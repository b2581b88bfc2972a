//! Steps: pairs found, and compared with those of the step before.

use bounds_hexprism::Bounds;
use broadphase_core::{Pair, Scalar};

use super::{BroadPhase, volume};
use crate::events;
use crate::{Overlap, Overlaps};

impl<S: Scalar, const D: usize, U: Copy + Send + Sync, B: Bounds<S, D>> BroadPhase<S, D, U, B> {
    /// Finds all pairs, and which of them began or ended since the last step: pairs are two objects
    /// that overlap, whose filters agree, and that are not both static.
    ///
    /// What began and ended is there until the next step, and no longer after a
    /// [`restore`](Self::restore): it is best read in the tick of the step.
    ///
    /// ```
    /// # use hexphase::{Aabb, BroadPhase};
    /// let mut world: BroadPhase<f32, 2, &str> = BroadPhase::new();
    /// let ship = world.insert(Aabb::of_ball([0.0, 0.0], 2.0), "ship")?;
    /// world.insert(Aabb::around([3.0, 0.0], [2.0, 1.0]), "rock")?;
    /// world.step();
    /// assert_eq!(world.began().next().unwrap().users, ["ship", "rock"]);
    /// world.remove(ship);
    /// world.step();
    /// assert_eq!(world.ended().next().unwrap().users, ["ship", "rock"]);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn step(&mut self) {
        self.take_step(|_| {});
    }

    /// The same, of those pairs alone that `accept` accepts, which is asked in their order. If it
    /// panics, there was no step: pairs and what began and ended are those of the last one; but
    /// without [`events`](crate::Options::events) there are no pairs until the next.
    ///
    /// ```
    /// # use hexphase::{Aabb, BroadPhase};
    /// let mut world: BroadPhase<f32, 1, u32> = BroadPhase::new();
    /// for team in [1, 1, 2] {
    ///     world.insert(Aabb::point([0.0]), team)?;
    /// }
    /// world.step_where(|overlap| overlap.users[0] != overlap.users[1]);
    /// assert_eq!(world.pairs().len(), 2);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn step_where(&mut self, mut accept: impl FnMut(&Overlap<U>) -> bool) {
        self.take_step(|world| {
            let Self { pairs, slots, filters, .. } = world;
            pairs.retain(|pair| {
                let now = pair.map(|index| slots.now(index, filters));
                accept(&Overlap::of(now))
            });
        });
    }

    /// The pairs of the last step, ascending by slots, the lower slot first.
    ///
    /// ```
    /// # use hexphase::{Aabb, BroadPhase};
    /// let mut world: BroadPhase<f32, 1, &str> = BroadPhase::new();
    /// let _ship = world.insert(Aabb::point([0.0]), "ship")?;
    /// world.insert(Aabb::point([0.0]), "rock")?;
    /// world.step();
    /// assert_eq!(world.pairs().next().unwrap().users, ["ship", "rock"]);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn pairs(&self) -> Overlaps<'_, U> {
        Overlaps::of_pairs(&self.pairs, &self.slots, &self.filters)
    }

    /// The pairs of the last step that were none in the step before, in the order of
    /// [`pairs`](Self::pairs).
    ///
    /// ```
    /// # use hexphase::{Aabb, BroadPhase};
    /// let mut world: BroadPhase<f32, 1, &str> = BroadPhase::new();
    /// let _ship = world.insert(Aabb::point([0.0]), "ship")?;
    /// world.insert(Aabb::point([0.0]), "rock")?;
    /// world.step();
    /// assert_eq!(world.began().len(), 1);
    /// world.step();
    /// assert_eq!((world.began().len(), world.pairs().len()), (0, 1));
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn began(&self) -> Overlaps<'_, U> {
        Overlaps::of_pairs(&self.began, &self.slots, &self.filters)
    }

    /// The pairs of the step before that were none in the last one, in the order of
    /// [`pairs`](Self::pairs): what moved apart, was removed, or has another filter. What was
    /// removed is shown as it was.
    ///
    /// ```
    /// # use hexphase::{Aabb, BroadPhase};
    /// let mut world: BroadPhase<f32, 1, &str> = BroadPhase::new();
    /// let ship = world.insert(Aabb::point([0.0]), "ship")?;
    /// world.insert(Aabb::point([0.0]), "rock")?;
    /// world.step();
    /// world.remove(ship);
    /// world.step();
    /// assert_eq!(world.ended().next().unwrap().users, ["ship", "rock"]);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn ended(&self) -> Overlaps<'_, U> {
        Overlaps::of_copies(&self.ended)
    }

    /// Finds the pairs of now, lets the caller strike out some, and compares them with those of the
    /// last step.
    fn take_step(&mut self, strike: impl FnOnce(&mut Self)) {
        self.choose();
        self.filters.prepare();
        self.exchange_pairs();
        let interrupted = Interrupted(self);
        interrupted.0.find();
        strike(interrupted.0);
        core::mem::forget(interrupted);
        self.compare();
    }

    /// Exchanges the pairs and those of the step before, if these are known.
    const fn exchange_pairs(&mut self) {
        if self.options.events {
            core::mem::swap(&mut self.pairs, &mut self.before);
        }
    }

    /// Puts the pairs of now in `pairs`.
    fn find(&mut self) {
        let Self { structure, swept, volumes, pairs, filters, .. } = self;
        swept.enlarge(&mut **structure, &self.options.sides);
        structure.pairs(filters, pairs);
        swept.restore_bounds(&mut **structure);
        if !volume::is_box::<S, D, B>() {
            pairs.retain(|&[a, b]| {
                let on_its_way = || swept.has_moved(a) || swept.has_moved(b);
                volumes[a as usize].overlaps(&volumes[b as usize]) || on_its_way()
            });
        }
    }

    /// Compares `pairs` with those of the last step; that one is past then.
    fn compare(&mut self) {
        let Self { slots, swept, filters, pairs, before, began, ended, gone, .. } = self;
        ended.clear();
        if self.options.events {
            let replaced = |pair: Pair| pair.iter().any(|&index| slots.is_replaced(index));
            let replaced: Option<&dyn Fn(Pair) -> bool> =
                if slots.any_replaced() { Some(&replaced) } else { None };
            events::compare(before, pairs, replaced, began, gone);
            let copies = gone
                .iter()
                .map(|pair| Overlap::of(pair.map(|index| slots.at_last_step(index, filters))));
            ended.extend(copies);
        }
        slots.step();
        swept.step();
    }
}

/// A world in the middle of a step, in which callers may panic; if nobody forgets this, that has
/// happened.
struct Interrupted<'a, S, const D: usize, U, B>(&'a mut BroadPhase<S, D, U, B>)
where
    S: Scalar,
    U: Copy + Send + Sync,
    B: Bounds<S, D>;

impl<S, const D: usize, U, B> Drop for Interrupted<'_, S, D, U, B>
where
    S: Scalar,
    U: Copy + Send + Sync,
    B: Bounds<S, D>,
{
    /// Takes the step back.
    #[cold]
    fn drop(&mut self) {
        self.0.pairs.clear();
        self.0.exchange_pairs();
    }
}
