//! Grids for the broad phase of collision detection: overlapping pairs, and region, ray,
//! nearest-neighbor and fixed-radius queries.
//!
//! * [`Hshg`], the hierarchical grid, stores objects of any size in sorted rows and sweeps them
//!   eight at a time. Use it unless measurements favour the hash.
//! * [`SpatialHash`] divides an unbounded world into cells and stores each object once, in a box of
//!   cells at least as large.
//!
//! Both implement [`SpatialIndex`] from [`broadphase_core`], which is re-exported.
//! [`cells_on_segment`] and [`cells_in_box`] list grid cells without any index.
//!
//! ```
//! use broadphase_hshg::{Aabb, SpatialHash, SpatialIndexExt};
//!
//! let mut world: SpatialHash<f32, 2> = SpatialHash::new(4.0);
//! world.insert(0, Aabb::of_ball([0.0, 0.0], 2.0))?;
//! world.insert(1, Aabb::around([3.0, 0.0], [1.0, 1.0]))?;
//! world.insert(2, Aabb::of_ball([1e6, -1e6], 2.0))?;
//!
//! let mut pairs = Vec::new();
//! world.pairs(&mut pairs);
//! assert_eq!(pairs, [[0, 1]]);
//! # Ok::<(), broadphase_hshg::IndexError>(())
//! ```
//!
//! # Terms
//!
//! * *Object*: a key (`u32`, chosen by the caller), bounds ([`Aabb`]) and a motion class.
//! * *Motion class* ([`Motion`]): dynamic, sleeping or static. Two static objects are no pair. A
//!   *mover* is a dynamic object of an `Hshg`, or an object of a `SpatialHash` that is not static.
//! * *Cell*: a half-open box of the grid with its low corner at a multiple of the cell side.
//! * *Level* (`Hshg`): all objects whose largest extent, rounded up to a power of two, is the same:
//!   the side of their cells.
//! * *Sweep axis* (`Hshg`): the axis along which rows are sorted and swept, chosen from the
//!   objects.
//! * *Row* (`Hshg`): the objects of three neighboring levels (a *tier*) whose low corners lie in
//!   one strip of cells along the sweep axis, sorted by their low ends on that axis.
//! * *Row pair*: two rows, or a row and itself, that are swept because their objects may overlap.
//! * *Pending* (`Hshg`): inserted or moved out of its row. A *refresh*, at the end of each walk and
//!   before pairs are found, sorts pending objects into rows. Until then, queries test each of
//!   them.
//! * *Integer key*: an `i32` that sorts as a coordinate does (`f64` is rounded outwards to `f32`).
//! * *Slabs*, or *key bounds*: bounds as one interval of integer keys per axis; in an `Hshg`, the
//!   sweep axis first.
//! * *Plane*: an array with one end of the slabs of all objects on one axis.
//! * *Slot*: the index of an object in the arrays of a structure. A slot without an object is a
//!   *hole* between the objects of a row of an `Hshg`, and *free* after them.
//! * *Walk* (`Hshg`): one pass over all objects, in which the caller changes bounds.
//! * *Hit*: a pair of slots, or an object in a query, that a kernel reports as overlapping.
//! * *Static cache* (`Hshg`): for each mover, the static objects that overlap a box somewhat larger
//!   than the mover, reused while the mover stays in it and no static object changes.
//! * *Bin* (`SpatialHash`): a box of cells; those of each level are twice as large. An object is in
//!   the bin of its low corner, on the lowest level whose bins are at least as large as the object.
//!
//! # Features
//!
//! * `std` (default): detects the instruction sets of the CPU at run time.
//! * `wide`: the portable SIMD backend.
//! * `pulp` (default): the SSE4.1 and AVX2 backends on x86-64.
//! * `hash` (default): [`SpatialHash`]. Without it the first build is shorter.
//! * `f64`, `i32`: coordinates of these types beside `f32`. Each lengthens the first build.
//! * `one-dimension`, `two-dimensions`, `three-dimensions` (defaults): structures for them.
//! * `rayon`: runs pairs, query batches and walks on several threads; results do not depend on
//!   their number.

#![no_std]
#![forbid(unsafe_code)]
extern crate alloc;
#[cfg(any(test, feature = "std"))]
extern crate std;

mod cell;
mod cover;
mod grid;
#[cfg(feature = "hash")]
mod hash;
mod span;

pub use broadphase_core::{
    Aabb, Backend, BackendKind, BackendUnavailable, BruteForce, Entry, Filter, Flow, IndexError,
    IndexObject, IndexState, InvalidBounds, LevelStats, Lists, Maintenance, Motion, Near,
    Neighbors, Pair, PairFilter, PairSearch, Path, Prefetch, Region, Scalar, Search, SearchStats,
    SpatialIndex, SpatialIndexExt, Target, Visit, Walk, WalkBatch, pairs,
};
pub use cover::{cells_in_box, cells_on_segment};
#[doc(hidden)]
pub use grid::on_backend;
pub use grid::{Hshg, InvalidBox, find_neighbors, find_pairs, find_pairs_between};
#[cfg(feature = "hash")]
pub use hash::SpatialHash;

/// The examples of the README, as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
