//! Checks which objects are tested, and the nodes of the trees. Objects changed by key are sorted well
//! into the existing order: a join needs about as many tests as after a full sort. Far outliers do
//! not slow down the others.

use broadphase_core::{Backend, BruteForce};
use broadphase_morton::{Aabb, MortonCells, Motion, Scalar, SpatialIndex, SpatialIndexExt};

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

const SIDE: u32 = 50;
const COUNT: u32 = SIDE * SIDE;

/// Returns the square at a place of the field; different squares do not touch.
fn tile(place: u32) -> Aabb<f32, 2> {
    Aabb::around([place % SIDE, place / SIDE].map(|n| n as f32), [0.25; 2])
}

#[test]
fn objects_changed_by_key_are_sorted_in() {
    let mut places: Vec<u32> = (0..COUNT).map(|n| n * 1007 % COUNT).collect();
    let mut world = MortonCells::new();
    let tiles = (0..COUNT).zip(&places).map(|(key, &place)| (key, tile(place)));
    world.extend(tiles).expect("invalid bounds");
    let fresh = tests(&mut world);
    for tick in 0..100 {
        for swap in 0..10 {
            let [a, b] = [tick * 10 + swap, tick * 17 + swap * 101 + 3].map(|n| n % COUNT);
            places.swap(a as usize, b as usize);
            for key in [a, b] {
                let bounds = tile(places[key as usize]);
                if (tick + swap) % 3 == 0 {
                    assert!(world.remove(key), "unknown key");
                    world.insert(key, bounds).expect("key in use");
                } else {
                    world.set_bounds(key, bounds).expect("unknown key");
                }
            }
        }
        // In some ticks, a walk, a far outlier, or many objects that become static cause a new sort
        // of all objects.
        let answer = match tick {
            30 => world.update(|_, bounds| bounds.max[0] += 0.125),
            50 => world.insert(COUNT, Aabb::around([1e4; 2], [0.25; 2])),
            _ => Ok(()),
        };
        answer.expect("invalid bounds or key in use");
        match tick {
            60 => (0..400).for_each(|key| {
                world.set_motion(key, Motion::Static).expect("unknown key");
            }),
            70 => world.shrink_to_fit(),
            80 => (0..400)
                .for_each(|key| world.set_motion(key, Motion::Dynamic).expect("unknown key")),
            _ => {}
        }
        let found = tests(&mut world);
        // While there are static objects, the join of the two layers adds tests.
        let most = if (60..80).contains(&tick) { fresh * 5 / 2 } else { fresh * 3 / 2 };
        assert!(found <= most, "{found} tests in tick {tick}, {fresh} after the first sort");
    }
}

/// Creates points one unit apart, in a square.
fn lattice<const D: usize>(place: impl Fn(f32, f32) -> [f32; D]) -> MortonCells<f32, D> {
    let mut world = MortonCells::new();
    let points = (0..10_000).map(|n| (n, place((n % 100) as f32, (n / 100) as f32)));
    let objects = points.map(|(n, at)| (n, Aabb::point(at)));
    world.extend(objects).expect("duplicate key");
    world.optimize();
    world
}

fn assert_spacing_is_about_one<S: Scalar, const D: usize>(mut world: MortonCells<S, D>) {
    let far = |axis: usize| S::from_f64(if axis == 0 { 1e9 } else { -1e9 });
    for sort in 0..3 {
        let spacing = world.state().spacing.expect("no spacing");
        assert!((0.5..2.0).contains(&spacing), "spacing {spacing} with {sort} outliers");
        let outlier = match sort {
            0 => Aabb::point(core::array::from_fn(far)),
            _ => Aabb::new([S::from_f64(-1e9); D], [S::from_f64(1e9); D]),
        };
        world.insert(10_000 + sort, outlier).expect("key in use");
        world.optimize();
    }
}

#[test]
fn far_or_huge_objects_do_not_change_the_spacing() {
    assert_spacing_is_about_one(lattice(|x, y| [x, y]));
    assert_spacing_is_about_one(lattice(|x, y| [x, y, 5.0]));
    assert_spacing_is_about_one(lattice(|x, y| [-3.0, x, y]));
}

#[test]
fn coinciding_points_have_no_spacing() {
    assert_eq!(lattice(|_, _| [7.0]).state().spacing, None);
    assert_eq!(MortonCells::<f64, 2>::new().state().spacing, None);
}

/// Checks that a field of squares needs at most twice as many tests far from the origin as near it.
#[test]
fn extreme_coordinates_are_ordered_well() {
    let tests_of_squares = |origin: f32, step: f32| {
        let mut world: MortonCells<f32, 2> = MortonCells::new();
        let square = |n: u32| {
            let at = [n % 50, n / 50].map(|n| origin + n as f32 * step);
            Aabb::around(at, [step * 0.25; 2])
        };
        // Insert the squares in scrambled order.
        let squares = (0..2500).map(|n| (n, square(n * 1007 % 2500)));
        world.extend(squares).expect("invalid bounds");
        tests(&mut world)
    };
    let expected = tests_of_squares(0.0, 1.0);
    for (origin, step) in [(2e38, 1e33), (-2e38, 2e36), (0.0, 1e-37)] {
        let found = tests_of_squares(origin, step);
        assert!(found <= 2 * expected, "{found} tests at {origin}, {expected} at the origin");
    }
}
