//! Bounding volumes with fast rejection: boxes, hexagons, hexagonal prisms and balls.
//!
//! A volume other than a ball is a set of *slabs*: closed intervals along fixed axes. Two such
//! volumes overlap if and only if their intervals overlap on every axis, so one kernel tests eight
//! at a time, with equal results on every machine. Touching counts as overlap everywhere.
//!
//! ```
//! use bounds_hexprism::Aabb;
//!
//! let ship = Aabb::of_ball([0.0f32, 0.0], 2.0);
//! let rock = Aabb::around([3.0, 0.0], [1.0, 1.0]);
//! assert!(ship.overlaps(&rock)); // they touch at x = 2
//! assert!(Aabb::new([f32::NAN, 0.0], [1.0, 1.0]).checked().is_err());
//! ```
//!
//! * [`Aabb`]: boxes in one, two and three dimensions.
//! * [`Ball`]: balls in one, two and three dimensions, tested one at a time.
//! * [`Hexagon`] and [`HexPrism`]: bounded along three directions of the plane ([`Axes`]), the
//!   prism also along z; tight for objects that are long and thin along one of these. Three
//!   comparisons reject most volumes that do not overlap.
//! * [`SplitPrism`]: a prism as two halves that are open in z, for objects on a terrain.
//! * [`Batch`]: volumes of one type, tested eight at a time against queries or each other.
//! * [`Bounds`]: the trait of volumes that structures store; implement it for your own shapes.
//!
//! ```
//! use bounds_hexprism::{Batch, HexPrism};
//!
//! let post = |x: f32| HexPrism::of_cylinder([x, x, 1.0], 0.2, 1.0);
//! let mut posts: Batch<HexPrism> = Batch::new();
//! for x in 0..100 {
//!     posts.push(post(x as f32)?)?;
//! }
//! let rope = HexPrism::of_points([[3.0, 3.0, 1.5], [5.0, 5.0, 1.5]])?;
//! assert_eq!(posts.count(&rope), 3);
//! # Ok::<(), bounds_hexprism::InvalidBounds>(())
//! ```
//!
//! The examples of types and traits that `hexphase` re-exports name `hexphase`, not this crate.
//!
//! # Terms
//!
//! * **Volume**, **bounds**: a box, hexagon or prism that contains an object.
//! * **Axis**, **form**: a direction, and the linear function of the coordinates that measures
//!   along it, for example −(x + y).
//! * **Slab**: the points whose form lies in a closed interval. Its two ends are the *limits*.
//! * **Up triangle**, **down triangle**: the points above three lower limits, and the points below
//!   three upper limits. A hexagon is the intersection of both (drawing: [`UpTriangle`]).
//! * **Key**: an `i32` that sorts like the number it was made from ([`Scalar`]); exact for `f32`
//!   and `i32`. For `f64` the intervals of keys ([`Slabs`]) are rounded outwards, and volumes whose
//!   keys overlap are tested again.
//! * **Plane**: an array of the lower or upper ends of all volumes of a collection on one axis.
//! * **Block**: eight consecutive volumes ([`LANES`]); unused lanes of the last are *padding*.
//! * **Stage**: the first stage of a test reads a part of the planes, the second the others, for
//!   blocks in which a volume passed the first.
//! * **Checked**: finite, with ordered limits, and −0 replaced by 0. Only such volumes are stored.
//! * **Normalized**: neither inverted nor NaN, with −0 replaced by 0; possibly infinite. Only
//!   normalized volumes find anything as queries.
//!
//! # Features
//!
//! * `std` (default): detect the instruction sets of the running CPU.
//! * `wide`: the portable SIMD backend.
//! * `pulp` (default): the SSE4.1 and AVX2 backends on x86-64.
//! * `batch` (default): [`Batch`]; hexphase does not enable it.
//! * `serde`: saving and loading volumes. Loading rejects NaN, infinite and inverted volumes and
//!   replaces −0 with 0, except in single [`UpTriangle`], [`DownTriangle`] and [`ZInterval`].

#![no_std]
#![forbid(unsafe_code)]
extern crate alloc;
#[cfg(any(test, feature = "std"))]
extern crate std;

mod aabb;
mod aligned_plane;
mod axes;
mod ball;
#[cfg(feature = "batch")]
mod batch;
mod bounds;
mod error;
mod hexagon;
pub mod kernel;
mod prism;
#[cfg(feature = "serde")]
mod serialization;
mod slabs;
mod split_prism;
mod triangle;

pub use aabb::Aabb;
pub use axes::{Axes, Elegant, Pragmatic, Turned};
pub use ball::Ball;
#[cfg(feature = "batch")]
pub use batch::{Batch, Batched};
pub use bounds::Bounds;
pub use error::InvalidBounds;
pub use hexagon::Hexagon;
pub use prism::HexPrism;
pub use simd_lanes::{
    Backend, BackendKind, BackendUnavailable, Flow, HitMask, Kernel, Keys, LANES, LaneKeys, Lanes,
    Number, Scalar,
};
#[doc(hidden)]
pub use simd_lanes::{Measure, array_of, assert_compiled, instances};
pub use slabs::{SlabPlanes, SlabVec, Slabs};
pub use split_prism::{DownTriangularPrism, SplitPrism, UpTriangularPrism};
pub use triangle::{DownTriangle, UpTriangle, ZInterval};

/// Compiles and runs the examples of the README.
#[cfg(all(doctest, feature = "batch"))]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
