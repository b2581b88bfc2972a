//! Pairs of two worlds, and pairs within a distance.

use bounds_hexprism::Bounds;
use broadphase_core::Scalar;

use super::BroadPhase;
use crate::query::PairSide;
use crate::{PairQuery, UserData};

impl<S: Scalar, const D: usize, U: UserData, B: Bounds<S, D>> BroadPhase<S, D, U, B> {
    /// Finds the overlapping pairs of an object of this world with an object of another world whose
    /// filters accept each other. Returns a [`PairQuery`], which runs when its result is requested;
    /// [`within`](PairQuery::within) extends it to a distance.
    ///
    /// Motion classes are ignored: unlike in one world, two static objects form a pair. Layers,
    /// groups and owners have the same meaning in both worlds. Tighter volumes are tested, too.
    /// User data may be of another type, and the structures may differ. Current bounds are used:
    /// paths of swept objects are ignored. Pairs and events of both worlds stay unchanged.
    ///
    /// Both worlds must have one type of volume. To compare boxes with hexagons, fill the first
    /// world with hexagons ([`Hexagon::of_aabb`](crate::Hexagon::of_aabb)), or the second with
    /// boxes ([`Bounds::aabb`]).
    ///
    /// Requires `&mut` of both worlds to select and maintain their structures, as in a step, and
    /// reuse buffers. Takes about as long as a step of both worlds if both use the hierarchical
    /// grid and do not wrap; otherwise as long as one query per object of the world with fewer
    /// objects.
    ///
    /// After a search within a distance, the grid of this world retains memory for the enlarged
    /// boxes of the smaller world; see [`pairs_within`](Self::pairs_within).
    ///
    /// # Panics
    /// If the worlds do not have the same sides ([`Options::wrap`](crate::Options::wrap)).
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase};
    ///
    /// let mut ships: BroadPhase<f32, 2, &str> = BroadPhase::new();
    /// let mut rocks: BroadPhase<f32, 2, u32> = BroadPhase::new();
    /// let ship = ships.insert(Aabb::of_ball([0.0, 0.0], 2.0), "Ada")?;
    /// let rock = rocks.insert(Aabb::of_ball([3.0, 0.0], 1.0), 7)?;
    /// rocks.insert(Aabb::of_ball([9.0, 0.0], 1.0), 8)?;
    /// let mut pairs = Vec::new();
    /// ships.pairs_with(&mut rocks).write_to(&mut pairs);
    /// assert_eq!(pairs, [[ship, rock]]);
    /// let mut near = Vec::new();
    /// ships.pairs_with(&mut rocks).within(6.0).visit(|_, ship, rock| near.push((*ship, *rock)));
    /// assert_eq!(near.len(), 2);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn pairs_with<'a, V: UserData>(
        &'a mut self,
        other: &'a mut BroadPhase<S, D, V, B>,
    ) -> PairQuery<'a, S, D, U, V, B> {
        let sides = [self.engine.options().sides, other.engine.options().sides];
        assert!(sides[0] == sides[1], "the worlds do not wrap at the same sides");
        let Self { engine, registry, users, volumes, found } = self;
        let ours = PairSide { registry, users: &users.now, volumes };
        let BroadPhase { engine: other, registry, users, volumes, .. } = other;
        let theirs = PairSide { registry, users: &users.now, volumes };
        PairQuery::new(&mut **engine, Some(&mut **other), ours, theirs, found)
    }

    /// Finds the pairs of objects at most `distance` apart whose filters accept each other, unless
    /// both are static. Returns a [`PairQuery`], which runs when its result is requested.
    ///
    /// The distance is between boxes, tested exactly, as in [`neighbors`](Self::neighbors) and
    /// [`Target::within`](crate::Target::within): 0 finds overlapping boxes, infinity all pairs, a
    /// negative or NaN distance none. Tighter volumes are not tested. Uses current bounds: paths of
    /// swept objects are ignored, and pairs and events stay unchanged.
    ///
    /// Requires `&mut self` to select and maintain the structure, as in a step, and reuse buffers.
    /// The hierarchical grid takes about twice as long as a step if the distance is at most that
    /// between neighboring objects; in a world that wraps, about 50 % longer, or as long as one
    /// query per object if the distance is above 25 % of a side. Other structures take as long as
    /// one query per object.
    ///
    /// The grid retains memory for a copy of its boxes, enlarged for the distance (8 bytes per axis
    /// and object); steady ticks do not allocate, except near seams. The memory is freed after
    /// eight steps without such a search, and by [`shrink_to_fit`](Self::shrink_to_fit).
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase};
    ///
    /// let mut world: BroadPhase = BroadPhase::new();
    /// let a = world.insert(Aabb::point([0.0, 0.0]), ())?;
    /// let b = world.insert(Aabb::point([1.5, 0.0]), ())?;
    /// world.insert(Aabb::point([9.0, 0.0]), ())?;
    /// let mut near = Vec::new();
    /// world.pairs_within(2.0).write_to(&mut near);
    /// assert_eq!(near, [[a, b]]);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn pairs_within(&mut self, distance: S) -> PairQuery<'_, S, D, U, U, B> {
        let Self { engine, registry, users, volumes, found } = self;
        let side = PairSide { registry, users: &users.now, volumes };
        PairQuery::new(&mut **engine, None, side, side, found).within(distance)
    }
}
