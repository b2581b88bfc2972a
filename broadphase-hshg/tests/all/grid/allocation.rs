//! Checks the memory of the hierarchical grid: steady ticks do not allocate, steady insertion and
//! removal do not grow memory, and the bytes for each object are bounded.

use allocation_counter::measure;
use broadphase_core::scenes::{Movers, Scene, SceneName};
use broadphase_hshg::{Aabb, Hshg, Motion, Pair, Scalar, SpatialIndex, SpatialIndexExt};

/// A scene whose objects move, and the key of each object.
struct Swarm<const D: usize> {
    movers: Movers<D>,
    /// Factor for all coordinates, so that integer objects move as well.
    scale: f64,
    keys: Vec<u32>,
    /// The object with each key.
    objects: Vec<u32>,
    /// The number of keys after which keys are reused.
    ring: u32,
    next: u32,
}

impl<const D: usize> Swarm<D> {
    fn new(movers: Movers<D>, scale: f64) -> Self {
        let len = movers.len() as u32;
        let (keys, objects) = ((0..len).collect(), vec![0; 4 * len as usize]);
        Self { movers, scale, keys, objects, ring: 4 * len, next: len }
    }

    fn bounds<S: Scalar>(&self, object: usize) -> Aabb<S, D> {
        let Aabb { min, max } = self.movers.bounds(object);
        let number = |x: f32| S::from_f64(f64::from(x) * self.scale);
        Aabb { min: min.map(number), max: max.map(number) }
    }

    fn all<S: Scalar>(&self) -> impl ExactSizeIterator<Item = (u32, Aabb<S, D>)> + '_ {
        self.keys.iter().enumerate().map(|(object, &key)| (key, self.bounds(object)))
    }

    /// Runs one tick: moves every object, replaces one in a hundred, and finds all pairs.
    fn tick<S: Scalar>(&mut self, world: &mut Hshg<S, D>, number: usize, out: &mut Vec<Pair>) {
        self.movers.tick();
        for (object, &key) in (0..).zip(&self.keys) {
            self.objects[key as usize] = object;
        }
        let step = |key: u32, bounds: &mut Aabb<S, D>| {
            *bounds = self.bounds(self.objects[key as usize] as usize);
        };
        let all_move = world.len() == self.keys.len();
        let walked = if all_move { world.update(step) } else { world.update_dynamic(step) };
        walked.expect("scenes are finite");
        for object in (number % 100..self.keys.len()).step_by(100) {
            let key = self.keys[object];
            assert!(world.remove(key), "the object is there");
            // Every second object is inserted again with another key.
            if object % 2 == 0 {
                self.keys[object] = self.free_key(world);
            }
            let bounds: Aabb<S, D> = self.bounds(object);
            world.insert(self.keys[object], bounds).expect("the key is free");
        }
        world.pairs(out);
    }

    fn free_key<S: Scalar>(&mut self, world: &Hshg<S, D>) -> u32 {
        loop {
            self.next = (self.next + 1) % self.ring;
            if world.get(self.next).is_none() {
                return self.next;
            }
        }
    }
}

/// Makes a thread pool of the current thread only. Allocations of other threads would not be
/// counted.
fn alone() {
    // An error means that the thread is in such a pool already.
    let _ = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
}

fn flat(scene: &str) -> Movers<2> {
    alone();
    match scene.parse::<SceneName>().expect("the scene exists").generate() {
        Scene::Flat(movers) => movers,
        _ => panic!("{scene} is flat"),
    }
}

fn solid(scene: &str) -> Movers<3> {
    alone();
    match scene.parse::<SceneName>().expect("the scene exists").generate() {
        Scene::Solid(movers) => movers,
        _ => panic!("{scene} is not flat"),
    }
}

/// Checks that a thousand ticks do not allocate after a warm-up.
fn a_thousand_after<S: Scalar, const D: usize>(
    warm_up: usize,
    mut world: Hshg<S, D>,
    movers: Movers<D>,
    scale: f64,
) {
    let mut swarm = Swarm::new(movers, scale);
    world.extend(swarm.all()).expect("scenes are finite");
    let mut pairs = Vec::new();
    for number in 0..warm_up {
        swarm.tick(&mut world, number, &mut pairs);
    }
    // Reserve the caller's buffer, so that only allocations of the grid are counted.
    pairs.reserve(8 * pairs.len());
    let (mut fewest, mut most) = (usize::MAX, 0);
    let mut taken = Vec::with_capacity(1000);
    let all = measure(|| {
        for number in 0..1000 {
            let one = measure(|| swarm.tick(&mut world, number, &mut pairs));
            (fewest, most) = (fewest.min(pairs.len()), most.max(pairs.len()));
            if one.count_total > 0 {
                taken.push((number, one.count_total, one.bytes_total));
            }
        }
    });
    assert!(fewest < most, "the number of pairs fluctuates");
    assert_eq!(all.count_total, 0, "tick, times, bytes: {taken:?}");
}

#[test]
fn steady_ticks_in_the_plane() {
    a_thousand_after(1000, Hshg::<f32, 2>::new(), flat("tail:3000"), 1.0);
    a_thousand_after(1000, Hshg::<f32, 2>::new(), flat("discs:4000"), 1.0);
    a_thousand_after(1000, Hshg::<i32, 2>::new(), flat("tail:3000"), 16.0);
    a_thousand_after(1000, Hshg::<i32, 2>::new(), flat("clustered:3000"), 16.0);
}

#[test]
fn steady_ticks_in_space() {
    a_thousand_after(1000, Hshg::<f64, 3>::new(), solid("tail3:2000"), 1.0);
    a_thousand_after(1000, Hshg::<f64, 3>::new(), solid("discs3:4000"), 1.0);
}

