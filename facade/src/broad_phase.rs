//! The world: objects in, overlapping pairs out.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Index;

use broadphase_core::{
    Aabb, Backend, BruteForce, Filter, IndexError, Motion, Pair, Scalar, SpatialIndex,
};

use crate::slots::Slots;
use crate::structure::{Body, Structure};
use crate::{Algorithm, Choice, Error, Handle, Options, Overlaps, Proxy, Query};

/// A set of objects with bounds, a filter and user data, that knows which of them overlap.
///
/// `S` is the number type (`f32`, `f64`, `i32`), `D` the dimension (1, 2, 3), `U` what the user
/// keeps with each object. Answers depend on the current objects alone: not on the order in which
/// things were done, the structure underneath, or the backend.
///
/// ```
/// use hexphase::{Aabb, BroadPhase, Filter, Motion};
///
/// const GROUND: u64 = 1;
/// const UNIT: u64 = 2;
/// let mut world: BroadPhase<i32, 3, u32> = BroadPhase::new();
/// for x in 0..100 {
///     let tile = Aabb::around([x * 8, 0, 0], [4, 4, 4]);
///     world.insert_with(tile, x as u32, Motion::Static, Filter::layers(GROUND))?;
/// }
/// let walker = Aabb::around([20, 0, 5], [1, 1, 1]);
/// let walker = world.insert_with(walker, 1000, Motion::Dynamic, Filter::layers(UNIT))?;
/// world.step();
/// let on: Vec<u32> = world.pairs().map(|overlap| overlap.users[0]).collect();
/// assert_eq!(on, [2, 3]); // tiles touch, but statics never meet each other
/// assert_eq!(world.query(Aabb::new([0, 0, 0], [8, 0, 0])).except(walker).count(), 2);
/// # Ok::<(), hexphase::Error>(())
/// ```
pub struct BroadPhase<S = f32, const D: usize = 2, U = ()> {
    structure: Box<dyn Structure<S, D>>,
    slots: Slots<U>,
    pairs: Vec<Pair>,
    options: Options<S>,
    choice: Choice<S>,
    backend: Backend,
}

/// One object of a world, as it is now.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Object<S, const D: usize, U> {
    /// Its bounds, as checked at the door.
    pub bounds: Aabb<S, D>,
    /// Its user data.
    pub user: U,
    /// Whom it may meet.
    pub filter: Filter,
    /// How it moves.
    pub motion: Motion,
}

impl<S: Scalar, const D: usize, U: Copy + Send + Sync> BroadPhase<S, D, U> {
    /// An empty world that chooses everything itself.
    #[must_use]
    pub fn new() -> Self {
        Self::with_options(Options::new())
    }

    /// An empty world.
    #[must_use]
    pub fn with_options(options: Options<S>) -> Self {
        Self::on(Box::new(BruteForce::<S, D, Proxy>::new()), options, Choice::BEGIN)
    }

    /// A world on a structure of the user's own, which must be empty. It stays on it: of the
    /// options only the backend counts.
    ///
    /// # Panics
    /// If the structure holds objects.
    #[must_use]
    pub fn with_index<I>(index: I, options: Options<S>) -> Self
    where
        I: SpatialIndex<S, D, Data = Proxy> + 'static,
    {
        assert!(index.is_empty(), "the structure of a new world must be empty");
        Self::on(Box::new(index), options, Choice { algorithm: None, ..Choice::BEGIN })
    }

    fn on(structure: Box<dyn Structure<S, D>>, options: Options<S>, choice: Choice<S>) -> Self {
        let backend = options.backend.unwrap_or_default();
        let mut world =
            Self { structure, slots: Slots::new(), pairs: Vec::new(), options, choice, backend };
        world.structure.set_backend(backend);
        world
    }

    /// How many objects there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds an object that moves and meets everything.
    ///
    /// # Errors
    /// If the bounds are NaN, infinite or inverted, or the memory is not to be had. Nothing has
    /// changed then.
    pub fn insert(&mut self, bounds: impl Into<Aabb<S, D>>, user: U) -> Result<Handle, Error> {
        self.insert_with(bounds, user, Motion::Dynamic, Filter::ALL)
    }

    /// Adds an object.
    ///
    /// # Errors
    /// If the bounds are NaN, infinite or inverted, or the memory is not to be had. Nothing has
    /// changed then.
    pub fn insert_with(
        &mut self,
        bounds: impl Into<Aabb<S, D>>,
        user: U,
        motion: Motion,
        filter: Filter,
    ) -> Result<Handle, Error> {
        let handle = self.slots.next()?;
        let body = Body { bounds: bounds.into(), proxy: Proxy { filter }, motion };
        self.structure.insert(handle.index(), body).map_err(|error| match error {
            IndexError::InvalidBounds { why, .. } => Error::InvalidBounds { object: None, why },
            error => refused(error, handle),
        })?;
        self.slots.fill(handle, user);
        Ok(handle)
    }

