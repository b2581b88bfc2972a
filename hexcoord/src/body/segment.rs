//! Segment against body.
//!
//! A cell is where three forms of the offset from its centre are small: |2a + b|, |a + 2b|,
//! |a − b| ≤ size. Along a segment each form is linear, so each gives an interval of fractions, and
//! the cell is touched if all three have one in common with [0, 1]. Ends of intervals are ratios
//! of integers below 2^63, compared by cross-multiplying in 128 bits: nothing is rounded.

use super::HexBody;
use crate::hex::Hex;
use crate::plane::{FRACTION, Point, Pose};

/// Where a segment meets a body first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellHit {
    /// The cell.
    pub cell: Hex,
    /// Which fraction of the segment lies before the cell, from 0 to 1; the nearest `f64`, or one
    /// next to it.
    pub fraction: f64,
}

/// A number as `above / below`, with `below > 0`.
#[derive(Clone, Copy)]
struct Ratio {
    above: i128,
    below: i128,
}

impl Ratio {
    #[inline(always)]
    const fn less(self, other: Self) -> bool {
        self.above * other.below < other.above * self.below
    }

    fn to_f64(self) -> f64 {
        self.above as f64 / self.below as f64
    }
}

/// A segment in the coordinates of a body, in units of 2^-30.
struct Segment {
    from: [i128; 2],
    way: [i128; 2],
    size: i128,
}

/// The three forms that are small in a cell.
#[inline(always)]
fn forms([a, b]: [i128; 2]) -> [i128; 3] {
    [2 * a + b, a + 2 * b, a - b]
}

impl Segment {
    /// The fraction at which the segment enters the closed cell, if it touches it.
    fn enters(&self, cell: Hex) -> Option<Ratio> {
        let [a, b] = self.from;
        let offset = [a - self.size * i128::from(cell.q), b - self.size * i128::from(cell.r)];
        let (mut enter, mut leave) = (Ratio { above: 0, below: 1 }, Ratio { above: 1, below: 1 });
        for (at, way) in forms(offset).into_iter().zip(forms(self.way)) {
            if way == 0 {
                if at.abs() > self.size {
                    return None;
                }
                continue;
            }
            // Turned so that the form grows along the segment.
            let at = if way > 0 { at } else { -at };
            let first = Ratio { above: -self.size - at, below: way.abs() };
            let last = Ratio { above: self.size - at, below: way.abs() };
            if enter.less(first) {
                enter = first;
            }
            if last.less(leave) {
                leave = last;
            }
        }
        if leave.less(enter) { None } else { Some(enter) }
    }

    /// For each form the smallest and the largest number that a cell which the segment may touch
    /// can have: 2q + r, q + 2r, q − r.
    fn cells_along_forms(&self) -> [[i64; 2]; 3] {
        let [a, b] = self.from;
        let starts = forms(self.from);
        let ends = forms([a + self.way[0], b + self.way[1]]);
        core::array::from_fn(|form| {
            let (low, high) = (starts[form].min(ends[form]), starts[form].max(ends[form]));
            [-(-low).div_euclid(self.size) as i64 - 1, high.div_euclid(self.size) as i64 + 1]
        })
    }
}

/// By how much fractions in floats may be off: more than they are.
const DOUBT: f64 = 1e-6;

/// The segment in floats and in units of cells: it tells what need not be looked at.
struct Line {
    from: [f64; 2],
    way: [f64; 2],
    /// One divided by each form of the way; 0 where that is too small to tell.
    inverse: [f64; 3],
    /// How far a cell reaches across the way.
    reach: f64,
}

impl Line {
    fn new(segment: &Segment) -> Self {
        let cells = |x: i128| x as f64 / segment.size as f64;
        let forms = forms(segment.way).map(cells);
        let large = |form: f64| if form < 0.0 { -form } else { form };
        let widest = forms.map(large).into_iter().fold(0.0, f64::max);
        Self {
            from: segment.from.map(cells),
            way: segment.way.map(cells),
            inverse: forms.map(|form| if large(form) < 1e-12 { 0.0 } else { 1.0 / form }),
            reach: widest / 3.0,
        }
    }

