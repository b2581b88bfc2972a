//! The error of invalid bounds.

use core::fmt;

/// The reason why bounds are rejected, and the axis.
///
/// Axes count from 0: x, y, z for boxes; the three axes of the hexagon, then z, for prisms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum InvalidBounds {
    /// An end of an interval is NaN.
    NotANumber {
        /// The first axis on which an end is NaN.
        axis: usize,
    },
    /// An end of an interval is infinite.
    Infinite {
        /// The first axis on which an end is infinite.
        axis: usize,
    },
    /// The lower end of an interval is above its upper end.
    Inverted {
        /// The first axis on which the interval is inverted.
        axis: usize,
    },
    /// An end of an interval is out of the range of the integer type.
    OutOfRange {
        /// The first axis on which an end is out of range.
        axis: usize,
    },
    /// The set of points to bound is empty.
    NoPoints,
}

impl fmt::Display for InvalidBounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotANumber { axis } => write!(f, "bounds are not a number on axis {axis}"),
            Self::Infinite { axis } => write!(f, "bounds are infinite on axis {axis}"),
            Self::Inverted { axis } => write!(f, "bounds have min above max on axis {axis}"),
            Self::OutOfRange { axis } => write!(f, "bounds do not fit integers on axis {axis}"),
            Self::NoPoints => f.write_str("there are no points to bound"),
        }
    }
}

impl core::error::Error for InvalidBounds {}
