//! Tests one volume against a block of eight volumes.

use simd_lanes::{HitMask, Lanes};

use crate::{SlabPlanes, Slabs};

/// A volume whose ends are broadcast to all lanes, one vector per end.
#[derive(Clone, Copy, Debug)]
pub struct Spread<L: Lanes, const K: usize> {
    min: [L::I; K],
    max: [L::I; K],
}

impl<L: Lanes, const K: usize> Spread<L, K> {
    /// Broadcasts a volume to all lanes.
    #[inline(always)]
    #[must_use]
    pub fn new(lanes: L, volume: &Slabs<K>) -> Self {
        // A loop, because a closure that is not inlined is compiled without the backend's
        // instructions.
        let mut spread = Self { min: [lanes.splat(0); K], max: [lanes.splat(0); K] };
        let mut axis = 0;
        while axis < K {
            spread.min[axis] = lanes.splat(volume.min[axis]);
            spread.max[axis] = lanes.splat(volume.max[axis]);
            axis += 1;
        }
        spread
    }

    /// Returns which of the eight volumes from `at` on overlap this one. The caller must mask out
    /// padding: a volume that spans all keys overlaps it.
    ///
    /// # Panics
    /// If the planes end before `at + 8`.
    #[inline(always)]
    #[must_use]
    pub fn overlaps(&self, lanes: L, planes: &SlabPlanes<'_, K>, at: usize) -> HitMask {
        let mut apart = self.apart_at(lanes, planes, at, 0);
        let mut axis = 1;
        while axis < K {
            apart = lanes.mask_or(apart, self.apart_at(lanes, planes, at, axis));
            axis += 1;
        }
        !lanes.movemask(apart)
    }

    /// Returns which of the eight volumes from `at` on have lower ends inside this volume.
    ///
    /// The mask may include padding if this volume contains the largest key.
    ///
    /// # Panics
    /// If the planes end before `at + 8`.
    #[inline(always)]
    #[must_use]
    pub fn begins_of(&self, lanes: L, planes: &SlabPlanes<'_, K>, at: usize) -> HitMask {
        let mut outside = lanes.gt(self.min[0], self.min[0]);
        let mut axis = 0;
        while axis < K {
            let min = lanes.load_at(planes.min[axis], at);
            let before = lanes.gt(self.min[axis], min);
            outside = lanes.mask_or(outside, lanes.mask_or(before, lanes.gt(min, self.max[axis])));
            axis += 1;
        }
        !lanes.movemask(outside)
    }

    /// Returns whether any of the eight volumes from `at` on begins, on the first axis, after this
    /// one.
    ///
    /// # Panics
    /// If the planes end before `at + 8`.
    #[inline(always)]
    #[must_use]
    pub fn ends_before(&self, lanes: L, planes: &SlabPlanes<'_, K>, at: usize) -> bool {
        let later = lanes.gt(lanes.load_at(planes.min[0], at), self.max[0]);
        !lanes.movemask(later).is_empty()
    }

    /// Returns which of the eight volumes from `at` on do not overlap this one on an axis.
    #[inline(always)]
    fn apart_at(&self, lanes: L, planes: &SlabPlanes<'_, K>, at: usize, axis: usize) -> L::M {
        let min = lanes.load_at(planes.min[axis], at);
        let max = lanes.load_at(planes.max[axis], at);
        self.apart_on(lanes, min, max, axis)
    }

    /// Returns which of eight volumes with these ends on an axis do not overlap this one.
    #[inline(always)]
    pub(crate) fn apart_on(&self, lanes: L, min: L::I, max: L::I, axis: usize) -> L::M {
        lanes.mask_or(lanes.gt(min, self.max[axis]), lanes.gt(self.min[axis], max))
    }
}
