//! Questions: what overlaps a region, lies on a path, or is near.

use alloc::vec::Vec;
use core::ops::ControlFlow;

use bounds_hexprism::Bounds;
use broadphase_core::{Lists, Motion, Path, Region, Scalar, Target};

use super::{BroadPhase, volume};
use crate::query::Question;
use crate::structure::Proxy;
use crate::{Error, Handle, Hit, Neighbor, Query};

/// Looks at what was found: the object, its user data, its layers, and where it was found.
type Look<'a, U, R> = dyn FnMut(Handle, &U, u64, R) -> ControlFlow<()> + 'a;

impl<S: Scalar, const D: usize, U: Copy + Send + Sync, B: Bounds<S, D>> BroadPhase<S, D, U, B> {
    /// Which objects overlap a box, a point or a ball; see [`Query`] for its options.
    ///
    /// A region may be infinite; one that is inverted or NaN overlaps nothing.
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
        Query::new(self, Question::Region(region.into()))
    }

    /// Which objects a segment, a ray or a moving box touches, front to back; see [`Query`] for its
    /// options.
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
        Query::new(self, Question::Path(path))
    }

    /// Which objects are nearest to a point or box, near ones first; see [`Query`] for its options.
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
        Query::new(self, Question::Target(target.into()))
    }

    /// Which objects in one of these layers overlap each of many regions: calls `visit` with the
    /// number of the region, the object and its user data; regions in their order, objects
    /// ascending. `lists` is room for the answers, to be used again.
    ///
    /// It asks the regions side by side in space, on all threads of the current pool.
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
        self.structure.query_many(regions, lists);
        for (region, list) in lists.iter().enumerate() {
            for &slot in list {
                let object = self.slots.handle(slot);
                if let Some(content) = self.slots.get(object)
                    && self.filters.get(content.filter).layers & layers != 0
                {
                    visit(region, object, &content.user);
                }
            }
        }
    }

    /// Writes all objects into `out`, ascending, with which an object is a pair as they are now,
    /// whatever steps have been taken: it costs a query.
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
        out.clear();
        let own = object.index();
        let content = self.slots.get(object).ok_or(Error::Stale { object })?;
        let Some(body) = self.structure.get(own) else { return Ok(()) };
        self.structure.query(Region::from(body.bounds), &mut |slot, proxy| {
            let stay =
                content.motion == Motion::Static && self.slots.motion(slot) == Some(Motion::Static);
            let agree = self.filters.accept(content.filter, proxy.filter);
            let touch = volume::is_box::<S, D, B>()
                || self.volumes[own as usize].overlaps(&self.volumes[slot as usize]);
            if slot != own && agree && !stay && touch {
                out.push(self.slots.handle(slot));
            }
            ControlFlow::Continue(())
        });
        out.sort_unstable();
        Ok(())
    }

    /// Puts a question to the structure.
    pub(crate) fn ask(&self, question: Question<S, D>, look: &mut Look<'_, U, S::Real>) {
        let Self { structure, slots, filters, .. } = self;
        let mut look = |slot: u32, proxy: Proxy, at| match slots.occupant(slot) {
            Some((object, user)) => look(object, user, filters.get(proxy.filter).layers, at),
            None => ControlFlow::Continue(()),
        };
        match question {
            Question::Region(region) => {
                let nowhere = S::Real::default();
                structure.query(region, &mut |slot, proxy| look(slot, proxy, nowhere));
            }
            Question::Path(path) => structure.cast(path, &mut look),
            Question::Target(target) => structure.nearest(target, &mut look),
        }
    }
}