    /// Removes an object and hands back its user data; `None` if it was removed before.
    ///
    /// It stays in [`pairs`](Self::pairs), user data and all, until the next step.
    pub fn remove(&mut self, object: Handle) -> Option<U> {
        let user = self.slots.remove(object)?;
        self.structure.remove(object.index());
        Some(user)
    }

    /// Moves or resizes an object.
    ///
    /// # Errors
    /// If the bounds are NaN, infinite or inverted, or the object was removed. Nothing has
    /// changed then.
    pub fn set_bounds(
        &mut self,
        object: Handle,
        bounds: impl Into<Aabb<S, D>>,
    ) -> Result<(), Error> {
        self.live(object)?;
        let set = self.structure.set_bounds(object.index(), bounds.into());
        set.map_err(|error| refused(error, object))
    }

    /// Says whom an object may meet.
    ///
    /// # Errors
    /// If the object was removed.
    pub fn set_filter(&mut self, object: Handle, filter: Filter) -> Result<(), Error> {
        self.live(object)?;
        self.structure.set_proxy(object.index(), Proxy { filter });
        Ok(())
    }

    /// Says how an object moves.
    ///
    /// # Errors
    /// If the object was removed, or the memory is not to be had. Nothing has changed then.
    pub fn set_motion(&mut self, object: Handle, motion: Motion) -> Result<(), Error> {
        self.live(object)?;
        let set = self.structure.set_motion(object.index(), motion);
        set.map_err(|error| refused(error, object))
    }

    /// Puts other user data with an object.
    ///
    /// # Errors
    /// If the object was removed.
    pub fn set_user(&mut self, object: Handle, user: U) -> Result<(), Error> {
        *self.slots.get_mut(object).ok_or(Error::Stale { object })? = user;
        Ok(())
    }

    /// An object as it is now; `None` if it was removed.
    #[must_use]
    pub fn get(&self, object: Handle) -> Option<Object<S, D, U>> {
        let user = *self.slots.get(object)?;
        let Body { bounds, proxy, motion } = self.structure.get(object.index())?;
        Some(Object { bounds, user, filter: proxy.filter, motion })
    }

