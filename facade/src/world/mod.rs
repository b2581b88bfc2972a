//! `BroadPhase`: insert objects, get overlapping pairs.
//!
//! This thin generic layer stores user data and volumes and calls the caller's closures. The engine
//! and the registry, which are compiled once, in this crate, do all other work.

mod across;
mod inspect;
mod into_bounds;
#[cfg(all(feature = "std", target_has_atomic = "64"))]
mod limited;
mod near;
mod objects;
mod queries;
mod step;
mod swept;
mod walk;

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Index;

use bounds_hexprism::Bounds;
use broadphase_core::{
    Aabb, Backend, Filter, InvalidBounds, Motion, Number, Pair, Scalar, SpatialIndex,
    SpatialIndexExt, assert_compiled,
};

use crate::engine::{self, Engine};
pub use crate::engine::{Choice, Line, LineKind, Reason, Stats};
use crate::registry::Registry;
use crate::users::UserTable;
use crate::{Handle, Options, UserData};
pub(crate) use across::VolumeTest;
pub use into_bounds::IntoBounds;
#[cfg(all(feature = "std", target_has_atomic = "64"))]
pub use limited::TooManyPairs;
pub use swept::SweptHit;

/// A set of objects with bounds, filters and user data that finds their overlapping pairs.
///
/// `S` is the number type: `f32`, or `f64` or `i32`, which require the feature of that name. `D` is
/// the dimension: 2 or 3, or 1, which requires the feature `one-dimension`. `U` is the user data of
/// each object, and `B` the volume around it, by default a box. Two objects form a pair only if
/// their volumes overlap, too.
///
/// Results depend only on the current objects, events also on the pairs of the step before: not on
/// earlier operations, the structure, the backend or the number of threads.
///
/// ```
/// use hexphase::{Aabb, BroadPhase, Filter, Motion, Object};
///
/// const GROUND: u64 = 1;
/// const UNIT: u64 = 2;
/// let mut world: BroadPhase<f32, 3, u32> = BroadPhase::new();
/// for user in 0..100 {
///     let tile = Aabb::around([8.0 * user as f32, 0.0, 0.0], [4.0, 4.0, 4.0]);
///     let tile = Object::new(tile, user).motion(Motion::Static);
///     world.insert_object(tile.filter(Filter::layers(GROUND)))?;
/// }
/// let walker = Aabb::around([20.0, 0.0, 5.0], [1.0, 1.0, 1.0]);
/// let walker = world.insert_object(Object::new(walker, 1000).filter(Filter::layers(UNIT)))?;
/// world.step();
/// let tiles: Vec<u32> = world.pairs().map(|overlap| overlap.users[0]).collect();
/// assert_eq!(tiles, [2, 3]); // tiles touch each other, but two static objects form no pair
/// let region = Aabb::new([0.0, 0.0, 0.0], [8.0, 0.0, 0.0]);
/// assert_eq!(world.query(region).except(walker).to_vec().len(), 2);
/// # Ok::<(), hexphase::Error>(())
/// ```
///
/// With hexagons as volumes, objects with overlapping boxes but disjoint hexagons form no pair.
///
/// ```
/// use hexphase::{BroadPhase, Hexagon};
///
/// let mut world: BroadPhase<f32, 2, &str, Hexagon> = BroadPhase::new();
/// world.insert(Hexagon::of_points([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]])?, "ship")?;
/// world.insert(Hexagon::of_points([[9.0, 9.0], [9.0, 12.0], [12.0, 9.0]])?, "rock")?;
/// world.step();
/// assert_eq!(world.pairs().len(), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct BroadPhase<S = f32, const D: usize = 2, U = (), B = Aabb<S, D>> {
    pub(crate) engine: Box<dyn Engine<S, D>>,
    pub(crate) registry: Registry,
    pub(crate) users: UserTable<U>,
    /// Volumes by slot. Empty if the volumes are boxes, which the structure stores.
    pub(crate) volumes: Vec<B>,
    /// Buffer for the pairs of a [`PairQuery`](crate::PairQuery).
    pub(crate) found: Vec<Pair>,
}

/// An object to insert ([`BroadPhase::insert_object`]), or the current state of one, returned by
/// [`BroadPhase::get`].
///
/// ```
/// use hexphase::{Aabb, BroadPhase, Filter, Motion, Object};
///
/// let mut world: BroadPhase<f32, 2, char> = BroadPhase::new();
/// let rock = Object::new(Aabb::point([3.0, 0.0]), 'r').motion(Motion::Static);
/// let handle = world.insert_object(rock.filter(Filter::layers(2)))?;
/// let object = world.get(handle).unwrap();
/// assert_eq!((object.user, object.motion, object.swept), ('r', Motion::Static, false));
/// # Ok::<(), hexphase::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Object<B, U> {
    /// Volume, without negative zeros. In a world that wraps a box is in the home range; a tighter
    /// volume is unchanged.
    pub bounds: B,
    /// User data.
    pub user: U,
    /// Filter: which objects the object can form pairs with.
    pub filter: Filter,
    /// Motion class.
    pub motion: Motion,
    /// Whether the object is swept: see [`BroadPhase::set_swept`].
    pub swept: bool,
}

