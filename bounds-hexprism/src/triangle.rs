//! The parts of hexagons and prisms: the two triangles and the interval in z.

use simd_lanes::Scalar;

use crate::Aabb;

/// The points whose forms are at or above three lower limits, one per axis.
///
/// ```text
///            ╱╲
///           ╱  ╲             up:    a ≥ min_a, b ≥ min_b, c ≥ min_c
///   ───────╱────╲───────
///    ╲    ╱      ╲    ╱      down:  a ≤ max_a, b ≤ max_b, c ≤ max_c
///     ╲  ╱        ╲  ╱
///      ╲╱          ╲╱        As a + b + c = 0, three lower limits bound a triangle, and
///      ╱╲          ╱╲        three upper limits bound one that points the other way.
///     ╱  ╲        ╱  ╲       A hexagon is their intersection. Two hexagons do not overlap
///    ╱    ╲      ╱    ╲      if the up triangle of one misses the down triangle of the
///   ───────╲────╱───────     other. Nearly all pairs that do not overlap are found by this
///           ╲  ╱             test of three numbers; a test of boxes needs four.
///            ╲╱
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct UpTriangle<S = f32> {
    /// The lower limit of the first form.
    pub min_a: S,
    /// The lower limit of the second form.
    pub min_b: S,
    /// The lower limit of the third form.
    pub min_c: S,
}

/// The points whose forms are at or below three upper limits; see [`UpTriangle`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct DownTriangle<S = f32> {
    /// The upper limit of the first form.
    pub max_a: S,
    /// The upper limit of the second form.
    pub max_b: S,
    /// The upper limit of the third form.
    pub max_c: S,
}

/// The interval of heights from `min_z` to `max_z`, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ZInterval<S = f32> {
    /// The height of the bottom.
    pub min_z: S,
    /// The height of the top.
    pub max_z: S,
}

impl<S: Scalar> UpTriangle<S> {
    /// Returns the limits, in the order of the axes.
    #[inline(always)]
    #[must_use]
    pub fn to_array(self) -> [S; 3] {
        [self.min_a, self.min_b, self.min_c]
    }

    /// Returns whether two triangles that are not empty overlap; touching counts. Exact.
    ///
    /// ```
    /// use bounds_hexprism::{DownTriangle, UpTriangle};
    ///
    /// let up = UpTriangle { min_a: 0, min_b: 0, min_c: -4 };
    /// assert!(up.overlaps(&DownTriangle { max_a: 1, max_b: 1, max_c: 1 }));
    /// assert!(!up.overlaps(&DownTriangle { max_a: -1, max_b: 9, max_c: 9 }));
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn overlaps(&self, down: &DownTriangle<S>) -> bool {
        (self.min_a <= down.max_a) & (self.min_b <= down.max_b) & (self.min_c <= down.max_c)
    }

    /// Returns the side length in units of the forms, to nearest: 0 for a point, negative if empty.
    #[cfg(feature = "batch")]
    pub(crate) fn size(&self) -> f64 {
        0.0 - (self.min_a.to_f64() + self.min_b.to_f64() + self.min_c.to_f64())
    }
}

impl<S: Scalar> DownTriangle<S> {
    /// Returns the limits, in the order of the axes.
    #[inline(always)]
    #[must_use]
    pub fn to_array(self) -> [S; 3] {
        [self.max_a, self.max_b, self.max_c]
    }

    /// Returns the side length in units of the forms, like [`UpTriangle::size`].
    #[cfg(feature = "batch")]
    pub(crate) fn size(&self) -> f64 {
        self.max_a.to_f64() + self.max_b.to_f64() + self.max_c.to_f64()
    }
}

impl<S> From<[S; 3]> for UpTriangle<S> {
    fn from([min_a, min_b, min_c]: [S; 3]) -> Self {
        Self { min_a, min_b, min_c }
    }
}

impl<S> From<[S; 3]> for DownTriangle<S> {
    fn from([max_a, max_b, max_c]: [S; 3]) -> Self {
        Self { max_a, max_b, max_c }
    }
}

impl<S> From<[S; 2]> for ZInterval<S> {
    fn from([min_z, max_z]: [S; 2]) -> Self {
        Self { min_z, max_z }
    }
}

impl<S: Scalar> From<Aabb<S, 1>> for ZInterval<S> {
    fn from(Aabb { min: [min_z], max: [max_z] }: Aabb<S, 1>) -> Self {
        Self { min_z, max_z }
    }
}
