//! Numbers the cells of all tiers and counts their objects: step 2 of a [bulk
//! load](super::bulk_load).
//!
//! Objects of tier 0 are numbered in lanes. Each thread has its own counters.

use alloc::vec::Vec;
use core::mem::take;

use broadphase_core::{Kernel, LANES, Lanes, Scalar, Slabs, tasks};

use crate::cell::LaneGrid;
use crate::grid::Hshg;
use crate::grid::maintenance::bulk_load::{LoadScratch, MIN_OBJECTS_PER_TASK};
use crate::grid::maintenance::measured::Measured;
use crate::grid::storage::lane_slabs::{LaneSlabs, TierZero};
use crate::grid::storage::pending::Objects;
use crate::grid::storage::row::Class;
use crate::grid::storage::tiers::{Tier, size};
use crate::grid::update::store_slice::split_front;

/// The maximum number of numbered cells beyond half the number of objects; with more, rows are
/// found by id.
pub(super) const MAX_CELLS: usize = 64;

/// The cells of a tier in which objects can be: a block of cells.
#[derive(Clone, Copy, Debug)]
pub(super) struct CellBlock<const D: usize> {
    low: [i32; D],
    /// The number of cells on each axis; 1 on the sweep axis, along which rows extend.
    len: [u32; D],
    /// For each motion class, the number of the first cell.
    pub(crate) first: [u32; Class::ALL.len()],
}

impl<const D: usize> CellBlock<D> {
    const EMPTY: Self = Self { low: [0; D], len: [0; D], first: [0; Class::ALL.len()] };

    /// Returns the block of cells for the low corners of these objects.
    fn of<S: Scalar>(tier: &Tier, measured: &Measured<D>) -> Self {
        let Slabs { min, max } = measured.distribution.bounds;
        let low = tier.cell::<S, D>(&Slabs { min, max });
        let high = tier.cell::<S, D>(&Slabs { min: max, max });
        let mut len = [1; D];
        for axis in 1..D {
            len[axis] = high[axis].abs_diff(low[axis]) + 1;
        }
        Self { low, len, ..Self::EMPTY }
    }

    pub(crate) fn cells(&self) -> u64 {
        self.len.iter().fold(1, |all: u64, &len| all.saturating_mul(len.into()))
    }

    #[inline(always)]
    fn number(&self, class: Class, cell: &[i32; D]) -> u32 {
        let mut number = 0;
        for ((&cell, &low), &len) in cell.iter().zip(&self.low).zip(&self.len).skip(1) {
            number = number * len + cell.abs_diff(low);
        }
        self.first[class as usize] + number
    }

    pub(crate) fn cell(&self, mut number: u32) -> [i32; D] {
        let mut cell = self.low;
        for axis in (1..D).rev() {
            cell[axis] += (number % self.len[axis]).cast_signed();
            number /= self.len[axis];
        }
        cell[0] = 0;
        cell
    }
}

struct CountPart<'a, S, const D: usize> {
    grid: &'a Hshg<S, D>,
    blocks: &'a [CellBlock<D>],
    objects: Objects<'a, S, D>,
    numbers: &'a mut [u32],
    counts: &'a mut [u32],
}

impl<S: Scalar, const D: usize> Kernel for CountPart<'_, S, D> {
    type Output = ();
    const SSE41: bool = false;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Self { grid, blocks, objects, mut numbers, counts } = self;
        let mut done = 0;
        let tier = grid.tiers.first().filter(|tier| tier.number == 0);
        if let Some((cells, block)) = tier.and_then(Tier::lane_grid::<S>).zip(blocks.first()) {
            let whole = objects.bounds.as_chunks().0;
            let numbers = split_front(&mut numbers, whole.len() * LANES).as_chunks_mut().0;
            let tier = TierZero::new::<S>(grid.sizes);
            for (bounds, numbers) in whole.iter().zip(numbers) {
                let slabs = LaneSlabs::read(lanes, bounds.each_ref());
                let excluded = lanes.movemask(tier.excluded(lanes, &slabs));
                let low = grid.store.axes.exchange(slabs.low);
                *numbers = numbers_in_block(lanes, cells, block, &low);
                for (lane, number) in numbers.iter_mut().enumerate() {
                    let class = objects.class(done + lane);
                    *number = number.wrapping_add(block.first[class as usize]);
                }
                for lane in excluded {
                    numbers[lane] = grid.cell_number(blocks, objects, done + lane);
                }
                for &mut number in numbers {
                    counts[number as usize] += 1;
                }
                done += LANES;
            }
        }
        for (number, index) in numbers.iter_mut().zip(done..) {
            *number = grid.cell_number(blocks, objects, index);
            counts[*number as usize] += 1;
        }
    }
}

