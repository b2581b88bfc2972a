//! What every broad phase shares.
//!
//! The vocabulary of the structures ([`Pair`], [`Entry`], [`Filter`], [`IndexError`]) and of what
//! one asks them ([`Region`], [`Path`], [`Target`], [`Lists`], [`Neighbors`]); the trait they all
//! implement ([`SpatialIndex`]), and the parts they are built of ([`objects`], [`pairs`]);
//! [`BruteForce`]: every pair tested, eight at a time, the oracle of every test and the best
//! structure for a few hundred objects; and [`Torus`], which makes of any structure one whose
//! world joins itself at its ends.
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
//! # Features
//!
//! * `std` (default): ask the running CPU what it has.
//! * `wide`: the portable SIMD backend.
//! * `pulp` (default): the SSE4.1 and AVX2 backends on x86-64.
//! * `f64`, `i32`: structures of these number types, beside `f32`; each costs time at the first build.
//! * `rayon`: pairs, batches and walks on the threads of the current pool; no result depends on it.
//! * `serde`: filters, motion classes and bounds saved.
//! * `scenes`: the generators of the benchmark scenes.

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
mod motion;
pub mod motions;
pub mod objects;
mod order;
pub mod pairs;
pub mod query;
#[cfg(feature = "scenes")]
pub mod scenes;
pub mod skin;
pub mod slots;
pub mod tasks;
#[doc(hidden)]
pub mod torus;

pub use bounds_hexprism::{
    Aabb, Backend, BackendKind, BackendUnavailable, Flow, HitMask, InvalidBounds, Kernel, LANES,
    LaneKeys, Lanes, Number, Scalar, SlabPlanes, SlabVec, Slabs,
};
#[doc(hidden)]
pub use bounds_hexprism::{array_of, instances};
pub use brute::BruteForce;
pub use entry::Entry;
pub use error::IndexError;
pub use filter::Filter;
pub use index::SpatialIndex;
pub use motion::Motion;
pub use order::apply_order;
pub use pairs::Pair;
pub use query::{Lists, Neighbors, Path, Region, Target};
pub use torus::{InvalidWorld, Torus};

/// The examples of the README, as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
