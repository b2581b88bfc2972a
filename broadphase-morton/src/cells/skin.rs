//! Skin: key bounds are enlarged by a margin, so most small moves change nothing.
//!
//! While every object stays inside its enlarged bounds, the order stays valid and the cached
//! candidates of the last join contain all pairs. When an object leaves its enlarged bounds, all
//! moving objects get new key bounds, so all margins are full again at the same time. Static
//! objects have no margin, because they are not expected to move.

use broadphase_core::{Scalar, skin};

use super::MortonCells;
use super::layer_store::MOVING;

impl<S: Scalar, const D: usize, T: Copy> MortonCells<S, D, T> {
    /// Sets the skin: the distance that objects may move relative to each other before sorting and
    /// joining are repeated. 0 (the default) turns the skin off.
    ///
    /// The skin affects the cost but not results. With a skin, a walk checks whether each object is
    /// still inside its enlarged bounds, and a search for pairs tests the cached candidates
    /// exactly. A skin saves time if most objects move slowly and are not much smaller than
    /// `distance`. Set `distance` to 8 to 16 times the largest move between two calls of
    /// [`pairs`](crate::SpatialIndex::pairs). A single fast object triggers a full refresh and join
    /// each time it has moved by half of `distance`. The cache takes eight bytes per candidate
    /// pair.
    ///
    /// # Panics
    /// Panics if `distance` is negative, NaN or infinite.
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
