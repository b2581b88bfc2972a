//! The part of a body that another body can overlap, in coordinates of both lattices.

use super::HexBody;
use super::cell_pair::CellPairTest;
use crate::hex::{Hex, hex};

/// The cells of the scanned body that the other body can overlap.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScanRegion {
    /// Minimum and maximum along q, r and s.
    pub(super) ends: [[i64; 2]; 3],
}

/// Number of fractional bits of lattice positions, in units of cells.
pub(super) const POSITION_FRACTION: u32 = 32;

impl ScanRegion {
    pub(super) fn new(test: &CellPairTest, body: &HexBody, other: &HexBody) -> Option<Self> {
        /// Fractional bits of the positions and extents in this function.
        const FRACTION: u32 = 16;
        let [own, theirs] =
            [body, other].map(|body| body.extent().unwrap_or_default().map(|e| e.map(i64::from)));
        // Compute the middle cell of the other body, and the maximum distance from it to the body's
        // cells along q, r and s. Centers of overlapping cells are at most 4/3 of the larger cell
        // apart.
        let (q, r) = ((theirs[0][0] + theirs[0][1]) >> 1, (theirs[1][0] + theirs[1][1]) >> 1);
        let middle = [q, r, -q - r];
        let mut half_extent = [0; 3];
        for axis in 0..3 {
            let [min, max] = theirs[axis];
            half_extent[axis] = ((max - middle[axis]).max(middle[axis] - min) << FRACTION)
                + (4 << FRACTION) / 3
                + 1;
        }
        let [c, u] = test.relative_rotation;
        let [plus, minus, twice] = [c + u, c - u, 2 * u].map(|n| (n.abs() >> (60 - FRACTION)) + 1);
        // Each axis of the scanned body's frame is a combination of two of the other frame's axes.
        // Each pair of axes gives a bound; use the smallest.
        let extent = |a: i64, b: i64, c: i64| {
            let bounds = [
                a * half_extent[0] + b * half_extent[1],
                c * half_extent[0] + b * half_extent[2],
                c * half_extent[1] + a * half_extent[2],
            ];
            bounds[0].min(bounds[1]).min(bounds[2]) >> FRACTION
        };
        let extents =
            [extent(minus, twice, plus), extent(twice, plus, minus), extent(plus, minus, twice)];
        // Compute the position of the middle cell in units of the scanned body's cells.
        let [own_shift, their_shift] = [body.grid.shift(), other.grid.shift()];
        let between = test.center_offset(Hex::ORIGIN, hex(q as i32, r as i32));
        let [a, b] =
            test.to_body_frame(0, between).map(|n| (n >> (60 + own_shift - FRACTION)) as i64);
        let at = [a, b, -a - b];
        let mut ends = [[0; 2]; 3];
        for axis in 0..3 {
            // |C + U √−3| differs from 1 by up to 2^-29: positions are wrong by up to 4 units.
            // Rounding in this function adds up to 4 more units.
            let margin = (1 << (FRACTION - 2)) + ((4 << FRACTION) >> own_shift);
            let extent = (extents[axis] << (their_shift - own_shift)) + margin;
            let [min, max] = own[axis];
            let low = min.max((at[axis] - extent) >> FRACTION);
            let high = max.min((at[axis] + extent) >> FRACTION);
            if low > high {
                return None;
            }
            ends[axis] = [low, high];
        }
        Some(Self { ends })
    }

    /// Returns the range of q to scan in a row; inverted if empty.
    #[inline(always)]
    pub(super) fn row_range(&self, r: i64) -> [i64; 2] {
        let [q, _, s] = self.ends;
        [q[0].max(-r - s[1]), q[1].min(-r - s[0])]
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct LatticePositions {
    /// Reference cell of the scanned body; the cell of the other lattice near it is `lattice_cell`.
    pub(super) reference: [i64; 2],
    pub(super) lattice_cell: [i64; 2],
    /// Offset from the center of `lattice_cell` to that of the reference cell, in 2^-32 cells.
    pub(super) offset: [i64; 2],
    /// Change of the position per step along q; `step_r` is the change per step along r.
    step_q: [i64; 2],
    step_r: [i64; 2],
}

impl LatticePositions {
    pub(super) fn new(test: &CellPairTest, shifts: [u32; 2], region: &ScanRegion) -> Self {
        let reference = [region.ends[0][0], region.ends[1][0]];
        let first = hex(reference[0] as i32, reference[1] as i32);
        // Find the nearest lattice cell first: a short offset has a small rounding error.
        let between = test.center_offset(first, Hex::ORIGIN);
        let lattice_cell = test.to_body_frame(1, between).map(|n| -(n >> (60 + shifts[1])) as i64);
        let between =
            test.center_offset(first, hex(lattice_cell[0] as i32, lattice_cell[1] as i32));
        let offset = test
            .to_body_frame(1, between)
            .map(|n| (-n >> (60 - POSITION_FRACTION + shifts[1])) as i64);
        let [c, u] = test.relative_rotation;
        let scaled = |n: i64| n >> (60 - POSITION_FRACTION + shifts[1] - shifts[0]);
        Self {
            reference,
            lattice_cell,
            offset,
            step_q: [scaled(c + u), scaled(-2 * u)],
            step_r: [scaled(2 * u), scaled(c - u)],
        }
    }

    /// Returns the position of a cell relative to `lattice_cell`, in units of 2^-32 cells.
    #[inline(always)]
    pub(super) fn position(&self, q: i64, r: i64) -> [i64; 2] {
        let (x, y) = (q - self.reference[0], r - self.reference[1]);
        [
            self.offset[0] + x * self.step_q[0] + y * self.step_r[0],
            self.offset[1] + x * self.step_q[1] + y * self.step_r[1],
        ]
    }
}
