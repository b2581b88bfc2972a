//! Walks over all objects.

use bounds_hexprism::Bounds;
use broadphase_core::{IndexError, Scalar};

use super::objects::refused;
use super::{BroadPhase, volume};
use crate::{Error, Handle};

impl<S: Scalar, const D: usize, U: Copy + Send + Sync, B: Bounds<S, D>> BroadPhase<S, D, U, B> {
    /// Walks over all objects, as they are stored; `change` may change user data and bounds.
    ///
    /// Storage follows history. Where machines must agree, `change` must not depend on the order.
    /// If it panics, what it did before counts, and of the object whose turn it was only the user
    /// data may have changed; all answers are right after that.
    ///
    /// # Errors
    /// Invalid bounds leave that object's bounds as they were and the walk goes on; the error
    /// names the lowest such handle.
    ///
    /// ```
    /// # use hexphase::{Aabb, BroadPhase};
    /// let mut world: BroadPhase<f32, 1, f32> = BroadPhase::new();
    /// let car = world.insert(Aabb::point([2.0]), 0.5)?;
    /// world.update(|_, speed, bounds| {
    ///     *bounds = bounds.translated([*speed]);
    ///     *speed *= 2.0;
    /// })?;
    /// assert_eq!((world.get(car).unwrap().bounds, world[car]), (Aabb::point([2.5]), 1.0));
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn update(&mut self, change: impl FnMut(Handle, &mut U, &mut B)) -> Result<(), Error> {
        self.walk(true, change)
    }

    /// Walks over all objects that are [`Motion::Dynamic`](crate::Motion::Dynamic), as they are
    /// stored; `change` may change user data and bounds.
    ///
    /// # Errors
    /// As [`update`](Self::update).
    ///
    /// ```
    /// # use hexphase::{Aabb, BroadPhase, Motion};
    /// let mut world: BroadPhase<f32, 1> = BroadPhase::new();
    /// let [rock, car] = [(); 2].map(|()| world.insert(Aabb::point([0.0]), ()).unwrap());
    /// world.set_motion(rock, Motion::Static)?;
    /// world.update_dynamic(|object, (), bounds| {
    ///     assert_eq!(object, car);
    ///     *bounds = Aabb::point([1.0]);
    /// })?;
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn update_dynamic(
        &mut self,
        change: impl FnMut(Handle, &mut U, &mut B),
    ) -> Result<(), Error> {
        self.walk(false, change)
    }

    fn walk(
        &mut self,
        all: bool,
        mut change: impl FnMut(Handle, &mut U, &mut B),
    ) -> Result<(), Error> {
        let Self { structure, slots, volumes, .. } = self;
        let mut worst: Option<(Handle, Error)> = None;
        let updated = structure.walk(all, |index, _, bounds| {
            let Some((handle, user)) = slots.occupant_mut(index) else { return };
            if let Some(bounds) = volume::of_box(bounds) {
                return change(handle, user, bounds);
            }
            let mut volume = volumes[index as usize];
            change(handle, user, &mut volume);
            match volume.check().and_then(|()| volume.aabb().checked()) {
                Ok(around) => (*bounds, volumes[index as usize]) = (around, volume),
                Err(why) => {
                    if worst.is_none_or(|(lowest, _)| handle < lowest) {
                        worst = Some((handle, Error::InvalidBounds { object: Some(handle), why }));
                    }
                }
            }
        });
        worst.map_or(Ok(()), |(_, why)| Err(why))?;
        self.walked(updated)
    }

    /// Walks over all objects, on all threads of the current pool if there are several; `change`
    /// may look at user data and change bounds, in any order.
    ///
    /// What comes of it is what comes of [`update`](Self::update). Where volumes are not boxes it
    /// is that. If `change` panics, what it did before counts, on all threads.
    ///
    /// # Errors
    /// As [`update`](Self::update).
    ///
    /// ```
    /// # use hexphase::{Aabb, BroadPhase};
    /// let mut world: BroadPhase<f32, 1, f32> = BroadPhase::new();
    /// let car = world.insert(Aabb::point([2.0]), 0.5)?;
    /// world.par_update(|_, speed, bounds| *bounds = bounds.translated([*speed]))?;
    /// assert_eq!(world.get(car).unwrap().bounds, Aabb::point([2.5]));
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn par_update(&mut self, change: impl Fn(Handle, &U, &mut B) + Sync) -> Result<(), Error> {
        if !volume::is_box::<S, D, B>() {
            return self.update(|handle, user, bounds| change(handle, user, bounds));
        }
        let slots = &self.slots;
        let updated = self.structure.par_update(&|index, bounds| {
            if let (Some((handle, user)), Some(bounds)) =
                (slots.occupant(index), volume::of_box(bounds))
            {
                change(handle, user, bounds);
            }
        });
        self.walked(updated)
    }

    /// What a walk of the structure said, in the words of the world.
    fn walked(&self, updated: Result<(), IndexError>) -> Result<(), Error> {
        updated.map_err(|error| match error {
            IndexError::InvalidBounds { key, .. } => refused(error, self.slots.handle(key)),
            _ => Error::OutOfMemory,
        })
    }
}
