//! Collections of volumes of one type, edited in place, with queries and pairs.
//!
//! ```text
//!              block 0           block 1            The eight planes of a prism. With up
//! max a   [ · · · · · · · · ][ · · · · · · · · ]  ┐ first, the first stage compares these
//! max b   [ · · · · · · · · ][ · · · · · · · · ]  ├ three with the query's up triangle.
//! max c   [ · · · · · · · · ][ · · · · · · · · ]  ┘
//! min a   [ · · · · · · · · ][ · · · · · · · · ]  ┐ The second stage reads the others, for
//!   ⋮                                             ┘ blocks that passed the first.
//! ```

mod batched;
mod pairs;
mod query;
mod store;

use alloc::collections::TryReserveError;
use alloc::vec::Vec;

use simd_lanes::Backend;

use crate::InvalidBounds;
pub use batched::Batched;
pub use store::SlabSet;
use store::Store;

/// A collection of volumes of one type, tested eight at a time.
///
/// A volume keeps the index at which it was pushed. Only a [removal](Self::swap_remove) changes an
/// index: it moves the last volume to the index of the removed one. Results are equal on every
/// backend.
///
/// ```
/// use bounds_hexprism::{Batch, HexPrism};
///
/// let mut trees: Batch<HexPrism> = Batch::new();
/// for x in 0..100 {
///     trees.push(HexPrism::of_cylinder([x as f32, 0.0, 2.0], 0.4, 2.0)?)?;
/// }
/// let deer = HexPrism::of_cylinder([7.5, 0.0, 1.0], 0.5, 1.0)?;
/// let mut near = Vec::new();
/// trees.query(&deer, |tree| near.push(tree));
/// assert_eq!(near, [7, 8]);
/// assert_eq!(trees.count(&deer.translated([0.0, 0.0, 9.0])?), 0);
/// # Ok::<(), bounds_hexprism::InvalidBounds>(())
/// ```
#[derive(Clone, Debug)]
pub struct Batch<V: Batched> {
    store: <V::Slabs as SlabSet>::Vec,
    /// The volumes themselves if their keys are not exact, else empty.
    exact: Vec<V>,
    backend: Backend,
}

impl<V: Batched> Default for Batch<V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<V: Batched> Batch<V> {
    /// Creates an empty batch that uses the fastest backend of this CPU.
    #[must_use]
    pub fn new() -> Self {
        Self { store: Store::new(), exact: Vec::new(), backend: Backend::detect() }
    }

    /// Creates a batch of the volumes, in order.
    ///
    /// # Errors
    /// If [`Batched::checked`] rejects a volume.
    ///
    /// ```
    /// use bounds_hexprism::{Aabb, Batch};
    ///
    /// let batch = Batch::of((0..9).map(|x| Aabb::around([x, 0], [2, 2])))?;
    /// assert_eq!(batch.count(&Aabb::point([4, 1])), 5);
    /// # Ok::<(), bounds_hexprism::InvalidBounds>(())
    /// ```
    pub fn of(volumes: impl IntoIterator<Item = V>) -> Result<Self, InvalidBounds> {
        let mut batch = Self::new();
        volumes.into_iter().try_for_each(|volume| batch.push(volume))?;
        Ok(batch)
    }

    /// Returns the number of volumes.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.store.len()
    }

    /// Returns whether the batch is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends a volume. Its index is the previous length.
    ///
    /// # Errors
    /// If [`Batched::checked`] rejects the volume. On error the batch is unchanged.
    #[inline]
    pub fn push(&mut self, volume: V) -> Result<(), InvalidBounds> {
        let volume = volume.checked()?;
        self.store.push(volume.slabs());
        if !V::EXACT {
            self.exact.push(volume);
        }
        Ok(())
    }

    /// Replaces the volume at `index`.
    ///
    /// # Errors
    /// If [`Batched::checked`] rejects the volume. On error the batch is unchanged.
    ///
    /// # Panics
    /// If `index` is out of bounds.
    #[inline]
    pub fn set(&mut self, index: usize, volume: V) -> Result<(), InvalidBounds> {
        let volume = volume.checked()?;
        self.store.set(index, volume.slabs());
        if !V::EXACT {
            self.exact[index] = volume;
        }
        Ok(())
    }

    /// Returns the volume at `index`.
    ///
    /// # Panics
    /// If `index` is out of bounds.
    #[inline]
    #[must_use]
    pub fn get(&self, index: usize) -> V {
        if V::EXACT { V::of_slabs(&self.store.get(index)) } else { self.exact[index] }
    }

    /// Removes and returns the volume at `index`, and moves the last volume to `index`.
    ///
    /// # Panics
    /// If `index` is out of bounds.
    pub fn swap_remove(&mut self, index: usize) -> V {
        let removed = self.get(index);
        self.store.swap_remove(index);
        if !V::EXACT {
            self.exact.swap_remove(index);
        }
        removed
    }

    /// Removes all volumes without freeing memory.
    pub fn clear(&mut self) {
        self.store.clear();
        self.exact.clear();
    }

    /// Reserves capacity for `additional` more volumes.
    ///
    /// # Errors
    /// If allocation fails. On error the volumes are unchanged.
    pub fn try_reserve(&mut self, additional: usize) -> Result<(), TryReserveError> {
        if !V::EXACT {
            self.exact.try_reserve(additional)?;
        }
        self.store.try_reserve(additional)
    }

    /// Sets the backend. Results do not depend on it.
    pub fn set_backend(&mut self, backend: Backend) {
        self.backend = backend;
    }

    /// Returns the backend.
    #[must_use]
    pub fn backend(&self) -> Backend {
        self.backend
    }
}
