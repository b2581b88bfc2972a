//! The lookup of eight points at a time, written once over the lanes.
//!
//! 1. Split each coordinate into floor and fraction (fixed-point: shift and mask).
//! 2. Compute the two thresholds of the rule in `rule.rs` from the comparison of the fractions.
//! 3. Compare, and subtract the comparison masks (−1 where true) from the floors.
//!
//! Branch-free, because outcomes are unpredictable. Blocks of eight need no bounds checks.

use simd_lanes::{Kernel, LANES, Lanes};

use crate::hex::{Hex, hex};

/// Computes cells from blocks of eight coordinates.
pub(super) trait FindCells: Copy {
    type S: Copy + Default;

    /// Returns q and r of the cells of eight points.
    fn cells<L: Lanes>(self, lanes: L, a: &[Self::S; LANES], b: &[Self::S; LANES]) -> (L::I, L::I);
}

/// Fixed-point coordinates, cells of 2^shift units.
#[derive(Clone, Copy)]
pub(super) struct FixedPoint {
    pub(super) shift: u32,
}

impl FindCells for FixedPoint {
    type S = i32;

    #[inline(always)]
    fn cells<L: Lanes>(self, lanes: L, a: &[i32; LANES], b: &[i32; LANES]) -> (L::I, L::I) {
        let size = 1 << self.shift;
        let (a, b) = (lanes.load(a), lanes.load(b));
        let mask = lanes.splat(size - 1);
        let (fa, fb) = (lanes.and(a, mask), lanes.and(b, mask));
        let sum = lanes.add(fa, fb);
        // The threshold is one size on the axis of the larger fraction, two on the other; less 1,
        // because the rule has ≥ and the comparison is `gt`.
        let b_larger = lanes.and(lanes.mask_to_i32(lanes.gt(fb, fa)), lanes.splat(size));
        let threshold_a = lanes.add(lanes.splat(size - 1), b_larger);
        let threshold_b = lanes.sub(lanes.splat(2 * size - 1), b_larger);
        let step_a = lanes.mask_to_i32(lanes.gt(lanes.add(sum, fa), threshold_a));
        let step_b = lanes.mask_to_i32(lanes.gt(lanes.add(sum, fb), threshold_b));
        (lanes.sub(lanes.shr(a, self.shift), step_a), lanes.sub(lanes.shr(b, self.shift), step_b))
    }
}

/// Cartesian coordinates; subtracting `origin` and multiplying by `matrix` gives cell units.
#[derive(Clone, Copy)]
pub(super) struct Cartesian {
    pub(super) origin: [f32; 2],
    pub(super) matrix: [[f32; 2]; 2],
}

impl FindCells for Cartesian {
    type S = f32;

    #[inline(always)]
    fn cells<L: Lanes>(self, lanes: L, x: &[f32; LANES], y: &[f32; LANES]) -> (L::I, L::I) {
        let x = lanes.sub_f32(lanes.load_f32(x), lanes.splat_f32(self.origin[0]));
        let y = lanes.sub_f32(lanes.load_f32(y), lanes.splat_f32(self.origin[1]));
        let [[ax, ay], [bx, by]] = self.matrix;
        let a = lanes
            .add_f32(lanes.mul_f32(x, lanes.splat_f32(ax)), lanes.mul_f32(y, lanes.splat_f32(ay)));
        let b = lanes
            .add_f32(lanes.mul_f32(x, lanes.splat_f32(bx)), lanes.mul_f32(y, lanes.splat_f32(by)));
        // Apply the rule to floats, with the same operations as `Point<f32>::cell`.
        let (floor_a, floor_b) = (lanes.floor(a), lanes.floor(b));
        let (fa, fb) = (lanes.sub_f32(a, floor_a), lanes.sub_f32(b, floor_b));
        // The threshold is 1 on the axis of the larger fraction and 2 on the other. A conversion is
        // faster than `select`.
        let b_larger = lanes.mask_to_i32(lanes.gt_f32(fb, fa));
        let threshold_a = lanes.to_f32(lanes.sub(lanes.splat(1), b_larger));
        let threshold_b = lanes.sub_f32(lanes.splat_f32(3.0), threshold_a);
        let step_a = lanes.ge_f32(fb, lanes.sub_f32(threshold_a, lanes.add_f32(fa, fa)));
        let step_b = lanes.ge_f32(fa, lanes.sub_f32(threshold_b, lanes.add_f32(fb, fb)));
        (
            lanes.sub(lanes.truncate(floor_a), lanes.mask_to_i32(step_a)),
            lanes.sub(lanes.truncate(floor_b), lanes.mask_to_i32(step_b)),
        )
    }
}

/// A kernel that converts all points, given as one array per coordinate, to cells.
pub(super) struct BatchLookup<'a, F: FindCells> {
    pub(super) find: F,
    pub(super) points: [&'a [F::S]; 2],
    pub(super) cells: &'a mut [Hex],
}

impl<F: FindCells> Kernel for BatchLookup<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let ((a, last_a), (b, last_b)) = (self.points[0].as_chunks(), self.points[1].as_chunks());
        let (cells, last_cells) = self.cells.as_chunks_mut();
        // The slices have equal lengths, so the compiler removes the bounds checks in this loop.
        let whole = cells.len();
        let (a, b) = (&a[..whole], &b[..whole]);
        let mut at = 0;
        while at < whole {
            let (q, r) = self.find.cells(lanes, &a[at], &b[at]);
            write(lanes, q, r, &mut cells[at]);
            at += 1;
        }
        if !last_cells.is_empty() {
            let (mut a, mut b) = ([F::S::default(); LANES], [F::S::default(); LANES]);
            a[..last_a.len()].copy_from_slice(last_a);
            b[..last_b.len()].copy_from_slice(last_b);
            let (q, r) = self.find.cells(lanes, &a, &b);
            let mut block = [Hex::ORIGIN; LANES];
            write(lanes, q, r, &mut block);
            last_cells.copy_from_slice(&block[..last_cells.len()]);
        }
    }
}

#[inline(always)]
fn write<L: Lanes>(lanes: L, q: L::I, r: L::I, cells: &mut [Hex; LANES]) {
    let (low, high) = lanes.interleave(q, r);
    let (low, high) = (lanes.store(low), lanes.store(high));
    let mut i = 0;
    while i < LANES / 2 {
        cells[i] = hex(low[2 * i], low[2 * i + 1]);
        cells[i + LANES / 2] = hex(high[2 * i], high[2 * i + 1]);
        i += 1;
    }
}
