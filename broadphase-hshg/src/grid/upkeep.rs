//! Upkeep on demand: all at once, or a few rows at a time.

use broadphase_core::Scalar;

use super::Hshg;
use super::merge::room_for;
use super::row::{Row, SPARE, places_for};

impl<S: Scalar, const D: usize, T: Copy> Hshg<S, D, T> {
    /// Does now all upkeep there is to do.
    pub(super) fn settle_all(&mut self) {
        self.refresh_fully();
        if self.unused > self.store.len() / 16 || self.holes > self.store.len() / 8 {
            self.compact();
        }
        self.round = None;
    }

    /// Refreshes, whatever waits to be asked for included.
    fn refresh_fully(&mut self) {
        if self.is_out_of_tune() {
            self.rebuild();
            return;
        }
        let manual = core::mem::replace(&mut self.manual, false);
        self.refresh();
        self.manual = manual;
    }

    /// Does upkeep row by row for about `budget` objects, at least one, from where the last call
    /// stopped, and says how many objects this round has still to visit; at 0 it is complete, and
    /// the next call begins another one.
    ///
    /// A row that has lost the gaps for what arrives gets them again, and one that has too many, or
    /// twice the room it needs, gives them up. Rows are done as a whole; those that are as they
    /// should be are passed over at once. No answer depends on it, and the same calls always do the
    /// same.
    ///
    /// What cannot be divided is done by the call that completes a round, if it is due: choosing
    /// levels anew when the number of objects has doubled or gone down to a quarter, making crowded
    /// rows narrower and rows wider where a crowd has gone, and giving up places without rows when
    /// they are a quarter of all. A call of [`optimize`](broadphase_core::SpatialIndex::optimize) at
    /// a quiet moment leaves nothing of that to do.
    ///
    /// ```
    /// use broadphase_hshg::{Aabb, Hshg, HshgConfig, SpatialIndex};
    ///
    /// let mut world: Hshg = Hshg::with_config(HshgConfig::new().manual_upkeep());
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
        self.refresh();
        let begin = self.round.map_or(0, |id| self.rows.partition_point(|row| row.id < id));
        let (mut next, mut spent) = (begin, 0);
        while next < self.rows.len() && spent < budget.max(1) {
            spent += self.tidy(next);
            next += 1;
        }
        let left = self.rows[next..].iter().map(Row::objects).sum();
        if left > 0 {
            self.round = Some(self.rows[next].id);
            return left;
        }
        // Those that are left hold nothing.
        for index in next..self.rows.len() {
            self.tidy(index);
        }
        self.round = None;
        self.refresh_fully();
        if self.unused > self.store.len() / 4 {
            self.compact();
        }
        0
    }

    /// Gives a row the gaps it should have; yields how many objects that took.
    fn tidy(&mut self, index: usize) -> usize {
        let objects = self.rows[index].objects();
        let places = places_for(objects);
        if self.rows[index].len == places {
            return 0;
        }
        self.touch(self.rows[index].id.kind);
        self.close_holes(index);
        if places + SPARE > self.rows[index].room {
            let any = self.store.body(self.rows[index].begin, 0);
            self.move_row(index, places, &any);
        }
        self.merge_from_the_end(index, &[]);
        let (row, room) = (&mut self.rows[index], room_for(places));
        if row.room > 2 * room {
            self.unused += row.room - room;
            row.room = room;
        }
        objects
    }
}
