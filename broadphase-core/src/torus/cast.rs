//! Casts on a torus: the path is unfolded over the images of the world and searched segment by
//! segment; each object is reported where the path first touches an image.
//!
//! 1. Move the start of the path home; limit the path to 1024 rounds on its fastest axis.
//! 2. For each segment, list the images of the world that its box may overlap.
//! 3. For each image, move the path instead of the objects, query the wrapped structure with the
//!    segment's box, and test exactly.
//! 4. Report the hits in order, skipping objects reported before.

use alloc::collections::BTreeSet;
use core::ops::ControlFlow;

use bounds_hexprism::{Aabb, Scalar};

use super::Torus;
use super::images::moved;
use crate::SpatialIndexExt;
use crate::query::{CastSegment, CastSegments, Hits, Path, Visit, entry};

/// Maximum number of times that a path goes round the world.
const MAX_LAPS: f64 = 1024.0;
/// Maximum number of segments per round of a path.
const MAX_SEGMENTS_PER_LAP: f64 = 64.0;

/// Visits the objects that a path touches, ascending by fraction, then by key.
pub(super) fn cast<S: Scalar, const D: usize>(
    torus: &Torus<S, D>,
    path: &Path<S, D>,
    visit: &mut Visit<'_, S, D>,
) -> ControlFlow<()> {
    let Torus { inner, .. } = torus;
    let Some(unfolded) = UnfoldedPath::new(torus, path) else { return ControlFlow::Continue(()) };
    let UnfoldedPath { path, lap, .. } = unfolded;
    let spacing = inner.state().spacing;
    let Some(mut segments) = CastSegments::new(&path, spacing, inner.len(), false) else {
        return ControlFlow::Continue(());
    };
    if lap < f64::INFINITY {
        segments.limit_lengths(lap / MAX_SEGMENTS_PER_LAP, lap);
    }
    let (mut reported, mut answer) = (BTreeSet::new(), ControlFlow::Continue(()));
    let _ = segments.each(
        &mut |segment, hits| unfolded.test_images(torus, segment, hits),
        &mut |hit| {
            if reported.insert(hit.key) {
                answer = visit(entry(&**inner, hit.key), hit.number);
            }
            if reported.len() < inner.len() { answer } else { ControlFlow::Break(()) }
        },
    );
    answer
}

/// Path unfolded over the images of the world.
struct UnfoldedPath<S: Scalar, const D: usize> {
    /// The path, moved to a home start and limited to the searched part.
    path: Path<S, D>,
    /// Maximum number of images of the world to search in each direction.
    images: i64,
    /// Fraction of the path that goes once around the world on its fastest axis; else infinite.
    lap: f64,
}

impl<S: Scalar, const D: usize> UnfoldedPath<S, D> {
    /// Unfolds a path; `None` if it touches nothing.
    fn new(torus: &Torus<S, D>, path: &Path<S, D>) -> Option<Self> {
        if torus.inner.len() == 0 {
            return None;
        }
        let prepared = path.prepared()?;
        let start = torus.world.reduce(path.start().checked().ok()?)?;
        let (mut laps, mut lap) = (MAX_LAPS, f64::INFINITY);
        for axis in 0..D {
            if let Some(side) = torus.world.side(axis) {
                let side = side.to_f64();
                // Farther out, positions exceed the number range.
                laps = laps.min((S::MAX.to_f64() / side - 3.0) as i64 as f64);
                lap = lap.min(side / prepared.movement(axis).abs());
            }
        }
        if (0..D).filter(|&axis| prepared.movement(axis) != 0.0).count() == 1 {
            // Along a single axis the path repeats after the first round.
            laps = laps.min(2.0);
        }
        if lap < 1e4 * S::FRACTION_ERROR_NEAR_ZERO || lap < f64::MIN_POSITIVE {
            // Too fast for the resolution of fractions: search only the start.
            laps = 0.0;
        }
        let mut path = *path;
        if lap < f64::INFINITY {
            // Fractions are clamped to the largest number: end below it.
            let (end, most) = (S::Real::from_f64(laps * lap), S::Real::MAX.next_below());
            let end = if end < most { end } else { most };
            path = if end.to_f64() < prepared.end() { path.until(end) } else { path };
        }
        Some(Self { path: path.starting_at(start), images: laps as i64 + 2, lap })
    }

    /// Tests objects against a segment in every image of the world that it may reach.
    fn test_images(
        &self,
        torus: &Torus<S, D>,
        segment: &CastSegment<'_, S, D>,
        hits: &mut Hits<S>,
    ) {
        let area = segment.area();
        let (mut first, mut counts) = ([0; D], [1; D]);
        for axis in 0..D {
            if let Some(side) = torus.world.side(axis) {
                let world = |x: S| floor(x.to_f64() / side.to_f64());
                // A home object may end in the next image.
                let low = world(area.min[axis]).saturating_sub(1).clamp(-self.images, self.images);
                let high = world(area.max[axis]).clamp(-self.images, self.images);
                (first[axis], counts[axis]) = (low, high - low + 1);
            }
        }
        for number in 0..counts.iter().product() {
            let (mut rest, mut image) = (number, first);
            for axis in 0..D {
                image[axis] += rest % counts[axis];
                rest /= counts[axis];
            }
            self.test_image(torus, &image, segment, hits);
        }
    }

    /// Tests the objects in one image of the world, with the path moved to the stored objects.
    /// Exception: in images below home on an axis, the objects are moved down by one side, where
    /// their ends are exact, and the path by the remaining sides.
    fn test_image(
        &self,
        torus: &Torus<S, D>,
        image: &[i64; D],
        segment: &CastSegment<'_, S, D>,
        hits: &mut Hits<S>,
    ) {
        let mut start = self.path.start();
        let mut down = [S::ZERO; D];
        for axis in 0..D {
            let Some(side) = torus.world.side(axis) else { continue };
            if image[axis] < 0 {
                down[axis] = side;
            }
            let worlds = if image[axis] < 0 { image[axis] + 1 } else { image[axis] };
            let by = S::from_f64(worlds.abs() as f64 * side.to_f64());
            let by = |x: S| if worlds < 0 { x.plus(by) } else { x.minus(by) };
            (start.min[axis], start.max[axis]) = (by(start.min[axis]), by(start.max[axis]));
        }
        let Some(prepared) = self.path.starting_at(start).prepared() else { return };
        let mut area: Aabb<S, D> = prepared.segment_box(segment.range());
        for (axis, &down) in down.iter().enumerate() {
            let ends = [area.min[axis], area.max[axis]];
            if down > S::ZERO {
                [area.min[axis], area.max[axis]] = moved(ends, down, true);
            }
            let wraps = torus.world.side(axis).is_some();
            if wraps && (area.min[axis] > torus.far[axis] || area.max[axis] < S::ZERO) {
                return;
            }
        }
        let _ = torus.inner.query_unordered(area, |entry| {
            let mut bounds = entry.bounds;
            for (axis, &down) in down.iter().enumerate().filter(|(_, down)| **down > S::ZERO) {
                bounds.min[axis] = bounds.min[axis].minus(down);
                bounds.max[axis] = bounds.max[axis].minus(down);
            }
            hits.see(entry.key, 0, || segment.first_touch_of(&prepared, &bounds))
        });
    }
}

fn floor(x: f64) -> i64 {
    let towards_zero = x as i64;
    if towards_zero as f64 > x { towards_zero.saturating_sub(1) } else { towards_zero }
}
