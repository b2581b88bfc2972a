//! The reasons for which a search is refused.

use core::fmt;

/// The reason for which a search is refused.
///
/// A number is *invalid* if it is NaN or infinite, or if its magnitude is above 2^500 (about
/// 3 · 10^150). Cutoffs, radii and skins are also invalid if they are negative.
///
/// ```
/// use hexphase_periodic::{Cell, Cutoff, Error, NeighborList, NeighborSearch};
///
/// let search = NeighborSearch::new(Cutoff::Uniform(1.0));
/// let positions = [[0.0; 3], [0.0, f64::NAN, 0.0]];
/// let error = search.find(&positions, &Cell::OPEN, &mut NeighborList::default()).unwrap_err();
/// assert_eq!(error, Error::Position { index: 1, axis: 1 });
/// assert_eq!(error.to_string(), "position 1: coordinate 1 is not finite, or above 2^500");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Error {
    /// A coordinate is invalid.
    Position {
        /// The index of the particle.
        index: usize,
        /// The index of the coordinate.
        axis: usize,
    },
    /// A number of the cell is invalid.
    Cell {
        /// The index of the vector.
        row: usize,
        /// The index of the coordinate.
        column: usize,
    },
    /// The vectors of the periodic axes are linearly dependent or nearly so (their product is more
    /// than 2^20 times the volume), or one is shorter than 2^-500.
    SingularCell,
    /// The uniform cutoff is invalid.
    Cutoff,
    /// The skin is invalid.
    Skin,
    /// The radius of a particle is invalid.
    Radius {
        /// The index of the particle.
        index: usize,
    },
    /// The number of radii or species is not the number of particles.
    Length {
        /// The number of radii or species.
        found: usize,
        /// The number of particles.
        expected: usize,
    },
    /// The species of a particle is not an index of the table of cutoffs.
    Species {
        /// The index of the particle.
        index: usize,
    },
    /// A row of the table of cutoffs has not one cutoff for each row.
    TableRow {
        /// The index of the row.
        row: usize,
    },
    /// A cutoff of the table is invalid, or differs from the one with row and column exchanged.
    Table {
        /// The index of the row.
        row: usize,
        /// The index of the column.
        column: usize,
    },
    /// A particle is more than 2^28 cells away from the cell.
    Shift {
        /// The index of the particle.
        index: usize,
    },
    /// The search needs more than 2^30 images of particles.
    TooManyImages,
    /// The memory for the images or for the list cannot be allocated.
    Memory,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const INVALID: &str = "is not finite, or above 2^500";
        match self {
            Self::Position { index, axis } => {
                write!(f, "position {index}: coordinate {axis} {INVALID}")
            }
            Self::Cell { row, column } => write!(f, "cell: row {row}, column {column} {INVALID}"),
            Self::SingularCell => {
                write!(f, "the cell vectors of the periodic axes are linearly dependent or zero")
            }
            Self::Cutoff => write!(f, "the cutoff is negative, {}", &INVALID[3..]),
            Self::Skin => write!(f, "the skin is negative, {}", &INVALID[3..]),
            Self::Radius { index } => write!(f, "radius {index} is negative, {}", &INVALID[3..]),
            Self::Length { found, expected } => {
                write!(f, "{found} radii or species for {expected} positions")
            }
            Self::Species { index } => {
                write!(f, "particle {index}: the table of cutoffs has no row for its species")
            }
            Self::TableRow { row } => {
                write!(f, "table of cutoffs: row {row} has not one cutoff for each row")
            }
            Self::Table { row, column } => {
                write!(
                    f,
                    "table of cutoffs: row {row}, column {column} is negative, not finite, "
                )?;
                write!(f, "above 2^500, or not symmetric")
            }
            Self::Shift { index } => {
                write!(f, "position {index} is more than 2^28 cells away from the cell")
            }
            Self::TooManyImages => write!(f, "the cutoff needs more than 2^30 images of particles"),
            Self::Memory => write!(f, "out of memory"),
        }
    }
}

impl core::error::Error for Error {}
