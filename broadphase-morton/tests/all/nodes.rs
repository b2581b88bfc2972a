//! Checks which objects are tested, and the nodes of the trees.

use broadphase_core::{Backend, BruteForce};
use broadphase_morton::{Aabb, MortonCells, Motion, SpatialIndex, SpatialIndexExt};

/// Creates a square of boxes that touch their neighbors.
fn square(backend: Backend, count: u32) -> MortonCells<f32, 2> {
    println!("on {backend}");
    let mut world: MortonCells<f32, 2> = MortonCells::new();
    world.set_backend(backend);
    let boxes = (0..count).map(|key| {
        let min = [key % 40, key / 40].map(|x| x as f32 * 8.0);
        (key, Aabb::new(min, min.map(|x| x + 8.0)))
    });
    world.extend(boxes).expect("the keys are free");
    world
}

/// Finds pairs, asserts that they are those of brute force, and returns the number of tests.
fn tests(world: &mut MortonCells<f32, 2>) -> u64 {
    let mut oracle: BruteForce<f32, 2> = BruteForce::new();
    let objects: Vec<_> = world.keys().into_iter().filter_map(|key| world.get(key)).collect();
    oracle.insert_many(&objects).expect("the keys are free");
    let (mut found, mut expected) = (Vec::new(), Vec::new());
    world.pairs(&mut found);
    oracle.pairs(&mut expected);
    assert!(found == expected, "{} pairs, not {}", found.len(), expected.len());
    world.assert_well_formed();
    world.state().search.map_or(0, |search| search.tests)
}

#[test]
fn static_objects_are_never_tested_against_each_other() {
    for backend in Backend::available() {
        let mut world = square(backend, 2000);
        for key in 0..2000 {
            world.set_motion(key, Motion::Static).expect("unknown key");
        }
        assert_eq!(tests(&mut world), 0);
        world.set_motion(1000, Motion::Dynamic).expect("unknown key");
        let tests = tests(&mut world);
        assert!((1..100).contains(&tests), "{tests} tests for one moving object");
    }
}

#[test]
fn nodes_of_the_largest_bounds_are_finite() {
    let mut world: MortonCells<f64, 2> = MortonCells::new();
    world.insert(0, Aabb::new([f64::MIN; 2], [f64::MAX; 2])).expect("invalid bounds");
    world.insert(1, Aabb::new([f64::MIN; 2], [0.0; 2])).expect("invalid bounds");
    world.insert(2, Aabb::new([1.0; 2], [f64::MAX; 2])).expect("invalid bounds");
    let mut pairs = Vec::new();
    world.pairs(&mut pairs);
    assert_eq!(pairs, [[0, 1], [0, 2]]);
    world.assert_well_formed();
    let cells = world.cells();
    assert!(cells.iter().all(|(_, cell)| cell.checked().is_ok()), "{cells:?}");
    let mut nearest = Vec::new();
    world.nearest([0.5; 2], |entry, _| nearest.push(entry.key));
    assert_eq!(nearest, [0, 1, 2]);
}

#[test]
fn nodes_enclose_all_objects_that_are_not_pending() {
    for backend in Backend::available() {
        let mut world = square(backend, 1003);
        world.optimize();
        world.insert(2000, Aabb::point([999.0; 2])).expect("key in use");
        world.remove(17);
        assert_eq!(world.state().pending, 1);
        let (levels, cells) = (world.levels(), world.cells());
        let counts: Vec<_> = levels.iter().map(|level| (level.cells, level.objects)).collect();
        assert_eq!(counts, [(126, 1002), (16, 1002), (2, 1002)], "nodes and objects per level");
        for level in levels {
            let nodes: Vec<Aabb> =
                cells.iter().filter(|cell| cell.0 == level.level).map(|cell| cell.1).collect();
            assert_eq!(nodes.len(), level.cells);
            for key in world.keys().into_iter().filter(|&key| key < 1003) {
                let bounds = world.get(key).expect("unknown key").bounds;
                let holds = |cell: &Aabb| {
                    (0..2).all(|a| cell.min[a] <= bounds.min[a] && bounds.max[a] <= cell.max[a])
                };
                assert!(nodes.iter().any(holds), "{key} is in no node");
            }
        }
    }
}
