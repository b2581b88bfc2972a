//! Deferred updates: the closure sees the grid before the update; its changes are applied
//! afterwards.
//!
//! 1. *Collect*: call the closure for each object while the grid is unchanged. Store the new state
//!    of the object and queue its commands for other objects. Each thread has its own range of rows
//!    and its own queue.
//! 2. *Apply states* with an ordinary walk, which visits the objects in the same order.
//! 3. *Apply commands*, sorted by the key of the issuing object, then by order of issue.
//!
//! The result does not depend on storage order or on the number of threads.

use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

use broadphase_core::{Aabb, FirstError, IndexError, Scalar, SpatialIndex, tasks};

use crate::grid::Hshg;
use crate::grid::storage::row::{Class, rows_up_to};

/// An object passed to the closure of [`Hshg::update_with`]. Changes take effect after all objects
/// were visited.
#[non_exhaustive]
pub struct ObjectMut<'a, S, const D: usize, T> {
    /// The key of the object.
    pub key: u32,
    /// The data of the object.
    pub data: &'a mut T,
    /// The bounds of the object.
    pub bounds: &'a mut Aabb<S, D>,
    is_removed: &'a mut bool,
}

impl<S, const D: usize, T> ObjectMut<'_, S, D, T> {
    /// Removes the object. Its queued commands are still executed.
    pub const fn remove(self) {
        *self.is_removed = true;
    }
}

impl<S: fmt::Debug, const D: usize, T: fmt::Debug> fmt::Debug for ObjectMut<'_, S, D, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { key, data, bounds, .. } = self;
        let mut fields = f.debug_struct("ObjectMut");
        fields.field("key", key).field("data", data).field("bounds", bounds).finish_non_exhaustive()
    }
}

/// A queue of commands for other objects, passed to the closure of [`Hshg::update_with`]. The
/// commands are executed after all objects were visited.
#[derive(Clone, Debug)]
pub struct Changes<S, const D: usize, T> {
    commands: Vec<Command<S, D, T>>,
    /// The key of the object being visited.
    source: u32,
}

impl<S: Scalar, const D: usize, T> Changes<S, D, T> {
    /// Queues the insertion of a dynamic object.
    pub fn insert(&mut self, key: u32, bounds: impl Into<Aabb<S, D>>, data: T) {
        self.push(key, Action::Insert(bounds.into(), data));
    }

    /// Queues new bounds for an object.
    pub fn set_bounds(&mut self, key: u32, bounds: impl Into<Aabb<S, D>>) {
        self.push(key, Action::SetBounds(bounds.into()));
    }

    /// Queues the removal of an object.
    pub fn remove(&mut self, key: u32) {
        self.push(key, Action::Remove);
    }

    fn push(&mut self, key: u32, action: Action<S, D, T>) {
        let order = (self.source, self.commands.len());
        self.commands.push(Command { order, key, action });
    }
}

#[derive(Clone, Copy, Debug)]
struct Command<S, const D: usize, T> {
    /// The key of the issuing object, then the position of this command in the queue. Commands are
    /// executed in this order.
    order: (u32, usize),
    key: u32,
    action: Action<S, D, T>,
}

#[derive(Clone, Copy, Debug)]
enum Action<S, const D: usize, T> {
    Insert(Aabb<S, D>, T),
    SetBounds(Aabb<S, D>),
    Remove,
}

/// The state of an object after the closure changed it.
#[derive(Clone, Debug)]
struct Staged<S, const D: usize, T> {
    key: u32,
    bounds: Aabb<S, D>,
    data: T,
    is_removed: bool,
}

/// The collected changes of a range of rows.
#[derive(Clone, Debug)]
struct StagedRows<S, const D: usize, T> {
    rows: Range<usize>,
    objects: Vec<Staged<S, D, T>>,
    changes: Changes<S, D, T>,
}

impl<S, const D: usize, T> StagedRows<S, D, T> {
    const fn new() -> Self {
        let changes = Changes { commands: Vec::new(), source: 0 };
        Self { rows: 0..0, objects: Vec::new(), changes }
    }
}

