//! Boxes of geometries on an axis that wraps.
//!
//! 1. Visit the points again, if the box without seams is longer than half of the axis. Follow each
//!    part, a point, line or ring, from point to point. A step of more than half of the axis takes
//!    the shorter way, over the seam. So each part covers an interval of the circle.
//! 2. Sort the intervals by their start. The box has everything but the largest gap between them.
//!
//! Without an axis that wraps, step 1 and 2 are done for degrees of longitude if all coordinates
//! may be degrees; a warning counts the geometries whose box would be another.

use core::marker::PhantomData;

use hexphase::Aabb;

use super::collector::Batch;
use super::geometry::{Coordinate, Malformed, VisitAll, Visitor, value_of};
use super::number::Number;

const DEGREES: f64 = 360.0;

/// Replaces the ends of a box on the axes that wrap, given their lengths, 0 for other axes.
pub(super) fn adjust<S: Number>(
    bounds: &mut Aabb<S, 3>,
    visit_all: VisitAll<'_, '_>,
    sides: [f64; 3],
    location: impl Fn() -> String,
    batch: &mut Batch<S>,
) -> Result<(), Malformed> {
    let is_long = |axis: usize, side: f64| {
        let length = bounds.max[axis].to_f64() - bounds.min[axis].to_f64();
        side > 0.0 && length > 0.5 * side
    };
    let is_any_long = match sides {
        [0.0, 0.0, 0.0] => is_long(0, DEGREES),
        [x, y, _] => is_long(0, x) || is_long(1, y),
    };
    if is_any_long { adjust_long(bounds, visit_all, sides, location, batch) } else { Ok(()) }
}

/// Does the work of [`adjust`] for a box that is longer than half of an axis.
#[cold]
fn adjust_long<S: Number>(
    bounds: &mut Aabb<S, 3>,
    visit_all: VisitAll<'_, '_>,
    sides: [f64; 3],
    location: impl Fn() -> String,
    batch: &mut Batch<S>,
) -> Result<(), Malformed> {
    let [min, max] = [bounds.min, bounds.max].map(|end| end.map(S::to_f64));
    let covered = |axis: usize, side: f64| -> Result<Option<[f64; 2]>, Malformed> {
        if max[axis] - min[axis] <= 0.5 * side {
            return Ok(None);
        }
        let mut intervals = Intervals::<S>::new(axis, side);
        visit_all(&mut intervals)?;
        Ok(intervals.covered())
    };
    if sides == [0.0; 3] {
        let is_within = |axis: usize, end: f64| -end <= min[axis] && max[axis] <= end;
        if is_within(0, 0.5 * DEGREES)
            && is_within(1, 0.25 * DEGREES)
            && let Some([west, east]) = covered(0, DEGREES)?
            && east - west < max[0] - min[0]
        {
            batch.warnings.seams.add(location);
        }
        return Ok(());
    }
    for axis in [0, 1] {
        let side = S::from_f64(sides[axis]).to_f64();
        if side > 0.0
            && let Some(ends) = covered(axis, side)?
        {
            [bounds.min[axis], bounds.max[axis]] = ends.map(S::from_f64);
        }
    }
    Ok(())
}

/// The part of an axis that a part of a geometry covers.
#[derive(Clone, Copy, Debug)]
struct Interval {
    /// The start, from 0 to the length of the axis.
    start: f64,
    length: f64,
    /// The coordinates at the start and at the end.
    ends: [f64; 2],
}

/// The part of a geometry that is being followed. Positions are coordinates, moved by whole lengths
/// of the axis so that no step is longer than half of it.
#[derive(Clone, Copy, Debug)]
struct OpenPart {
    /// The last coordinate, and by how much its position exceeds it.
    last: f64,
    moved: f64,
    /// The lowest and the highest position, each with its coordinate.
    ends: [[f64; 2]; 2],
}

struct Intervals<S> {
    axis: usize,
    side: f64,
    intervals: Vec<Interval>,
    part: Option<OpenPart>,
    /// Set if long steps of the current part go over the seam.
    has_steps: bool,
    /// Set if the geometry covers the whole axis.
    is_full: bool,
    scalar: PhantomData<S>,
}

impl<S> Intervals<S> {
    const fn new(axis: usize, side: f64) -> Self {
        Self {
            axis,
            side,
            intervals: Vec::new(),
            part: None,
            has_steps: false,
            is_full: false,
            scalar: PhantomData,
        }
    }

