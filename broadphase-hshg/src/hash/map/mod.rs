//! Maps from cells to numbers: the replaceable container inside a spatial hash.

pub(crate) mod blocks;
mod dense;
mod sparse;
mod std_maps;

use core::fmt::Debug;

use broadphase_core::IndexError;

pub use dense::Dense;
pub use sparse::{CellHasher, Sparse};

/// A map from cells to numbers, through which a [`SpatialHash`](crate::SpatialHash) finds its
/// cells.
///
/// A cell of the map is a block of the hash's cells, so that one lookup finds several neighbors: 16
/// cells in one dimension, 4 by 4 in two, 2 by 2 by 2 in three. A hash holds several clones of its
/// map: one for blocks of cells, the others for blocks of the larger bins used by queries. The hash
/// sets the [side](Self::set_side) of each clone. Entries are stored outside the map, so a map is
/// small. Results do not depend on the map; only time and memory do.
///
/// Implementations: [`Sparse`] with any `BuildHasher`, [`Dense`] for bounded worlds, `BTreeMap`
/// from `alloc` and, with the feature `std`, `HashMap`. Callers can add their own.
///
/// ```
/// use std::collections::BTreeMap;
///
/// use broadphase_hshg::{Aabb, SpatialHash, SpatialIndex};
///
/// let mut world: SpatialHash<f32, 2, (), BTreeMap<[i32; 2], u32>> =
///     SpatialHash::with_map(4.0, BTreeMap::new());
/// world.insert(0, Aabb::of_ball([0.0, 0.0], 1.0), ())?;
/// world.insert(1, Aabb::of_ball([1.0, 1.0], 1.0), ())?;
/// let mut pairs = Vec::new();
/// world.pairs(&mut pairs);
/// assert_eq!(pairs, [[0, 1]]);
/// # Ok::<(), broadphase_hshg::IndexError>(())
/// ```
pub trait CellMap<const D: usize>: Clone + Debug + Send + Sync {
    /// Returns the number of a cell, or `None` if it has none.
    fn get(&self, cell: &[i32; D]) -> Option<u32>;

    /// Returns the number of a cell, after setting it to `number` if the cell had none.
    fn get_or_insert(&mut self, cell: &[i32; D], number: u32) -> u32;

    /// Sets the number of a cell that already has one.
    fn replace(&mut self, cell: &[i32; D], number: u32);

    /// Removes a cell that has a number.
    fn remove(&mut self, cell: &[i32; D]);

    /// Removes all cells without freeing memory.
    fn clear(&mut self);

    /// Sets the side of the cells. The hash calls it while the map is empty: before the first
    /// insertion and whenever the side changes. The default does nothing.
    fn set_side(&mut self, side: f64) {
        let _ = side;
    }

    /// Reserves memory for `additional` cells, where the container supports it.
    ///
    /// # Errors
    /// If allocation fails. On error the cells are unchanged.
    fn try_reserve(&mut self, additional: usize) -> Result<(), IndexError>;

    /// Frees unused memory, where the container supports it.
    fn shrink_to_fit(&mut self);

    /// Returns the bytes of memory held, exactly or as an estimate.
    fn memory_use(&self) -> usize;
}
