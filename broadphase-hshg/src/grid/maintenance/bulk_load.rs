//! Bulk load: lays out all rows of a grid at once from pending objects.
//!
//! Used when most objects are pending: after many insertions, when levels are chosen again, and
//! when most objects have left their rows.
//!
//! 1. *Measure* the objects of each tier (see [`row_height`](super::row_height)) and create missing
//!    tiers.
//! 2. *Number* the cells of all tiers consecutively, in the order of rows, and count the objects in
//!    each cell. Each cell with objects becomes a row. If objects are too sparse for that, rows are
//!    created and found by id instead.
//! 3. *Partition*: write low end and index of each object to the part of one list that belongs to
//!    its row.
//! 4. For each row: *sort* its part of the list in the first cache levels, then *fill* the slots of
//!    the row in order. See [`bulk_fill`](super::bulk_fill).
//!
//! ```text
//!   pending     a   b   c   d   e   f  …        bounds, in the order of insertion
//!   number      3   0   3   1   0   0           step 2; kept in the plane of keys until step 4
//!   order      │b e f│d│a c│ …                  step 3; 8 bytes per object
//!   row 0      │f b e ∞ ∞ …                     step 4; see `Row` for gaps and free slots
//! ```
//!
//! Cost: O(n), but O(n log n) comparisons if low ends are almost equal; 8 bytes of temporary memory
//! per object, as planes of the store hold the results of step 2. Steps 2 and 4 run on several
//! threads; the result does not depend on their number.

use alloc::vec::Vec;
use core::mem::take;

use broadphase_core::{Scalar, Slabs, tasks};

use crate::grid::Core;
use crate::grid::data::MoveData;
use crate::grid::maintenance::merge::room_for;
use crate::grid::maintenance::refresh::MIN_KEPT_CAPACITY;
use crate::grid::maintenance::row_height::Measured;
use crate::grid::maintenance::row_sort::{Item, item};
use crate::grid::storage::row::{self, Class, Row, RowId, slots_for};
use crate::grid::storage::store::{Body, RESERVED_SLOT};
use crate::grid::storage::tiers::{Tier, size};
use crate::grid::update::store_slice::split_front;

/// The minimum number of objects per task of several threads.
pub(in crate::grid) const MIN_OBJECTS_PER_TASK: usize = if cfg!(test) { 500 } else { 16_384 };

/// Capacity is kept for at least this many missing rows, if there are as many objects.
const MIN_KEPT_MISSING: usize = 1024;

/// Cells are numbered if there are at most this many, plus half as many as there are objects.
const MAX_CELLS: usize = 64;

/// Buffers of bulk loads, kept between loads to avoid reallocating.
#[derive(Clone, Debug, Default)]
pub(in crate::grid) struct LoadScratch<const D: usize> {
    /// The objects of each tier, ascending by tier.
    pub(in crate::grid) measured: Vec<Measured<D>>,
    blocks: Vec<CellBlock<D>>,
    /// For each cell or row, the number of its objects, then the index of its next item in `order`.
    counts: Vec<u32>,
    /// Objects by row, then by low end on the first axis.
    pub(in crate::grid) order: Vec<Item>,
    /// Scratch memory of sorts.
    pub(in crate::grid) spare: Vec<Item>,
}

impl<const D: usize> LoadScratch<D> {
    pub(in crate::grid) const fn memory_use(&self) -> usize {
        self.measured.capacity() * size_of::<Measured<D>>()
            + self.blocks.capacity() * size_of::<CellBlock<D>>()
            + self.counts.capacity() * size_of::<u32>()
            + (self.order.capacity() + self.spare.capacity()) * size_of::<Item>()
    }

    /// Shrinks the lists of cells and items to a number of objects.
    pub(in crate::grid) fn shrink_to(&mut self, objects: usize) {
        for list in [&mut self.order, &mut self.spare] {
            list.truncate(objects);
            list.shrink_to(objects);
        }
        self.counts.clear();
        self.counts.shrink_to(MAX_CELLS + objects / 2);
    }
}

/// The cells of a tier in which objects can be: a block of cells.
#[derive(Clone, Copy, Debug)]
struct CellBlock<const D: usize> {
    low: [i32; D],
    /// The number of cells on each axis; 1 on the first axis.
    len: [u32; D],
    /// For each motion class, the number of the first cell.
    first: [u32; Class::ALL.len()],
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

