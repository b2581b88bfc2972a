//! Maps coordinates to cells of one size, and cells back to boxes.

use broadphase_core::{Aabb, Lanes, Scalar, array_of};

/// Cell numbers range from −`FAR` to `FAR` on each axis; the outermost cells extend to infinity.
pub(crate) const FAR: f64 = (1 << 30) as f64;

/// Adding and subtracting 1.5 · 2^52 rounds a small `f64` to an integer (Hacker's Delight).
const ROUND_TO_INTEGER: f64 = 6_755_399_441_055_744.0;

/// Maps coordinates to cell numbers, monotonically: callers rely on this.
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

    /// Returns the cell number of a coordinate, rounded down and clamped to ±`FAR`.
    #[inline(always)]
    pub(crate) fn cell<S: Scalar>(self, x: S) -> i32 {
        let scaled = (x.to_f64() * self.inverse).clamp(-FAR, FAR);
        // At this magnitude `f64`s are integers, so the low 32 bits of the sum are the nearest
        // integer. If that is above `scaled`, subtract 1.
        let sum = scaled + ROUND_TO_INTEGER;
        let nearest = sum.to_bits() as i32;
        nearest - i32::from(sum - ROUND_TO_INTEGER > scaled)
    }

    /// Returns this grid for eight coordinates at a time; `None` if lanes would give other cells.
    /// The side must be a power of two.
    pub(crate) fn in_lanes<S: Scalar>(self) -> Option<LaneGrid> {
        let inverse = self.inverse as f32;
        if !S::INTEGER {
            return inverse.is_normal().then_some(LaneGrid::Scaled(inverse));
        }
        let side = 1.0 / self.inverse;
        (1.0..=FAR).contains(&side).then(|| LaneGrid::Shifted((side as u32).ilog2()))
    }

    /// Returns a coordinate, within 2^30 cells of the origin, in units of 2^−32 cell, rounded down.
    pub(crate) fn fixed_point<S: Scalar>(self, x: S) -> i64 {
        let scaled = x.to_f64() * self.inverse * (1u64 << 32) as f64;
        let towards_zero = scaled as i64;
        towards_zero - i64::from(towards_zero as f64 > scaled)
    }
}

/// A [`Grid`] with sides of a power of two, for coordinates in lanes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LaneGrid {
    /// The factor from floating-point coordinates to cells.
    Scaled(f32),
    /// The base-2 logarithm of the side, for integer coordinates.
    Shifted(u32),
}

impl LaneGrid {
    /// Returns the cell numbers of eight coordinates, given by keys; unspecified beyond ±[`FAR`].
    #[inline(always)]
    pub(crate) fn cells<L: Lanes>(self, lanes: L, keys: L::I) -> L::I {
        match self {
            Self::Scaled(inverse) => {
                let flipped = lanes.shr_logical(lanes.shr(keys, 31), 1);
                let x = lanes.f32_from_bits(lanes.xor(keys, flipped));
                // Multiplying by a power of two is exact, but results near 0 underflow: set −1 for
                // a negative coordinate.
                let scaled = lanes.mul_f32(x, lanes.splat_f32(inverse));
                let cells = lanes.truncate(lanes.floor(scaled));
                let vanished = lanes.eq_f32(scaled, lanes.splat_f32(0.0));
                let below_zero = lanes.gt(lanes.splat(0), keys);
                let lost = lanes.mask_and(vanished, below_zero);
                lanes.or(cells, lanes.mask_to_i32(lost))
            }
            Self::Shifted(log2) => lanes.shr(keys, log2),
        }
    }
}

/// Returns the box of a cell. The outermost cells extend to the ends of the number range.
pub(crate) fn sides<S: Scalar, const D: usize>(cell: [i32; D], side: f64) -> Aabb<S, D> {
    Aabb {
        min: array_of(|axis| border(f64::from(cell[axis]), side)),
        max: array_of(|axis| border(f64::from(cell[axis]) + 1.0, side)),
    }
}

