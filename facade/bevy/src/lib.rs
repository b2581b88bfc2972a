//! Overlapping entities for [Bevy](https://bevy.org), in two and three dimensions.
//!
//! ```
//! use bevy_app::prelude::*;
//! use bevy_ecs::prelude::*;
//! use bevy_hexphase::{Began, Bounds2d, BroadPhase, HexphasePlugin};
//! use bevy_transform::prelude::*;
//!
//! let mut app = App::new();
//! app.add_plugins((TransformPlugin, HexphasePlugin::<2>::default()));
//! let at = |x: f32| Transform::from_xyz(x, 0.0, 0.0);
//! let ship = app.world_mut().spawn((Bounds2d::ball(1.0), at(0.0))).id();
//! let rock = app.world_mut().spawn((Bounds2d::cuboid([2.0, 1.0]), at(1.5))).id();
//! app.add_systems(Last, move |mut began: MessageReader<Began<2>>| {
//!     for pair in began.read() {
//!         assert_eq!(pair.entities, [ship, rock]);
//!     }
//! });
//! app.update();
//! assert!(app.world().resource::<BroadPhase<2>>().pairs().eq([[ship, rock]]));
//! ```
//!
//! * An entity with [`Bounds`] and a transform is an object of the [`BroadPhase`]. [`Layers`] and
//!   [`Mobility`] are added with their defaults.
//! * [`HexphasePlugin`] adds systems that copy what has changed, find the pairs, and write the
//!   messages [`Began`] and [`Ended`]. They run in [`PostUpdate`](bevy_app::PostUpdate), or in
//!   another schedule, such as [`FixedPostUpdate`](bevy_app::FixedPostUpdate).
//! * The resource [`BroadPhase`] answers queries: `Res<BroadPhase<2>>`.
//! * For rollback, the resource is saved and restored like any other: it is `Clone`.

mod bounds;
mod broad_phase;
#[cfg(feature = "gizmos")]
mod gizmos;
mod plugin;

pub use bounds::{Bounds, Bounds2d, Bounds3d, Layers, Mobility};
pub use broad_phase::{BroadPhase, InvalidBounds};
#[cfg(feature = "gizmos")]
pub use gizmos::draw;
pub use hexphase;
pub use plugin::{Began, Ended, HexphasePlugin, HexphaseSystems};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
