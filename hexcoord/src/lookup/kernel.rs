//! The lookup for eight points at a time, written once over the lanes.

use simd_lanes::{Kernel, LANES, Lanes};

use super::buffer::{Sink, Source};

/// How eight coordinates become cells.
pub(super) trait Find: Copy {
    /// The type of the coordinates.
    type S: Copy + Default;

    /// The cells of eight points: q and r.
    fn cells<L: Lanes>(self, lanes: L, a: &[Self::S; LANES], b: &[Self::S; LANES]) -> (L::I, L::I);
}

/// Fixed-point coordinates, cells of 2^shift units.
#[derive(Clone, Copy)]
pub(super) struct Fixed {
    pub(super) shift: u32,
}

impl Find for Fixed {
    type S = i32;

    #[inline(always)]
    fn cells<L: Lanes>(self, lanes: L, a: &[i32; LANES], b: &[i32; LANES]) -> (L::I, L::I) {
        let size = 1 << self.shift;
        let (a, b) = (lanes.load(a), lanes.load(b));
        let mask = lanes.splat(size - 1);
        let (fa, fb) = (lanes.and(a, mask), lanes.and(b, mask));
        let sum = lanes.add(fa, fb);
        // The larger fraction must reach one size, the smaller one two; minus 1 for `>`.
        let b_larger = lanes.and(lanes.mask_to_i32(lanes.gt(fb, fa)), lanes.splat(size));
        let for_a = lanes.add(lanes.splat(size - 1), b_larger);
        let for_b = lanes.sub(lanes.splat(2 * size - 1), b_larger);
        let beyond_a = lanes.mask_to_i32(lanes.gt(lanes.add(sum, fa), for_a));
        let beyond_b = lanes.mask_to_i32(lanes.gt(lanes.add(sum, fb), for_b));
        (
            lanes.sub(lanes.shr(a, self.shift), beyond_a),
            lanes.sub(lanes.shr(b, self.shift), beyond_b),
        )
    }
}

/// Float coordinates in units of cells.
#[derive(Clone, Copy)]
pub(super) struct Unit;

impl Find for Unit {
    type S = f32;

    #[inline(always)]
    fn cells<L: Lanes>(self, lanes: L, a: &[f32; LANES], b: &[f32; LANES]) -> (L::I, L::I) {
        unit_cells(lanes, lanes.load_f32(a), lanes.load_f32(b))
    }
}

/// Cartesian coordinates: moved by an offset, then multiplied by a matrix, give units of cells.
#[derive(Clone, Copy)]
pub(super) struct Cartesian {
    pub(super) origin: [f32; 2],
    pub(super) matrix: [[f32; 2]; 2],
}

impl Find for Cartesian {
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
        unit_cells(lanes, a, b)
    }
}

/// The rule on floats, as `Point<f32>::cell` has it.
#[inline(always)]
fn unit_cells<L: Lanes>(lanes: L, a: L::F, b: L::F) -> (L::I, L::I) {
    let (floor_a, floor_b) = (lanes.floor(a), lanes.floor(b));
    let (fa, fb) = (lanes.sub_f32(a, floor_a), lanes.sub_f32(b, floor_b));
    // 1 for the larger fraction, 2 for the smaller one. A conversion costs less than a select.
    let b_larger = lanes.mask_to_i32(lanes.gt_f32(fb, fa));
    let for_a = lanes.to_f32(lanes.sub(lanes.splat(1), b_larger));
    let for_b = lanes.sub_f32(lanes.splat_f32(3.0), for_a);
    let beyond_a = lanes.ge_f32(fb, lanes.sub_f32(for_a, lanes.add_f32(fa, fa)));
    let beyond_b = lanes.ge_f32(fa, lanes.sub_f32(for_b, lanes.add_f32(fb, fb)));
    (
        lanes.sub(lanes.truncate(floor_a), lanes.mask_to_i32(beyond_a)),
        lanes.sub(lanes.truncate(floor_b), lanes.mask_to_i32(beyond_b)),
    )
}

/// All points of a source into a sink.
pub(super) struct Lookup<F, I, O> {
    pub(super) find: F,
    pub(super) points: I,
    pub(super) cells: O,
}

impl<F: Find, I: Source<S = F::S>, O: Sink> Kernel for Lookup<F, I, O> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let whole = self.points.len() / LANES;
        let (points, last_points) = self.points.split(whole);
        let (mut cells, mut last_cells) = self.cells.split(whole);
        // The lengths are what was just cut off, so no index is checked in here.
        let mut at = 0;
        while at < whole {
            let (a, b) = I::block(points, lanes, at);
            let (q, r) = self.find.cells(lanes, &a, &b);
            O::write(&mut cells, lanes, at, q, r);
            at += 1;
        }
        if let Some((a, b)) = I::rest(last_points) {
            let (q, r) = self.find.cells(lanes, &a, &b);
            O::write_rest(&mut last_cells, &lanes.store(q), &lanes.store(r));
        }
    }
}
