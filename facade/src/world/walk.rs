//! Updates that visit all objects.

use bounds_hexprism::Bounds;
use broadphase_core::Scalar;

use super::{BroadPhase, checked_volume};
use crate::structure::address_to_prefetch;
use crate::{Error, Handle, UserData};

impl<S: Scalar, const D: usize, U: UserData, B: Bounds<S, D>> BroadPhase<S, D, U, B> {
    /// Calls `change` for every object, in storage order. `change` may change user data and bounds.
    ///
    /// This is faster than calling [`set_bounds`](Self::set_bounds) for each object if many objects
    /// move. The storage order depends on earlier operations. If several machines must agree, the
    /// effect of `change` must not depend on the order.
    ///
    /// If `change` panics, the objects visited before keep their changes. The object being visited
    /// keeps its bounds, but its user data may have changed. The world stays consistent.
    ///
    /// # Errors
    /// If `change` writes bounds that are NaN, infinite or inverted, that object keeps its old
    /// bounds and the update continues. The error contains the lowest handle of such an object.
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
    /// storage order. `change` may change user data and bounds. Static and sleeping objects are
    /// skipped at little cost.
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
        let users = users.now.as_mut_slice();
        let address = address_to_prefetch(users);
        if B::IS_BOX {
            return engine.update(registry, dynamic_only, address, &mut |walked| {
                let Some(bounds) = B::of_boxes(walked.bounds) else { return };
                let (handles, runs, users) = (walked.handles, walked.runs, &mut *users);
                // Plain loops without iterators: they are fast even if the caller's crate is
                // compiled without optimization.
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
        let updated = engine.update(registry, dynamic_only, address, &mut |walked| {
            for place in walked.runs.iter().flat_map(|&[begin, end]| begin..end) {
                let object = walked.handles[place];
                let slot = object.index() as usize;
                let mut volume = volumes[slot];
                change(object, &mut users[slot], &mut volume);
                match checked_volume(volume) {
                    Ok(checked) => (volumes[slot], walked.bounds[place]) = checked,
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

    /// Calls `change` for every object, on the threads of the current pool, in any order. `change`
    /// may read user data and change bounds.
    ///
    /// Apart from the order of calls, the result equals that of [`update`](Self::update). Runs on
    /// one thread without feature `rayon`, or if volumes are not boxes. If `change` panics, the
    /// objects visited before keep their changes, on all threads.
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
        let users = self.users.now.as_slice();
        self.engine.par_update(&self.registry, address_to_prefetch(users), &|walked| {
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
