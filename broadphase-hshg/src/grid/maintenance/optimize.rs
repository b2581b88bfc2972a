//! Maintenance on demand: for all objects at once, or for a limited number of objects per call.

use broadphase_core::{Scalar, instances};

use crate::grid::data::MoveData;
use crate::grid::maintenance::merge::room_for;
use crate::grid::storage::row::{Row, SPARE, slots_for};
use crate::grid::{Core, Hshg};

instances! {
    /// [`Core::refresh`], compiled once.
    fn refresh<S, D>(core: &mut Core<S, D>, data: &mut dyn MoveData) {
        core.refresh(data);
    }

    /// [`Core::maintain_all`], compiled once.
    fn maintain_all<S, D>(core: &mut Core<S, D>, data: &mut dyn MoveData) {
        core.maintain_all(data);
    }

    /// Runs maintenance row by row; see [`Hshg::optimize_within`].
    fn optimize_within<S, D>(
        core: &mut Core<S, D>,
        budget: usize,
        data: &mut dyn MoveData,
    ) -> usize {
        core.refresh(data);
        let begin = core.next_row.map_or(0, |id| core.rows.partition_point(|row| row.id < id));
        let (mut next, mut spent) = (begin, 0);
        while next < core.rows.len() && spent < budget.max(1) {
            spent += core.restore_gaps(next, data);
            next += 1;
        }
        let left = core.rows[next..].iter().map(Row::objects).sum();
        if left > 0 {
            core.next_row = Some(core.rows[next].id);
            return left;
        }
        // The remaining rows have no objects.
        for index in next..core.rows.len() {
            core.restore_gaps(index, data);
        }
        core.next_row = None;
        core.refresh_fully(data);
        if core.unused > core.store.len() / 4 {
            core.rebuild_storage(data);
        }
        0
    }
}

impl<S: Scalar, const D: usize, T: Copy> Hshg<S, D, T> {
    /// Brings all rows up to date, so that pairs can be found.
    pub(in crate::grid) fn refresh(&mut self) {
        refresh(&mut self.core, &mut self.data);
    }

    /// Runs all maintenance now.
    pub(in crate::grid) fn maintain_all(&mut self) {
        maintain_all(&mut self.core, &mut self.data);
    }

    /// Runs maintenance for about `budget` objects (at least one), row by row, starting where the
    /// last call stopped. Returns the number of objects left in this round; 0 means that the round
    /// is complete.
    ///
    /// Restores the gaps of rows that have too few or too many gaps, and frees memory of rows with
    /// twice the slots that they need. Rows are processed as a whole; rows in good order are
    /// skipped at no cost. The results of searches do not change, and the same calls always do the
    /// same work.
    ///
    /// The call that completes a round also runs indivisible maintenance, if due: it chooses levels
    /// again when the number of objects has doubled or fallen to a quarter, lowers rows in crowds
    /// and raises them elsewhere, and compacts storage when a quarter of it is unused. To avoid
    /// this, call [`optimize`](broadphase_core::SpatialIndex::optimize) at a time when latency does
    /// not matter.
    ///
    /// ```
    /// use broadphase_hshg::{Aabb, Hshg, HshgConfig, SpatialIndex};
    ///
    /// let mut world: Hshg = Hshg::with_config(HshgConfig::new().manual_maintenance());
    /// world.extend((0..9000).map(|n| (n, Aabb::point([(n % 90) as f32, (n / 90) as f32]), ())))?;
    /// world.optimize();
    /// for key in (0..9000).step_by(2) {
    ///     world.remove(key);
    /// }
    /// let first = world.optimize_within(1000);
    /// assert!(first > 0 && first <= 3500);
    /// while world.optimize_within(1000) > 0 {}
    /// # Ok::<(), broadphase_hshg::IndexError>(())
    /// ```
    pub fn optimize_within(&mut self, budget: usize) -> usize {
        optimize_within(&mut self.core, budget, &mut self.data)
    }
}

impl<S: Scalar, const D: usize> Core<S, D> {
    /// Runs all maintenance now.
    pub(in crate::grid) fn maintain_all(&mut self, data: &mut dyn MoveData) {
        self.refresh_fully(data);
        self.free_old_buffers(true, data);
        if self.unused > self.store.len() / 16 || self.holes > self.store.len() / 8 {
            self.rebuild_storage(data);
        }
        self.next_row = None;
    }

    /// Refreshes, and runs all maintenance that is due, even if maintenance is manual.
    fn refresh_fully(&mut self, data: &mut dyn MoveData) {
        if self.len_changed_much() {
            self.rebuild(data);
            return;
        }
        let manual = core::mem::replace(&mut self.manual, false);
        self.refresh(data);
        self.manual = manual;
    }

    /// Restores the regular gaps of a row. Returns the number of objects processed: 0 if the row
    /// had the right number of slots.
    fn restore_gaps(&mut self, index: usize, data: &mut dyn MoveData) -> usize {
        let objects = self.rows[index].objects();
        let slots = slots_for(objects);
        if self.rows[index].len == slots {
            return 0;
        }
        self.invalidate_pairs(self.rows[index].id.class);
        self.close_holes(index, data);
        if slots + SPARE > self.rows[index].room {
            let row = self.rows[index];
            let any = self.store.body(row.begin, row.id.class);
            self.move_row(index, slots, &any, data);
        }
        self.merge_from_end(index, &[], data);
        let (row, room) = (&mut self.rows[index], room_for(slots));
        if row.room > 2 * room {
            self.unused += row.room - room;
            row.room = room;
        }
        objects
    }
}
