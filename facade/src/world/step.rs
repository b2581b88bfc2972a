//! Steps: pairs found, and compared with those of the step before.

use bounds_hexprism::Bounds;
use broadphase_core::Scalar;

use super::BroadPhase;
use crate::registry::{Registry, UnwindGuard};
use crate::users::Users;
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
        self.take_step(|_, _| ());
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
        self.take_step(|registry, users| {
            let mut pairs = core::mem::take(&mut registry.pairs);
            pairs.retain(|&[a, b]| {
                let users = [users.now[a as usize], users.now[b as usize]];
                accept(&Overlap::of(registry.pair_now([a, b]), users))
            });
            registry.pairs = pairs;
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
        Overlaps::of_pairs(&self.registry.pairs, &self.registry, &self.users)
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
        Overlaps::of_pairs(&self.registry.began, &self.registry, &self.users)
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
        Overlaps::of_copies(&self.registry.ended_members, &self.ended)
    }

    /// Finds the pairs of now, lets the caller remove some, and compares them with those of the last
    /// step.
    fn take_step(&mut self, remove: impl FnOnce(&mut Registry, &Users<U>)) {
        let Self { engine, registry, users, volumes, ended } = self;
        engine.find_pairs(registry);
        let guard = UnwindGuard(registry);
        if !B::IS_BOX {
            guard.0.pairs.retain(|&[a, b]| {
                let on_its_way = || engine.has_moved(a) || engine.has_moved(b);
                volumes[a as usize].overlaps(&volumes[b as usize]) || on_its_way()
            });
        }
        remove(guard.0, users);
        core::mem::forget(guard);
        registry.complete_step();
        ended.clear();
        let mut pair = 0;
        while pair < registry.ended.len() {
            let [a, b] = registry.ended[pair];
            ended.push([users.now[a as usize], users.now[b as usize]]);
            pair += 1;
        }
        for &(pair, which, place) in &registry.ended_past {
            ended[pair][which] = users.past[place];
        }
        users.past.clear();
        engine.end_step();
    }
}
