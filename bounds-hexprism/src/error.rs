//! What can be wrong with bounds.

use core::fmt;

/// Why bounds were refused, and on which axis.
///
/// Axes count from 0: x, y, z for boxes; the three axes of the hexagon, then z, for prisms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum InvalidBounds {
    /// An end of the interval is NaN.
    NotANumber {
        /// The first such axis.
        axis: usize,
    },
    /// An end of the interval is infinite.
    Infinite {
        /// The first such axis.
        axis: usize,
    },
    /// The interval ends before it begins.
    Inverted {
        /// The first such axis.
        axis: usize,
    },
    /// An end of the interval does not fit the integers.
    OutOfRange {
        /// The first such axis.
        axis: usize,
    },
    /// There was nothing to bound.
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
