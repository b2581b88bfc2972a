//! Objects put in, changed and taken out.

use bounds_hexprism::Bounds;
use broadphase_core::{Filter, IndexError, Motion, Scalar};

use super::{BroadPhase, Object, volume};
use crate::slots::Content;
use crate::structure::{Body, Proxy};
use crate::{Error, Handle};

impl<S: Scalar, const D: usize, U: Copy + Send + Sync, B: Bounds<S, D>> BroadPhase<S, D, U, B> {
    /// Makes room for so many more objects.
    ///
    /// # Errors
    /// If the memory is not to be had. No object has changed then.
    ///
    /// ```
    /// # use hexphase::BroadPhase;
    /// let mut world: BroadPhase = BroadPhase::new();
    /// world.try_reserve(1_000)?;
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn try_reserve(&mut self, additional: usize) -> Result<(), Error> {
        self.slots.try_reserve(additional)?;
        if !volume::is_box::<S, D, B>() {
            self.volumes.try_reserve(additional).map_err(|_| Error::OutOfMemory)?;
        }
        self.structure.try_reserve(additional).map_err(|_| Error::OutOfMemory)
    }

    /// Gives back the memory that is not needed.
    ///
    /// ```
    /// # use hexphase::{BroadPhase, Options};
    /// let mut world: BroadPhase = BroadPhase::with_options(Options::new().capacity(10_000));
    /// let before = world.stats().bytes();
    /// world.shrink_to_fit();
    /// assert!(world.stats().bytes() < before);
    /// ```
    pub fn shrink_to_fit(&mut self) {
        self.structure.shrink_to_fit();
        self.slots.shrink_to_fit();
        self.volumes.shrink_to_fit();
        self.ended.shrink_to_fit();
        for pairs in [&mut self.pairs, &mut self.before, &mut self.began, &mut self.gone] {
            pairs.shrink_to_fit();
        }
    }

    /// Adds an object that moves and meets everything.
    ///
    /// # Errors
    /// If the bounds are NaN, infinite or inverted, or the memory is not to be had. Nothing has
    /// changed then.
    ///
    /// ```
    /// # use hexphase::{Aabb, BroadPhase};
    /// let mut world: BroadPhase<f32, 1, &str> = BroadPhase::new();
    /// let ship = world.insert(Aabb::new([1.0], [2.0]), "ship")?;
    /// assert_eq!(world[ship], "ship");
    /// assert!(world.insert(Aabb::new([1.0], [f32::NAN]), "ghost").is_err());
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn insert(&mut self, bounds: impl Into<B>, user: U) -> Result<Handle, Error> {
        self.insert_with(bounds, user, Motion::Dynamic, Filter::ALL)
    }

    /// Adds an object.
    ///
    /// # Errors
    /// If the bounds are NaN, infinite or inverted, or the memory is not to be had. Nothing has
    /// changed then.
    ///
    /// ```
    /// # use hexphase::{Aabb, BroadPhase, Filter, Motion};
    /// # let mut world: BroadPhase<f32, 1, &str> = BroadPhase::new();
    /// let ground = Aabb::new([0.0], [100.0]);
    /// world.insert_with(ground, "ground", Motion::Static, Filter::layers(1))?;
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn insert_with(
        &mut self,
        bounds: impl Into<B>,
        user: U,
        motion: Motion,
        filter: Filter,
    ) -> Result<Handle, Error> {
        let bounds = bounds.into();
        bounds.check().map_err(|why| Error::InvalidBounds { object: None, why })?;
        let handle = self.slots.next()?;
        let slot = handle.index() as usize;
        if !volume::is_box::<S, D, B>() && slot == self.volumes.len() {
            self.volumes.try_reserve(1).map_err(|_| Error::OutOfMemory)?;
        }
        let proxy = Proxy { filter: self.filters.take(filter) };
        let body = Body { bounds: bounds.aabb(), proxy, motion };
        if let Err(why) = self.structure.insert(handle.index(), body) {
            self.filters.release(proxy.filter);
            return Err(match why {
                IndexError::InvalidBounds { why, .. } => Error::InvalidBounds { object: None, why },
                why => refused(why, handle),
            });
        }
        if !volume::is_box::<S, D, B>() {
            if slot == self.volumes.len() {
                self.volumes.push(bounds);
            } else {
                self.volumes[slot] = bounds;
            }
        }
        self.slots.fill(handle, Content { user, filter: proxy.filter, motion });
        Ok(handle)
    }