/// Checks ticks among ten times as many static objects.
fn a_thousand_among<S: Scalar, const D: usize>(rest: Movers<D>, movers: Movers<D>, scale: f64) {
    let mut world: Hshg<S, D> = Hshg::new();
    let mut all = Swarm::new(rest, scale);
    all.keys.iter_mut().for_each(|key| *key += 1_000_000);
    world.extend(all.all()).expect("scenes are finite");
    for &key in &all.keys {
        world.set_motion(key, Motion::Static).expect("the object exists");
    }
    // The warm-up is longer, because with few objects it takes long to reach the maximum number of
    // simultaneous insertions.
    a_thousand_after(4000, world, movers, scale);
}

#[test]
fn steady_ticks_among_static_objects() {
    a_thousand_among::<f32, 2>(flat("discs:3000"), flat("discs:300:2"), 1.0);
    a_thousand_among::<i32, 2>(flat("tail:3000"), flat("tail:300:2"), 16.0);
    a_thousand_among::<f64, 3>(solid("discs3:3000"), solid("discs3:300:2"), 1.0);
}

/// Checks that memory does not grow after the first 10 % of many ticks.
#[test]
fn churn_does_not_grow_memory() {
    let thorough = std::env::var_os("HEXPHASE_THOROUGH").is_some();
    let part = if thorough { 10_000 } else { 400 };
    let mut swarm = Swarm::new(flat("tail:10000"), 1.0);
    let mut world: Hshg<f32, 2> = Hshg::new();
    world.extend(swarm.all()).expect("scenes are finite");
    // Reserve the caller's buffer, so that only allocations of the grid are counted.
    let mut pairs = Vec::with_capacity(1 << 18);
    let mut peaks = Vec::new();
    let mut held = 0;
    for tenth in 0..10 {
        let taken = measure(|| {
            for number in 0..part {
                swarm.tick(&mut world, tenth * part + number, &mut pairs);
            }
        });
        peaks.push(held + taken.bytes_max as i64);
        held += taken.bytes_current;
    }
    println!("{} ticks: peaks over what there was at first: {peaks:?}", 10 * part);
    assert!(peaks[1..].iter().all(|&peak| peak <= peaks[0]), "{peaks:?}");
}

/// Returns the allocated bytes per object: at the peak, and at the end.
fn bytes_each<S: Scalar>(reserved: bool) -> [f64; 2] {
    let mut swarm = Swarm::new(flat("discs:1000000"), 1.0);
    let objects: Vec<(u32, Aabb<S, 2>)> = swarm.all().collect();
    let mut moved: Vec<Aabb<S, 2>> = Vec::with_capacity(objects.len());
    let mut world: Hshg<S, 2> = Hshg::new();
    let mut pairs = Vec::with_capacity(4 * objects.len());
    let [mut peak, mut held] = [0, 0];
    let mut note = |change: &mut dyn FnMut()| {
        let taken = measure(change);
        peak = peak.max(held + taken.bytes_max as i64);
        held += taken.bytes_current;
    };
    note(&mut || {
        if reserved {
            world.extend(objects.iter().copied()).expect("scenes are finite");
        } else {
            for &(key, bounds) in &objects {
                world.insert(key, bounds).expect("scenes are finite");
            }
        }
    });
    for _tick in 0..10 {
        swarm.movers.tick();
        moved.clear();
        moved.extend((0..objects.len()).map(|object| swarm.bounds::<S>(object)));
        note(&mut || {
            world.update(|key, bounds| *bounds = moved[key as usize]).expect("all are finite");
            world.pairs_unordered(&mut pairs);
        });
    }
    assert!(!pairs.is_empty(), "there are pairs");
    assert_eq!(world.memory_use() as i64, held, "the reported memory is the measured memory");
    [peak, held].map(|bytes| bytes as f64 / objects.len() as f64)
}

#[test]
fn bytes_per_object_are_bounded() {
    for (what, [peak, held]) in [
        ("f32, extended", bytes_each::<f32>(true)),
        ("i32, extended", bytes_each::<i32>(true)),
        ("f32, one by one", bytes_each::<f32>(false)),
        ("i32, one by one", bytes_each::<i32>(false)),
    ] {
        println!("{what}: {held:.1} bytes for an object, {peak:.1} at the peak");
        // If no memory was reserved, a growing buffer has up to twice the capacity that it needs.
        let most = if what.ends_with("extended") { 64.0 } else { 96.0 };
        assert!(peak <= most, "{what}: {peak:.1} bytes at the peak");
    }
}

/// Checks that the memory of rows is reused after all objects have drifted away from them.
#[test]
fn drifting_does_not_grow_memory() {
    for count in [40u32, 3000] {
        let mut world: Hshg<f32, 2> = Hshg::new();
        for key in 0..count {
            let center = [(key % 55 * 3) as f32, (key / 55 * 3) as f32];
            world.insert(key, Aabb::of_ball(center, 1.0)).expect("the key is free");
        }
        let mut pairs = Vec::new();
        let mut held = Vec::new();
        for _ in 0..10 {
            for _ in 0..200 {
                let drift = |_, bounds: &mut Aabb<f32, 2>| {
                    *bounds = bounds.translated([0.0, 3.0]);
                };
                world.update(drift).expect("not far yet");
                world.pairs(&mut pairs);
            }
            held.push(world.memory_use());
        }
        world.assert_well_formed();
        assert!(held[1..].iter().all(|&bytes| bytes <= held[0] * 2), "{count} objects: {held:?}");
    }
}
