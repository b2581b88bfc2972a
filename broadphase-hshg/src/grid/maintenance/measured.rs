//! Measures the number and distribution of the objects of each tier, for row heights and cells.
//!
//! Objects are summed up in parts of [`OBJECTS_PER_PART`], in lanes in tier 0. The sums are
//! added in order, so the rounded result does not depend on the number of threads.

use alloc::vec::Vec;
use core::array::from_fn;
use core::mem::take;

use broadphase_core::{Kernel, LANES, Lanes, Scalar, Slabs, array_of, tasks};

use crate::grid::Hshg;
use crate::grid::maintenance::row_height::Distribution;
use crate::grid::storage::lane_slabs::{LaneSlabs, TierZero};
use crate::grid::storage::pending::Objects;
use crate::grid::storage::row::Class;
use crate::grid::storage::tiers::{Tiers, size};

/// The number of objects that are summed up together, by one thread.
const OBJECTS_PER_PART: usize = if cfg!(test) { 500 } else { 16_384 };

/// The number and distribution of the objects of a tier by motion class.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measured<const D: usize> {
    pub(crate) tier: i32,
    pub(crate) objects: [u32; Class::ALL.len()],
    pub(super) distribution: Distribution<D>,
}

impl<const D: usize> Measured<D> {
    #[inline(always)]
    fn add<S: Scalar>(&mut self, class: Class, slabs: &Slabs<D>) {
        self.objects[class as usize] += 1;
        self.distribution.add::<S>(slabs);
    }

    fn merge(&mut self, other: &Self) {
        for (all, more) in self.objects.iter_mut().zip(other.objects) {
            *all += more;
        }
        self.distribution.merge(&other.distribution);
    }

    /// Returns the initial and the minimum row height for objects longer by `longer` on each axis.
    pub(super) fn row_heights<S: Scalar>(&self, limit: f64, longer: f64) -> [f64; 2] {
        let (mut distribution, limit) = (self.distribution, limit + longer);
        distribution.widths = distribution.widths.map(|width| width + distribution.count * longer);
        distribution.row_heights(distribution.volume::<S>(limit), limit)
    }
}

/// Returns the entry of a tier; adds an empty one if there is none.
fn measured_tier<const D: usize>(all: &mut Vec<Measured<D>>, tier: i32) -> &mut Measured<D> {
    let index = all.iter().position(|measured| measured.tier == tier).unwrap_or_else(|| {
        let distribution = Distribution::NONE;
        all.push(Measured { tier, objects: [0; Class::ALL.len()], distribution });
        all.len() - 1
    });
    &mut all[index]
}

/// Kernel: measures a part of the objects, in the caller's order of axes.
struct MeasurePart<'a, S, const D: usize> {
    objects: Objects<'a, S, D>,
    sizes: Tiers,
    measured: &'a mut Vec<Measured<D>>,
}

impl<S: Scalar, const D: usize> Kernel for MeasurePart<'_, S, D> {
    type Output = ();
    const SSE41: bool = false;

    #[inline(always)]
    fn run<L: Lanes>(mut self, lanes: L) {
        self.measured.clear();
        let tier = TierZero::new::<S>(self.sizes);
        let (blocks, rest) = self.objects.bounds.as_chunks::<LANES>();
        let (zero, none, all) = (lanes.splat(0), lanes.splat(i32::MAX), lanes.splat(i32::MIN));
        let mut counts = [zero; Class::ALL.len()];
        let (mut low, mut high) = ([none; D], [all; D]);
        let mut widths = [[0.0; LANES]; D];
        for (index, block) in blocks.iter().enumerate() {
            let slabs = LaneSlabs::read(lanes, block.each_ref());
            let class = |lane| self.objects.class(index * LANES + lane) as i32;
            let classes = lanes.load(&from_fn(class));
            let excluded = tier.excluded(lanes, &slabs);
            for class in Class::ALL {
                let members = lanes.eq(classes, lanes.splat(class as i32));
                let members = lanes.mask_and_not(members, excluded);
                let count = &mut counts[class as usize];
                *count = lanes.sub(*count, lanes.mask_to_i32(members));
            }
            let mut axis = 0;
            while axis < D {
                low[axis] = lanes.min(low[axis], lanes.select(excluded, none, slabs.low[axis]));
                high[axis] = lanes.max(high[axis], lanes.select(excluded, all, slabs.high[axis]));
                let extent = lanes.select_f32(excluded, lanes.splat_f32(0.0), slabs.extent[axis]);
                for (width, extent) in widths[axis].iter_mut().zip(lanes.store_f32(extent)) {
                    *width += f64::from(extent);
                }
                axis += 1;
            }
            for lane in lanes.movemask(excluded) {
                self.add(index * LANES + lane);
            }
        }
        for index in 0..rest.len() {
            self.add(blocks.len() * LANES + index);
        }
        let mut objects = [0; Class::ALL.len()];
        for (sum, count) in objects.iter_mut().zip(counts) {
            *sum = lanes.store(count).map(i32::cast_unsigned).iter().sum();
        }
        if objects == [0; Class::ALL.len()] {
            return;
        }
        let mut bounds = Slabs::PADDING;
        let mut axis = 0;
        while axis < D {
            bounds.min[axis] = lanes.store(low[axis]).into_iter().fold(i32::MAX, i32::min);
            bounds.max[axis] = lanes.store(high[axis]).into_iter().fold(i32::MIN, i32::max);
            axis += 1;
        }
        let count = objects.iter().map(|&count| f64::from(count)).sum();
        let widths = array_of(|axis| widths[axis].iter().sum());
        let distribution = Distribution { count, widths, bounds };
        measured_tier(self.measured, 0).merge(&Measured { tier: 0, objects, distribution });
    }
}

