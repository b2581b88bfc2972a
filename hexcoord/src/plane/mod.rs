//! The continuous plane: points, angles, rotations and maps in oblique coordinates.

mod affine;
mod angle;
mod cartesian;
mod coordinate;
mod float;
mod layout;
mod point;
mod pose;
mod rotation;

pub use affine::Affine;
pub use angle::Angle;
pub use coordinate::{Coordinate, Float};
pub use layout::{InvalidLayout, Layout, Orientation};
pub use point::Point;
pub use pose::Pose;
pub(crate) use rotation::ROTATION_FRACTION;
pub use rotation::Rotation;
