//! What objects that meet are called: by their slots, or by their keys where nobody asks for more.

use broadphase_core::pairs::pair;
use broadphase_core::{HitMask, LANES, Lanes};

use super::layer::VACANT;

/// The ids of all places of a layer.
#[derive(Clone, Copy, Debug)]
pub(super) struct PairIds<'a> {
    pub(super) slots: &'a [u32],
    /// The keys of all slots, if objects are called by those.
    pub(super) keys: Option<&'a [u32]>,
}

impl PairIds<'_> {
    /// Who is in a position; behind the last one is nobody, as where one has vacant.
    #[inline(always)]
    pub(super) fn get(&self, position: usize) -> u32 {
        let Some(&slot) = self.slots.get(position) else { return VACANT };
        match self.keys {
            Some(keys) => keys[slot as usize],
            None => slot,
        }
    }

    /// Who is in eight places from `first` on.
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

/// Eight ids in lanes, to be put in order with others.
#[derive(Clone, Copy)]
pub(super) struct EightIds<L: Lanes> {
    pub(super) ids: [u32; LANES],
    /// These numbers less 2^31, so that their order is that of lanes.
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

    /// The pair of one of them and another.
    #[inline(always)]
    pub(super) fn pair(&self, lane: usize, other: u32) -> [u32; 2] {
        pair(self.ids[lane], other)
    }

    /// The smaller and the larger ids of the pairs of those that hit and another, as
    /// [`Lanes::zip`] wants them.
    #[inline(always)]
    pub(super) fn pairs(&self, lanes: L, hit: HitMask, other: u32) -> (L::I, L::I) {
        let (own, other) = (lanes.compress_for_zip(self.shifted, hit), lanes.splat(shift(other)));
        let back = lanes.splat(i32::MIN);
        (lanes.xor(lanes.min(own, other), back), lanes.xor(lanes.max(own, other), back))
    }
}

/// A name less 2^31.
#[inline(always)]
const fn shift(name: u32) -> i32 {
    (name ^ 1 << 31).cast_signed()
}
