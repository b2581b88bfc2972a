//! Morton codes and Hilbert indices of eight cells at a time, in 32-bit lanes.

use broadphase_core::Lanes;

/// Interleaves coordinate bits of eight cells: 32 per axis in one dimension, 16 in two, 10 in
/// three.
#[inline(always)]
pub(crate) fn interleave<L: Lanes, const D: usize>(lanes: L, cells: [L::I; D]) -> L::I {
    let mut code = lanes.splat(0);
    let mut axis = 0;
    while axis < D {
        code = lanes.or(code, lanes.shl(spread::<L, D>(lanes, cells[axis]), axis as u32));
        axis += 1;
    }
    code
}

/// Spreads bits: copies `x` shifted left by `shift` onto `x`, and masks the result.
#[inline(always)]
fn spread_step<L: Lanes>(lanes: L, x: L::I, shift: u32, mask: u32) -> L::I {
    lanes.and(lanes.or(x, lanes.shl(x, shift)), lanes.splat(mask.cast_signed()))
}

/// Moves bit i to bit `D` · i.
#[inline(always)]
fn spread<L: Lanes, const D: usize>(lanes: L, x: L::I) -> L::I {
    match D {
        1 => x,
        2 => {
            let x = lanes.and(x, lanes.splat(0xffff));
            let x = spread_step(lanes, x, 8, 0x00ff_00ff);
            let x = spread_step(lanes, x, 4, 0x0f0f_0f0f);
            let x = spread_step(lanes, x, 2, 0x3333_3333);
            spread_step(lanes, x, 1, 0x5555_5555)
        }
        _ => {
            let x = lanes.and(x, lanes.splat(0x3ff));
            let x = spread_step(lanes, x, 16, 0x0300_00ff);
            let x = spread_step(lanes, x, 8, 0x0300_f00f);
            let x = spread_step(lanes, x, 4, 0x030c_30c3);
            spread_step(lanes, x, 2, 0x0924_9249)
        }
    }
}

/// Transforms eight cells of `bits` bits per axis into cells whose Morton codes are the indices of
/// the originals on the Hilbert curve.
///
/// Consecutive cells on the Hilbert curve are adjacent, unlike in Morton order, so clusters of
/// consecutive objects have small bounds. Source: John Skilling, "Programming the Hilbert curve",
/// 2004.
#[inline(always)]
pub(crate) fn hilbert_cells<L: Lanes, const D: usize>(
    lanes: L,
    cells: &[L::I; D],
    bits: u32,
) -> [L::I; D] {
    let mut cells = *cells;
    let all = lanes.splat(-1);
    let mut bit = bits - 1;
    while bit > 0 {
        let below = lanes.splat((1 << bit) - 1);
        let mut axis = 0;
        while axis < D {
            let set = lanes.shr(lanes.shl(cells[axis], 31 - bit), 31);
            let turned = lanes.and(set, below);
            if axis > 0 {
                let kept = lanes.and(lanes.xor(set, all), below);
                let exchanged = lanes.and(lanes.xor(cells[0], cells[axis]), kept);
                cells[axis] = lanes.xor(cells[axis], exchanged);
                cells[0] = lanes.xor(cells[0], lanes.or(exchanged, turned));
            } else {
                cells[0] = lanes.xor(cells[0], turned);
            }
            axis += 1;
        }
        bit -= 1;
    }
    let mut axis = 1;
    while axis < D {
        cells[axis] = lanes.xor(cells[axis], cells[axis - 1]);
        axis += 1;
    }
    let mut turned = lanes.splat(0);
    let mut bit = 1;
    while bit < bits {
        let set = lanes.shr(lanes.shl(cells[D - 1], 31 - bit), 31);
        turned = lanes.xor(turned, lanes.and(set, lanes.splat((1 << bit) - 1)));
        bit += 1;
    }
    // On the curve, the first axis has the highest bit of each level.
    let mut curve = cells;
    let mut axis = 0;
    while axis < D {
        curve[D - 1 - axis] = lanes.xor(cells[axis], turned);
        axis += 1;
    }
    curve
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use broadphase_core::{Backend, Kernel, LANES, Lanes};

    use super::{hilbert_cells, interleave};
    use crate::Code;

    /// The codes of eight cells or, given bits per axis, their indices on the Hilbert curve.
    struct Encode<const D: usize>([[i32; LANES]; D], Option<u32>);

    impl<const D: usize> Kernel for Encode<D> {
        type Output = [i32; LANES];

        #[inline(always)]
        fn run<L: Lanes>(self, lanes: L) -> [i32; LANES] {
            let mut cells = [lanes.splat(0); D];
            let mut axis = 0;
            while axis < D {
                cells[axis] = lanes.load(&self.0[axis]);
                axis += 1;
            }
            if let Some(bits) = self.1 {
                cells = hilbert_cells(lanes, &cells, bits);
            }
            lanes.store(interleave(lanes, cells))
        }
    }

    fn lanes_encode_like_single_codes<const D: usize>() {
        let mask = u32::MAX >> (u32::BITS - u32::BITS / D as u32);
        for backend in Backend::available() {
            for round in 0..50 {
                let x = |n: u32| (n + 1).wrapping_mul(0x9E37_79B9).rotate_left(n % 31) & mask;
                let cells: [[u32; LANES]; D] = core::array::from_fn(|axis| {
                    core::array::from_fn(|lane| x(round * 64 + (axis * LANES + lane) as u32))
                });
                let codes = backend.dispatch(Encode(cells.map(|x| x.map(u32::cast_signed)), None));
                for (lane, code) in codes.into_iter().enumerate() {
                    let expected = Code::encode(cells.map(|axis| axis[lane]));
                    assert_eq!(u64::from(code.cast_unsigned()), expected.bits());
                }
            }
        }
    }

    fn consecutive_cells_are_adjacent<const D: usize>(bits: u32) {
        for backend in Backend::available() {
            let count = 1usize << (bits as usize * D);
            let mut curve = vec![None; count];
            for first in (0..count).step_by(LANES) {
                let cells: [[i32; LANES]; D] = core::array::from_fn(|axis| {
                    let bits = bits as usize;
                    let mask = (1 << bits) - 1;
                    core::array::from_fn(|lane| ((first + lane) >> (axis * bits) & mask) as i32)
                });
                let indices = backend.dispatch(Encode(cells, Some(bits)));
                for (lane, index) in indices.into_iter().enumerate() {
                    let before = curve[index as usize].replace(cells.map(|axis| axis[lane]));
                    assert_eq!(before, None, "two cells have index {index}");
                }
            }
            for two in curve.windows(2) {
                let [a, b] = [two[0], two[1]].map(|cell| cell.expect("each index has a cell"));
                let steps: i32 = (0..D).map(|axis| (a[axis] - b[axis]).abs()).sum();
                assert_eq!(steps, 1, "{a:?} to {b:?}");
            }
        }
    }

    #[test]
    fn the_hilbert_curve_visits_each_cell_once_and_steps_to_adjacent_cells() {
        consecutive_cells_are_adjacent::<2>(5);
        consecutive_cells_are_adjacent::<2>(6);
        consecutive_cells_are_adjacent::<3>(3);
        consecutive_cells_are_adjacent::<3>(4);
    }

    #[test]
    fn lanes_interleave_the_bits_of_coordinates() {
        lanes_encode_like_single_codes::<1>();
        lanes_encode_like_single_codes::<2>();
        lanes_encode_like_single_codes::<3>();
    }
}
