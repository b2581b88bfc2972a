//! The order of objects by distance, and the law of distances whose squares overflow or underflow.

use core::ops::ControlFlow;

use broadphase_core::{Aabb, Neighbors, Scalar, SpatialIndexExt, Target};
use proptest::prelude::*;

use crate::Together;
use crate::examples::tried;
use crate::map::SortedMap;
use crate::numbers::Numbers;

/// Returns the sort key of the distance between two boxes: two numbers that are compared in order.
/// They are the squared distance and 0. If the square is inexact or infinite, they are 0 or
/// infinity, and the squared distance after scaling the boxes by a power of two.
#[must_use]
pub fn order<S: Scalar, const D: usize>(a: &Aabb<S, D>, b: &Aabb<S, D>) -> [S::Real; 2] {
    let scaled_square = |scale: f64| {
        let scaled = |x: S| S::from_f64(x.to_f64() * scale);
        let scaled =
            |bounds: &Aabb<S, D>| Aabb { min: bounds.min.map(scaled), max: bounds.max.map(scaled) };
        Target::from(scaled(a)).distance_squared(&scaled(b)).expect("no limit")
    };
    let square = Target::from(*a).distance_squared(b).expect("no limit");
    if square < S::MIN_SQUARE {
        [S::Real::ZERO, scaled_square(S::SCALE_UP)]
    } else if square.is_finite() {
        [square, S::Real::ZERO]
    } else {
        [square, scaled_square(S::SCALE_DOWN)]
    }
}

/// The gaps between two boxes, in `f64`; halved if a gap overflows.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Gaps<const D: usize> {
    gaps: [f64; D],
    halved: bool,
}

impl<const D: usize> Gaps<D> {
    fn new<S: Scalar>(a: &Aabb<S, D>, b: &Aabb<S, D>) -> Self {
        let gaps = |scale: f64| {
            core::array::from_fn(|axis| {
                let gap = |low: S, high: S| high.to_f64() * scale - low.to_f64() * scale;
                gap(a.max[axis], b.min[axis]).max(gap(b.max[axis], a.min[axis])).max(0.0)
            })
        };
        let whole: [f64; D] = gaps(1.0);
        if whole.iter().all(|gap| gap.is_finite()) {
            Self { gaps: whole, halved: false }
        } else {
            Self { gaps: gaps(0.5), halved: true }
        }
    }

    /// Returns two squared lengths; the common unit of length is the largest gap. Neither square
    /// overflows, and a square underflows only if it is negligible compared with the other.
    fn squares(a: Self, b: Self) -> [f64; 2] {
        let scale = |one: Self, other: Self| if other.halved && !one.halved { 0.5 } else { 1.0 };
        let (a, b) = (a.gaps.map(|gap| gap * scale(a, b)), b.gaps.map(|gap| gap * scale(b, a)));
        let unit = a.into_iter().chain(b).fold(0.0, f64::max);
        let square = |gap: f64| if unit > 0.0 { (gap / unit).powi(2) } else { 0.0 };
        [a, b].map(|gaps| gaps.into_iter().map(square).sum())
    }

    /// Returns whether this length exceeds another by more than rounding errors of `S`.
    fn is_longer<S: Scalar>(self, other: Self) -> bool {
        let [own, other] = Self::squares(self, other);
        own > other * (1.0 + 4.0 * S::FRACTION_ERROR)
    }
}

/// A box as small integers that are multiplied by a scale: the low corner, the extents, and the
/// index of a scale. Without an index, the common scale is used.
pub(crate) type Seed = ([i8; 3], [u8; 3], Option<prop::sample::Index>);

pub(crate) fn seeds() -> BoxedStrategy<Seed> {
    let at = prop_oneof![Just(0), -16i8..=16];
    let own_scale = prop_oneof![3 => Just(None), 1 => any::<prop::sample::Index>().prop_map(Some)];
    ([at.clone(), at.clone(), at], [0u8..3, 0..3, 0..3], own_scale).boxed()
}

/// Returns the box of a seed.
pub(crate) fn scaled<S: Numbers, const D: usize>(
    &(at, extent, own): &Seed,
    scale: f64,
) -> Aabb<S, D> {
    let scale = own.map_or(scale, |own| *own.get(S::scales()));
    let end = |axis: usize, extent: u8| {
        S::from_f64((f64::from(at[axis]) + f64::from(extent)).min(16.0) * scale)
    };
    Aabb {
        min: core::array::from_fn(|axis| end(axis, 0)),
        max: core::array::from_fn(|axis| end(axis, extent[axis])),
    }
}

