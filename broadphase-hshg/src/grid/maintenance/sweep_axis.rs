//! Chooses the axis along which rows are swept, so that no axis of the caller is special.
//!
//! 1. Take an evenly spaced sample of the objects.
//! 2. For each axis, estimate the cost of sweeping along it, per object: the number of objects that
//!    overlap another one along the axis and are in its row or an adjacent one, in blocks of eight;
//!    plus the cost of a row, divided by the objects in it.
//! 3. Keep the current axis unless another one costs clearly less.
//!
//! Runs when the grid is rebuilt. If a tier stays crowded at its minimum row height, the estimate is
//! repeated; the number of crowded refreshes between two estimates doubles each time.
//!
//! Cost: O(s log s) for a sample of s objects.

use alloc::vec::Vec;

use broadphase_core::{LANES, Scalar, Slabs};

use crate::grid::Core;
use crate::grid::maintenance::row_height::row_height_of_sample;
use crate::grid::storage::axis_order::AxisOrder;

/// The maximum number of objects in the sample.
const MAX_SAMPLES: usize = 512;
/// Worlds with fewer objects keep their axis: a wrong one costs little.
const MIN_OBJECTS: usize = 256;
/// Another axis must cost less than the current one by this factor. Sampling errors are about 10 %.
const MIN_GAIN: f64 = 1.5;
/// The cost of a row, in tests of eight objects.
const ROW_COST: f64 = 8.0;
/// The maximum number of crowded refreshes between two estimates.
const MAX_PERIOD: u32 = 1024;

/// Counts crowded refreshes until the next estimate.
#[derive(Clone, Copy, Debug)]
pub(in crate::grid) struct AxisCheck {
    refreshes: u32,
    period: u32,
}

impl AxisCheck {
    /// The next crowded refresh runs an estimate.
    pub(in crate::grid) const NOW: Self = Self { refreshes: 0, period: 1 };

    /// Records a refresh with a crowded tier whose rows cannot be lowered. Returns whether to run
    /// an estimate.
    fn is_due(&mut self) -> bool {
        self.refreshes += 1;
        let due = self.refreshes >= self.period;
        if due {
            *self = Self { refreshes: 0, period: (2 * self.period).min(MAX_PERIOD) };
        }
        due
    }
}

impl<S: Scalar, const D: usize> Core<S, D> {
    /// Returns the best order of axes for the current objects.
    pub(in crate::grid) fn best_axes(&self) -> AxisOrder {
        let current = self.store.axes;
        if D == 1 || self.len < MIN_OBJECTS {
            return current;
        }
        let step = self.len.div_ceil(MAX_SAMPLES);
        let all = self.bounds_with_rows().map(|(_, bounds)| bounds.slabs());
        let sample: Vec<Slabs<D>> = all.step_by(step).collect();
        let cost = |first| self.sweep_cost(AxisOrder::with_first(first), &sample);
        let mut best = (current, cost(current.first()) / MIN_GAIN);
        for first in 0..D {
            let other = cost(first);
            if other < best.1 {
                best = (AxisOrder::with_first(first), other);
            }
        }
        best.0
    }

    /// Estimates the cost per object of sweeping with this order of axes.
    fn sweep_cost(&self, axes: AxisOrder, sample: &[Slabs<D>]) -> f64 {
        let slabs = || sample.iter().map(|slabs| axes.exchange_slabs(*slabs));
        let objects = self.len as f64;
        let height = row_height_of_sample::<S, D>(slabs(), self.sizes.limit(0), objects);
        let mut near = 1.0;
        for axis in 1..D {
            let lows = slabs().map(|slabs| S::from_key(slabs.min[axis]).to_f64());
            near *= share_of_pairs(lows.map(|low| [low, low + height]).collect());
        }
        let ends = slabs().map(|slabs| [slabs.min[0], slabs.max[0]].map(S::from_key));
        let overlapping = share_of_pairs(ends.map(|ends| ends.map(Scalar::to_f64)).collect());
        objects * near * overlapping / LANES as f64 + ROW_COST / (1.0 + objects * near)
    }

    /// Chooses the order of axes again if a tier is crowded although its rows have their minimum
    /// height, and if an estimate is due. Returns whether the order must change.
    pub(in crate::grid) fn has_better_axes(&mut self) -> bool {
        self.axis_check.is_due() && self.best_axes() != self.store.axes
    }
}

/// Returns the share of pairs of intervals that overlap.
fn share_of_pairs(mut intervals: Vec<[f64; 2]>) -> f64 {
    intervals.sort_unstable_by(|a, b| a[0].total_cmp(&b[0]));
    let mut pairs = 0;
    for (index, [_, high]) in intervals.iter().enumerate() {
        pairs += intervals[index + 1..].partition_point(|[low, _]| low <= high);
    }
    pairs as f64 / (intervals.len() * (intervals.len() - 1) / 2) as f64
}
