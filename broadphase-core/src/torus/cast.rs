//! Casts on a torus: the path is unfolded over the images of the world and searched segment by
//! segment; each object is reported where the path touches the first of its images.
//!
//! 1. Move the start of the path home; limit the path to 1024 rounds on its fastest axis.
//! 2. For each segment, list the images of the world that its box may overlap.
//! 3. For each image, move the path instead of the objects, query the wrapped structure with the
//!    segment's box, and test the objects exactly.
//! 4. Report the hits in order, skipping objects reported before.

use alloc::collections::BTreeSet;
use core::ops::ControlFlow;

use bounds_hexprism::{Aabb, Scalar};

use super::Torus;
use super::images::moved;
use crate::SpatialIndexExt;
use crate::query::{Hits, Path, Visit, entry};

/// Maximum number of times that a path goes round the world.
const MAX_LAPS: f64 = 1024.0;
/// Length of the first segment, in object spacings.
const FIRST_LENGTH: f64 = 4.0;
/// Maximum number of segments per round of a path.
const MAX_SEGMENTS_PER_LAP: f64 = 64.0;
/// Number of tested objects above which segments are shortened.
const SHORTEN_ABOVE: usize = 128;
/// Number of tested objects below which segments are lengthened.
const LENGTHEN_BELOW: usize = 16;

/// Path unfolded over the images of the world, with the state of its search.
struct UnfoldedPath<S: Scalar, const D: usize> {
    /// The path, moved to a home start and limited to the searched part.
    path: Path<S, D>,
    /// Maximum number of images of the world to search in each direction.
    images: i64,
    /// Fraction of the path that goes once around the world, on the axis on which the path is
    /// fastest.
    lap: f64,
    /// Fraction at which the next segment begins.
    from: f64,
    end: f64,
    /// Length of the next segment, as a fraction.
    length: f64,
    /// Minimum length of a segment, as a fraction.
    shortest: f64,
    hits: Hits<S>,
}

/// Visits the objects that a path touches, ascending by fraction, then by key.
pub(super) fn cast<S: Scalar, const D: usize>(
    torus: &Torus<S, D>,
    path: &Path<S, D>,
    visit: &mut Visit<'_, S, D>,
) -> ControlFlow<()> {
    let Some(mut path_search) = UnfoldedPath::new(torus, path) else {
        return ControlFlow::Continue(());
    };
    let mut reported = BTreeSet::new();
    while reported.len() < torus.inner.len() && path_search.next(torus) {
        path_search.hits.in_order(|hit| {
            if reported.insert(hit.key) {
                visit(entry(&*torus.inner, hit.key), hit.number)
            } else {
                ControlFlow::Continue(())
            }
        })?;
    }
    ControlFlow::Continue(())
}

impl<S: Scalar, const D: usize> UnfoldedPath<S, D> {
    fn new(torus: &Torus<S, D>, path: &Path<S, D>) -> Option<Self> {
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
            // The path moves too fast for the resolution of fractions: search only its start.
            laps = 0.0;
        }
        let mut path = *path;
        if lap < f64::INFINITY {
            // Fractions are clamped to the largest number, so the path must end before this number.
            let (end, most) = (S::Real::from_f64(laps * lap), S::Real::MAX.next_below());
            let end = if end < most { end } else { most };
            path = if end.to_f64() < prepared.end() { path.until(end) } else { path };
        }
        let end = path.prepared()?.end();
        let length = torus
            .inner
            .state()
            .spacing
            .map_or(lap, |spacing| FIRST_LENGTH * spacing / prepared.max_movement());
        let length = if length > 0.0 && length < lap { length } else { lap };
        let shortest = 0.25 * length;
        let least = if lap < f64::INFINITY { lap / MAX_SEGMENTS_PER_LAP } else { 0.0 };
        Some(Self {
            path: path.starting_at(start),
            images: laps as i64 + 2,
            lap,
            from: 0.0,
            end,
            length: length.max(least),
            shortest: shortest.max(least),
            hits: Hits::new(torus.inner.len()),
        })
    }

    /// Searches the next segment; returns `false` if there is none.
    fn next(&mut self, torus: &Torus<S, D>) -> bool {
        let Some(prepared) = self.path.prepared() else { return false };
        let from = self.from;
        if from == f64::INFINITY || from > self.end || prepared.is_out_of_range(from) {
            return false;
        }
        let mut to = from + self.length;
        // A path on axes that wrap has a limited number of segments. Any other path is searched to
        // its end in one segment when the budget is spent.
        let budget_spent = !self.hits.has_budget() && self.lap == f64::INFINITY;
        if budget_spent || to <= from || to >= self.end {
            to = f64::INFINITY;
        }
        self.hits.begin(usize::MAX);
        self.test_images(torus, [from, to]);
        self.hits.spend(1 << D);
        let seen = self.hits.seen();
        self.from = to;
        if seen < LENGTHEN_BELOW {
            self.length = (2.0 * self.length).min(self.lap);
        } else if seen > SHORTEN_ABOVE {
            self.length = (0.5 * self.length).max(self.shortest);
        }
        true
    }

    /// Tests objects against the path between two fractions, in every image of the world that it
    /// may reach.
    fn test_images(&mut self, torus: &Torus<S, D>, [from, to]: [f64; 2]) {
        let range = [from, to.min(self.end)];
        let Some(prepared) = self.path.prepared() else { return };
        let area = prepared.segment_box(range);
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
            self.test_image(torus, &image, range, to);
        }
    }

    /// Tests the objects in one image of the world. The path is moved to the stored objects instead
    /// of the objects to the image. Exception: in images below home on an axis, the objects are
    /// moved down by one side, because their ends are exact there, and the path is moved by the
    /// remaining sides.
    fn test_image(&mut self, torus: &Torus<S, D>, image: &[i64; D], range: [f64; 2], to: f64) {
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
        let mut area: Aabb<S, D> = prepared.segment_box(range);
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
        let hits = &mut self.hits;
        let _ = torus.inner.query_unordered(area, |entry| {
            let mut bounds = entry.bounds;
            for (axis, &down) in down.iter().enumerate().filter(|(_, down)| **down > S::ZERO) {
                bounds.min[axis] = bounds.min[axis].minus(down);
                bounds.max[axis] = bounds.max[axis].minus(down);
            }
            let in_segment = |fraction: &S::Real| (range[0]..to).contains(&fraction.to_f64());
            hits.see(entry.key, 0, || prepared.first_touch(&bounds).filter(in_segment))
        });
    }
}

/// Returns the largest integer not above `x`.
fn floor(x: f64) -> i64 {
    let towards_zero = x as i64;
    if towards_zero as f64 > x { towards_zero.saturating_sub(1) } else { towards_zero }
}
