//! Inserts, changes and removes objects.

use alloc::vec::Vec;

use bounds_hexprism::Bounds;
use broadphase_core::{Aabb, Filter, Motion, Scalar, SpatialIndexExt};

use super::{BroadPhase, Object, checked_volume};
use crate::engine::{NewObject, object_error};
use crate::users::set_or_push;
use crate::{Error, Handle, IntoBounds, UserData};

impl<S: Scalar, const D: usize, U: UserData, B: Bounds<S, D>> BroadPhase<S, D, U, B> {
    /// Reserves memory for at least `additional` more objects.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] if allocation fails. No object has changed.
    ///
    /// ```
    /// use hexphase::BroadPhase;
    ///
    /// let mut world: BroadPhase = BroadPhase::new();
    /// world.try_reserve(1_000)?;
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn try_reserve(&mut self, additional: usize) -> Result<(), Error> {
        self.registry.slots.try_reserve(additional)?;
        self.users.try_reserve(self.len().saturating_add(additional))?;
        if !B::IS_BOX {
            self.volumes.try_reserve(additional).map_err(|_| Error::OutOfMemory)?;
        }
        self.engine.structure_mut().try_reserve(additional).map_err(|_| Error::OutOfMemory)
    }

    /// Releases unused memory.
    ///
    /// ```
    /// use hexphase::{BroadPhase, Options};
    ///
    /// let mut world: BroadPhase = BroadPhase::with_options(Options::new().capacity(10_000));
    /// let before = world.stats().bytes;
    /// world.shrink_to_fit();
    /// assert!(world.stats().bytes < before);
    /// ```
    pub fn shrink_to_fit(&mut self) {
        self.engine.shrink_to_fit();
        self.registry.shrink_to_fit();
        // Retain slots that are in use or were in use at the last step.
        self.users.now.truncate(self.registry.slots.list_len());
        self.users.now.shrink_to_fit();
        self.users.past.shrink_to_fit();
        self.users.ended.shrink_to_fit();
        self.volumes.truncate(self.registry.slots.list_len());
        self.volumes.shrink_to_fit();
        self.found = Vec::new();
    }

    /// Inserts an object of motion class [`Motion::Dynamic`] with [`Filter::ALL`].
    ///
    /// Queries find the object at once; pairs contain it from the next step on.
    ///
    /// # Errors
    /// If the bounds are NaN, infinite or inverted, or allocation fails. The world is then
    /// unchanged.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase};
    ///
    /// let mut world: BroadPhase<f32, 2, &str> = BroadPhase::new();
    /// let ship = world.insert(Aabb::new([1.0, 0.0], [2.0, 1.0]), "ship")?;
    /// assert_eq!(world[ship], "ship");
    /// assert!(world.insert(Aabb::point([f32::NAN, 0.0]), "ghost").is_err());
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn insert(&mut self, bounds: impl IntoBounds<S, D, B>, user: U) -> Result<Handle, Error> {
        self.insert_object(Object::new(bounds.into_bounds(), user))
    }

    /// Inserts an object with a motion class and a filter, as a swept object if it is marked so.
    ///
    /// # Errors
    /// If the bounds are NaN, infinite or inverted, or allocation fails. The world is then
    /// unchanged.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase, Filter, Motion, Object};
    ///
    /// let mut world: BroadPhase<f32, 2, &str> = BroadPhase::new();
    /// let ground = Object::new(Aabb::new([0.0, -1.0], [100.0, 0.0]), "ground");
    /// let ground = ground.motion(Motion::Static).filter(Filter::layers(1));
    /// let handle = world.insert_object(ground)?;
    /// assert_eq!(world.get(handle), Some(ground));
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn insert_object(&mut self, object: Object<B, U>) -> Result<Handle, Error> {
        let Object { mut bounds, user, motion, filter, swept } = object;
        if !B::IS_BOX {
            let why = |why| Error::InvalidBounds { object: None, why };
            bounds = bounds.checked().map_err(why)?;
            self.volumes.try_reserve(1).map_err(|_| Error::OutOfMemory)?;
        }
        let Self { engine, registry, users, volumes, .. } = self;
        users.now.try_reserve(1).map_err(|_| Error::OutOfMemory)?;
        let object =
            engine.insert(registry, NewObject { bounds: bounds.aabb(), motion, filter })?;
        users.set(object.index(), user);
        if !B::IS_BOX {
            set_or_push(volumes, object.index() as usize, bounds);
        }
        if swept {
            self.engine.set_swept(object.index(), true);
        }
        Ok(object)
    }

