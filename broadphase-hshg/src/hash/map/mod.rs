//! From cells to their numbers: the container that a spatial hash is made of, which can be another.

pub(crate) mod blocks;
mod dense;
mod sparse;
mod std_maps;

use core::fmt::Debug;

use broadphase_core::IndexError;

pub use dense::Dense;
pub use sparse::{CellHasher, Sparse};

/// A map from cells to numbers: what [`SpatialHash`](crate::SpatialHash) finds its cells with.
///
/// A cell of the map is a block of cells of the hash, so that one look finds those side by side: 16
/// on a line, 4 by 4 in the plane, 2 by 2 by 2 in space. A hash has several clones of its map, for
/// blocks of its cells and of the larger bins that questions look into, and tells each the
/// [side](Self::set_side) of its own. What is in them is not in here, so a map is small, and
/// answers do not depend on which it is: only time and memory do. There are [`Sparse`] with any
/// `BuildHasher`, [`Dense`] for bounded worlds, `BTreeMap` from `alloc` and, with the feature `std`,
/// `HashMap`; or the caller's own.
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
    /// The number of a cell.
    fn get(&self, cell: &[i32; D]) -> Option<u32>;

    /// The number of a cell, which is `number` from now on if it had none.
    fn get_or_insert(&mut self, cell: &[i32; D], number: u32) -> u32;

    /// Gives a cell that has a number another one.
    fn replace(&mut self, cell: &[i32; D], number: u32);

    /// Forgets a cell that has a number.
    fn remove(&mut self, cell: &[i32; D]);

    /// Forgets all cells, keeping the memory.
    fn clear(&mut self);

    /// Told the side of its cells, before the first one comes and whenever it changes; the map is
    /// empty then.
    fn set_side(&mut self, side: f64) {
        let _ = side;
    }

    /// Makes room for so many more cells, if it can tell.
    ///
    /// # Errors
    /// If the memory is not to be had. No cell has changed then.
    fn try_reserve(&mut self, additional: usize) -> Result<(), IndexError>;

    /// Gives back the memory that is not needed, if it can.
    fn shrink_to_fit(&mut self);

    /// The bytes of memory held, as well as it can tell.
    fn memory_use(&self) -> usize;
}
