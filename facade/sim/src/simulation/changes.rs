//! Operations that change objects.

use hexphase::{Error, Filter, Handle, Motion};

use super::{Simulation, Wrong};
use crate::op::{Movement, Op};
use crate::oracle::Object;
use crate::shape::{New, Volume64};
use crate::subject::Method;

/// Added to the user data of an object when they change.
pub(super) const USER_STEP: u32 = 0x10001;

/// A change of bounds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moved {
    pub(super) handle: Handle,
    pub(super) volume: Volume64,
}

impl Simulation<'_> {
    /// Returns the objects that an operation affects: each with a probability of `share` percent.
    pub(super) fn chosen(&self, op: &Op, share: u64) -> Vec<Object> {
        let is_chosen = |object: &&Object| op.random(object.id).chance(share);
        self.oracle.objects().filter(is_chosen).copied().collect()
    }

    pub(super) fn insert(&mut self, op: &Op, share: u64, at_once: bool) -> Result<(), Wrong> {
        let mut objects = Vec::new();
        for id in 0..self.config.objects {
            let random = &mut op.random(id);
            let is_free = self.oracle.get(id).is_none() && self.takes_part(id);
            if random.chance(share) && is_free {
                let (volume, filter) = (self.maker.volume(random, id), self.maker.filter(random));
                let motion = self.maker.motion(random);
                objects.push((id, New { volume, user: id, motion, filter }));
            }
        }
        self.situations.add(if at_once { "inserted at once" } else { "inserted" }, objects.len());
        self.add(&objects, at_once)
    }

    /// Inserts objects with these numbers.
    fn add(&mut self, objects: &[(u32, New)], at_once: bool) -> Result<(), Wrong> {
        let new: Vec<New> = objects.iter().map(|object| object.1).collect();
        let handles = self.oracle.next_handles(new.len());
        let expected = (Ok(()), handles.clone());
        self.each("handles of insertions", &expected, |subject| {
            let mut out = if at_once { vec![Handle::DANGLING] } else { Vec::new() };
            let done = if at_once {
                subject.insert_many(&new, &mut out)
            } else {
                new.iter().try_for_each(|new| subject.insert(new).map(|handle| out.push(handle)))
            };
            (done, out)
        })?;
        for ((id, new), handle) in objects.iter().zip(handles) {
            self.add_expected(*id, handle, new);
        }
        Ok(())
    }

    pub(super) fn add_expected(&mut self, id: u32, handle: Handle, new: &New) {
        let placed = self.oracle.place(&new.volume).expect("a valid volume");
        self.oracle.insert(Object::new(id, handle, new, placed));
        self.totals.operations += 1;
    }

    pub(super) fn remove_expected(&mut self, object: &Object) {
        self.oracle.remove(object.id);
        self.gone.push(object.handle);
        self.totals.operations += 1;
    }

    pub(super) fn remove(&mut self, op: &Op, share: u64, at_once: bool) -> Result<(), Wrong> {
        let objects = self.chosen(op, share);
        let handles: Vec<Handle> = objects.iter().map(|object| object.handle).collect();
        if at_once {
            // The first handle is listed twice, which must be allowed.
            let list: Vec<Handle> = handles.iter().chain(handles.first()).copied().collect();
            self.each("removal of many", &Ok(()), |subject| subject.remove_many(&list))?;
            self.situations.add("removed at once", handles.len());
        } else {
            let users: Vec<Option<u32>> = objects.iter().map(|object| Some(object.user)).collect();
            self.each("user data of removed objects", &users, |subject| {
                handles.iter().map(|&handle| subject.remove(handle)).collect::<Vec<_>>()
            })?;
        }
        objects.iter().for_each(|object| self.remove_expected(object));
        self.each("whether a removed object exists", &false, |subject| {
            handles.iter().any(|&handle| subject.contains(handle))
        })
    }

    /// Removes objects and inserts others, which get the freed slots or lower free ones. Half of
    /// them have the volume of the removed object.
    pub(super) fn replace(&mut self, op: &Op, share: u64) -> Result<(), Wrong> {
        for object in self.chosen(op, share) {
            let (random, id) = (&mut op.random(!object.id), object.id);
            let same = random.chance(50);
            let volume = if same { object.volume } else { self.maker.volume(random, id) };
            let (motion, filter) = (self.maker.motion(random), self.maker.filter(random));
            let user = object.user.wrapping_add(USER_STEP);
            let removed = Some(object.user);
            self.each("user data of a removed object", &removed, |one| one.remove(object.handle))?;
            self.remove_expected(&object);
            self.add(&[(id, New { volume, user, motion, filter })], false)?;
        }
        Ok(())
    }

    pub(super) fn clear(&mut self) -> Result<(), Wrong> {
        let ids: Vec<u32> = self.oracle.objects().map(|object| object.id).collect();
        for id in ids {
            let removed = self.oracle.remove(id);
            self.gone.extend(removed.map(|object| object.handle));
        }
        self.maintain(|subject| subject.clear())
    }

    /// Returns the new bounds of the objects that an operation moves.
    pub(super) fn movements(
        &self,
        op: &Op,
        share: u64,
        movement: Movement,
        only_dynamic: bool,
    ) -> Vec<Moved> {
        let mut moved = Vec::new();
        for object in self.oracle.objects() {
            let random = &mut op.random(object.id);
            if !random.chance(share) || only_dynamic && object.motion != Motion::Dynamic {
                continue;
            }
            let other = random.below(self.config.objects.into()) as u32;
            let other = self.oracle.get(other).map(|other| &other.bounds);
            let bounds = self.maker.moved(random, movement, &object.bounds, op.seed, other);
            let volume = match movement {
                Movement::Stay => object.volume,
                _ => self.maker.space.volume(&bounds, object.id.into()),
            };
            moved.push(Moved { handle: object.handle, volume });
        }
        moved
    }

    pub(super) fn move_objects(
        &mut self,
        op: &Op,
        share: u64,
        movement: Movement,
        method: Method,
    ) -> Result<(), Wrong> {
        let moved = self.movements(op, share, movement, method == Method::UpdateDynamic);
        if method != Method::Each {
            return self.update(op, method, &moved);
        }
        self.move_each(&moved)
    }

    /// Sets the bounds of objects, one by one.
    pub(super) fn move_each(&mut self, moved: &[Moved]) -> Result<(), Wrong> {
        self.each("changes of bounds", &Ok(()), |subject| {
            moved.iter().try_for_each(|one| subject.set_bounds(one.handle, &one.volume))
        })?;
        for Moved { handle, volume } in moved {
            self.oracle.set_bounds(*handle, volume).expect("a live object, a valid volume");
        }
        self.totals.operations += moved.len() as u64;
        Ok(())
    }

    pub(super) fn set_filters(&mut self, op: &Op, share: u64) -> Result<(), Wrong> {
        let objects = self.chosen(op, share);
        let maker = self.maker;
        let few = [
            Filter::NONE,
            Filter::ALL,
            Filter::ALL.owner(7),
            Filter::layers(2).mask(1),
            Filter::layers(6).group(1),
        ];
        let common = op.random(u32::MAX).chance(20).then(|| op.random(u32::MAX - 1).pick(&few));
        let objects = if common.is_some() { self.chosen(op, 100) } else { objects };
        let filter =
            |object: &Object| common.unwrap_or_else(|| maker.filter(&mut op.random(object.id)));
        self.set(&objects, |subject, object| subject.set_filter(object.handle, filter(object)))?;
        for object in objects {
            let new = filter(&object);
            self.change(object.id, |object| object.filter = new);
        }
        Ok(())
    }

    pub(super) fn set_motion(&mut self, op: &Op, share: u64) -> Result<(), Wrong> {
        let objects = self.chosen(op, share);
        let motion = |object: &Object| {
            let random = &mut op.random(!object.id);
            random.pick(&[Motion::Dynamic, Motion::Static, Motion::Sleeping])
        };
        self.set(&objects, |subject, object| subject.set_motion(object.handle, motion(object)))?;
        for object in objects {
            self.change(object.id, |found| found.motion = motion(&object));
        }
        Ok(())
    }

    pub(super) fn set_swept(&mut self, op: &Op, share: u64) -> Result<(), Wrong> {
        let objects = self.chosen(op, share);
        let swept = |object: &Object| op.random(!object.id).chance(70);
        self.set(&objects, |subject, object| subject.set_swept(object.handle, swept(object)))?;
        for object in objects {
            self.change(object.id, |found| {
                found.was = swept(&object).then(|| found.was.unwrap_or(found.bounds));
                found.path = found.path.filter(|_| swept(&object));
            });
        }
        Ok(())
    }

    pub(super) fn set_users(&mut self, op: &Op, share: u64) -> Result<(), Wrong> {
        let objects = self.chosen(op, share);
        let user = |object: &Object| object.user.wrapping_add(USER_STEP);
        if op.random(u32::MAX).chance(30) {
            let all = self.chosen(op, 100);
            all.iter().for_each(|object| self.change(object.id, |one| one.user = user(object)));
            return self.maintain(|subject| subject.add_to_users(USER_STEP));
        }
        self.set(&objects, |subject, object| {
            subject.set_user(object.handle, user(object));
            Ok(())
        })?;
        for object in objects {
            self.change(object.id, |found| found.user = user(&object));
        }
        Ok(())
    }

    /// Calls `set` for each of the objects, in both worlds.
    fn set(
        &mut self,
        objects: &[Object],
        set: impl Fn(&mut dyn crate::subject::Subject, &Object) -> Result<(), Error> + Sync,
    ) -> Result<(), Wrong> {
        self.each("changes", &Ok(()), |subject| {
            objects.iter().try_for_each(|object| set(subject, object))
        })
    }

    fn change(&mut self, id: u32, change: impl FnOnce(&mut Object)) {
        if let Some(object) = self.oracle.get_mut(id) {
            change(object);
        }
        self.totals.operations += 1;
    }
}