    /// Removes an object and hands back its user data; `None` if it was removed before.
    ///
    /// It stays in [`pairs`](Self::pairs), user data and all, until the next step, and what it
    /// overlapped has [`ended`](Self::ended) then.
    ///
    /// ```
    /// # use hexphase::{Aabb, BroadPhase};
    /// let mut world: BroadPhase<f32, 1, &str> = BroadPhase::new();
    /// let ship = world.insert(Aabb::point([0.0]), "ship")?;
    /// assert_eq!(world.remove(ship), Some("ship"));
    /// assert_eq!(world.remove(ship), None);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn remove(&mut self, object: Handle) -> Option<U> {
        let Content { user, filter, .. } = self.slots.remove(object, &self.filters)?;
        self.filters.release(filter);
        self.swept.remove(object.index());
        self.structure.remove(object.index());
        Some(user)
    }

    /// Removes all objects. Their handles name nothing any more; the pairs of the last step stay
    /// until the next one.
    ///
    /// ```
    /// # use hexphase::{Aabb, BroadPhase};
    /// let mut world: BroadPhase<f32, 1, &str> = BroadPhase::new();
    /// let ship = world.insert(Aabb::point([0.0]), "ship")?;
    /// world.clear();
    /// assert!(world.is_empty() && !world.contains(ship));
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn clear(&mut self) {
        for index in 0..self.slots.capacity() as u32 {
            if let Some((handle, _)) = self.slots.occupant(index)
                && let Some(content) = self.slots.remove(handle, &self.filters)
            {
                self.filters.release(content.filter);
            }
        }
        self.swept.clear();
        self.structure.clear();
    }

    /// Moves or resizes an object.
    ///
    /// # Errors
    /// If the bounds are NaN, infinite or inverted, or the object was removed. Nothing has
    /// changed then.
    ///
    /// ```
    /// # use hexphase::{Aabb, BroadPhase};
    /// let mut world: BroadPhase<f32, 1, &str> = BroadPhase::new();
    /// let ship = world.insert(Aabb::point([0.0]), "ship")?;
    /// world.set_bounds(ship, Aabb::point([5.0]))?;
    /// let nowhere = world.set_bounds(ship, Aabb::point([f32::NAN]));
    /// assert_eq!(nowhere.unwrap_err().to_string(), "object 0: bounds are not a number on axis 0");
    /// assert_eq!(world.get(ship).unwrap().bounds, Aabb::point([5.0]));
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn set_bounds(&mut self, object: Handle, bounds: impl Into<B>) -> Result<(), Error> {
        let bounds = bounds.into();
        self.live(object)?;
        let refuse = |why| Error::InvalidBounds { object: Some(object), why };
        bounds.check().map_err(refuse)?;
        let set = self.structure.set_bounds(object.index(), bounds.aabb());
        set.map_err(|why| refused(why, object))?;
        if let Some(volume) = self.volumes.get_mut(object.index() as usize) {
            *volume = bounds;
        }
        Ok(())
    }

    /// Moves or resizes many objects; if one comes twice, its last bounds count.
    ///
    /// # Errors
    /// What [`set_bounds`](Self::set_bounds) says of the first that is wrong. Nothing has changed
    /// then.
    ///
    /// ```
    /// # use hexphase::{Aabb, BroadPhase, Error};
    /// let mut world: BroadPhase<f32, 1> = BroadPhase::new();
    /// let [a, b] = [0.0, 9.0].map(|x| world.insert(Aabb::point([x]), ()).unwrap());
    /// let bad = world.set_bounds_many(&[(a, Aabb::point([1.0])), (b, Aabb::point([f32::NAN]))]);
    /// assert!(matches!(bad, Err(Error::InvalidBounds { object: Some(object), .. }) if object == b));
    /// assert_eq!(world.get(a).unwrap().bounds, Aabb::point([0.0]));
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn set_bounds_many(&mut self, changes: &[(Handle, B)]) -> Result<(), Error> {
        for (object, bounds) in changes {
            self.live(*object)?;
            let checked = bounds.check().and_then(|()| bounds.aabb().checked());
            checked.map_err(|why| Error::InvalidBounds { object: Some(*object), why })?;
        }
        changes.iter().try_for_each(|&(object, bounds)| self.set_bounds(object, bounds))
    }

    /// Says whom an object may meet; [`Filter::NONE`] disables it.
    ///
    /// # Errors
    /// If the object was removed.
    ///
    /// ```
    /// # use hexphase::{Aabb, BroadPhase, Filter};
    /// # let mut world: BroadPhase<f32, 1> = BroadPhase::new();
    /// let [ship, _] = [(); 2].map(|()| world.insert(Aabb::point([0.0]), ()).unwrap());
    /// world.set_filter(ship, Filter::NONE)?;
    /// world.step();
    /// assert_eq!(world.pairs().len(), 0);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn set_filter(&mut self, object: Handle, filter: Filter) -> Result<(), Error> {
        let old = self.slots.get(object).ok_or(Error::Stale { object })?.filter;
        if self.filters.get(old) != filter {
            let number = self.filters.take(filter);
            self.slots.remember(object, &self.filters);
            if let Some(content) = self.slots.get_mut(object) {
                content.filter = number;
            }
            self.filters.release(old);
            self.structure.set_proxy(object.index(), Proxy { filter: number });
        }
        Ok(())
    }

    /// Says how an object moves.
    ///
    /// # Errors
    /// If the object was removed, or the memory is not to be had. Nothing has changed then.
    ///
    /// ```
    /// # use hexphase::{Aabb, BroadPhase, Motion};
    /// # let mut world: BroadPhase<f32, 1> = BroadPhase::new();
    /// for rock in [(); 2].map(|()| world.insert(Aabb::point([0.0]), ()).unwrap()) {
    ///     world.set_motion(rock, Motion::Static)?;
    /// }
    /// world.step();
    /// assert_eq!(world.pairs().len(), 0);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn set_motion(&mut self, object: Handle, motion: Motion) -> Result<(), Error> {
        let content = self.slots.get_mut(object).ok_or(Error::Stale { object })?;
        let set = self.structure.set_motion(object.index(), motion);
        set.map_err(|error| refused(error, object))?;
        content.motion = motion;
        Ok(())
    }

    /// Says whether an object is swept: whether each step finds everything on its way from where it
    /// was at the step before to where it is then; the first way begins where it is now. It is for
    /// what is small and fast: each that moves costs two changes of bounds a step.
    ///
    /// The way is taken as the box around both ends; a tighter volume is not asked about it. Where
    /// the world wraps it is the shorter one. To move without a way, say `false`, move, and say
    /// `true`. Questions see the object where it is.
    ///
    /// # Errors
    /// If the object was removed.
    ///
    /// ```
    /// # use hexphase::{Aabb, BroadPhase};
    /// let mut world: BroadPhase<f32, 1, &str> = BroadPhase::new();
    /// world.insert(Aabb::point([5.0]), "wall")?;
    /// let bullet = world.insert(Aabb::point([0.0]), "bullet")?;
    /// world.set_swept(bullet, true)?;
    /// world.step();
    /// world.set_bounds(bullet, Aabb::point([9.0]))?;
    /// world.step();
    /// assert_eq!(world.began().next().unwrap().users, ["wall", "bullet"]);
    /// world.step(); // it rests behind the wall
    /// assert_eq!(world.pairs().len(), 0);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn set_swept(&mut self, object: Handle, swept: bool) -> Result<(), Error> {
        self.live(object)?;
        let slot = object.index();
        if !swept {
            self.swept.remove(slot);
        } else if let Some(body) = self.structure.get(slot) {
            self.swept.insert(slot, body.bounds);
        }
        Ok(())
    }

    /// Puts other user data with an object.
    ///
    /// # Errors
    /// If the object was removed.
    ///
    /// ```
    /// # use hexphase::{Aabb, BroadPhase};
    /// let mut world: BroadPhase<f32, 1, &str> = BroadPhase::new();
    /// let ship = world.insert(Aabb::point([0.0]), "ship")?;
    /// world.set_user(ship, "wreck")?;
    /// assert_eq!(world[ship], "wreck");
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn set_user(&mut self, object: Handle, user: U) -> Result<(), Error> {
        self.slots.get_mut(object).ok_or(Error::Stale { object })?.user = user;
        Ok(())
    }

    /// Whether an object is there, and was not removed.
    ///
    /// ```
    /// # use hexphase::{Aabb, BroadPhase};
    /// let mut world: BroadPhase<f32, 1, &str> = BroadPhase::new();
    /// let ship = world.insert(Aabb::point([0.0]), "ship")?;
    /// assert!(world.contains(ship));
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    #[must_use]
    pub fn contains(&self, object: Handle) -> bool {
        self.slots.get(object).is_some()
    }

    /// The user data of an object, to be changed; `None` if it was removed.
    ///
    /// ```
    /// # use hexphase::{Aabb, BroadPhase};
    /// let mut world: BroadPhase<f32, 1, u32> = BroadPhase::new();
    /// let ship = world.insert(Aabb::point([0.0]), 3)?;
    /// *world.user_mut(ship).unwrap() -= 1;
    /// assert_eq!(world[ship], 2);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn user_mut(&mut self, object: Handle) -> Option<&mut U> {
        Some(&mut self.slots.get_mut(object)?.user)
    }

    /// An object as it is now; `None` if it was removed.
    ///
    /// ```
    /// # use hexphase::{Aabb, BroadPhase};
    /// let mut world: BroadPhase<f32, 1, &str> = BroadPhase::new();
    /// let ship = world.insert(Aabb::point([-0.0]), "ship")?;
    /// assert_eq!(world.get(ship).unwrap().bounds, Aabb::point([0.0]));
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    #[must_use]
    pub fn get(&self, object: Handle) -> Option<Object<B, U>> {
        let &Content { user, filter, motion } = self.slots.get(object)?;
        let Body { mut bounds, .. } = self.structure.get(object.index())?;
        let bounds = match volume::of_box(&mut bounds) {
            Some(bounds) => *bounds,
            None => self.volumes[object.index() as usize],
        };
        let swept = self.swept.contains(object.index());
        Some(Object { bounds, user, filter: self.filters.get(filter), motion, swept })
    }

    /// All objects, ascending.
    ///
    /// ```
    /// # use hexphase::{Aabb, BroadPhase};
    /// let mut world: BroadPhase<f32, 1, &str> = BroadPhase::new();
    /// let ship = world.insert(Aabb::point([0.0]), "ship")?;
    /// assert!(world.handles().eq([ship]));
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn handles(&self) -> impl Iterator<Item = Handle> + '_ {
        self.slots.iter()
    }

    fn live(&self, object: Handle) -> Result<(), Error> {
        self.slots.get(object).map(|_| ()).ok_or(Error::Stale { object })
    }
}

/// What a structure refused, in the words of the world.
pub(super) fn refused(error: IndexError, object: Handle) -> Error {
    match error {
        IndexError::InvalidBounds { why, .. } => Error::InvalidBounds { object: Some(object), why },
        IndexError::UnknownKey { .. } => Error::Stale { object },
        _ => Error::OutOfMemory,
    }
}
