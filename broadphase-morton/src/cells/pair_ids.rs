//! The ids in emitted pairs: keys if the caller needs only keys, otherwise slots.

use broadphase_core::pairs::pair;
use broadphase_core::{HitMask, LANES, Lanes};

use super::layer::VACANT;

/// The id of each position of a layer.
#[derive(Clone, Copy, Debug)]
pub(super) struct PairIds<'a> {
    pub(super) slots: &'a [u32],
    /// The keys of all slots, if ids are keys; otherwise ids are slots.
    pub(super) keys: Option<&'a [u32]>,
}

impl PairIds<'_> {
    /// Returns the id at a position; `VACANT` if the position is vacant or after the last one.
    #[inline(always)]
    pub(super) fn get(&self, position: usize) -> u32 {
        let Some(&slot) = self.slots.get(position) else { return VACANT };
        match self.keys {
            Some(keys) => keys[slot as usize],
            None => slot,
        }
    }

    /// Returns the ids at eight positions from `first` on.
    #[inline(always)]
    pub(super) fn eight(&self, first: usize) -> [u32; LANES] {
        let mut ids = [0; LANES];
        let mut lane = 0;
        while lane < LANES {
            ids[lane] = self.get(first + lane);
            lane += 1;
        }
        ids
    }
}

/// Eight ids, as numbers and as lanes. The lanes are used to order the two ids of a pair.
#[derive(Clone, Copy)]
pub(super) struct EightIds<L: Lanes> {
    pub(super) ids: [u32; LANES],
    /// The ids minus 2^31: as signed lanes, they compare in the order of the ids.
    shifted: L::I,
}

impl<L: Lanes> EightIds<L> {
    #[inline(always)]
    pub(super) fn new(lanes: L, ids: [u32; LANES]) -> Self {
        let mut shifted = [0; LANES];
        let mut lane = 0;
        while lane < LANES {
            shifted[lane] = shift(ids[lane]);
            lane += 1;
        }
        Self { ids, shifted: lanes.load(&shifted) }
    }

    /// Returns the pair of the id in a lane and another id.
    #[inline(always)]
    pub(super) fn pair(&self, lane: usize, other: u32) -> [u32; 2] {
        pair(self.ids[lane], other)
    }

    /// Forms a pair of `other` and the id of each lane in `hit`. Returns the smaller and the larger
    /// ids, in the layout of [`Lanes::zip`].
    #[inline(always)]
    pub(super) fn pairs(&self, lanes: L, hit: HitMask, other: u32) -> (L::I, L::I) {
        let (own, other) = (lanes.compress_for_zip(self.shifted, hit), lanes.splat(shift(other)));
        let back = lanes.splat(i32::MIN);
        (lanes.xor(lanes.min(own, other), back), lanes.xor(lanes.max(own, other), back))
    }
}

/// Returns the id minus 2^31.
#[inline(always)]
const fn shift(id: u32) -> i32 {
    (id ^ 1 << 31).cast_signed()
}
