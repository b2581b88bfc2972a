//! Builds a layer from an unordered list of slots.
//!
//! 1. Compute the codes of objects without a valid code.
//! 2. Sort the slots by code. Sort long runs of equal codes by finer grids.
//! 3. In one pass, copy the key bounds of objects in this order and compute the bounds of clusters.
//! 4. Compute the bounds of all heights above the clusters.
//! 5. Choose the grid of the next build: the same if it still fits.
//!
//! With enough objects, steps 1 to 3 run on several threads; the result is identical. O(n).

use alloc::vec::Vec;
use core::array::from_fn;

use broadphase_core::{Aabb, Backend, Kernel, Keys, LANES, Lanes, Scalar, tasks};

use super::code_grid::{CodeGrid, WriteCodes, write_codes};
use super::equal_codes::equal_code_runs;
use super::layer::Layer;
use super::sort::Sorter;
use super::tree::{enclose, write_nodes};

/// Maximum difference of the slots of two neighbors in the order that are near in memory.
const NEAR_SLOTS: u32 = 64;
/// Minimum number of objects per thread.
const MIN_OBJECTS_PER_TASK: usize = 16_384;
/// Number of objects in eight clusters, whose bounds fill a block.
const OBJECTS_PER_GROUP: usize = LANES * LANES;

/// Inputs and scratch buffers for building a layer.
pub(super) struct LayerBuilder<'a, S, const D: usize> {
    pub(super) bounds: &'a [Aabb<S, D>],
    pub(super) sorter: &'a mut Sorter,
    pub(super) backend: Backend,
}

impl<S: Scalar, const D: usize> LayerBuilder<'_, S, D> {
    /// Sorts the slots of a layer and builds its tree. On entry, `sorter` must have the valid codes
    /// of the first `known` slots, ascending. Returns whether the next build uses the same grid,
    /// and so the codes in `sorter`.
    pub(super) fn build(self, layer: &mut Layer<D>, known: usize) -> bool {
        let Self { bounds: all, sorter, backend } = self;
        let slots = &mut layer.slots;
        let grid = match layer.grid {
            Some(grid) => grid,
            None => CodeGrid::around(slots.iter().map(|&slot| all[slot as usize])),
        };
        sorter.reserve_codes(slots.len());
        encode(&grid, all, &slots[known..], &mut sorter.codes[known..], backend);
        sorter.sort(slots, known);
        let Sorter { codes, ties, .. } = sorter;
        for run in equal_code_runs(codes) {
            ties.sort(all, &mut slots[run], backend);
        }
        layer.scattered = build_leaves(all, layer, backend);
        write_nodes(backend, &mut layer.tree);
        let bounds = layer
            .tree
            .bounds()
            .map(|slabs| Aabb { min: slabs.min.map(S::from_key), max: slabs.max.map(S::from_key) });
        let is_kept = bounds.is_some_and(|bounds| grid.fits(&bounds));
        let next = |bounds| if is_kept { grid } else { CodeGrid::with_margin(&bounds) };
        layer.grid = bounds.map(next);
        (layer.vacant, layer.stale) = (0, false);
        is_kept
    }
}

fn encode<S: Scalar, const D: usize>(
    grid: &CodeGrid<D>,
    bounds: &[Aabb<S, D>],
    slots: &[u32],
    codes: &mut [u32],
    backend: Backend,
) {
    let ranges = tasks::even(slots.len(), MIN_OBJECTS_PER_TASK);
    if ranges.is_empty() {
        return write_codes(backend, WriteCodes { grid, bounds, slots, out: codes });
    }
    let mut left = codes;
    let mut jobs = Vec::with_capacity(ranges.len());
    for range in ranges {
        let (out, rest) = core::mem::take(&mut left).split_at_mut(range.len());
        jobs.push((&slots[range], out));
        left = rest;
    }
    tasks::each(&mut jobs, |(slots, out)| {
        write_codes(backend, WriteCodes { grid, bounds, slots, out });
    });
}

