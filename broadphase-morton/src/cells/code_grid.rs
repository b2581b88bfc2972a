//! Codes: the numbers by which objects are sorted. They affect time, never results.
//!
//! Input: the bounds of objects. Output: one 32-bit code per object.
//!
//! ```text
//! bits  31 … 28         27 … 0           in three dimensions 30 … 27 and 26 … 0
//!       size class      Hilbert index of the cell of the center
//! ```
//!
//! 1. Compute the cell of the center in a grid with 2^14 cells per axis (2^9 in three dimensions),
//!    clamped to the grid.
//! 2. Transform the cell into the cell whose interleaved bits are the Hilbert index.
//! 3. Put the size class (from the exponent of the longest side) into the bits above the index:
//!    clusters of objects of similar size are tight.

use broadphase_core::{Aabb, Backend, Kernel, Keys, LANES, Lanes, Scalar};

use crate::curve::{hilbert_cells, interleave};

/// Assigns a cell to the center of each object, in a grid over a part of the world. A center
/// outside of it gets the nearest cell at the border.
#[derive(Clone, Copy, Debug)]
pub(super) struct CodeGrid<const D: usize> {
    /// Half the coordinates of the low corner. Differences of halves cannot overflow.
    low: [f64; D],
    /// Half the extent of the grid on each axis.
    extent: [f64; D],
    /// Number of cells per unit of halved coordinates.
    scale: [f64; D],
}

/// Returns the number of code bits for the Hilbert index.
const fn curve_bits<const D: usize>() -> u32 {
    if D == 3 { 27 } else { 28 }
}

impl<const D: usize> CodeGrid<D> {
    /// Log2 of the number of cells along an axis; equal in one dimension and two.
    const AXIS_BITS: u32 = curve_bits::<D>() / if D == 3 { 3 } else { 2 };

    /// Creates the grid over a box, whose corners are given with halved coordinates.
    fn new(low: [f64; D], high: [f64; D]) -> Self {
        let (mut extent, mut scale) = ([0.0; D], [0.0; D]);
        for axis in 0..D {
            extent[axis] = high[axis] - low[axis];
            if extent[axis] > 0.0 {
                scale[axis] = f64::from(1u32 << Self::AXIS_BITS) / extent[axis];
            }
            if !scale[axis].is_finite() {
                scale[axis] = 0.0;
            }
        }
        Self { low, extent, scale }
    }

    /// Creates the grid over the centers of objects.
    pub(super) fn around<S: Scalar>(objects: impl Iterator<Item = Aabb<S, D>>) -> Self {
        let (mut low, mut high) = ([f64::MAX; D], [f64::MIN; D]);
        for bounds in objects {
            for axis in 0..D {
                let at = half_center(&bounds, axis);
                low[axis] = low[axis].min(at);
                high[axis] = high[axis].max(at);
            }
        }
        Self::new(low, high)
    }

    /// Creates a grid over these bounds, extended on each side by 12.5 % of their extent.
    pub(super) fn with_margin<S: Scalar>(bounds: &Aabb<S, D>) -> Self {
        let (mut low, mut high) = ([0.0; D], [0.0; D]);
        for axis in 0..D {
            low[axis] = bounds.min[axis].to_f64() * 0.5;
            high[axis] = bounds.max[axis].to_f64() * 0.5;
            let margin = (high[axis] - low[axis]) * 0.125;
            (low[axis], high[axis]) = (low[axis] - margin, high[axis] + margin);
        }
        Self::new(low, high)
    }

    /// Returns whether the grid covers these bounds and is at most twice as large on each axis.
    pub(super) fn fits<S: Scalar>(&self, bounds: &Aabb<S, D>) -> bool {
        (0..D).all(|axis| {
            let low = bounds.min[axis].to_f64() * 0.5 - self.low[axis];
            let high = bounds.max[axis].to_f64() * 0.5 - self.low[axis];
            0.0 <= low && high <= self.extent[axis] && self.extent[axis] <= 2.0 * (high - low)
        })
    }

    /// Returns whether the centers are too close together for different cells, even of a finer
    /// grid.
    pub(super) fn is_degenerate(&self) -> bool {
        self.scale.iter().all(|&scale| scale == 0.0)
    }
}