/// Returns the coordinate at the low border of a cell, or an end of the number range.
pub(crate) fn border<S: Scalar>(cell: f64, side: f64) -> S {
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
    use alloc::vec::Vec;

    use broadphase_core::{Backend, Kernel, Keys, LANES};

    use super::*;

    #[test]
    fn coordinates_are_rounded_down_to_cells_of_equal_size() {
        let grid = Grid::new(4.0);
        let cells = [-8.0, -4.5, -4.0, -0.5, -0.0, 0.0, 3.9, 4.0].map(|x: f32| grid.cell(x));
        assert_eq!(cells, [-2, -2, -1, -1, 0, 0, 0, 1]);
        let grid = Grid::new(3.0);
        assert_eq!([-4, -3, -1, 0, 2, 3].map(|x: i32| grid.cell(x)), [-2, -1, -1, 0, 0, 1]);
    }

    #[test]
    fn far_coordinates_share_the_outermost_cells() {
        let grid = Grid::new(1e-3);
        let far = 1 << 30;
        assert_eq!([f64::MIN, -1e9, 1e9, f64::MAX].map(|x| grid.cell(x)), [-far, -far, far, far]);
        assert_eq!(grid.cell(f64::INFINITY), far);
    }

    #[test]
    fn the_outermost_cells_extend_to_the_ends_of_numbers() {
        let far = 1 << 30;
        let bounds = |cell| sides::<f64, 1>([cell], 2.0);
        let end = 2.0 * FAR;
        assert_eq!(bounds(far), Aabb::new([end], [f64::MAX]));
        assert_eq!(bounds(far - 1), Aabb::new([end - 2.0], [end]));
        assert_eq!(bounds(-far), Aabb::new([f64::MIN], [2.0 - end]));
        assert_eq!(sides::<i32, 1>([far - 1], 2.0).max, [i32::MAX]);
    }

    /// Kernel: returns the cells of eight keys.
    struct Cells(LaneGrid, [i32; LANES]);

    impl Kernel for Cells {
        type Output = [i32; LANES];

        #[inline(always)]
        fn run<L: Lanes>(self, lanes: L) -> [i32; LANES] {
            lanes.store(self.0.cells(lanes, lanes.load(&self.1)))
        }
    }

    fn assert_lanes_agree<S: Scalar>(side: f64, numbers: &[S]) {
        let grid = Grid::new(side);
        let Some(lanes) = grid.in_lanes::<S>() else { return };
        let inside = |x: &&S| (x.to_f64() / side).abs() <= FAR;
        let keys: Vec<i32> =
            numbers.iter().filter(inside).map(|x| x.canonical().key_below()).collect();
        for backend in Backend::available() {
            for block in keys.as_chunks().0 {
                let cells = backend.dispatch(Cells(lanes, *block));
                assert_eq!(cells, block.map(|key| grid.cell(S::from_key(key))), "side {side}");
            }
        }
    }

    #[test]
    fn cells_in_lanes_are_those_of_single_coordinates() {
        let mut floats: Vec<f32> = Vec::new();
        for exponent in -149..128 {
            for part in [1.0f32, 1.25, 1.999] {
                let x = part * 2f64.powi(exponent) as f32;
                floats.extend([x, -x, x.next_up(), -x.next_down()]);
            }
        }
        floats.extend([0.0; 8]);
        let doubles: Vec<f64> = floats.iter().map(|&x| f64::from(x)).collect();
        let integers: Vec<i32> =
            (0..31).flat_map(|bit| [1 << bit, -1 << bit, (1 << bit) - 1, 1 - (1 << bit)]).collect();
        for exponent in [-140, -126, -20, -1, 0, 1, 5, 20, 60, 126, 127] {
            let side = 2f64.powi(exponent);
            assert_lanes_agree(side, &floats);
            assert_lanes_agree(side, &doubles);
            assert_lanes_agree(side, &integers);
        }
        assert!(Grid::new(4.0).in_lanes::<i32>().is_some());
        assert!(Grid::new(4.0).in_lanes::<f32>().is_some());
    }
}
