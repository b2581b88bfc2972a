//! A structure of the user's own under a world: that it serves, and what it is told.

extern crate alloc;

use alloc::sync::Arc;
use std::sync::Mutex;

use hexphase::{
    Aabb, Backend, BroadPhase, BruteForce, Entry, Filter, Flow, IndexError, Motion, Options, Proxy,
    SpatialIndex,
};

/// Brute force that keeps a record of the backends it was given, and only the required methods.
#[derive(Clone, Default)]
struct Own {
    objects: BruteForce<f32, 2, Proxy>,
    backends: Arc<Mutex<Vec<Backend>>>,
}

impl SpatialIndex<f32, 2> for Own {
    type Data = Proxy;

    fn insert(&mut self, key: u32, at: impl Into<Aabb>, data: Proxy) -> Result<(), IndexError> {
        self.objects.insert(key, at, data)
    }
    fn set_bounds(&mut self, key: u32, bounds: impl Into<Aabb>) -> Result<(), IndexError> {
        self.objects.set_bounds(key, bounds)
    }
    fn set_motion(&mut self, key: u32, motion: Motion) -> Result<(), IndexError> {
        self.objects.set_motion(key, motion)
    }
    fn motion(&self, key: u32) -> Option<Motion> {
        self.objects.motion(key)
    }
    fn remove(&mut self, key: u32) -> Option<Proxy> {
        self.objects.remove(key)
    }
    fn get(&self, key: u32) -> Option<Entry<'_, f32, 2, Proxy>> {
        self.objects.get(key)
    }
    fn data_mut(&mut self, key: u32) -> Option<&mut Proxy> {
        self.objects.data_mut(key)
    }
    fn len(&self) -> usize {
        self.objects.len()
    }
    fn clear(&mut self) {
        self.objects.clear();
    }
    fn retain(
        &mut self,
        keep: impl FnMut(u32, &mut Proxy, &mut Aabb) -> bool,
    ) -> Result<(), IndexError> {
        self.objects.retain(keep)
    }
    fn order(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        self.objects.order()
    }
    fn memory_use(&self) -> usize {
        self.objects.memory_use()
    }
    fn pairs_unordered<R: Flow>(
        &mut self,
        visit: impl FnMut(Entry<'_, f32, 2, Proxy>, Entry<'_, f32, 2, Proxy>) -> R,
    ) -> R {
        self.objects.pairs_unordered(visit)
    }
    fn query_unordered<R: Flow>(
        &self,
        region: impl Into<Aabb>,
        visit: impl FnMut(Entry<'_, f32, 2, Proxy>) -> R,
    ) -> R {
        self.objects.query_unordered(region, visit)
    }
    fn set_backend(&mut self, backend: Backend) {
        self.backends.lock().unwrap().push(backend);
    }
}

#[test]
fn the_required_methods_are_enough() {
    let mut world: BroadPhase<f32, 2, u32> = BroadPhase::with_index(Own::default(), Options::new());
    let all: Vec<_> =
        (0..500).map(|n| world.insert(Aabb::of_ball([n as f32, 0.0], 1.0), n).unwrap()).collect();
    world.step();
    assert_eq!(world.pairs().len(), 499 + 498, "discs two apart touch");
    world.update(|_, _, bounds| *bounds = bounds.translated([0.0, 1.0])).unwrap();
    world.remove(all[7]).unwrap();
    assert_eq!(world.query(Aabb::point([7.0, 2.5])).to_vec(), []);
    assert_eq!(world.query(Aabb::point([7.0, 1.0])).to_vec(), [all[6], all[8]]);
    assert_eq!(world.choice().algorithm, None);
    world.assert_well_formed();
}

#[test]
fn backends_are_passed_on() {
    let own = Own::default();
    let told = Arc::clone(&own.backends);
    let options = Options::new().backend(Backend::SCALAR);
    let mut world: BroadPhase = BroadPhase::with_index(own, options);
    assert_eq!(*told.lock().unwrap(), [Backend::SCALAR]);
    for backend in Backend::available() {
        world.set_backend(backend);
        assert_eq!(world.backend(), backend);
        assert_eq!(told.lock().unwrap().last(), Some(&backend));
    }
}

#[test]
#[should_panic(expected = "the structure of a new world must be empty")]
fn a_structure_with_objects_is_refused() {
    let mut own = Own::default();
    own.insert(0, Aabb::point([0.0, 0.0]), Proxy::default()).unwrap();
    let _: BroadPhase = BroadPhase::with_index(own, Options::new());
}
