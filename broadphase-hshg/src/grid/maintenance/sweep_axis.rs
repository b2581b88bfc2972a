//! Chooses the axis along which rows are swept: no axis of the caller is special.
//!
//! 1. Sample `2 * sqrt(n)` of the n objects, from [`MIN_SAMPLES`] to [`MAX_SAMPLES`]: more in
//!    larger scenes, where a smaller share of the objects overlaps; and pseudo-randomly, because
//!    objects at regular indices could lie on one line.
//! 2. For each axis, estimate the cost per object of sweeping along it, in tests of eight objects:
//!    the number of objects in the same and in adjacent rows that overlap the object along the
//!    axis, divided by eight, plus the cost of a row, divided by the number of its objects.
//! 3. Retain the current axis unless another axis costs less by the factor [`MIN_GAIN`].
//!
//! Runs when the grid is rebuilt, and if a tier stays crowded at its minimum row height; the number
//! of crowded refreshes between two estimates doubles each time.
//!
//! Cost: O(s log s) for a sample of s objects.

use broadphase_core::{Keys, LANES, Scalar, Slabs};

use crate::grid::Hshg;
use crate::grid::maintenance::row_height::row_height_of_sample;
use crate::grid::storage::axis_order::AxisOrder;
use crate::grid::storage::pending::Objects;
use crate::grid::storage::store::RESERVED_SLOT;

/// The minimum number of objects in the sample; smaller grids are sampled completely.
const MIN_SAMPLES: usize = 128;
/// The maximum number of objects in the sample.
const MAX_SAMPLES: usize = 512;
/// Grids with fewer objects retain their axis: in small grids, a worse axis costs little.
const MIN_OBJECTS: usize = 16;
/// Another axis must cost less than the current one by this factor. Sampling errors are about 10 %.
const MIN_GAIN: f64 = 1.5;
/// The cost of a row, in tests of eight objects.
const ROW_COST: f64 = 8.0;
/// The maximum number of crowded refreshes between two estimates of all sweep costs.
const MAX_PERIOD: u32 = 1024;

/// Counts crowded refreshes with rows of minimum height until the next estimate of sweep costs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AxisCheck {
    refreshes: u32,
    period: u32,
}

impl AxisCheck {
    /// The state in which the next crowded refresh estimates the sweep costs.
    pub(crate) const NOW: Self = Self { refreshes: 0, period: 1 };

    /// Records a refresh with a crowded tier of minimum row height. Returns whether to estimate the
    /// sweep costs now.
    fn is_due(&mut self) -> bool {
        self.refreshes += 1;
        let due = self.refreshes >= self.period;
        if due {
            *self = Self { refreshes: 0, period: (2 * self.period).min(MAX_PERIOD) };
        }
        due
    }
}

impl<S: Scalar, const D: usize> Hshg<S, D> {
    /// Returns the best order of axes, or the current one unless another is clearly better.
    pub(crate) fn best_axes(&self, pending: Objects<'_, S, D>) -> AxisOrder {
        let current = self.store.axes;
        if D == 1 || self.len < MIN_OBJECTS {
            return current;
        }
        let mut sample = [Slabs::PADDING; MAX_SAMPLES];
        let sample = self.sample(pending, &mut sample);
        let cost = |first| self.sweep_cost(AxisOrder::with_first(first), sample);
        let mut best = (current, cost(current.first()) / MIN_GAIN);
        for first in (0..D).filter(|&first| first != current.first()) {
            let other = cost(first);
            if other < best.1 {
                best = (AxisOrder::with_first(first), other);
            }
        }
        best.0
    }

