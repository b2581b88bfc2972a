//! Cutoffs: the distance within which two particles are neighbors.

use crate::Error;

/// The maximum magnitude of a number, 2^500: squares and products of three are finite.
pub(crate) const MAX: f64 = f64::from_bits((1023 + 500) << 52);

/// The distance within which two particles are neighbors, inclusive.
///
/// ```
/// use hexphase_periodic::{Cell, Cutoff, NeighborList, NeighborSearch};
///
/// let positions = [0.0, 1.0, 2.5].map(|x| [x, 0.0, 0.0]);
/// let pairs = |cutoff| {
///     let search = NeighborSearch { half: true, ..NeighborSearch::new(cutoff) };
///     let mut list = NeighborList::default();
///     search.find(&positions, &Cell::OPEN, &mut list)?;
///     let pairs = list.first.into_iter().zip(list.second).collect::<Vec<_>>();
///     Ok::<_, hexphase_periodic::Error>(pairs)
/// };
/// assert_eq!(pairs(Cutoff::Uniform(1.0))?, [(0, 1)]);
/// assert_eq!(pairs(Cutoff::Radii(vec![0.1, 0.2, 1.3]))?, [(1, 2)]);
/// let table = vec![vec![None, Some(2.5)], vec![Some(2.5), Some(9.0)]];
/// assert_eq!(pairs(Cutoff::Species { species: vec![0, 0, 1], table })?, [(0, 2), (1, 2)]);
/// # Ok::<(), hexphase_periodic::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Cutoff {
    /// One distance for all pairs.
    Uniform(f64),
    /// A radius for each particle: two particles are neighbors if their spheres touch. Radii may
    /// differ by any factor.
    Radii(Vec<f64>),
    /// A distance for each pair of species.
    Species {
        /// The species of each particle, an index of `table`.
        species: Vec<u32>,
        /// For each two species their cutoff, or `None` if they have no pairs; symmetric.
        table: Vec<Vec<Option<f64>>>,
    },
}

impl Cutoff {
    /// Validates the cutoffs for a number of particles. Returns the largest one of two particles.
    pub(crate) fn validate(&self, particles: usize) -> Result<f64, Error> {
        let has_length = |found: usize| match found == particles {
            true => Ok(()),
            false => Err(Error::Length { found, expected: particles }),
        };
        match self {
            Self::Uniform(cutoff) if is_valid(*cutoff) => Ok(*cutoff),
            Self::Uniform(_) => Err(Error::Cutoff),
            Self::Radii(radii) => {
                has_length(radii.len())?;
                match radii.iter().position(|&radius| !is_valid(radius)) {
                    Some(index) => Err(Error::Radius { index }),
                    None => Ok(2.0 * radii.iter().copied().fold(0.0, f64::max)),
                }
            }
            Self::Species { species, table } => {
                has_length(species.len())?;
                for (row, cutoffs) in table.iter().enumerate() {
                    if cutoffs.len() != table.len() {
                        return Err(Error::TableRow { row });
                    }
                }
                for (row, cutoffs) in table.iter().enumerate() {
                    for (column, &cutoff) in cutoffs.iter().enumerate() {
                        if cutoff != table[column][row] || !cutoff.is_none_or(is_valid) {
                            return Err(Error::Table { row, column });
                        }
                    }
                }
                match species.iter().position(|&species| species as usize >= table.len()) {
                    Some(index) => Err(Error::Species { index }),
                    None => Ok(table.iter().flatten().flatten().copied().fold(0.0, f64::max)),
                }
            }
        }
    }

    /// Returns the squares of the cutoffs, each enlarged by a distance.
    pub(crate) fn squares(&self, longer: f64) -> Squares<'_> {
        let square = |cutoff: f64| (cutoff + longer) * (cutoff + longer);
        match self {
            Self::Uniform(cutoff) => Squares::Uniform(square(*cutoff)),
            Self::Radii(radii) => Squares::Radii { radii, longer },
            Self::Species { species, table } => {
                let table: Vec<f64> =
                    table.iter().flatten().map(|cutoff| cutoff.map_or(-1.0, square)).collect();
                Squares::Species { species, count: table.len().isqrt(), table }
            }
        }
    }
}

/// Returns whether a number is finite and at most [`MAX`].
pub(crate) fn is_number(x: f64) -> bool {
    (-MAX..=MAX).contains(&x)
}

/// Returns whether a number is a cutoff, a radius or a skin.
pub(crate) fn is_valid(cutoff: f64) -> bool {
    (0.0..=MAX).contains(&cutoff)
}

/// The squares of cutoffs; negative for two species without pairs.
pub(crate) enum Squares<'a> {
    Uniform(f64),
    Radii { radii: &'a [f64], longer: f64 },
    Species { species: &'a [u32], count: usize, table: Vec<f64> },
}

impl Squares<'_> {
    #[inline(always)]
    pub(crate) fn of(&self, i: usize, j: usize) -> f64 {
        match self {
            Self::Uniform(square) => *square,
            Self::Radii { radii, longer } => {
                let cutoff = radii[i] + radii[j] + longer;
                cutoff * cutoff
            }
            Self::Species { species, count, table } => {
                table[species[i] as usize * count + species[j] as usize]
            }
        }
    }
}
