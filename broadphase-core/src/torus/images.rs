//! Box queries on a torus: the query box itself and its images beyond the seams.
//!
//! On each axis that wraps, the query interval is searched as it is, moved down by one side, and
//! moved up by one side; intervals without objects are left out. The up to 3^D combinations are
//! queried in order. An object is skipped if an earlier image overlaps it, so each is reported
//! once.

use core::array::from_fn;

use bounds_hexprism::{Aabb, Flow, Scalar};

use super::Torus;
use super::world::World;
use crate::{Entry, SpatialIndex};

/// Returns an upper bound of the total rounding error of a gap between images in a world with this
/// side.
#[inline]
pub(super) fn rounding_margin<S: Scalar>(side: S) -> S {
    let margin = side.minus(side.next_below());
    let margin = margin.plus(margin);
    margin.plus(margin)
}

/// Moves an interval up or down by a side, and widens it by more than the total rounding error of a
/// gap.
#[inline]
pub(super) fn moved<S: Scalar>([low, high]: [S; 2], side: S, up: bool) -> [S; 2] {
    let margin = rounding_margin(side);
    let [low, high] =
        if up { [low.plus(side), high.plus(side)] } else { [low.minus(side), high.minus(side)] };
    [low.minus(margin), high.plus(margin)]
}

/// A query box and its images. On each axis: the interval itself, moved down by the side of the
/// world, and moved up by it; `None` where no object can be, or where the axis does not wrap. A box
/// at least one side wide has one interval with all numbers instead.
#[derive(Clone, Copy, Debug)]
struct Images<S, const D: usize> {
    intervals: [[Option<[S; 2]>; 3]; D],
}

impl<S: Scalar, const D: usize> Images<S, D> {
    /// Creates the images of a box that is home, or slightly enlarged from a home box. All objects
    /// must be home and end at most at `far`.
    fn new(world: &World<S, D>, reach: &Aabb<S, D>, far: &[S; D]) -> Self {
        let intervals = from_fn(|axis| {
            let (min, max) = (reach.min[axis], reach.max[axis]);
            let Some(side) = world.side(axis) else { return [Some([min, max]), None, None] };
            if max.minus(min) >= side {
                return [Some([S::MIN, S::MAX]), None, None];
            }
            let below = moved([min, max], side, false);
            let above = moved([min, max], side, true);
            [
                Some([min, max]),
                (below[1] >= S::ZERO).then_some(below),
                (above[0] <= far[axis]).then_some(above),
            ]
        });
        Self { intervals }
    }

    /// Number of possible images; image 0 is the box itself.
    const COUNT: usize = 3usize.pow(D as u32);

    fn get(&self, image: usize) -> Option<Aabb<S, D>> {
        let mut area = Aabb { min: [S::ZERO; D], max: [S::ZERO; D] };
        let mut rest = image;
        for axis in 0..D {
            [area.min[axis], area.max[axis]] = self.intervals[axis][rest % 3]?;
            rest /= 3;
        }
        Some(area)
    }

    /// Returns whether an image with a smaller number overlaps a box.
    fn meets_before(&self, image: usize, bounds: &Aabb<S, D>) -> bool {
        let mut earlier = (0..image).filter_map(|image| self.get(image));
        earlier.any(|area| area.overlaps(bounds))
    }
}

impl<I: SpatialIndex<S, D>, S: Scalar, const D: usize> Torus<I, S, D> {
    /// Visits every object whose first overlapping image is number `first` or a later one; each
    /// object is visited once. Images are widened, so some of the objects may be slightly outside
    /// the image itself.
    pub(super) fn candidates<R: Flow>(
        &self,
        reach: &Aabb<S, D>,
        first: usize,
        mut visit: impl FnMut(Entry<'_, S, D, I::Data>) -> R,
    ) -> R {
        let images = Images::new(&self.world, reach, &self.far);
        for image in first..Images::<S, D>::COUNT {
            let Some(area) = images.get(image) else { continue };
            let flow = self.inner.query_unordered(area, |entry| {
                if images.meets_before(image, &entry.bounds) { R::CONTINUE } else { visit(entry) }
            });
            if flow.stops() {
                return flow;
            }
        }
        R::CONTINUE
    }
}
