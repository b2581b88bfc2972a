//! A structure supplied by the caller: it works in a world and receives all calls.

use alloc::sync::Arc;
use core::ops::ControlFlow;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;

use hexphase::{
    Aabb, Backend, BroadPhase, BruteForce, Filter, IndexError, IndexObject, IndexState,
    Maintenance, Motion, Object, Options, Pair, PairSearch, Search, SpatialIndex, SpatialIndexExt,
    Visit, Walk,
};

/// Brute force that records calls. It implements the required methods and those whose calls it
/// records; all others are the defaults of the trait.
#[derive(Clone, Default)]
struct Own {
    objects: BruteForce<f32, 2>,
    backends: Arc<Mutex<Vec<Backend>>>,
    optimized: Arc<Mutex<usize>>,
    /// Number of searches for pairs.
    searches: Arc<Mutex<usize>>,
    /// Number of changes since the last call of `optimize`.
    pending: usize,
    /// Sum of `pending` over all queries.
    pending_tests: Arc<AtomicUsize>,
}

impl SpatialIndex<f32, 2> for Own {
    fn insert_many(&mut self, objects: &[IndexObject]) -> Result<(), IndexError> {
        self.pending += objects.len();
        self.objects.insert_many(objects)
    }
    fn set_bounds(&mut self, key: u32, bounds: Aabb) -> Result<(), IndexError> {
        self.pending += 1;
        self.objects.set_bounds(key, bounds)
    }
    fn set_motion(&mut self, key: u32, motion: Motion) -> Result<(), IndexError> {
        self.objects.set_motion(key, motion)
    }
    fn remove_many(&mut self, keys: &[u32]) -> Result<(), IndexError> {
        self.objects.remove_many(keys)
    }
    fn get(&self, key: u32) -> Option<IndexObject> {
        self.objects.get(key)
    }
    fn len(&self) -> usize {
        self.objects.len()
    }
    fn keys(&self) -> Vec<u32> {
        self.objects.keys()
    }
    fn clear(&mut self) {
        self.objects.clear();
    }
    fn walk(&mut self, walk: Walk<'_, f32, 2>) -> Result<(), IndexError> {
        self.objects.walk(walk)
    }
    fn find_pairs(&mut self, search: &PairSearch<'_>, out: &mut Vec<Pair>) {
        *self.searches.lock().unwrap() += 1;
        self.objects.find_pairs(search, out);
    }
    fn visit(&self, search: &Search, visit: &mut Visit<'_, f32, 2>) -> ControlFlow<()> {
        self.pending_tests.fetch_add(self.pending, Ordering::Relaxed);
        self.objects.visit(search, visit)
    }
    fn state(&self) -> IndexState {
        IndexState { pending: self.pending, ..IndexState::default() }
    }
    fn memory_use(&self) -> usize {
        self.objects.memory_use()
    }
    fn set_backend(&mut self, backend: Backend) {
        self.backends.lock().unwrap().push(backend);
    }
    fn maintain(&mut self, task: Maintenance) -> Result<(), IndexError> {
        if task == Maintenance::Optimize {
            self.pending = 0;
            *self.optimized.lock().unwrap() += 1;
        }
        Ok(())
    }
    fn boxed_clone(&self) -> Box<dyn SpatialIndex<f32, 2>> {
        Box::new(self.clone())
    }
}

/// Objects of the worlds in tests of pending objects.
#[cfg(feature = "std")]
const OBJECTS: usize = 1000;

/// Returns a world with [`OBJECTS`] discs in a row, without a step, the number of tests of pending
/// objects, and the number of calls of `optimize`.
#[cfg(feature = "std")]
fn row() -> (BroadPhase<f32, 2, u32>, Arc<AtomicUsize>, Arc<Mutex<usize>>) {
    let own = Own::default();
    let (tests, calls) = (Arc::clone(&own.pending_tests), Arc::clone(&own.optimized));
    let mut world = BroadPhase::with_index(own, Options::new());
    for n in 0..OBJECTS as u32 {
        world.insert(Aabb::of_ball([n as f32, 0.0], 1.0), n).unwrap();
    }
    (world, tests, calls)
}

