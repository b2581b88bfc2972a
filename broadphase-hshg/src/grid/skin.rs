//! Skin: slabs a little larger than the bounds in them, so that little changes most of the time.
//!
//! As long as every object stays inside its slabs, nothing has to be sorted and those who met at
//! the last sweep are all who can meet. When the first one leaves, all get slabs anew: from then
//! on they last equally long.

use broadphase_core::{Aabb, Scalar, Slabs, skin};

use super::Hshg;

/// The slabs of bounds with a margin.
#[inline(always)]
pub(super) fn slabs<S: Scalar, const D: usize>(bounds: &Aabb<S, D>, margin: S) -> Slabs<D> {
    if margin == S::ZERO {
        return bounds.slabs();
    }
    let mut slabs = Slabs::PADDING;
    for axis in 0..D {
        slabs.min[axis] = bounds.min[axis].minus(margin).canonical().key_below();
        slabs.max[axis] = bounds.max[axis].plus(margin).canonical().key_above();
    }
    slabs
}

impl<S: Scalar, const D: usize, T: Copy> Hshg<S, D, T> {
    /// Lets objects move by half of `distance` before anything is sorted or swept again; 0, which
    /// is what a structure begins with, switches that off.
    ///
    /// No answer changes, only what it costs: a walk then looks whether objects are still where
    /// they may be, and finding pairs looks again at those who came near at the last sweep. It
    /// pays where most objects move slowly, about where `distance` is four to eight times what
    /// they move between two calls of [`pairs`](crate::SpatialIndex::pairs), and objects are not
    /// much smaller than that. One object that is faster than the others makes all of them be
    /// sorted and swept again whenever it has gone half of `distance`. Takes 16 to 48 bytes more
    /// for an object.
    ///
    /// # Panics
    /// If `distance` is negative, NaN or infinite.
    ///
    /// ```
    /// use broadphase_hshg::{Aabb, Hshg, SpatialIndex};
    ///
    /// let mut world: Hshg<f32, 2> = Hshg::new();
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
    /// # Ok::<(), broadphase_hshg::IndexError>(())
    /// ```
    pub fn set_skin(&mut self, distance: S) {
        let margin = skin::margin(distance);
        if margin != self.margin {
            self.take_apart();
            self.margin = margin;
            self.store.skinned = margin > S::ZERO;
        }
    }
}
