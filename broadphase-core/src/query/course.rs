//! Where a straight way is on other axes while it is somewhere on its main one.

/// The way of a box seen from its main axis, on which it goes farthest: what lies beside it there
/// need not be looked into.
///
/// ```
/// use broadphase_core::query::Pieces;
/// use broadphase_core::{Aabb, Path};
///
/// let ball = Path::sweep(Aabb::new([0.0, 0.0], [2.0, 1.0]), [80.0, 40.0]);
/// let mut pieces = Pieces::new(&ball, None, 1, true).unwrap();
/// let _ = pieces.next(|piece, _| {
///     let course = piece.course().unwrap();
///     assert_eq!(course.axis(), 0);
///     let [low, high] = course.beside(1, [20.0, 30.0]);
///     // Its corners are in there from 18 / 80 of the way to 30 / 80 of it.
///     assert!((8.9..=9.0).contains(&low) && (16.0..16.1).contains(&high));
/// });
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Course<const D: usize> {
    axis: usize,
    /// How far it goes on each axis for a step along the main one.
    slopes: [f64; D],
    /// The box at its beginning, larger by what may be wrong.
    min: [f64; D],
    max: [f64; D],
}

impl<const D: usize> Course<D> {
    /// The way of a box which may be wrong by so much, on each axis; `None` if it goes nowhere.
    #[inline(always)]
    pub(super) fn new(
        min: [f64; D],
        max: [f64; D],
        error: [f64; D],
        ways: &[f64; D],
    ) -> Option<Self> {
        let axis = (1..D).fold(
            0,
            |main, axis| {
                if ways[axis].abs() > ways[main].abs() { axis } else { main }
            },
        );
        let inverse = 1.0 / ways[axis];
        let is_known = inverse.is_finite() && error.iter().all(|error| error.is_finite());
        if !is_known {
            return None;
        }
        let mut course = Self { axis, slopes: *ways, min, max };
        for (axis, error) in error.into_iter().enumerate() {
            course.slopes[axis] *= inverse;
            course.min[axis] -= error;
            course.max[axis] += error;
        }
        Some(course)
    }

    /// The main axis.
    #[inline(always)]
    #[must_use]
    pub const fn axis(&self) -> usize {
        self.axis
    }

    /// How far it goes on an axis for a step along the main one: at most as far, forwards or back.
    #[inline(always)]
    #[must_use]
    pub const fn slope(&self, axis: usize) -> f64 {
        self.slopes[axis]
    }

    /// Between which numbers all is on an axis, another than the main one, that the way touches
    /// while it overlaps what is between two numbers on that.
    #[inline(always)]
    #[must_use]
    pub fn beside(&self, axis: usize, [low, high]: [f64; 2]) -> [f64; 2] {
        let slope = self.slopes[axis];
        let (a, b) = (slope * (low - self.max[self.axis]), slope * (high - self.min[self.axis]));
        let (least, most) = if a < b { (a, b) } else { (b, a) };
        [self.min[axis] + least, self.max[axis] + most]
    }
}