    /// Writes the slabs of a sample of objects, in the caller's order of axes.
    fn sample<'a>(
        &self,
        pending: Objects<'_, S, D>,
        sample: &'a mut [Slabs<D>; MAX_SAMPLES],
    ) -> &'a [Slabs<D>] {
        // Positions are slots, then pending objects. Slots without an object are skipped.
        let (slots, positions) = (self.store.len(), self.store.len() + pending.len());
        let samples = (2 * positions.isqrt()).clamp(MIN_SAMPLES, MAX_SAMPLES).min(positions);
        let mut len = 0;
        for number in 0..samples {
            let position = if samples == positions {
                number
            } else {
                ((u64::from(mix(number as u32)) * positions as u64) >> 32) as usize
            };
            let bounds = if position >= slots {
                pending.bounds.get(position - slots).copied()
            } else {
                let is_object = position > RESERVED_SLOT && self.is_live(position);
                is_object.then(|| self.store.bounds(position))
            };
            if let Some(bounds) = bounds {
                sample[len] = bounds.slabs();
                len += 1;
            }
        }
        &sample[..len]
    }

    /// Estimates the cost per object of sweeping with this order of axes.
    fn sweep_cost(&self, axes: AxisOrder, sample: &[Slabs<D>]) -> f64 {
        let slabs = || sample.iter().map(|slabs| axes.exchange_slabs(*slabs));
        let objects = self.len as f64;
        let height = row_height_of_sample::<S, D>(slabs(), self.sizes.limit(0), objects);
        let mut near = 1.0;
        for axis in 1..D {
            let lows = slabs().map(|slabs| S::from_key(slabs.min[axis]).to_f64());
            near *= share_of_pairs(lows.map(|low| [low, low + height]));
        }
        let ends = slabs().map(|slabs| [slabs.min[0], slabs.max[0]].map(S::from_key));
        let overlapping = share_of_pairs(ends.map(|ends| ends.map(Scalar::to_f64)));
        objects * near * overlapping / LANES as f64 + ROW_COST / (1.0 + objects * near)
    }

    /// Records a refresh with a crowded tier of minimum row height. Returns whether sweep costs are
    /// due to be estimated and another order of axes is clearly better.
    pub(super) fn has_better_axes(&mut self) -> bool {
        self.axis_check.is_due() && self.best_axes(self.pending.objects()) != self.store.axes
    }
}

/// Returns a hash of a number. Source: Chris Wellons, "lowbias32".
const fn mix(number: u32) -> u32 {
    let number = (number ^ number >> 16).wrapping_mul(0x7feb_352d);
    let number = (number ^ number >> 15).wrapping_mul(0x846c_a68b);
    number ^ number >> 16
}

/// Returns the share of overlapping pairs among all pairs of up to [`MAX_SAMPLES`] intervals,
/// without allocation.
fn share_of_pairs(all: impl Iterator<Item = [f64; 2]>) -> f64 {
    let (mut intervals, mut len) = ([[0.0; 2]; MAX_SAMPLES], 0);
    for (interval, ends) in intervals.iter_mut().zip(all) {
        *interval = ends;
        len += 1;
    }
    share_of_pairs_in(&mut intervals[..len])
}

