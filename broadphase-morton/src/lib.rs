//! Broad phase in Morton order: objects that are close in space are close in memory.
//!
//! [`MortonCells`] finds all overlapping pairs of objects of any size. Objects are sorted along a
//! space-filling curve and grouped in clusters of eight, under a tree of bounds without pointers.
//! Static objects have a separate tree that is rarely rebuilt. [`Code`] interleaves the bits of a
//! cell's coordinates. Sorted codes form an octree (a quadtree in two dimensions), because all
//! codes inside a larger cell are one contiguous range.
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
//! # Terms
//!
//! * *object*: bounds and a motion class, identified by a *key*, a number chosen by the caller.
//! * *pair*: the keys of two objects whose bounds overlap, the smaller key first.
//! * *slot*: the index of an object in storage; a removal or reordering changes it.
//! * *code*: the number by which objects are sorted: size class, then position on the curve.
//! * *position*: the index of an object in this sorted order.
//! * *cluster*: eight consecutive objects. A *node* encloses eight clusters or eight nodes.
//! * *layer*: one sorted order and its tree. There are two: for moving and for static objects.
//! * *pending*: inserted or changed by key since the layers were rebuilt. Queries test pending
//!   objects one by one. The former position of a changed or removed object is *vacant*.
//! * *refresh*: sorts pending objects into the layers and rebuilds stale trees.
//! * *key bounds*: bounds as integers that compare like the coordinates.
//! * *candidate*: two objects whose key bounds overlap; for `f64` an exact test follows.
//!
//! # Features
//!
//! * `std` (default): detects the CPU's instruction sets at run time.
//! * `wide`: the portable SIMD backend.
//! * `pulp` (default): the SSE4.1 and AVX2 backends on x86-64.
//! * `f64`, `i32`: structures for these number types; each lengthens the first build.
//! * `one-dimension`, `two-dimensions`, `three-dimensions` (defaults): structures for them.
//! * `rayon`: pairs, batches of queries and maintenance run on several threads, with equal results.

#![no_std]
#![forbid(unsafe_code)]
extern crate alloc;

mod cells;
mod code;
mod curve;

pub use broadphase_core::{
    Aabb, Backend, BackendKind, BackendUnavailable, Entry, Flow, IndexError, IndexObject,
    IndexState, InvalidBounds, LevelStats, Lists, Maintenance, Motion, Near, Neighbors, Pair,
    PairSearch, Path, Prefetch, Region, Scalar, Search, SearchStats, SpatialIndex, SpatialIndexExt,
    Target, Torus, Visit, Walk, WalkBatch,
};
pub use cells::MortonCells;
pub use code::Code;

/// Runs the examples of the README as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
