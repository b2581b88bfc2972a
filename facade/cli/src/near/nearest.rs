//! The objects nearest to a box, in the order of the distances that are printed.
//!
//! Objects are visited in ascending order of the distance of their boxes, until no later object can
//! be nearer than those found. So the nearest discs are exact, although discs are farther apart
//! than their boxes.

use core::ops::ControlFlow;

use hexphase::{Aabb, Neighbor, Query, Scalar};

use super::metric::{Distance, Metric};
use crate::scene::Number;

/// Lower bound of the factor by which rounding changes the distance between boxes.
const SLACK: f64 = 1.0 - 1e-6;

/// Returns the distances and rows of the `count` objects nearest to the box `own`, ascending.
/// `query` is the search for the objects nearest to this box, which must be home.
pub(crate) fn nearest<S: Number, const D: usize>(
    query: Query<'_, S, D, u32, Aabb<S, D>, Neighbor<S::Real>>,
    own: &Aabb<S, D>,
    count: usize,
    metric: &Metric<S, D>,
) -> Vec<(Distance<S>, u32)> {
    let mut best: Vec<(Distance<S>, u32)> = Vec::new();
    let _ = query.visit(|found, &row, bounds| {
        if best.len() == count {
            // A square that overflows is above the largest number.
            let square = found.distance_squared.to_f64().min(S::Real::MAX.to_f64());
            if best.last().is_none_or(|last| square.sqrt() * SLACK > last.0.value) {
                return ControlFlow::Break(());
            }
        }
        let item = (metric.distance(own, bounds), row);
        let is_before = |(distance, other): &(Distance<S>, u32)| {
            distance.value.total_cmp(&item.0.value).then(other.cmp(&row)).is_lt()
        };
        best.insert(best.partition_point(is_before), item);
        best.truncate(count);
        ControlFlow::Continue(())
    });
    best
}
