//! Grids for the broad phase of collision detection.
//!
//! [`Hshg`] is the hierarchical grid: objects of any sizes in rows, swept eight at a time.
//! [`SpatialHash`] divides an unbounded world into cells of one size and keeps, for each cell that
//! anything touches, the list of what touches it. Both have every overlapping pair; boxes and balls,
//! paths, what is nearest and who is near whom are asked with the vocabulary of
//! [`broadphase_core`], which is re-exported here. Which cells of a grid a segment touches says
//! [`cells_on_segment`].
//!
//! ```
//! use broadphase_hshg::{Aabb, SpatialHash, SpatialIndex};
//!
//! let mut world: SpatialHash<f32, 2, &str> = SpatialHash::new(4.0);
//! world.insert(0, Aabb::of_ball([0.0, 0.0], 2.0), "ship")?;
//! world.insert(1, Aabb::around([3.0, 0.0], [1.0, 1.0]), "rock")?;
//! world.insert(2, Aabb::of_ball([1e6, -1e6], 2.0), "far away")?;
//!
//! let mut pairs = Vec::new();
//! world.pairs(&mut pairs);
//! assert_eq!(pairs, [[0, 1]]);
//! # Ok::<(), broadphase_hshg::IndexError>(())
//! ```
//!
//! # Features
//!
//! * `std` (default): ask the running CPU what it has.
//! * `wide`: the portable SIMD backend.
//! * `pulp` (default): the SSE4.1 and AVX2 backends on x86-64.
//! * `f64`, `i32`: structures of these number types, beside `f32`; each costs time at the first build.
//! * `rayon`: pairs, batches and walks on the threads of the current pool; no result depends on it.

#![no_std]
#![forbid(unsafe_code)]
extern crate alloc;
#[cfg(any(test, feature = "std"))]
extern crate std;

mod cell;
mod cover;
mod grid;
mod hash;

pub use broadphase_core::{
    Aabb, Backend, BackendKind, BackendUnavailable, BruteForce, Entry, Filter, Flow, IndexError,
    InvalidBounds, Lists, Motion, Neighbors, Pair, Path, Region, Scalar, SpatialIndex, Target,
    apply_order, pairs,
};
pub use cover::{bresenham_line, cells_in_box, cells_on_segment};
pub use grid::{Batch, BatchKernel, Changes, Hshg, HshgConfig, LevelStats, ObjectMut, Stats};
pub use hash::{CellHasher, CellMap, Dense, HashStats, Placement, Sparse, SpatialHash};

/// The examples of the README, as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
