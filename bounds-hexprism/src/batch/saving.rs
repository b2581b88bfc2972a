//! What a tighter volume would save on given data: pairs that need not be looked at closely.

use super::{Batch, Batched};

/// How many pairs of the same objects overlap when bounded one way and the other.
///
/// A broad phase that keeps boxes and asks a tighter volume where boxes overlap hands on
/// [`both`](Self::both); one that keeps the tighter volumes alone, [`fine`](Self::fine).
///
/// ```
/// use bounds_hexprism::{Aabb, Batch, HexPrism, Saving};
///
/// // Parallel diagonal fences, two metres apart.
/// let ends = |i: i32| [[i, 50 - i, 0], [i + 50, 100 - i, 1]].map(|end| [end[0] * 2, end[1] * 2, 0]);
/// let boxes = Batch::of((0..40).map(|i| Aabb::of_points(ends(i)).expect("two points")))?;
/// let prisms = (0..40).map(|i| HexPrism::<i32>::of_points(ends(i)).expect("small numbers"));
/// let saving = Saving::of(&boxes, &Batch::of(prisms)?);
/// assert!(saving.coarse > 0);
/// # Ok::<(), bounds_hexprism::InvalidBounds>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Saving {
    /// The pairs whose coarse volumes overlap.
    pub coarse: u64,
    /// The pairs whose fine volumes overlap.
    pub fine: u64,
    /// The pairs of which both overlap.
    pub both: u64,
}

impl Saving {
    /// Compares two ways to bound the same objects, in the same order. Tests every pair: give it a
    /// sample of a few thousand objects that lie as they do in the world.
    ///
    /// # Panics
    /// If the batches are not of the same length.
    #[must_use]
    pub fn of<C: Batched, F: Batched>(coarse: &Batch<C>, fine: &Batch<F>) -> Self {
        assert_eq!(coarse.len(), fine.len(), "the same objects in both batches");
        let mut saving = Self::default();
        coarse.pairs(|a, b| {
            saving.coarse += 1;
            saving.both += u64::from(fine.get(a).overlaps(&fine.get(b)));
        });
        fine.pairs(|_, _| saving.fine += 1);
        saving
    }

    /// The share of the coarse pairs that the fine volume throws out.
    ///
    /// It pays if this share of what a pair costs to look at closely is more than a test of the
    /// fine volume, a few nanoseconds.
    #[must_use]
    pub fn share(&self) -> f64 {
        (self.coarse - self.both) as f64 / self.coarse.max(1) as f64
    }
}
