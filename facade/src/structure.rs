//! Any structure behind one face: a virtual call for each public call, never for each pair.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::Any;
use core::ops::ControlFlow;

use broadphase_core::{
    Aabb, Backend, IndexError, Lists, Motion, Pair, Path, Region, Scalar, SpatialIndex, Target,
};

use crate::filters::Filters;

/// What a structure stores with each object of a world: the number of its filter.
///
/// A structure of your own works under a world if it is a
/// [`SpatialIndex`] with this as its data.
///
/// ```
/// use hexphase::{Aabb, BroadPhase, BruteForce, Options, Proxy};
///
/// let own = BruteForce::<f32, 2, Proxy>::new();
/// let mut world: BroadPhase<f32, 2, u8> = BroadPhase::with_index(own, Options::new());
/// world.insert(Aabb::point([0.0, 0.0]), 1)?;
/// # Ok::<(), hexphase::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Proxy {
    pub(crate) filter: u32,
}

/// All that a structure knows of an object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Body<S, const D: usize> {
    pub(crate) bounds: Aabb<S, D>,
    pub(crate) proxy: Proxy,
    pub(crate) motion: Motion,
}

/// A walk's change of an object.
pub(crate) type Change<'a, S, const D: usize> = dyn FnMut(u32, &mut Proxy, &mut Aabb<S, D>) + 'a;

/// What looks at found objects, until it stops.
pub(crate) type Visit<'a> = dyn FnMut(u32, Proxy) -> ControlFlow<()> + 'a;

/// The same, of objects found at a distance.
pub(crate) type VisitAt<'a, R> = dyn FnMut(u32, Proxy, R) -> ControlFlow<()> + 'a;