#[test]
#[cfg(feature = "std")]
fn queries_without_a_step_test_pending_objects_a_few_times_only() {
    let (mut world, tests, calls) = row();
    for n in 0..2 * OBJECTS {
        let expected = (n.saturating_sub(1)..=n + 1).filter(|&at| at < OBJECTS).count();
        assert_eq!(world.query([n as f32, 0.5]).to_vec().len(), expected);
    }
    assert_eq!(tests.load(Ordering::Relaxed), 3 * OBJECTS);
    assert_eq!(*calls.lock().unwrap(), 1, "one copy was refreshed");
    // The next change continues with the copy: only the new object is pending.
    world.insert(Aabb::of_ball([0.0, 9.0], 1.0), 0).unwrap();
    assert_eq!(world.query([0.0, 9.0]).to_vec().len(), 1);
    assert_eq!(tests.load(Ordering::Relaxed), 3 * OBJECTS + 1);
    world.assert_well_formed();
    // A clone has no pending objects either.
    let (world, tests, _) = row();
    let _ = world.query([0.0; 2]).to_vec().len();
    let many = vec![hexphase::Region::point([5.5, 0.0]); 9];
    world.query_many(&many).write_to(&mut hexphase::Lists::default());
    let before = tests.load(Ordering::Relaxed);
    let _ = world.clone().query([0.0; 2]).to_vec().len();
    assert_eq!(tests.load(Ordering::Relaxed), before);
}

#[test]
#[cfg(feature = "std")]
fn queries_between_changes_test_few_pending_objects() {
    let (mut world, tests, calls) = row();
    world.step();
    let rounds = 20 * OBJECTS;
    let mut oldest = alloc::collections::VecDeque::new();
    for n in 0..rounds {
        oldest.push_back(world.insert(Aabb::of_ball([0.0, n as f32], 1.0), 7).unwrap());
        if oldest.len() > 9 {
            world.remove(oldest.pop_front().unwrap()).unwrap();
        }
        assert!(!world.query([0.0, n as f32]).to_vec().is_empty());
    }
    // Without maintenance the last query alone would test as many objects as there are rounds.
    assert!(tests.load(Ordering::Relaxed) < 100 * rounds);
    assert!((rounds / 100..rounds / 50).contains(&*calls.lock().unwrap()));
}

#[test]
#[cfg(feature = "std")]
fn few_queries_and_few_pending_objects_cause_no_maintenance() {
    let (mut world, _, calls) = row();
    for _ in 0..3 {
        let _ = world.query([0.0; 2]).to_vec().len();
    }
    assert_eq!(*calls.lock().unwrap(), 0);
    world.optimize();
    for n in 0..64 {
        world.insert(Aabb::of_ball([0.0, 0.0], 1.0), n).unwrap();
    }
    for _ in 0..OBJECTS {
        let _ = world.query([0.0; 2]).to_vec().len();
    }
    assert_eq!(*calls.lock().unwrap(), 1);
}

#[test]
fn nothing_is_searched_if_no_filters_accept_each_other() {
    let crowds = [
        [Filter::ALL.owner(1); 2],
        [Filter::ALL.group(-1); 2],
        [Filter::layers(1).mask(2).owner(1), Filter::layers(1).mask(2).owner(2)],
    ];
    for [a, b] in crowds {
        let own = Own::default();
        let searches = Arc::clone(&own.searches);
        let mut world: BroadPhase = BroadPhase::with_index(own, Options::new());
        let mut insert = |filter| {
            world.insert_object(Object::new(Aabb::point([0.0; 2]), ()).filter(filter)).unwrap()
        };
        let objects = [a, a, b, b].map(&mut insert);
        world.step();
        assert_eq!((world.pairs().len(), *searches.lock().unwrap()), (0, 0), "{a:?}");
        world.set_filter(objects[1], Filter::ALL).unwrap();
        world.set_filter(objects[2], Filter::ALL).unwrap();
        world.step();
        assert_eq!((world.pairs().len(), *searches.lock().unwrap()), (5, 1), "{a:?}");
        world.set_filter(objects[1], a).unwrap();
        world.set_filter(objects[2], b).unwrap();
        world.step();
        assert_eq!((world.ended().len(), *searches.lock().unwrap()), (5, 1), "{a:?}");
    }
}

#[test]
fn backends_and_maintenance_are_passed_to_the_structure() {
    let own = Own::default();
    let (backends, calls) = (Arc::clone(&own.backends), Arc::clone(&own.optimized));
    let options = Options::new().backend(Backend::SCALAR);
    let mut world: BroadPhase = BroadPhase::with_index(own, options);
    assert_eq!(*backends.lock().unwrap(), [Backend::SCALAR]);
    for backend in Backend::available() {
        world.set_backend(backend);
        assert_eq!(world.backend(), backend);
        assert_eq!(backends.lock().unwrap().last(), Some(&backend));
    }
    world.optimize();
    world.step();
    assert_eq!(*calls.lock().unwrap(), 1, "a step does not call it again");
}

#[test]
#[should_panic(expected = "the structure of a new world must be empty")]
fn a_structure_with_objects_is_rejected() {
    let mut own = Own::default();
    own.insert(0, Aabb::point([0.0, 0.0])).unwrap();
    let _: BroadPhase = BroadPhase::with_index(own, Options::new());
}
