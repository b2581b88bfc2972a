//! The places of a run whose volumes another run may reach.

use alloc::vec::Vec;
use core::ops::Range;

use bounds_hexprism::{LANES, Lanes, SlabPlanes, Slabs};

/// Places picked from a run, in their order.
#[derive(Clone, Debug, Default)]
pub struct Picked {
    places: Vec<i32>,
    len: usize,
}

impl Picked {
    /// Makes room for what can be picked from runs of up to so many places.
    pub fn reserve(&mut self, places: usize) {
        let len = places + 2 * LANES;
        if self.places.len() < len {
            self.places.resize(len, 0);
        }
    }

    /// How many bytes it holds.
    #[must_use]
    pub fn memory_use(&self) -> usize {
        self.places.capacity() * size_of::<i32>()
    }

    /// The places.
    #[inline(always)]
    #[must_use]
    pub(super) fn places(&self) -> &[i32] {
        &self.places[..self.len]
    }

    /// How many there are.
    #[inline(always)]
    pub(super) const fn len(&self) -> usize {
        self.len
    }

    /// So many places, up to eight, from one of them on; behind the last there are places of
    /// padding.
    #[inline(always)]
    pub(super) fn from<const N: usize>(&self, at: usize) -> &[i32; N] {
        self.places[at..].first_chunk().expect("eight places more than were picked")
    }

    /// Picks, in place of what was picked before, the volumes of a run that overlap `bounds` on
    /// all axes but the first.
    #[inline(always)]
    pub fn pick<L: Lanes, const K: usize>(
        &mut self,
        lanes: L,
        planes: &SlabPlanes<'_, K>,
        run: Range<usize>,
        bounds: &Slabs<K>,
    ) {
        let steps = lanes.load(&[0, 1, 2, 3, 4, 5, 6, 7]);
        let min = bounds.min.map(|key| lanes.splat(key));
        let max = bounds.max.map(|key| lanes.splat(key));
        let mut len = 0;
        let mut at = run.start;
        while at < run.end {
            let mut apart = lanes.gt(steps, steps);
            let mut axis = 1;
            while axis < K {
                let above = lanes.gt(lanes.load_at(planes.min[axis], at), max[axis]);
                let below = lanes.gt(min[axis], lanes.load_at(planes.max[axis], at));
                apart = lanes.either(apart, lanes.either(above, below));
                axis += 1;
            }
            // What is behind the run is padding.
            let hits = !lanes.bits(apart);
            let places = lanes.add(lanes.splat(at as i32), steps);
            lanes.store_at(lanes.compress(places, hits), &mut self.places, len);
            len += hits.count() as usize;
            at += LANES;
        }
        lanes.store_at(lanes.splat(run.end as i32), &mut self.places, len);
        self.len = len;
    }
}
