//! Skin: slabs a little larger than the bounds in them, so that little changes most of the time.
//!
//! As long as every object stays inside its slabs, nothing has to be sorted and those who met at
//! the last sweep are all who can meet. When the first one leaves, all get slabs anew: from then
//! on they last equally long. How long that is one knows from the last time, and so that the next
//! walk is one in which all get slabs at once, not one that finds out that it should have been.

use broadphase_core::{Aabb, Scalar, Slabs, skin};

use super::Hshg;
use super::row::KINDS;
use super::store::Body;

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

/// How many walks slabs last.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wear {
    /// How many there have been since all got slabs.
    walks: u32,
    /// How many there were the last time until the first one left.
    lasts: u32,
}

impl Wear {
    /// Nothing is known.
    pub(super) const UNKNOWN: Self = Self { walks: 0, lasts: u32::MAX };

    /// Whether the next walk should give all of them slabs.
    #[inline]
    pub(super) const fn is_due(self) -> bool {
        self.walks >= self.lasts
    }

    /// All stayed in their slabs.
    #[inline]
    pub(super) const fn walked(&mut self) {
        self.walks = self.walks.saturating_add(1);
    }

    /// All got slabs, as one of them had left its own; or none had, and it was too early.
    #[inline]
    pub(super) const fn renewed(&mut self, left: bool) {
        self.lasts = self.walks.saturating_add(!left as u32);
        self.walks = 0;
    }
}

/// How much larger slabs are than the bounds in them, on every side, for each kind of object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Margins<S>([S; KINDS as usize]);

impl<S: Scalar> Margins<S> {
    pub(super) const NONE: Self = Self::all(S::ZERO);

    /// The same for all.
    pub(super) const fn all(margin: S) -> Self {
        Self([margin; KINDS as usize])
    }

    /// None for what is static, which is not expected to move.
    fn of_movers(margin: S) -> Self {
        let mut margins = Self::all(margin);
        margins.0[KINDS as usize - 1] = S::ZERO;
        margins
    }

    /// That of a kind.
    #[inline(always)]
    pub(super) fn of(&self, kind: u8) -> S {
        self.0[usize::from(kind)]
    }

    /// The least: as long as there is one that is larger than 0, that of what is static.
    pub(super) fn least(&self) -> S {
        self.of(KINDS - 1)
    }
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
        self.set_margins(Margins::of_movers(skin::margin(distance)));
    }

    /// Gives all objects slabs with such margins.
    pub(super) fn set_margins(&mut self, margins: Margins<S>) {
        if margins != self.margins {
            self.take_apart();
            self.margins = margins;
            self.wear = Wear::UNKNOWN;
            self.store.skinned = margins != Margins::NONE;
        }
    }

    /// The slabs of an object that waits for a row.
    pub(super) fn slabs_of(&self, body: &Body<S, D, T>) -> Slabs<D> {
        slabs(&body.bounds, self.margins.of(body.kind))
    }
}
