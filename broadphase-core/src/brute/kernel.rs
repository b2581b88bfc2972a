//! All pairs within one collection, the hits into a buffer.

use bounds_hexprism::kernel::overlap::Spread;
use bounds_hexprism::{HitMask, Kernel, LANES, Lanes, SlabPlanes};

/// Where the walk over all pairs has come to: object `row` against block `block` and on.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cursor {
    pub(super) row: usize,
    block: usize,
}

/// Goes on from `cursor` until the rows end or the buffer has no room for another block; yields
/// how many pairs of slots it wrote, the smaller slot first.
pub(super) struct SelfPairs<'a, const D: usize> {
    pub(super) planes: SlabPlanes<'a, D>,
    pub(super) len: usize,
    pub(super) cursor: &'a mut Cursor,
    pub(super) hits: &'a mut [[u32; 2]],
}

impl<const D: usize> Kernel for SelfPairs<'_, D> {
    type Output = usize;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> usize {
        let Self { planes, len, cursor, hits } = self;
        let mut filled = 0;
        while cursor.row < len {
            let row = cursor.row;
            let object = Spread::new(lanes, &planes.get(row));
            let mut at = cursor.block.max((row + 1) / LANES) * LANES;
            while at < len {
                if filled + LANES > hits.len() {
                    cursor.block = at / LANES;
                    return filled;
                }
                let later = HitMask::from((row + 1).saturating_sub(at));
                let valid = HitMask::first(len - at) & later;
                for lane in object.overlaps(lanes, &planes, at) & valid {
                    hits[filled] = [row as u32, (at + lane) as u32];
                    filled += 1;
                }
                at += LANES;
            }
            *cursor = Cursor { row: row + 1, block: 0 };
        }
        filled
    }
}
