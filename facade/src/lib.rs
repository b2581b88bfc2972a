//! The broad phase of collision detection: which things overlap, found fast, and the same on
//! every machine.
//!
//! [`BroadPhase`] holds objects with bounds, a filter and user data, and finds every overlapping
//! pair of them. It stands on one of several structures, chosen by [`Algorithm`] or by itself;
//! which one runs, on which [`Backend`], and in what order things happened before, never changes
//! an answer.
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
//! # Features
//!
//! * `std` (default): ask the running CPU what it has; `tune`, which needs clocks.
//! * `wide`: the portable SIMD backend on x86-64, where it is rarely used; on other targets it is
//!   always there.
//! * `pulp` (default): the SSE4.1 and AVX2 backends on x86-64.
//! * `f64`, `i32`: worlds and structures of these number types, beside `f32`; each costs time at the
//!   first build.
//! * `rayon`: steps on the threads of the current pool; no result depends on it.
//! * `serde`: worlds, as their snapshots, saved with whatever else is plain: handles, options,
//!   filters, volumes, the hexagonal plane. What is read is checked.
//! * `hshg` (default): the hierarchical grid.
//! * `hash` (default): the sparse spatial hash.
//! * `morton` (default): Morton-sorted objects; without any of the three there is brute force alone.
//! * `hexcoord` (default): the hexagonal plane, as [`hex`].

#![no_std]
#![forbid(unsafe_code)]
extern crate alloc;
#[cfg(any(test, feature = "std"))]
extern crate std;

mod engine;
mod error;
mod events;
mod filters;
#[cfg(all(
    any(doc, doctest),
    feature = "hexcoord",
    feature = "hash",
    feature = "hshg",
    feature = "morton",
    feature = "std"
))]
pub mod guide;
mod handle;
mod options;
mod overlap;
mod query;
mod registry;
#[cfg(feature = "serde")]
mod saved;
mod slots;
mod snapshot;
mod structure;
#[cfg(feature = "std")]
pub mod tune;
mod users;
mod world;

pub use bounds_hexprism::{self as bounds, Bounds, HexPrism, Hexagon};
pub use broadphase_core::{
    Aabb, Backend, BackendKind, BackendUnavailable, BruteForce, Entry, Filter, Flow, IndexError,
    InvalidBounds, InvalidWorld, Lists, Motion, Neighbors, Number, Pair, Path, Region, Scalar,
    SpatialIndex, Target, Torus,
};
#[cfg(feature = "hash")]
pub use broadphase_hshg::SpatialHash;
#[cfg(feature = "hshg")]
pub use broadphase_hshg::{Hshg, HshgConfig};
#[cfg(feature = "morton")]
pub use broadphase_morton::MortonCells;
pub use error::Error;
pub use handle::Handle;
#[cfg(feature = "hexcoord")]
pub use hexcoord as hex;
pub use options::{Algorithm, Options, UnknownAlgorithm};
pub use overlap::{Overlap, Overlaps};
pub use query::{Found, Hit, Neighbor, Query};
pub use snapshot::{Plain, SnapshotError, SnapshotRing};
pub use structure::Proxy;
pub use world::{BroadPhase, Choice, LevelStats, Line, LineKind, Object, Reason, Stats};

/// The examples of the READMEs, as tests.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct WorkspaceReadmeExamples;

/// The examples of the READMEs, as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
