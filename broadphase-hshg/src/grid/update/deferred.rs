//! The walk whose closure sees the grid as it was before, and gives commands for after.
//!
//! Two stages: the closure is called for every object while nothing changes, and what it does
//! goes to a list; then an ordinary walk takes over what is in the list. Several threads have
//! stretches of the rows in the first stage, and a list each.

use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

use broadphase_core::{Aabb, IndexError, Scalar, SpatialIndex, tasks};

use crate::grid::Hshg;
use crate::grid::storage::row::CLASSES;

/// An object in the hands of [`Hshg::update_with`]: what is changed here counts once all objects
/// have been visited.
#[non_exhaustive]
pub struct ObjectMut<'a, S, const D: usize, T> {
    /// The number the caller chose for it.
    pub key: u32,
    /// What is stored with it.
    pub data: &'a mut T,
    /// Its bounds.
    pub bounds: &'a mut Aabb<S, D>,
    is_removed: &'a mut bool,
}

impl<S, const D: usize, T> ObjectMut<'_, S, D, T> {
    /// Removes it. What it has commanded is done all the same.
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

/// What objects command during [`Hshg::update_with`]; it is done once all have been visited.
#[derive(Clone, Debug)]
pub struct Changes<S, const D: usize, T> {
    commands: Vec<Command<S, D, T>>,
    /// Whose turn it is.
    source: u32,
}

impl<S: Scalar, const D: usize, T> Changes<S, D, T> {
    /// Adds an object, which is dynamic.
    pub fn insert(&mut self, key: u32, bounds: impl Into<Aabb<S, D>>, data: T) {
        self.push(key, Action::Insert(bounds.into(), data));
    }

    /// Moves or resizes any object.
    pub fn set_bounds(&mut self, key: u32, bounds: impl Into<Aabb<S, D>>) {
        self.push(key, Action::SetBounds(bounds.into()));
    }

