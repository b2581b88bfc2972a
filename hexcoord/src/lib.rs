//! The hexagonal plane: cells, the continuous plane between them, and bodies made of cells.
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
//! # The axes
//!
//! ```text
//!            / \                  Cells are named by two of three cube coordinates, q along axis a
//!          /     \                and r along axis b; s = −q − r is derived. Points between them
//!        /         \              are (a, b), and c = −a − b is derived.
//!       |           |
//!       |     · ----|---- a, q    This is a pointy cell, y downwards; flat cells are the same
//!       |      \    |             turned by 30°. From a to b is 60°, and that way angles are
//!        \      \  /              positive: clockwise here, anticlockwise where y points up.
//!          \     /
//!            \ /  \
//!                  b, r
//! ```
//!
//! Whatever is linear stays linear: translations add, and every affine map of the Cartesian plane
//! is an affine map of (a, b). One unit along a is √2 long, so that a² + b² + c² is the squared
//! Euclidean length: lengths and angles are the true ones.
//!
//! # What is exact
//!
//! Cells, lines, lookups, bodies and everything else on integers gives the same bits everywhere.
//! Floats are added, multiplied, floored and compared, in a written order, and never fused; what
//! needs a square root or an arc tangent of floats is left to the features `std` and `libm`.
//!
//! # Features
//!
//! * `std` (default): ask the running CPU what it has; float lengths and angles.
//! * `wide`: the portable SIMD backend.
//! * `pulp` (default): the SSE4.1 and AVX2 backends on x86-64.
//! * `bytemuck`: cells and angles as plain bytes, points from plain bytes.
//! * `libm`: float lengths and angles without `std`.
//! * `serde`: cells, points, layouts, grids, maps and bodies saved, and read as their constructors
//!   would take them.

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
mod saved;

pub use body::{BodyCells, CellHit, HexBody, OutOfReach};
pub use bounds_hexprism::{Aabb, Hexagon};
pub use hex::{Diagonal, Direction, Hex, Offset, Wraparound, hex, iter};
pub use lookup::{Footprint, Grid};
pub use map::{Area, Cells, HexMap, Path, find_path, reachable};
pub use plane::{Affine, Angle, Coordinate, Float, Layout, Orientation, Point, Pose, Rotation};
pub use rhombus::Rhombus;
pub use simd_lanes::{Backend, BackendKind, BackendUnavailable, Flow};

/// The examples of the README, as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
