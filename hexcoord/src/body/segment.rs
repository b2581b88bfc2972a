//! The first cell of a body that a segment touches.
//!
//! A cell is the set of offsets from its center with |2a + b|, |a + 2b|, |a − b| ≤ size. Along a
//! segment each of these three linear forms is in range for an interval of *fractions*: positions
//! from 0 at the start of the segment to 1 at its end. The cell is touched if these intervals and
//! [0, 1] have a common fraction.
//!
//! 1. Rotate the segment into the body's frame, without rounding.
//! 2. Visit the rows in the order in which the segment crosses them, and in each row only the cells
//!    near the segment. Skip rows and cells that the segment enters later than the best cell found,
//!    by float bounds with a safety margin.
//! 3. Compute the exact entry fraction of each remaining cell; the smallest is the result.
//!
//! Interval ends are ratios of integers below 2^63, compared exactly in 128 bits.

use super::HexBody;
use crate::hex::Hex;
use crate::plane::{Point, Pose, ROTATION_FRACTION};

/// The first contact of a segment with a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellHit {
    /// Touched cell.
    pub cell: Hex,
    /// Fraction of the segment at which it enters the cell; accurate to one unit in the last place.
    pub fraction: f64,
}

/// The rational number `numerator / denominator`, with `denominator > 0`.
#[derive(Clone, Copy)]
struct Ratio {
    numerator: i128,
    denominator: i128,
}

impl Ratio {
    #[inline(always)]
    const fn less(self, other: Self) -> bool {
        self.numerator * other.denominator < other.numerator * self.denominator
    }

    fn to_f64(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }
}

/// A segment in body coordinates, in units of 2^-30.
struct Segment {
    from: [i128; 2],
    delta: [i128; 2],
    size: i128,
}

/// Returns the three linear forms 2a + b, a + 2b and a − b of an offset. A point is in a cell if
/// all three forms of its offset from the center are between −size and size.
#[inline(always)]
fn forms([a, b]: [i128; 2]) -> [i128; 3] {
    [2 * a + b, a + 2 * b, a - b]
}

impl Segment {
    /// Returns the fraction at which the segment enters the closed cell; `None` if it misses.
    fn entry_fraction(&self, cell: Hex) -> Option<Ratio> {
        let [a, b] = self.from;
        let offset = [a - self.size * i128::from(cell.q), b - self.size * i128::from(cell.r)];
        let (mut enter, mut leave) =
            (Ratio { numerator: 0, denominator: 1 }, Ratio { numerator: 1, denominator: 1 });
        for (at, delta) in forms(offset).into_iter().zip(forms(self.delta)) {
            if delta == 0 {
                if at.abs() > self.size {
                    return None;
                }
                continue;
            }
            // Flip the sign if the form decreases along the segment.
            let at = if delta > 0 { at } else { -at };
            let first = Ratio { numerator: -self.size - at, denominator: delta.abs() };
            let last = Ratio { numerator: self.size - at, denominator: delta.abs() };
            if enter.less(first) {
                enter = first;
            }
            if last.less(leave) {
                leave = last;
            }
        }
        if leave.less(enter) { None } else { Some(enter) }
    }

    /// Returns the ranges of 2q + r, q + 2r and q − r over the cells that the segment can touch.
    fn form_ranges(&self) -> [[i64; 2]; 3] {
        let [a, b] = self.from;
        let starts = forms(self.from);
        let ends = forms([a + self.delta[0], b + self.delta[1]]);
        core::array::from_fn(|form| {
            let (low, high) = (starts[form].min(ends[form]), starts[form].max(ends[form]));
            [-(-low).div_euclid(self.size) as i64 - 1, high.div_euclid(self.size) as i64 + 1]
        })
    }
}

/// Upper bound of the error of entry fractions computed in floats.
const FLOAT_MARGIN: f64 = 1e-6;

/// The segment in floats, in cell units, used to skip cells that cannot be the first.
struct FloatSegment {
    from: [f64; 2],
    delta: [f64; 2],
    /// Reciprocals of the three [`forms`] of `delta`; 0 for a form too close to 0 to divide by.
    inverse: [f64; 3],
    /// Half the width of a cell perpendicular to the segment, as a cross product with `delta`.
    extent: f64,
}

impl FloatSegment {
    fn new(segment: &Segment) -> Self {
        let cells = |x: i128| x as f64 / segment.size as f64;
        let forms = forms(segment.delta).map(cells);
        let abs = |form: f64| if form < 0.0 { -form } else { form };
        let max_form = forms.map(abs).into_iter().fold(0.0, f64::max);
        Self {
            from: segment.from.map(cells),
            delta: segment.delta.map(cells),
            inverse: forms.map(|form| if abs(form) < 1e-12 { 0.0 } else { 1.0 / form }),
            extent: max_form / 3.0,
        }
    }

    /// Returns the first and the last row that the segment can touch: a cell extends 2/3 of its
    /// size along b, and 2 includes rounding.
    fn rows(&self) -> [i64; 2] {
        let ends = [self.from[1], self.from[1] + self.delta[1]];
        [(ends[0].min(ends[1]) - 2.0) as i64, (ends[0].max(ends[1]) + 2.0) as i64]
    }

