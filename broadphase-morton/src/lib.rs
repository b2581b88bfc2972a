//! Broad phase in Morton order: objects that are close in space are close in memory.
//!
//! [`MortonCells`] is the structure to use. It finds all overlapping pairs of objects of any size.
//! Objects are sorted along a space-filling curve and grouped in clusters of eight, under a tree of
//! bounds without pointers. Static objects have a separate tree that is rarely rebuilt. [`Code`]
//! interleaves the bits of a cell's coordinates. Sorted codes form an octree (a quadtree in two dimensions) without pointers,
//! because all codes inside a larger cell are one contiguous range.
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
//! * *slot*: the index of an object in storage. Slots have no gaps; a removal or reordering changes
//!   them.
//! * *code*: the number by which objects are sorted: a size class, then the position of the center
//!   on the curve.
//! * *position*: the index of an object in this sorted order.
//! * *cluster*: eight objects at consecutive positions. A *node* encloses eight clusters or eight
//!   nodes.
//! * *layer*: one sorted order and the tree over it. There are two: one for moving objects, one for
//!   static objects.
//! * *pending*: inserted or changed by key since the layers were rebuilt. Pending objects are in no
//!   layer; queries test them one by one. The former position of a changed or removed object is
//!   *vacant*.
//! * *refresh*: sorts pending objects into the layers and rebuilds stale trees.
//! * *key bounds*: bounds as integers that compare like the coordinates.
//! * *candidate*: two objects whose key bounds overlap; for `f64` an exact test follows.
//!
//! # Features
//!
//! * `std` (default): detects the CPU's instruction sets at run time. Without `std`, only
//!   instruction sets enabled at compile time are used.
//! * `wide`: the portable SIMD backend.
//! * `pulp` (default): the SSE4.1 and AVX2 backends on x86-64.
//! * `f64`, `i32`: structures for these number types in addition to `f32`; each lengthens the first
//!   build.
//! * `one-dimension`, `two-dimensions`, `three-dimensions` (defaults): structures in this number of
//!   dimensions.
//! * `rayon`: pairs, batches of queries and maintenance run on the threads of the current pool.
//!   Results do not depend on this feature.

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