    /// Removes any object.
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
    /// Who gave it, and how many are before it in its list: in this order they are done.
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

/// An object as the closure left it.
#[derive(Clone, Debug)]
struct Staged<S, const D: usize, T> {
    key: u32,
    bounds: Aabb<S, D>,
    data: T,
    is_removed: bool,
}

/// A stretch of the rows between the two stages.
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

/// What lies between the two stages.
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

/// So many objects, which may each ask something, are worth another thread.
const MIN_OBJECTS_PER_TASK: usize = 256;

impl<S: Scalar, const D: usize, T: Copy + Send + Sync + 'static> Hshg<S, D, T> {
    /// Walks over all objects in storage order. The closure gets the grid as it was before the
    /// walk, to be queried at will; the object, to be changed or removed; and a list for commands
    /// that concern other objects.
    ///
    /// Nobody sees what others change: all of it happens after the last object was visited. Then
    /// commands are done, those of the object with the smallest key first, and those of one
    /// object in the order they were given. So the outcome does not depend on storage order, as
    /// long as what the closure does for an object depends on its arguments alone, and not on the
    /// order in which [`query_unordered`](SpatialIndex::query_unordered) visits.
    ///
    /// # Errors
    /// Invalid bounds leave that object's bounds as they were, its data change, and the walk goes
    /// on. A command does nothing if it inserts a key in use, names an object that is not there
    /// (any more), or gives invalid bounds; all others are done. Of all that went wrong, the error
    /// tells what concerns the object with the smallest key that did it: its own bounds, or else
    /// the first of its commands that failed.
    ///
    /// If the memory for the list of objects is not to be had, or the closure panics, nothing has
    /// changed.
    ///
    /// ```
    /// use broadphase_hshg::{Aabb, Hshg, SpatialIndex};
    ///
    /// /// What is left of its fuse, for a bomb.
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
        self.walk_deferred(CLASSES, change)
    }

    /// The same on all threads of the current pool; `change` is called in any order, and on several
    /// threads at once. What comes of it, storage included, is the same for any number of them.
    ///
    /// # Errors
    /// As [`update_with`](Self::update_with).
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
        self.walk_deferred_parallel(CLASSES, change)
    }

    /// The same, but visits only the objects that are
    /// [`Motion::Dynamic`](broadphase_core::Motion::Dynamic), so that others cost nothing.
    ///
    /// # Errors
    /// As [`update_with`](Self::update_with).
    ///
    /// ```
    /// use broadphase_hshg::{Aabb, Hshg, Motion, SpatialIndex};
    ///
    /// let mut world: Hshg<f32, 1> = Hshg::new();
    /// world.extend([0.0, 3.0].map(|x| (x as u32, Aabb::point([x]), ())))?;
    /// world.set_motion(3, Motion::Static)?;
    /// // Whoever moves goes on until something is near.
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
        self.walk_deferred(1, change)
    }

    /// Both at once: visits only the objects that are
    /// [`Motion::Dynamic`](broadphase_core::Motion::Dynamic), on all threads of the current pool.
    ///
    /// # Errors
    /// As [`update_with`](Self::update_with).
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
        self.walk_deferred_parallel(1, change)
    }

    fn walk_deferred(
        &mut self,
        classes: u8,
        change: impl FnMut(&Self, ObjectMut<'_, S, D, T>, &mut Changes<S, D, T>),
    ) -> Result<(), IndexError> {
        self.refresh();
        let rows = 0..self.row_count(classes);
        let mut staging = self.staging(core::slice::from_ref(&rows))?;
        self.collect_changes(&mut staging.0[0], change);
        self.apply_staged(classes, staging)
    }

    fn walk_deferred_parallel(
        &mut self,
        classes: u8,
        change: impl Fn(&Self, ObjectMut<'_, S, D, T>, &mut Changes<S, D, T>) + Sync,
    ) -> Result<(), IndexError> {
        self.refresh();
        let rows = &self.core.rows[..self.row_count(classes)];
        let ranges = tasks::weighed(rows.iter().map(|row| row.len), MIN_OBJECTS_PER_TASK);
        if ranges.is_empty() {
            return self.walk_deferred(classes, change);
        }
        let mut staging = self.staging(&ranges)?;
        let hshg = &*self;
        tasks::each(&mut staging.0, |staged_rows| hshg.collect_changes(staged_rows, &change));
        self.apply_staged(classes, staging)
    }

    /// How many rows hold objects of the first `classes` kinds; these come first.
    fn row_count(&self, classes: u8) -> usize {
        self.core.rows.partition_point(|row| row.id.class < classes)
    }

    /// Makes ready for the first stage, with a part for each of these stretches of rows.
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

    /// The second stage. Nothing has waited since before the first, so that both visit the rows,
    /// and nothing else, in order.
    fn apply_staged(
        &mut self,
        classes: u8,
        mut staging: Staging<S, D, T>,
    ) -> Result<(), IndexError> {
        let mut staged = staging.0.iter().flat_map(|staged_rows| &staged_rows.objects);
        let walked = self.walk(classes, |key: u32, data: &mut T, bounds: &mut Aabb<S, D>| {
            let object = staged.next().expect("as many objects as before");
            assert_eq!(object.key, key, "in the same order");
            (*data, *bounds) = (object.data, object.bounds);
            !object.is_removed
        });
        let mut first_error = match walked {
            Err(error @ IndexError::InvalidBounds { key, .. }) => Some((key, error)),
            _ => None,
        };
        // One after the other gave all their commands in one part.
        let (first, others) = staging.0.split_first_mut().expect("there is a part");
        let commands = &mut first.changes.commands;
        others
            .iter_mut()
            .for_each(|staged_rows| commands.append(&mut staged_rows.changes.commands));
        commands.sort_unstable_by_key(|command| command.order);
        for command in &*commands {
            if let Err(error) = self.execute(command)
                && first_error.is_none_or(|(key, _)| command.order.0 < key)
            {
                first_error = Some((command.order.0, error));
            }
        }
        self.staging = staging;
        first_error.map_or(Ok(()), |(_, error)| Err(error))
    }

    /// The first stage: lets the closure say what becomes of the objects of a part.
    fn collect_changes(
        &self,
        StagedRows { rows, objects, changes }: &mut StagedRows<S, D, T>,
        mut change: impl FnMut(&Self, ObjectMut<'_, S, D, T>, &mut Changes<S, D, T>),
    ) {
        let slots = self.core.rows[rows.clone()].iter().flat_map(|row| row.slots());
        for slot in slots.filter(|&slot| self.core.is_live(slot)) {
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
