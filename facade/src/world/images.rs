//! Distances between objects.

use bounds_hexprism::Bounds;
use broadphase_core::{Aabb, Scalar, torus};

use super::BroadPhase;
use crate::{Error, Handle};

impl<S: Scalar, const D: usize, U: Copy + Send + Sync, B: Bounds<S, D>> BroadPhase<S, D, U, B> {
    /// Returns the distance between the boxes of two objects; 0 if they overlap. In a world that
    /// wraps this is the distance between their nearest images.
    ///
    /// The result is the smallest distance at which [`neighbors`](Self::neighbors) and
    /// [`pairs_within`](Self::pairs_within) find the pair, and is as exact as
    /// [`Neighbor::distance`](crate::Neighbor::distance). Takes constant time.
    ///
    /// # Errors
    /// If one of the objects was removed.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase, NeighborLists};
    ///
    /// let mut world: BroadPhase<f32, 2> = BroadPhase::new();
    /// let ship = world.insert(Aabb::of_ball([0.0, 0.0], 1.0), ())?;
    /// let rock = world.insert(Aabb::of_ball([5.0, 6.0], 1.0), ())?;
    /// assert_eq!(world.distance_between(ship, rock)?, 5.0);
    /// let mut near = NeighborLists::default();
    /// world.neighbors(9.0, &mut near);
    /// for other in near.of(ship).unwrap() {
    ///     assert_eq!((other, world.distance_between(ship, other)?), (rock, 5.0));
    /// }
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn distance_between(&self, a: Handle, b: Handle) -> Result<S::Real, Error> {
        let [a, b] = [self.stored_box(a)?, self.stored_box(b)?];
        Ok(torus::distance(self.engine.options().sides, &a, &b))
    }

    /// Returns the stored box of an object.
    ///
    /// # Errors
    /// If the object was removed.
    pub(super) fn stored_box(&self, object: Handle) -> Result<Aabb<S, D>, Error> {
        self.registry.live(object)?;
        let body = self.engine.get(object.index());
        body.map(|body| body.bounds).ok_or(Error::Stale { object })
    }
}
