//! Neighbor lists of particles in periodic cells, for atomistic and particle codes.
//!
//! ```
//! use hexphase_periodic::{Cell, Cutoff, NeighborList, NeighborSearch};
//!
//! // Two atoms in a cubic cell: the second one is nearest to images of the first one.
//! let cell = Cell::periodic([[4.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 4.0]]);
//! let positions = [[0.5, 0.5, 0.5], [3.5, 0.5, 0.5]];
//! let mut list = NeighborList::default();
//! NeighborSearch::new(Cutoff::Uniform(1.5)).find(&positions, &cell, &mut list)?;
//! assert_eq!(list.offsets, [0, 1, 2]);
//! assert_eq!(list.second, [1, 0]);
//! assert_eq!(list.shifts, [[-1, 0, 0], [1, 0, 0]]);
//! assert_eq!(list.vectors, [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]);
//! # Ok::<(), hexphase_periodic::Error>(())
//! ```
//!
//! * [`NeighborSearch`] finds the list of one set of positions.
//! * [`VerletList`] updates a list while particles move, and searches again only if one has moved
//!   by more than half of a skin.
//!
//! # Definition
//!
//! Particles `i` and `j` with cell shift `S` are a pair if `|D|² <= r²`, where
//!
//! * `D = (p[j] - p[i]) + (S[0] * c[0] + S[1] * c[1] + S[2] * c[2])`, for positions `p` as given
//!   and cell vectors `c`;
//! * `|D|² = D[0] * D[0] + D[1] * D[1] + D[2] * D[2]`;
//! * `r` is the [`Cutoff`]: a number, or `r[i] + r[j]`, or an entry of a table.
//!
//! All are computed in `f64`, from left to right, without fused operations. `S` is 0 on axes that
//! are not periodic. A particle is no neighbor of itself with `S = 0`, but of its images. Particles
//! may be outside of the cell: `S` refers to the positions as given. Positions in `f32` are widened
//! by the caller, which is exact.
//!
//! The `D` of `(j, i, -S)` is exactly that of `(i, j, S)`, negated: a full list has both pairs or
//! none. A half list has one of both: with `i < j`, or with `i = j` and `S` above 0 in
//! lexicographic order. Pairs are sorted by `i`, `j` and `S`, so the list is bit-identical on every
//! machine and any number of threads.
//!
//! # Features
//!
//! The crate requires `std`.
//!
//! * `wide`: adds the portable SIMD backend.
//! * `pulp` (default): adds the SSE4.1 and AVX2 backends on x86-64.
//! * `rayon`: searches on the threads of the current pool; results do not depend on their number.

#![forbid(unsafe_code)]

mod cell;
mod cutoff;
mod error;
mod list;
mod search;
mod verlet;

pub use cell::Cell;
pub use cutoff::Cutoff;
pub use error::Error;
pub use list::NeighborList;
pub use verlet::VerletList;

use list::Definition;
use search::Candidates;

/// The columns of a list to write. A column that is not requested takes no time and no memory.
///
/// ```
/// use hexphase_periodic::Columns;
///
/// let edges = Columns { first: true, second: true, shifts: true, ..Columns::NONE };
/// assert_ne!(edges, Columns::ALL);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(clippy::struct_excessive_bools, reason = "one independent switch for each column")]
pub struct Columns {
    /// The first particle of each pair.
    pub first: bool,
    /// The second particle of each pair.
    pub second: bool,
    /// The cell shift of each pair.
    pub shifts: bool,
    /// The distance of each pair.
    pub distances: bool,
    /// The vector of each pair.
    pub vectors: bool,
}

impl Columns {
    /// Only the offsets, which give the number of neighbors of each particle.
    pub const NONE: Self =
        Self { first: false, second: false, shifts: false, distances: false, vectors: false };
    /// All columns.
    pub const ALL: Self =
        Self { first: true, second: true, shifts: true, distances: true, vectors: true };
}

/// A search for neighbors: which pairs, and which columns.
///
/// ```
/// use hexphase_periodic::{Cell, Columns, Cutoff, NeighborList, NeighborSearch};
///
/// let columns = Columns { second: true, ..Columns::NONE };
/// let search = NeighborSearch { cutoff: Cutoff::Uniform(1.0), half: true, columns };
/// let mut list = NeighborList::default();
/// search.find(&[[0.0; 3], [0.0; 3], [1.0, 0.0, 0.0]], &Cell::OPEN, &mut list)?;
/// assert_eq!(list.offsets, [0, 2, 3, 3]);
/// assert_eq!(list.second, [1, 2, 2]);
/// assert!(list.shifts.is_empty());
/// # Ok::<(), hexphase_periodic::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct NeighborSearch {
    /// The distance within which particles are neighbors.
    pub cutoff: Cutoff,
    /// Whether the list has only one of the pairs (i, j, S) and (j, i, -S).
    pub half: bool,
    /// The columns to write.
    pub columns: Columns,
}

impl NeighborSearch {
    /// Returns a search for the full list with all columns.
    #[must_use]
    pub const fn new(cutoff: Cutoff) -> Self {
        Self { cutoff, half: false, columns: Columns::ALL }
    }

    /// Replaces a list by the neighbors of all particles. Reuses its memory.
    ///
    /// Takes about linear time in particles, images within the cutoff of the cell, and pairs; with
    /// radii, in pairs of boxes around the spheres; with species, in pairs within the largest
    /// cutoff. With feature `rayon`, runs on the threads of the current pool. Temporary memory:
    /// about 100 bytes a particle or image, and 8 bytes a pair.
    ///
    /// # Errors
    /// If a number is invalid, lengths differ, the cell is singular, or there are too many images;
    /// the list is unchanged. If the memory of images or of the list cannot be allocated; the list
    /// is then empty.
    ///
    /// # Panics
    /// If there are 2^31 particles or more.
    pub fn find(
        &self,
        positions: &[[f64; 3]],
        cell: &Cell,
        out: &mut NeighborList,
    ) -> Result<(), Error> {
        let candidates = Candidates::find(positions, cell, &self.cutoff, 0.0, self.half)?;
        let squares = self.cutoff.squares(0.0);
        Definition { positions, cell, squares }.write(&candidates, self.columns, out)
    }
}

/// The examples of the README, as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;
