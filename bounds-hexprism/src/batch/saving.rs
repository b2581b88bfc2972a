//! Comparison of two volume types on given data: the pairs that the tighter one rejects.

use super::{Batch, Batched};

/// The numbers of overlapping pairs if the same objects have coarse or fine volumes.
///
/// A broad phase that searches with boxes and then tests tighter volumes reports
/// [`both`](Self::both) pairs. With only the tighter volumes it reports [`fine`](Self::fine) pairs.
///
/// ```
/// use bounds_hexprism::{Aabb, Batch, HexPrism, Saving};
///
/// // Parallel diagonal fences, two meters apart.
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
    /// Number of pairs whose coarse volumes overlap.
    pub coarse: u64,
    /// Number of pairs whose fine volumes overlap.
    pub fine: u64,
    /// Number of pairs whose coarse and fine volumes overlap.
    pub both: u64,
}

impl Saving {
    /// Compares two batches that bound the same objects, in the same order. Tests all pairs, O(n²):
    /// use a sample of a few thousand objects, with the positions they have in the world.
    ///
    /// # Panics
    /// If the batches have different lengths.
    #[must_use]
    pub fn of<C: Batched, F: Batched>(coarse: &Batch<C>, fine: &Batch<F>) -> Self {
        assert_eq!(coarse.len(), fine.len(), "both batches must bound the same objects");
        let mut saving = Self::default();
        coarse.pairs(|a, b| {
            saving.coarse += 1;
            saving.both += u64::from(fine.get(a).overlaps(&fine.get(b)));
        });
        fine.pairs(|_, _| saving.fine += 1);
        saving
    }

    /// Returns the share of the coarse pairs that the fine volume rejects.
    ///
    /// The fine volume saves time if this share, multiplied by the narrow-phase time per pair,
    /// exceeds the time of one test of the fine volume: a few nanoseconds.
    #[must_use]
    pub fn share(&self) -> f64 {
        (self.coarse - self.both) as f64 / self.coarse.max(1) as f64
    }
}
