//! Fills the slots of all rows: the last step of a [bulk load](super::bulk_load).
//!
//! Objects are read in the order of the rows: in large grids each read is a cache miss, and so is
//! each write to the key-to-slot map. Both are prefetched, the map in a separate loop.
//!
//! Rows are processed in blocks of at least [`OBJECTS_PER_BLOCK`] objects:
//!
//! 1. Sort the items of each row.
//! 2. Write the objects into the slots of the row, eight at a time, one gap per [`GAP_PERIOD`]
//!    slots, and compute its box.
//! 3. Write the slots of the objects into the key-to-slot map, if there is one; with several
//!    threads, after all rows.

use alloc::vec::Vec;
use core::array::from_fn;
use core::mem::take;

use broadphase_core::slots::KeySlots;
use broadphase_core::{Kernel, LANES, Lanes, Scalar, tasks};

use crate::grid::Hshg;
use crate::grid::maintenance::bulk_load::{LoadScratch, MIN_OBJECTS_PER_TASK};
use crate::grid::maintenance::row_sort::{Item, first_of, index_of, sort_row};
use crate::grid::storage::lane_slabs::LaneSlabs;
use crate::grid::storage::pending::Objects;
use crate::grid::storage::row::{GAP_PERIOD, Row};
use crate::grid::update::chunk::hull;
use crate::grid::update::store_slice::{StoreSlice, split_front};

/// The minimum number of objects that are sorted before slots for them are added to the store,
/// which are then still in the cache when they are filled.
const OBJECTS_PER_BLOCK: usize = 512;

/// Number of items by which prefetches are ahead of reads.
const PREFETCH_DISTANCE: usize = 32;

/// Kernel: sorts the objects of consecutive rows and writes them into the slots of the rows.
struct FillRows<'a, 's, S, const D: usize> {
    objects: Objects<'a, S, D>,
    /// Part of the store with the slots of the rows.
    store: &'a mut StoreSlice<'s, S, D>,
    rows: &'a mut [Row<D>],
    /// The items of the rows, and possibly of later rows.
    order: &'a mut [Item],
    /// Scratch memory of sorts.
    spare: &'a mut Vec<Item>,
}

impl<S: Scalar, const D: usize> Kernel for FillRows<'_, '_, S, D> {
    type Output = ();
    const SSE41: bool = false;

    #[inline(always)]
    fn run<L: Lanes>(mut self, lanes: L) {
        let (mut begin, mut end) = (0, 0);
        let rows = take(&mut self.rows);
        for row in &*rows {
            end += row.objects();
            sort_row(&mut self.order[begin..end], self.spare);
            begin = end;
        }
        begin = 0;
        for row in rows {
            self.fill_row(lanes, row, begin);
            begin += row.objects();
        }
    }
}

impl<S: Scalar, const D: usize> FillRows<'_, '_, S, D> {
    /// Writes sorted objects, from item `next` on, into the slots of a row, eight at a time. The
    /// objects between two gaps form a group, whose last object fills unused lanes; later writes
    /// overwrite these copies.
    #[inline(always)]
    fn fill_row<L: Lanes>(&mut self, lanes: L, row: &mut Row<D>, mut next: usize) {
        let Self { objects, ref mut store, ref order, .. } = *self;
        let mut to = store.to_local(row.begin);
        let (end, free, objects_end) = (to + row.len, to + row.room, next + row.objects());
        let (none, all) = (lanes.splat(i32::MAX), lanes.splat(i32::MIN));
        let (mut low, mut high) = ([none; D], [all; D]);
        store.set_hole(to - 1, i32::MIN);
        while to < end {
            let last = objects_end.min(next + GAP_PERIOD - 1) - 1;
            for begin in (next..=last).step_by(LANES) {
                let later = order.get(begin + PREFETCH_DISTANCE..).unwrap_or_default();
                for &item in later.iter().take(LANES) {
                    objects.prefetch(lanes, index_of(item));
                }
                let indices = from_fn(|lane| index_of(order[last.min(begin + lane)]));
                let keys = indices.map(|index| objects.key(index));
                let bounds = indices.map(|index| &objects.bounds[index]);
                let slabs = LaneSlabs::read(lanes, bounds);
                let (lows, highs) =
                    (store.axes.exchange(slabs.low), store.axes.exchange(slabs.high));
                store.set_eight(lanes, to + (begin - next), keys, bounds, &lows, &highs);
                let mut axis = 0;
                while axis < D {
                    low[axis] = lanes.min(low[axis], lows[axis]);
                    high[axis] = lanes.max(high[axis], highs[axis]);
                    axis += 1;
                }
            }
            to += last + 1 - next;
            next = last + 1;
            if to < end {
                store.set_hole(to, first_of(order[last]));
                to += 1;
            }
        }
        store.set_free(end..free);
        row.bounds = hull(lanes, low, high);
    }
}

