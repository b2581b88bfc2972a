//! Refresh: automatic maintenance, which inserts pending objects and compacts storage.
//!
//! 1. Rebuild if the number of objects has doubled or fallen to a quarter, or if rows are far too
//!    low for pending objects: choose tiers and row heights, lay out all rows, and skip the other
//!    steps.
//! 2. Otherwise adjust the row heights of tiers.
//! 3. Update the boxes of rows in which `set_bounds` changed an object in its slot.
//! 4. Merge pending objects into rows.
//! 5. If over a quarter of the slots or half of the rows are empty: compact the store in place.
//! 6. Free the buffers of the last rebuild if [`REFRESHES_KEPT`] refreshes have followed it.
//!
//! Cost: O(rows) if nothing has changed; O(n log n) for a rebuild, amortised over its cause.

use alloc::vec::Vec;
use core::mem::take;

use broadphase_core::{Aabb, Scalar, Slabs};

use crate::grid::Hshg;
use crate::grid::maintenance::merge::room_for;
use crate::grid::storage::axis_order::AxisOrder;
use crate::grid::storage::pending::Objects;
use crate::grid::storage::row::{self, Class, Row, SPARE, enclose, rows_up_to, slots_for};
use crate::grid::storage::store::{RESERVED_SLOT, Store};
use crate::grid::storage::tiers::{Tier, Tiers, size};

/// The minimum capacity for pending objects that maintenance retains: small scenes that enter and
/// leave crowds do not reallocate.
pub(super) const MIN_KEPT_CAPACITY: usize = 4096;

/// The number of refreshes for which the buffers of a rebuild are retained, for a grid that is
/// cleared and filled for each search: otherwise a search takes 20 % longer (`discs:1000000`),
/// because first accesses to new memory are slow.
const REFRESHES_KEPT: u8 = 4;

/// The maximum number of object sizes that are sampled to choose tiers.
const SIZE_SAMPLES: usize = 2000;

/// The weight of an object in a static row when objects in rows are compared with pending ones.
const STATIC_WEIGHT: usize = 4;

impl<S: Scalar, const D: usize> Hshg<S, D> {
    /// Brings all rows up to date.
    pub(crate) fn refresh(&mut self) {
        let mut measured = false;
        if !self.pending.is_empty() {
            measured = 2 * self.pending.len() > self.len && !self.len_changed_much();
            if measured {
                self.with_pending(|grid, pending| grid.measure(pending, true));
            }
            if self.len_changed_much() || (measured && self.has_outgrown_rows()) {
                self.rebuild();
                return;
            }
        }
        let rooms = [self.pending.capacity(), self.insertions.capacity()];
        let crowded = self.tiers.iter().any(|tier| tier.sweep_stats.crowded);
        let relaid = self.adjust_row_heights();
        if crowded && !relaid && self.has_better_axes() {
            self.rebuild();
            return;
        }
        self.update_row_bounds();
        if self.should_reload() {
            self.reload(measured);
        } else if !self.pending.is_empty() {
            self.merge_pending();
        }
        if relaid {
            self.shrink_buffers(rooms);
        }
        if self.is_wasteful() {
            self.compact_in_place();
        }
        self.free_old_buffers(false);
        self.spacing = self.typical_spacing();
    }

    pub(crate) fn maintain_all(&mut self) {
        if self.len_changed_much() {
            self.rebuild();
        } else {
            self.refresh();
        }
        self.free_old_buffers(true);
        if self.unused > self.store.len() / 16 || self.holes > self.store.len() / 8 {
            self.rebuild_storage();
        }
    }

    /// Returns whether more objects are pending than in rows: a bulk load is then faster than
    /// merging. Objects in static rows count [`STATIC_WEIGHT`] times, because a bulk load
    /// invalidates the static cache.
    fn should_reload(&self) -> bool {
        let placed = |rows: &[Row<D>]| rows.iter().map(Row::objects).sum::<usize>();
        let pending = self.pending.len();
        pending >= self.len - pending && {
            let (others, statics) = self.rows.split_at(rows_up_to(&self.rows, Class::Sleeping));
            pending > placed(others) + STATIC_WEIGHT * placed(statics)
        }
    }

