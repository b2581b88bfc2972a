//! Bounding volumes that reject fast.
//!
//! A volume here is a set of *slabs*: closed intervals along fixed axes. Two volumes are apart if
//! and only if one of their slabs separates them, so all of them are tested by the same kernel,
//! eight at a time, with the same answer on every machine. Touching counts as overlap everywhere.
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
//! * [`Hexagon`] and [`HexPrism`]: bounded along three directions of the plane, and z; what is long
//!   and thin along any of the three is bounded without loss, and most of what is apart is
//!   rejected by three numbers. [`Axes`] says which directions.
//! * [`SplitPrism`]: the same as two halves open in z, for things on a terrain.
//! * [`Batch`]: many volumes of one kind, tested eight at a time: one query, many, or all pairs.
//! * [`Bounds`]: what a structure asks of a volume; implement it for shapes of your own.
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
//! # Features
//!
//! * `std` (default): scan_query the running CPU what it has.
//! * `wide`: the portable SIMD backend.
//! * `pulp` (default): the SSE4.1 and AVX2 backends on x86-64.
//! * `serde`: volumes serialization, and checked when they are read: NaN, infinite and inverted ones are
//!   refused, −0 becomes 0. [`UpTriangle`], [`DownTriangle`] and [`ZInterval`] alone are read as they
//!   are.

#![no_std]
#![forbid(unsafe_code)]
extern crate alloc;
#[cfg(any(test, feature = "std"))]
extern crate std;

mod aabb;
mod aligned_plane;
mod axes;
mod batch;
mod bounds;
mod cast;
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
pub use batch::{Batch, Batched, Reading, Saving, SlabSet, TestOrder};
pub use bounds::Bounds;
pub use error::InvalidBounds;
pub use hexagon::Hexagon;
pub use prism::HexPrism;
pub use simd_lanes::{
    Backend, BackendKind, BackendUnavailable, Flow, HitMask, Hits, Kernel, LANES, LaneKeys, Lanes,
    Number, Scalar,
};
#[doc(hidden)]
pub use simd_lanes::{array_of, instances};
pub use slabs::{SlabPlanes, SlabVec, Slabs};
pub use split_prism::{DownTriangularPrism, SplitPrism, UpTriangularPrism};
pub use triangle::{DownTriangle, UpTriangle, ZInterval};

/// The examples of the README, as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
