//! The nearest objects of every object, found by a k-d tree, against one search per object; and the
//! neighbors of points, found in strips, against the definition.

use broadphase_core::{
    Aabb, Backend, BruteForce, Near, Neighbors, SpatialIndex, SpatialIndexExt, query,
};
use laws::numbers::Numbers;
use laws::random::Random;
use laws::threads::with_threads;
use proptest::prelude::*;

/// A cluster: center, number of objects, spread, longest side of an object, and random seed.
type Cluster = ([i8; 3], usize, u32, u32, u64);

fn clusters() -> impl Strategy<Value = Vec<Cluster>> {
    let center = prop::array::uniform3(-20i8..20);
    // One cluster in two has coincident objects or points; one in ten has many objects.
    let count = prop_oneof![9 => 1usize..120, 1 => 1200usize..1500];
    let cluster = (center, count, 0u32..50, 0u32..4, any::<u64>());
    prop::collection::vec(cluster, 1..5)
}

/// Returns the objects of some clusters, in a unit of length. One object in fifty is large.
fn world<S: Numbers, const D: usize>(clusters: &[Cluster], unit: f64) -> BruteForce<S, D> {
    let mut world = BruteForce::new();
    for &(center, count, spread, side, seed) in clusters {
        let mut numbers = Random::new(seed);
        for _ in 0..count {
            let mut random = |below: u32| f64::from(numbers.below(below + 1)) * 0.25;
            let large = if random(50) == 0.0 { 100.0 } else { 1.0 };
            let mut bounds = Aabb::point([S::ZERO; D]);
            for (axis, &center) in center.iter().enumerate().take(D) {
                let at = f64::from(center) + random(spread);
                let end = at + random(side) * large;
                bounds.min[axis] = S::from_f64(at.clamp(-16.0, 16.0) * unit);
                bounds.max[axis] = S::from_f64(end.clamp(-16.0, 16.0) * unit);
            }
            let key = 3 * world.len() as u32;
            world.insert(key, bounds).expect("a free key and valid bounds");
        }
    }
    world
}

fn check<S: Numbers, const D: usize>(world: &BruteForce<S, D>, count: usize) {
    let mut expected = Neighbors::default();
    query::find_neighbors_by_visits(world, Near::Nearest(count), &mut expected);
    for threads in [1, 3] {
        let mut found = Neighbors::default();
        with_threads(threads, || world.nearest_to_each(count, &mut found));
        assert!(found == expected, "{count} of {}, {threads} threads", world.len());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn the_tree_finds_the_nearest_objects(
        clusters in clusters(),
        unit in any::<prop::sample::Index>(),
        is_plain in any::<bool>(),
        count in prop_oneof![0usize..12, 12usize..60],
    ) {
        let unit = |scales: &[f64]| if is_plain { 1.0 } else { *unit.get(scales) };
        check(&world::<f32, 3>(&clusters, unit(f32::SCALES)), count);
        check(&world::<f64, 2>(&clusters, unit(f64::SCALES)), count);
        check(&world::<i32, 1>(&clusters, 8.0 * unit(i32::SCALES)), count);
    }
}

#[test]
fn distances_whose_squares_underflow_are_ordered() {
    let mut world: BruteForce<f32, 2> = BruteForce::new();
    // The squares of the distances of the first points are all rounded to 0; the other points make
    // the radius larger.
    let near = (0..40u8).rev().map(|at| [f32::from(at) * 1e-24, 0.0]);
    let far = (1..200u8).map(|at| [f32::from(at % 15), f32::from(at / 15)].map(|x| x * 1e-14));
    for (key, at) in (0..).zip(near.chain(far)) {
        world.insert(key, Aabb::point(at)).expect("a free key");
    }
    check(&world, 5);
}

/// Checks the neighbors within a radius of points that are spread over a cube with this side.
fn neighbors_match<const D: usize>(count: u32, side: u32, radius: i32) {
    let mut random = Random::new(u64::from(count));
    let mut point = || core::array::from_fn(|_| random.below(side) as i32);
    let points: Vec<[i32; D]> = (0..count).map(|_| point()).collect();
    let is_near = |a: &[i32; D], b: &[i32; D]| {
        let squares = a.iter().zip(b).map(|(a, b)| (a - b).pow(2));
        squares.sum::<i32>() <= radius.pow(2)
    };
    for backend in Backend::available() {
        let mut found = Neighbors::default();
        assert!(query::neighbors_of_points(&points, backend, radius, &mut found));
        for (own, list) in found.iter() {
            let others = (0..count).filter(|&other| {
                other != own && is_near(&points[own as usize], &points[other as usize])
            });
            assert!(list.iter().copied().eq(others), "{count} in {side} on {backend}: {list:?}");
        }
    }
}

#[test]
fn neighbors_of_points_match_the_definition() {
    // Many strips, and lists of more than 256 neighbors.
    for [count, side, radius] in [[30, 9, 2], [400, 30, 4], [500, 30, 10], [300, 9, 9]] {
        neighbors_match::<1>(count, side, radius as i32);
        neighbors_match::<2>(count, side, radius as i32);
        neighbors_match::<3>(count, side, radius as i32);
    }
}
