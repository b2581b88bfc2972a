//! Deferred updates: the closure sees the world before the update; its changes are applied
//! afterwards.
//!
//! 1. Call the closure for each object, ascending by handle, while the world is unchanged. Store
//!    the new state of the object, and queue its commands.
//! 2. Apply the new states.
//! 3. Execute the commands in the order in which they were queued.

use alloc::vec::Vec;

use bounds_hexprism::Bounds;
use broadphase_core::{Filter, Motion, Scalar};

use super::{BroadPhase, checked_volume};
use crate::{Error, Handle, UserData};

/// A queue of commands, passed to the closure of [`BroadPhase::update_with`] and executed after the
/// closure has seen all objects.
///
/// ```
/// use hexphase::{Aabb, BroadPhase};
///
/// let mut world: BroadPhase<f32, 2, &str> = BroadPhase::new();
/// world.insert(Aabb::point([3.0, 0.0]), "gun")?;
/// world.update_with(|_, gun, _, bounds, changes| {
///     changes.insert(*bounds, "bullet");
///     changes.remove(gun);
/// })?;
/// assert!(world.objects().map(|(_, object)| object.user).eq(["bullet"]));
/// # Ok::<(), hexphase::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Changes<U, B> {
    commands: Vec<(Handle, Command<U, B>)>,
    /// The object being visited.
    source: Handle,
}

#[derive(Clone, Copy, Debug)]
enum Command<U, B> {
    Insert(B, U, Motion, Filter),
    Remove(Handle),
    SetBounds(Handle, B),
    SetUser(Handle, U),
}

impl<U, B> Changes<U, B> {
    /// Queues [`BroadPhase::insert`].
    pub fn insert(&mut self, bounds: impl Into<B>, user: U) {
        self.insert_with(bounds, user, Motion::Dynamic, Filter::ALL);
    }

    /// Queues [`BroadPhase::insert_with`].
    pub fn insert_with(&mut self, bounds: impl Into<B>, user: U, motion: Motion, filter: Filter) {
        self.push(Command::Insert(bounds.into(), user, motion, filter));
    }

    /// Queues [`BroadPhase::remove`]. Does nothing if the object is removed already.
    pub fn remove(&mut self, object: Handle) {
        self.push(Command::Remove(object));
    }

    /// Queues [`BroadPhase::set_bounds`].
    pub fn set_bounds(&mut self, object: Handle, bounds: impl Into<B>) {
        self.push(Command::SetBounds(object, bounds.into()));
    }

    /// Queues [`BroadPhase::set_user`].
    pub fn set_user(&mut self, object: Handle, user: U) {
        self.push(Command::SetUser(object, user));
    }

    fn push(&mut self, command: Command<U, B>) {
        self.commands.push((self.source, command));
    }
}

impl<S: Scalar, const D: usize, U: UserData, B: Bounds<S, D>> BroadPhase<S, D, U, B> {
    /// Updates all objects with a closure that sees the world before the update. The closure
    /// receives this world, for queries; the handle of the object; its user data and bounds, to
    /// change; and a queue of commands that insert, remove or change objects.
    ///
    /// Objects are visited ascending by handle. No call sees the changes of another: changes are
    /// applied after the last call, then the commands in the order in which they were queued. The
    /// result therefore depends only on the world and on the closure. If the closure panics, the
    /// world is unchanged.
    ///
    /// # Errors
    /// If the closure writes bounds that are NaN, infinite or inverted, that object keeps its old
    /// bounds and the update continues. A command that fails has no effect; the others are
    /// executed. If there are several errors, the object with the lowest handle decides: its own
    /// error is returned, otherwise that of the first failed command that its call queued.
    /// [`Error::OutOfMemory`] if allocation fails before the update; the world is unchanged then.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase};
    ///
    /// let mut world: BroadPhase<f32, 2, u32> = BroadPhase::new();
    /// for user in 0..4 {
    ///     world.insert(Aabb::of_ball([user as f32 * 4.0, 0.0], 1.0), user)?;
    /// }
    /// // A bomb (user data 1) removes all objects within a distance of 2, including itself.
    /// world.update_with(|before, _, user, bounds, changes| {
    ///     if *user == 1 {
    ///         before.query(bounds.enlarged(2.0)).visit(|object, _, _| changes.remove(object));
    ///     }
    ///     *user += 10;
    /// })?;
    /// assert!(world.objects().map(|(_, object)| object.user).eq([13]));
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn update_with(
        &mut self,
        mut change: impl FnMut(&Self, Handle, &mut U, &mut B, &mut Changes<U, B>),
    ) -> Result<(), Error> {
        let (mut users, mut moved, mut changes) = (Vec::new(), Vec::new(), None);
        users.try_reserve(self.len()).map_err(|_| Error::OutOfMemory)?;
        moved.try_reserve(self.len()).map_err(|_| Error::OutOfMemory)?;
        let mut first: Option<(Handle, Error)> = None;
        let mut record = |source: Handle, result: Result<(), Error>| {
            if let Err(why) = result
                && first.is_none_or(|(lowest, _)| source < lowest)
            {
                first = Some((source, why));
            }
        };
        for (source, before) in self.objects() {
            let changes = changes.get_or_insert(Changes { commands: Vec::new(), source });
            let (mut user, mut bounds) = (before.user, before.bounds);
            changes.source = source;
            change(self, source, &mut user, &mut bounds, changes);
            users.push(user);
            if bounds != before.bounds {
                match checked_volume(bounds) {
                    Ok(_) => moved.push((source, bounds)),
                    Err(why) => {
                        record(source, Err(Error::InvalidBounds { object: Some(source), why }));
                    }
                }
            }
        }
        for (object, user) in self.registry.slots.iter().zip(users) {
            self.users.now[object.index() as usize] = user;
        }
        if let (Err(why), Some(&(source, _))) = (self.set_bounds_many(&moved), moved.first()) {
            record(source, Err(why));
        }
        for (source, command) in changes.map(|changes| changes.commands).unwrap_or_default() {
            record(source, self.execute(command));
        }
        first.map_or(Ok(()), |(_, why)| Err(why))
    }

    fn execute(&mut self, command: Command<U, B>) -> Result<(), Error> {
        match command {
            Command::Insert(bounds, user, motion, filter) => {
                self.insert_with(bounds, user, motion, filter).map(|_| ())
            }
            Command::Remove(object) => {
                self.remove(object);
                Ok(())
            }
            Command::SetBounds(object, bounds) => self.set_bounds(object, bounds),
            Command::SetUser(object, user) => self.set_user(object, user),
        }
    }
}
