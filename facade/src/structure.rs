//! Any structure behind one face: a virtual call for each public call, never for each pair.

use alloc::boxed::Box;
use alloc::vec::Vec;

use broadphase_core::{Aabb, Backend, Filter, IndexError, Pair, Scalar, SpatialIndex};

/// How an object moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Motion {
    /// It may move at any time.
    #[default]
    Dynamic,
    /// It stays: two static objects are never a pair.
    Static,
    /// It rests for now. A hint that may save time and changes no answer.
    Sleeping,
}

/// What a structure stores with each object of a world: whether it may be in a pair.
///
/// A structure of your own works under a world if it is a
/// [`SpatialIndex`] with this as its data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Proxy {
    /// Whom it may meet.
    pub filter: Filter,
    /// How it moves.
    pub motion: Motion,
}

impl Proxy {
    /// Whether the two may be a pair.
    #[inline]
    #[must_use]
    pub fn accepts(&self, other: &Self) -> bool {
        let both_static = self.motion == Motion::Static && other.motion == Motion::Static;
        !both_static && self.filter.accepts(&other.filter)
    }
}

/// What a world needs of its structure.
pub(crate) trait Structure<S, const D: usize>: Send + Sync {
    fn insert(&mut self, key: u32, bounds: Aabb<S, D>, proxy: Proxy) -> Result<(), IndexError>;
    fn set_bounds(&mut self, key: u32, bounds: Aabb<S, D>) -> Result<(), IndexError>;
    fn remove(&mut self, key: u32);
    fn get(&self, key: u32) -> Option<(Aabb<S, D>, Proxy)>;
    fn set_proxy(&mut self, key: u32, proxy: Proxy);
    fn clear(&mut self);
    fn update(&mut self, change: &mut dyn FnMut(u32, &mut Aabb<S, D>)) -> Result<(), IndexError>;
    fn each(&self, visit: &mut dyn FnMut(u32, Aabb<S, D>, Proxy));
    fn pairs(&mut self, out: &mut Vec<Pair>);
    fn query(&self, region: Aabb<S, D>, mask: u64, visit: &mut dyn FnMut(u32));
    fn set_backend(&mut self, backend: Backend);
    fn backend(&self) -> Option<Backend>;
    fn try_reserve(&mut self, additional: usize) -> Result<(), IndexError>;
    fn boxed_clone(&self) -> Box<dyn Structure<S, D>>;
    fn assert_well_formed(&self);
}

impl<S: Scalar, const D: usize, I> Structure<S, D> for I
where
    I: SpatialIndex<S, D, Data = Proxy> + 'static,
{
    fn insert(&mut self, key: u32, bounds: Aabb<S, D>, proxy: Proxy) -> Result<(), IndexError> {
        SpatialIndex::insert(self, key, bounds, proxy)
    }

    fn set_bounds(&mut self, key: u32, bounds: Aabb<S, D>) -> Result<(), IndexError> {
        SpatialIndex::set_bounds(self, key, bounds)
    }

    fn remove(&mut self, key: u32) {
        SpatialIndex::remove(self, key);
    }

    fn get(&self, key: u32) -> Option<(Aabb<S, D>, Proxy)> {
        SpatialIndex::get(self, key).map(|entry| (entry.bounds, *entry.data))
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

    fn each(&self, visit: &mut dyn FnMut(u32, Aabb<S, D>, Proxy)) {
        for key in self.order() {
            if let Some(entry) = SpatialIndex::get(self, key) {
                visit(key, entry.bounds, *entry.data);
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

    fn boxed_clone(&self) -> Box<dyn Structure<S, D>> {
        Box::new(self.clone())
    }

    fn assert_well_formed(&self) {
        SpatialIndex::assert_well_formed(self);
    }
}
