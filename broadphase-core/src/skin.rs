//! Skin: enlargement of stored volumes, so that small movements leave them unchanged.

use bounds_hexprism::Scalar;

/// Returns the margin for a skin of `distance`: each side of a stored volume is moved outwards by
/// half of `distance`.
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
