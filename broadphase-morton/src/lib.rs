//! Broad phase in Morton order: what is near in space is near in memory.
//!
//! [`MortonCells`] is the structure: objects of any sizes in clusters of neighbours under a tree of
//! bounds, with a static part that is sorted once. [`Octree`] is the algorithm of the article on
//! Morton order that it comes from. Both stand on [`Code`], which interleaves the bits of a cell's
//! coordinates, so that sorting codes sorts cells into an octree (a quadtree in two dimensions)
//! without any pointers: what lies in a larger cell is a contiguous range.
//!
//! ```
//! use broadphase_morton::Code;
//!
//! let cell = Code::<3>::encode([5, 9, 1]);
//! assert_eq!(cell.decode(), [5, 9, 1]);
//! // The cell of side 4 around it begins at (4, 8, 0) and holds 64 codes.
//! assert_eq!(cell.parent(2).decode(), [4, 8, 0]);
//! assert!(cell.parent(2).range(2).contains(&cell));
//! ```
//!
//! # Features
//!
//! * `std` (default): ask the running CPU what it has.
//! * `wide`: the portable SIMD backend.
//! * `pulp` (default): the SSE4.1 and AVX2 backends on x86-64.
//! * `f64`, `i32`: structures of these number types, beside `f32`; each costs time at the first build.
//! * `rayon`: pairs, batches and upkeep on the threads of the current pool; no result depends on it.

#![no_std]
#![forbid(unsafe_code)]
extern crate alloc;

mod batch;
mod cells;
mod code;
mod curve;
mod octree;

pub use broadphase_core::{
    Aabb, Backend, BackendKind, BackendUnavailable, Entry, Flow, IndexError, InvalidBounds, Lists,
    Motion, Neighbors, Pair, Path, Region, Scalar, SpatialIndex, Target, Torus, apply_order,
};
pub use cells::{LevelStats, MortonCells, Stats};
pub use code::Code;
pub use octree::{Octree, OctreeCell, OctreeStats};

/// The examples of the README, as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