/// What a world needs of its structure.
pub(crate) trait Structure<S: Scalar, const D: usize>: Send + Sync {
    fn insert(&mut self, key: u32, body: Body<S, D>) -> Result<(), IndexError>;
    fn set_bounds(&mut self, key: u32, bounds: Aabb<S, D>) -> Result<(), IndexError>;
    fn remove(&mut self, key: u32);
    fn set_motion(&mut self, key: u32, motion: Motion) -> Result<(), IndexError>;
    fn get(&self, key: u32) -> Option<Body<S, D>>;
    fn set_proxy(&mut self, key: u32, proxy: Proxy);
    fn clear(&mut self);
    fn update(&mut self, change: &mut Change<'_, S, D>) -> Result<(), IndexError>;
    fn update_dynamic(&mut self, change: &mut Change<'_, S, D>) -> Result<(), IndexError>;
    fn par_update(
        &mut self,
        change: &(dyn Fn(u32, &mut Aabb<S, D>) + Sync),
    ) -> Result<(), IndexError>;
    fn each(&self, visit: &mut dyn FnMut(u32, Body<S, D>));
    fn bounds(&self, keys: u32, visit: &mut dyn FnMut(Aabb<S, D>));
    fn pairs(&mut self, filters: &Filters, out: &mut Vec<Pair>);
    fn query(&self, region: Region<S, D>, visit: &mut Visit<'_>);
    fn query_many(&self, regions: &[Region<S, D>], out: &mut Lists);
    fn cast(&self, path: Path<S, D>, visit: &mut VisitAt<'_, S::Real>);
    fn nearest(&self, target: Target<S, D>, visit: &mut VisitAt<'_, S::Real>);
    fn set_backend(&mut self, backend: Backend);
    fn backend(&self) -> Option<Backend>;
    fn try_reserve(&mut self, additional: usize) -> Result<(), IndexError>;
    fn shrink_to_fit(&mut self);
    fn memory_use(&self) -> usize;
    fn cells(&self, visit: &mut dyn FnMut(u32, Aabb<S, D>));
    fn as_any(&self) -> &dyn Any;
    fn optimize(&mut self);
    fn boxed_clone(&self) -> Box<dyn Structure<S, D>>;
    fn assert_well_formed(&self);
    #[cfg(feature = "hshg")]
    fn as_any_mut(&mut self) -> &mut dyn Any;
}

impl<S: Scalar, const D: usize> dyn Structure<S, D> {
    /// Walks over all objects, or those that are dynamic. The grid, on which most worlds stand,
    /// walks without a virtual call for each.
    pub(crate) fn walk(
        &mut self,
        all: bool,
        mut change: impl FnMut(u32, &mut Proxy, &mut Aabb<S, D>),
    ) -> Result<(), IndexError> {
        #[cfg(feature = "hshg")]
        if all && let Some(grid) = self.as_any_mut().downcast_mut::<Grid<S, D>>() {
            return SpatialIndex::update(grid, change);
        }
        if all { self.update(&mut change) } else { self.update_dynamic(&mut change) }
    }
}

#[cfg(feature = "hshg")]
type Grid<S, const D: usize> = broadphase_hshg::Hshg<S, D, Proxy>;

impl<S: Scalar, const D: usize, I> Structure<S, D> for I
where
    I: SpatialIndex<S, D, Data = Proxy> + 'static,
{
    fn insert(&mut self, key: u32, body: Body<S, D>) -> Result<(), IndexError> {
        SpatialIndex::insert(self, key, body.bounds, body.proxy)?;
        if body.motion != Motion::Dynamic
            && let Err(why) = SpatialIndex::set_motion(self, key, body.motion)
        {
            SpatialIndex::remove(self, key);
            return Err(why);
        }
        Ok(())
    }

    fn set_bounds(&mut self, key: u32, bounds: Aabb<S, D>) -> Result<(), IndexError> {
        SpatialIndex::set_bounds(self, key, bounds)
    }

    fn remove(&mut self, key: u32) {
        SpatialIndex::remove(self, key);
    }

    fn set_motion(&mut self, key: u32, motion: Motion) -> Result<(), IndexError> {
        SpatialIndex::set_motion(self, key, motion)
    }

    fn get(&self, key: u32) -> Option<Body<S, D>> {
        let entry = SpatialIndex::get(self, key)?;
        let motion = SpatialIndex::motion(self, key).unwrap_or_default();
        Some(Body { bounds: entry.bounds, proxy: *entry.data, motion })
    }

    fn set_proxy(&mut self, key: u32, proxy: Proxy) {
        if let Some(data) = self.data_mut(key) {
            *data = proxy;
        }
    }

    fn clear(&mut self) {
        SpatialIndex::clear(self);
    }

    fn update(&mut self, change: &mut Change<'_, S, D>) -> Result<(), IndexError> {
        SpatialIndex::update(self, change)
    }

    fn update_dynamic(&mut self, change: &mut Change<'_, S, D>) -> Result<(), IndexError> {
        SpatialIndex::update_dynamic(self, change)
    }

    fn par_update(
        &mut self,
        change: &(dyn Fn(u32, &mut Aabb<S, D>) + Sync),
    ) -> Result<(), IndexError> {
        SpatialIndex::par_update(self, |key, _, bounds| change(key, bounds))
    }

    fn each(&self, visit: &mut dyn FnMut(u32, Body<S, D>)) {
        for key in self.order() {
            if let Some(body) = Structure::get(self, key) {
                visit(key, body);
            }
        }
    }

    fn bounds(&self, keys: u32, visit: &mut dyn FnMut(Aabb<S, D>)) {
        for entry in (0..keys).filter_map(|key| SpatialIndex::get(self, key)) {
            visit(entry.bounds);
        }
    }

    fn pairs(&mut self, filters: &Filters, out: &mut Vec<Pair>) {
        if filters.all_agree() {
            SpatialIndex::pairs(self, out);
        } else {
            self.pairs_where(|a, b| filters.accept(a.filter, b.filter), out);
        }
    }

    fn query(&self, region: Region<S, D>, visit: &mut Visit<'_>) {
        let _ = self.query_unordered(region, |entry| visit(entry.key, *entry.data));
    }

    fn query_many(&self, regions: &[Region<S, D>], out: &mut Lists) {
        SpatialIndex::query_many(self, regions, out);
    }

    fn cast(&self, path: Path<S, D>, visit: &mut VisitAt<'_, S::Real>) {
        let _ = SpatialIndex::cast(self, path, |entry, at| visit(entry.key, *entry.data, at));
    }

    fn nearest(&self, target: Target<S, D>, visit: &mut VisitAt<'_, S::Real>) {
        let _ = SpatialIndex::nearest(self, target, |entry, at| visit(entry.key, *entry.data, at));
    }

    fn set_backend(&mut self, backend: Backend) {
        SpatialIndex::set_backend(self, backend);
    }

    fn backend(&self) -> Option<Backend> {
        SpatialIndex::backend(self)
    }

    fn try_reserve(&mut self, additional: usize) -> Result<(), IndexError> {
        SpatialIndex::try_reserve(self, additional)
    }

    fn shrink_to_fit(&mut self) {
        SpatialIndex::shrink_to_fit(self);
    }

    fn memory_use(&self) -> usize {
        SpatialIndex::memory_use(self)
    }

    fn cells(&self, visit: &mut dyn FnMut(u32, Aabb<S, D>)) {
        SpatialIndex::cells(self, visit);
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn optimize(&mut self) {
        SpatialIndex::optimize(self);
    }

    fn boxed_clone(&self) -> Box<dyn Structure<S, D>> {
        Box::new(self.clone())
    }

    fn assert_well_formed(&self) {
        SpatialIndex::assert_well_formed(self);
    }

    #[cfg(feature = "hshg")]
    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}
