//! The lookup for eight points at a time, written once over the lanes.

use simd_lanes::{Kernel, LANES, Lanes};

use crate::hex::Hex;
use crate::plane::Point;

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
        let b_larger = lanes.and(lanes.mask_i32(lanes.gt(fb, fa)), lanes.splat(size));
        let for_a = lanes.add(lanes.splat(size - 1), b_larger);
        let for_b = lanes.sub(lanes.splat(2 * size - 1), b_larger);
        let beyond_a = lanes.mask_i32(lanes.gt(lanes.add(sum, fa), for_a));
        let beyond_b = lanes.mask_i32(lanes.gt(lanes.add(sum, fb), for_b));
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
    let b_larger = lanes.mask_i32(lanes.gt_f32(fb, fa));
    let for_a = lanes.to_f32(lanes.sub(lanes.splat(1), b_larger));
    let for_b = lanes.sub_f32(lanes.splat_f32(3.0), for_a);
    let beyond_a = lanes.ge_f32(fb, lanes.sub_f32(for_a, lanes.add_f32(fa, fa)));
    let beyond_b = lanes.ge_f32(fa, lanes.sub_f32(for_b, lanes.add_f32(fb, fb)));
    (
        lanes.sub(lanes.to_i32(floor_a), lanes.mask_i32(beyond_a)),
        lanes.sub(lanes.to_i32(floor_b), lanes.mask_i32(beyond_b)),
    )
}

/// Where eight points come from.
pub(super) trait Source: Copy {
    /// The type of the coordinates.
    type S: Copy + Default;

    /// How many points there are.
    fn len(self) -> usize;
    /// The eight points from `at` on.
    fn block(self, at: usize) -> ([Self::S; LANES], [Self::S; LANES]);
    /// The `n` points from `at` on, and zeros.
    fn rest(self, at: usize, n: usize) -> ([Self::S; LANES], [Self::S; LANES]);
}

/// A plane for each coordinate, of the same length.
#[derive(Clone, Copy)]
pub(super) struct Planes<'a, S>(pub(super) &'a [S], pub(super) &'a [S]);

impl<S: Copy + Default> Source for Planes<'_, S> {
    type S = S;

    #[inline(always)]
    fn len(self) -> usize {
        self.0.len()
    }
    #[inline(always)]
    fn block(self, at: usize) -> ([S; LANES], [S; LANES]) {
        let a = self.0[at..].first_chunk().expect("a whole block");
        let b = self.1[at..].first_chunk().expect("a whole block");
        (*a, *b)
    }
    #[inline(always)]
    fn rest(self, at: usize, n: usize) -> ([S; LANES], [S; LANES]) {
        let (mut a, mut b) = ([S::default(); LANES], [S::default(); LANES]);
        a[..n].copy_from_slice(&self.0[at..at + n]);
        b[..n].copy_from_slice(&self.1[at..at + n]);
        (a, b)
    }
}

/// Two coordinates side by side.
pub(super) trait Pair: Copy {
    /// The type of the coordinates.
    type S: Copy + Default;

    /// The two of them.
    fn coordinates(self) -> [Self::S; 2];
}

impl<S: Copy + Default> Pair for [S; 2] {
    type S = S;

    #[inline(always)]
    fn coordinates(self) -> [S; 2] {
        self
    }
}

impl<S: Copy + Default> Pair for Point<S> {
    type S = S;

    #[inline(always)]
    fn coordinates(self) -> [S; 2] {
        [self.a, self.b]
    }
}

/// Pairs one after the other.
#[derive(Clone, Copy)]
pub(super) struct Pairs<'a, P>(pub(super) &'a [P]);

impl<P: Pair> Source for Pairs<'_, P> {
    type S = P::S;

    #[inline(always)]
    fn len(self) -> usize {
        self.0.len()
    }
    #[inline(always)]
    fn block(self, at: usize) -> ([P::S; LANES], [P::S; LANES]) {
        let points: &[P; LANES] = self.0[at..].first_chunk().expect("a whole block");
        let (mut a, mut b) = ([P::S::default(); LANES], [P::S::default(); LANES]);
        let mut i = 0;
        while i < LANES {
            [a[i], b[i]] = points[i].coordinates();
            i += 1;
        }
        (a, b)
    }
    #[inline(always)]
    fn rest(self, at: usize, n: usize) -> ([P::S; LANES], [P::S; LANES]) {
        let (mut a, mut b) = ([P::S::default(); LANES], [P::S::default(); LANES]);
        let mut i = 0;
        while i < n {
            [a[i], b[i]] = self.0[at + i].coordinates();
            i += 1;
        }
        (a, b)
    }
}

/// Where eight cells go.
pub(super) trait Sink {
    /// Writes the cells to `at..at + 8`.
    fn block<L: Lanes>(&mut self, lanes: L, at: usize, q: L::I, r: L::I);
    /// Writes the first `n` cells to `at..at + n`.
    fn rest<L: Lanes>(&mut self, lanes: L, at: usize, n: usize, q: L::I, r: L::I);
}

impl Sink for &mut [Hex] {
    #[inline(always)]
    fn block<L: Lanes>(&mut self, lanes: L, at: usize, q: L::I, r: L::I) {
        let (low, high) = lanes.interleave(q, r);
        let (low, high) = (lanes.store(low), lanes.store(high));
        let out: &mut [Hex; LANES] = self[at..].first_chunk_mut().expect("a whole block");
        let mut i = 0;
        while i < LANES / 2 {
            out[i] = Hex::new(low[2 * i], low[2 * i + 1]);
            out[i + LANES / 2] = Hex::new(high[2 * i], high[2 * i + 1]);
            i += 1;
        }
    }
    #[inline(always)]
    fn rest<L: Lanes>(&mut self, lanes: L, at: usize, n: usize, q: L::I, r: L::I) {
        let (q, r) = (lanes.store(q), lanes.store(r));
        let mut i = 0;
        while i < n {
            self[at + i] = Hex::new(q[i], r[i]);
            i += 1;
        }
    }
}

/// A plane for q and one for r, of the same length.
pub(super) struct CellPlanes<'a>(pub(super) &'a mut [i32], pub(super) &'a mut [i32]);

impl Sink for CellPlanes<'_> {
    #[inline(always)]
    fn block<L: Lanes>(&mut self, lanes: L, at: usize, q: L::I, r: L::I) {
        lanes.store_at(q, self.0, at);
        lanes.store_at(r, self.1, at);
    }
    #[inline(always)]
    fn rest<L: Lanes>(&mut self, lanes: L, at: usize, n: usize, q: L::I, r: L::I) {
        self.0[at..at + n].copy_from_slice(&lanes.store(q)[..n]);
        self.1[at..at + n].copy_from_slice(&lanes.store(r)[..n]);
    }
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
    fn run<L: Lanes>(mut self, lanes: L) {
        let len = self.points.len();
        let whole = len - len % LANES;
        let mut at = 0;
        while at < whole {
            let (a, b) = self.points.block(at);
            let (q, r) = self.find.cells(lanes, &a, &b);
            self.cells.block(lanes, at, q, r);
            at += LANES;
        }
        if at < len {
            let (a, b) = self.points.rest(at, len - at);
            let (q, r) = self.find.cells(lanes, &a, &b);
            self.cells.rest(lanes, at, len - at, q, r);
        }
    }
}
