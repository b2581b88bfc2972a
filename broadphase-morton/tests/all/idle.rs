//! Checks that work is not repeated needlessly: pairs of unchanged objects come from a cache,
//! and static objects are never tested against each other. Also compares the results with brute
//! force.

use broadphase_core::BruteForce;
use broadphase_morton::{Aabb, MortonCells, Motion, Pair, Scalar, SpatialIndex, SpatialIndexExt};
use laws::backends::{in_turn, on_each};

/// The structure and a brute-force index, which never caches.
struct Both<S: Scalar> {
    world: MortonCells<S, 2>,
    oracle: BruteForce<S, 2>,
}

impl<S: Scalar> Both<S> {
    /// Creates a grid of boxes that touch their neighbors.
    fn new(count: u32) -> Self {
        let (mut world, mut oracle) = (in_turn(MortonCells::new()), BruteForce::new());
        for key in 0..count {
            let at = [key % 40, key / 40].map(|x| S::from_f64(f64::from(x) * 8.0));
            let bounds = Aabb::new(at, at.map(|x| x.plus(S::from_f64(8.0))));
            world.insert(key, bounds).expect("key in use");
            oracle.insert(key, bounds).expect("key in use");
        }
        Self { world, oracle }
    }

    /// Finds pairs, asserts that they are right, and returns the number of tests.
    fn tests(&mut self) -> u64 {
        let (mut found, mut expected) = (Vec::new(), Vec::new());
        self.world.pairs(&mut found);
        self.oracle.pairs(&mut expected);
        assert!(found == expected, "{} pairs, not {}", found.len(), expected.len());
        let tests = self.world.stats().tests;
        let mut visited: Vec<Pair> = Vec::new();
        self.world.pairs_unordered(&mut visited);
        visited.sort_unstable();
        assert!(visited == expected, "unordered pairs differ from ordered ones");
        self.world.assert_well_formed();
        tests
    }

    /// Searches until the pairs come from the cache.
    fn settle_cache(&mut self) {
        assert!(self.tests() > 0 || self.world.stats().cached > 0);
        assert_eq!(self.tests(), 0, "an unchanged world was tested again");
        assert!(self.world.stats().cached > 0, "pairs are not cached");
    }
}

/// A change applied to both structures.
type Change<S> = fn(&mut Both<S>);