    fn cells(&self) -> u64 {
        self.len.iter().fold(1, |all: u64, &len| all.saturating_mul(len.into()))
    }

    /// Returns the number of a cell of this block.
    #[inline(always)]
    fn number(&self, class: Class, cell: &[i32; D]) -> u32 {
        let mut number = 0;
        for ((&cell, &low), &len) in cell.iter().zip(&self.low).zip(&self.len).skip(1) {
            number = number * len + cell.abs_diff(low);
        }
        self.first[class as usize] + number
    }

    /// Returns the cell with this number within the block.
    fn cell(&self, mut number: u32) -> [i32; D] {
        let mut cell = self.low;
        for axis in (1..D).rev() {
            cell[axis] += (number % self.len[axis]).cast_signed();
            number /= self.len[axis];
        }
        cell[0] = 0;
        cell
    }
}

/// Task of counting: a part of the pending objects.
struct CountJob<'a, S, const D: usize> {
    pending: &'a [Body<S, D>],
    numbers: &'a mut [u32],
    firsts: &'a mut [i32],
    counts: Vec<u32>,
}

impl<S: Scalar, const D: usize> Core<S, D> {
    /// Lays out all rows from pending objects. Requires that all objects are pending, were
    /// [measured](Self::measure), and that there are no rows.
    pub(in crate::grid) fn load_all(&mut self, data: &mut dyn MoveData) {
        if self.pending.is_empty() {
            return;
        }
        self.create_tiers();
        let mut scratch = take(&mut self.load);
        let spare = self.pending.len().min(MIN_KEPT_CAPACITY);
        if scratch.spare.len() < spare {
            scratch.spare = alloc::vec![0; spare];
        }
        // Reserved for later ticks in which few objects need new rows.
        self.missing.reserve(self.pending.len().min(MIN_KEPT_MISSING));
        let mut numbers = take(&mut self.store.keys);
        let mut firsts = take(&mut self.store.min[0]);
        numbers.resize(self.pending.len(), 0);
        firsts.resize(self.pending.len(), 0);
        if self.number_cells(&mut scratch) {
            self.count_in_cells(&mut scratch, &mut numbers, &mut firsts);
            self.create_rows_of_cells(&mut scratch);
        } else {
            self.count_in_rows(&mut scratch, &mut numbers, &mut firsts);
        }
        self.rows_changed = true;
        partition(&mut scratch, &numbers, &firsts);
        numbers.clear();
        firsts.clear();
        (self.store.keys, self.store.min[0]) = (numbers, firsts);
        self.fill_rows(&mut scratch, data);
        self.load = scratch;
        self.pending.clear();
        data.clear_pending();
    }

    /// Numbers the cells of all tiers. Returns `false` if there are too many.
    fn number_cells(&self, scratch: &mut LoadScratch<D>) -> bool {
        let LoadScratch { measured, blocks, counts, .. } = scratch;
        blocks.clear();
        blocks.extend(self.tiers.iter().map(|tier| {
            let of_tier = measured.iter().find(|measured| measured.tier == tier.number);
            of_tier.map_or(CellBlock::EMPTY, |measured| CellBlock::of::<S>(tier, measured))
        }));
        let (mut cells, most) = (0, MAX_CELLS + self.pending.len() / 2);
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
        // Reserve for the maximum, so that later loads allocate no memory.
        counts.reserve_exact(most);
        counts.resize(cells as usize, 0);
        true
    }

    /// Returns the index of a tier, which must exist.
    #[inline(always)]
    fn index_of_tier(&self, number: i32) -> usize {
        if self.tiers[0].number == number {
            return 0;
        }
        let index = self.tiers.iter().position(|tier| tier.number == number);
        index.expect("the tiers of all objects exist")
    }

