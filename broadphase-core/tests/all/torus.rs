//! A torus over brute force obeys the laws of the torus; with all sides 0 it obeys all other laws.
//!
//! The torus does not depend on kernels, so these tests run only with all features enabled.

use broadphase_core::torus::World;
use broadphase_core::{
    Aabb, BruteForce, Number, Pair, PairSearch, Path, SpatialIndex, SpatialIndexExt, Torus,
};
use laws::random::Random;

laws::torus!(torus_of_brute_force, BruteForce::default());

laws::spatial_index!(
    few torus_that_does_not_wrap,
    Torus::new(BruteForce::<S, D>::default(), [S::ZERO; D]).expect("0 does not wrap")
);

#[test]
fn all_integers_are_moved_home() {
    let side = 1 << 28;
    let mut world = Torus::new(BruteForce::<i32, 1>::new(), [side]).expect("a valid side");
    world.insert(0, Aabb::point([i32::MIN])).expect("the key is free");
    world.insert(1, Aabb::point([i32::MAX])).expect("the key is free");
    world.insert(2, Aabb::new([i32::MIN], [i32::MAX])).expect("the key is free");
    let bounds: Vec<_> = (0..3).map(|key| world.get(key).expect("inserted above").bounds).collect();
    assert_eq!(bounds, [Aabb::point([0]), Aabb::point([side - 1]), Aabb::new([0], [side]),]);
    assert!(Torus::new(BruteForce::<i32, 1>::new(), [side * 2]).is_err());
}

#[test]
fn endless_rays_end() {
    let mut world = Torus::new(BruteForce::<f32, 2>::new(), [16.0, 16.0]).expect("valid sides");
    world.insert(0, Aabb::of_ball([3.0, 8.0], 0.5)).expect("the key is free");
    world.insert(1, Aabb::of_ball([8.0, 3.0], 0.5)).expect("the key is free");
    let touched = |direction: [f32; 2]| {
        let mut touched = Vec::new();
        world.cast(Path::ray([0.25, 0.25], direction), |entry, _| touched.push(entry.key));
        touched
    };
    assert_eq!(touched([1.0, 1.0]), [0; 0], "the diagonal repeats after one round");
    assert_eq!(touched([1.0, 0.618]).len(), 2, "an irrational slope reaches everything");
    for direction in [[1e-40, 1e-45], [f32::MAX, 1.0], [f32::MAX, f32::MIN], [0.0, 0.0]] {
        assert!(touched(direction).len() <= 2, "any ray ends");
    }
    // The segment goes 9.5 times around the world along the first axis.
    let far = Path::segment([0.0, 8.0], [152.0, 8.0]);
    let mut first = Vec::new();
    world.cast(far, |entry, fraction| first.push((entry.key, fraction)));
    assert_eq!(first, [(0, 2.5 / 152.0)]);
    // The ray touches object 1 at (7.5, 3), then object 0 at (2.75, 7.5), after going once around
    // the world along the first axis.
    let mut first = Vec::new();
    world.cast(Path::ray([0.0, 0.0], [2.5, 1.0]), |entry, f| first.push((entry.key, f)));
    assert!(first.is_sorted_by(|a, b| a.1 <= b.1) && first.len() == 2, "{first:?}");
}

#[test]
fn rays_along_two_of_three_axes_go_around_the_world_many_times() {
    let mut world = Torus::new(BruteForce::<f32, 3>::new(), [16.0; 3]).expect("valid sides");
    world.insert(0, Aabb::of_ball([8.0, 8.5, 5.0], 0.25)).expect("the key is free");
    let mut first = None;
    // Each round along the first axis rises by 1: in round 8 the ray is at y = 8.5 where x = 8.
    world.cast(Path::ray([0.0, 0.0, 5.0], [16.0, 1.0, 0.0]), |_, f| first = first.or(Some(f)));
    assert!(first.is_some_and(|f| (8.0..8.5).contains(&f)), "{first:?}");
}

#[test]
fn a_ray_that_takes_the_smallest_normal_fraction_per_round_finds_objects() {
    let mut world = Torus::new(BruteForce::<f64, 1>::new(), [0.5]).expect("a valid side");
    world.insert(7, Aabb::point([0.25])).expect("the key is free");
    let mut touched = Vec::new();
    world.cast(Path::ray([0.0], [2f64.powi(1021)]), |entry, f| touched.push((entry.key, f)));
    assert_eq!(touched, [(7, f64::MIN_POSITIVE / 2.0)]);
}

#[test]
fn shifts_lead_to_the_nearest_image() {
    let mut random = Random::new(1);
    let mut draw = |below: u32| random.below(below) as i32;
    for _ in 0..20_000 {
        let side = 1 + draw(12);
        let world = World::new([side]).expect("a valid side");
        let [stored, near] = [(); 2].map(|()| {
            let min = draw(100) - 50;
            Aabb::new([min], [min + draw(6)])
        });
        let stored = world.home(stored);
        let gap = |sides: i32| {
            let below = near.min[0] - stored.max[0] - sides * side;
            let above = stored.min[0] - near.max[0] + sides * side;
            (below.max(above).max(0), sides.abs())
        };
        let nearest = (-120..=120).map(gap).min().expect("some images");
        let shift = world.shift(&stored, &near).expect("a valid box")[0];
        assert_eq!(gap(shift), nearest, "{stored:?} near {near:?} in {side}");
        assert_eq!(world.distance(&stored, &world.home(near)), f64::from(nearest.0));
    }
}

#[test]
fn pairs_across_seams_are_part_of_the_memory() {
    let mut world = Torus::new(BruteForce::<f32, 1>::new(), [16.0]).expect("a valid side");
    for key in 0..40 {
        world.insert(key, Aabb::new([15.0], [17.0])).expect("the key is free");
        world.insert(40 + key, Aabb::new([0.5], [1.0])).expect("the key is free");
    }
    let (before, mut pairs) = (world.memory_use(), Vec::new());
    world.find_pairs(&PairSearch::OVERLAPS, &mut pairs);
    assert_eq!(pairs.len(), 80 * 79 / 2);
    assert!(world.memory_use() >= before + 40 * 40 * size_of::<Pair>());
}

#[test]
fn rays_end_in_tiny_and_huge_worlds() {
    fn rays_end<S: Number>(side: f64) {
        let at = |x: f64| [S::from_f64(x); 3];
        let mut world = Torus::new(BruteForce::<S, 3>::new(), at(side)).expect("valid sides");
        world.insert(0, Aabb::point(at(side * 0.5))).expect("the key is free");
        world.insert(1, Aabb::new(at(side * 0.75), at(side))).expect("the key is free");
        for direction in [[1.0, 0.5, 0.3], [1e30, 1e-30, 1.0], [0.0, 1e-44, 3e38]] {
            let direction = direction.map(S::from_f64);
            let mut count = 0;
            world.cast(Path::ray(at(0.0), direction), |_, _| count += 1);
            world.cast(Path::segment(at(-3e38), direction), |_, _| count += 1);
            assert!(count <= 4, "{count}");
        }
    }
    for side in [f32::MIN_POSITIVE, 2f32.powi(124), 1e-45, 1.0, 0.1, 360.0, 4e-45, f32::MAX / 8.0] {
        rays_end::<f32>(side.into());
        rays_end::<f64>(side.into());
    }
    for side in [f64::MAX / 8.0, 5e-324, 1e-308, 0.1] {
        rays_end::<f64>(side);
    }
}
