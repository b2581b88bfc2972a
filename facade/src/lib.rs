//! The broad phase of collision detection: finds all pairs of overlapping objects, fast, and
//! bit-identical on every machine.
//!
//! [`BroadPhase`] stores objects with bounds, a filter and user data, and finds every overlapping
//! pair. Its structure is set by [`Algorithm`] or selected by the number of objects. Results do not
//! depend on the structure, the [`Backend`], the number of threads, or earlier operations.
//!
//! ```
//! use hexphase::{Aabb, BroadPhase};
//!
//! let mut world: BroadPhase<f32, 2, &str> = BroadPhase::new();
//! let ship = world.insert(Aabb::of_ball([0.0, 0.0], 2.0), "ship")?;
//! world.insert(Aabb::around([3.0, 0.0], [2.0, 1.0]), "rock")?;
//! world.step();
//! for overlap in world.pairs() {
//!     assert_eq!(overlap.users, ["ship", "rock"]);
//! }
//! world.set_bounds(ship, Aabb::of_ball([9.0, 0.0], 2.0))?;
//! world.step();
//! assert_eq!(world.pairs().count(), 0);
//! # Ok::<(), hexphase::Error>(())
//! ```
//!
//! Without a world, [`find_pairs`] finds the pairs of a list of boxes, [`find_pairs_between`] those
//! of two lists, and [`find_neighbors`] the neighbors of points.
//!
//! # Terms
//!
//! * **Object**: an entry of a world. It has bounds, a filter, a motion class and user data.
//! * **Bounds**: an axis-parallel box, [`Aabb`]. Boxes are closed: touching counts as overlapping.
//! * **Volume**: the shape of an object, type parameter `B`: a box by default; a tighter shape such
//!   as [`Hexagon`] decides whether two objects with overlapping boxes form a pair.
//! * **Slot**: index of an object; the lowest free slot is used first. A **[`Handle`]** is a slot
//!   with a generation, which changes when the slot is reused; it is **stale** if its object was
//!   removed.
//! * **Filter**: layers, mask, group and owner, which decide whether two objects can form a pair.
//! * **Motion class**: dynamic, static or sleeping ([`Motion`]). Two static objects form no pair.
//! * **Pair**: two overlapping objects, not both static, whose filters accept each other.
//! * **Step**: finds all pairs. Compared with the step before, a new pair **began**, a pair that is
//!   gone **ended**; these are the **events** of the step. A **tick** is one round of the program:
//!   it changes objects, then takes a step.
//! * **Query**: finds objects in a region, on a path or near a target, at any time; see [`Query`].
//! * **Swept** object: forms pairs with all objects that overlap the box around its path since the
//!   last step; [`BroadPhase::swept_hits`] tests the path itself.
//! * **Structure**: the spatial index that finds candidates: brute force, grid, hash, or sorted
//!   objects, grouped into **cells**; cells of one size form a **level**.
//! * **Backend**: instruction set of the kernels: scalar, portable SIMD, SSE4.1 or AVX2.
//! * **World that wraps**: an object that leaves on one side enters on the opposite side; see
//!   [`Torus`]. Boxes are stored with `min` in the **home range**: at least 0 and below the side. A
//!   **seam** is where the ends of an axis join; an **image** is a box or volume moved by whole
//!   sides.
//!
//! # Features
//!
//! * `std` (default): run-time CPU detection, [`BroadPhase::step_up_to`], and the module `tune`.
//! * `pulp` (default): the SSE4.1 and AVX2 backends on x86-64.
//! * `wide`: the portable SIMD backend on x86-64, rarely needed; always compiled on other targets.
//! * `hshg` (default): the hierarchical grid, `Hshg`, and the functions for lists.
//! * `hash`: the sparse spatial hash, `SpatialHash`.
//! * `morton`: Morton-sorted objects, `MortonCells`. Brute force needs no feature.
//! * `hexcoord`: the hexagonal plane, as module `hex`.
//! * `f64`, `i32`: worlds and structures of these number types. Each lengthens the first build.
//! * `two-dimensions`, `three-dimensions` (defaults), `one-dimension`: worlds and structures in
//!   this number of dimensions. A first build with one of the defaults takes two thirds of the
//!   time.
//! * `rayon`: steps and updates run on the threads of the current pool.
//! * `serde`: saves worlds (as snapshots), handles, filters, volumes and the hexagonal plane.

#![no_std]
#![forbid(unsafe_code)]
// Pages on docs.rs show the features that an item requires.
#![cfg_attr(docsrs, feature(doc_cfg))]
extern crate alloc;
#[cfg(any(test, feature = "std"))]
extern crate std;

mod engine;
mod error;
mod events;
mod filters;
#[cfg(any(doc, doctest))]
pub mod guide;
mod handle;
mod interest;
mod options;
mod overlap;
mod query;
mod registry;
#[cfg(feature = "serde")]
mod saved;
mod slots;
mod snapshot;
#[cfg(feature = "std")]
pub mod tune;
mod users;
mod world;

pub use bounds_hexprism::{self as bounds, Ball, Bounds, HexPrism, Hexagon};
pub use broadphase_core::{
    Aabb, Backend, BackendKind, BackendUnavailable, BruteForce, Entry, Filter, Flow, IndexError,
    IndexObject, IndexState, InvalidBounds, InvalidWorld, LevelStats, Lists, Maintenance, Motion,
    Near, Neighbors, Number, Pair, PairFilter, PairSearch, Path, Prefetch, Region, Scalar, Search,
    SearchStats, SpatialIndex, SpatialIndexExt, Target, Torus, Visit, Walk, WalkBatch,
};
#[cfg(feature = "hshg")]
#[doc(no_inline)]
pub use broadphase_hshg::Hshg;
#[cfg(feature = "hash")]
#[doc(no_inline)]
pub use broadphase_hshg::SpatialHash;
#[cfg(feature = "hshg")]
#[doc(hidden)]
pub use broadphase_hshg::on_backend;
#[cfg(feature = "hshg")]
pub use broadphase_hshg::{InvalidBox, find_neighbors, find_pairs, find_pairs_between};
#[cfg(feature = "morton")]
#[doc(no_inline)]
pub use broadphase_morton::MortonCells;
pub use error::Error;
pub use handle::Handle;
#[cfg(feature = "hexcoord")]
pub use hexcoord as hex;
pub use interest::{Interest, InterestChange};
pub use options::{Algorithm, Options, UnknownAlgorithm};
pub use overlap::{Overlap, Overlaps};
pub use query::{Found, Hit, IntoShape, Neighbor, NeighborLists, PairQuery, Query, QueryMany};
#[doc(hidden)]
pub use snapshot::plain_support;
pub use snapshot::{Plain, SnapshotError, SnapshotRing};
pub use users::UserData;
#[cfg(all(feature = "std", target_has_atomic = "64"))]
pub use world::TooManyPairs;
pub use world::{BroadPhase, Choice, IntoBounds, Line, LineKind, Object, Reason, Stats, SweptHit};

/// The code examples of the root README, compiled as tests.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct WorkspaceReadmeExamples;

/// The code examples of the crate's README, compiled as tests.
#[cfg(all(doctest, feature = "hexcoord", feature = "i32"))]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
