//! Steps: find all pairs and compare them with the pairs of the step before.

use bounds_hexprism::Bounds;
use broadphase_core::{Pair, Scalar};

use super::BroadPhase;
use super::across::VolumeTest;
use crate::registry::{Registry, UnwindGuard};
use crate::users::UserTable;
use crate::{Overlap, Overlaps, UserData};

impl<S: Scalar, const D: usize, U: UserData, B: Bounds<S, D>> BroadPhase<S, D, U, B> {
    /// Finds all pairs, and which of them began or ended since the last step.
    ///
    /// A pair is two overlapping objects (touching counts), not both static, whose filters accept
    /// each other. The results are in [`pairs`](Self::pairs), [`began`](Self::began) and
    /// [`ended`](Self::ended). Events are valid until the next step and are lost on
    /// [`restore`](Self::restore).
    ///
    /// The cost is about linear in the number of objects plus the number of pairs, except for brute
    /// force.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase};
    ///
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
        self.step_with(|_, _| ());
    }

    /// Takes a [`step`](Self::step) with only those pairs for which `accept` returns `true`.
    ///
    /// `accept` is called once per pair, in the order of [`pairs`](Self::pairs). If it panics, the
    /// pairs and events of the last step are restored, or removed if
    /// [`events`](crate::Options::events) are disabled.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase};
    ///
    /// let mut world: BroadPhase<f32, 2, u32> = BroadPhase::new();
    /// for team in [1, 1, 2] {
    ///     world.insert(Aabb::point([0.0, 0.0]), team)?;
    /// }
    /// world.step_where(|overlap| overlap.users[0] != overlap.users[1]);
    /// assert_eq!(world.pairs().len(), 2);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn step_where(&mut self, mut accept: impl FnMut(&Overlap<U>) -> bool) {
        self.step_with(|registry, users| {
            let mut pairs = core::mem::take(&mut registry.pairs);
            pairs.retain(|&[a, b]| {
                let users = [users.now[a as usize], users.now[b as usize]];
                accept(&Overlap::of(registry.pair_now([a, b]), users))
            });
            registry.pairs = pairs;
        });
    }

    /// Returns the pairs of the last step, ascending by slots; in each pair the lower slot comes
    /// first. User data are current, or the last of a removed object: see [`Overlap::users`].
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase};
    ///
    /// let mut world: BroadPhase<f32, 2, &str> = BroadPhase::new();
    /// world.insert(Aabb::point([0.0, 0.0]), "ship")?;
    /// world.insert(Aabb::point([0.0, 0.0]), "rock")?;
    /// world.step();
    /// assert_eq!(world.pairs().next().unwrap().users, ["ship", "rock"]);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn pairs(&self) -> Overlaps<'_, U> {
        Overlaps::of_pairs(&self.registry.pairs, &self.registry, &self.users)
    }

    /// Returns the pairs of the last step that are new since the step before, in the order of
    /// [`pairs`](Self::pairs); none if events are disabled. User data are as in
    /// [`pairs`](Self::pairs).
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase};
    ///
    /// let mut world: BroadPhase<f32, 2, &str> = BroadPhase::new();
    /// world.insert(Aabb::point([0.0, 0.0]), "ship")?;
    /// world.insert(Aabb::point([0.0, 0.0]), "rock")?;
    /// world.step();
    /// assert_eq!(world.began().len(), 1);
    /// world.step();
    /// assert_eq!((world.began().len(), world.pairs().len()), (0, 1));
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn began(&self) -> Overlaps<'_, U> {
        Overlaps::of_pairs(&self.registry.began, &self.registry, &self.users)
    }

    /// Returns the pairs of the step before that are not pairs in the last step, in the order of
    /// [`pairs`](Self::pairs): the objects moved apart, or one was removed or got another filter.
    ///
    /// User data are as in [`pairs`](Self::pairs), filters those at the step that found the pair.
    /// An object inserted and removed between two steps produces no events. Empty if events are
    /// disabled.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase};
    ///
    /// let mut world: BroadPhase<f32, 2, &str> = BroadPhase::new();
    /// let ship = world.insert(Aabb::point([0.0, 0.0]), "ship")?;
    /// world.insert(Aabb::point([0.0, 0.0]), "rock")?;
    /// world.step();
    /// world.remove(ship);
    /// world.step();
    /// assert_eq!(world.ended().next().unwrap().users, ["ship", "rock"]);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn ended(&self) -> Overlaps<'_, U> {
        Overlaps::of_ended(&self.registry, &self.users)
    }

    /// Finds the current pairs, calls `remove` to drop some, and computes events.
    fn step_with(&mut self, remove: impl FnOnce(&mut Registry, &UserTable<U>)) {
        let Self { engine, registry, users, volumes, .. } = self;
        engine.find_pairs(registry, None);
        let guard = UnwindGuard(registry);
        if !B::IS_BOX {
            let mut volumes = VolumeTest::new(&**engine, [volumes; 2]);
            let swept = engine.swept();
            let on_its_way = |[a, b]: Pair| swept.has_moved(a) || swept.has_moved(b);
            guard.0.pairs.retain(|&pair| volumes.overlap(pair) || on_its_way(pair));
        }
        remove(guard.0, users);
        core::mem::forget(guard);
        self.complete_step();
    }

    /// Compares the pairs found with those of the last step, and ends the step.
    pub(super) fn complete_step(&mut self) {
        self.registry.complete_step();
        self.users.complete_step();
        self.engine.complete_step();
    }
}
