//! Queries: objects that overlap a region, lie on a path, or are nearest to a target.

use alloc::vec::Vec;
use core::ops::ControlFlow;

use bounds_hexprism::Bounds;
use broadphase_core::{Aabb, Near, Path, Region, Scalar, Search, Target};

use super::BroadPhase;
use super::across::VolumeTest;
use crate::engine::{BatchSearch, EmitFn, FilteredSearch, QueryKinds};
use crate::{Error, Handle, Hit, IntoShape, Neighbor, NeighborLists, Query, QueryMany, UserData};

/// Receives each found object with its user data and volume. `Break` ends the search.
type VisitUser<'a, S, const D: usize, U, B, R> =
    dyn FnMut(Handle, &U, &B, &Aabb<S, D>, R) -> ControlFlow<()> + 'a;

impl<S: Scalar, const D: usize, U: UserData, B: Bounds<S, D>> BroadPhase<S, D, U, B> {
    /// Finds the objects that overlap a region: a box, a point or a ball. Returns a [`Query`],
    /// which runs when its result is requested. A region may be infinite; if inverted or NaN, it
    /// overlaps nothing.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase, Region};
    ///
    /// let mut world: BroadPhase = BroadPhase::new();
    /// let ship = world.insert(Aabb::of_ball([0.0, 0.0], 2.0), ())?;
    /// assert_eq!(world.query([1.0, 1.0]).to_vec(), [ship]);
    /// assert_eq!(world.query(Region::ball([5.0, 0.0], 3.0)).to_vec(), [ship]);
    /// assert_eq!(world.query(Aabb::new([3.0, 0.0], [9.0, 9.0])).to_vec().len(), 0);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn query<K>(
        &self,
        region: impl IntoShape<S, D, Region<S, D>, K>,
    ) -> Query<'_, S, D, U, B, Handle> {
        Query::new(self, Search::Region(region.into_shape()))
    }

    /// Finds the objects that a segment, a ray or a moving box touches, nearest first along the
    /// path. Returns a [`Query`], which runs when its result is requested.
    ///
    /// [`Path::ignoring_contacts`] ignores objects that the path leaves at its start or slides
    /// along, such as the ground under a character.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase, Path};
    ///
    /// let mut world: BroadPhase<f32, 2, char> = BroadPhase::new();
    /// let ship = world.insert(Aabb::of_ball([0.0, 0.0], 1.0), 's')?;
    /// world.insert(Aabb::of_ball([9.0, 0.0], 1.0), 'r')?;
    /// let hit = world.cast(Path::segment([0.0, 0.0], [16.0, 0.0])).except(ship).first().unwrap();
    /// assert_eq!((world[hit.object], hit.fraction), ('r', 0.5));
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn cast(&self, path: Path<S, D>) -> Query<'_, S, D, U, B, Hit<S::Real>> {
        Query::new(self, Search::Path(path))
    }

    /// Finds the objects nearest to a point or box, in order of distance. Returns a [`Query`],
    /// which runs when its result is requested.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase};
    ///
    /// let mut world: BroadPhase = BroadPhase::new();
    /// world.insert(Aabb::point([1.0, 0.0]), ())?;
    /// let far = world.insert(Aabb::point([0.0, 7.0]), ())?;
    /// let near = world.nearest([0.0, 0.0]).within(7.0).take(2).to_vec();
    /// assert_eq!((near[1].object, near[1].distance_squared), (far, 49.0));
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn nearest<K>(
        &self,
        target: impl IntoShape<S, D, Target<S, D>, K>,
    ) -> Query<'_, S, D, U, B, Neighbor<S::Real>> {
        Query::new(self, Search::Nearest(target.into_shape()))
    }

    /// Finds the objects that overlap each of many regions, when the [`QueryMany`] is run.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase, Lists, Region};
    ///
    /// let mut world: BroadPhase = BroadPhase::new();
    /// let a = world.insert(Aabb::point([0.0, 0.0]), ())?;
    /// let b = world.insert(Aabb::point([1.0, 0.0]), ())?;
    /// let regions = [Region::ball([1.0, 0.0], 0.5), Region::ball([0.5, 0.0], 0.5)];
    /// let mut found = Lists::default();
    /// world.query_many(&regions).write_to(&mut found);
    /// assert!(found.iter().eq([&[b][..], &[a, b]]));
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn query_many<'a>(
        &'a self,
        regions: &'a [Region<S, D>],
    ) -> QueryMany<'a, S, D, U, B, Handle> {
        QueryMany::new(self, QueryKinds::Regions(regions))
    }

    /// Finds the objects that each of many paths touches, when the [`QueryMany`] is run.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase, Lists, Path};
    ///
    /// let mut world: BroadPhase = BroadPhase::new();
    /// let a = world.insert(Aabb::point([0.0, 0.0]), ())?;
    /// let b = world.insert(Aabb::point([3.0, 0.0]), ())?;
    /// let paths = [Path::ray([1.0, 0.0], [1.0, 0.0]), Path::ray([2.0, 0.0], [-1.0, 0.0])];
    /// let mut found = Lists::default();
    /// world.cast_many(&paths).take(1).write_to(&mut found);
    /// let first = found.iter().map(|hits| (hits[0].object, hits[0].fraction));
    /// assert!(first.eq([(b, 2.0), (a, 2.0)]));
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn cast_many<'a>(
        &'a self,
        paths: &'a [Path<S, D>],
    ) -> QueryMany<'a, S, D, U, B, Hit<S::Real>> {
        QueryMany::new(self, QueryKinds::Paths(paths))
    }

    /// Finds the objects nearest to each of many targets, when the [`QueryMany`] is run.
    /// [`Target::within`] limits the distance of a target.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase, Lists, Target};
    ///
    /// let mut world: BroadPhase = BroadPhase::new();
    /// let a = world.insert(Aabb::point([0.0, 0.0]), ())?;
    /// let b = world.insert(Aabb::point([3.0, 0.0]), ())?;
    /// let targets = [Target::point([1.0, 0.0]), Target::point([4.0, 0.0])];
    /// let mut found = Lists::default();
    /// world.nearest_many(&targets).take(1).write_to(&mut found);
    /// assert!(found.iter().map(|near| near[0].object).eq([a, b]));
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn nearest_many<'a>(
        &'a self,
        targets: &'a [Target<S, D>],
    ) -> QueryMany<'a, S, D, U, B, Neighbor<S::Real>> {
        QueryMany::new(self, QueryKinds::Targets(targets))
    }

    /// Writes for each object all other objects within a distance (between boxes) into `out`,
    /// ascending; filters and motion classes are ignored. Faster than one query per object; runs on
    /// the threads of the current pool.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase, NeighborLists};
    ///
    /// let mut world: BroadPhase = BroadPhase::new();
    /// let a = world.insert(Aabb::point([0.0, 0.0]), ())?;
    /// let b = world.insert(Aabb::point([1.5, 0.0]), ())?;
    /// world.insert(Aabb::point([9.0, 0.0]), ())?;
    /// let mut near = NeighborLists::default();
    /// world.neighbors(2.0, &mut near);
    /// assert!(near.of(a).unwrap().eq([b]));
    /// assert_eq!(near.iter().map(|(_, others)| others.len()).sum::<usize>(), 2);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn neighbors(&self, distance: S, out: &mut NeighborLists) {
        let structure = self.engine.structure_for(self.len());
        structure.find_neighbors(Near::Within(distance), out.set_handles(&self.registry));
    }

    /// Writes for each object the `count` nearest other objects into `out`, or all if fewer:
    /// ascending by distance (as in [`neighbors`](Self::neighbors)), then by handle.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase, NeighborLists};
    ///
    /// let mut world: BroadPhase = BroadPhase::new();
    /// let a = world.insert(Aabb::point([0.0, 0.0]), ())?;
    /// let b = world.insert(Aabb::point([1.5, 0.0]), ())?;
    /// let c = world.insert(Aabb::point([2.0, 0.0]), ())?;
    /// let mut near = NeighborLists::default();
    /// world.nearest_to_each(1, &mut near);
    /// assert!(near.of(a).unwrap().eq([b]) && near.of(b).unwrap().eq([c]));
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn nearest_to_each(&self, count: usize, out: &mut NeighborLists) {
        let structure = self.engine.structure_for(self.len());
        structure.find_neighbors(Near::Nearest(count), out.set_handles(&self.registry));
    }

    /// Replaces the contents of `out` with the objects that currently form a pair with `object`,
    /// ascending.
    ///
    /// Uses current bounds and filters, not pairs of the last step. Costs about as much as one
    /// query.
    ///
    /// # Errors
    /// If the object was removed; `out` is empty then.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase};
    ///
    /// let mut world: BroadPhase = BroadPhase::new();
    /// let a = world.insert(Aabb::of_ball([0.0, 0.0], 1.0), ())?;
    /// let b = world.insert(Aabb::of_ball([1.5, 0.0], 1.0), ())?;
    /// world.insert(Aabb::of_ball([9.0, 0.0], 1.0), ())?;
    /// let mut others = Vec::new();
    /// world.overlapping(a, &mut others)?;
    /// assert_eq!(others, [b]);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn overlapping(&self, object: Handle, out: &mut Vec<Handle>) -> Result<(), Error> {
        let Self { engine, registry, volumes, .. } = self;
        let own = object.index();
        let touches = |slot: u32| {
            let pair = [own.min(slot), own.max(slot)];
            B::IS_BOX || VolumeTest::new(&**engine, [volumes; 2]).overlap(pair)
        };
        engine.overlapping(registry, object, &touches, out)
    }

    /// Calls `visit` for each object that a search finds.
    pub(crate) fn search(
        &self,
        search: &FilteredSearch<S, D>,
        visit: &mut VisitUser<'_, S, D, U, B, S::Real>,
    ) {
        let Self { engine, registry, users, .. } = self;
        engine.query(registry, search, &mut |object, bounds, at| {
            let slot = object.index();
            visit(object, &users.now[slot as usize], &self.volume(slot, bounds), &bounds, at)
        });
    }

    /// Returns the distance from a target to a found object, computed from its square or, if that
    /// is inexact, from the stored bounds.
    pub(crate) fn found_distance(
        &self,
        target: Option<&Target<S, D>>,
        square: S::Real,
        stored: impl FnOnce() -> Option<Aabb<S, D>>,
    ) -> S::Real {
        let of_bounds = || Some(self.engine.options().world().distance_to(target?, &stored()?));
        S::root(square).or_else(of_bounds).unwrap_or(square)
    }

    /// Runs a batch of queries of the objects that `accept` accepts, and calls `emit` with the
    /// results of each, in order.
    pub(crate) fn search_many(
        &self,
        search: &BatchSearch<'_, S, D>,
        accept: &(impl Fn(Handle, &U) -> bool + Sync),
        emit: &mut EmitFn<'_, S::Real>,
    ) {
        let users = self.users.now.as_slice();
        let accept = |object: Handle| accept(object, &users[object.index() as usize]);
        self.engine.query_many(&self.registry, search, &accept, emit);
    }
}
