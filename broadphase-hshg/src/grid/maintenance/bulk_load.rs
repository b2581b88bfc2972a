//! Bulk load: lays out all rows of a grid at once from pending objects.
//!
//! Used when most objects are pending: after many insertions, when levels are chosen again, and
//! when most objects have left their rows.
//!
//! 1. *Measure* the objects of each tier (see [`measured`](super::measured)) and create missing
//!    tiers.
//! 2. *Number* the cells of all tiers consecutively, in the order of rows, and count the objects in
//!    each cell (see [`cell_counts`](super::cell_counts)). Each cell with objects becomes a row. If
//!    objects are too sparse for that, rows are created and found by id instead.
//! 3. *Partition*: write low end and index of each object to the part of one list that belongs to
//!    its row. Of at least [`MIN_SORTED_OBJECTS`] objects, the objects themselves are sorted by row
//!    instead, because reading them at random in step 4 would take longer.
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
//! Cost: O(n) time, but O(n log n) comparisons if low ends are almost equal. Temporary memory is 8
//! bytes per object, and a second copy of pending objects if they are sorted by row; the results of
//! step 2 need none, because planes of the store hold them. Steps 1, 2 and 4 run on several
//! threads; the result does not depend on their number.

use alloc::vec::Vec;
use core::mem::take;

use broadphase_core::Scalar;

use crate::grid::Core;
use crate::grid::data::MoveData;
use crate::grid::maintenance::cell_counts::{CellBlock, MAX_CELLS};
use crate::grid::maintenance::measured::Measured;
use crate::grid::maintenance::merge::room_for;
use crate::grid::maintenance::refresh::MIN_KEPT_CAPACITY;
use crate::grid::maintenance::row_sort::{Item, item};
use crate::grid::storage::row::{self, Class, Row, RowId, slots_for};
use crate::grid::storage::store::RESERVED_SLOT;

/// The minimum number of objects per task of several threads.
pub(in crate::grid) const MIN_OBJECTS_PER_TASK: usize = if cfg!(test) { 500 } else { 16_384 };

/// The minimum number of pending objects that are sorted by row. All pairs from nothing then
/// take 27 % less time in `discs:1000000`, 10 % in `discs:500000` and 2 % in `mixed3:300000`; they
/// would take 20 % more in `discs:100000`.
// Rejected: sorting with prefetches of the places to write to; no change in any of these scenes.
pub(in crate::grid) const MIN_SORTED_OBJECTS: usize = if cfg!(test) { 700 } else { 1 << 18 };

/// The number of missing rows for which capacity is kept; fewer if there are fewer objects.
const MIN_KEPT_MISSING: usize = 1024;

/// Buffers of bulk loads, kept between loads to avoid reallocating.
#[derive(Clone, Debug, Default)]
pub(in crate::grid) struct LoadScratch<const D: usize> {
    /// The objects of each tier, ascending by tier.
    pub(in crate::grid) measured: Vec<Measured<D>>,
    /// The objects of each tier in a part of the pending objects.
    pub(in crate::grid) part: Vec<Measured<D>>,
    /// The cells of each tier.
    pub(in crate::grid) blocks: Vec<CellBlock<D>>,
    /// For each cell or row, the number of its objects, then the index of its next item in `order`.
    pub(in crate::grid) counts: Vec<u32>,
    /// Objects by row, then by low end on the first axis.
    pub(in crate::grid) order: Vec<Item>,
    /// Scratch memory of sorts.
    pub(in crate::grid) spare: Vec<Item>,
    /// The number of further refreshes before the buffers of the last rebuild are freed; 0 if they
    /// have been freed.
    pub(in crate::grid) refreshes_left: u8,
}

impl<const D: usize> LoadScratch<D> {
    pub(in crate::grid) const fn memory_use(&self) -> usize {
        (self.measured.capacity() + self.part.capacity()) * size_of::<Measured<D>>()
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
        // Allocated now for later ticks, in which few objects need new rows.
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
        let many = numbers.len() >= MIN_SORTED_OBJECTS;
        if many {
            self.sort_by_row(&mut scratch.counts, &mut numbers, data);
        }
        let LoadScratch { counts, order, .. } = &mut scratch;
        if order.len() < numbers.len() {
            *order = alloc::vec![0; numbers.len()];
        }
        if !many {
            partition(counts, order, &numbers, &firsts);
        }
        numbers.clear();
        firsts.clear();
        (self.store.keys, self.store.min[0]) = (numbers, firsts);
        self.fill_rows(&mut scratch, data);
        self.load = scratch;
        self.pending.clear();
        data.clear_pending();
    }