    /// Returns a lower bound of the fraction at which the segment reaches row `r` or a later row.
    fn row_bound(&self, r: i64) -> f64 {
        let [b, db] = [self.from[1], self.delta[1]];
        let edge = if db < 0.0 { r as f64 + 0.7 } else { r as f64 - 0.7 };
        if db < 1e-12 && db > -1e-12 { f64::NEG_INFINITY } else { (edge - b) / db }
    }

    /// Returns the range of cells of row `r` near the line; `None` if they are parallel.
    fn row_range(&self, r: i64) -> Option<[i64; 2]> {
        let ([a, b], [da, db]) = (self.from, self.delta);
        if db == 0.0 {
            return None;
        }
        let middle = a + (r as f64 - b) * (da / db);
        let half = self.extent / if db < 0.0 { -db } else { db } + 2.0;
        Some([(middle - half) as i64, (middle + half) as i64])
    }

    /// Returns a lower bound of the fraction at which the segment enters the cell.
    #[inline(always)]
    fn entry_bound(&self, cell: Hex) -> f64 {
        let (a, b) = (self.from[0] - f64::from(cell.q), self.from[1] - f64::from(cell.r));
        let [x, y, z] = [2.0 * a + b, a + 2.0 * b, a - b];
        let enters = |at: f64, inverse: f64| {
            // An increasing form enters the cell at −1, a decreasing form at 1.
            let side = if inverse < 0.0 { 1.0 } else { -1.0 };
            if inverse == 0.0 { f64::NEG_INFINITY } else { (side - at) * inverse }
        };
        let [i, j, k] = self.inverse;
        enters(x, i).max(enters(y, j)).max(enters(z, k))
    }
}

impl HexBody {
    /// Returns the first cell of the body that a segment between two world points touches, ends and
    /// borders included; the greatest of several cells that are touched first.
    ///
    /// Exact: the segment is rotated without rounding, and touching a corner counts. Visits only
    /// rows and cells near the segment. Differences of positions wrap.
    ///
    /// ```
    /// use hexcoord::{Angle, HexBody, Point, Pose, hex};
    ///
    /// let body: HexBody = hex(0, 0).ring(2).collect();
    /// let pose = Pose::new(Point::new(4096, 0), Angle(0));
    /// let hit = body.first_on_segment(pose, Point::new(0, 0), Point::new(8192, 0));
    /// let hit = hit.expect("from the left side");
    /// assert_eq!(hit.cell, hex(-2, 0));
    /// assert_eq!(hit.fraction, (4096.0 - 2.5 * 512.0) / 8192.0);
    /// ```
    #[must_use]
    pub fn first_on_segment(&self, pose: Pose, from: Point, to: Point) -> Option<CellHit> {
        let ends = [0, 1, 2].map(|axis: usize| self.axis_counts[axis].ends());
        let ([qs, rs, ss], rotation) =
            ([ends[0]?, ends[1]?, ends[2]?], pose.angle.rotation().inverse());
        let to_body = |offset: Point| {
            rotation.rotate_exact([i64::from(offset.a), i64::from(offset.b)]).map(i128::from)
        };
        let size = 1i128 << (self.grid.shift() + ROTATION_FRACTION);
        let segment =
            Segment { from: to_body(from - pose.position), delta: to_body(to - from), size };
        let ranges = segment.form_ranges();
        let float = FloatSegment::new(&segment);

        let mut first: Option<(Ratio, f64, Hex)> = None;
        let [low, high] = float.rows();
        let (low, high) = (rs[0].max(low), rs[1].min(high));
        for index in 0..=high - low {
            let r = if float.delta[1] < 0.0 { high - index } else { low + index };
            if first.is_some_and(|(_, best, _)| float.row_bound(r) > best + FLOAT_MARGIN) {
                break;
            }
            let mut min = qs[0].max(-r - ss[1]).max(ranges[1][0] - 2 * r).max(ranges[2][0] + r);
            let mut max = qs[1].min(-r - ss[0]).min(ranges[1][1] - 2 * r).min(ranges[2][1] + r);
            min = min.max((ranges[0][0] - r) >> 1);
            max = max.min((ranges[0][1] - r + 1) >> 1);
            if let Some([range_min, range_max]) = float.row_range(r) {
                (min, max) = (min.max(range_min), max.min(range_max));
            }
            if min > max {
                continue;
            }
            for cell in self.bits.row_cells(r as i32, min as i32, max as i32) {
                if first.is_some_and(|(_, best, _)| float.entry_bound(cell) > best + FLOAT_MARGIN) {
                    continue;
                }
                let Some(enters) = segment.entry_fraction(cell) else { continue };
                let earlier = first.is_none_or(|(best, _, at)| {
                    enters.less(best) || (!best.less(enters) && cell > at)
                });
                if earlier {
                    first = Some((enters, enters.to_f64(), cell));
                }
            }
        }
        first.map(|(_, fraction, cell)| CellHit { cell, fraction })
    }
}
