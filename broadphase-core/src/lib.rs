//! Shared types of all broad phases, the trait they implement, and a brute-force structure.
//!
//! A broad phase keeps the bounding boxes of many objects and finds the pairs of boxes that
//! overlap. This crate has the interface ([`SpatialIndex`]), the types it uses ([`Pair`],
//! [`Entry`], [`Filter`], [`Motion`], [`Region`], [`Path`], [`Target`], [`Lists`], [`Neighbors`],
//! [`IndexError`], [`FirstError`]), the parts that structures consist of ([`objects`], [`slots`],
//! [`motions`], [`pairs`], [`sort`], [`tasks`]), and two structures. [`BruteForce`] tests every
//! pair, eight at a time; it is the oracle of all tests and the fastest structure for a few hundred
//! objects. [`Torus`] contains another structure and makes its world wrap (periodic).
//!
//! ```
//! use broadphase_core::{Aabb, BruteForce, SpatialIndex};
//!
//! let mut world: BruteForce<f32, 2, &str> = BruteForce::new();
//! world.insert(7, Aabb::of_ball([0.0, 0.0], 2.0), "ship")?;
//! world.insert(3, Aabb::around([3.0, 0.0], [1.0, 1.0]), "rock")?;
//! world.insert(9, Aabb::of_ball([9.0, 9.0], 1.0), "moon")?;
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
//! * **Object**: bounds, data and a motion class, stored under a key.
//! * **Key**: the `u32` by which the caller identifies an object. Small, dense keys are best.
//! * **Slot**: the index at which a structure stores an object; changes when other objects are
//!   removed or reordered.
//! * **Bounds**: the axis-aligned box ([`Aabb`]) of an object: finite, with `min <= max`. Boxes are
//!   closed: touching boxes overlap.
//! * **Pair**: the keys of two different objects whose bounds overlap, the smaller key first
//!   ([`Pair`]).
//! * **Canonical order**: pairs ascending by first key, then by second key; single keys ascending.
//! * **Motion class**: dynamic, static or sleeping ([`Motion`]). Two static objects never form a
//!   pair.
//! * **Filter**: layers, mask, group and owner of an object; two filters decide whether their
//!   objects may form a pair ([`Filter`]); stored as the objects' data and applied by
//!   [`pairs_where`](SpatialIndex::pairs_where).
//! * **Region**: a box, a point or a ball; the argument of [`query`](SpatialIndex::query)
//!   ([`Region`]).
//! * **Path**: a segment, a ray or a moving box; the argument of [`cast`](SpatialIndex::cast)
//!   ([`Path`]).
//! * **Target**: a point or box and optional limits of the distance; the argument of
//!   [`nearest`](SpatialIndex::nearest) ([`Target`]).
//! * **Visitor**: the caller's closure that receives objects or pairs one by one; it *stops* the
//!   method by returning `Break` or `Err` ([`Flow`]).
//! * **Lists**: one list of keys per query of a batch, stored back to back ([`Lists`]);
//!   [`Neighbors`] has one list per object.
//!
//! # Features
//!
//! * `std` (default): detects the CPU's instruction sets at run time.
//! * `wide`: adds the portable SIMD backend.
//! * `pulp` (default): adds the SSE4.1 and AVX2 backends on x86-64.
//! * `f64`, `i32`: compiles structures of these number types in addition to `f32`; each makes the
//!   first build longer.
//! * `one-dimension`, `two-dimensions`, `three-dimensions` (defaults): compiles structures in this
//!   number of dimensions.
//! * `rayon`: divides pairs, batches and walks among the threads of the current pool; results do
//!   not depend on the number of threads.
//! * `serde`: implements `Serialize` and `Deserialize` for filters, motion classes and bounds.
//! * `scenes`: adds the generators of the benchmark scenes.

#![no_std]
#![forbid(unsafe_code)]
extern crate alloc;
#[cfg(any(test, feature = "std"))]
extern crate std;

mod brute;
mod entry;
mod error;
mod filter;
mod index;
pub mod kernel;
mod morton;
mod motion;
pub mod motions;
pub mod objects;
mod order;
pub mod pairs;
mod provided;
pub mod query;
#[cfg(feature = "scenes")]
pub mod scenes;
mod search_stats;
pub mod skin;
pub mod slots;
pub mod sort;
pub mod tasks;
#[doc(hidden)]
pub mod torus;

pub use bounds_hexprism::{
    Aabb, Backend, BackendKind, BackendUnavailable, Flow, HitMask, InvalidBounds, Kernel, Keys,
    LANES, LaneKeys, Lanes, Number, Scalar, SlabPlanes, SlabVec, Slabs,
};
#[doc(hidden)]
pub use bounds_hexprism::{DataAddress, array_of, assert_compiled, instances};
pub use brute::BruteForce;
pub use entry::Entry;
pub use error::{FirstError, IndexError};
pub use filter::Filter;
pub use index::SpatialIndex;
#[doc(hidden)]
pub use morton::spread_bits;
pub use motion::Motion;
pub use order::apply_order;
pub use pairs::Pair;
pub use provided::insert_each;
pub use query::{Lists, Neighbors, Path, Region, Target, first_contact};
pub use search_stats::SearchStats;
pub use torus::{InvalidWorld, Torus};

/// The examples in README.md, compiled and run as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
