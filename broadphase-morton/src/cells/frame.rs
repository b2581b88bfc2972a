//! Where objects come in the order: first by how large they are, then by where their
//! cell is on a curve.

use broadphase_core::{Aabb, Kernel, LANES, Lanes, Scalar};

use crate::curve::{Cells, along_curve, interleave};

/// A grid over a part of the world, in which centres have cells; what is outside counts as if at
/// the border. It decides what is stored beside what, and so time, but no answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame<const D: usize> {
    /// Half the coordinates of the low corner: halves do not overflow.
    low: [f64; D],
    /// Half the extent.
    extent: [f64; D],
    /// Cells in half a unit.
    scale: [f64; D],
}

/// How many bits of a place in the order tell cells apart.
const fn bits<const D: usize>() -> u32 {
    if D == 3 { 27 } else { 28 }
}

impl<const D: usize> Frame<D> {
    /// Cells along an axis, as a power of two; one dimension has no more than two have.
    const AXIS: u32 = bits::<D>() / if D == 3 { 3 } else { 2 };

    /// The grid over a box, given by half its coordinates.
    fn new(low: [f64; D], high: [f64; D]) -> Self {
        let (mut extent, mut scale) = ([0.0; D], [0.0; D]);
        for axis in 0..D {
            extent[axis] = high[axis] - low[axis];
            if extent[axis] > 0.0 {
                scale[axis] = f64::from(1u32 << Self::AXIS) / extent[axis];
            }
            if !(scale[axis] <= f64::MAX) {
                scale[axis] = 0.0;
            }
        }
        Self { low, extent, scale }
    }

    /// The grid over the centres of objects.
    pub(super) fn around<S: Scalar>(objects: impl Iterator<Item = Aabb<S, D>>) -> Self {
        let (mut low, mut high) = ([f64::MAX; D], [f64::MIN; D]);
        for bounds in objects {
            for axis in 0..D {
                let at = middle(&bounds, axis);
                low[axis] = low[axis].min(at);
                high[axis] = high[axis].max(at);
            }
        }
        Self::new(low, high)
    }

    /// A grid over these bounds and an eighth more on each side.
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

    /// Whether it still suits objects in these bounds.
    pub(super) fn suits<S: Scalar>(&self, bounds: &Aabb<S, D>) -> bool {
        (0..D).all(|axis| {
            let low = bounds.min[axis].to_f64() * 0.5 - self.low[axis];
            let high = bounds.max[axis].to_f64() * 0.5 - self.low[axis];
            0.0 <= low && high <= self.extent[axis] && self.extent[axis] <= 2.0 * (high - low)
        })
    }

    /// Whether all centres have the same cell whatever the grid.
    pub(super) fn is_point(&self) -> bool {
        self.scale.iter().all(|&scale| scale == 0.0)
    }

    /// The cell of the centre.
    #[inline(always)]
    fn cell<S: Scalar>(&self, bounds: &Aabb<S, D>, axis: usize) -> i32 {
        let at = (middle(bounds, axis) - self.low[axis]) * self.scale[axis];
        (at as i32).clamp(0, (1 << Self::AXIS) - 1)
    }
}

/// Writes the place in the order of each of some objects.
pub(super) struct Places<'a, S, const D: usize> {
    pub(super) frame: &'a Frame<D>,
    pub(super) bounds: &'a [Aabb<S, D>],
    pub(super) slots: &'a [u32],
    pub(super) out: &'a mut [u32],
}

impl<S: Scalar, const D: usize> Kernel for Places<'_, S, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Self { frame, bounds, slots, out } = self;
        let mut cells: Cells<D> = [[0; LANES]; D];
        let mut classes = [0; LANES];
        for (slots, out) in slots.chunks(LANES).zip(out.chunks_mut(LANES)) {
            for (lane, &slot) in slots.iter().enumerate() {
                let bounds = &bounds[slot as usize];
                let mut axis = 0;
                while axis < D {
                    cells[axis][lane] = frame.cell(bounds, axis);
                    axis += 1;
                }
                classes[lane] = size_class(bounds);
            }
            let mut loaded = [lanes.splat(0); D];
            let mut axis = 0;
            while axis < D {
                loaded[axis] = lanes.load(&cells[axis]);
                axis += 1;
            }
            let curve = along_curve(lanes, &loaded, Frame::<D>::AXIS);
            let class = lanes.shl(lanes.load(&classes), bits::<D>());
            let places = lanes.store(lanes.or(class, interleave(lanes, curve)));
            for (out, place) in out.iter_mut().zip(places) {
                *out = place.cast_unsigned();
            }
        }
    }
}

/// Half the coordinate of the centre.
#[inline(always)]
fn middle<S: Scalar, const D: usize>(bounds: &Aabb<S, D>, axis: usize) -> f64 {
    (bounds.min[axis].to_f64() + bounds.max[axis].to_f64()) * 0.25
}

/// Objects of one class are at most four times as large as each other, or 2^32 times.
#[inline(always)]
fn size_class<S: Scalar, const D: usize>(bounds: &Aabb<S, D>) -> i32 {
    let mut extent = 0.0;
    for axis in 0..D {
        let along = bounds.max[axis].to_f64() - bounds.min[axis].to_f64();
        extent = if along > extent { along } else { extent };
    }
    let exponent = (extent.to_bits() >> 52) as i32;
    exponent / CLASS % 16
}

/// Powers of two in a class of sizes.
const CLASS: i32 = 2;