/// Sorts by tier. Not generic over the number type: the sort is compiled once.
fn sort_by_tier<const D: usize>(all: &mut [Measured<D>]) {
    all.sort_unstable_by_key(|measured| measured.tier);
}

impl<S: Scalar, const D: usize> MeasurePart<'_, S, D> {
    #[inline(always)]
    fn add(&mut self, index: usize) {
        let slabs = self.objects.bounds[index].slabs();
        let tier = self.sizes.tier(size::<S, D>(&slabs));
        measured_tier(self.measured, tier).add::<S>(self.objects.class(index), &slabs);
    }
}

impl<S: Scalar, const D: usize> Hshg<S, D> {
    /// Measures the objects of each tier: these, and those in rows if `with_rows` is set.
    pub(crate) fn measure(&mut self, objects: Objects<'_, S, D>, with_rows: bool) {
        let (mut all, mut part) = (take(&mut self.load.measured), take(&mut self.load.part));
        all.clear();
        let (sizes, axes) = (self.sizes, self.store.axes);
        let measure = |objects, measured: &mut _| {
            self.backend.dispatch(MeasurePart { objects, sizes, measured });
        };
        let mut merge = |part: &[Measured<D>]| {
            part.iter().for_each(|one| measured_tier(&mut all, one.tier).merge(one));
        };
        let begins = (0..objects.len()).step_by(OBJECTS_PER_PART);
        let end = |begin: usize| objects.len().min(begin + OBJECTS_PER_PART);
        let parts = begins.map(|begin| objects.range(begin..end(begin)));
        if parts.len() > 1 && tasks::threads() > 1 {
            let mut jobs: Vec<_> = parts.map(|part| (part, Vec::new())).collect();
            tasks::each(&mut jobs, |(objects, measured)| measure(*objects, measured));
            jobs.iter().for_each(|(_, measured)| merge(measured));
        } else {
            for objects in parts {
                measure(objects, &mut part);
                merge(&part);
            }
        }
        for measured in &mut all {
            measured.distribution.exchange(axes);
        }
        let rows = if with_rows { &self.rows[..] } else { &[] };
        for row in rows.iter().filter(|row| row.objects() > 0) {
            for slot in self.live_slots(row) {
                let slabs = self.store.slabs(slot);
                measured_tier(&mut all, row.id.tier).add::<S>(row.id.class, &slabs);
            }
        }
        sort_by_tier(&mut all);
        (self.load.measured, self.load.part) = (all, part);
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use broadphase_core::{Aabb, Backend, Scalar};

    use super::*;
    use crate::grid::Hshg;
    use crate::grid::maintenance::bulk_load::LoadScratch;
    use crate::grid::storage::axis_order::AxisOrder;
    use crate::grid::storage::pending::Pending;
    use crate::grid::storage::store::Body;

    /// Returns a box with integer coordinates, so that sums are exact. Some boxes are large, or far
    /// from the origin.
    fn body<S: Scalar, const D: usize>(key: u32) -> Body<S, D> {
        let dice = |axis| (key + 1).wrapping_mul(0x9E37_79B9).rotate_left(7 * axis + 5) % 1000;
        let size = if key % 13 == 4 { 300 } else { 7 };
        // Some boxes are so far from the origin that the spacing of floating-point numbers
        // determines their tier.
        let far = if key % 17 == 3 && !S::INTEGER { 1e11 } else { 0.0 };
        let mut bounds = Aabb { min: [S::ZERO; D], max: [S::ZERO; D] };
        for axis in 0..D {
            let low = f64::from(dice(axis as u32)) - 500.0 + far;
            let extent = f64::from(dice(axis as u32 + 9) % size);
            (bounds.min[axis], bounds.max[axis]) = (S::from_f64(low), S::from_f64(low + extent));
        }
        let class = Class::ALL[key as usize % 7 % Class::ALL.len()];
        Body { key, class, bounds }
    }

    fn lanes_measure_like_single_objects<S: Scalar, const D: usize>() {
        for backend in Backend::available() {
            for len in (0..40).chain([OBJECTS_PER_PART - 1, 3 * OBJECTS_PER_PART + 5]) {
                let mut grid: Hshg<S, D> = Hshg::new();
                grid.backend = backend;
                grid.sizes = Tiers::of_cell(4.0);
                grid.store.axes = AxisOrder::with_first(D - 1);
                grid.load = LoadScratch::default();
                let mut pending = Pending::default();
                (0..len as u32).for_each(|key| pending.push(body(key)));
                grid.measure(pending.objects(), false);
                let mut expected: Vec<Measured<D>> = Vec::new();
                for body in (0..len).map(|index| pending.get(index)) {
                    let slabs = grid.store.axes.slabs(&body.bounds);
                    let tier = grid.sizes.tier(size::<S, D>(&slabs));
                    measured_tier(&mut expected, tier).add::<S>(body.class, &slabs);
                }
                sort_by_tier(&mut expected);
                let found = &grid.load.measured;
                assert_eq!(
                    alloc::format!("{found:?}"),
                    alloc::format!("{expected:?}"),
                    "{backend}"
                );
                assert!(len < 40 || found.len() > 1, "there are several tiers");
            }
        }
    }

    #[test]
    fn objects_in_lanes_are_measured_like_single_ones() {
        lanes_measure_like_single_objects::<i32, 1>();
        lanes_measure_like_single_objects::<f32, 2>();
        lanes_measure_like_single_objects::<f64, 3>();
        lanes_measure_like_single_objects::<i32, 3>();
    }
}
