//! Casts on a torus: the path is unfolded over images of the world, piece by piece, and each
//! object is shown where its first image is touched.

use alloc::collections::BTreeSet;

use bounds_hexprism::{Aabb, Flow, Scalar};

use super::Torus;
use super::images::moved;
use crate::query::{Hits, Path};
use crate::{Entry, SpatialIndex};

/// How often a path may go around the world.
const LAPS: f64 = 1024.0;
/// So many spacings are a good first piece.
const FIRST: f64 = 4.0;
/// So many pieces of a lap are small enough.
const PIECES: f64 = 64.0;
/// So many objects in one piece are many, and so many few.
const MANY: usize = 128;
const FEW: usize = 16;

/// A path, unfolded.
struct Unfolded<S: Scalar, const D: usize> {
    /// From its beginning at home, and no farther than it is followed.
    path: Path<S, D>,
    /// In how many images of the world it may be, to each side.
    images: i64,
    /// The fraction in which it goes around once on the axis where it is fastest.
    lap: f64,
    /// Where the next piece begins.
    from: f64,
    end: f64,
    /// How long the next piece should be.
    length: f64,
    /// Shorter ones do not pay.
    shortest: f64,
    hits: Hits<S>,
}

/// Visits what a path touches, ascending by fraction, then by key.
pub(super) fn cast<I: SpatialIndex<S, D>, S: Scalar, const D: usize, R: Flow>(
    torus: &Torus<I, S, D>,
    path: &Path<S, D>,
    mut visit: impl FnMut(Entry<'_, S, D, I::Data>, S::Real) -> R,
) -> R {
    let Some(mut unfolded) = Unfolded::new(torus, path) else { return R::CONTINUE };
    let mut met = BTreeSet::new();
    while met.len() < torus.inner.len() && unfolded.next(torus) {
        let answer = unfolded.hits.in_order(|hit| {
            match torus.inner.get(hit.key).filter(|_| met.insert(hit.key)) {
                Some(entry) => visit(entry, hit.number),
                None => R::CONTINUE,
            }
        });
        if answer.stops() {
            return answer;
        }
    }
    R::CONTINUE
}

impl<S: Scalar, const D: usize> Unfolded<S, D> {
    fn new<I: SpatialIndex<S, D>>(torus: &Torus<I, S, D>, path: &Path<S, D>) -> Option<Self> {
        let prepared = path.prepared()?;
        let start = torus.world.reduce(path.start().checked().ok()?)?;
        let (mut laps, mut lap) = (LAPS, f64::INFINITY);
        for axis in 0..D {
            if let Some(side) = torus.world.side(axis) {
                let side = side.to_f64();
                // Beyond that there are no numbers for where it is.
                laps = laps.min((S::MAX.to_f64() / side - 3.0) as i64 as f64);
                lap = lap.min(side / prepared.movement(axis).abs());
            }
        }
        if (0..D).filter(|&axis| prepared.movement(axis) != 0.0).count() == 1 {
            // Straight along an axis nothing new comes after the first lap.
            laps = laps.min(2.0);
        }
        if lap < 1e4 * S::LEAST_FRACTION || lap < f64::MIN_POSITIVE {
            // Too fast for fractions.
            laps = 0.0;
        }
        let mut path = *path;
        if lap < f64::INFINITY {
            // The largest fraction stands for all that are larger, so it is none here.
            let (end, most) = (S::Real::from_f64(laps * lap), S::Real::MAX.next_below());
            let end = if end < most { end } else { most };
            path = if end.to_f64() < prepared.end() { path.until(end) } else { path };
        }
        let end = path.prepared()?.end();
        let length =
            torus.inner.spacing().map_or(lap, |spacing| FIRST * spacing / prepared.max_movement());
        let length = if length > 0.0 && length < lap { length } else { lap };
        let shortest = 0.25 * length;
        let least = if lap < f64::INFINITY { lap / PIECES } else { 0.0 };
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

    /// Finds what the next piece touches; `false` if there is none.
    fn next<I: SpatialIndex<S, D>>(&mut self, torus: &Torus<I, S, D>) -> bool {
        let Some(prepared) = self.path.prepared() else { return false };
        let from = self.from;
        if from == f64::INFINITY || from > self.end || prepared.is_out_of_range(from) {
            return false;
        }
        let mut to = from + self.length;
        // What goes around comes to an end after so many pieces; else the search must.
        let broke = !self.hits.has_budget() && self.lap == f64::INFINITY;
        if broke || to <= from || to >= self.end {
            to = f64::INFINITY;
        }
        self.hits.begin(usize::MAX);
        self.look(torus, [from, to]);
        self.hits.spend(1 << D);
        let seen = self.hits.seen();
        self.from = to;
        if seen < FEW {
            self.length = (2.0 * self.length).min(self.lap);
        } else if seen > MANY {
            self.length = (0.5 * self.length).max(self.shortest);
        }
        true
    }

    /// Looks for what is touched between two fractions, in every image of the world where that may
    /// be.
    fn look<I: SpatialIndex<S, D>>(&mut self, torus: &Torus<I, S, D>, [from, to]: [f64; 2]) {
        let range = [from, to.min(self.end)];
        let Some(prepared) = self.path.prepared() else { return };
        let area = prepared.segment_box(range);
        let (mut first, mut counts) = ([0; D], [1; D]);
        for axis in 0..D {
            if let Some(side) = torus.world.side(axis) {
                let world = |x: S| floor(x.to_f64() / side.to_f64());
                // An object at home may end in the next world.
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
            self.look_into(torus, &image, range, to);
        }
    }

    /// Looks into one image of the world: instead of that, the path is moved, and what is below
    /// home ends at home, so that where it ends is exact.
    fn look_into<I: SpatialIndex<S, D>>(
        &mut self,
        torus: &Torus<I, S, D>,
        image: &[i64; D],
        range: [f64; 2],
        to: f64,
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
            let in_piece = |fraction: &S::Real| (range[0]..to).contains(&fraction.to_f64());
            hits.see(entry.key, 0, || prepared.first_touch(&bounds).filter(in_piece))
        });
    }
}

/// The largest integer that is not above.
fn floor(x: f64) -> i64 {
    let towards_zero = x as i64;
    if towards_zero as f64 > x { towards_zero.saturating_sub(1) } else { towards_zero }
}
