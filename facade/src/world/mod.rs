//! The world: objects in, overlapping pairs out.

mod ask;
mod choice;
mod choose;
mod draw;
mod objects;
#[cfg(feature = "std")]
mod record;
mod stats;
mod step;
mod swept;
pub(crate) mod volume;
mod walk;

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Index;

use bounds_hexprism::Bounds;
use broadphase_core::{Aabb, Backend, BruteForce, Filter, Motion, Pair, Scalar, SpatialIndex};

use crate::filters::Filters;
use crate::slots::Slots;
use crate::structure::{Proxy, Structure};
use crate::{Handle, Options, Overlap};
pub use choice::{Choice, Reason};
pub use draw::{Line, LineKind};
pub use stats::{LevelStats, Stats};
use swept::Swept;

/// A set of objects with bounds, a filter and user data, that knows which of them overlap.
///
/// `S` is the number type (`f32`, `f64`, `i32`), `D` the dimension (1, 2, 3), `U` what the user
/// keeps with each object, and `B` the volume around it: a box unless something tighter is chosen,
/// which then decides where boxes overlap. Answers depend on the current objects alone, and events
/// on those of the step before too: not on the order in which things were done, the structure
/// underneath, the backend, or the number of threads.
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
///
/// Hexagons as volumes: what their boxes, or the rhombi of a hex world, only seem to touch is no
/// pair.
///
/// ```
/// use hexphase::{BroadPhase, Hexagon};
///
/// let mut world: BroadPhase<i32, 2, &str, Hexagon<i32>> = BroadPhase::new();
/// world.insert(Hexagon::of_points([[0, 0], [10, 0], [0, 10]])?, "ship")?;
/// world.insert(Hexagon::of_points([[9, 9], [9, 12], [12, 9]])?, "rock")?;
/// world.step();
/// assert_eq!(world.pairs().len(), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct BroadPhase<S = f32, const D: usize = 2, U = (), B = Aabb<S, D>> {
    pub(crate) structure: Box<dyn Structure<S, D>>,
    pub(crate) slots: Slots<U>,
    pub(crate) filters: Filters,
    /// By slot, where volumes are not the boxes themselves.
    pub(crate) volumes: Vec<B>,
    pub(crate) swept: Swept<S, D>,
    pub(crate) pairs: Vec<Pair>,
    /// The pairs of the step before.
    pub(crate) before: Vec<Pair>,
    pub(crate) began: Vec<Pair>,
    pub(crate) ended: Vec<Overlap<U>>,
    /// Room for the pairs that ended.
    gone: Vec<Pair>,
    pub(crate) options: Options<S, D>,
    choice: Choice<S>,
    backend: Backend,
}

/// One object of a world, as it is now.
///
/// ```
/// # use hexphase::{Aabb, BroadPhase, Filter, Motion};
/// let mut world: BroadPhase<f32, 1, char> = BroadPhase::new();
/// let ship = world.insert(Aabb::point([3.0]), 's')?;
/// let object = world.get(ship).unwrap();
/// assert_eq!((object.bounds, object.user), (Aabb::point([3.0]), 's'));
/// assert_eq!((object.filter, object.motion, object.swept), (Filter::ALL, Motion::Dynamic, false));
/// # Ok::<(), hexphase::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Object<B, U> {
    /// Its volume, as checked at the door.
    pub bounds: B,
    /// Its user data.
    pub user: U,
    /// Whom it may meet.
    pub filter: Filter,
    /// How it moves.
    pub motion: Motion,
    /// Whether it meets what it passes between steps.
    pub swept: bool,
}

