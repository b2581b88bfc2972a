//! Bulk load: lays out all rows of a grid at once.
//!
//! Used when most objects are pending: after many insertions, when levels are chosen again, and
//! when most objects have left their rows; and for searches in lists of boxes
//! ([`one_shot`](crate::grid::one_shot)).
//!
//! 1. *Measure* the objects of each tier ([`measured`](super::measured)); create missing tiers.
//! 2. *Number* the cells of all tiers in the order of rows, and count the objects in each
//!    ([`cell_counts`](super::cell_counts)). Each cell with objects becomes a row. If objects are
//!    too sparse for that, rows are created and found by id instead.
//! 3. *Partition*: write low end and index of each object to its row's part of one list.
//! 4. For each row: *sort* its part of the list in the first cache levels, then *fill* the slots of
//!    the row ([`bulk_fill`](super::bulk_fill)).
//!
//! ```text
//!   objects     a   b   c   d   e   f  …        in the order of insertion
//!   number      3   0   3   1   0   0           step 2; kept in the plane of keys until step 3
//!   order      │b e f│d│a c│ …                  step 3; 8 bytes per object
//!   row 0      │f b e ∞ ∞ …                     step 4; see `Row` for gaps and free slots
//! ```
//!
//! Cost: O(n) time, but O(n log n) comparisons if low ends are almost equal. Temporary memory: 8
//! bytes per object; step 2 uses a plane of the store. All steps run on several threads; the result
//! does not depend on their number.

use alloc::vec::Vec;
use core::mem::take;

use broadphase_core::{Keys, Scalar, tasks};

use crate::grid::Hshg;
use crate::grid::maintenance::cell_counts::{CellBlock, MAX_CELLS};
use crate::grid::maintenance::measured::Measured;
use crate::grid::maintenance::merge::room_for;
use crate::grid::maintenance::refresh::MIN_KEPT_CAPACITY;
use crate::grid::maintenance::row_sort::{Item, item};
use crate::grid::storage::axis_order::AxisOrder;
use crate::grid::storage::pending::Objects;
use crate::grid::storage::row::{self, Class, Row, RowId, slots_for};
use crate::grid::storage::store::RESERVED_SLOT;
use crate::grid::update::store_slice::split_front;

// Rejected: copy keys and bounds by row in step 3, so that step 4 has no cache misses. Pairs of a
// new grid take 15 to 45 % longer, because first accesses to more memory are slow
// (`discs:1000000`, `mixed3:300000`).
//
// Rejected: write objects to their rows, then arrange each row in place. This takes 17 % less time
// in `discs:1000000`, but 35 % more in `discs:10000` and 8 % more in `mixed3:300000`.
//
// Rejected: the key-to-slot map on all threads. It takes as long (`discs:1000000`).

/// The minimum number of objects per task of several threads.
pub(super) const MIN_OBJECTS_PER_TASK: usize = if cfg!(test) { 500 } else { 16_384 };

/// The number of missing rows for which capacity is retained; fewer if there are fewer objects.
const MIN_KEPT_MISSING: usize = 1024;

/// Buffers of bulk loads, reused between loads.
#[derive(Clone, Debug, Default)]
pub(crate) struct LoadScratch<const D: usize> {
    /// The objects of each tier, ascending by tier.
    pub(super) measured: Vec<Measured<D>>,
    /// The objects of each tier in a part of the pending objects.
    pub(super) part: Vec<Measured<D>>,
    /// The cells of each tier.
    pub(super) blocks: Vec<CellBlock<D>>,
    /// For each cell or row, the number of its objects, then the index of its next item in `order`.
    pub(super) counts: Vec<u32>,
    /// Objects by row, then by low end on the first axis.
    pub(crate) order: Vec<Item>,
    /// Scratch memory of sorts.
    pub(super) spare: Vec<Item>,
    /// The number of refreshes until the buffers of the last rebuild are freed; 0 afterwards.
    pub(super) refreshes_left: u8,
}

impl<const D: usize> LoadScratch<D> {
    pub(crate) const fn memory_use(&self) -> usize {
        (self.measured.capacity() + self.part.capacity()) * size_of::<Measured<D>>()
            + self.blocks.capacity() * size_of::<CellBlock<D>>()
            + self.counts.capacity() * size_of::<u32>()
            + (self.order.capacity() + self.spare.capacity()) * size_of::<Item>()
    }

    /// Shrinks the lists of cells and objects to a number of objects.
    pub(super) fn shrink_to(&mut self, objects: usize) {
        for list in [&mut self.order, &mut self.spare] {
            list.truncate(objects);
            list.shrink_to(objects);
        }
        self.counts.clear();
        self.counts.shrink_to(MAX_CELLS + objects / 2);
    }
}