    fn end_part(&mut self) {
        let Some(OpenPart { ends: [[low, first], [high, last]], .. }) = self.part.take() else {
            return;
        };
        self.is_full |= high - low >= self.side;
        let start = low.rem_euclid(self.side);
        self.intervals.push(Interval { start, length: high - low, ends: [first, last] });
    }

    /// Returns the ends of the smallest interval that covers all intervals; the second end may
    /// exceed the axis. `None` if there are no points.
    fn covered(mut self) -> Option<[f64; 2]> {
        self.end_part();
        let Self { side, mut intervals, is_full, .. } = self;
        if is_full {
            return Some([0.0, side]);
        }
        intervals.sort_by(|a, b| a.start.total_cmp(&b.start));
        let end = |it: &Interval| it.start + it.length;
        // The farthest end of the intervals before the current one, at first one round before.
        let mut last = *intervals.iter().max_by(|a, b| end(a).total_cmp(&end(b)))?;
        last.start -= side;
        let (mut gap, mut covered) = (0.0, None);
        for interval in &intervals {
            if interval.start - end(&last) > gap {
                gap = interval.start - end(&last);
                covered = Some((interval.ends[0], last.ends[1]));
            }
            if end(interval) > end(&last) {
                last = *interval;
            }
        }
        let (min, max) = covered.unwrap_or((0.0, side));
        // Whole lengths of the axis by which the second end is after its coordinate.
        let rounds = ((side - gap + min - max) / side).round();
        Some([min, max + rounds * side])
    }
}

impl<'t, S: Number> Visitor<'t> for Intervals<S> {
    fn part(&mut self, has_steps: bool) {
        self.end_part();
        self.has_steps = has_steps;
    }

    fn coordinate(&mut self, axis: usize, from: Coordinate<'t>) -> Result<(), Malformed> {
        if axis != self.axis {
            return Ok(());
        }
        let (value, side) = (value_of::<S>(from)?.to_f64(), self.side);
        let ends = [[value; 2]; 2];
        let part = self.part.get_or_insert(OpenPart { last: value, moved: 0.0, ends });
        let step = value - part.last;
        if self.has_steps && step.abs() > 0.5 * side {
            // A step around the whole axis has no shorter way.
            self.is_full |= step.abs() >= side;
            part.moved -= (step / side).round() * side;
        }
        part.last = value;
        let position = value + part.moved;
        if position < part.ends[0][0] {
            part.ends[0] = [position, value];
        }
        if position > part.ends[1][0] {
            part.ends[1] = [position, value];
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the interval that parts cover on an axis with a length of 360.
    fn covered(parts: &[&[f64]]) -> [f64; 2] {
        let mut intervals = Intervals::<f64>::new(0, 360.0);
        for part in parts {
            intervals.part(true);
            for &x in *part {
                intervals.coordinate(0, Coordinate::Number(x)).unwrap();
                intervals.coordinate(1, Coordinate::Number(7.0)).unwrap();
            }
        }
        intervals.covered().unwrap()
    }

    #[test]
    fn the_smallest_interval_covers_all_parts() {
        for (parts, expected) in [
            // A ring over the seam, in both directions, and one that is cut at the seam.
            (&[&[179.9, -179.9, -179.8, 179.9][..]][..], [179.9, 180.2]),
            (&[&[-179.9, 179.9, 179.8, -179.9]], [179.8, 180.1]),
            (&[&[179.0, 180.0], &[-180.0, -179.0]], [179.0, 181.0]),
            // Points, in any round.
            (&[&[170.0], &[-170.0], &[175.0]], [170.0, 190.0]),
            (&[&[530.0], &[-170.0]], [530.0, 550.0]),
            (&[&[-100.0], &[0.0], &[100.0]], [-100.0, 100.0]),
            // An interval that contains another, and one that contains the seam.
            (&[&[-170.0, 10.0, 20.0], &[-20.0, 0.0]], [-170.0, 20.0]),
            (&[&[100.0, -100.0], &[-60.0]], [100.0, 300.0]),
            // A ring around a pole, a step around the whole axis, and no gap.
            (&[&[-180.0, -60.0, 60.0, 180.0]], [0.0, 360.0]),
            (&[&[-180.0, 180.0, 180.0, -180.0]], [0.0, 360.0]),
            (&[&[-180.0, -60.0, 60.0], &[60.0, 180.0]], [0.0, 360.0]),
        ] {
            assert_eq!(covered(parts), expected, "{parts:?}");
        }
        assert_eq!(Intervals::<f32>::new(0, 360.0).covered(), None);
    }
}
