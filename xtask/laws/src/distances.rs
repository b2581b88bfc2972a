//! The order of objects by distance, and its check with distances whose squares overflow or
//! underflow.

use broadphase_core::{Aabb, Scalar, Target};
use proptest::prelude::*;

use crate::Together;
use crate::numbers::Numbers;
use crate::queries::{Example, Objects, Query, check, found_by};

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
type Seed = ([i8; 3], [u8; 3], Option<prop::sample::Index>);

fn seeds() -> BoxedStrategy<Vec<Seed>> {
    let at = prop_oneof![Just(0), -16i8..=16];
    let own_scale = prop_oneof![3 => Just(None), 1 => any::<prop::sample::Index>().prop_map(Some)];
    let seed = ([at.clone(), at.clone(), at], [0u8..3, 0..3, 0..3], own_scale);
    prop::collection::vec(seed, 0..40).boxed()
}

/// Returns the box of a seed.
fn scaled<S: Numbers, const D: usize>(&(at, extent, own): &Seed, scale: f64) -> Aabb<S, D> {
    let scale = own.map_or(scale, |own| *own.get(S::SCALES));
    let end = |axis: usize, extent: u8| {
        S::from_f64((f64::from(at[axis]) + f64::from(extent)).min(16.0) * scale)
    };
    Aabb {
        min: core::array::from_fn(|axis| end(axis, 0)),
        max: core::array::from_fn(|axis| end(axis, extent[axis])),
    }
}

/// Objects of two structures, and distances. Coordinates and distances have one of all magnitudes,
/// from subnormal numbers to the largest.
pub(crate) fn examples<S: Numbers, const D: usize>() -> impl Strategy<Value = Example<S, D>> {
    let limits = prop::collection::vec(1u8..=16, 2);
    (prop::sample::select(S::SCALES), [seeds(), seeds()], limits).prop_map(
        |(scale, both, limits)| {
            let [ours, theirs] =
                both.map(|all| all.iter().map(|seed| scaled(seed, scale)).collect());
            let distances = limits.into_iter().map(|limit| S::from_f64(f64::from(limit) * scale));
            (ours, theirs, distances.collect(), true)
        },
    )
}

/// Runs searches around a target, without limit and with each kind of limit, and compares the
/// definition of their results with gaps in `f64`.
pub(crate) fn check_target<S: Numbers, const D: usize>(
    index: &Together<S, D>,
    all: &Objects<S, D>,
    from: Aabb<S, D>,
    limit: S,
) {
    let target = Target::from(from);
    let check = |target: Target<S, D>| {
        let query = Query::Target(from, target);
        check(index, all, &query);
        found_by(all, &query)
    };
    let found = check(target);
    assert_eq!(found.len(), all.len(), "every object is found once");
    let gaps: Vec<_> = found.iter().map(|(key, _)| (Gaps::new(&from, &all[key]), *key)).collect();
    for (&(near, key), rest) in gaps.iter().zip(1..) {
        for &(far, other) in &gaps[rest..] {
            assert!(!near.is_longer::<S>(far), "{key} is nearer to {from:?} than {other}");
            assert!(near != far || key < other, "{key} before {other} at equal distance");
        }
    }

    let within = check(target.within(limit));
    let along = core::array::from_fn(|axis| if axis == 0 { limit } else { S::ZERO });
    let limit_as_gaps = Gaps::new(&Aabb::point([S::ZERO; D]), &Aabb::point(along));
    for &(gaps, key) in &gaps {
        let is_found = within.iter().any(|(other, _)| *other == key);
        let is_beyond = gaps.is_longer::<S>(limit_as_gaps);
        assert!(is_found || is_beyond || !limit_as_gaps.is_longer::<S>(gaps), "{key} is near");
        assert!(!is_found || !is_beyond, "{key} is not within {limit}");
    }
    for &(_, square) in found.iter().step_by(5) {
        let expected = found.iter().filter(|one| one.1 <= square);
        let within = check(target.within_squared(square));
        assert!(within.iter().eq(expected), "{square} from {from:?}");
    }
}
