//! Updates that visit all objects.

use core::slice::from_mut;

use bounds_hexprism::Bounds;
use broadphase_core::{Prefetch, Scalar, Walk, WalkBatch};

use super::{BroadPhase, checked_volume};
use crate::engine::update_error;
use crate::{Error, Handle, UserData};

impl<S: Scalar, const D: usize, U: UserData, B: Bounds<S, D>> BroadPhase<S, D, U, B> {
    /// Calls `change` for every object, in storage order. `change` may change user data and bounds.
    ///
    /// Faster than [`set_bounds`](Self::set_bounds) for each object if many objects move. The
    /// storage order depends on earlier operations: if several machines must agree, the effect of
    /// `change` must not depend on it.
    ///
    /// If `change` panics, the objects visited before are changed. The bounds of the object being
    /// visited are unchanged, but its user data may have changed.
    ///
    /// # Errors
    /// If `change` writes bounds that are NaN, infinite or inverted: that object's bounds are
    /// unchanged, the update continues, and the error has the lowest such handle.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase};
    ///
    /// let mut world: BroadPhase<f32, 2, f32> = BroadPhase::new();
    /// let car = world.insert(Aabb::point([2.0, 0.0]), 0.5)?;
    /// world.update(|_, speed, bounds| {
    ///     *bounds = bounds.translated([*speed, 0.0]);
    ///     *speed *= 2.0;
    /// })?;
    /// assert_eq!((world.get(car).unwrap().bounds, world[car]), (Aabb::point([2.5, 0.0]), 1.0));
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn update(&mut self, change: impl FnMut(Handle, &mut U, &mut B)) -> Result<(), Error> {
        self.walk(false, change)
    }

    /// Calls `change` for every object of class [`Motion::Dynamic`](crate::Motion::Dynamic), in
    /// storage order. `change` may change user data and bounds.
    ///
    /// # Errors
    /// In the same cases as [`update`](Self::update).
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase, Motion};
    ///
    /// let mut world: BroadPhase = BroadPhase::new();
    /// let rock = world.insert(Aabb::point([0.0, 0.0]), ())?;
    /// let car = world.insert(Aabb::point([0.0, 0.0]), ())?;
    /// world.set_motion(rock, Motion::Static)?;
    /// world.update_dynamic(|_, _, bounds| *bounds = Aabb::point([1.0, 0.0]))?;
    /// assert_eq!(world.get(rock).unwrap().bounds, Aabb::point([0.0, 0.0]));
    /// assert_eq!(world.get(car).unwrap().bounds, Aabb::point([1.0, 0.0]));
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn update_dynamic(
        &mut self,
        change: impl FnMut(Handle, &mut U, &mut B),
    ) -> Result<(), Error> {
        self.walk(true, change)
    }

    fn walk(
        &mut self,
        dynamic_only: bool,
        mut change: impl FnMut(Handle, &mut U, &mut B),
    ) -> Result<(), Error> {
        let Self { engine, registry, users, volumes, .. } = self;
        let (slots, users) = (&registry.slots, users.now.as_mut_slice());
        let backend = engine.backend();
        let prefetches = [Prefetch::new(backend, users), Prefetch::new(backend, volumes)];
        let mut first: Option<(Handle, Error)> = None;
        let change = &mut |batch: &mut WalkBatch<'_, S, D>| {
            prefetches.iter().for_each(|prefetch| prefetch.at(batch.keys()));
            batch.each(|slot, bounds| {
                let (object, user) = (slots.handle(slot), &mut users[slot as usize]);
                if let Some([bounds]) = B::of_boxes(from_mut(bounds)) {
                    return change(object, user, bounds);
                }
                let mut volume = volumes[slot as usize];
                change(object, user, &mut volume);
                match checked_volume(volume) {
                    Ok(checked) => (volumes[slot as usize], *bounds) = checked,
                    Err(why) => {
                        // Not `object`: that would load the slot of each object.
                        let object = slots.handle(slot);
                        if first.is_none_or(|(lowest, _)| object < lowest) {
                            let error = Error::InvalidBounds { object: Some(object), why };
                            first = Some((object, error));
                        }
                    }
                }
            });
        };
        let walk = if dynamic_only { Walk::Dynamic(change) } else { Walk::All(change) };
        let walked = engine.structure_mut().walk(walk);
        match first {
            Some((_, why)) => Err(why),
            None => walked.map_err(|why| update_error(why, registry)),
        }
    }

    /// Calls `change`, which may read user data and change bounds, for every object, on the threads
    /// of the current pool, in any order.
    ///
    /// The result equals that of [`update`](Self::update). Runs on one thread without feature
    /// `rayon`, or if volumes are not boxes. If `change` panics, the objects visited before are
    /// changed, on all threads.
    ///
    /// # Errors
    /// In the same cases as [`update`](Self::update).
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase};
    ///
    /// let mut world: BroadPhase<f32, 2, f32> = BroadPhase::new();
    /// let car = world.insert(Aabb::point([2.0, 0.0]), 0.5)?;
    /// world.par_update(|_, speed, bounds| *bounds = bounds.translated([*speed, 0.0]))?;
    /// assert_eq!(world.get(car).unwrap().bounds, Aabb::point([2.5, 0.0]));
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn par_update(&mut self, change: impl Fn(Handle, &U, &mut B) + Sync) -> Result<(), Error> {
        if !B::IS_BOX {
            return self.update(|handle, user, bounds| change(handle, user, bounds));
        }
        let Self { engine, registry, users, .. } = self;
        let (slots, users) = (&registry.slots, users.now.as_slice());
        let prefetch = Prefetch::new(engine.backend(), users);
        let change = |batch: &mut WalkBatch<'_, S, D>| {
            prefetch.at(batch.keys());
            batch.each(|slot, bounds| {
                if let Some([bounds]) = B::of_boxes(from_mut(bounds)) {
                    change(slots.handle(slot), &users[slot as usize], bounds);
                }
            });
        };
        let walked = engine.structure_mut().walk(Walk::Parallel(&change));
        walked.map_err(|why| update_error(why, registry))
    }
}
