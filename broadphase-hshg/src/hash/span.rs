//! From coordinates to cells.

use broadphase_core::{Aabb, Scalar};

/// Cells are numbered from −`FAR` to `FAR` on each axis.
const FAR: f64 = (1 << 30) as f64;

/// How coordinates map to cells. Monotone, which is all that correctness rests on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    inverse: f64,
}

impl Grid {
    pub(super) fn new<S: Scalar>(cell: S) -> Self {
        let cell = cell.to_f64();
        let inverse = 1.0 / cell;
        assert!(
            cell > 0.0 && cell.is_finite() && inverse.is_finite(),
            "the side of a cell must be positive and finite, not {cell}"
        );
        Self { inverse }
    }

    /// The number of the cell of a coordinate: rounded down, the ends beyond them.
    #[inline(always)]
    fn cell<S: Scalar>(self, x: S) -> i32 {
        let scaled = (x.to_f64() * self.inverse).clamp(-FAR, FAR);
        let towards_zero = scaled as i32;
        towards_zero - i32::from(f64::from(towards_zero) > scaled)
    }

    /// The cells that a box touches.
    #[inline(always)]
    pub(super) fn span<S: Scalar, const D: usize>(self, bounds: &Aabb<S, D>) -> Span<D> {
        Span {
            low: bounds.min.map(|min| self.cell(min)),
            high: bounds.max.map(|max| self.cell(max)),
        }
    }
}

/// A block of cells, both corners included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span<const D: usize> {
    pub(super) low: [i32; D],
    pub(super) high: [i32; D],
}

impl<const D: usize> Span<D> {
    /// How many cells it has, or `u64::MAX` if more.
    #[inline(always)]
    pub(super) fn count(&self) -> u64 {
        (0..D).fold(1, |count, axis| {
            let side = (i64::from(self.high[axis]) - i64::from(self.low[axis]) + 1) as u64;
            count.saturating_mul(side)
        })
    }

    #[inline(always)]
    pub(super) fn contains(&self, cell: &[i32; D]) -> bool {
        (0..D).all(|axis| (self.low[axis]..=self.high[axis]).contains(&cell[axis]))
    }

    /// Visits every cell, the last axis fastest.
    #[inline(always)]
    pub(super) fn each(&self, mut visit: impl FnMut([i32; D])) {
        let mut cell = self.low;
        loop {
            visit(cell);
            let mut axis = D;
            loop {
                if axis == 0 {
                    return;
                }
                axis -= 1;
                if cell[axis] < self.high[axis] {
                    cell[axis] += 1;
                    break;
                }
                cell[axis] = self.low[axis];
            }
        }
    }
}

/// Twice the average extent; for points the side of a cube that holds one on average.
pub(super) fn recommend<S: Scalar, const D: usize>(
    bounds: impl IntoIterator<Item = Aabb<S, D>>,
) -> S {
    let (mut count, mut extents, mut world) = (0u64, 0.0, None::<Aabb<S, D>>);
    for bounds in bounds {
        count += 1;
        extents += (0..D).map(|axis| extent(&bounds, axis)).sum::<f64>() / D as f64;
        world = Some(world.map_or(bounds, |world| world.union(&bounds)));
    }
    let Some(world) = world else { return S::from_f64(1.0) };
    let mut side = 2.0 * extents / count as f64;
    if side <= 0.0 {
        // Halve the world until there are about as many cells as points.
        side = (0..D).map(|axis| extent(&world, axis)).fold(0.0, f64::max);
        let mut cells = 1u64;
        while cells < count {
            side /= 2.0;
            cells = cells.saturating_mul(1 << D);
        }
    }
    // No finer than the numbers are, no coarser than they reach, and at least 1 for integers.
    let largest = world.min.iter().chain(&world.max).fold(0.0, |m: f64, x| m.max(x.to_f64().abs()));
    let side = side.clamp(largest / FAR, S::MAX.to_f64());
    let rounded = S::from_f64(side);
    let usable = rounded > S::ZERO && (1.0 / rounded.to_f64()).is_finite();
    if usable { rounded } else { S::from_f64(1.0) }
}

fn extent<S: Scalar, const D: usize>(bounds: &Aabb<S, D>, axis: usize) -> f64 {
    bounds.max[axis].to_f64() - bounds.min[axis].to_f64()
}