impl<S: Scalar, const D: usize> Hshg<S, D> {
    /// Lays out the rows of a grid without rows. The objects must be [measured](Self::measure).
    pub(crate) fn load(&mut self, objects: Objects<'_, S, D>) {
        let len = objects.len();
        if len == 0 {
            return;
        }
        self.create_tiers(0.0);
        let mut scratch = take(&mut self.load);
        let spare = len.min(MIN_KEPT_CAPACITY);
        if scratch.spare.len() < spare {
            scratch.spare = alloc::vec![0; spare];
        }
        // Allocated now for later ticks, in which few objects need new rows.
        self.missing.reserve(len.min(MIN_KEPT_MISSING));
        let mut numbers = take(&mut self.store.keys);
        numbers.resize(len, 0);
        if self.number_cells(len, &mut scratch) {
            self.count_in_cells(objects, &mut scratch, &mut numbers);
            self.create_rows_of_cells(&mut scratch);
        } else {
            self.count_in_rows(objects, &mut scratch, &mut numbers);
        }
        self.rows_changed = true;
        scratch.partition(objects, self.store.axes, &numbers);
        numbers.clear();
        self.store.keys = numbers;
        self.fill_rows(objects, &mut scratch);
        self.load = scratch;
    }

    /// Creates a row for each cell with objects; replaces counts by first indices in `order`.
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

    /// Creates the rows of all objects by id. Writes the row of each object, and the first index of
    /// each row in `order`.
    fn count_in_rows(
        &mut self,
        objects: Objects<'_, S, D>,
        scratch: &mut LoadScratch<D>,
        numbers: &mut [u32],
    ) {
        self.create_rows(objects);
        let counts = &mut scratch.counts;
        counts.clear();
        counts.resize(self.rows.len(), 0);
        for (number, at) in numbers.iter_mut().zip(0..) {
            let slabs = self.store.axes.slabs(&objects.bounds[at]);
            let id = self.row_of(objects.class(at), &slabs);
            let id = id.expect("the tiers of all objects exist");
            let index = row::find(&self.rows, &id).expect("the rows of all objects exist");
            counts[index] += 1;
            *number = index as u32;
        }
        let mut layout = Layout::new();
        for (row, count) in self.rows.iter_mut().zip(counts) {
            layout.place(row, count);
        }
        self.holes = layout.holes;
    }
}

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

    /// Assigns slots to the next row, and replaces its count by the index of its first item in
    /// `order`.
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

impl<const D: usize> LoadScratch<D> {
    /// Writes low end and index of all objects by row.
    fn partition<S: Scalar>(
        &mut self,
        objects: Objects<'_, S, D>,
        axes: AxisOrder,
        numbers: &[u32],
    ) {
        let Self { counts, order, .. } = self;
        let len = numbers.len();
        if order.len() < len {
            *order = alloc::vec![0; len];
        }
        let first = axes.first();
        let low = |index: usize| objects.bounds[index].min[first].key_below();
        let parts = tasks::even(len, MIN_OBJECTS_PER_TASK).len().min(tasks::threads());
        if parts < 2 {
            for (index, &number) in numbers.iter().enumerate() {
                let next = &mut counts[number as usize];
                order[*next as usize] = item(low(index), index as u32);
                *next += 1;
            }
            return;
        }
        let mut jobs = split(counts, &mut order[..len], parts);
        tasks::each(&mut jobs, |part| part.write(numbers, |index| item(low(index), index as u32)));
    }
}

/// The objects of successive cells or rows in `order`. One thread writes them; it reads the numbers
/// of all objects.
struct Part<'a> {
    /// The number of the first cell.
    first: u32,
    /// For each cell, the index of its next item in the `order` of all parts.
    next: &'a mut [u32],
    /// The index of the first item of `order` in the `order` of all parts.
    begin: u32,
    order: &'a mut [Item],
}

/// Divides cells into parts with about equal numbers of objects.
fn split<'a>(mut counts: &'a mut [u32], mut order: &'a mut [Item], parts: usize) -> Vec<Part<'a>> {
    let objects = order.len();
    let (mut first, mut begin) = (0, 0);
    let part = |part| {
        // Cells without objects have the count 0.
        let reaches = |&next: &u32| next as usize >= objects * part / parts;
        let cells = if part < parts { counts.iter().position(reaches) } else { None };
        let end = cells.map_or(objects, |cells| counts[cells] as usize);
        let cells = cells.unwrap_or(counts.len());
        let next = split_front(&mut counts, cells);
        let part =
            Part { first, begin, order: split_front(&mut order, end - begin as usize), next };
        (first, begin) = (first + cells as u32, end as u32);
        part
    };
    (1..=parts).map(part).collect()
}

impl Part<'_> {
    /// Writes the objects whose numbers are in this part, in their order.
    fn write(&mut self, numbers: &[u32], item: impl Fn(usize) -> Item) {
        let cells = self.next.len() as u32;
        // Selected without branches: whether an object is in this part cannot be predicted.
        let mut selected = [0; 1024];
        for begin in (0..numbers.len()).step_by(selected.len()) {
            let mut count = 0;
            for (index, number) in (begin..).zip(&numbers[begin..]).take(selected.len()) {
                selected[count] = index;
                count += usize::from(number.wrapping_sub(self.first) < cells);
            }
            for &index in &selected[..count] {
                let next = &mut self.next[(numbers[index] - self.first) as usize];
                self.order[(*next - self.begin) as usize] = item(index);
                *next += 1;
            }
        }
    }
}
