//! The objects nearest to a box, in the order of the distances that are printed.
//!
//! Objects are visited in ascending order of the distance of their boxes, until no later object can
//! be nearer than those found. So the nearest discs are exact, although discs are farther apart
//! than their boxes.

use core::ops::ControlFlow;

use hexphase::{Aabb, Scalar, SpatialIndexExt, Target};

use super::Index;
use super::metric::{Distance, Metric};
use crate::scene::Number;

/// Lower bound of the factor by which rounding changes the distance between boxes.
const SLACK: f64 = 1.0 - 1e-6;

/// Returns the distances and rows of the `count` objects nearest to the box `own`, ascending. The
/// box must be home. `except` is the row of an object that is left out.
pub(crate) fn nearest<S: Number, const D: usize>(
    index: &Index<S, D>,
    own: &Aabb<S, D>,
    except: Option<u32>,
    count: usize,
    metric: &Metric<S, D>,
) -> Vec<(Distance<S>, u32)> {
    let mut best: Vec<(Distance<S>, u32)> = Vec::new();
    let _ = index.structure.nearest(Target::from(*own), |entry, square| {
        if except == Some(entry.key) {
            return ControlFlow::Continue(());
        }
        if best.len() == count {
            // A square that overflows is above the largest number.
            let square = square.to_f64().min(S::Real::MAX.to_f64());
            if best.last().is_none_or(|last| square.sqrt() * SLACK > last.0.value) {
                return ControlFlow::Break(());
            }
        }
        let item = (metric.distance(own, &entry.bounds), entry.key);
        let is_before = |(distance, other): &(Distance<S>, u32)| {
            distance.value.total_cmp(&item.0.value).then(other.cmp(&entry.key)).is_lt()
        };
        best.insert(best.partition_point(is_before), item);
        best.truncate(count);
        ControlFlow::Continue(())
    });
    best
}
