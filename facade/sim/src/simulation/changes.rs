//! Operations that change objects.

use hexphase::{Filter, Handle, Motion};

use super::{Simulation, Wrong};
use crate::op::{Kind, Movement, Op};
use crate::oracle::Object;
use crate::shape::{New, Volume64};
use crate::subject::{Changes, Method, Setting, Updated};

/// Added to the user data of an object when they change.
pub(super) const USER_STEP: u32 = 0x10001;

pub(super) type Moved = (Handle, Volume64);

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
            let takes_part = self.objects.is_none_or(|objects| objects.contains(id));
            if random.chance(share) && takes_part && self.oracle.get(id).is_none() {
                objects.push((id, self.maker.object(random, id)));
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
            let placed = self.oracle.place(&new.volume).expect("a valid volume");
            self.oracle.insert(Object::new(*id, handle, new, placed));
        }
        self.totals.operations += objects.len() as u64;
        Ok(())
    }

    fn remove_expected(&mut self, object: &Object) {
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
        for object in self.oracle.to_list() {
            self.oracle.remove(object.id);
            self.gone.push(object.handle);
        }
        self.maintain(Kind::Clear)
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
            moved.push((object.handle, volume));
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
        match method {
            Method::Each => self.move_each(&moved),
            _ => self.update(op, method, &moved),
        }
    }

    /// Updates all objects: new bounds, some of them invalid, and new user data. Invalid bounds are
    /// errors, which affect no other object.
    fn update(&mut self, op: &Op, method: Method, moved: &[Moved]) -> Result<(), Wrong> {
        let mut visited = self.oracle.to_list();
        visited.retain(|one| method != Method::UpdateDynamic || one.motion == Motion::Dynamic);
        let mut changes = Changes::of_bounds(moved);
        let is_wrong = op.random(u32::MAX).chance(20);
        let mut result = Ok(());
        for object in &visited {
            let (random, handle) = (&mut op.random(!object.id), object.handle);
            let change = changes.by_object.entry(handle).or_default();
            if is_wrong && random.chance(4) {
                change.volume = Some(self.maker.invalid_volume(random));
            }
            if random.chance(30) && method != Method::ParUpdate {
                change.user = Some(object.user.wrapping_add(USER_STEP));
            }
            if let Some(user) = change.user {
                self.oracle.set(handle, &Setting::User(user)).expect("a visited object");
            }
            // Of several errors, that of the object with the lowest handle is returned.
            if let Some(volume) = change.volume {
                result = result.and(self.oracle.set(handle, &Setting::Bounds(volume)));
            }
            let is_changed = change.volume.is_some() || change.user.is_some();
            self.totals.operations += u64::from(is_changed);
        }
        self.situations.add_if(result.is_err(), "updates with invalid bounds");
        let visited = visited.iter().map(|object| object.handle).collect();
        let expected = Updated { result: Some(result), visited };
        self.each("update", &expected, |subject| subject.update(method, &changes))
    }

    pub(super) fn move_each(&mut self, moved: &[Moved]) -> Result<(), Wrong> {
        let settings: Vec<_> =
            moved.iter().map(|&(object, volume)| (object, Setting::Bounds(volume))).collect();
        self.set_each(&settings)
    }

    /// Gives objects new filters, motion classes or user data, or makes them swept.
    pub(super) fn set(&mut self, op: &Op, share: u64) -> Result<(), Wrong> {
        let (maker, common) = (self.maker, &mut op.random(u32::MAX));
        let mut objects = self.chosen(op, share);
        let mut filter = None;
        match op.kind {
            Kind::SetFilters { .. } if common.chance(20) => {
                objects = self.oracle.to_list();
                filter = Some(op.random(u32::MAX - 1).pick(&[
                    Filter::NONE,
                    Filter::ALL,
                    Filter::ALL.owner(7),
                    Filter::layers(2).mask(1),
                    Filter::layers(6).group(1),
                ]));
            }
            Kind::SetUsers { .. } if common.chance(30) => {
                let all = self.oracle.to_list();
                for Object { handle, user, .. } in &all {
                    let new = Setting::User(user.wrapping_add(USER_STEP));
                    self.oracle.set(*handle, &new).expect("a live object");
                }
                self.totals.operations += all.len() as u64 + 1;
                self.sides.iter_mut().for_each(|side| side.subject.add_to_users(USER_STEP));
                return Ok(());
            }
            _ => {}
        }
        let setting = |object: &Object| {
            let random = &mut op.random(!object.id);
            let setting = match op.kind {
                Kind::SetFilters { .. } => Setting::Filter(
                    filter.unwrap_or_else(|| maker.filter(&mut op.random(object.id))),
                ),
                Kind::SetMotion { .. } => Setting::Motion(random.pick(&[
                    Motion::Dynamic,
                    Motion::Static,
                    Motion::Sleeping,
                ])),
                Kind::SetSwept { .. } => Setting::Swept(random.chance(70)),
                _ => Setting::User(object.user.wrapping_add(USER_STEP)),
            };
            (object.handle, setting)
        };
        self.set_each(&objects.iter().map(setting).collect::<Vec<_>>())
    }

    fn set_each(&mut self, settings: &[(Handle, Setting)]) -> Result<(), Wrong> {
        self.each("changes", &Ok(()), |subject| {
            settings.iter().try_for_each(|(object, setting)| subject.set(*object, setting))
        })?;
        for (object, setting) in settings {
            self.oracle.set(*object, setting).expect("a live object and a valid value");
        }
        self.totals.operations += settings.len() as u64;
        Ok(())
    }
}