    /// All objects, ascending.
    pub fn handles(&self) -> impl Iterator<Item = Handle> + '_ {
        self.slots.iter()
    }

    /// Walks over all objects, in no particular order; `change` may change user data and bounds.
    ///
    /// # Errors
    /// Invalid bounds leave that object's bounds as they were and the walk goes on; the error
    /// names the lowest such handle.
    pub fn update(
        &mut self,
        mut change: impl FnMut(Handle, &mut U, &mut Aabb<S, D>),
    ) -> Result<(), Error> {
        let Self { structure, slots, .. } = self;
        let updated = structure.update(&mut |index, bounds| {
            let handle = slots.handle(index);
            if let Some(user) = slots.get_mut(handle) {
                change(handle, user, bounds);
            }
        });
        updated.map_err(|error| match error {
            IndexError::InvalidBounds { key, .. } => refused(error, slots.handle(key)),
            _ => Error::OutOfMemory,
        })
    }

    /// Removes all objects. Their handles name nothing any more; the pairs of the last step stay
    /// until the next one.
    pub fn clear(&mut self) {
        self.slots.clear();
        self.structure.clear();
    }

    /// Finds all pairs: those of objects that overlap, whose filters agree, and that are not both
    /// static.
    pub fn step(&mut self) {
        self.choose();
        self.slots.step();
        self.structure.pairs(&mut self.pairs);
    }

    /// The pairs of the last step, ascending by slots, the lower slot first.
    pub fn pairs(&self) -> Overlaps<'_, U> {
        Overlaps::new(&self.pairs, &self.slots)
    }

    /// Which objects overlap a box; see [`Query`] for its options.
    ///
    /// ```
    /// # use hexphase::{Aabb, BroadPhase};
    /// let mut world: BroadPhase = BroadPhase::new();
    /// let ship = world.insert(Aabb::of_ball([0.0, 0.0], 2.0), ())?;
    /// assert_eq!(world.query(Aabb::point([1.0, 1.0])).to_vec(), [ship]);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn query(&self, region: impl Into<Aabb<S, D>>) -> Query<'_, S, D, U> {
        Query::new(self, region.into())
    }

    pub(crate) fn query_structure(
        &self,
        region: Aabb<S, D>,
        mask: u64,
        visit: &mut dyn FnMut(Handle),
    ) {
        self.structure.query(region, mask, &mut |index| visit(self.slots.handle(index)));
    }

    /// Chooses the lanes that kernels run with; no answer depends on it.
    pub fn set_backend(&mut self, backend: Backend) {
        self.backend = backend;
        self.structure.set_backend(backend);
    }

    /// The lanes that kernels run with.
    #[must_use]
    pub const fn backend(&self) -> Backend {
        self.backend
    }

    /// The structure the world stands on at the moment. A new world begins on brute force, which
    /// costs nothing to fill; steps move it on to what suits it.
    #[must_use]
    pub const fn choice(&self) -> Choice<S> {
        self.choice
    }

    /// Moves the world on to the structure that suits it, and does what upkeep that has to do: part
    /// of every [`step`](Self::step), to be called alone by those who ask much and never step, or
    /// who have time before a step.
    pub fn optimize(&mut self) {
        self.choose();
        self.structure.optimize();
    }

    /// Moves the world on to the structure that suits it.
    fn choose(&mut self) {
        if self.choice.algorithm.is_none() {
            return;
        }
        let objects = self.len();
        let algorithm = Choice::algorithm(&self.options, self.choice, objects);
        let same = self.choice.algorithm == Some(algorithm);
        let measures_cells = self.choice.cell.is_some() && self.options.cell.is_none();
        if same && !(measures_cells && self.choice.is_outdated(objects)) {
            return;
        }
        self.rebuild(algorithm);
    }

    fn rebuild(&mut self, algorithm: Algorithm) {
        let (mut structure, cell) = self.build(algorithm);
        structure.set_backend(self.backend);
        // A hint: without it the structure grows step by step.
        let _ = structure.try_reserve(self.len());
        self.structure.each(&mut |key, body| {
            structure.insert(key, body).expect("what was in one structure fits another");
        });
        self.structure = structure;
        self.choice = Choice { algorithm: Some(algorithm), cell, objects: self.len() };
    }

    /// An empty structure, and the side of its cells.
    fn build(&self, algorithm: Algorithm) -> (Box<dyn Structure<S, D>>, Option<S>) {
        match algorithm {
            #[cfg(feature = "hash")]
            Algorithm::Hash => {
                use broadphase_hshg::SpatialHash;
                let cell = self.options.cell.unwrap_or_else(|| {
                    let mut all = Vec::with_capacity(self.len());
                    self.structure.each(&mut |_, body| all.push(body.bounds));
                    SpatialHash::<S, D, Proxy>::recommend(all)
                });
                (Box::new(SpatialHash::<S, D, Proxy>::new(cell)), Some(cell))
            }
            #[cfg(feature = "hshg")]
            Algorithm::Hshg => {
                use broadphase_hshg::{Hshg, HshgConfig};
                let config = self.options.cell.map(|cell| HshgConfig::new().smallest_cell(cell));
                let config = config.unwrap_or_default();
                (Box::new(Hshg::<S, D, Proxy>::with_config(config)), None)
            }
            #[cfg(feature = "morton")]
            Algorithm::Morton => {
                use broadphase_morton::MortonCells;
                (Box::new(MortonCells::<S, D, Proxy>::new()), None)
            }
            _ => (Box::new(BruteForce::<S, D, Proxy>::new()), None),
        }
    }

    /// Checks every invariant of the world and its structure; for tests.
    ///
    /// # Panics
    /// If one does not hold.
    pub fn assert_well_formed(&self) {
        self.structure.assert_well_formed();
        if let Some(backend) = self.structure.backend() {
            assert_eq!(backend, self.backend, "the structure runs on the lanes of the world");
        }
        let mut stored = 0;
        self.structure.each(&mut |key, _| {
            assert!(self.slots.get(self.slots.handle(key)).is_some(), "slot {key} is in use");
            stored += 1;
        });
        assert_eq!(stored, self.len(), "as many objects in the structure as slots in use");
    }

    fn live(&self, object: Handle) -> Result<(), Error> {
        self.slots.get(object).map(|_| ()).ok_or(Error::Stale { object })
    }
}

/// What a structure refused, in the words of the world.
fn refused(error: IndexError, object: Handle) -> Error {
    match error {
        IndexError::InvalidBounds { why, .. } => Error::InvalidBounds { object: Some(object), why },
        IndexError::UnknownKey { .. } => Error::Stale { object },
        _ => Error::OutOfMemory,
    }
}

impl<S: Scalar, const D: usize, U: Copy + Send + Sync> Default for BroadPhase<S, D, U> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: Scalar, const D: usize, U: Copy> Clone for BroadPhase<S, D, U> {
    fn clone(&self) -> Self {
        Self {
            structure: self.structure.boxed_clone(),
            slots: self.slots.clone(),
            pairs: self.pairs.clone(),
            ..*self
        }
    }
}

impl<S: Scalar, const D: usize, U: Copy + Send + Sync> Index<Handle> for BroadPhase<S, D, U> {
    type Output = U;

    /// The user data of an object.
    ///
    /// # Panics
    /// If the object was removed.
    fn index(&self, object: Handle) -> &U {
        self.slots.get(object).unwrap_or_else(|| panic!("object {object} was removed"))
    }
}

impl<S: Scalar, const D: usize, U: Copy> fmt::Debug for BroadPhase<S, D, U> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BroadPhase")
            .field("len", &self.slots.len())
            .field("pairs", &self.pairs.len())
            .field("choice", &self.choice)
            .field("backend", &self.backend)
            .finish_non_exhaustive()
    }
}