/// Sorts the intervals and returns the share of overlapping pairs. Not generic over the iterator:
/// the sort is compiled once.
fn share_of_pairs_in(intervals: &mut [[f64; 2]]) -> f64 {
    let len = intervals.len();
    intervals.sort_unstable_by(|a, b| a[0].total_cmp(&b[0]));
    let mut pairs = 0;
    for (index, [_, high]) in intervals.iter().enumerate() {
        pairs += intervals[index + 1..].partition_point(|[low, _]| low <= high);
    }
    pairs as f64 / (len * len.saturating_sub(1) / 2).max(1) as f64
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;
    use core::array::from_fn;

    use broadphase_core::scenes::{Scene, SceneKind, SceneName};
    use broadphase_core::{Aabb, PairSearch, Scalar, SpatialIndex, SpatialIndexExt};

    use crate::grid::Hshg;

    /// Builds a grid with these boxes and finds its pairs. Returns the grid, from which the tests
    /// read the sweep axis, and the pairs.
    fn swept<S: Scalar, const D: usize>(boxes: &[Aabb<S, D>]) -> (Hshg<S, D>, Vec<[u32; 2]>) {
        let mut world = Hshg::new();
        world.extend((0..).zip(boxes).map(|(key, b)| (key, *b))).expect("keys are unique");
        let mut pairs = Vec::new();
        world.pairs(&mut pairs);
        world.assert_well_formed();
        (world, pairs)
    }

    #[test]
    fn rods_are_swept_across_and_balls_along_the_first_axis() {
        for long in 0..3 {
            let rod = |key: u32| {
                let place = [key % 20, key / 20].map(|at| f64::from(at) * 2.0);
                let mut low = [-1e5, place[0], place[1]];
                let mut high = [1e5, place[0] + 1.0, place[1] + 1.0];
                low.swap(0, long);
                high.swap(0, long);
                Aabb::new(low, high)
            };
            let rods: Vec<_> = (0..400).map(rod).collect();
            let (world, pairs) = swept(&rods);
            assert_ne!(world.store.axes.first(), long);
            assert!(pairs.is_empty());
        }
        let ball = |key: u32| Aabb::of_ball(from_fn(|axis| f64::from(key >> (3 * axis) & 7)), 0.75);
        let balls: Vec<Aabb<f64, 3>> = (0..512).map(ball).collect();
        assert_eq!(swept(&balls).0.store.axes.first(), 0);
    }

    #[test]
    fn scenes_alike_in_all_directions_are_swept_along_the_first_axis() {
        for kind in SceneKind::ALL {
            for (count, seed) in [(300, 1), (2_000, 2), (30_000, 3)] {
                let name = SceneName { kind, count, seed };
                let axes = match name.generate() {
                    Scene::Flat(movers) => {
                        swept(&movers.all_bounds().collect::<Vec<_>>()).0.store.axes
                    }
                    Scene::Solid(movers) => {
                        let widened = |bounds: Aabb<f32, 3>| {
                            Aabb::new(bounds.min.map(f64::from), bounds.max.map(f64::from))
                        };
                        let boxes: Vec<_> = movers.all_bounds().map(widened).collect();
                        swept(&boxes).0.store.axes
                    }
                };
                assert_eq!(axes.first(), 0, "{name}");
            }
        }
    }

    #[test]
    fn the_sweep_axis_follows_objects_that_turn() {
        let lying = |key: u32| {
            let low = [-1e5, key as f32 * 2.0];
            Aabb::new(low, [1e5, low[1] + 1.0])
        };
        let boxes: Vec<Aabb<f32, 2>> = (0..2000).map(lying).collect();
        let (mut world, mut pairs) = swept(&boxes);
        assert_eq!(world.store.axes.first(), 1);
        for step in 0..64 {
            // Each step exchanges the axes of one object in 64.
            let turn = |key: u32, bounds: &mut Aabb| {
                if key % 64 == step {
                    *bounds = Aabb::new([bounds.min[1], -1e5], [bounds.max[1], 1e5]);
                }
            };
            world.update(turn).expect("all bounds are valid");
            world.pairs_unordered(&mut pairs);
        }
        for _ in 0..16 {
            world.set_bounds(0, boxes[0]).expect("the key is known");
            world.pairs(&mut pairs);
        }
        world.assert_well_formed();
        assert_eq!(world.store.axes.first(), 0);
        assert_eq!(pairs, (1..2000).map(|key| [0, key]).collect::<Vec<_>>());
    }

    #[test]
    fn grids_with_different_sweep_axes_find_their_pairs() {
        let strip = |key: u32| Aabb::new([-1e5, key as f32], [1e5, key as f32 + 0.5]);
        let flat: Vec<Aabb<f32, 2>> = (0..300).map(strip).collect();
        let turned = |bounds: &Aabb| {
            Aabb::new([bounds.min[1], bounds.min[0]], [bounds.max[1], bounds.max[0]])
        };
        let upright: Vec<_> = flat.iter().take(200).map(turned).collect();
        let ((mut flat, _), (mut upright, _)) = (swept(&flat), swept(&upright));
        assert_ne!(flat.store.axes, upright.store.axes);
        let mut pairs = Vec::new();
        flat.find_pairs_between(&mut upright, &PairSearch::OVERLAPS, &mut pairs);
        assert_eq!(pairs.len(), 300 * 200);
        upright.find_pairs_between(&mut flat, &PairSearch::OVERLAPS, &mut pairs);
        assert_eq!(pairs.len(), 300 * 200);
    }
}
