//! Pairs between single volumes and a whole collection, written to a hit buffer.

use bounds_hexprism::kernel::overlap::Spread;
use bounds_hexprism::{HitMask, LANES, Lanes, SlabPlanes, Slabs};

use super::within::Cursor;

/// Tests `rows` volumes against the `len` volumes of `planes`, from `cursor` until all are done
/// (`cursor.row` is `rows`) or `hits` has no room for eight more. Writes pairs
/// `[row, index in the planes]` to `hits`; returns their number.
#[inline(always)]
pub fn pairs<L: Lanes, const K: usize>(
    lanes: L,
    rows: usize,
    volume: impl Fn(usize) -> Slabs<K>,
    planes: &SlabPlanes<'_, K>,
    len: usize,
    cursor: &mut Cursor,
    hits: &mut [[u32; 2]],
) -> usize {
    let mut filled = 0;
    while cursor.row < rows {
        let row = cursor.row;
        let volume = Spread::new(lanes, &volume(row));
        let mut at = cursor.block * LANES;
        while at < len {
            if filled + LANES > hits.len() {
                cursor.block = at / LANES;
                return filled;
            }
            for lane in volume.overlaps(lanes, planes, at) & HitMask::first(len - at) {
                hits[filled] = [row as u32, (at + lane) as u32];
                filled += 1;
            }
            at += LANES;
        }
        *cursor = Cursor { row: row + 1, block: 0 };
    }
    filled
}
