//! Box queries on a torus: the query box itself and its images beyond the seams.
//!
//! On each axis that wraps, the query interval is searched as it is, moved down by one side, and
//! moved up by one side, if there can be objects. The up to 3^D combinations are queried in order;
//! an object that an earlier image overlaps is skipped. A box far from all seams has no other
//! image.

use core::array::from_fn;

use bounds_hexprism::{Aabb, Flow, Scalar};

use super::Torus;
use super::world::World;
use crate::{Entry, SpatialIndexExt};

/// Returns an upper bound of the rounding error of a gap between images.
#[inline]
pub(super) fn rounding_margin<S: Scalar>(side: S) -> S {
    let margin = side.minus(side.next_below());
    let margin = margin.plus(margin);
    margin.plus(margin)
}

/// Moves an interval up or down by a side, and widens it by more than the rounding error of a gap.
#[inline]
pub(super) fn moved<S: Scalar>([low, high]: [S; 2], side: S, up: bool) -> [S; 2] {
    let margin = rounding_margin(side);
    let [low, high] =
        if up { [low.plus(side), high.plus(side)] } else { [low.minus(side), high.minus(side)] };
    [low.minus(margin), high.plus(margin)]
}

/// A query box and its images: on each axis the interval, then those moved down and up by the side,
/// where objects can be. A box at least one side wide has one interval with all numbers instead.
#[derive(Clone, Copy, Debug)]
pub(super) struct Images<S, const D: usize> {
    intervals: [[[S; 2]; 3]; D],
    /// Number of intervals on each axis.
    counts: [usize; D],
    /// Whether the box is at least one side wide on an axis.
    pub(super) is_wide: bool,
}

impl<S: Scalar, const D: usize> Images<S, D> {
    /// Creates the images of a box that is (nearly) home. All objects must be home and end at most
    /// at `far`.
    pub(super) fn new(world: &World<S, D>, reach: &Aabb<S, D>, far: &[S; D]) -> Self {
        let mut is_wide = false;
        let mut counts = [1; D];
        let intervals = from_fn(|axis| {
            let (min, max) = (reach.min[axis], reach.max[axis]);
            let mut intervals = [[min, max]; 3];
            let Some(side) = world.side(axis) else { return intervals };
            if max.minus(min) >= side {
                is_wide = true;
                return [[S::MIN, S::MAX]; 3];
            }
            let below = moved([min, max], side, false);
            let above = moved([min, max], side, true);
            for (interval, has_objects) in
                [(below, below[1] >= S::ZERO), (above, above[0] <= far[axis])]
            {
                if has_objects {
                    intervals[counts[axis]] = interval;
                    counts[axis] += 1;
                }
            }
            intervals
        });
        Self { intervals, counts, is_wide }
    }

    /// Returns whether no object can be near another image than the box itself.
    #[inline]
    pub(super) fn is_single(&self) -> bool {
        !self.is_wide && self.counts == [1; D]
    }

    fn count(&self) -> usize {
        self.counts.iter().product()
    }

    fn get(&self, image: usize) -> Aabb<S, D> {
        let mut area = Aabb { min: [S::ZERO; D], max: [S::ZERO; D] };
        let mut rest = image;
        for axis in 0..D {
            [area.min[axis], area.max[axis]] = self.intervals[axis][rest % self.counts[axis]];
            rest /= self.counts[axis];
        }
        area
    }
}

impl<S: Scalar, const D: usize> Torus<S, D> {
    /// Visits each object that overlaps an image of a box once. Images are widened: some objects
    /// may be slightly outside.
    pub(super) fn candidates<R: Flow>(
        &self,
        reach: &Aabb<S, D>,
        visit: impl FnMut(Entry<S, D>) -> R,
    ) -> R {
        self.visit_images(&Images::new(&self.world, reach, &self.far), 0, visit)
    }

    /// Visits each object that overlaps image number `first` (0: the box itself) or a later one
    /// once.
    pub(super) fn visit_images<R: Flow>(
        &self,
        images: &Images<S, D>,
        first: usize,
        mut visit: impl FnMut(Entry<S, D>) -> R,
    ) -> R {
        for image in first..images.count() {
            let flow = self.inner.query_unordered(images.get(image), |entry| {
                let mut earlier = first..image;
                if earlier.any(|image| images.get(image).overlaps(&entry.bounds)) {
                    R::CONTINUE
                } else {
                    visit(entry)
                }
            });
            if flow.stops() {
                return flow;
            }
        }
        R::CONTINUE
    }
}
