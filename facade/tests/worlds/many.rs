//! Worlds with more objects than the laws use: events on several threads, lists of objects, and
//! queries of worlds that make no steps.

use broadphase_core::Pair;
use broadphase_core::scenes::{Movers, Scene, SceneName};
use hexphase::{Aabb, Algorithm, BroadPhase, Error, Handle, Object, Options, Overlaps};

type World = BroadPhase<f32, 2, u32>;

fn flat(name: &str) -> Movers<2> {
    let Scene::Flat(scene) = name.parse::<SceneName>().unwrap().generate() else {
        panic!("{name} is not flat");
    };
    scene
}

fn slots(overlaps: Overlaps<'_, u32>) -> Vec<Pair> {
    overlaps.map(|overlap| overlap.handles.map(Handle::index)).collect()
}

/// Returns a hash of the pairs and events of some ticks. All objects move; some are replaced.
fn events(threads: usize) -> (Vec<u64>, usize) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let mut scene = flat("tail:20000");
        let mut world = World::new();
        let mut handles: Vec<Handle> = (0..)
            .zip(scene.all_bounds())
            .map(|(user, bounds)| world.insert(bounds.enlarged(12.0), user).unwrap())
            .collect();
        let (mut last, mut hashes) = (Vec::new(), Vec::new());
        for tick in 0..4 {
            scene.tick();
            world
                .par_update(|_, &user, bounds| *bounds = scene.bounds(user as usize).enlarged(12.0))
                .unwrap();
            if tick == 1 {
                handles.drain(10_000..10_100).for_each(|object| _ = world.remove(object));
            }
            // In the last ticks, objects are replaced, so their pairs end and begin.
            let replaced: Vec<u32> = if tick < 2 { Vec::new() } else { vec![0, 777, 9_999] };
            for &user in &replaced {
                let bounds = world.get(handles[user as usize]).unwrap().bounds;
                world.remove(handles[user as usize]);
                handles[user as usize] = world.insert(bounds, user).unwrap();
            }
            world.step();
            let (now, began, ended) =
                (slots(world.pairs()), slots(world.began()), slots(world.ended()));
            let differs = |pair: &Pair, other: &[Pair]| {
                other.binary_search(pair).is_err() || pair.iter().any(|at| replaced.contains(at))
            };
            assert!(began.iter().eq(now.iter().filter(|pair| differs(pair, &last))));
            assert!(ended.iter().eq(last.iter().filter(|pair| differs(pair, &now))));
            hashes.push(world.state_hash());
            last = now;
        }
        let (mut saved, mut early) = (Vec::new(), Vec::new());
        world.snapshot_into(&mut early);
        scene.tick();
        world.update(|_, &mut user, bounds| *bounds = scene.bounds(user as usize)).unwrap();
        world.restore(&early).unwrap();
        world.snapshot_into(&mut saved);
        assert!(saved == early, "a restored world has another snapshot");
        world.step();
        assert_eq!((slots(world.pairs()), world.began().len()), (last.clone(), 0));
        (hashes, last.len())
    })
}

#[test]
fn events_are_equal_on_any_number_of_threads() {
    let (expected, pairs) = events(1);
    assert!(pairs > 2 * 16_384, "too few pairs to compare on two threads: {pairs}");
    for threads in [2, 3, 4, 5, 6, 7, 8, 9, 16, 32] {
        assert_eq!(events(threads).0, expected, "{threads} threads");
    }
}

#[test]
fn a_rejected_list_leaves_an_empty_world_unchanged() {
    for &algorithm in Algorithm::ALL {
        let options = Options::new().algorithm(algorithm);
        let mut world = World::with_options(options);
        let before = (world.choice(), world.state_hash());
        let disc = |n: u16| Aabb::of_ball([f32::from(n), 0.0], 0.75);
        let all: Vec<_> = (0..300).map(|n| Object::new(disc(n), 7)).collect();
        // An invalid object at any place of a block.
        for place in [0, 1, 63, 64, 65, 128, 299] {
            let (mut list, mut handles) = (all.clone(), Vec::new());
            list[place].bounds.min[0] = f32::NAN;
            let result = world.insert_many(&list, &mut handles);
            assert!(matches!(result, Err(Error::InvalidAt { index, .. }) if index == place));
            assert_eq!((world.choice(), world.state_hash()), before);
            assert!(world.is_empty() && handles.is_empty());
        }
        let mut handles = Vec::new();
        world.insert_many(&all, &mut handles).unwrap();
        world.step();
        assert_eq!((handles.len(), world.pairs().len()), (300, 299), "{algorithm}");
    }
}

#[test]
fn objects_are_inserted_with_all_that_is_set() {
    let mut world = World::new();
    let mut object = Object::new(Aabb::of_ball([1.0, 2.0], 0.5), 7);
    object = object.motion(hexphase::Motion::Sleeping).filter(hexphase::Filter::layers(6).mask(3));
    object.swept = true;
    let one = world.insert_object(object).unwrap();
    let mut many = Vec::new();
    world.insert_many(&[object, Object::new(object.bounds, 7)], &mut many).unwrap();
    assert_eq!([one, many[0]].map(|handle| world.get(handle)), [Some(object); 2]);
    assert_eq!(world.get(many[1]), Some(Object::new(object.bounds, 7)));
}

#[cfg(feature = "std")]
fn rod([x, y]: [i32; 2], size: i32) -> Aabb {
    Aabb::around([x as f32, y as f32], [size as f32 * 0.5, 1.0])
}

#[test]
#[cfg(feature = "std")]
fn threads_that_query_at_once_find_what_one_thread_finds() {
    for &algorithm in Algorithm::ALL {
        let mut world = World::with_options(Options::new().algorithm(algorithm));
        for n in 0..2000 {
            world.insert(rod([n % 50 * 3, n / 50 * 3], 5), n as u32).unwrap();
        }
        let optimized = {
            let mut world = world.clone();
            world.optimize();
            world
        };
        let search = |world: &World, seed: i32| {
            (0..200)
                .map(|n| world.query(rod([n * 7 % 150, (n + seed) % 120], 9)).to_vec())
                .collect()
        };
        std::thread::scope(|scope| {
            let (world, search) = (&world, &search);
            let threads: Vec<_> =
                (0..4).map(|seed| scope.spawn(move || search(world, seed))).collect();
            for (seed, thread) in (0..).zip(threads) {
                let found: Vec<Vec<Handle>> = thread.join().unwrap();
                assert_eq!(found, search(&optimized, seed), "{algorithm}");
            }
        });
        world.assert_well_formed();
    }
}

#[test]
#[cfg(all(feature = "hash", feature = "std"))]
fn queries_select_the_structure_of_a_world_that_makes_no_step() {
    let mut world = World::with_options(Options::new().algorithm(Algorithm::Hash));
    for n in 0..1000 {
        world.insert(rod([n % 50 * 3, n / 50 * 3], 5), n as u32).unwrap();
    }
    assert_eq!(world.choice().algorithm, Some(Algorithm::Brute));
    let found = |world: &World| world.query(rod([30, 30], 9)).to_vec();
    let first = found(&world);
    for _ in 0..4 {
        assert_eq!(found(&world), first);
    }
    assert_eq!(world.choice().algorithm, Some(Algorithm::Hash));
    world.insert(rod([0, 0], 1), 0).unwrap();
    assert_eq!(world.choice().algorithm, Some(Algorithm::Hash));
    assert_eq!(found(&world), first);
}
