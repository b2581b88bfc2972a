//! Lists that are updated while particles move (Verlet, 1967).

use crate::cutoff::is_valid;
use crate::list::{Definition, Image, Source};
use crate::search::Candidates;
use crate::{Cell, Columns, Error, NeighborList, NeighborSearch};

/// Part of half of the skin by which a particle may move; the rest is for rounding.
const ALLOWED: f64 = 1.0 - 1.0 / (1 << 20) as f64;

/// Neighbors of moving particles. Pairs within the cutoff plus a *skin* are stored; while no
/// particle has moved by more than half of the skin, only they are tested again.
///
/// Each list is bit-identical to that of a new search.
///
/// ```
/// use hexphase_periodic::{Cell, Cutoff, NeighborList, NeighborSearch, VerletList};
///
/// let mut verlet = VerletList::new(NeighborSearch::new(Cutoff::Uniform(1.0)), 0.4)?;
/// let mut list = NeighborList::default();
/// let mut at = |x: f64| verlet.update(&[[0.0; 3], [x, 0.0, 0.0]], &Cell::OPEN, &mut list);
/// assert_eq!(at(1.1), Ok(true));
/// assert_eq!(at(1.0), Ok(false));
/// assert_eq!(at(1.5), Ok(true), "moved by 0.4");
/// assert_eq!(at(1.4), Ok(false));
/// assert!(list.is_empty());
/// # Ok::<(), hexphase_periodic::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct VerletList {
    search: NeighborSearch,
    skin: f64,
    stored: Option<Stored>,
}

/// The state of the last search.
#[derive(Clone, Debug)]
struct Stored {
    positions: Vec<[f64; 3]>,
    cell: Cell,
    /// Pairs within the cutoff plus the skin.
    pairs: NeighborList,
}

impl VerletList {
    /// Creates a list without particles. With radii and species, the skin is added to the cutoff of
    /// each pair.
    ///
    /// # Errors
    /// If the skin is negative or invalid.
    pub fn new(search: NeighborSearch, skin: f64) -> Result<Self, Error> {
        if is_valid(skin) { Ok(Self { search, skin, stored: None }) } else { Err(Error::Skin) }
    }

    /// Replaces a list by the neighbors at these positions. Returns whether they were searched:
    /// at the first call, if the number of particles or the cell has changed, or if a particle has
    /// moved by more than half of the skin since the last search.
    ///
    /// Positions must not be moved into the cell between calls: a particle that is moved by a cell
    /// vector has moved.
    ///
    /// # Errors
    /// The errors of [`NeighborSearch::find`]. The pairs of the last search are retained.
    ///
    /// # Panics
    /// If there are 2^31 particles or more.
    pub fn update(
        &mut self,
        positions: &[[f64; 3]],
        cell: &Cell,
        out: &mut NeighborList,
    ) -> Result<bool, Error> {
        let is_searched = !self.is_current(positions, cell);
        if is_searched {
            self.stored = Some(self.search_all(positions, cell)?);
        }
        let NeighborSearch { cutoff, columns, .. } = &self.search;
        let squares = cutoff.squares(0.0);
        if let Some(Stored { pairs, .. }) = &self.stored {
            Definition { positions, cell, squares }.write(pairs, *columns, out)?;
        }
        Ok(is_searched)
    }

    fn is_current(&self, positions: &[[f64; 3]], cell: &Cell) -> bool {
        let allowed = self.skin / 2.0 * ALLOWED;
        let is_near = |(a, b): (&[f64; 3], &[f64; 3])| {
            let [x, y, z] = [0, 1, 2].map(|axis| (a[axis] - b[axis]) * (a[axis] - b[axis]));
            x + y + z <= allowed * allowed
        };
        self.stored.as_ref().is_some_and(|stored| {
            stored.cell == *cell
                && stored.positions.len() == positions.len()
                && stored.positions.iter().zip(positions).all(is_near)
        })
    }

    /// Finds the pairs within the cutoff plus the skin.
    ///
    /// A pair of the list at later positions is within the cutoff, the distance that both particles
    /// have moved, and two rounding errors, at its own and at the stored positions. The margin of
    /// the search bounds each: it includes the skin as part of the cutoff.
    fn search_all(&self, positions: &[[f64; 3]], cell: &Cell) -> Result<Stored, Error> {
        let NeighborSearch { cutoff, half, .. } = &self.search;
        let candidates = Candidates::find(positions, cell, cutoff, self.skin, *half)?;
        let squares = cutoff.squares(self.skin + 2.0 * candidates.margin);
        let columns = Columns { second: true, shifts: true, ..Columns::NONE };
        let mut pairs = NeighborList::default();
        Definition { positions, cell, squares }.write(&candidates, columns, &mut pairs)?;
        Ok(Stored { positions: positions.to_vec(), cell: *cell, pairs })
    }
}

impl Source for NeighborList {
    fn ends(&self) -> &[usize] {
        &self.offsets[1..]
    }

    fn indices(&self, particle: usize) -> &[u32] {
        &self.second[self.offsets[particle]..self.offsets[particle + 1]]
    }

    fn candidates(&self, particle: usize, out: &mut Vec<Image>) {
        let range = self.offsets[particle]..self.offsets[particle + 1];
        let images = self.second[range.clone()].iter().zip(&self.shifts[range]);
        out.extend(images.map(|(&second, &shift)| (second, shift)));
    }
}