/// Kernel: sets the slots of all objects of new rows.
struct AssignSlots<'a, const D: usize> {
    rows: &'a [Row<D>],
    keys: &'a [u32],
    slots: &'a mut KeySlots,
}

impl<const D: usize> Kernel for AssignSlots<'_, D> {
    type Output = ();
    const SSE41: bool = false;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Self { rows, keys, slots } = self;
        for row in rows {
            for (slot, &key) in row.slots().zip(&keys[row.slots()]) {
                if let Some(&later) = keys.get(slot + PREFETCH_DISTANCE) {
                    slots.prefetch(lanes, later);
                }
                if (slot - row.begin) % GAP_PERIOD < GAP_PERIOD - 1 {
                    slots.relocate(key, slot);
                }
            }
        }
    }
}

impl<S: Scalar, const D: usize> Hshg<S, D> {
    /// Fills the slots of all rows with the objects in `order`. Writes the key-to-slot map if
    /// it has the objects.
    pub(super) fn fill_rows(&mut self, objects: Objects<'_, S, D>, scratch: &mut LoadScratch<D>) {
        let LoadScratch { order, spare, .. } = scratch;
        let mut order = &mut order[..objects.len()];
        let slots = self.rows.last().map_or(0, |row| row.begin + row.room);
        self.store.reserve(slots);
        let (backend, any) = (self.backend, objects.get(0));
        let is_mapped = self.slots.get(any.key).is_some();
        let ranges = tasks::weighed(self.rows.iter().map(|row| row.len), MIN_OBJECTS_PER_TASK);
        if ranges.is_empty() {
            let mut rows = &mut self.rows[..];
            while !rows.is_empty() {
                let block = split_block(&mut rows);
                let Row { begin, room, .. } = block[block.len() - 1];
                self.store.grow(begin + room, &any);
                let store = &mut StoreSlice::new(&mut self.store);
                let rows = &mut *block;
                backend.dispatch(FillRows { objects, store, rows, order, spare });
                split_front(&mut order, block.iter().map(Row::objects).sum());
                if is_mapped {
                    let (rows, keys) = (&*block, &self.store.keys);
                    backend.dispatch(AssignSlots { rows, keys, slots: &mut self.slots });
                }
            }
            return;
        }
        self.store.par_grow(slots, &any);
        let (mut rest, mut rows) = (StoreSlice::new(&mut self.store), &mut self.rows[..]);
        let mut jobs = Vec::with_capacity(ranges.len());
        for range in ranges {
            let rows = split_front(&mut rows, range.len());
            let end = rows.last().map_or(0, |row| row.begin + row.room);
            let order = split_front(&mut order, rows.iter().map(Row::objects).sum());
            jobs.push((rest.split_before(end), rows, order));
        }
        tasks::each(&mut jobs, |(store, rows, order)| {
            let (mut rows, mut order, spare) = (&mut **rows, &mut **order, &mut Vec::new());
            while !rows.is_empty() {
                let rows = split_block(&mut rows);
                let len = rows.iter().map(Row::objects).sum();
                backend.dispatch(FillRows { objects, store, rows, order, spare });
                split_front(&mut order, len);
            }
        });
        if is_mapped {
            let (rows, keys) = (&self.rows, &self.store.keys);
            backend.dispatch(AssignSlots { rows, keys, slots: &mut self.slots });
        }
    }
}

/// Splits off the rows of a block: as many as have [`OBJECTS_PER_BLOCK`] objects.
fn split_block<'a, const D: usize>(rows: &mut &'a mut [Row<D>]) -> &'a mut [Row<D>] {
    let mut objects = 0;
    let mut in_block = |row: &&Row<D>| {
        let before = objects;
        objects += row.objects();
        before < OBJECTS_PER_BLOCK
    };
    let count = rows.iter().take_while(|row| in_block(row)).count();
    split_front(rows, count)
}