/// Builds the two lowest heights. Returns how many neighbors in the order are far apart in memory.
fn build_leaves<S: Scalar, const D: usize>(
    bounds: &[Aabb<S, D>],
    layer: &mut Layer<D>,
    backend: Backend,
) -> usize {
    let slots = &layer.slots[..];
    let [below, above] = layer.tree.resize(slots.len());
    let mut planes = [&mut below.min, &mut below.max, &mut above.min, &mut above.max]
        .map(|planes| planes.each_mut().map(Vec::as_mut_slice));
    let ranges = tasks::even(
        slots.len().div_ceil(OBJECTS_PER_GROUP),
        MIN_OBJECTS_PER_TASK / OBJECTS_PER_GROUP,
    );
    if ranges.is_empty() {
        return write_key_bounds(backend, WriteKeyBounds { bounds, slots, before: 0, planes });
    }
    let (mut jobs, mut begin) = (Vec::with_capacity(ranges.len()), 0);
    for range in ranges {
        let end = slots.len().min(range.end * OBJECTS_PER_GROUP);
        let lens =
            [end - begin, (end - begin).div_ceil(LANES)].map(|len| len.next_multiple_of(LANES));
        let own = from_fn(|kind| {
            planes[kind].each_mut().map(|plane| {
                let (own, rest) = core::mem::take(plane).split_at_mut(lens[kind / 2]);
                *plane = rest;
                own
            })
        });
        let before = begin.checked_sub(1).map_or(0, |last| slots[last]);
        let job = WriteKeyBounds { bounds, slots: &slots[begin..end], before, planes: own };
        jobs.push((Some(job), 0));
        begin = end;
    }
    tasks::each(&mut jobs, |(job, scattered)| {
        *scattered = job.take().map_or(0, |job| write_key_bounds(backend, job));
    });
    jobs.iter().map(|(_, scattered)| scattered).sum()
}

/// Runs [`WriteKeyBounds`] on a backend; not inlined, because several functions call it.
#[inline(never)]
fn write_key_bounds<S: Scalar, const D: usize>(
    backend: Backend,
    job: WriteKeyBounds<'_, S, D>,
) -> usize {
    backend.dispatch(job)
}

/// Writes the key bounds of objects, in sorted order, and of clusters. Returns how many neighbors
/// in the order are far apart in memory.
struct WriteKeyBounds<'a, S, const D: usize> {
    bounds: &'a [Aabb<S, D>],
    slots: &'a [u32],
    /// The slot of the object before the first object to write.
    before: u32,
    /// The low and high ends of objects, then of clusters.
    planes: [[&'a mut [i32]; D]; 4],
}

impl<S: Scalar, const D: usize> Kernel for WriteKeyBounds<'_, S, D> {
    type Output = usize;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> usize {
        let Self { bounds, slots, mut before, planes } = self;
        let [lows, highs, group_lows, group_highs] = planes;
        let (mut min, mut max) = ([[S::ZERO; LANES]; D], [[S::ZERO; LANES]; D]);
        let (blocks, rest) = slots.as_chunks::<LANES>();
        let mut scattered = 0;
        for (number, block) in blocks.iter().enumerate() {
            for (lane, &slot) in block.iter().enumerate() {
                let bounds = &bounds[slot as usize];
                let mut axis = 0;
                while axis < D {
                    min[axis][lane] = bounds.min[axis];
                    max[axis][lane] = bounds.max[axis];
                    axis += 1;
                }
                scattered += usize::from(slot.abs_diff(before) > NEAR_SLOTS);
                before = slot;
            }
            let mut axis = 0;
            while axis < D {
                let keys = S::lane_keys(lanes, &mut min[axis], &mut max[axis]);
                lanes.store_at(keys.low, lows[axis], number * LANES);
                lanes.store_at(keys.high, highs[axis], number * LANES);
                axis += 1;
            }
        }
        for (position, &slot) in (blocks.len() * LANES..).zip(rest) {
            let bounds = &bounds[slot as usize];
            let mut axis = 0;
            while axis < D {
                lows[axis][position] = bounds.min[axis].key_below();
                highs[axis][position] = bounds.max[axis].key_above();
                axis += 1;
            }
        }
        let mut axis = 0;
        while axis < D {
            enclose(
                [&*lows[axis], &*highs[axis]],
                [&mut *group_lows[axis], &mut *group_highs[axis]],
            );
            axis += 1;
        }
        scattered
    }
}
