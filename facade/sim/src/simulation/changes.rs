//! Operations that change objects.

use hexphase::{Error, Handle, Motion};

use super::{Simulation, Wrong};
use crate::op::{Movement, Op};
use crate::oracle::Object;
use crate::shape::{Box64, New};
use crate::subject::{Changes, Method, Updated};

/// Added to the user data of an object when they change.
const USER_STEP: u32 = 0x10001;

/// A change of bounds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moved {
    pub(super) id: u32,
    pub(super) handle: Handle,
    pub(super) bounds: Box64,
}

impl Simulation<'_> {
    /// Returns the objects that an operation affects: each with a probability of `share` percent.
    pub(super) fn chosen(&self, op: &Op, share: u64) -> Vec<Object> {
        let is_chosen = |object: &&Object| op.random(object.id).chance(share);
        self.oracle.objects().filter(is_chosen).copied().collect()
    }

    pub(super) fn insert(&mut self, op: &Op, share: u64, at_once: bool) -> Result<(), Wrong> {
        let mut ids = Vec::new();
        let mut new = Vec::new();
        for id in 0..self.config.objects {
            let random = &mut op.random(id);
            let is_free = self.oracle.get(id).is_none() && self.takes_part(id);
            if random.chance(share) && is_free {
                let (bounds, filter) = (self.maker.place(random), self.maker.filter(random));
                let motion = self.maker.motion(random);
                ids.push(id);
                new.push(New { bounds, user: id, motion, filter });
            }
        }
        let mut inserted = [Vec::new(), Vec::new()];
        for (which, out) in inserted.iter_mut().enumerate() {
            let new = &new;
            let done = self.sides[which].run(self.pools, |subject| {
                if at_once {
                    return subject.insert_many(new, out);
                }
                new.iter().try_for_each(|new| subject.insert(new).map(|handle| out.push(handle)))
            });
            self.compare(which, "result of insertions", &[done], &[Ok(())])?;
        }
        let handles = self.oracle.next_handles(new.len());
        for (which, inserted) in inserted.iter().enumerate() {
            self.compare(which, "handle of an insertion", inserted, &handles)?;
        }
        for ((id, new), handle) in ids.into_iter().zip(new).zip(handles) {
            let New { bounds, user, motion, filter } = new;
            let bounds = self.oracle.home(&bounds);
            let object = Object { id, handle, bounds, user, motion, filter, was: None };
            self.oracle.insert(object);
            self.totals.operations += 1;
        }
        Ok(())
    }

    pub(super) fn remove(&mut self, op: &Op, share: u64, at_once: bool) -> Result<(), Wrong> {
        let objects = self.chosen(op, share);
        let handles: Vec<Handle> = objects.iter().map(|object| object.handle).collect();
        if at_once {
            // The first handle is listed twice, which must be allowed.
            let list: Vec<Handle> = handles.iter().chain(handles.first()).copied().collect();
            self.each("removal of many", &Ok(()), |subject| subject.remove_many(&list))?;
        } else {
            let users: Vec<Option<u32>> = objects.iter().map(|object| Some(object.user)).collect();
            self.each("user data of removed objects", &users, |subject| {
                handles.iter().map(|&handle| subject.remove(handle)).collect::<Vec<_>>()
            })?;
        }
        for object in &objects {
            self.oracle.remove(object.id);
            self.gone.push(object.handle);
            self.totals.operations += 1;
        }
        self.each("whether a removed object exists", &false, |subject| {
            handles.iter().any(|&handle| subject.contains(handle))
        })
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
            moved.push(Moved { id: object.id, handle: object.handle, bounds });
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
        let only_dynamic = method == Method::UpdateDynamic;
        let moved = self.movements(op, share, movement, only_dynamic);
        let list = || moved.iter().map(|moved| (moved.handle, moved.bounds));
        match method {
            Method::Each => self.each("changes of bounds", &Ok(()), |subject| {
                list().try_for_each(|(handle, bounds)| subject.set_bounds(handle, &bounds))
            })?,
            Method::Many => {
                let list: Vec<_> = list().collect();
                self.each("changes of bounds", &Ok(()), |subject| subject.set_bounds_many(&list))?;
            }
            _ => {
                let changes = changes_by_slot(&moved);
                let visited = self.oracle.objects();
                let visited = visited.filter(|one| !only_dynamic || one.motion == Motion::Dynamic);
                let visited = visited.map(|object| object.handle).collect();
                let expected = Updated { result: Some(Ok(())), visited };
                self.each("update", &expected, |subject| subject.update(method, &changes))?;
            }
        }
        self.apply_moves(&moved);
        Ok(())
    }

    pub(super) fn apply_moves(&mut self, moved: &[Moved]) {
        for Moved { id, bounds, .. } in moved {
            self.oracle.set_bounds(*id, bounds);
        }
        self.totals.operations += moved.len() as u64;
    }

    pub(super) fn set_filters(&mut self, op: &Op, share: u64) -> Result<(), Wrong> {
        let objects = self.chosen(op, share);
        let maker = self.maker;
        let filter = |object: &Object| maker.filter(&mut op.random(object.id));
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
            });
        }
        Ok(())
    }

    pub(super) fn set_users(&mut self, op: &Op, share: u64) -> Result<(), Wrong> {
        let objects = self.chosen(op, share);
        let user = |object: &Object| object.user.wrapping_add(USER_STEP);
        self.set(&objects, |subject, object| subject.set_user(object.handle, user(object)))?;
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

/// Returns new bounds by slot.
pub(super) fn changes_by_slot(moved: &[Moved]) -> Changes {
    let mut changes = Changes::default();
    let slots = moved.iter().map(|moved| moved.handle.index() as usize + 1).max();
    changes.bounds.resize(slots.unwrap_or(0), None);
    for moved in moved {
        changes.bounds[moved.handle.index() as usize] = Some(moved.bounds);
    }
    changes
}