    /// Sorts pending objects and their data by row. Replaces the rows in `numbers` by the new
    /// indices of the objects, and each index in `next` by that of the next row.
    fn sort_by_row(&mut self, next: &mut [u32], numbers: &mut [u32], data: &mut dyn MoveData) {
        let Self { pending, sorted, .. } = self;
        if sorted.len() < pending.len() {
            sorted.resize(pending.len(), pending[0]);
        }
        for (body, number) in pending.iter().zip(&mut *numbers) {
            let next = &mut next[*number as usize];
            sorted[*next as usize] = *body;
            (*number, *next) = (*next, *next + 1);
        }
        sorted.truncate(pending.len());
        core::mem::swap(pending, sorted);
        data.permute_pending(numbers);
        // Before a store is allocated, free the list of former objects, to lower the peak of
        // memory.
        if self.store.max[0].capacity() < self.pending.len() {
            self.sorted = Vec::new();
            data.shrink_pending(self.pending.len());
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
fn partition(next: &mut [u32], order: &mut [Item], numbers: &[u32], firsts: &[i32]) {
    for (index, (&number, &first)) in (0..).zip(numbers.iter().zip(firsts)) {
        let next = &mut next[number as usize];
        order[*next as usize] = item(first, index);
        *next += 1;
    }
}

#[cfg(test)]
mod tests {
    use broadphase_core::{Aabb, IndexError, Motion, Scalar, SpatialIndex};

    use super::MIN_SORTED_OBJECTS;
    use crate::grid::Hshg;
    use crate::grid::storage::axis_order::AxisOrder;

    /// Loads objects in the order of their keys, with data made from keys, and checks all of them.
    fn loads<S: Scalar, const D: usize>(len: usize, axis: usize, skin: f64) {
        let mut grid: Hshg<S, D, u32> = Hshg::new();
        grid.set_skin(S::from_f64(skin));
        let object = |key: u32| -> Aabb<S, D> {
            let dice = |axis| (key + 1).wrapping_mul(0x9E37_79B9).rotate_left(7 * axis + 5) % 300;
            let size = if key % 13 == 4 { 90 } else { 7 };
            let low: [f64; D] = core::array::from_fn(|axis| dice(axis as u32).into());
            let high = low.map(|low| low + f64::from(size));
            Aabb { min: low.map(S::from_f64), max: high.map(S::from_f64) }
        };
        for key in 0..len as u32 {
            let motion = [Motion::Dynamic, Motion::Static][usize::from(key % 5 == 2)];
            let inserted: Result<(), IndexError> =
                grid.insert_with(key, object(key), key ^ 0x5bd1, motion);
            inserted.expect("valid bounds");
        }
        let Hshg { core, data, .. } = &mut grid;
        core.rebuild_with_axes(AxisOrder::with_first(axis), data);
        grid.assert_well_formed();
        for key in 0..len as u32 {
            let entry = grid.get(key).expect("the object was inserted");
            assert_eq!((entry.bounds, *entry.data), (object(key), key ^ 0x5bd1), "object {key}");
        }
        // Objects of a row that begin at equal places are in the order of insertion.
        let store = &grid.core.store;
        for row in &grid.core.rows {
            let live = row.slots().filter(|&slot| grid.core.is_live(slot));
            let items = live.map(|slot| (store.min[0][slot], store.keys[slot]));
            assert!(items.is_sorted(), "the row {:?}", row.id);
        }
    }

    #[test]
    fn many_objects_are_loaded_like_few() {
        for len in [MIN_SORTED_OBJECTS - 1, MIN_SORTED_OBJECTS, 3 * MIN_SORTED_OBJECTS + 5] {
            for skin in [0.0, 4.0] {
                loads::<f32, 2>(len, 0, skin);
                loads::<f32, 2>(len, 1, skin);
                loads::<f64, 3>(len, 2, skin);
                loads::<i32, 1>(len, 0, skin);
            }
        }
    }
}