impl<B, U> Object<B, U> {
    /// Creates a dynamic object that forms pairs with all objects and is not swept.
    #[must_use]
    pub const fn new(bounds: B, user: U) -> Self {
        Self { bounds, user, filter: Filter::ALL, motion: Motion::Dynamic, swept: false }
    }

    /// Sets the filter.
    #[must_use]
    pub fn filter(self, filter: Filter) -> Self {
        Self { filter, ..self }
    }

    /// Sets the motion class.
    #[must_use]
    pub fn motion(self, motion: Motion) -> Self {
        Self { motion, ..self }
    }
}

// The bound of `U` is on each function, not on the `impl`: so the compiler prints the advice of
// `UserData` for a type that is not user data.
impl<S: Scalar, const D: usize, U, B: Bounds<S, D>> BroadPhase<S, D, U, B> {
    /// Creates an empty world with default options.
    ///
    /// ```
    /// use hexphase::BroadPhase;
    ///
    /// let world: BroadPhase<f32, 3, u64> = BroadPhase::new();
    /// assert!(world.is_empty());
    /// ```
    #[must_use]
    pub fn new() -> Self
    where
        S: Number,
        U: UserData,
    {
        const { assert_compiled(D) };
        Self::with_options(Options::new())
    }

    /// Creates an empty world.
    ///
    /// # Panics
    /// If allocating the capacity fails.
    ///
    /// ```
    /// use hexphase::{BroadPhase, Options};
    ///
    /// let options = Options::new().capacity(100).events(false);
    /// let world: BroadPhase<f32, 2> = BroadPhase::with_options(options);
    /// assert_eq!(world.len(), 0);
    /// ```
    #[must_use]
    pub fn with_options(options: Options<S, D>) -> Self
    where
        S: Number,
        U: UserData,
    {
        const { assert_compiled(D) };
        Self::on(engine::auto(options), options)
    }

    /// Creates a world on a structure supplied by the caller, which must be empty.
    ///
    /// The options `algorithm` and `smallest_cell` have no effect. The structure itself must not
    /// wrap: set [`Options::wrap`], and the world adds the wrapping.
    ///
    /// # Panics
    /// If the structure contains objects, or as [`with_options`](Self::with_options).
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase, BruteForce, Options};
    ///
    /// let own = BruteForce::<f32, 2>::new(); // any `SpatialIndex`
    /// let mut world: BroadPhase<f32, 2, u8> = BroadPhase::with_index(own, Options::new());
    /// world.insert(Aabb::point([0.0, 0.0]), 1)?;
    /// world.step();
    /// assert_eq!(world.choice().algorithm, None);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    #[must_use]
    pub fn with_index(index: impl SpatialIndex<S, D>, options: Options<S, D>) -> Self
    where
        S: Number,
        U: UserData,
    {
        const { assert_compiled(D) };
        assert!(index.is_empty(), "the structure of a new world must be empty");
        Self::on(engine::custom(Box::new(index), options), options)
    }

    fn on(engine: Box<dyn Engine<S, D>>, options: Options<S, D>) -> Self
    where
        U: UserData,
    {
        let mut world = Self {
            engine,
            registry: Registry::new(options.events),
            users: UserTable::new(),
            volumes: Vec::new(),
            found: Vec::new(),
        };
        world.try_reserve(options.capacity).expect("allocating the capacity failed");
        world
    }
}

