//! Bounds of a straight path on each axis, for an interval on its main axis.

/// Interval that a moving box covers on each axis, given an interval on its main axis (the axis on
/// which it moves farthest). Objects outside [`beside`](Self::beside) need not be tested.
#[derive(Clone, Copy, Debug)]
pub struct PathBounds<const D: usize> {
    axis: usize,
    /// Movement on each axis per unit of movement on the main axis.
    slopes: [f64; D],
    /// The box at the start of the path, enlarged by the rounding error.
    min: [f64; D],
    max: [f64; D],
}

impl<const D: usize> PathBounds<D> {
    /// Prepares a path from a box with a rounding error per axis that moves by `movements` per unit
    /// of fraction; `None` if the path does not move or is not finite.
    #[inline(always)]
    pub(super) fn new(
        min: [f64; D],
        max: [f64; D],
        error: [f64; D],
        movements: &[f64; D],
    ) -> Option<Self> {
        let axis =
            (1..D).fold(
                0,
                |main, axis| {
                    if movements[axis].abs() > movements[main].abs() { axis } else { main }
                },
            );
        let inverse = 1.0 / movements[axis];
        let is_known = inverse.is_finite() && error.iter().all(|error| error.is_finite());
        if !is_known {
            return None;
        }
        let mut bounds = Self { axis, slopes: *movements, min, max };
        for (axis, error) in error.into_iter().enumerate() {
            bounds.slopes[axis] *= inverse;
            bounds.min[axis] -= error;
            bounds.max[axis] += error;
        }
        Some(bounds)
    }

    /// Returns the main axis.
    #[inline(always)]
    #[must_use]
    pub const fn axis(&self) -> usize {
        self.axis
    }

    /// Returns the movement on an axis per unit on the main axis; at most 1 in absolute value.
    #[inline(always)]
    #[must_use]
    pub const fn slope(&self, axis: usize) -> f64 {
        self.slopes[axis]
    }

    /// Returns an interval on `axis`, another than the main axis, with every point that the path
    /// touches while it overlaps `[low, high]` on the main axis.
    #[inline(always)]
    #[must_use]
    pub fn beside(&self, axis: usize, [low, high]: [f64; 2]) -> [f64; 2] {
        let slope = self.slopes[axis];
        let (a, b) = (slope * (low - self.max[self.axis]), slope * (high - self.min[self.axis]));
        let (least, most) = if a < b { (a, b) } else { (b, a) };
        [self.min[axis] + least, self.max[axis] + most]
    }
}