fn changes<S: Scalar>() -> [(&'static str, Change<S>); 9] {
    fn far<S: Scalar>(key: u32) -> Aabb<S, 2> {
        Aabb::point([S::from_f64(f64::from(key % 7) * 20.0 + 3.0); 2])
    }
    [
        ("insert", |both| {
            both.world.insert(5000, far(5000)).expect("key in use");
            both.oracle.insert(5000, far(5000)).expect("key in use");
        }),
        ("set_bounds", |both| {
            both.world.set_bounds(77, far(77)).expect("unknown key");
            both.oracle.set_bounds(77, far(77)).expect("unknown key");
        }),
        ("static", |both| {
            for key in 1980..1998 {
                both.world.set_motion(key, Motion::Static).expect("unknown key");
                both.oracle.set_motion(key, Motion::Static).expect("unknown key");
            }
        }),
        ("dynamic", |both| {
            for key in (0..30).chain(1985..1995) {
                both.world.set_motion(key, Motion::Dynamic).expect("unknown key");
                both.oracle.set_motion(key, Motion::Dynamic).expect("unknown key");
            }
        }),
        ("remove", |both| {
            for key in [5, 99, 1111] {
                assert_eq!(both.world.remove(key), both.oracle.remove(key));
            }
        }),
        ("update", |both| {
            let step = |key: u32, bounds: &mut Aabb<S, 2>| {
                if key % 50 == 3 {
                    *bounds = far(key);
                }
            };
            both.world.update(step).expect("invalid bounds");
            both.oracle.update(step).expect("invalid bounds");
        }),
        ("retain", |both| {
            both.world.retain(|key, _| key % 11 > 0).expect("invalid bounds");
            both.oracle.retain(|key, _| key % 11 > 0).expect("invalid bounds");
        }),
        ("update_dynamic", |both| {
            let step = |key: u32, bounds: &mut Aabb<S, 2>| {
                if key % 60 == 4 {
                    *bounds = far(key);
                }
            };
            both.world.update_dynamic(step).expect("invalid bounds");
            both.oracle.update_dynamic(step).expect("invalid bounds");
        }),
        ("clear", |both| {
            both.world.clear();
            both.oracle.clear();
            both.world.insert(1, far(1)).expect("key in use");
            both.world.insert(2, far(1)).expect("key in use");
            both.oracle.insert(1, far(1)).expect("key in use");
            both.oracle.insert(2, far(1)).expect("key in use");
        }),
    ]
}

fn changes_invalidate_the_pair_cache<S: Scalar>() {
    for statics in [0, 1500, 1990] {
        let mut both = Both::<S>::new(2000);
        for key in 0..statics {
            both.world.set_motion(key, Motion::Static).expect("unknown key");
            both.oracle.set_motion(key, Motion::Static).expect("unknown key");
        }
        both.settle_cache();
        for (what, change) in changes() {
            change(&mut both);
            assert!(both.tests() > 0, "{what} did not invalidate the cache, {statics} static");
            both.settle_cache();
        }
    }
}

#[test]
fn every_change_invalidates_the_pair_cache() {
    on_each(changes_invalidate_the_pair_cache::<f32>);
    on_each(changes_invalidate_the_pair_cache::<f64>);
    on_each(changes_invalidate_the_pair_cache::<i32>);
}

#[test]
fn static_objects_are_never_tested_against_each_other() {
    on_each(|| {
        let mut both = Both::<f32>::new(2000);
        for key in 0..2000 {
            both.world.set_motion(key, Motion::Static).expect("unknown key");
            both.oracle.set_motion(key, Motion::Static).expect("unknown key");
        }
        assert_eq!(both.tests(), 0);
        both.world.set_motion(1000, Motion::Dynamic).expect("unknown key");
        both.oracle.set_motion(1000, Motion::Dynamic).expect("unknown key");
        let tests = both.tests();
        assert!((1..100).contains(&tests), "{tests} tests for one moving object");
    });
}

#[test]
fn nodes_of_the_largest_bounds_are_finite() {
    let mut world: MortonCells<f64, 2> = MortonCells::new();
    world.insert(0, Aabb::new([f64::MIN; 2], [f64::MAX; 2])).expect("invalid bounds");
    world.insert(1, Aabb::new([f64::MIN; 2], [0.0; 2])).expect("invalid bounds");
    world.insert(2, Aabb::new([1.0; 2], [f64::MAX; 2])).expect("invalid bounds");
    let mut pairs = Vec::new();
    for _ in 0..3 {
        world.pairs(&mut pairs);
        assert_eq!(pairs, [[0, 1], [0, 2]]);
        world.assert_well_formed();
    }
    world.cells(|_, cell| assert!(cell.checked().is_ok(), "{cell:?} is not finite"));
    let mut nearest = Vec::new();
    world.nearest([0.5; 2], |entry, _| nearest.push(entry.key));
    assert_eq!(nearest, [0, 1, 2]);
}

#[test]
fn nodes_enclose_all_objects_that_are_not_pending() {
    on_each(|| {
        let mut both = Both::<f32>::new(1003);
        both.world.optimize();
        both.world.insert(2000, Aabb::point([999.0; 2])).expect("key in use");
        both.world.remove(17);
        let mut levels: Vec<Vec<Aabb>> = Vec::new();
        both.world.cells(|level, cell| {
            levels.resize_with(levels.len().max(level as usize + 1), Vec::new);
            levels[level as usize].push(cell);
        });
        let stats = both.world.stats();
        assert_eq!((stats.depth(), stats.waiting, stats.gaps, stats.objects), (3, 1, 1, 1003));
        let counts: Vec<usize> = levels.iter().map(Vec::len).collect();
        assert_eq!(counts, [126, 16, 2], "number of nodes per level");
        for (level, stats) in levels.iter().zip(&stats.levels) {
            assert_eq!((stats.moving, stats.resting, stats.objects), (level.len(), 0, 1002));
            for key in both.world.order().filter(|&key| key < 1003) {
                let bounds = both.world.get(key).expect("unknown key").bounds;
                let holds = |cell: &&Aabb| {
                    (0..2).all(|a| cell.min[a] <= bounds.min[a] && bounds.max[a] <= cell.max[a])
                };
                assert!(level.iter().any(|cell| holds(&cell)), "{key} is in no node");
            }
        }
        let stopped = both.world.cells(|level, _| {
            if level == 0 {
                core::ops::ControlFlow::Break(level)
            } else {
                panic!("visited after a break")
            }
        });
        assert!(stopped.is_break());
    });
}