/// Collected changes, one item for each thread.
#[derive(Clone, Debug)]
pub(in crate::grid) struct Staging<S, const D: usize, T>(Vec<StagedRows<S, D, T>>);

impl<S, const D: usize, T> Staging<S, D, T> {
    pub(in crate::grid) const fn new() -> Self {
        Self(Vec::new())
    }

    pub(in crate::grid) fn memory_use(&self) -> usize {
        let staged_rows = |staged_rows: &StagedRows<S, D, T>| {
            staged_rows.objects.capacity() * size_of::<Staged<S, D, T>>()
                + staged_rows.changes.commands.capacity() * size_of::<Command<S, D, T>>()
        };
        self.0.capacity() * size_of::<StagedRows<S, D, T>>()
            + self.0.iter().map(staged_rows).sum::<usize>()
    }
}

/// The minimum number of objects per thread; low, because the closure may run a query for each
/// object.
const MIN_OBJECTS_PER_TASK: usize = 256;

impl<S: Scalar, const D: usize, T: Copy + Send + Sync + 'static> Hshg<S, D, T> {
    /// Updates all objects with a closure that sees the grid as it was before the update. The
    /// closure receives that grid, for queries; the object, to change or remove; and a queue of
    /// commands for other objects.
    ///
    /// No closure call sees the changes of another: changes are applied after the last call.
    /// Commands are executed afterwards, ordered by the key of the issuing object, then by order of
    /// issue. The result is independent of storage order if the closure depends on its arguments
    /// only, and not on the visiting order of [`query_unordered`](SpatialIndex::query_unordered).
    ///
    /// # Errors
    /// An object with invalid bounds keeps its old bounds, but its data is changed, and the update
    /// continues. A command has no effect if it inserts a key in use, names an unknown key, or has
    /// invalid bounds; the other commands are executed. The error belongs to the failing object
    /// with the smallest key: its own bounds, or else its first failed command.
    ///
    /// If allocation fails or the closure panics, the grid is unchanged.
    ///
    /// ```
    /// use broadphase_hshg::{Aabb, Hshg, SpatialIndex};
    ///
    /// /// The remaining ticks of a bomb; `None` for other objects.
    /// type Fuse = Option<u32>;
    ///
    /// let mut world: Hshg<i32, 1, Fuse> = Hshg::new();
    /// world.insert(0, Aabb::new([0], [9]), None)?;
    /// world.insert(1, Aabb::new([5], [5]), Some(2))?;
    /// world.insert(2, Aabb::new([7], [7]), Some(0))?;
    /// let mut reached = Vec::new();
    /// world.update_with(|before, object, changes| match object.data {
    ///     Some(0) => {
    ///         before.query(object.bounds.enlarged(1), &mut reached);
    ///         for &key in reached.iter().filter(|&&key| key != object.key) {
    ///             changes.remove(key);
    ///         }
    ///         changes.insert(object.key + 10, *object.bounds, None);
    ///         object.remove();
    ///     }
    ///     Some(fuse) => *fuse -= 1,
    ///     None => {}
    /// })?;
    /// world.query(Aabb::new([0], [9]), &mut reached);
    /// assert_eq!(reached, [1, 12]);
    /// assert_eq!(world.get(1).unwrap().data, &Some(1));
    /// # Ok::<(), broadphase_hshg::IndexError>(())
    /// ```
    pub fn update_with(
        &mut self,
        change: impl FnMut(&Self, ObjectMut<'_, S, D, T>, &mut Changes<S, D, T>),
    ) -> Result<(), IndexError> {
        self.walk_deferred(Class::Static, change)
    }

    /// Updates all objects as [`update_with`](Self::update_with) does, on all threads of the
    /// current pool. `change` is called in any order and concurrently. The result, including
    /// storage order, is the same for any number of threads.
    ///
    /// # Errors
    /// In the same cases as [`update_with`](Self::update_with).
    ///
    /// ```
    /// use broadphase_hshg::{Aabb, Hshg, SpatialIndex};
    ///
    /// let mut world: Hshg<f32, 1, u32> = Hshg::new();
    /// world.extend([0.0, 1.0, 9.0].map(|x| (x as u32, Aabb::of_ball([x], 1.0), 0)))?;
    /// world.par_update_with(|before, object, _| {
    ///     before.query_unordered(*object.bounds, |_| *object.data += 1);
    /// })?;
    /// assert_eq!([0, 1, 9].map(|key| *world.get(key).unwrap().data), [2, 2, 1]);
    /// # Ok::<(), broadphase_hshg::IndexError>(())
    /// ```
    pub fn par_update_with(
        &mut self,
        change: impl Fn(&Self, ObjectMut<'_, S, D, T>, &mut Changes<S, D, T>) + Sync,
    ) -> Result<(), IndexError> {
        self.walk_deferred_parallel(Class::Static, change)
    }

    /// Updates objects as [`update_with`](Self::update_with) does, but visits only those with
    /// [`Motion::Dynamic`](broadphase_core::Motion::Dynamic). Other objects cost nothing.
    ///
    /// # Errors
    /// In the same cases as [`update_with`](Self::update_with).
    ///
    /// ```
    /// use broadphase_hshg::{Aabb, Hshg, Motion, SpatialIndex};
    ///
    /// let mut world: Hshg<f32, 1> = Hshg::new();
    /// world.extend([0.0, 3.0].map(|x| (x as u32, Aabb::point([x]), ())))?;
    /// world.set_motion(3, Motion::Static)?;
    /// // Dynamic objects advance until the next position is occupied.
    /// world.update_dynamic_with(|before, object, _| {
    ///     let next = object.bounds.translated([1.0]);
    ///     let mut is_free = true;
    ///     before.query_unordered(next, |_| is_free = false);
    ///     if is_free {
    ///         *object.bounds = next;
    ///     }
    /// })?;
    /// assert_eq!(world.get(0).unwrap().bounds, Aabb::point([1.0]));
    /// assert_eq!(world.get(3).unwrap().bounds, Aabb::point([3.0]));
    /// # Ok::<(), broadphase_hshg::IndexError>(())
    /// ```
    pub fn update_dynamic_with(
        &mut self,
        change: impl FnMut(&Self, ObjectMut<'_, S, D, T>, &mut Changes<S, D, T>),
    ) -> Result<(), IndexError> {
        self.walk_deferred(Class::Dynamic, change)
    }

    /// Updates objects as [`update_dynamic_with`](Self::update_dynamic_with) does, on all threads
    /// of the current pool.
    ///
    /// # Errors
    /// In the same cases as [`update_with`](Self::update_with).
    ///
    /// ```
    /// use broadphase_hshg::{Aabb, Hshg, Motion, SpatialIndex};
    ///
    /// let mut world: Hshg<f32, 1> = Hshg::new();
    /// world.extend([0.0, 3.0].map(|x| (x as u32, Aabb::point([x]), ())))?;
    /// world.set_motion(3, Motion::Static)?;
    /// world.par_update_dynamic_with(|_, object, changes| changes.remove(object.key + 3))?;
    /// assert_eq!(world.len(), 1);
    /// # Ok::<(), broadphase_hshg::IndexError>(())
    /// ```
    pub fn par_update_dynamic_with(
        &mut self,
        change: impl Fn(&Self, ObjectMut<'_, S, D, T>, &mut Changes<S, D, T>) + Sync,
    ) -> Result<(), IndexError> {
        self.walk_deferred_parallel(Class::Dynamic, change)
    }

    fn walk_deferred(
        &mut self,
        last: Class,
        change: impl FnMut(&Self, ObjectMut<'_, S, D, T>, &mut Changes<S, D, T>),
    ) -> Result<(), IndexError> {
        self.refresh();
        let rows = 0..rows_up_to(&self.core.rows, last);
        let mut staging = self.staging(core::slice::from_ref(&rows))?;
        self.collect_changes(&mut staging.0[0], change);
        self.apply_staged(last, staging)
    }

    fn walk_deferred_parallel(
        &mut self,
        last: Class,
        change: impl Fn(&Self, ObjectMut<'_, S, D, T>, &mut Changes<S, D, T>) + Sync,
    ) -> Result<(), IndexError> {
        self.refresh();
        let rows = &self.core.rows[..rows_up_to(&self.core.rows, last)];
        let ranges = tasks::weighed(rows.iter().map(|row| row.len), MIN_OBJECTS_PER_TASK);
        if ranges.is_empty() {
            return self.walk_deferred(last, change);
        }
        let mut staging = self.staging(&ranges)?;
        let hshg = &*self;
        tasks::each(&mut staging.0, |staged_rows| hshg.collect_changes(staged_rows, &change));
        self.apply_staged(last, staging)
    }

    /// Returns empty buffers for changes, one for each range of rows, each with room for the states
    /// of the range's objects.
    fn staging(&mut self, ranges: &[Range<usize>]) -> Result<Staging<S, D, T>, IndexError> {
        let mut staging = core::mem::replace(&mut self.staging, Staging::new());
        let missing = ranges.len().saturating_sub(staging.0.len());
        let mut enough = staging.0.try_reserve_exact(missing).is_ok();
        if enough {
            staging.0.resize_with(ranges.len(), StagedRows::new);
            for (staged_rows, rows) in staging.0.iter_mut().zip(ranges) {
                staged_rows.rows = rows.clone();
                staged_rows.objects.clear();
                staged_rows.changes.commands.clear();
                let objects = self.core.rows[rows.clone()].iter().map(|row| row.len).sum();
                enough &= staged_rows.objects.try_reserve(objects).is_ok();
            }
        }
        if enough {
            return Ok(staging);
        }
        self.staging = staging;
        Err(IndexError::OutOfMemory)
    }

    /// Applies the collected states, then the commands. No object has become pending since the
    /// states were collected, so the walk visits the same objects in the same order.
    fn apply_staged(
        &mut self,
        last: Class,
        mut staging: Staging<S, D, T>,
    ) -> Result<(), IndexError> {
        let mut staged = staging.0.iter().flat_map(|staged_rows| &staged_rows.objects);
        let walked = self.walk(last, |key: u32, data: &mut T, bounds: &mut Aabb<S, D>| {
            let object = staged.next().expect("the walk visits as many objects as were collected");
            assert_eq!(object.key, key, "the walk visits objects in the collected order");
            (*data, *bounds) = (object.data, object.bounds);
            !object.is_removed
        });
        let mut first_error = FirstError::default();
        if let Err(error @ IndexError::InvalidBounds { key, .. }) = walked {
            first_error.record(key, error);
        }
        // Append all commands to those of the first part; a serial collection has only this part.
        let (first, others) = staging.0.split_first_mut().expect("there is at least one part");
        let commands = &mut first.changes.commands;
        others
            .iter_mut()
            .for_each(|staged_rows| commands.append(&mut staged_rows.changes.commands));
        commands.sort_unstable_by_key(|command| command.order);
        for command in &*commands {
            if let Err(error) = self.execute(command) {
                first_error.record(command.order.0, error);
            }
        }
        self.staging = staging;
        first_error.result()
    }

    /// Calls the closure for each object of a range of rows and collects the changes.
    fn collect_changes(
        &self,
        StagedRows { rows, objects, changes }: &mut StagedRows<S, D, T>,
        mut change: impl FnMut(&Self, ObjectMut<'_, S, D, T>, &mut Changes<S, D, T>),
    ) {
        let rows = self.core.rows[rows.clone()].iter();
        for slot in rows.flat_map(|row| self.core.live_slots(row)) {
            let entry = self.entry(slot);
            let key = entry.key;
            let mut staged =
                Staged { key, bounds: entry.bounds, data: *entry.data, is_removed: false };
            let Staged { bounds, data, is_removed, .. } = &mut staged;
            changes.source = key;
            change(self, ObjectMut { key, data, bounds, is_removed }, changes);
            objects.push(staged);
        }
    }

    fn execute(&mut self, command: &Command<S, D, T>) -> Result<(), IndexError> {
        let key = command.key;
        match command.action {
            Action::Insert(bounds, data) => self.insert(key, bounds, data),
            Action::SetBounds(bounds) => self.set_bounds(key, bounds),
            Action::Remove => self.remove(key).map(|_| ()).ok_or(IndexError::UnknownKey { key }),
        }
    }
}
