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

impl HexBody {
    /// The first cell of the body that the segment between two points of the world touches, ends
    /// and borders included; of several at once the greatest.
    ///
    /// Exact after turning the segment back, which does not round: every cell that the segment
    /// touches counts, however small the corner it clips. Rows that it does not pass are not
    /// looked at. Differences of positions wrap.
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
        // Near the line: a conservative guess in floats, confirmed exactly below.
        let cells = |x: i128| x as f64 / size as f64;
        let [(a, b), (da, db)] = [segment.from, segment.way].map(|[a, b]| (cells(a), cells(b)));
        let widest = forms(segment.way).map(|form| cells(form.abs()));
        let reach = widest[0].max(widest[1]).max(widest[2]) / 3.0;

        let mut first: Option<(Ratio, Hex)> = None;
        // A cell reaches two thirds along b.
        let [low, high] = [b.min(b + db), b.max(b + db)];
        let low = rs[0].max((low - 2.0) as i64);
        let high = rs[1].min((high + 2.0) as i64);
        for r in low..=high {
            let mut min = qs[0].max(-r - ss[1]).max(along[1][0] - 2 * r).max(along[2][0] + r);
            let mut max = qs[1].min(-r - ss[0]).min(along[1][1] - 2 * r).min(along[2][1] + r);
            min = min.max((along[0][0] - r) >> 1);
            max = max.min((along[0][1] - r + 1) >> 1);
            if db != 0.0 {
                let middle = a + (r as f64 - b) * (da / db);
                let half = reach / if db < 0.0 { -db } else { db } + 2.0;
                min = min.max((middle - half) as i64);
                max = max.min((middle + half) as i64);
            }
            if min > max {
                continue;
            }
            for cell in self.bits.row_cells(r as i32, min as i32, max as i32) {
                let Some(enters) = segment.enters(cell) else { continue };
                let sooner = first.is_none_or(|(best, at)| {
                    enters.less(best) || (!best.less(enters) && cell > at)
                });
                if sooner {
                    first = Some((enters, cell));
                }
            }
        }
        let (at, cell) = first?;
        Some(CellHit { cell, fraction: at.above as f64 / at.below as f64 })
    }
}
