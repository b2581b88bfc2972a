//! The law of casts at the ends of numbers: paths whose fractions are beyond all numbers find what
//! the definition of a touch says.

use broadphase_core::{Aabb, Path, Scalar, SpatialIndex};

use crate::Together;

/// Makes the tests of casts for one structure: `casts!(name, constructor)`.
#[macro_export]
macro_rules! casts {
    ($name:ident, $make:expr) => {
        $crate::tests!(
            $name,
            || $crate::Together::on_each_backend($make),
            casts::a_way_longer_than_all_numbers,
            casts::a_way_so_short_that_fractions_have_no_end,
            casts::what_is_hardly_touched_beyond_the_largest_fraction
        );
    };
}

/// Casts at each object alone, and at all of them, while they wait for their places and after.
fn check<S: Scalar, const D: usize>(
    make: fn() -> Together<S, D>,
    path: Path<S, D>,
    objects: &[Aabb<S, D>],
) {
    let alone = objects.iter().map(core::slice::from_ref);
    for (objects, waits) in alone.chain([objects]).flat_map(|some| [(some, true), (some, false)]) {
        let mut world = make();
        world.extend((0..).zip(objects).map(|(key, &bounds)| (key, bounds, key))).expect("valid");
        if !waits {
            world.optimize();
        }
        let mut found = Vec::new();
        world.cast(path, |entry, fraction| found.push((entry.key, fraction)));
        found.sort_by_key(|&(key, _)| key);
        let touched = (0..)
            .zip(objects)
            .filter_map(|(key, bounds)| path.first_touch(bounds).map(|fraction| (key, fraction)));
        assert_eq!(found, touched.collect::<Vec<_>>(), "{path:?}");
    }
}

/// A way from the least number to the largest touches what it touches by definition.
///
/// # Panics
/// If not.
pub fn a_way_longer_than_all_numbers(make: fn() -> Together<f64, 3>) {
    let path = Path::segment([f64::MIN, 0.0, 0.0], [f64::MAX, 0.0, 0.0]);
    let far = Aabb::new([1e300, 0.0, 0.0], [f64::MAX, 0.0, 0.0]);
    let mut objects = vec![Aabb::point([0.0; 3]); 9];
    objects.push(far);
    check(make, path, &objects);
}

/// A ray whose direction has the least numbers touches what it touches by definition.
///
/// # Panics
/// If not.
pub fn a_way_so_short_that_fractions_have_no_end(make: fn() -> Together<f64, 3>) {
    let way = [-0.0, -5e-324, -5e-324];
    let object = Aabb::new([0.0, -0.5, -1.0], [0.5, 0.0, -1.0]);
    check(make, Path::ray([0.0, -5e-324, -5e-324], way), &[object]);
}

/// What a ray leaves just there is touched, or not, by definition.
///
/// # Panics
/// If not.
pub fn what_is_hardly_touched_beyond_the_largest_fraction(make: fn() -> Together<f32, 2>) {
    let path = Path::ray([6.0, -4.5], [1e-45f32, 1.147_347_8e-7]);
    // Around where the way leaves the objects at their far end.
    let object = |step: u32| {
        let x = f32::from_bits(9.664_04f32.to_bits() - 200 + step);
        Aabb::new([x, -5.0], [x + 1.0, 3e38])
    };
    check(make, path, &(0..400).map(object).collect::<Vec<_>>());
}
