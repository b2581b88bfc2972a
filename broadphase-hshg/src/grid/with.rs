//! The walk whose closure sees the grid as it was before, and gives commands for after.
//!
//! Two stages: the closure is called for every object while nothing changes, and what it does
//! goes to a list; then an ordinary walk takes over what is in the list.

use alloc::vec::Vec;
use core::fmt;

use broadphase_core::{Aabb, IndexError, Scalar, SpatialIndex};

use super::Hshg;
use super::row::KINDS;

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
    by: u32,
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
        let turn = (self.by, self.commands.len());
        self.commands.push(Command { turn, key, action });
    }
}

#[derive(Clone, Copy, Debug)]
struct Command<S, const D: usize, T> {
    /// Who gave it, and how many were given before by anyone: in this order they are done.
    turn: (u32, usize),
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

/// What lies between the two stages.
#[derive(Clone, Debug)]
pub(super) struct Stage<S, const D: usize, T> {
    objects: Vec<Staged<S, D, T>>,
    changes: Changes<S, D, T>,
}

impl<S, const D: usize, T> Stage<S, D, T> {
    pub(super) const fn new() -> Self {
        let changes = Changes { commands: Vec::new(), by: 0 };
        Self { objects: Vec::new(), changes }
    }

    pub(super) const fn memory_use(&self) -> usize {
        self.objects.capacity() * size_of::<Staged<S, D, T>>()
            + self.changes.commands.capacity() * size_of::<Command<S, D, T>>()
    }
}

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
    /// If the memory for the list of objects is not to be had, nothing has changed.
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
        self.walk_with(KINDS, change)
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
        self.walk_with(1, change)
    }

    fn walk_with(
        &mut self,
        kinds: u8,
        change: impl FnMut(&Self, ObjectMut<'_, S, D, T>, &mut Changes<S, D, T>),
    ) -> Result<(), IndexError> {
        // Nothing waits from here on, so both stages visit the rows, and nothing else, in order.
        self.refresh();
        let mut stage = core::mem::replace(&mut self.stage, Stage::new());
        stage.objects.clear();
        stage.changes.commands.clear();
        if stage.objects.try_reserve(self.len).is_err() {
            self.stage = stage;
            return Err(IndexError::OutOfMemory);
        }
        self.fill(kinds, &mut stage, change);
        let mut staged = stage.objects.iter();
        let walked = self.walk(kinds, |key, data, bounds| {
            let object = staged.next().expect("as many objects as before");
            assert_eq!(object.key, key, "in the same order");
            (*data, *bounds) = (object.data, object.bounds);
            !object.is_removed
        });
        let mut worst = match walked {
            Err(error @ IndexError::InvalidBounds { key, .. }) => Some((key, error)),
            _ => None,
        };
        stage.changes.commands.sort_unstable_by_key(|command| command.turn);
        for command in &stage.changes.commands {
            if let Err(error) = self.obey(command)
                && worst.is_none_or(|(key, _)| command.turn.0 < key)
            {
                worst = Some((command.turn.0, error));
            }
        }
        self.stage = stage;
        worst.map_or(Ok(()), |(_, error)| Err(error))
    }

    /// The first stage: lets the closure say what becomes of the objects of the first `kinds`
    /// kinds.
    fn fill(
        &self,
        kinds: u8,
        stage: &mut Stage<S, D, T>,
        mut change: impl FnMut(&Self, ObjectMut<'_, S, D, T>, &mut Changes<S, D, T>),
    ) {
        let rows = &self.rows[..self.rows.partition_point(|row| row.id.kind < kinds)];
        let places = rows.iter().flat_map(|row| row.places());
        for place in places.filter(|&place| self.is_live(place)) {
            let entry = self.store.entry(place);
            let key = entry.key;
            let mut staged =
                Staged { key, bounds: entry.bounds, data: *entry.data, is_removed: false };
            let Staged { bounds, data, is_removed, .. } = &mut staged;
            stage.changes.by = key;
            change(self, ObjectMut { key, data, bounds, is_removed }, &mut stage.changes);
            stage.objects.push(staged);
        }
    }

    fn obey(&mut self, command: &Command<S, D, T>) -> Result<(), IndexError> {
        let key = command.key;
        match command.action {
            Action::Insert(bounds, data) => self.insert(key, bounds, data),
            Action::SetBounds(bounds) => self.set_bounds(key, bounds),
            Action::Remove => self.remove(key).map(|_| ()).ok_or(IndexError::UnknownKey { key }),
        }
    }
}
