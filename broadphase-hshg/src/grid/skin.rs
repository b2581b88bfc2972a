//! Skin: slabs a little larger than the bounds in them, so that little changes most of the time.
//!
//! As long as every object stays inside its slabs, nothing has to be sorted and those who met at
//! the last sweep are all who can meet. When the first one leaves, all get slabs anew: from then
//! on they last equally long.

use broadphase_core::{Aabb, Scalar, Slabs};

use super::Hshg;
use super::chunk::{CHUNK, Chunk, Outgrow, marked};
use super::walk::Worst;

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

/// Whether slabs hold others.
pub(super) fn holds<const D: usize>(outer: &Slabs<D>, inner: &Slabs<D>) -> bool {
    (0..D).all(|axis| outer.min[axis] <= inner.min[axis] && inner.max[axis] <= outer.max[axis])
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
        let zero = S::ZERO;
        assert!(
            zero <= distance && distance.is_finite(),
            "a skin must be finite and not negative, not {distance}"
        );
        let margin = zero.half_way(distance);
        if margin != self.margin {
            self.take_apart();
            self.margin = margin;
            self.store.skinned = margin > zero;
        }
    }

    /// Walks over the first so many rows; only where objects outgrow their slabs more has to be
    /// done.
    pub(super) fn walk_within_skin(
        &mut self,
        rows: usize,
        chunk: &mut Chunk<S, D>,
        keep: &mut impl FnMut(u32, &mut T, &mut Aabb<S, D>) -> bool,
        worst: &mut Worst,
    ) {
        let mut outgrown = false;
        for index in 0..rows {
            let row = self.rows[index];
            for begin in row.places().step_by(CHUNK) {
                let len = CHUNK.min(row.begin + row.len - begin);
                self.change(index, begin, len, chunk, keep);
                let planes = self.store.planes();
                self.backend.dispatch(Outgrow { chunk, len, planes, begin });
                outgrown |= self.stay(index, begin, chunk, worst);
                self.store.write_exact(begin, len, chunk);
            }
        }
        if outgrown {
            for index in 0..rows {
                self.walk_row(index, chunk, &mut |_, _, _| true, worst);
            }
        }
    }

    /// Puts back what is invalid and leaves holes; yields whether anything outgrew its slabs.
    fn stay(
        &mut self,
        index: usize,
        begin: usize,
        chunk: &mut Chunk<S, D>,
        worst: &mut Worst,
    ) -> bool {
        let mut outgrown = false;
        for offset in marked(&chunk.strange) {
            let bounds = chunk.bounds_at(offset);
            if bounds.checked().is_err() {
                worst.note(self.store.keys[begin + offset], bounds);
                chunk.set_bounds_at(offset, &self.store.bounds(begin + offset));
            } else {
                outgrown = true;
            }
        }
        for place in marked(&chunk.holes).map(|offset| begin + offset) {
            if self.store.max[0][place] != i32::MIN {
                self.touch(self.rows[index].id.kind);
                self.store.set_hole(place, self.store.min[0][place]);
            }
        }
        outgrown
    }
}