    /// Writes the number of the cell and the low end of each object, and counts the objects in each
    /// cell.
    fn count_in_cells(
        &self,
        scratch: &mut LoadScratch<D>,
        mut numbers: &mut [u32],
        mut firsts: &mut [i32],
    ) {
        let LoadScratch { blocks, counts, .. } = scratch;
        let count = |part: &mut CountJob<'_, S, D>| {
            let places = part.numbers.iter_mut().zip(&mut *part.firsts);
            for (body, (number, first)) in part.pending.iter().zip(places) {
                let slabs = self.slabs_of(body);
                let tier = self.index_of_tier(self.sizes.tier(size::<S, D>(&slabs)));
                let cell = self.tiers[tier].cell::<S, D>(&slabs);
                *number = blocks[tier].number(body.class, &cell);
                *first = slabs.min[0];
                part.counts[*number as usize] += 1;
            }
        };
        // Each part has its own counters, so parts have more objects than there are cells.
        let least = MIN_OBJECTS_PER_TASK.max(counts.len());
        let mut jobs = Vec::new();
        for range in tasks::even(self.pending.len(), least) {
            let pending = &self.pending[range];
            let (numbers, firsts) =
                (split_front(&mut numbers, pending.len()), split_front(&mut firsts, pending.len()));
            let counts = alloc::vec![0; counts.len()];
            jobs.push(CountJob { pending, numbers, firsts, counts });
        }
        if jobs.is_empty() {
            let mut all =
                CountJob { pending: &self.pending, numbers, firsts, counts: take(counts) };
            count(&mut all);
            *counts = all.counts;
            return;
        }
        tasks::each(&mut jobs, count);
        for job in &jobs {
            counts.iter_mut().zip(&job.counts).for_each(|(all, own)| *all += own);
        }
    }

    /// Creates a row for each cell with objects, and replaces the counts by the first indices in
    /// `order`.
    fn create_rows_of_cells(&mut self, scratch: &mut LoadScratch<D>) {
        let LoadScratch { measured, blocks, counts, .. } = scratch;
        let mut layout = Layout::new();
        for class in Class::ALL {
            for measured in measured.iter().filter(|of| of.objects[class as usize] > 0) {
                let index = self.index_of_tier(measured.tier);
                let (tier, block) = (&self.tiers[index], &blocks[index]);
                let first = block.first[class as usize];
                for number in 0..block.cells() as u32 {
                    let count = &mut counts[(first + number) as usize];
                    if *count > 0 {
                        let id = RowId { class, tier: tier.number, cell: block.cell(number) };
                        let mut row = Row::new(id, tier.gate::<S, D>(&id));
                        layout.place(&mut row, count);
                        self.rows.push(row);
                    }
                }
            }
        }
        self.holes = layout.holes;
    }

    /// Creates the rows of all objects by id. Writes the row and the low end of each object, and
    /// the first index of each row in `order`.
    fn count_in_rows(
        &mut self,
        scratch: &mut LoadScratch<D>,
        numbers: &mut [u32],
        firsts: &mut [i32],
    ) {
        self.create_rows();
        let counts = &mut scratch.counts;
        counts.clear();
        counts.resize(self.rows.len(), 0);
        let places = numbers.iter_mut().zip(firsts);
        for (body, (number, first)) in self.pending.iter().zip(places) {
            let slabs = self.slabs_of(body);
            let id = self.row_of(body.class, &slabs).expect("the tiers of all objects exist");
            let index = row::find(&self.rows, &id).expect("the rows of all objects exist");
            counts[index] += 1;
            (*number, *first) = (index as u32, slabs.min[0]);
        }
        let mut layout = Layout::new();
        for (row, count) in self.rows.iter_mut().zip(counts) {
            layout.place(row, count);
        }
        self.holes = layout.holes;
    }
}

/// Assigns slots and parts of `order` to consecutive rows.
struct Layout {
    /// The number of slots assigned.
    slots: usize,
    /// The number of objects in all rows.
    objects: u32,
    holes: usize,
}

impl Layout {
    const fn new() -> Self {
        Self { slots: RESERVED_SLOT + 1, objects: 0, holes: 0 }
    }

    /// Assigns slots to the next row. Replaces the number of its objects by the index of its first
    /// item in `order`.
    fn place<const D: usize>(&mut self, row: &mut Row<D>, count: &mut u32) {
        let objects = *count as usize;
        row.begin = self.slots + 1;
        row.len = slots_for(objects);
        row.holes = row.len - objects;
        row.room = room_for(row.len);
        self.slots = row.begin + row.room;
        self.holes += row.holes;
        *count = self.objects;
        self.objects += objects as u32;
    }
}

/// Writes the items of all objects to `order`, by row.
fn partition<const D: usize>(scratch: &mut LoadScratch<D>, numbers: &[u32], firsts: &[i32]) {
    let LoadScratch { counts, order, .. } = scratch;
    if order.len() < numbers.len() {
        *order = alloc::vec![0; numbers.len()];
    }
    for (index, (&number, &first)) in (0..).zip(numbers.iter().zip(firsts)) {
        let next = &mut counts[number as usize];
        order[*next as usize] = item(first, index);
        *next += 1;
    }
}
