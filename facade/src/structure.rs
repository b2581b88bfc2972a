//! Any structure behind one face: a virtual call for each public call, never for each pair.

use alloc::boxed::Box;
use alloc::vec::Vec;

use broadphase_core::{Aabb, Backend, Filter, IndexError, Motion, Pair, Scalar, SpatialIndex};

/// What a structure stores with each object of a world: whom it may meet.
///
/// A structure of your own works under a world if it is a
/// [`SpatialIndex`] with this as its data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Proxy {
    /// Whom it may meet.
    pub filter: Filter,
}

impl Proxy {
    /// Whether the two may be a pair, unless both are static.
    #[inline]
    #[must_use]
    pub fn accepts(&self, other: &Self) -> bool {
        self.filter.accepts(&other.filter)
    }
}

/// All that a structure knows of an object.
#[derive(Clone, Copy)]
pub(crate) struct Body<S, const D: usize> {
    pub(crate) bounds: Aabb<S, D>,
    pub(crate) proxy: Proxy,
    pub(crate) motion: Motion,
}

/// What a world needs of its structure.
pub(crate) trait Structure<S, const D: usize>: Send + Sync {
    fn insert(&mut self, key: u32, body: Body<S, D>) -> Result<(), IndexError>;
    fn set_bounds(&mut self, key: u32, bounds: Aabb<S, D>) -> Result<(), IndexError>;
    fn remove(&mut self, key: u32);
    fn set_motion(&mut self, key: u32, motion: Motion) -> Result<(), IndexError>;
    fn get(&self, key: u32) -> Option<Body<S, D>>;
    fn set_proxy(&mut self, key: u32, proxy: Proxy);
    fn clear(&mut self);
    fn update(&mut self, change: &mut dyn FnMut(u32, &mut Aabb<S, D>)) -> Result<(), IndexError>;
    fn each(&self, visit: &mut dyn FnMut(u32, Body<S, D>));
    fn pairs(&mut self, out: &mut Vec<Pair>);
    fn query(&self, region: Aabb<S, D>, mask: u64, visit: &mut dyn FnMut(u32));
    fn set_backend(&mut self, backend: Backend);
    fn backend(&self) -> Option<Backend>;
    fn try_reserve(&mut self, additional: usize) -> Result<(), IndexError>;
    fn optimize(&mut self);
    fn boxed_clone(&self) -> Box<dyn Structure<S, D>>;
    fn assert_well_formed(&self);
}

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
        let motion = self.motion(key).unwrap_or_default();
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

    fn update(&mut self, change: &mut dyn FnMut(u32, &mut Aabb<S, D>)) -> Result<(), IndexError> {
        SpatialIndex::update(self, |key, _, bounds| change(key, bounds))
    }

    fn each(&self, visit: &mut dyn FnMut(u32, Body<S, D>)) {
        for key in self.order() {
            if let Some(body) = Structure::get(self, key) {
                visit(key, body);
            }
        }
    }

    fn pairs(&mut self, out: &mut Vec<Pair>) {
        self.pairs_where(Proxy::accepts, out);
    }

    fn query(&self, region: Aabb<S, D>, mask: u64, visit: &mut dyn FnMut(u32)) {
        self.query_unordered(region, |entry| {
            if entry.data.filter.layers & mask != 0 {
                visit(entry.key);
            }
        });
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

    fn optimize(&mut self) {
        SpatialIndex::optimize(self);
    }

    fn boxed_clone(&self) -> Box<dyn Structure<S, D>> {
        Box::new(self.clone())
    }

    fn assert_well_formed(&self) {
        SpatialIndex::assert_well_formed(self);
    }
}
