//! One volume against a block of eight.

use simd_lanes::{HitMask, Lanes};

use crate::{SlabPlanes, Slabs};

/// A volume spread over all lanes.
#[derive(Clone, Copy, Debug)]
pub struct Spread<L: Lanes, const K: usize> {
    min: [L::I; K],
    max: [L::I; K],
}

impl<L: Lanes, const K: usize> Spread<L, K> {
    /// The volume in every lane.
    #[inline(always)]
    #[must_use]
    pub fn new(lanes: L, volume: &Slabs<K>) -> Self {
        Self { min: spread(lanes, volume.min), max: spread(lanes, volume.max) }
    }

    /// Which of the eight volumes from `at` on overlap this one; `at` need not be aligned.
    ///
    /// Padding overlaps what spans every key, as [`Slabs::PADDING`] says: it must be masked out then.
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

    /// Which of the eight volumes from `at` on begin within this one, on all axes; where they end is
    /// not looked at.
    ///
    /// Padding may be among them where this one reaches the last key.
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

    /// Whether any of the eight volumes from `at` on begins, on the first axis, where this one has
    /// ended.
    ///
    /// # Panics
    /// If the planes end before `at + 8`.
    #[inline(always)]
    #[must_use]
    pub fn ends_before(&self, lanes: L, planes: &SlabPlanes<'_, K>, at: usize) -> bool {
        !lanes.movemask(self.begin_after_end(lanes, lanes.load_at(planes.min[0], at), 0)).is_empty()
    }

    /// Which of the candidates `hits` among the eight volumes from `at` on overlap this one too:
    /// the second stage of a sweep, which reads nothing if there are none.
    ///
    /// # Panics
    /// If there are candidates, and the planes end before `at + 8`.
    #[inline(always)]
    #[must_use]
    pub fn confirm(
        &self,
        lanes: L,
        planes: &SlabPlanes<'_, K>,
        at: usize,
        hits: HitMask,
    ) -> HitMask {
        if hits.is_empty() { hits } else { hits & self.overlaps(lanes, planes, at) }
    }

    /// Which of the eight are apart from this one along one axis.
    #[inline(always)]
    fn apart(&self, lanes: L, planes: &SlabPlanes<'_, K>, at: usize, axis: usize) -> L::M {
        let below = self.begin_after_end(lanes, lanes.load_at(planes.min[axis], at), axis);
        lanes
            .mask_or(below, self.end_before_begin(lanes, lanes.load_at(planes.max[axis], at), axis))
    }

    /// Which volumes this one lies below of: they begin after it ends.
    #[inline(always)]
    pub(crate) fn begin_after_end(&self, lanes: L, min: L::I, axis: usize) -> L::M {
        lanes.gt(min, self.max[axis])
    }

    /// Which volumes this one lies above of: they end before it begins.
    #[inline(always)]
    pub(crate) fn end_before_begin(&self, lanes: L, max: L::I, axis: usize) -> L::M {
        lanes.gt(self.min[axis], max)
    }
}

/// A loop, not `from_fn`: a closure might not be inlined, and would lose the instructions.
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
