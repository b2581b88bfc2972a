//! Hexagonal grids in integers: cells, fixed-point positions between them, and rigid bodies of
//! cells.
//!
//! In `hexphase`, this crate is the module `hex`, which requires the feature `hexcoord`.
//!
//! ```
//! use hexcoord::{Direction, Grid, Point, hex};
//!
//! let cell = hex(2, -1) + Direction::E;
//! assert_eq!(cell.distance(hex(0, 0)), 3);
//! assert_eq!(cell.ring(2).count(), 12);
//!
//! // Fixed-point coordinates: cells of 2^9 units, no rounding, the same on every machine.
//! let grid = Grid::default();
//! assert_eq!(grid.cell(Point::new(1600, -500)), cell);
//! ```
//!
//! # Terms
//!
//! * *Cell*: one hexagon of the grid, named by its axial coordinates `(q, r)` ([`Hex`]). The third
//!   cube coordinate is derived: `s = −q − r`.
//! * *Edge*: a side of two cells ([`Edge`]). *Corner*: a vertex of three cells ([`Corner`]).
//! * *Point*: a position in the plane, or the offset between two positions, in oblique coordinates
//!   `(a, b)` ([`Point`]); `c = −a − b` is derived. Axes a and b are 60° apart.
//! * *Unit*: the step of fixed-point (`i32`) coordinates. A [`Grid`] sets the *cell size*, the
//!   distance between neighboring centers along an axis: 2^shift units.
//! * *Spread*: max − min of (a, b, c). A cell is the closed hexagon of all points whose offset from
//!   its center has a spread of at most one cell size.
//! * *Border rule*: a point on an edge or a vertex belongs to the greatest cell there: largest q,
//!   then largest r. All lookups and lines follow this rule.
//! * *Floor cell*: the cell with a point's coordinates, divided by the cell size and rounded down.
//! * *Candidates*: the floor cell and its neighbors along a, along b and along both; one contains
//!   the point.
//! * *Pointy* and *flat*: the two orientations, with a corner or an edge on top ([`Orientation`]).
//! * *Body*: a rigid set of cells in its own coordinates ([`HexBody`]); its *pose* is its position
//!   in the world and its angle ([`Pose`]).
//! * *Row*: the cells with equal r. *Run*: consecutive cells of one row.
//! * *Ring*, of a polygon: a closed sequence of points. A *polygon* contains the points that an odd
//!   number of rings surround, and its border ([`PolygonFill`]).
//! * *Bounds*: a box in (a, b) ([`Rhombus`]) or intervals of a, b and c ([`Hexagon`]) that contain
//!   a body, as input for a broad phase. *Span*: bounds that are valid at any rotation.
//! * *Plane*: in batch conversions, an array with one coordinate of all points.
//!
//! # The axes
//!
//! ```text
//!            / \                  Coordinate q counts cells along axis a, r along axis b; the
//!          /     \                continuous coordinates a and b have the same axes.
//!        /         \
//!       |           |             This is a pointy cell, y downwards; flat cells are the same
//!       |     · ----|---- a, q    grid turned by 30°. Axis b is 60° from axis a. Angles are
//!       |      \    |             positive from a towards b: clockwise here, counterclockwise
//!        \      \  /              where y points up.
//!          \     /
//!            \ /  \
//!                  b, r
//! ```
//!
//! Translations add, and every affine map of the Cartesian plane is an affine map of (a, b). One
//! unit along an axis has the Euclidean length √2: the squared length is a² + b² + c². Lengths and
//! angles are Cartesian.
//!
//! # What is exact
//!
//! All integer operations give bit-identical results on every machine. Float operations use only
//! addition, multiplication, rounding down and comparison, in a fixed order, without fused
//! multiply-add.
//!
//! # Features
//!
//! * `std` (default): run-time detection of CPU features.
//! * `wide`: the portable SIMD backend.
//! * `pulp` (default): the SSE4.1 and AVX2 backends on x86-64.
//! * `bytemuck`: casts between bytes and cells or angles, and from bytes to points.
//! * `serde`: serialization of cells, points, layouts, grids, maps and bodies. Deserialization
//!   checks the same limits as the constructors.

#![no_std]
#![forbid(unsafe_code)]
extern crate alloc;
#[cfg(any(test, feature = "std"))]
extern crate std;

mod body;
mod hex;
mod lookup;
mod map;
mod plane;
mod rhombus;
#[cfg(feature = "serde")]
mod serialized;

pub use body::{CellHit, HexBody, OutOfReach};
pub use bounds_hexprism::{Aabb, Bounds, Hexagon};
pub use hex::{Corner, Diagonal, Direction, Edge, Hex, Offset, Wraparound, hex, iter};
pub use lookup::Grid;
pub use map::{
    Area, Containment, HexMap, Path, PathLimits, PolygonFill, Run, Runs, Sight, find_path,
    reachable,
};
pub use plane::{
    Affine, Angle, Coordinate, Float, InvalidLayout, Layout, Orientation, Point, Pose, Rotation,
};
pub use rhombus::Rhombus;
pub use simd_lanes::{Backend, BackendKind, BackendUnavailable, Flow};

/// Runs the README's examples as doc tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
