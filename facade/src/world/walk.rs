//! Walks over all objects.

use bounds_hexprism::Bounds;
use broadphase_core::Scalar;

use super::BroadPhase;
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
        self.walk(false, change)
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
        self.walk(true, change)
    }

    fn walk(
        &mut self,
        dynamic_only: bool,
        mut change: impl FnMut(Handle, &mut U, &mut B),
    ) -> Result<(), Error> {
        let Self { engine, registry, users, volumes, .. } = self;
        let users = users.now.as_mut_slice();
        if B::IS_BOX {
            return engine.update(registry, dynamic_only, &mut |walked| {
                let Some(bounds) = B::of_boxes(walked.bounds) else { return };
                let (handles, runs, users) = (walked.handles, walked.runs, &mut *users);
                // Loops without calls: they run with the optimisation of the caller's crate.
                let mut run = 0;
                while run < runs.len() {
                    let [mut place, end] = runs[run];
                    while place < end {
                        let object = handles[place];
                        change(object, &mut users[object.index() as usize], &mut bounds[place]);
                        place += 1;
                        walked.done = place;
                    }
                    run += 1;
                }
            });
        }
        let mut first: Option<(Handle, Error)> = None;
        let updated = engine.update(registry, dynamic_only, &mut |walked| {
            for place in walked.runs.iter().flat_map(|&[begin, end]| begin..end) {
                let object = walked.handles[place];
                let slot = object.index() as usize;
                let mut volume = volumes[slot];
                change(object, &mut users[slot], &mut volume);
                match volume.check().and_then(|()| volume.aabb().checked()) {
                    Ok(around) => (walked.bounds[place], volumes[slot]) = (around, volume),
                    Err(why) => {
                        if first.is_none_or(|(lowest, _)| object < lowest) {
                            first =
                                Some((object, Error::InvalidBounds { object: Some(object), why }));
                        }
                    }
                }
                walked.done = place + 1;
            }
        });
        first.map_or(updated, |(_, why)| Err(why))
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
        if !B::IS_BOX {
            return self.update(|handle, user, bounds| change(handle, user, bounds));
        }
        let users = self.users.now.as_slice();
        self.engine.par_update(&self.registry, &|walked| {
            let Some(bounds) = B::of_boxes(walked.bounds) else { return };
            let mut run = 0;
            while run < walked.runs.len() {
                let [mut place, end] = walked.runs[run];
                while place < end {
                    let object = walked.handles[place];
                    change(object, &users[object.index() as usize], &mut bounds[place]);
                    place += 1;
                    walked.done = place;
                }
                run += 1;
            }
        })
    }
}
