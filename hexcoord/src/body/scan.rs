//! The scan of one body for cells that overlap another body; see
//! [`overlap`](super::overlap).

use simd_lanes::Flow;

use super::HexBody;
use super::cell_pair::{CellPairTest, FastTest};
use super::overlap_table::{OVERLAP_TABLE, PART_BITS};
use super::region::{LatticePositions, POSITION_FRACTION, ScanRegion};
use crate::hex::{Hex, hex};
use crate::plane::Pose;

/// Visits the pairs of overlapping cells. The second body has the larger or equal cells.
#[inline]
pub(super) fn scan<R: Flow>(
    body: &HexBody,
    pose: Pose,
    other: &HexBody,
    other_pose: Pose,
    f: impl FnMut(Hex, Hex) -> R,
) -> R {
    let test = CellPairTest::new([pose, other_pose], [body.grid.shift(), other.grid.shift()]);
    let Some(region) = ScanRegion::new(&test, body, other) else { return R::CONTINUE };
    if pose.angle == other_pose.angle && body.grid == other.grid {
        scan_same_rotation(&test, body, other, region, f)
    } else {
        scan_rotated(&test, body, other, region, f)
    }
}

/// Scans bodies with different rotations or cell sizes.
#[inline]
fn scan_rotated<R: Flow>(
    test: &CellPairTest,
    body: &HexBody,
    other: &HexBody,
    region: ScanRegion,
    mut f: impl FnMut(Hex, Hex) -> R,
) -> R {
    let positions = LatticePositions::new(test, [body.grid.shift(), other.grid.shift()], &region);
    let fast = test.fast_test();
    // The mask of certain overlaps is valid only for equal cell sizes.
    let certain_mask = if body.grid == other.grid { u16::MAX } else { 0 };
    let [theirs_q, theirs_r, _] = other.extent().unwrap_or_default();
    // The window starts one cell before the position. It can contain the other body's cells only if
    // its corner is at most three cells before their first and not after their last.
    let corner_min = [i64::from(theirs_q[0]) - 3, i64::from(theirs_r[0]) - 3];
    let corner_range = [
        (i64::from(theirs_q[1]) - corner_min[0]) as u64,
        (i64::from(theirs_r[1]) - corner_min[1]) as u64,
    ];
    for r in region.ends[1][0]..=region.ends[1][1] {
        let [first, last] = region.row_range(r);
        if first > last {
            continue;
        }
        for cell in body.bits.row_cells(r as i32, first as i32, last as i32) {
            let [a, b] = positions.position(cell.q.into(), r);
            let (i, j) = (
                positions.lattice_cell[0] + (a >> POSITION_FRACTION) - 1,
                positions.lattice_cell[1] + (b >> POSITION_FRACTION) - 1,
            );
            let outside = (i - corner_min[0]) as u64 > corner_range[0]
                || (j - corner_min[1]) as u64 > corner_range[1];
            if outside {
                continue;
            }
            let corner = hex(i as i32, j as i32);
            let part = |n: i64| (n as u32 >> (32 - PART_BITS)) as usize;
            let masks = &OVERLAP_TABLE[part(b)][part(a)];
            let window = other.bits.window(corner) & masks.possible;
            let mut certain = window & masks.certain & certain_mask;
            let mut undecided = window & !certain;
            let theirs = |bit: u32| corner + hex((bit & 3) as i32, (bit >> 2) as i32);
            while certain != 0 {
                let flow = f(cell, theirs(certain.trailing_zeros()));
                if flow.stops() {
                    return flow;
                }
                certain &= certain - 1;
            }
            while undecided != 0 {
                let bit = undecided.trailing_zeros();
                undecided &= undecided - 1;
                let offset = |n: i64, cell: u32| {
                    (i64::from(n as u32) - ((i64::from(cell) - 1) << POSITION_FRACTION))
                        >> (POSITION_FRACTION - FastTest::FRACTION)
                };
                let overlap = fast
                    .overlaps([offset(a, bit & 3), offset(b, bit >> 2)])
                    .unwrap_or_else(|| test.overlaps_exactly(cell, theirs(bit)));
                if overlap {
                    let flow = f(cell, theirs(bit));
                    if flow.stops() {
                        return flow;
                    }
                }
            }
        }
    }
    R::CONTINUE
}

/// Scans bodies with the same rotation and cell size.
#[inline]
fn scan_same_rotation<R: Flow>(
    test: &CellPairTest,
    body: &HexBody,
    other: &HexBody,
    region: ScanRegion,
    mut f: impl FnMut(Hex, Hex) -> R,
) -> R {
    let positions = LatticePositions::new(test, [body.grid.shift(); 2], &region);
    let reference = hex(positions.reference[0] as i32, positions.reference[1] as i32);
    let [q, r] = [0, 1].map(|axis: usize| {
        (positions.lattice_cell[axis] + (positions.offset[axis] >> POSITION_FRACTION)) as i32
    });
    let mut offsets = [Hex::ORIGIN; 16];
    let mut count = 0;
    for window in 0..16 {
        let theirs = hex(q, r) + hex(window % 4 - 1, window / 4 - 1);
        if test.overlaps_exactly(reference, theirs) {
            offsets[count] = theirs - reference;
            count += 1;
        }
    }
    for r in region.ends[1][0]..=region.ends[1][1] {
        let [first, last] = region.row_range(r);
        let mut q = first;
        while q <= last {
            let cells = hex(q as i32, r as i32);
            let left = last - q;
            let row_mask = if left < 63 { (2 << left) - 1 } else { u64::MAX };
            let ours = body.bits.bits_from(cells) & row_mask;
            for &offset in &offsets[..count] {
                let mut both = ours & other.bits.bits_from(cells + offset);
                while both != 0 {
                    let cell = cells + hex(both.trailing_zeros() as i32, 0);
                    both &= both - 1;
                    let flow = f(cell, cell + offset);
                    if flow.stops() {
                        return flow;
                    }
                }
            }
            q += 64;
        }
    }
    R::CONTINUE
}