    /// Lays out all rows again; tiers, row heights and sweep axis stay. `measured` is set if the
    /// objects have been measured.
    fn reload(&mut self, measured: bool) {
        self.unpack_rows();
        self.with_pending(|grid, pending| {
            if !measured {
                grid.measure(pending, false);
            }
            grid.load(pending);
        });
        self.pending.clear();
    }

    /// Returns whether over a quarter of the slots or about half of the rows are empty. Objects
    /// that move in one direction leave empty rows behind.
    fn is_wasteful(&self) -> bool {
        let empty = self.rows.iter().filter(|row| row.objects() == 0).count();
        4 * (self.unused + self.holes) > self.store.len() || 2 * empty > self.rows.len() + 64
    }

    /// Returns whether the number of objects has doubled, or fallen below a quarter, since the
    /// rebuild.
    fn len_changed_much(&self) -> bool {
        self.len > 2 * self.len_at_rebuild || self.len < self.len_at_rebuild / 4
    }

    /// Chooses the sweep axis, tiers and row heights, and builds all rows.
    fn rebuild(&mut self) {
        self.rebuild_with_axes(None);
    }

    /// Chooses tiers and row heights, and builds all rows with an order of axes, by default the
    /// best.
    pub(crate) fn rebuild_with_axes(&mut self, axes: Option<AxisOrder>) {
        self.unpack_all();
        self.with_pending(|grid, pending| grid.build(pending, axes, 0.0));
        self.pending.clear();
        self.load.refreshes_left = REFRESHES_KEPT;
        self.spacing = self.typical_spacing();
    }

