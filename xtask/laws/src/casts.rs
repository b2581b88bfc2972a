//! The law of casts at the limits of the number range. Paths whose fractions overflow find exactly
//! the objects for which `Path::first_touch` returns a fraction.

use broadphase_core::{Aabb, Path, SpatialIndexExt};

use crate::Together;
use crate::numbers::Numbers;
use crate::queries::{self, Objects, Query};

/// Defines the tests of casts for one structure: `casts!(name, constructor)`.
#[macro_export]
macro_rules! casts {
    ($name:ident, $make:expr) => {
        #[test]
        fn $name() {
            use $crate::Together;

            $crate::casts::the_longest_and_the_shortest_way(|| Together::on_each_backend($make));
            $crate::casts::rays_with_overflowing_fractions_touch_the_objects_of_the_definition(
                || Together::on_each_backend($make),
            );
        }
    };
}

/// Casts a path at each object alone and at all objects, both while they are pending and after
/// `optimize`. Asserts that the hits are the objects for which `Path::first_touch` returns a
/// fraction.
fn check<S: Numbers, const D: usize>(
    make: fn() -> Together<S, D>,
    path: Path<S, D>,
    objects: &[Aabb<S, D>],
) {
    let alone = objects.iter().map(core::slice::from_ref);
    for (objects, pending) in alone.chain([objects]).flat_map(|some| [(some, true), (some, false)])
    {
        let mut world = make();
        let objects: Objects<S, D> = (0..).zip(objects.iter().copied()).collect();
        world.extend(objects.iter().map(|(&key, &bounds)| (key, bounds))).expect("valid");
        if !pending {
            world.optimize();
        }
        queries::check(&world, &objects, &Query::Path(path));
    }
}

/// Asserts that a segment over the whole number range, whose length overflows, and a ray with a
/// subnormal direction, whose fractions overflow, touch the expected objects.
pub fn the_longest_and_the_shortest_way(make: fn() -> Together<f64, 3>) {
    let path = Path::segment([f64::MIN, 0.0, 0.0], [f64::MAX, 0.0, 0.0]);
    let mut objects = vec![Aabb::point([0.0; 3]); 9];
    objects.push(Aabb::new([1e300, 0.0, 0.0], [f64::MAX, 0.0, 0.0]));
    check(make, path, &objects);
    let path = Path::ray([0.0, -5e-324, -5e-324], [-0.0, -5e-324, -5e-324]);
    check(make, path, &[Aabb::new([0.0, -0.5, -1.0], [0.5, 0.0, -1.0])]);
}

/// Asserts that a ray with a subnormal direction component and overflowing fractions touches the
/// expected ones of 400 objects. The objects differ by one representable number each, so the ray
/// just touches some and just misses others.
pub fn rays_with_overflowing_fractions_touch_the_objects_of_the_definition(
    make: fn() -> Together<f32, 2>,
) {
    let path = Path::ray([6.0, -4.5], [1e-45f32, 1.147_347_8e-7]);
    // At about this x the ray reaches the upper ends of the objects, at y = 3e38.
    let object = |step: u32| {
        let x = f32::from_bits(9.664_04f32.to_bits() - 200 + step);
        Aabb::new([x, -5.0], [x + 1.0, 3e38])
    };
    check(make, path, &(0..400).map(object).collect::<Vec<_>>());
}
