//! Checks that far outliers and objects with equal codes do not slow down the others.

use broadphase_morton::{Aabb, MortonCells, Scalar, SpatialIndex, SpatialIndexExt};

/// Creates points one unit apart, in a square.
fn square<const D: usize>(place: impl Fn(f32, f32) -> [f32; D]) -> MortonCells<f32, D> {
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
    assert_spacing_is_about_one(square(|x, y| [x, y]));
    assert_spacing_is_about_one(square(|x, y| [x, y, 5.0]));
    assert_spacing_is_about_one(square(|x, y| [-3.0, x, y]));
}

#[test]
fn coinciding_points_have_no_spacing() {
    assert_eq!(square(|_, _| [7.0]).state().spacing, None);
    assert_eq!(MortonCells::<f64, 2>::new().state().spacing, None);
}

/// Checks that a field of squares needs at most twice as many tests far from the origin as near it.
#[test]
fn extreme_coordinates_are_ordered_well() {
    let tests = |origin: f32, step: f32| {
        let mut world: MortonCells<f32, 2> = MortonCells::new();
        let square = |n: u32| {
            let at = [n % 50, n / 50].map(|n| origin + n as f32 * step);
            Aabb::around(at, [step * 0.25; 2])
        };
        // Insert the squares in scrambled order.
        let squares = (0..2500).map(|n| (n, square(n * 1007 % 2500)));
        world.extend(squares).expect("invalid bounds");
        let mut pairs = Vec::new();
        world.pairs(&mut pairs);
        assert_eq!(pairs, [[0; 2]; 0], "pairs of disjoint squares");
        world.state().search.map_or(0, |search| search.tests)
    };
    let expected = tests(0.0, 1.0);
    for (origin, step) in [(2e38, 1e33), (-2e38, 2e36), (0.0, 1e-37)] {
        let found = tests(origin, step);
        assert!(found <= 2 * expected, "{found} tests at {origin}, {expected} at the origin");
    }
}