impl<S: Scalar, const D: usize, U: Copy + Send + Sync, B: Bounds<S, D>> BroadPhase<S, D, U, B> {
    /// An empty world that chooses everything itself.
    ///
    /// ```
    /// # use hexphase::BroadPhase;
    /// let world: BroadPhase<f32, 3, u64> = BroadPhase::new();
    /// assert!(world.is_empty());
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::with_options(Options::new())
    }

    /// An empty world.
    ///
    /// # Panics
    /// If the world wraps, and volumes are not boxes: their images are not known. Or if there is
    /// no memory for the capacity.
    ///
    /// ```
    /// # use hexphase::{BroadPhase, Options};
    /// let options = Options::new().capacity(100).events(false);
    /// let world: BroadPhase<f64, 2> = BroadPhase::with_options(options);
    /// assert_eq!(world.len(), 0);
    /// ```
    #[must_use]
    pub fn with_options(options: Options<S, D>) -> Self {
        let structure = choose::boxed(BruteForce::<S, D, Proxy>::new(), &options);
        Self::on(structure, options, Choice::BEGIN)
    }

    /// A world on a structure of the user's own, which must be empty, and which knows nothing of
    /// seams: that is for the options. It stays on it; algorithm, cells and skin are its own.
    ///
    /// # Panics
    /// If the structure holds objects, or as [`with_options`](Self::with_options).
    ///
    /// ```
    /// # use hexphase::{Aabb, BroadPhase, BruteForce, Options, Proxy};
    /// let own = BruteForce::<i32, 2, Proxy>::new(); // any `SpatialIndex` with this data
    /// let mut world: BroadPhase<i32, 2, u8> = BroadPhase::with_index(own, Options::new());
    /// world.insert(Aabb::point([0, 0]), 1)?;
    /// world.step();
    /// assert_eq!(world.choice().algorithm, None);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    #[must_use]
    pub fn with_index<I>(index: I, options: Options<S, D>) -> Self
    where
        I: SpatialIndex<S, D, Data = Proxy> + 'static,
    {
        assert!(index.is_empty(), "the structure of a new world must be empty");
        let choice = Choice { algorithm: None, reason: Reason::Own, ..Choice::BEGIN };
        Self::on(choose::boxed(index, &options), options, choice)
    }

    fn on(structure: Box<dyn Structure<S, D>>, options: Options<S, D>, choice: Choice<S>) -> Self {
        let boxes = volume::is_box::<S, D, B>();
        assert!(boxes || !options.wraps(), "in a world that wraps volumes are boxes");
        let backend = options.backend.unwrap_or_default();
        let mut world = Self {
            structure,
            slots: Slots::new(),
            filters: Filters::new(),
            volumes: Vec::new(),
            swept: Swept::new(),
            pairs: Vec::new(),
            before: Vec::new(),
            began: Vec::new(),
            ended: Vec::new(),
            gone: Vec::new(),
            options,
            choice,
            backend,
        };
        world.structure.set_backend(backend);
        world.try_reserve(options.capacity).expect("memory for the capacity");
        world
    }

    /// How many objects there are.
    ///
    /// ```
    /// # use hexphase::{Aabb, BroadPhase};
    /// let mut world: BroadPhase<f32, 1, &str> = BroadPhase::new();
    /// world.insert(Aabb::point([0.0]), "one")?;
    /// assert_eq!(world.len(), 1);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there are none.
    ///
    /// ```
    /// # use hexphase::BroadPhase;
    /// assert!(BroadPhase::<f32, 2>::new().is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Chooses the lanes that kernels run with; no answer depends on it.
    ///
    /// ```
    /// # use hexphase::{Backend, BroadPhase};
    /// let mut world: BroadPhase = BroadPhase::new();
    /// for backend in Backend::available() {
    ///     world.set_backend(backend);
    ///     assert_eq!(world.backend(), backend);
    /// }
    /// ```
    pub fn set_backend(&mut self, backend: Backend) {
        self.backend = backend;
        self.structure.set_backend(backend);
    }

    /// The lanes that kernels run with.
    ///
    /// ```
    /// # use hexphase::{Backend, BroadPhase};
    /// assert_eq!(BroadPhase::<f32, 2>::new().backend(), Backend::detect());
    /// ```
    #[must_use]
    pub const fn backend(&self) -> Backend {
        self.backend
    }

    /// Checks every invariant of the world and its structure; for tests.
    ///
    /// # Panics
    /// If one does not hold.
    ///
    /// ```
    /// # use hexphase::{Aabb, BroadPhase};
    /// let mut world: BroadPhase<f32, 1, &str> = BroadPhase::new();
    /// world.insert(Aabb::point([0.0]), "one")?;
    /// world.assert_well_formed();
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn assert_well_formed(&self) {
        self.structure.assert_well_formed();
        if let Some(backend) = self.structure.backend() {
            assert_eq!(backend, self.backend, "the structure runs on the lanes of the world");
        }
        let mut stored = 0;
        self.structure.each(&mut |key, body| {
            let handle = self.slots.handle(key);
            let content = self.slots.get(handle).map(|content| (content.filter, content.motion));
            assert_eq!(content, Some((body.proxy.filter, body.motion)), "object {handle}");
            if !volume::is_box::<S, D, B>() {
                let bounds = self.volumes[key as usize].aabb().checked();
                assert_eq!(bounds, Ok(body.bounds), "the box around the volume of {handle}");
            }
            stored += 1;
        });
        assert_eq!(stored, self.len(), "as many objects in the structure as slots in use");
        self.slots.assert_well_formed(&self.pairs);
        assert!(self.pairs.is_sorted(), "pairs ascend");
    }
}

impl<S: Scalar, const D: usize, U: Copy + Send + Sync, B: Bounds<S, D>> Default
    for BroadPhase<S, D, U, B>
{
    fn default() -> Self {
        Self::new()
    }
}

impl<S: Scalar, const D: usize, U: Copy, B: Copy> Clone for BroadPhase<S, D, U, B> {
    fn clone(&self) -> Self {
        Self {
            structure: self.structure.boxed_clone(),
            slots: self.slots.clone(),
            filters: self.filters.clone(),
            volumes: self.volumes.clone(),
            swept: self.swept.clone(),
            pairs: self.pairs.clone(),
            before: self.before.clone(),
            began: self.began.clone(),
            ended: self.ended.clone(),
            gone: Vec::new(),
            ..*self
        }
    }
}

impl<S: Scalar, const D: usize, U: Copy + Send + Sync, B: Bounds<S, D>> Index<Handle>
    for BroadPhase<S, D, U, B>
{
    type Output = U;

    /// The user data of an object.
    ///
    /// # Panics
    /// If the object was removed.
    fn index(&self, object: Handle) -> &U {
        let content = self.slots.get(object);
        &content.unwrap_or_else(|| panic!("object {object} was removed")).user
    }
}

impl<S: Scalar, const D: usize, U: Copy, B> fmt::Debug for BroadPhase<S, D, U, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BroadPhase")
            .field("len", &self.slots.len())
            .field("pairs", &self.pairs.len())
            .field("choice", &self.choice)
            .field("backend", &self.backend)
            .finish_non_exhaustive()
    }
}
