//! Many volumes of one kind, growable and edited in place: the collection that is queried.
//!
//! ```text
//!              block 0           block 1            the eight planes of a prism; the first
//! max a   [ · · · · · · · · ][ · · · · · · · · ]  ┐ stage of a test reads three of them,
//! max b   [ · · · · · · · · ][ · · · · · · · · ]  ├ up first: these, against the query's
//! max c   [ · · · · · · · · ][ · · · · · · · · ]  ┘ up triangle
//! min a   [ · · · · · · · · ][ · · · · · · · · ]
//!   ⋮     z, and the rest: read where a block passed the first stage
//! ```

mod batched;
mod pairs;
mod query;
mod reading;
mod saving;
mod store;

use alloc::collections::TryReserveError;
use alloc::vec::Vec;

use simd_lanes::Backend;

use crate::InvalidBounds;
pub use batched::Batched;
pub use reading::Reading;
pub use saving::Saving;
pub use store::SlabSet;
use store::Store;

/// Which triangle of the query is tested first.
///
/// It changes what is read and how long it takes, never what is found. Boxes have one order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TestOrder {
    /// The query's up triangle against the down triangles of the batch. For a
    /// [`SplitPrism`](crate::SplitPrism) this is a thing against a terrain: what flies above is
    /// rejected at once.
    UpFirst,
    /// The query's down triangle against the up triangles of the batch.
    DownFirst,
    /// The query's down triangle if it is less than two thirds of the up triangle, and so rejects
    /// more; else up first, which compares a little faster.
    #[default]
    Auto,
}

/// Many volumes of one kind, tested eight at a time.
///
/// Volumes have the index they were pushed at until one is [removed](Self::swap_remove). What is
/// found is the same on every backend and in any test order.
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
    /// The volumes themselves, if their keys do not say all; else nothing.
    exact: Vec<V>,
    order: TestOrder,
    backend: Backend,
}

impl<V: Batched> Default for Batch<V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<V: Batched> Batch<V> {
    /// No volumes, on the fastest backend of this CPU.
    #[must_use]
    pub fn new() -> Self {
        Self {
            store: Store::new(),
            exact: Vec::new(),
            order: TestOrder::Auto,
            backend: Backend::detect(),
        }
    }

    /// The volumes, in order.
    ///
    /// # Errors
    /// If one is refused by [`Batched::checked`].
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

    /// How many volumes there are.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.store.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends a volume; its index is the length before.
    ///
    /// # Errors
    /// If [`Batched::checked`] refuses it; nothing changes then.
    #[inline]
    pub fn push(&mut self, volume: V) -> Result<(), InvalidBounds> {
        let volume = volume.checked()?;
        self.store.push(volume.slabs());
        if !V::EXACT {
            self.exact.push(volume);
        }
        Ok(())
    }

    /// Puts another volume at `index`.
    ///
    /// # Errors
    /// If [`Batched::checked`] refuses it; nothing changes then.
    ///
    /// # Panics
    /// If there is none to replace.
    #[inline]
    pub fn set(&mut self, index: usize, volume: V) -> Result<(), InvalidBounds> {
        let volume = volume.checked()?;
        self.store.set(index, volume.slabs());
        if !V::EXACT {
            self.exact[index] = volume;
        }
        Ok(())
    }

    /// The volume at `index`.
    ///
    /// # Panics
    /// If there is none.
    #[inline]
    #[must_use]
    pub fn get(&self, index: usize) -> V {
        if V::EXACT { V::of_slabs(&self.store.get(index)) } else { self.exact[index] }
    }

    /// Removes the volume at `index` and puts the last one in its place.
    ///
    /// # Panics
    /// If there is none.
    pub fn swap_remove(&mut self, index: usize) -> V {
        let removed = self.get(index);
        self.store.swap_remove(index);
        if !V::EXACT {
            self.exact.swap_remove(index);
        }
        removed
    }

    /// Removes all volumes, keeping the memory.
    pub fn clear(&mut self) {
        self.store.clear();
        self.exact.clear();
    }

    /// Makes room for so many more volumes.
    ///
    /// # Errors
    /// If the memory is not to be had.
    pub fn try_reserve(&mut self, additional: usize) -> Result<(), TryReserveError> {
        if !V::EXACT {
            self.exact.try_reserve(additional)?;
        }
        self.store.try_reserve(additional)
    }

    /// Which lanes are used; changes no answer.
    pub fn set_backend(&mut self, backend: Backend) {
        self.backend = backend;
    }

    /// The lanes that are used.
    #[must_use]
    pub fn backend(&self) -> Backend {
        self.backend
    }

    /// Which triangle of a query is tested first; changes no answer.
    pub fn set_test_order(&mut self, order: TestOrder) {
        self.order = order;
    }

    /// Which triangle of a query is tested first.
    #[must_use]
    pub fn test_order(&self) -> TestOrder {
        self.order
    }
}
