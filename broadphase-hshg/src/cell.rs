//! From coordinates to cells of one size.

use broadphase_core::{Aabb, Scalar, array_of};

/// Cells are numbered from −`FAR` to `FAR` on each axis.
pub(crate) const FAR: f64 = (1 << 30) as f64;

/// Added to what is small beside it, makes it a whole number: 1.5 · 2^52. Source: Hacker's Delight.
const ROUND_TO_INTEGER: f64 = 6_755_399_441_055_744.0;

/// How coordinates map to cells. Monotone, which is all that correctness rests on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grid {
    inverse: f64,
}

impl Grid {
    pub(crate) fn new(side: f64) -> Self {
        let inverse = 1.0 / side;
        assert!(
            side > 0.0 && side.is_finite() && inverse.is_finite(),
            "the side of a cell must be positive and finite, not {side}"
        );
        Self { inverse }
    }

    /// The number of the cell of a coordinate: rounded down, the ends beyond them.
    #[inline(always)]
    pub(crate) fn cell<S: Scalar>(self, x: S) -> i32 {
        let scaled = (x.to_f64() * self.inverse).clamp(-FAR, FAR);
        // The sum has no room for fractions, and the whole number in its lowest bits.
        let sum = scaled + ROUND_TO_INTEGER;
        let nearest = sum.to_bits() as i32;
        nearest - i32::from(sum - ROUND_TO_INTEGER > scaled)
    }

    /// A coordinate in 2^−32 of a cell, rounded down; not for what is far out.
    pub(crate) fn fixed_point<S: Scalar>(self, x: S) -> i64 {
        // A power of two changes no digits.
        let scaled = x.to_f64() * self.inverse * (1u64 << 32) as f64;
        let towards_zero = scaled as i64;
        towards_zero - i64::from(towards_zero as f64 > scaled)
    }
}

/// The box of a cell. The outermost go on to the end of all numbers.
pub(crate) fn sides<S: Scalar, const D: usize>(cell: [i32; D], side: f64) -> Aabb<S, D> {
    Aabb {
        min: array_of(|axis| border(f64::from(cell[axis]), side)),
        max: array_of(|axis| border(f64::from(cell[axis]) + 1.0, side)),
    }
}

/// The number at the border before a cell.
fn border<S: Scalar>(cell: f64, side: f64) -> S {
    let x = cell * side;
    if cell <= -FAR || x <= S::MIN.to_f64() {
        S::MIN
    } else if cell > FAR || x >= S::MAX.to_f64() {
        S::MAX
    } else {
        S::from_f64(x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_rounded_down_and_all_of_one_size() {
        let grid = Grid::new(4.0);
        let cells = [-8.0, -4.5, -4.0, -0.5, -0.0, 0.0, 3.9, 4.0].map(|x: f32| grid.cell(x));
        assert_eq!(cells, [-2, -2, -1, -1, 0, 0, 0, 1]);
        let grid = Grid::new(3.0);
        assert_eq!([-4, -3, -1, 0, 2, 3].map(|x: i32| grid.cell(x)), [-2, -1, -1, 0, 0, 1]);
    }

    #[test]
    fn what_is_too_far_shares_the_outermost_cells() {
        let grid = Grid::new(1e-3);
        let far = 1 << 30;
        assert_eq!([f64::MIN, -1e9, 1e9, f64::MAX].map(|x| grid.cell(x)), [-far, -far, far, far]);
        assert_eq!(grid.cell(f64::INFINITY), far);
    }
}
