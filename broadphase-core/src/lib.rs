//! Shared types of all broad phases, the trait they implement, and a brute-force structure.
//!
//! A broad phase keeps the bounding boxes of many objects and finds the pairs of boxes that
//! overlap. This crate has the interface ([`SpatialIndex`]), the types it uses ([`Pair`],
//! [`IndexObject`], [`Filter`], [`Motion`], [`Region`], [`Path`], [`Target`], [`Lists`],
//! [`Neighbors`], [`IndexError`]), and two structures. [`BruteForce`] tests every
//! pair, eight at a time; it is the oracle of all tests and the fastest structure for up to 256
//! objects. [`Torus`] contains another structure and makes its world wrap (periodic). The parts
//! that the structures of this workspace consist of are in hidden modules; they are not stable.
//!
//! ```
//! use broadphase_core::{Aabb, BruteForce, SpatialIndexExt};
//!
//! let mut world: BruteForce = BruteForce::new();
//! world.insert(7, Aabb::of_ball([0.0, 0.0], 2.0))?;
//! world.insert(3, Aabb::around([3.0, 0.0], [1.0, 1.0]))?;
//! world.insert(9, Aabb::of_ball([9.0, 9.0], 1.0))?;
//!
//! let mut pairs = Vec::new();
//! world.pairs(&mut pairs);
//! assert_eq!(pairs, [[3, 7]]);
//! # Ok::<(), broadphase_core::IndexError>(())
//! ```
//!
//! The examples of types and traits that `hexphase` re-exports name `hexphase`, not this crate.
//!
//! # Terms
//!
//! * **Object**: bounds and a motion class, stored under a key ([`IndexObject`]).
//! * **Key**: the `u32` by which the caller identifies an object. Small, dense keys are best.
//! * **Slot**: the index at which a structure stores an object; changes on removal or reordering.
//! * **Bounds**: the box ([`Aabb`]) of an object: finite, with `min <= max`; touching boxes
//!   overlap.
//! * **Pair**: the keys of two objects whose bounds overlap, the smaller key first ([`Pair`]).
//! * **Canonical order**: pairs ascending by first key, then by second key; single keys ascending.
//! * **Motion class**: dynamic, static or sleeping ([`Motion`]).
//! * **Filter**: layers, mask, group and owner of an object, which decide whether two objects may
//!   form a pair ([`Filter`]); stored by the caller.
//! * **Region**: a box, a point or a ball ([`Region`]); see [`query`](SpatialIndexExt::query).
//! * **Path**: a segment, ray or moving box ([`Path`]); see [`cast`](SpatialIndexExt::cast).
//! * **Target**: a point or box, possibly with limits of the distance ([`Target`]); see
//!   [`nearest`](SpatialIndexExt::nearest).
//! * **Visitor**: a closure that receives objects one by one, and *stops* the method by returning
//!   `Break` or `Err` ([`Flow`]).
//! * **Lists**: one list of keys per query of a batch ([`Lists`]), or per object ([`Neighbors`]).
//!
//! # Features
//!
//! * `std` (default): detects the CPU's instruction sets at run time.
//! * `wide`: adds the portable SIMD backend.
//! * `pulp` (default): adds the SSE4.1 and AVX2 backends on x86-64.
//! * `f64`, `i32`: compiles structures of these number types; each makes the first build longer.
//! * `one-dimension`, `two-dimensions`, `three-dimensions` (defaults): compiles structures for
//!   them.
//! * `rayon`: divides pairs, batches and walks among threads; results do not depend on their
//!   number.
//! * `serde`: implements `Serialize` and `Deserialize` for filters, motion classes and bounds.
//! * `scenes`: adds the generators of the benchmark scenes.

#![no_std]
#![forbid(unsafe_code)]
extern crate alloc;
#[cfg(any(test, feature = "std"))]
extern crate std;

mod brute;
mod error;
mod filter;
mod index;
mod index_ext;
#[doc(hidden)]
pub mod kernel;
mod morton;
mod motion;
#[doc(hidden)]
pub mod motions;
mod object;
#[doc(hidden)]
pub mod objects;
mod order;
pub mod pairs;
mod prefetch;
mod provided;
pub mod query;
#[cfg(feature = "scenes")]
#[doc(hidden)]
pub mod scenes;
#[doc(hidden)]
pub mod slots;
#[doc(hidden)]
pub mod sort;
mod state;
#[doc(hidden)]
pub mod tasks;
#[doc(hidden)]
pub mod torus;
mod walk;

pub use bounds_hexprism::{
    Aabb, Backend, BackendKind, BackendUnavailable, Flow, HitMask, InvalidBounds, Kernel, Keys,
    LANES, LaneKeys, Lanes, Number, Scalar, SlabPlanes, SlabVec, Slabs,
};
#[doc(hidden)]
pub use bounds_hexprism::{array_of, assert_compiled, instances};
pub use brute::BruteForce;
#[doc(hidden)]
pub use error::FirstError;
pub use error::IndexError;
pub use filter::Filter;
pub use index::{Maintenance, SpatialIndex};
pub use index_ext::SpatialIndexExt;
#[doc(hidden)]
pub use morton::spread_bits;
pub use motion::Motion;
pub use object::{Entry, IndexObject};
#[doc(hidden)]
pub use order::apply_order;
pub use pairs::{Pair, PairFilter, PairSearch};
pub use prefetch::Prefetch;
#[doc(hidden)]
pub use provided::{insert_each, remove_each};
pub use query::{Lists, Near, Neighbors, Path, Region, Search, Target, Visit, first_contact};
pub use state::{IndexState, LevelStats, SearchStats};
pub use torus::{InvalidWorld, Torus};
pub use walk::{Walk, WalkBatch};

/// The examples in README.md, compiled and run as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