/// Returns the numbers of the cells of eight low corners in the block; unspecified for other tiers.
#[inline(always)]
fn numbers_in_block<L: Lanes, const D: usize>(
    lanes: L,
    grid: LaneGrid,
    block: &CellBlock<D>,
    low: &[L::I; D],
) -> [u32; LANES] {
    let mut numbers = [0u32; LANES];
    let mut axis = 1;
    while axis < D {
        let cells = lanes.store(grid.cells(lanes, low[axis]));
        for (number, cell) in numbers.iter_mut().zip(cells) {
            let offset = cell.wrapping_sub(block.low[axis]).cast_unsigned();
            *number = number.wrapping_mul(block.len[axis]).wrapping_add(offset);
        }
        axis += 1;
    }
    numbers
}

impl<S: Scalar, const D: usize> Hshg<S, D> {
    /// Numbers the cells of all tiers, for a number of objects. Returns `false` if there are too
    /// many cells.
    pub(super) fn number_cells(&self, objects: usize, scratch: &mut LoadScratch<D>) -> bool {
        let LoadScratch { measured, blocks, counts, .. } = scratch;
        blocks.clear();
        blocks.extend(self.tiers.iter().map(|tier| {
            let of_tier = measured.iter().find(|measured| measured.tier == tier.number);
            of_tier.map_or(CellBlock::EMPTY, |measured| CellBlock::of::<S>(tier, measured))
        }));
        let (mut cells, most) = (0, MAX_CELLS + objects / 2);
        for class in Class::ALL {
            for measured in measured.iter().filter(|of| of.objects[class as usize] > 0) {
                let block = &mut blocks[self.index_of_tier(measured.tier)];
                block.first[class as usize] = cells as u32;
                cells += block.cells();
                if cells > most as u64 {
                    return false;
                }
            }
        }
        counts.clear();
        // Reserve the maximum: later loads then allocate no memory.
        counts.reserve_exact(most);
        counts.resize(cells as usize, 0);
        true
    }

    /// Returns the index of a tier, which must exist.
    #[inline(always)]
    pub(super) fn index_of_tier(&self, number: i32) -> usize {
        if self.tiers[0].number == number {
            return 0;
        }
        let index = self.tiers.iter().position(|tier| tier.number == number);
        index.expect("the tiers of all objects exist")
    }

    /// Returns the number of the cell of an object.
    #[inline(always)]
    fn cell_number(
        &self,
        blocks: &[CellBlock<D>],
        objects: Objects<'_, S, D>,
        index: usize,
    ) -> u32 {
        let slabs = self.store.axes.slabs(&objects.bounds[index]);
        let tier = self.index_of_tier(self.sizes.tier(size::<S, D>(&slabs)));
        let cell = self.tiers[tier].cell::<S, D>(&slabs);
        blocks[tier].number(objects.class(index), &cell)
    }

    /// Writes the number of the cell of each object, and counts objects by cell.
    pub(super) fn count_in_cells(
        &self,
        objects: Objects<'_, S, D>,
        scratch: &mut LoadScratch<D>,
        mut numbers: &mut [u32],
    ) {
        let LoadScratch { blocks, counts, .. } = scratch;
        let (blocks, backend) = (&blocks[..], self.backend);
        // Each part needs its own counters, one per cell: so it has at least as many objects as
        // cells.
        let ranges = tasks::even(objects.len(), MIN_OBJECTS_PER_TASK.max(counts.len()));
        if ranges.is_empty() {
            backend.dispatch(CountPart { grid: self, blocks, objects, numbers, counts });
            return;
        }
        let mut all = alloc::vec![0; counts.len() * ranges.len()];
        let mut rest = &mut all[..];
        let mut jobs: Vec<Option<CountPart<'_, S, D>>> = Vec::with_capacity(ranges.len());
        for range in ranges {
            let objects = objects.range(range);
            let numbers = split_front(&mut numbers, objects.len());
            let counts = split_front(&mut rest, counts.len());
            jobs.push(Some(CountPart { grid: self, blocks, objects, numbers, counts }));
        }
        tasks::each(&mut jobs, |job| {
            if let Some(part) = take(job) {
                backend.dispatch(part);
            }
        });
        for own in all.chunks(counts.len().max(1)) {
            counts.iter_mut().zip(own).for_each(|(all, own)| *all += own);
        }
    }
}
