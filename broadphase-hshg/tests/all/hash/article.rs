//! Checks each item of the article on spatial hashing; the numbers are those of COVERAGE.md.

use broadphase_core::{BruteForce, Motion};
use broadphase_hshg::{Aabb, Scalar, SpatialHash, SpatialIndex, SpatialIndexExt};
use laws::Together;
use laws::random::Random;

fn pairs<S: Scalar, const D: usize>(index: &mut impl SpatialIndex<S, D>) -> Vec<[u32; 2]> {
    let mut pairs = Vec::new();
    index.assert_well_formed();
    index.pairs(&mut pairs);
    pairs
}

fn query<S: Scalar, const D: usize>(
    index: &impl SpatialIndex<S, D>,
    region: impl Into<Aabb<S, D>>,
) -> Vec<u32> {
    let mut found = Vec::new();
    index.query(region.into(), &mut found);
    found
}

#[test]
fn points_and_boxes_of_any_size_are_in_one_bin() {
    // S5, S6: a point or box is in one bin, however many cells it touches; its pairs and queries
    // find it in all of them.
    let mut world: SpatialHash<f32, 2> = SpatialHash::new(1.0);
    let boxes = [
        Aabb::point([1.0, 1.0]),
        Aabb::new([3.0, 1.0], [5.0, 2.0]),
        Aabb::new([0.0, 0.0], [12.0, 8.0]),
        Aabb::new([-1e30, 0.0], [1e30, 1e30]),
    ];
    world.extend((0..).zip(boxes)).expect("the keys are free");
    let levels: Vec<_> = world.levels().iter().map(|level| (level.level, level.objects)).collect();
    // Bins of level 0 have 2 cells a side, those of level 3 have 16. The last level has 2^31.
    assert_eq!(levels, [(0, 1), (1, 1), (3, 1), (30, 1)]);
    assert_eq!(pairs(&mut world), [[0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]);
    // Objects in different bins that share only a corner are found.
    world.insert(4, Aabb::new([12.0, 8.0], [13.0, 9.0])).expect("the key is free");
    assert_eq!(query(&world, Aabb::point([12.0, 8.0])), [2, 3, 4]);
}

/// Finds all pairs. Returns them and the number of tests.
fn tests(world: &mut SpatialHash<f32, 2>) -> (Vec<[u32; 2]>, u64) {
    let found = pairs(world);
    (found, world.state().search.expect("tests are counted").tests)
}

#[test]
fn recommended_cells_are_good() {
    // S12, S13: the recommended cell side, and the tests with other sides.
    let mut random = Random::new(2000);
    let mut below = |limit: f32| random.unit() as f32 * limit;
    let mut object =
        |key| (key, Aabb::around([below(100.0), below(100.0)], [below(1.0), below(1.0)]));
    let all: Vec<_> = (0..2000).map(&mut object).collect();
    let rule = SpatialHash::<f32, 2>::recommend(all.iter().map(|object| object.1));
    assert!((1.9..2.1).contains(&rule), "twice the size of the average object: {rule}");
    let mut world: SpatialHash<f32, 2> = SpatialHash::new(rule);
    world.extend(all.iter().copied()).expect("all bounds are valid");
    let (expected, good) = tests(&mut world);
    let per_pair = good / expected.len() as u64;
    assert!(per_pair < 100, "{per_pair} tests for a pair");
    for side in [1e-3, 0.1, 7.0, 500.0, 1e8] {
        world.set_cell(side);
        assert_eq!(world.cell(), side);
        let (found, tests) = tests(&mut world);
        assert_eq!(found, expected);
        // Small cells cost time, not tests: objects are in bins as large as they are.
        assert!(side < rule || tests > good, "{tests} tests with sides of {side}, {good}");
    }
}

#[test]
fn extreme_coordinates_have_cells() {
    let corners = [f32::MIN, -1.0, 0.0, f32::MIN_POSITIVE, 1.0, f32::MAX];
    for side in [f32::MIN_POSITIVE, 1.0, f32::MAX] {
        let hash = Together::one(SpatialHash::<f32, 2>::new(side));
        let mut both = Together::of([hash, Together::one(BruteForce::new())]);
        let mut key = 0;
        for (low, &min) in corners.iter().enumerate() {
            for &max in &corners[low..] {
                for bounds in [Aabb::new([min; 2], [max; 2]), Aabb::new([min; 2], [max, min])] {
                    both.insert(key, bounds).expect("the key is free");
                    key += 1;
                }
            }
        }
        pairs(&mut both);
        for key in (0..key).step_by(3) {
            both.set_motion(key, Motion::Static).expect("the object exists");
        }
        pairs(&mut both);
        let all = Aabb::new([f32::NEG_INFINITY; 2], [f32::INFINITY; 2]);
        assert_eq!(query(&both, all).len(), key as usize);
    }
}
