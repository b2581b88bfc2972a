//! All pairs within one collection, the hits into a buffer.

use bounds_hexprism::kernel::overlap::Spread;
use bounds_hexprism::{HitMask, LANES, Lanes, SlabPlanes};

/// Where a walk over pairs has come to: volume `row` against block `block` and on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cursor {
    /// The volume.
    pub row: usize,
    /// The block it is to be tested against next.
    pub block: usize,
}

impl Cursor {
    /// Whether the walk has tested nothing yet.
    #[inline(always)]
    #[must_use]
    pub const fn is_begin(&self) -> bool {
        self.row == 0 && self.block == 0
    }
}

/// What decides, besides the volumes, whether two of them are a pair.
pub trait Gate<L: Lanes>: Copy {
    /// Which of the eight volumes from `at` on may be a pair with volume `row`.
    fn open(self, lanes: L, row: usize, at: usize) -> HitMask;
}

/// No gate: whatever overlaps is a pair.
#[derive(Clone, Copy, Debug)]
pub struct Open;

impl<L: Lanes> Gate<L> for Open {
    #[inline(always)]
    fn open(self, _: L, _: usize, _: usize) -> HitMask {
        HitMask::ALL
    }
}

/// Goes on from `cursor` until the rows end or the buffer has no room for another block; yields
/// how many pairs of indices it wrote to `hits[filled..]`, the smaller index first, plus `filled`.
///
/// The walk has ended when `cursor.row` is `len`.
#[inline(always)]
pub fn pairs<L: Lanes, G: Gate<L>, const K: usize>(
    lanes: L,
    planes: &SlabPlanes<'_, K>,
    len: usize,
    gate: G,
    cursor: &mut Cursor,
    hits: &mut [[u32; 2]],
    mut filled: usize,
) -> usize {
    while cursor.row < len {
        let row = cursor.row;
        let volume = Spread::new(lanes, &planes.get(row));
        let mut at = cursor.block.max((row + 1) / LANES) * LANES;
        while at < len {
            if filled + LANES > hits.len() {
                cursor.block = at / LANES;
                return filled;
            }
            let later = HitMask::from((row + 1).saturating_sub(at));
            let valid = HitMask::first(len - at) & later & gate.open(lanes, row, at);
            for lane in volume.overlaps(lanes, planes, at) & valid {
                hits[filled] = [row as u32, (at + lane) as u32];
                filled += 1;
            }
            at += LANES;
        }
        *cursor = Cursor { row: row + 1, block: 0 };
    }
    filled
}