impl<S: Scalar, const D: usize, U: UserData, B: Bounds<S, D>> BroadPhase<S, D, U, B> {
    /// Returns the number of objects.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase};
    ///
    /// let mut world: BroadPhase<f32, 2, &str> = BroadPhase::new();
    /// world.insert(Aabb::point([0.0, 0.0]), "one")?;
    /// assert_eq!(world.len(), 1);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.registry.slots.len()
    }

    /// Returns whether the world has no objects.
    ///
    /// ```
    /// use hexphase::BroadPhase;
    ///
    /// assert!(BroadPhase::<f32, 2>::new().is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Sets the SIMD backend of the kernels. It affects speed only, never results.
    ///
    /// ```
    /// use hexphase::{Backend, BroadPhase};
    ///
    /// let mut world: BroadPhase = BroadPhase::new();
    /// for backend in Backend::available() {
    ///     world.set_backend(backend);
    ///     assert_eq!(world.backend(), backend);
    /// }
    /// ```
    pub fn set_backend(&mut self, backend: Backend) {
        self.engine.set_backend(backend);
    }

    /// Returns the SIMD backend of the kernels.
    ///
    /// ```
    /// use hexphase::{Backend, BroadPhase};
    ///
    /// assert_eq!(BroadPhase::<f32, 2>::new().backend(), Backend::detect());
    /// ```
    #[must_use]
    pub fn backend(&self) -> Backend {
        self.engine.backend()
    }

    /// Returns the structure in use, and the reason for its selection.
    ///
    /// A new world starts with brute force. Insertions, [`step`](Self::step),
    /// [`optimize`](Self::optimize) and queries replace it when another structure suits the number
    /// of objects.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase};
    ///
    /// let mut world: BroadPhase<f32, 2, u32> = BroadPhase::new();
    /// world.insert(Aabb::point([0.0, 0.0]), 0)?;
    /// assert_eq!(world.choice().to_string(), "brute");
    /// for user in 1..1_000 {
    ///     world.insert(Aabb::point([user as f32, 0.0]), user)?;
    /// }
    /// world.step();
    /// println!("{} for 1000 objects", world.choice());
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    #[must_use]
    pub fn choice(&self) -> Choice<S> {
        self.engine.choice()
    }

    /// Selects the structure that suits the objects and runs its pending maintenance.
    ///
    /// A program never needs this call; it only chooses the moment. Every [`step`](Self::step) does
    /// this, and so do queries: after many queries a change first sorts the objects inserted or
    /// moved before, or a query makes a sorted copy, which replaces the structure at the next
    /// change. (Without the feature `std`, queries test unsorted objects one by one.) Rebuilding
    /// the structure is linear in the number of objects, and rare: when the number passes the limit
    /// of brute force, or has doubled or halved since the hash computed its cell size.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase};
    ///
    /// let mut world: BroadPhase<f32, 2, u32> = BroadPhase::new();
    /// for user in 0..1_000 {
    ///     world.insert(Aabb::point([user as f32, 0.0]), user)?;
    /// }
    /// world.optimize();
    /// let ten = world.query(Aabb::new([10.0, 0.0], [20.0, 0.0])).to_vec();
    /// assert_eq!(ten.len(), 11);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn optimize(&mut self) {
        self.engine.select(self.registry.slots.len());
        self.engine.structure_mut().optimize();
    }

    /// Checks every invariant of the world. For tests; takes at least linear time.
    ///
    /// # Panics
    /// If an invariant is violated.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase};
    ///
    /// let mut world: BroadPhase<f32, 2, &str> = BroadPhase::new();
    /// world.insert(Aabb::point([0.0, 0.0]), "one")?;
    /// world.assert_well_formed();
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn assert_well_formed(&self) {
        self.engine.assert_well_formed(&self.registry);
        if !B::IS_BOX {
            for object in self.handles() {
                let stored = self.engine.structure().get(object.index());
                let bounds = self.volumes[object.index() as usize].aabb();
                let bounds = self.engine.options().world().reduced(bounds);
                assert_eq!(
                    bounds.ok(),
                    stored.map(|stored| stored.bounds),
                    "the stored box differs from the box of {object}"
                );
            }
        }
        let slots = self.registry.slots.list_len();
        assert!(self.users.now.len() <= slots, "more user data than slots");
        assert!(
            self.registry.slots.capacity() <= self.users.now.len(),
            "less user data than slots"
        );
    }
}

/// Validates a volume and its box for storage, and replaces −0 with 0.
// Inlined: a result in memory is stored number by number and loaded in larger units, so each load
// waits for the stores. That takes 25 % of an update of balls.
#[inline(always)]
pub(crate) fn checked_volume<S: Scalar, const D: usize, B: Bounds<S, D>>(
    volume: B,
) -> Result<(B, Aabb<S, D>), InvalidBounds> {
    let volume = volume.checked()?;
    Ok((volume, volume.aabb().checked()?))
}

impl<S: Number, const D: usize, U: UserData, B: Bounds<S, D>> Default for BroadPhase<S, D, U, B> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: Scalar, const D: usize, U: Copy, B: Copy> Clone for BroadPhase<S, D, U, B> {
    fn clone(&self) -> Self {
        Self {
            engine: self.engine.boxed_clone(),
            registry: self.registry.clone(),
            users: self.users.clone(),
            volumes: self.volumes.clone(),
            found: Vec::new(),
        }
    }
}

impl<S: Scalar, const D: usize, U: UserData, B: Bounds<S, D>> Index<Handle>
    for BroadPhase<S, D, U, B>
{
    type Output = U;

    /// Returns the user data of an object.
    ///
    /// # Panics
    /// If the object was removed.
    fn index(&self, object: Handle) -> &U {
        assert!(self.contains(object), "object {object} was removed");
        &self.users.now[object.index() as usize]
    }
}

impl<S: Scalar, const D: usize, U: Copy, B> fmt::Debug for BroadPhase<S, D, U, B> {
    /// Writes the numbers of objects and pairs, the structure and its reason, the backend, and
    /// options that differ from the defaults.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (choice, options) = (self.engine.choice(), self.engine.options());
        let mut world = f.debug_struct("BroadPhase");
        world
            .field("len", &self.registry.slots.len())
            .field("pairs", &self.registry.pairs.len())
            .field("structure", &format_args!("{choice} {}", choice.reason))
            .field("backend", &format_args!("{}", self.engine.backend()));
        if options.wraps() {
            world.field("sides", &options.sides);
        }
        if !self.registry.events {
            world.field("events", &false);
        }
        if let Some(cell) = options.cell {
            world.field("smallest_cell", &cell);
        }
        world.finish_non_exhaustive()
    }
}
