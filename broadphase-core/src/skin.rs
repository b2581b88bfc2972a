//! Skin: how much larger than the bounds in it a volume may be, so that little changes.

use bounds_hexprism::Scalar;

/// How far objects may move in a skin of that distance: half of it, on every side of them.
///
/// # Panics
/// If `distance` is negative, NaN or infinite.
///
/// ```
/// assert_eq!(broadphase_core::skin::margin(3.0), 1.5);
/// ```
#[must_use]
pub fn margin<S: Scalar>(distance: S) -> S {
    assert!(
        S::ZERO <= distance && distance.is_finite(),
        "a skin must be finite and not negative, not {distance}"
    );
    S::ZERO.half_way(distance)
}
