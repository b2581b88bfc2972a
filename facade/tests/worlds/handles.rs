//! Handles, and the selection of the structure.

use hexphase::{Aabb, Algorithm, BroadPhase, Error, Filter, Handle};

type World = BroadPhase<f32, 2, u32>;

fn disc(x: f32) -> Aabb {
    Aabb::of_ball([x, 0.0], 1.0)
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
        fill(&mut world, count);
        let many = if cfg!(feature = "hshg") { "hshg" } else { "hash with cells of " };
        let choice = world.choice().to_string();
        assert!(choice.starts_with(if few { "brute" } else { many }), "{choice} for {count}");
    }
}

#[test]
#[cfg(feature = "hash")]
fn cell_size_is_updated_when_the_number_of_objects_changes() {
    let hash = hexphase::Options::new().algorithm(Algorithm::Hash);
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
