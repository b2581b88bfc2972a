//! The plane that wraps: home positions, and offsets between nearest images.

use hexphase::hex::Point;

/// A square in oblique coordinates whose opposite sides are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Space {
    /// Length of a side in units.
    pub(crate) side: i32,
}

impl Space {
    /// Moves a position into the square. It must be less than a side away from the square.
    #[inline(always)]
    pub(crate) fn home(self, at: Point) -> Point {
        let home = |x: i32| {
            if x < 0 {
                x + self.side
            } else if x >= self.side {
                x - self.side
            } else {
                x
            }
        };
        Point::new(home(at.a), home(at.b))
    }

    /// Returns the distances along both axes from a position to the nearest image of another.
    #[inline(always)]
    pub(crate) fn distances(self, one: Point, other: Point) -> [i32; 2] {
        let across = (one.a - other.a).abs();
        let along = (one.b - other.b).abs();
        [across.min(self.side - across), along.min(self.side - along)]
    }

    /// Returns the offset from one position to the nearest image of another.
    #[inline(always)]
    pub(crate) fn offset(self, from: Point, to: Point) -> Point {
        let half = self.side / 2;
        let nearest = |x: i32| {
            if x > half {
                x - self.side
            } else if x < -half {
                x + self.side
            } else {
                x
            }
        };
        Point::new(nearest(to.a - from.a), nearest(to.b - from.b))
    }
}

/// Returns a² + ab + b², which is half of the squared length of a vector.
#[inline(always)]
pub(crate) fn square(at: Point) -> i64 {
    let [a, b] = [at.a, at.b].map(i64::from);
    a * a + a * b + b * b
}

/// Returns the dot product whose value for a vector with itself is its [`square`]; rounded down.
#[inline(always)]
pub(crate) fn dot(x: Point, y: Point) -> i64 {
    let [a, b, c, d] = [x.a, x.b, y.a, y.b].map(i64::from);
    a * c + ((a * d + b * c) >> 1) + b * d
}
