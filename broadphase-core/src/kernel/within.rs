//! All pairs within one collection, written to a hit buffer.

use bounds_hexprism::kernel::overlap::Spread;
use bounds_hexprism::{HitMask, LANES, Lanes, SlabPlanes};

/// Position in the loop over all pairs: volume `row`, to be tested from block `block` on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cursor {
    pub row: usize,
    pub block: usize,
}

/// Filter of candidates, in addition to the overlap test.
pub trait Gate<L: Lanes>: Copy {
    /// Returns which of the eight volumes from `at` on may form a pair with volume `row`.
    fn open(self, lanes: L, row: usize, at: usize) -> HitMask;
}

/// Gate that accepts everything: all overlapping volumes are pairs.
#[derive(Clone, Copy, Debug)]
pub struct Open;

impl<L: Lanes> Gate<L> for Open {
    #[inline(always)]
    fn open(self, _: L, _: usize, _: usize) -> HitMask {
        HitMask::ALL
    }
}

/// Writes pairs of indices, the smaller first, from `hits[filled]` on, until the rows end
/// (`cursor.row` is `len`) or there is no room for eight more. Returns the new number of filled
/// entries.
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
