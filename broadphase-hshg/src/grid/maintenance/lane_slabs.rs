//! Slabs of pending objects in lanes, for the steps of a bulk load that read all objects.
//!
//! Eight objects at a time are transposed to one vector per axis and end. Objects of tier 0, which
//! are most objects, stay in lanes; the caller processes the other objects one by one. The test for
//! tier 0 is conservative: it may exclude an object, but never includes an object of another tier.

use broadphase_core::{Keys, LANES, LaneKeys, Lanes, Scalar};

use crate::grid::storage::row::Class;
use crate::grid::storage::store::Body;
use crate::grid::storage::tiers::{Tier, Tiers};

/// The slabs of eight pending objects, in the caller's order of axes.
pub(in crate::grid) struct LaneSlabs<L: Lanes, const D: usize> {
    pub(in crate::grid) low: [L::I; D],
    pub(in crate::grid) high: [L::I; D],
    pub(in crate::grid) extent: [L::F; D],
    /// The motion classes, as numbers.
    pub(in crate::grid) class: L::I,
}

impl<L: Lanes, const D: usize> LaneSlabs<L, D> {
    /// Computes the slabs of eight objects.
    #[inline(always)]
    pub(in crate::grid) fn read<S: Scalar>(lanes: L, bodies: [&Body<S, D>; LANES]) -> Self {
        let (mut min, mut max) = ([[S::ZERO; LANES]; D], [[S::ZERO; LANES]; D]);
        let mut classes = [0; LANES];
        for (lane, body) in bodies.into_iter().enumerate() {
            classes[lane] = body.class as i32;
            for axis in 0..D {
                (min[axis][lane], max[axis][lane]) = (body.bounds.min[axis], body.bounds.max[axis]);
            }
        }
        let none = lanes.splat(0);
        let mut slabs = Self {
            low: [none; D],
            high: [none; D],
            extent: [lanes.splat_f32(0.0); D],
            class: lanes.load(&classes),
        };
        let mut axis = 0;
        while axis < D {
            let keys = S::lane_keys(lanes, &mut min[axis], &mut max[axis]);
            let LaneKeys { low, high, extent, invalid: _ } = keys;
            (slabs.low[axis], slabs.high[axis], slabs.extent[axis]) = (low, high, extent);
            axis += 1;
        }
        slabs
    }

    /// Returns the lanes with objects of a motion class.
    #[inline(always)]
    pub(in crate::grid) fn of_class(&self, lanes: L, class: Class) -> L::M {
        lanes.eq(self.class, lanes.splat(class as i32))
    }
}

/// The limits of tier 0.
#[derive(Clone, Copy)]
pub(in crate::grid) struct TierZero {
    /// The bits of the largest extent.
    limit: i32,
    /// The range of the keys of all corners.
    keys: [i32; 2],
}

impl TierZero {
    pub(in crate::grid) fn new<S: Scalar>(sizes: Tiers) -> Self {
        let Tier { sizes: [_, limit], keys: [first, last], .. } =
            Tier::new::<S>(sizes, 0, [0.0; 2]);
        let keys = [first.max(S::MIN_KEY), last.min(S::MAX_KEY)];
        // Non-negative floats sort like their bits as integers.
        Self { limit: limit.to_bits().cast_signed(), keys }
    }

    /// Returns the lanes with objects that are possibly in another tier.
    #[inline(always)]
    pub(in crate::grid) fn excluded<L: Lanes, const D: usize>(
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
