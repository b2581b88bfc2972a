//! What objects that meet are called: by their slots, or by their keys where nobody asks for more.

use broadphase_core::pairs::pair;
use broadphase_core::{HitMask, LANES, Lanes};

use super::layer::GONE;

/// The names of all places of a layer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Names<'a> {
    pub(super) slots: &'a [u32],
    /// The keys of all slots, if objects are called by those.
    pub(super) keys: Option<&'a [u32]>,
}

impl Names<'_> {
    /// Who is in a place; behind the last one is nobody, as where one has gone.
    #[inline(always)]
    pub(super) fn get(&self, place: usize) -> u32 {
        let Some(&slot) = self.slots.get(place) else { return GONE };
        match self.keys {
            Some(keys) => keys[slot as usize],
            None => slot,
        }
    }

    /// Who is in eight places from `first` on.
    #[inline(always)]
    pub(super) fn eight(&self, first: usize) -> [u32; LANES] {
        let mut names = [0; LANES];
        let mut lane = 0;
        while lane < LANES {
            names[lane] = self.get(first + lane);
            lane += 1;
        }
        names
    }
}

/// Eight names in lanes, to be put in order with others.
#[derive(Clone, Copy)]
pub(super) struct EightNames<L: Lanes> {
    pub(super) names: [u32; LANES],
    /// These numbers less 2^31, so that their order is that of lanes.
    shifted: L::I,
}

impl<L: Lanes> EightNames<L> {
    #[inline(always)]
    pub(super) fn new(lanes: L, names: [u32; LANES]) -> Self {
        let mut shifted = [0; LANES];
        let mut lane = 0;
        while lane < LANES {
            shifted[lane] = shift(names[lane]);
            lane += 1;
        }
        Self { names, shifted: lanes.load(&shifted) }
    }

    /// The pair of one of them and another.
    #[inline(always)]
    pub(super) fn pair(&self, lane: usize, other: u32) -> [u32; 2] {
        pair(self.names[lane], other)
    }

    /// The smaller and the larger names of the pairs of those that hit and another, as
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