    /// The first and the last row the segment may touch: cells reach two thirds along b.
    fn rows(&self) -> [i64; 2] {
        let ends = [self.from[1], self.from[1] + self.way[1]];
        [(ends[0].min(ends[1]) - 2.0) as i64, (ends[0].max(ends[1]) + 2.0) as i64]
    }

    /// A fraction before which the segment reaches neither row `r` nor a later one.
    fn reaches_row(&self, r: i64) -> f64 {
        let [b, db] = [self.from[1], self.way[1]];
        let edge = if db < 0.0 { r as f64 + 0.7 } else { r as f64 - 0.7 };
        if db < 1e-12 && db > -1e-12 { f64::NEG_INFINITY } else { (edge - b) / db }
    }

    /// Between which cells of row `r` those near the line are, if that can be told.
    fn near(&self, r: i64) -> Option<[i64; 2]> {
        let ([a, b], [da, db]) = (self.from, self.way);
        if db == 0.0 {
            return None;
        }
        let middle = a + (r as f64 - b) * (da / db);
        let half = self.reach / if db < 0.0 { -db } else { db } + 2.0;
        Some([(middle - half) as i64, (middle + half) as i64])
    }

    /// A fraction before which the segment does not enter the cell.
    #[inline(always)]
    fn enters_after(&self, cell: Hex) -> f64 {
        let (a, b) = (self.from[0] - f64::from(cell.q), self.from[1] - f64::from(cell.r));
        let [x, y, z] = [2.0 * a + b, a + 2.0 * b, a - b];
        let enters = |at: f64, inverse: f64| {
            // Where the form is −1 if it grows, 1 if it shrinks.
            let side = if inverse < 0.0 { 1.0 } else { -1.0 };
            if inverse == 0.0 { f64::NEG_INFINITY } else { (side - at) * inverse }
        };
        let [i, j, k] = self.inverse;
        enters(x, i).max(enters(y, j)).max(enters(z, k))
    }
}

impl HexBody {
    /// The first cell of the body that the segment between two points of the world touches, ends
    /// and borders included; of several at once the greatest.
    ///
    /// Exact after turning the segment back, which does not round: every cell that the segment
    /// touches counts, however small the corner it clips. Rows are looked at in the order in which
    /// the segment passes them, and only near it. Differences of positions wrap.
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
        let ends = [0, 1, 2].map(|axis: usize| self.tallies[axis].ends());
        let ([qs, rs, ss], rotation) = ([ends[0]?, ends[1]?, ends[2]?], pose.angle.rotation());
        let turned = |way: Point| {
            rotation.unrotated_wide([i64::from(way.a), i64::from(way.b)]).map(i128::from)
        };
        let size = 1i128 << (self.grid.shift() + FRACTION);
        let segment = Segment { from: turned(from - pose.position), way: turned(to - from), size };
        let along = segment.cells_along_forms();
        let line = Line::new(&segment);

        let mut first: Option<(Ratio, f64, Hex)> = None;
        let [low, high] = line.rows();
        let (low, high) = (rs[0].max(low), rs[1].min(high));
        for index in 0..=high - low {
            let r = if line.way[1] < 0.0 { high - index } else { low + index };
            if first.is_some_and(|(_, best, _)| line.reaches_row(r) > best + DOUBT) {
                break;
            }
            let mut min = qs[0].max(-r - ss[1]).max(along[1][0] - 2 * r).max(along[2][0] + r);
            let mut max = qs[1].min(-r - ss[0]).min(along[1][1] - 2 * r).min(along[2][1] + r);
            min = min.max((along[0][0] - r) >> 1);
            max = max.min((along[0][1] - r + 1) >> 1);
            if let Some([near_min, near_max]) = line.near(r) {
                (min, max) = (min.max(near_min), max.min(near_max));
            }
            if min > max {
                continue;
            }
            for cell in self.bits.row_cells(r as i32, min as i32, max as i32) {
                if first.is_some_and(|(_, best, _)| line.enters_after(cell) > best + DOUBT) {
                    continue;
                }
                let Some(enters) = segment.enters(cell) else { continue };
                let sooner = first.is_none_or(|(best, _, at)| {
                    enters.less(best) || (!best.less(enters) && cell > at)
                });
                if sooner {
                    first = Some((enters, enters.to_f64(), cell));
                }
            }
        }
        first.map(|(_, fraction, cell)| CellHit { cell, fraction })
    }
}
