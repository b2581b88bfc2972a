//! Handles, distances of any magnitude, and the selection of the structure.

use hexphase::{Aabb, Algorithm, BroadPhase, Error, Filter, Handle, Options};

type World = BroadPhase<f32, 2, u32>;

fn disc(x: f32) -> Aabb {
    Aabb::of_ball([x, 0.0], 1.0)
}

#[test]
fn worlds_of_any_scale_order_by_distance() {
    for &algorithm in Algorithm::ALL {
        for scale in [1e-45f32, 1e-38, 1e-30, 1e-20, 1.0, 1e18, 1e25, 1e37] {
            // Nine objects, the farthest first; the largest gap is twice the largest coordinate.
            let mut world: BroadPhase<f32, 2> =
                BroadPhase::with_options(Options::new().algorithm(algorithm));
            let at = |n: u8| Aabb::point([f32::from(n) * scale, 0.0]);
            let mut objects: Vec<Handle> =
                (0..9).map(|n| world.insert(at(33 - 4 * n), ()).unwrap()).collect();
            objects.reverse();
            let target = [-33.0 * scale, 0.0];
            let found = |most: usize| -> Vec<Handle> {
                world.nearest(target).take(most).to_vec().iter().map(|near| near.object).collect()
            };
            assert_eq!(found(9), objects, "{algorithm:?} at {scale}");
            assert_eq!(found(2), objects[..2], "{algorithm:?} at {scale}");
            let within = |n: f32| world.nearest([0.0; 2]).within(n * scale).to_vec().len();
            assert_eq!([within(4.0), within(5.0), within(12.0)], [1, 2, 3]);
        }
    }
}

#[test]
fn the_structure_follows_the_number_of_objects() {
    let mut world: BroadPhase<f32, 2, u32> = BroadPhase::new();
    let mut all: Vec<Handle> = Vec::new();
    let structure = |world: &World| world.choice().algorithm.map(Algorithm::name);
    for n in 0..1000 {
        if n <= 256 {
            assert_eq!(structure(&world), Some("brute"), "for {n} objects");
        }
        all.push(world.insert(disc(n as f32 * 1.5), n).unwrap());
    }
    if cfg!(feature = "hshg") {
        assert_eq!(structure(&world), Some("hshg"), "before the first step");
    }
    world.step();
    assert_eq!(world.pairs().len(), 999);
    if cfg!(feature = "hshg") {
        assert_eq!(world.choice().to_string(), "hshg");
    } else if cfg!(feature = "hash") {
        assert_eq!(world.choice().to_string(), "hash with cells of 4");
    }
    for object in all.drain(100..) {
        world.remove(object).unwrap();
    }
    world.step();
    assert_eq!(world.pairs().len(), 99);
    assert_eq!(structure(&world), Some("brute"));
    world.clear();
    assert!(world.is_empty());
    assert_eq!(world.pairs().len(), 99, "pairs stay until the next step");
    world.step();
    assert_eq!(world.pairs().len(), 0);
    world.assert_well_formed();
}

#[test]
fn a_set_algorithm_never_changes() {
    for &algorithm in Algorithm::ALL {
        for count in [1, 1000] {
            let mut world = World::with_options(Options::new().algorithm(algorithm));
            for n in 0..count {
                world.insert(disc(n as f32), n).unwrap();
            }
            world.step();
            let chosen = world.choice().algorithm.unwrap();
            assert!(algorithm == Algorithm::Auto || algorithm == chosen, "{algorithm}");
            assert_ne!(chosen, Algorithm::Auto);
        }
    }
}

/// Sets the number of objects to `count` and steps. Returns the algorithm and the number of objects
/// at its selection.
#[cfg(any(feature = "hash", feature = "hshg"))]
fn fill(world: &mut World, count: u32) -> (Option<Algorithm>, usize) {
    while (world.len() as u32) < count {
        world.insert(disc(0.0), 0).unwrap();
    }
    let surplus: Vec<Handle> = world.handles().skip(count as usize).collect();
    for object in surplus {
        world.remove(object).unwrap();
    }
    world.step();
    (world.choice().algorithm, world.choice().objects)
}

#[test]
#[cfg(any(feature = "hash", feature = "hshg"))]
fn the_choice_of_the_structure_has_hysteresis() {
    let mut world = World::new();
    for (count, few) in
        [(256, true), (257, false), (256, false), (129, false), (128, true), (256, true)]
    {
        let brute = fill(&mut world, count).0 == Some(Algorithm::Brute);
        assert_eq!(brute, few, "{count}");
    }
}

#[test]
#[cfg(feature = "hash")]
fn cell_size_is_updated_when_the_number_of_objects_changes() {
    let hash = Options::new().algorithm(Algorithm::Hash);
    let mut world = World::with_options(hash);
    for (count, measured) in [(257, 257), (514, 257), (515, 515), (256, 256), (129, 256)] {
        assert_eq!(fill(&mut world, count), (Some(Algorithm::Hash), measured), "{count}");
    }
    let mut given = World::with_options(hash.smallest_cell(5.0));
    for count in [300, 700] {
        assert_eq!(fill(&mut given, count), (Some(Algorithm::Hash), 1), "a set cell size stays");
        assert_eq!(given.choice().cell, Some(5.0));
    }
}

#[test]
fn dangling_handles_name_no_object() {
    let mut world = World::new();
    for len in 0..3 {
        let (none, mut state) = (Handle::default(), Vec::new());
        assert_eq!((none, none.to_string().as_str()), (Handle::DANGLING, "dangling"));
        world.snapshot_into(&mut state);
        let stale = Err(Error::Stale { object: none });
        assert!(!world.contains(none) && world.get(none).is_none());
        assert_eq!(world.remove(none), None);
        assert_eq!(world.set_bounds(none, disc(1.0)).map(drop), stale);
        assert_eq!(world.set_filter(none, Filter::NONE).map(drop), stale);
        assert_eq!(world.set_swept(none, true).map(drop), stale);
        assert_eq!(world.query(disc(0.0)).except(none).to_vec().len(), len);
        world.restore(&state).unwrap();
        let object = world.insert(disc(0.0), 1).unwrap();
        assert!(object < none && object != none);
        world.step();
    }
}

#[test]
fn algorithm_names_round_trip() {
    for &algorithm in Algorithm::ALL {
        assert_eq!(algorithm.to_string().parse(), Ok(algorithm));
    }
    let unknown = "bvh".parse::<Algorithm>().unwrap_err();
    assert!(unknown.to_string().starts_with("unknown algorithm; there are auto, brute"));
}
