//! Images of objects in worlds that wrap, and distances between objects.

use bounds_hexprism::Bounds;
use broadphase_core::{Aabb, Scalar, torus};

use super::BroadPhase;
use crate::{Error, Handle, IntoShape, UserData};

impl<S: Scalar, const D: usize, U: UserData, B: Bounds<S, D>> BroadPhase<S, D, U, B> {
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

    /// Returns the shift of an object near a box or point: the number of whole sides by which the
    /// object must be moved on each axis to be next to it. Shifts are 0 on an axis that does not
    /// wrap.
    ///
    /// Use this to draw an object where a query, a cast or a pair has found it: pass the view, the
    /// position of the path ([`Path::at`](crate::Path::at)), or the bounds of the other object.
    /// [`image`](Self::image) returns the moved box. The shift selects the image whose box is
    /// nearest to `near` on each axis. If several are equally near, as when they all overlap
    /// `near`, it selects the one moved by fewest sides. [`shortest_vector`](Self::shortest_vector)
    /// compares centers instead.
    ///
    /// The shift is counted from the bounds that [`get`](Self::get) returns, so
    /// `bounds.translated(..)` by the shift times the sides is the image, also of a tighter volume.
    /// Takes constant time.
    ///
    /// ```text
    ///              0                     800
    ///     ─────────┼──────────────────────┼─────────
    ///          ┌───┼──────┐            ┌──┼───┐          view −20…100, object stored at 785…825
    ///          │ ┌─┼───┐  │            │  │   │
    ///          │ │ │   │  │            └──┼───┘
    ///          └─┴─┼───┴──┘               │              shift −1: image at −15…25
    /// ```
    ///
    /// # Errors
    /// If the object was removed, if `near` is NaN, infinite or inverted, or if a shift exceeds
    /// `i32`.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase, Options, Path};
    ///
    /// let options = Options::new().wrap([800.0, 600.0]);
    /// let mut world: BroadPhase<f32, 2> = BroadPhase::with_options(options);
    /// let rock = world.insert(Aabb::of_ball([805.0, 50.0], 20.0), ())?;
    /// let ship = world.insert(Aabb::of_ball([30.0, 590.0], 9.0), ())?;
    /// // A view across the seam: each object is drawn at its image.
    /// let view = Aabb::new([-20.0, -60.0], [100.0, 60.0]);
    /// let drawn: Vec<_> = world.query(view).to_vec();
    /// assert_eq!(drawn, [rock, ship]);
    /// assert_eq!(world.shift(rock, view)?, [-1, 0]);
    /// assert_eq!(world.image(rock, view)?, Aabb::of_ball([5.0, 50.0], 20.0));
    /// assert_eq!(world.image(ship, view)?, Aabb::of_ball([30.0, -10.0], 9.0));
    /// // A shot flies twice around the world.
    /// let shot = Path::segment([400.0, 300.0], [2385.0, 50.0]);
    /// let hit = world.cast(shot).first().unwrap();
    /// assert_eq!(world.shift(hit.object, shot.at(hit.fraction))?, [2, 0]);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn shift<K>(
        &self,
        object: Handle,
        near: impl IntoShape<S, D, Aabb<S, D>, K>,
    ) -> Result<[i32; D], Error> {
        let shift = self.shift_of_box(object, near.into_shape())?;
        if B::IS_BOX {
            return Ok(shift);
        }
        // A tighter volume is where the caller has placed it, whole sides from the stored box.
        let given = self.volumes[object.index() as usize].aabb();
        let stored = self.stored_box(object)?;
        torus::shift_from(self.engine.options().sides, &stored, &given, shift)
            .map_err(|why| Error::InvalidBounds { object: None, why })
    }

    /// Returns the box of the image of an object that is nearest to a box or point: the stored box,
    /// moved by the [`shift`](Self::shift) times the sides. Floats round this distance to the
    /// nearest number, and again each end after it is added. Takes constant time.
    ///
    /// # Errors
    /// As [`shift`](Self::shift), and if an end exceeds the number range.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase, Options};
    ///
    /// let mut world: BroadPhase<f32, 2> = BroadPhase::with_options(Options::new().wrap([32.0; 2]));
    /// let a = world.insert(Aabb::of_ball([31.0, 4.0], 2.0), ())?;
    /// let b = world.insert(Aabb::of_ball([2.0, 5.0], 2.0), ())?;
    /// world.step();
    /// let [one, other] = world.pairs().next().unwrap().handles;
    /// let bounds = world.get(one).unwrap().bounds;
    /// assert_eq!((one, other), (a, b));
    /// assert_eq!(world.image(other, bounds)?, Aabb::of_ball([34.0, 5.0], 2.0)); // overlaps a
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn image<K>(
        &self,
        object: Handle,
        near: impl IntoShape<S, D, Aabb<S, D>, K>,
    ) -> Result<Aabb<S, D>, Error> {
        let shift = self.shift_of_box(object, near.into_shape())?;
        let stored = self.stored_box(object)?;
        torus::shifted(self.engine.options().sides, &stored, shift)
            .map_err(|why| Error::InvalidBounds { object: Some(object), why })
    }

    /// Returns the shift from the stored box of an object to its image nearest to a box.
    fn shift_of_box(&self, object: Handle, near: Aabb<S, D>) -> Result<[i32; D], Error> {
        let stored = self.stored_box(object)?;
        torus::shift(self.engine.options().sides, &stored, &near)
            .map_err(|why| Error::InvalidBounds { object: None, why })
    }

    /// Returns the stored box of an object.
    ///
    /// # Errors
    /// If the object was removed.
    pub(crate) fn stored_box(&self, object: Handle) -> Result<Aabb<S, D>, Error> {
        self.registry.live(object)?;
        let stored = self.engine.structure().get(object.index());
        stored.map(|stored| stored.bounds).ok_or(Error::Stale { object })
    }
}
