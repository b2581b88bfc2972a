//! Laws of boxes, tested with small numbers, all numbers and the ends of the range.

use crate::algebra::algebra;
use crate::numbers::{Numbers, boxes};
use bounds_hexprism::{Aabb, InvalidBounds};
use proptest::prelude::*;

fn laws<S: Numbers, const D: usize>() {
    let config = ProptestConfig::with_cases(1_000);
    proptest!(config, |(a in boxes::<S, D>(), b in boxes::<S, D>(), c in boxes::<S, D>())| {
        algebra(a, b, c)?;
        // Boxes that share a corner or the center of `a` overlap.
        for point in [a.min, a.max, a.center()] {
            prop_assert!(a.contains_point(point));
            prop_assert!(!b.contains_point(point) || a.overlaps(&b));
        }
        // The second box may be inverted.
        for bounds in [a, Aabb::new(a.min, b.max), Aabb::point(a.min)] {
            let expected = bounds.checked().ok().map(|checked| (checked, checked.slabs()));
            prop_assert_eq!(bounds.checked_slabs(), expected);
        }
    });
}

#[test]
fn boxes_obey_the_laws() {
    laws::<i32, 1>();
    laws::<f32, 2>();
    laws::<f64, 3>();
}

#[test]
fn errors_name_the_kind_and_the_axis() {
    let error = |min: [f32; 2], max: [f32; 2]| {
        assert_eq!(Aabb::new(min, max).checked_slabs(), None);
        Aabb::new(min, max).checked().unwrap_err()
    };
    assert_eq!(error([0.0, f32::NAN], [1.0; 2]), InvalidBounds::NotANumber { axis: 1 });
    assert_eq!(error([0.0; 2], [f32::INFINITY, 1.0]), InvalidBounds::Infinite { axis: 0 });
    assert_eq!(error([0.0, 2.0], [1.0; 2]), InvalidBounds::Inverted { axis: 1 });
    // NaN is reported before infinite, and infinite before inverted.
    assert_eq!(error([f32::INFINITY, f32::NAN], [1.0; 2]), InvalidBounds::NotANumber { axis: 1 });
    assert_eq!(
        Aabb::new([5], [4]).checked().unwrap_err().to_string(),
        "bounds have min above max on axis 0"
    );
}

#[test]
fn minus_zero_becomes_zero() {
    let bounds = Aabb::new([-0.0f32], [-0.0]).checked().expect("zero is a number");
    assert_eq!(bounds.min[0].to_bits(), 0);
    assert_eq!(bounds.max[0].to_bits(), 0);
}

#[test]
fn nan_points_make_the_box_invalid() {
    let nan = f64::NAN;
    for points in [[[nan], [1.0], [2.0]], [[1.0], [nan], [2.0]], [[1.0], [2.0], [nan]]] {
        let bounds: Aabb<f64, 1> = Aabb::of_points(points).expect("three points");
        assert!(bounds.checked().is_err(), "{points:?}");
    }
    assert_eq!(Aabb::<f64, 1>::of_points::<[f64; 1]>([]), None);
}

#[test]
fn integer_boxes_saturate() {
    let far = Aabb::around([i32::MAX - 1], [5]);
    assert_eq!(far, Aabb::new([i32::MAX - 6], [i32::MAX]));
    let all = Aabb::new([i32::MIN], [i32::MAX]);
    assert_eq!(all.enlarged(1), all);
    assert_eq!(all.translated([i32::MAX]), Aabb::new([-1], [i32::MAX]));
}

#[test]
fn centers_do_not_overflow() {
    let all = Aabb::new([f32::MIN, 0.0], [f32::MAX, 1.0]);
    assert_eq!(all.center(), [0.0, 0.5]);
}
