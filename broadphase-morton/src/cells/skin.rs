//! Skin: volumes a little larger than the bounds in them, so that little changes most of the time.
//!
//! As long as every object stays inside its volume, nothing has to be sorted and those who met at
//! the last join are all who can meet. When the first one leaves, all get volumes anew: from then
//! on they last equally long. What is static has none: it is not expected to leave.

use broadphase_core::{Scalar, skin};

use super::MortonCells;
use super::layer_store::MOVING;

impl<S: Scalar, const D: usize, T: Copy> MortonCells<S, D, T> {
    /// Lets objects move by half of `distance` before anything is sorted or joined again; 0, which
    /// is what a structure begins with, switches that off.
    ///
    /// No answer changes, only what it costs: a walk then looks whether objects are still where
    /// they may be, and finding pairs looks again at those who came near at the last join. It
    /// pays where most objects move slowly: `distance` about eight to sixteen times what the
    /// fastest move between two calls of [`pairs`](crate::SpatialIndex::pairs), and objects not
    /// much smaller than that. One object that is faster than the others makes all of them be
    /// sorted and joined again whenever it has vacant half of `distance`. Takes eight bytes for
    /// each pair that is near.
    ///
    /// # Panics
    /// If `distance` is negative, NaN or infinite.
    ///
    /// ```
    /// use broadphase_morton::{Aabb, MortonCells, SpatialIndex};
    ///
    /// let mut world: MortonCells<f32, 2> = MortonCells::new();
    /// world.set_skin(2.0);
    /// world.insert(0, Aabb::of_ball([0.0, 0.0], 1.0), ())?;
    /// world.insert(1, Aabb::of_ball([3.0, 0.0], 1.0), ())?;
    /// let mut pairs = Vec::new();
    /// world.pairs(&mut pairs);
    /// assert!(pairs.is_empty()); // near, but apart
    /// world.update(|key, _, bounds| {
    ///     if key == 0 {
    ///         *bounds = bounds.translated([1.0, 0.0]);
    ///     }
    /// })?;
    /// world.pairs(&mut pairs);
    /// assert_eq!(pairs, [[0, 1]]);
    /// # Ok::<(), broadphase_morton::IndexError>(())
    /// ```
    pub fn set_skin(&mut self, distance: S) {
        let margin = skin::margin(distance);
        if margin != self.margin {
            self.margin = margin;
            self.store.layers[MOVING].stale = true;
            self.store.pairs_stale = true;
            self.refresh();
        }
    }
}