/// Asserts that objects are found in order of distance, then of key, and that limits of distances
/// and of squares include the right objects. Coordinates have all magnitudes, from subnormal
/// numbers to the largest.
///
/// # Panics
/// If the law is violated.
pub fn distances_of_any_magnitude_are_in_order<S: Numbers, const D: usize>(
    make: fn() -> Together<S, D>,
) {
    let scale = prop::sample::select(S::scales().to_vec());
    let objects = prop::collection::vec(seeds(), 0..40);
    let targets = prop::collection::vec((seeds(), 1u8..=16), 4);
    tried(96, (scale, objects, targets, 0usize..40), |(scale, objects, targets, late)| {
        let mut index = make();
        let mut all = SortedMap::new();
        for (key, seed) in (0..).zip(&objects) {
            if key as usize == late {
                index.optimize();
            }
            let bounds = scaled(seed, scale);
            all.insert(key, bounds);
            index.insert(key, bounds).expect("the key is free");
        }
        for (seed, limit) in &targets {
            let limit = S::from_f64(f64::from(*limit) * scale);
            check(&index, &all, scaled(seed, scale), limit);
        }
        let mut nearest = Neighbors::default();
        index.nearest_to_each(5, &mut nearest);
        for (key, list) in nearest.iter() {
            assert_eq!(list.len(), 5.min(all.len() - 1));
            check_order(&all, all[&key], list);
        }
        Ok(())
    });
}

/// Asserts that objects are in order of distance, then of key.
fn check_order<S: Numbers, const D: usize>(
    all: &SortedMap<Aabb<S, D>>,
    target: Aabb<S, D>,
    found: &[u32],
) {
    let gaps: Vec<_> = found.iter().map(|key| (Gaps::new(&target, &all[key]), *key)).collect();
    for (number, &(near, key)) in gaps.iter().enumerate() {
        for &(far, other) in &gaps[number + 1..] {
            assert!(!near.is_longer::<S>(far), "{key} is nearer to {target:?} than {other}");
            assert!(near != far || key < other, "{key} before {other} at equal distance");
        }
    }
}

/// Runs searches around a target, without limit and with each kind of limit.
fn check<S: Numbers, const D: usize>(
    index: &Together<S, D>,
    all: &SortedMap<Aabb<S, D>>,
    target: Aabb<S, D>,
    limit: S,
) {
    let search = |target: Target<S, D>| {
        let mut found = Vec::new();
        index.nearest(target, |entry, square| found.push((entry.key, square)));
        found
    };
    let keys = |found: &[(u32, S::Real)]| found.iter().map(|&(key, _)| key).collect::<Vec<_>>();
    let without_limit = Target::from(target);
    let found = search(without_limit);
    assert_eq!(found.len(), all.len(), "every object is found once");
    check_order(all, target, &keys(&found));
    for (key, square) in &found {
        assert_eq!(without_limit.distance_squared(&all[key]), Some(*square));
    }
    let mut first = Vec::new();
    let _ = index.nearest(target, |entry, square| {
        first.push((entry.key, square));
        if first.len() == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!(first, found[..3.min(found.len())], "the first three");

    let within = search(without_limit.within(limit));
    let is_subset = found.iter().filter(|one| within.contains(one)).eq(&within);
    assert!(is_subset, "the order does not depend on the limit");
    let limit_as_gaps = Gaps::new(&Aabb::point([S::ZERO; D]), &Aabb::point(along(limit)));
    for (key, bounds) in all {
        let gaps = Gaps::new(&target, bounds);
        let is_found = within.iter().any(|(other, _)| other == key);
        assert!(
            is_found || gaps.is_longer::<S>(limit_as_gaps) || !limit_as_gaps.is_longer::<S>(gaps)
        );
        assert!(!is_found || !gaps.is_longer::<S>(limit_as_gaps), "{key} is not within {limit}");
    }
    for &(_, square) in found.iter().step_by(5) {
        let mut expected = found.clone();
        expected.retain(|&(_, other)| other <= square);
        assert_eq!(
            search(without_limit.within_squared(square)),
            expected,
            "{square} from {target:?}"
        );
    }
}

/// Returns a point at this distance from 0 on the first axis.
fn along<S: Scalar, const D: usize>(distance: S) -> [S; D] {
    core::array::from_fn(|axis| if axis == 0 { distance } else { S::ZERO })
}