/// Runs [`WriteCodes`] on a backend; not inlined, because several functions call it.
#[inline(never)]
pub(super) fn write_codes<S: Scalar, const D: usize>(
    backend: Backend,
    codes: WriteCodes<'_, S, D>,
) {
    backend.dispatch(codes);
}

pub(super) struct WriteCodes<'a, S, const D: usize> {
    pub(super) grid: &'a CodeGrid<D>,
    pub(super) bounds: &'a [Aabb<S, D>],
    pub(super) slots: &'a [u32],
    pub(super) out: &'a mut [u32],
}

impl<S: Scalar, const D: usize> Kernel for WriteCodes<'_, S, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Self { grid, bounds, slots, out } = self;
        // `f32` coordinates are used directly. From others, the origin of the grid is first
        // subtracted: the conversion to `f32` would lose precision.
        let direct = S::EXACT_KEYS && !S::INTEGER;
        let (mut origin, mut scale) = ([lanes.splat_f32(0.0); D], [lanes.splat_f32(0.0); D]);
        let mut axis = 0;
        while axis < D {
            let low = if direct { grid.low[axis] } else { 0.0 };
            origin[axis] = lanes.splat_f32(low as f32);
            scale[axis] = lanes.splat_f32(grid.scale[axis].min(f32::MAX.into()) as f32);
            axis += 1;
        }
        let (quarter, third) = (lanes.splat_f32(0.25), lanes.splat_f32(1.0 / EXPONENTS_PER_CLASS));
        let (first, last) = (lanes.splat(0), lanes.splat((1 << CodeGrid::<D>::AXIS_BITS) - 1));
        let (mut min, mut max) = ([[0.0; LANES]; D], [[0.0; LANES]; D]);
        for (slots, out) in slots.chunks(LANES).zip(out.chunks_mut(LANES)) {
            for (lane, &slot) in slots.iter().enumerate() {
                let bounds = &bounds[slot as usize];
                let mut axis = 0;
                while axis < D {
                    let from = if direct { 0.0 } else { grid.low[axis] * 2.0 };
                    min[axis][lane] = (bounds.min[axis].to_f64() - from) as f32;
                    max[axis][lane] = (bounds.max[axis].to_f64() - from) as f32;
                    axis += 1;
                }
            }
            let mut cells = [first; D];
            let mut extent = lanes.splat_f32(0.0);
            let mut axis = 0;
            while axis < D {
                let (low, high) = (lanes.load_f32(&min[axis]), lanes.load_f32(&max[axis]));
                // A quarter of each end gives half the center, because the sum of the ends may
                // overflow.
                let (below, above) = (lanes.mul_f32(low, quarter), lanes.mul_f32(high, quarter));
                let center = lanes.add_f32(below, above);
                let at = lanes.mul_f32(lanes.sub_f32(center, origin[axis]), scale[axis]);
                cells[axis] = lanes.min(lanes.max(lanes.truncate(at), first), last);
                let along = lanes.sub_f32(high, low);
                extent = lanes.select_f32(lanes.gt_f32(along, extent), along, extent);
                axis += 1;
            }
            let curve = hilbert_cells(lanes, &cells, CodeGrid::<D>::AXIS_BITS);
            let exponent = lanes.shr(lanes.f32_to_bits(extent), 23);
            let class = lanes.truncate(lanes.mul_f32(lanes.to_f32(exponent), third));
            let class = lanes.shl(lanes.and(class, lanes.splat(15)), curve_bits::<D>());
            let codes = lanes.store(lanes.or(class, interleave(lanes, curve)));
            for (out, code) in out.iter_mut().zip(codes) {
                *out = code.cast_unsigned();
            }
        }
    }
}

/// The number of consecutive binary exponents in a size class: sizes differ at most eightfold. The
/// 16 class numbers repeat for sizes larger by about 2^48. (With 1 or 2 exponents per class, more
/// clusters overlap; without classes, clusters are larger.)
const EXPONENTS_PER_CLASS: f32 = 3.0;

#[inline(always)]
fn half_center<S: Scalar, const D: usize>(bounds: &Aabb<S, D>, axis: usize) -> f64 {
    (bounds.min[axis].to_f64() + bounds.max[axis].to_f64()) * 0.25
}
