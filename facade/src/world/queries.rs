//! Queries: objects that overlap a region, lie on a path, or are nearest to a target.

use alloc::vec::Vec;
use core::ops::ControlFlow;

use bounds_hexprism::Bounds;
use broadphase_core::{Lists, Path, Region, Scalar, Target};

use super::BroadPhase;
use crate::engine::{QueryKind, Search};
use crate::{Error, Handle, Hit, Neighbor, Query};

/// Receives each found object with its user data. `Break` ends the search.
type VisitUser<'a, U, R> = dyn FnMut(Handle, &U, R) -> ControlFlow<()> + 'a;

impl<S: Scalar, const D: usize, U: Copy + Send + Sync, B: Bounds<S, D>> BroadPhase<S, D, U, B> {
    /// Finds the objects that overlap a box, a point or a ball. Returns a [`Query`], which runs
    /// when its result is requested.
    ///
    /// A region may be infinite. An inverted region, or one with a NaN, overlaps nothing.
    ///
    /// ```
    /// # use hexphase::{Aabb, BroadPhase, Region};
    /// let mut world: BroadPhase = BroadPhase::new();
    /// let ship = world.insert(Aabb::of_ball([0.0, 0.0], 2.0), ())?;
    /// assert_eq!(world.query([1.0, 1.0]).to_vec(), [ship]);
    /// assert_eq!(world.query(Region::ball([5.0, 0.0], 3.0)).to_vec(), [ship]);
    /// assert_eq!(world.query(Aabb::new([3.0, 0.0], [9.0, 9.0])).count(), 0);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn query(&self, region: impl Into<Region<S, D>>) -> Query<'_, S, D, U, B, Handle> {
        Query::new(self, QueryKind::Region(region.into()))
    }

    /// Finds the objects that a segment, a ray or a moving box touches, nearest first along the
    /// path. Returns a [`Query`], which runs when its result is requested.
    ///
    /// ```
    /// # use hexphase::{Aabb, BroadPhase, Path};
    /// let mut world: BroadPhase<f32, 2, char> = BroadPhase::new();
    /// let ship = world.insert(Aabb::of_ball([0.0, 0.0], 1.0), 's')?;
    /// world.insert(Aabb::of_ball([9.0, 0.0], 1.0), 'r')?;
    /// let hit = world.cast(Path::segment([0.0, 0.0], [16.0, 0.0])).except(ship).first().unwrap();
    /// assert_eq!((world[hit.object], hit.fraction), ('r', 0.5));
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn cast(&self, path: Path<S, D>) -> Query<'_, S, D, U, B, Hit<S::Real>> {
        Query::new(self, QueryKind::Path(path))
    }

    /// Finds the objects nearest to a point or box, in order of distance. Returns a [`Query`],
    /// which runs when its result is requested.
    ///
    /// ```
    /// # use hexphase::{Aabb, BroadPhase};
    /// let mut world: BroadPhase<i32, 2> = BroadPhase::new();
    /// let [_, far] = [[1, 0], [0, 7]].map(|at| world.insert(Aabb::point(at), ()).unwrap());
    /// let second = world.nearest([0, 0]).within(7).take(2).to_vec()[1];
    /// assert_eq!((second.object, second.distance_squared), (far, 49.0));
    /// ```
    pub fn nearest(
        &self,
        target: impl Into<Target<S, D>>,
    ) -> Query<'_, S, D, U, B, Neighbor<S::Real>> {
        Query::new(self, QueryKind::Target(target.into()))
    }

    /// Finds the objects that overlap each of many regions, restricted to objects in at least one
    /// of `layers`.
    ///
    /// Calls `visit` with the index of the region, the object and its user data; regions in the
    /// given order, objects ascending. Faster than one [`query`](Self::query) per region: regions
    /// close to each other are processed together, on the threads of the current pool. `lists` is a
    /// result buffer that can be reused to avoid allocations.
    ///
    /// ```
    /// # use hexphase::{Aabb, BroadPhase, Lists, Region};
    /// let mut world: BroadPhase<f32, 1, char> = BroadPhase::new();
    /// for (x, name) in [(0.0, 'a'), (1.0, 'b')] {
    ///     world.insert(Aabb::point([x]), name)?;
    /// }
    /// let (mut lists, mut found) = (Lists::default(), Vec::new());
    /// let regions = [Region::ball([1.0], 0.5), Region::ball([0.5], 0.5)];
    /// world.query_many(&regions, !0, &mut lists, |region, _, &name| found.push((region, name)));
    /// assert_eq!(found, [(0, 'b'), (1, 'a'), (1, 'b')]);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn query_many(
        &self,
        regions: &[Region<S, D>],
        layers: u64,
        lists: &mut Lists,
        mut visit: impl FnMut(usize, Handle, &U),
    ) {
        let Self { engine, registry, users, .. } = self;
        engine.query_many(regions, lists);
        for (region, list) in lists.iter().enumerate() {
            for &slot in list {
                let object = registry.slots.handle(slot);
                if registry.filter(object).is_some_and(|filter| filter.layers & layers != 0) {
                    visit(region, object, &users.now[slot as usize]);
                }
            }
        }
    }

    /// Writes the objects that currently form a pair with `object` into `out`, ascending. Previous
    /// contents of `out` are replaced.
    ///
    /// Uses the current bounds and filters, not the pairs of the last step. Costs about as much as
    /// one query.
    ///
    /// # Errors
    /// If the object was removed; `out` is empty then.
    ///
    /// ```
    /// # use hexphase::{Aabb, BroadPhase};
    /// let mut world: BroadPhase<f32, 1> = BroadPhase::new();
    /// let [a, b, _] = [0.0, 1.5, 9.0].map(|x| world.insert(Aabb::of_ball([x], 1.0), ()).unwrap());
    /// let mut others = Vec::new();
    /// world.overlapping(a, &mut others)?;
    /// assert_eq!(others, [b]);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn overlapping(&self, object: Handle, out: &mut Vec<Handle>) -> Result<(), Error> {
        let Self { engine, registry, volumes, .. } = self;
        let own = object.index() as usize;
        let touches = |slot: u32| B::IS_BOX || volumes[own].overlaps(&volumes[slot as usize]);
        engine.overlapping(registry, object, &touches, out)
    }

    /// Calls `visit` for each object that a search finds, with its user data.
    pub(crate) fn search(&self, search: &Search<S, D>, visit: &mut VisitUser<'_, U, S::Real>) {
        let Self { engine, registry, users, .. } = self;
        engine.query(registry, search, &mut |object, at| {
            visit(object, &users.now[object.index() as usize], at)
        });
    }
}
