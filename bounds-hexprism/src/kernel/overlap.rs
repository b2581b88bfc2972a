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
        Self { min: spread(lanes, volume.min), max: spread(lanes, volume.max) }
    }

    /// Returns which of the eight volumes from `at` on overlap this one; `at` need not be aligned.
    ///
    /// The caller must mask out padding: a volume that spans all keys overlaps it.
    ///
    /// # Panics
    /// If the planes end before `at + 8`.
    #[inline(always)]
    #[must_use]
    pub fn overlaps(&self, lanes: L, planes: &SlabPlanes<'_, K>, at: usize) -> HitMask {
        let mut apart = self.apart(lanes, planes, at, 0);
        let mut axis = 1;
        while axis < K {
            apart = lanes.mask_or(apart, self.apart(lanes, planes, at, axis));
            axis += 1;
        }
        !lanes.movemask(apart)
    }

    /// Returns which of the eight volumes from `at` on have lower ends inside this volume on all
    /// axes. Upper ends are ignored.
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
            outside = lanes
                .mask_or(outside, lanes.mask_or(before, self.begin_after_end(lanes, min, axis)));
            axis += 1;
        }
        !lanes.movemask(outside)
    }

    /// Returns whether, on the first axis, any of the eight volumes from `at` on begins after the
    /// end of this volume.
    ///
    /// # Panics
    /// If the planes end before `at + 8`.
    #[inline(always)]
    #[must_use]
    pub fn ends_before(&self, lanes: L, planes: &SlabPlanes<'_, K>, at: usize) -> bool {
        !lanes.movemask(self.begin_after_end(lanes, lanes.load_at(planes.min[0], at), 0)).is_empty()
    }

    /// Second stage of a sweep: returns which of the candidates `hits`, among the eight volumes
    /// from `at` on, overlap this one. Reads no memory if `hits` is empty.
    ///
    /// # Panics
    /// If `hits` is not empty and the planes end before `at + 8`.
    #[inline(always)]
    #[must_use]
    pub fn retain_overlapping(
        &self,
        lanes: L,
        planes: &SlabPlanes<'_, K>,
        at: usize,
        hits: HitMask,
    ) -> HitMask {
        if hits.is_empty() { hits } else { hits & self.overlaps(lanes, planes, at) }
    }

    /// Returns which of the eight volumes do not overlap this one on an axis.
    #[inline(always)]
    fn apart(&self, lanes: L, planes: &SlabPlanes<'_, K>, at: usize, axis: usize) -> L::M {
        let below = self.begin_after_end(lanes, lanes.load_at(planes.min[axis], at), axis);
        lanes
            .mask_or(below, self.end_before_begin(lanes, lanes.load_at(planes.max[axis], at), axis))
    }

    /// Returns which volumes begin after this volume ends, given their lower ends `min`.
    #[inline(always)]
    pub(crate) fn begin_after_end(&self, lanes: L, min: L::I, axis: usize) -> L::M {
        lanes.gt(min, self.max[axis])
    }

    /// Returns which volumes end before this volume begins, given their upper ends `max`.
    #[inline(always)]
    pub(crate) fn end_before_begin(&self, lanes: L, max: L::I, axis: usize) -> L::M {
        lanes.gt(self.min[axis], max)
    }
}

/// Broadcasts each key to a vector. It is a loop instead of `from_fn`, because a closure that is
/// not inlined is compiled without the backend's instructions.
#[inline(always)]
fn spread<L: Lanes, const K: usize>(lanes: L, ends: [i32; K]) -> [L::I; K] {
    let mut all = [lanes.splat(0); K];
    let mut axis = 0;
    while axis < K {
        all[axis] = lanes.splat(ends[axis]);
        axis += 1;
    }
    all
}