    /// Calls a function with the pending objects, which it cannot change.
    pub(crate) fn with_pending(&mut self, run: impl FnOnce(&mut Self, Objects<'_, S, D>)) {
        let pending = take(&mut self.pending);
        run(self, pending.objects());
        self.pending = pending;
    }

    /// Chooses tiers, row heights and, unless given, the order of axes, and lays out all rows. Row
    /// heights are for objects enlarged by `longer` on each axis. The grid must have no rows.
    pub(crate) fn build(
        &mut self,
        objects: Objects<'_, S, D>,
        axes: Option<AxisOrder>,
        longer: f64,
    ) {
        self.choose_tiers(objects.bounds);
        self.store.axes = axes.unwrap_or_else(|| self.best_axes(objects));
        self.measure(objects, false);
        self.create_tiers(longer);
        self.load(objects);
    }

    /// Frees the buffers of the last rebuild after [`REFRESHES_KEPT`] refreshes, or if `now` is
    /// set.
    fn free_old_buffers(&mut self, now: bool) {
        let left = &mut self.load.refreshes_left;
        if *left > 0 {
            *left = if now { 0 } else { *left - 1 };
            if *left == 0 {
                self.shrink_buffers([0; 2]);
            }
        }
    }

    /// Shrinks the buffers of pending objects to these capacities, but not below
    /// [`MIN_KEPT_CAPACITY`], after most objects were pending at once.
    fn shrink_buffers(&mut self, [pending, insertions]: [usize; 2]) {
        self.pending.shrink_to(pending.max(MIN_KEPT_CAPACITY));
        self.insertions.shrink_to(insertions.max(MIN_KEPT_CAPACITY));
        self.load.shrink_to(MIN_KEPT_CAPACITY);
    }

    /// Chooses tiers from a sample of the sizes of all objects.
    fn choose_tiers(&mut self, bounds: &[Aabb<S, D>]) {
        self.len_at_rebuild = self.len;
        if self.smallest_cell.is_none() {
            let sampled = bounds.iter().step_by(bounds.len().div_ceil(SIZE_SAMPLES).max(1));
            let mut sizes: Vec<f64> = sampled.map(|bounds| size::<S, D>(&bounds.slabs())).collect();
            self.sizes = Tiers::of_sizes(&mut sizes);
        }
    }

    /// Makes all objects pending and drops all rows and tiers.
    pub(crate) fn unpack_all(&mut self) {
        self.unpack_rows();
        self.len_at_rebuild = 0;
        self.tiers.clear();
    }

    /// Makes all objects pending and drops all rows.
    fn unpack_rows(&mut self) {
        self.reserve_pending(self.len - self.pending.len());
        let mut rows = take(&mut self.rows);
        for row in &rows {
            self.unpack_row(row);
        }
        rows.clear();
        self.rows = rows;
        self.row_pairs.invalidate();
        (self.holes, self.unused) = (0, 0);
        self.store.clear();
        self.rows_changed = true;
    }

    /// Makes all objects of a row, which the caller drops, pending.
    pub(super) fn unpack_row(&mut self, row: &Row<D>) {
        let slots = if row.objects() > 0 { row.slots() } else { 0..0 };
        for slot in slots {
            if self.is_live(slot) {
                self.push_pending(self.store.body(slot, row.id.class));
            }
        }
        self.holes -= row.holes;
        self.unused += row.slots_held();
    }

    /// Allocates room for `more` further pending objects.
    pub(super) fn reserve_pending(&mut self, more: usize) {
        self.pending.reserve_exact(more);
    }

    fn update_row_bounds(&mut self) {
        for index in 0..self.rows.len() {
            if !take(&mut self.rows[index].bounds_stale) {
                continue;
            }
            self.rows[index].bounds = self.box_around(&self.rows[index]);
        }
    }

    /// Returns the box around the slabs of the objects of a row.
    pub(crate) fn box_around(&self, row: &Row<D>) -> Slabs<D> {
        let mut bounds = Slabs::PADDING;
        for slot in self.live_slots(row) {
            enclose(&mut bounds, &self.store.slabs(slot));
        }
        bounds
    }

    /// Creates missing tiers of [measured](Self::measure) objects, with row heights for these
    /// objects enlarged by `longer` on each axis.
    pub(crate) fn create_tiers(&mut self, longer: f64) {
        for measured in &self.load.measured {
            let number = measured.tier;
            if let Err(index) = self.tiers.binary_search_by_key(&number, |tier| tier.number) {
                let row_heights = measured.row_heights::<S>(self.sizes.limit(number), longer);
                self.tiers.insert(index, Tier::new::<S>(self.sizes, number, row_heights));
            }
        }
    }

    /// Returns the tier of an object with these slabs, if it exists.
    pub(crate) fn tier_of(&self, slabs: &Slabs<D>) -> Option<&Tier> {
        let number = self.sizes.tier(size::<S, D>(slabs));
        self.tiers.iter().find(|tier| tier.number == number)
    }

    /// Returns whether an object with these slabs belongs in `row`, a row of `tier`.
    pub(crate) fn belongs(&self, slabs: &Slabs<D>, tier: &Tier, row: &Row<D>) -> bool {
        tier.holds::<S, D>(self.sizes, slabs, &row.id)
    }

    /// Compacts the store in place: moves each row directly after the previous one, and drops rows
    /// without objects. Allocates no memory.
    pub(super) fn compact_in_place(&mut self) {
        row::sort_as_stored(&mut self.rows);
        let mut end = RESERVED_SLOT + 1;
        for index in 0..self.rows.len() {
            self.close_holes(index);
            let old = self.rows[index];
            if old.len == 0 {
                continue;
            }
            let slots = slots_for(old.len);
            let row = Row { begin: end + 1, room: old.room.min(room_for(slots)), ..old };
            self.move_objects(&old, &row);
            self.store.set_hole(end, i32::MIN);
            end = row.begin + row.room;
            self.store.set_free(row.begin + row.len..end);
            self.rows[index] = row;
            if slots + SPARE <= row.room {
                self.merge_from_end(index, &[]);
            }
        }
        self.store.truncate(end);
        self.unused = 0;
        let before = self.rows.len();
        self.rows.retain(|row| row.len > 0);
        self.rows_changed |= self.rows.len() < before;
        row::sort(&mut self.rows);
        self.row_pairs.invalidate();
    }

    /// Lays out all rows in a new store, by id, with regular gaps and without unused slots. No
    /// object may be pending.
    pub(crate) fn rebuild_storage(&mut self) {
        let rooms = [self.pending.capacity(), self.insertions.capacity()];
        self.unpack_rows();
        self.store = Store::new(self.store.axes);
        self.reload(false);
        self.shrink_buffers(rooms);
    }
}
