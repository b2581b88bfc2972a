//! Slabs of boxes in lanes, for walks and for steps of a bulk load that read all objects.
//!
//! Eight boxes are transposed to one vector per axis and end. In a bulk load, objects of tier 0,
//! the most frequent, stay in lanes; others are processed one by one. The test for tier 0 may
//! exclude an object, but never includes one of another tier.

use broadphase_core::{Aabb, Keys, LANES, LaneKeys, Lanes, Scalar};

use crate::grid::storage::tiers::{Tier, Tiers};

/// The slabs of eight objects, in the caller's order of axes.
pub(crate) struct LaneSlabs<L: Lanes, const D: usize> {
    pub(crate) low: [L::I; D],
    pub(crate) high: [L::I; D],
    pub(crate) extent: [L::F; D],
    /// The lanes with NaN, infinite or inverted bounds.
    pub(crate) invalid: L::M,
}

impl<L: Lanes, const D: usize> LaneSlabs<L, D> {
    /// Computes the slabs of eight boxes.
    #[inline(always)]
    pub(crate) fn read<S: Scalar>(lanes: L, boxes: [&Aabb<S, D>; LANES]) -> Self {
        let (mut min, mut max) = ([[S::ZERO; LANES]; D], [[S::ZERO; LANES]; D]);
        for (lane, bounds) in boxes.into_iter().enumerate() {
            for axis in 0..D {
                (min[axis][lane], max[axis][lane]) = (bounds.min[axis], bounds.max[axis]);
            }
        }
        let none = lanes.splat(0);
        let mut slabs = Self {
            low: [none; D],
            high: [none; D],
            extent: [lanes.splat_f32(0.0); D],
            invalid: lanes.gt(none, none),
        };
        let mut axis = 0;
        while axis < D {
            let keys = S::lane_keys(lanes, &mut min[axis], &mut max[axis]);
            let LaneKeys { low, high, extent, invalid } = keys;
            (slabs.low[axis], slabs.high[axis], slabs.extent[axis]) = (low, high, extent);
            slabs.invalid = lanes.mask_or(slabs.invalid, invalid);
            axis += 1;
        }
        slabs
    }
}

/// The limits of tier 0.
#[derive(Clone, Copy)]
pub(crate) struct TierZero {
    /// The bits of the largest extent.
    limit: i32,
    /// The range of the keys of all corners.
    keys: [i32; 2],
}

impl TierZero {
    pub(crate) fn new<S: Scalar>(sizes: Tiers) -> Self {
        let Tier { sizes: [_, limit], keys: [first, last], .. } =
            Tier::new::<S>(sizes, 0, [0.0; 2]);
        let keys = [first.max(S::MIN_KEY), last.min(S::MAX_KEY)];
        // Non-negative floats sort like their bits as integers.
        Self { limit: limit.to_bits().cast_signed(), keys }
    }

    /// Returns the lanes with objects that are possibly in another tier.
    #[inline(always)]
    pub(crate) fn excluded<L: Lanes, const D: usize>(
        self,
        lanes: L,
        slabs: &LaneSlabs<L, D>,
    ) -> L::M {
        let (first, last) = (lanes.splat(self.keys[0]), lanes.splat(self.keys[1]));
        let limit = lanes.splat(self.limit);
        let mut excluded = lanes.gt(limit, limit);
        let mut axis = 0;
        while axis < D {
            let extent = lanes.f32_to_bits(slabs.extent[axis]);
            excluded = lanes.mask_or(excluded, lanes.gt(extent, limit));
            excluded = lanes.mask_or(excluded, lanes.gt(first, slabs.low[axis]));
            excluded = lanes.mask_or(excluded, lanes.gt(slabs.high[axis], last));
            axis += 1;
        }
        excluded
    }
}