    /// Inserts many objects: all of them or none. Replaces the contents of `out` with their
    /// handles, in the order of the list.
    ///
    /// The handles are as if [`insert_object`](Self::insert_object) had been called for each object
    /// in order, which takes longer.
    ///
    /// # Errors
    /// [`Error::InvalidAt`] for the first object with NaN, infinite or inverted bounds, or
    /// [`Error::OutOfMemory`]. On error the world is unchanged and `out` empty.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase, Motion, Object};
    ///
    /// let mut world: BroadPhase<f32, 2, u32> = BroadPhase::new();
    /// let tile =
    ///     |x, user| Object::new(Aabb::of_ball([x, 0.0], 0.5), user).motion(Motion::Static);
    /// let mut handles = Vec::new();
    /// world.insert_many(&[tile(0.0, 7), tile(1.0, 8)], &mut handles)?;
    /// assert_eq!(world[handles[1]], 8);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn insert_many(
        &mut self,
        objects: &[Object<B, U>],
        out: &mut Vec<Handle>,
    ) -> Result<(), Error> {
        out.clear();
        self.try_reserve(objects.len())?;
        let Self { engine, registry, users, volumes, .. } = self;
        let object = |index: usize| {
            let Object { bounds, motion, filter, .. } = objects[index];
            let bounds = if B::IS_BOX { bounds.aabb() } else { checked_volume(bounds)?.1 };
            Ok(NewObject { bounds, motion, filter })
        };
        engine.insert_many(registry, objects.len(), &object, out)?;
        let mut index = 0;
        while index < objects.len() {
            let Object { bounds, user, swept, .. } = objects[index];
            let slot = out[index].index();
            users.set(slot, user);
            if !B::IS_BOX
                && let Ok(bounds) = bounds.checked()
            {
                set_or_push(volumes, slot as usize, bounds);
            }
            if swept {
                engine.set_swept(slot, true);
            }
            index += 1;
        }
        Ok(())
    }

    /// Removes an object and returns its user data, or `None` if it was removed before.
    ///
    /// Its pairs remain in [`pairs`](Self::pairs) until the next step, which reports them in
    /// [`ended`](Self::ended).
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase};
    ///
    /// let mut world: BroadPhase<f32, 2, &str> = BroadPhase::new();
    /// let ship = world.insert(Aabb::point([0.0, 0.0]), "ship")?;
    /// assert_eq!(world.remove(ship), Some("ship"));
    /// assert_eq!(world.remove(ship), None);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn remove(&mut self, object: Handle) -> Option<U> {
        let removed = self.registry.remove(object)?;
        self.users.keep(object.index(), removed.past_index);
        self.engine.remove_many(&[object.index()]);
        Some(self.users.now[object.index() as usize])
    }

    /// Removes objects, as [`remove`](Self::remove) does: all or none. An object may be listed
    /// twice.
    ///
    /// # Errors
    /// [`Error::Stale`] for the first object that was removed before, or [`Error::OutOfMemory`]. On
    /// error the world is unchanged.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase, Error};
    ///
    /// let mut world: BroadPhase = BroadPhase::new();
    /// let a = world.insert(Aabb::point([0.0, 0.0]), ())?;
    /// let b = world.insert(Aabb::point([4.0, 0.0]), ())?;
    /// let c = world.insert(Aabb::point([8.0, 0.0]), ())?;
    /// world.remove_many(&[a, b])?;
    /// assert_eq!(world.remove_many(&[c, a]), Err(Error::Stale { object: a }));
    /// assert!(world.contains(c));
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn remove_many(&mut self, objects: &[Handle]) -> Result<(), Error> {
        objects.iter().try_for_each(|&object| self.registry.live(object))?;
        let mut slots = Vec::new();
        slots.try_reserve(objects.len()).map_err(|_| Error::OutOfMemory)?;
        let kept = self.registry.try_reserve_removals(objects.len())?;
        self.users.try_reserve_past(kept)?;
        for &object in objects {
            if let Some(removed) = self.registry.remove(object) {
                self.users.keep(object.index(), removed.past_index);
                slots.push(object.index());
            }
        }
        self.engine.remove_many(&slots);
        Ok(())
    }

    /// Removes all objects. The pairs of the last step remain until the next step, which ends them.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase};
    ///
    /// let mut world: BroadPhase<f32, 2, &str> = BroadPhase::new();
    /// let ship = world.insert(Aabb::point([0.0, 0.0]), "ship")?;
    /// world.clear();
    /// assert!(world.is_empty() && !world.contains(ship));
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn clear(&mut self) {
        for slot in 0..self.registry.slots.capacity() as u32 {
            if let Some(object) = self.registry.slots.occupant(slot)
                && let Some(removed) = self.registry.remove(object)
            {
                self.users.keep(slot, removed.past_index);
            }
        }
        self.engine.clear();
    }

    /// Sets the bounds of an object.
    ///
    /// # Errors
    /// If the bounds are NaN, infinite or inverted, or the object was removed. The world is then
    /// unchanged.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase};
    ///
    /// let mut world: BroadPhase<f32, 2, &str> = BroadPhase::new();
    /// let ship = world.insert(Aabb::point([0.0, 0.0]), "ship")?;
    /// world.set_bounds(ship, Aabb::point([5.0, 0.0]))?;
    /// let error = world.set_bounds(ship, Aabb::point([f32::NAN, 0.0])).unwrap_err();
    /// assert_eq!(error.to_string(), "object 0: bounds are not a number on axis 0");
    /// assert_eq!(world.get(ship).unwrap().bounds, Aabb::point([5.0, 0.0]));
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn set_bounds(
        &mut self,
        object: Handle,
        bounds: impl IntoBounds<S, D, B>,
    ) -> Result<(), Error> {
        let mut bounds = bounds.into_bounds();
        self.registry.live(object)?;
        if !B::IS_BOX {
            let why = |why| Error::InvalidBounds { object: Some(object), why };
            bounds = bounds.checked().map_err(why)?;
        }
        let set = self.engine.structure_mut().set_bounds(object.index(), bounds.aabb());
        set.map_err(|why| object_error(why, object))?;
        if !B::IS_BOX {
            self.volumes[object.index() as usize] = bounds;
        }
        Ok(())
    }

    /// Sets the filter of an object, also for queries. [`Filter::NONE`] disables the object.
    ///
    /// # Errors
    /// If the object was removed.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase, Filter};
    ///
    /// let mut world: BroadPhase = BroadPhase::new();
    /// let ship = world.insert(Aabb::point([0.0, 0.0]), ())?;
    /// world.insert(Aabb::point([0.0, 0.0]), ())?;
    /// world.set_filter(ship, Filter::NONE)?;
    /// world.step();
    /// assert_eq!(world.pairs().len(), 0);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn set_filter(&mut self, object: Handle, filter: Filter) -> Result<(), Error> {
        let place = self.registry.set_filter(object, filter)?;
        self.users.keep(object.index(), place);
        Ok(())
    }

    /// Sets the motion class of an object, until it is changed. Two static objects never form a
    /// pair, and [`update_dynamic`](Self::update_dynamic) visits dynamic objects only; otherwise
    /// the class affects speed only.
    ///
    /// # Errors
    /// If the object was removed, or if allocation fails. On error the world is unchanged.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase, Motion};
    ///
    /// let mut world: BroadPhase = BroadPhase::new();
    /// for _ in 0..2 {
    ///     let rock = world.insert(Aabb::point([0.0, 0.0]), ())?;
    ///     world.set_motion(rock, Motion::Static)?;
    /// }
    /// world.step();
    /// assert_eq!(world.pairs().len(), 0);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn set_motion(&mut self, object: Handle, motion: Motion) -> Result<(), Error> {
        let content = self.registry.slots.get_mut(object).ok_or(Error::Stale { object })?;
        let set = self.engine.structure_mut().set_motion(object.index(), motion);
        set.map_err(|why| object_error(why, object))?;
        content.motion = motion;
        Ok(())
    }

    /// Returns whether the handle names an existing object.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase};
    ///
    /// let mut world: BroadPhase<f32, 2, &str> = BroadPhase::new();
    /// let ship = world.insert(Aabb::point([0.0, 0.0]), "ship")?;
    /// assert!(world.contains(ship));
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    #[must_use]
    pub fn contains(&self, object: Handle) -> bool {
        self.registry.live(object).is_ok()
    }

    /// Returns mutable user data of an object, or `None` if it was removed.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase};
    ///
    /// let mut world: BroadPhase<f32, 2, u32> = BroadPhase::new();
    /// let ship = world.insert(Aabb::point([0.0, 0.0]), 3)?;
    /// *world.user_mut(ship).unwrap() -= 1;
    /// assert_eq!(world[ship], 2);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn user_mut(&mut self, object: Handle) -> Option<&mut U> {
        self.registry.live(object).ok()?;
        self.users.now.get_mut(object.index() as usize)
    }

    /// Iterates over all objects with their mutable user data, ascending by handle.
    ///
    /// Faster than [`update`](Self::update) if bounds do not change, because the structure is not
    /// accessed.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase};
    ///
    /// let mut world: BroadPhase<f32, 2, u32> = BroadPhase::new();
    /// let first = world.insert(Aabb::point([0.0, 0.0]), 3)?;
    /// let second = world.insert(Aabb::point([0.0, 0.0]), 4)?;
    /// for (object, user) in world.users_mut() {
    ///     *user += object.index();
    /// }
    /// assert_eq!((world[first], world[second]), (3, 5));
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn users_mut(&mut self) -> impl Iterator<Item = (Handle, &mut U)> {
        let slots = self.registry.slots.occupants().zip(&mut self.users.now);
        slots.filter_map(|(object, user)| Some((object?, user)))
    }

    /// Returns the current state of an object, or `None` if it was removed.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase};
    ///
    /// let mut world: BroadPhase<f32, 2, &str> = BroadPhase::new();
    /// let ship = world.insert(Aabb::point([3.0, 0.0]), "ship")?;
    /// assert_eq!(world.get(ship).unwrap().bounds, Aabb::point([3.0, 0.0]));
    /// world.remove(ship);
    /// assert_eq!(world.get(ship), None);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    #[must_use]
    pub fn get(&self, object: Handle) -> Option<Object<B, U>> {
        let filter = self.registry.filter(object)?;
        let slot = object.index();
        let stored = self.engine.structure().get(slot)?;
        let (bounds, motion) = (self.volume(slot, stored.bounds), stored.motion);
        let (user, swept) = (self.users.now[slot as usize], self.engine.swept().contains(slot));
        Some(Object { bounds, user, filter, motion, swept })
    }

    /// Returns the volume of the object in a slot, given its stored box.
    #[inline]
    pub(super) fn volume(&self, slot: u32, bounds: Aabb<S, D>) -> B {
        match B::of_boxes(&mut [bounds]) {
            Some(bounds) => bounds[0],
            None => self.volumes[slot as usize],
        }
    }

    /// Iterates over all objects with their current state, ascending by handle.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase};
    ///
    /// let mut world: BroadPhase<f32, 2, u32> = BroadPhase::new();
    /// world.insert(Aabb::point([3.0, 0.0]), 3)?;
    /// world.insert(Aabb::point([4.0, 0.0]), 4)?;
    /// let right = world.objects().map(|(_, object)| object.bounds.max[0]).fold(0.0, f32::max);
    /// let sum: u32 = world.objects().map(|(_, object)| object.user).sum();
    /// assert_eq!((right, sum), (4.0, 7));
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn objects(&self) -> impl Iterator<Item = (Handle, Object<B, U>)> + '_ {
        self.handles().filter_map(|object| Some((object, self.get(object)?)))
    }

    /// Iterates over the handles of all objects, ascending.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase};
    ///
    /// let mut world: BroadPhase = BroadPhase::new();
    /// let ship = world.insert(Aabb::point([0.0, 0.0]), ())?;
    /// let rock = world.insert(Aabb::point([5.0, 0.0]), ())?;
    /// assert!(world.handles().eq([ship, rock]));
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn handles(&self) -> impl Iterator<Item = Handle> + '_ {
        self.registry.slots.iter()
    }
}
