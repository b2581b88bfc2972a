//! The scalar backend: plain loops over arrays, the reference for all other backends.
//!
//! The source code is scalar; the compiler may still vectorize the loops for the build target.

use super::{LANES, Lanes, sealed};
use crate::{BackendKind, HitMask, array_of};

/// The token of the scalar backend, which runs on every CPU.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plain;

impl sealed::Sealed for Plain {}

type Ints = [i32; LANES];
type Floats = [f32; LANES];
type Mask = [bool; LANES];

impl Lanes for Plain {
    const KIND: BackendKind = BackendKind::Scalar;

    type I = Ints;
    type F = Floats;
    type M = Mask;

    #[inline(always)]
    fn load(self, block: &Ints) -> Ints {
        *block
    }
    #[inline(always)]
    fn load_f32(self, block: &Floats) -> Floats {
        *block
    }
    #[inline(always)]
    fn store(self, v: Ints) -> Ints {
        v
    }
    #[inline(always)]
    fn store_f32(self, v: Floats) -> Floats {
        v
    }
    #[inline(always)]
    fn splat(self, n: i32) -> Ints {
        [n; LANES]
    }
    #[inline(always)]
    fn splat_f32(self, x: f32) -> Floats {
        [x; LANES]
    }

    #[inline(always)]
    fn eq(self, a: Ints, b: Ints) -> Mask {
        array_of(|i| a[i] == b[i])
    }
    #[inline(always)]
    fn gt(self, a: Ints, b: Ints) -> Mask {
        array_of(|i| a[i] > b[i])
    }
    #[inline(always)]
    fn eq_f32(self, a: Floats, b: Floats) -> Mask {
        array_of(|i| a[i] == b[i])
    }
    #[inline(always)]
    fn gt_f32(self, a: Floats, b: Floats) -> Mask {
        array_of(|i| a[i] > b[i])
    }
    #[inline(always)]
    fn ge_f32(self, a: Floats, b: Floats) -> Mask {
        array_of(|i| a[i] >= b[i])
    }
    #[inline(always)]
    fn min(self, a: Ints, b: Ints) -> Ints {
        array_of(|i| a[i].min(b[i]))
    }
    #[inline(always)]
    fn max(self, a: Ints, b: Ints) -> Ints {
        array_of(|i| a[i].max(b[i]))
    }

    #[inline(always)]
    fn movemask(self, m: Mask) -> HitMask {
        let mut bits = 0;
        for (lane, hit) in m.into_iter().enumerate() {
            bits |= u8::from(hit) << lane;
        }
        HitMask(bits)
    }
    #[inline(always)]
    fn mask_and(self, m: Mask, n: Mask) -> Mask {
        array_of(|i| m[i] & n[i])
    }
    #[inline(always)]
    fn mask_or(self, m: Mask, n: Mask) -> Mask {
        array_of(|i| m[i] | n[i])
    }
    #[inline(always)]
    fn mask_and_not(self, m: Mask, n: Mask) -> Mask {
        array_of(|i| m[i] & !n[i])
    }
    #[inline(always)]
    fn select(self, m: Mask, a: Ints, b: Ints) -> Ints {
        array_of(|i| if m[i] { a[i] } else { b[i] })
    }
    #[inline(always)]
    fn select_f32(self, m: Mask, a: Floats, b: Floats) -> Floats {
        array_of(|i| if m[i] { a[i] } else { b[i] })
    }
    #[inline(always)]
    fn mask_to_i32(self, m: Mask) -> Ints {
        array_of(|i| -i32::from(m[i]))
    }

    #[inline(always)]
    fn add(self, a: Ints, b: Ints) -> Ints {
        array_of(|i| a[i].wrapping_add(b[i]))
    }
    #[inline(always)]
    fn sub(self, a: Ints, b: Ints) -> Ints {
        array_of(|i| a[i].wrapping_sub(b[i]))
    }
    #[inline(always)]
    fn and(self, a: Ints, b: Ints) -> Ints {
        array_of(|i| a[i] & b[i])
    }
    #[inline(always)]
    fn or(self, a: Ints, b: Ints) -> Ints {
        array_of(|i| a[i] | b[i])
    }
    #[inline(always)]
    fn xor(self, a: Ints, b: Ints) -> Ints {
        array_of(|i| a[i] ^ b[i])
    }
    #[inline(always)]
    fn shl(self, a: Ints, n: u32) -> Ints {
        array_of(|i| a[i].wrapping_shl(n))
    }
    #[inline(always)]
    fn shr(self, a: Ints, n: u32) -> Ints {
        array_of(|i| a[i].wrapping_shr(n))
    }
    #[inline(always)]
    fn shr_logical(self, a: Ints, n: u32) -> Ints {
        array_of(|i| (a[i] as u32).wrapping_shr(n) as i32)
    }

    #[inline(always)]
    fn add_f32(self, a: Floats, b: Floats) -> Floats {
        array_of(|i| a[i] + b[i])
    }
    #[inline(always)]
    fn sub_f32(self, a: Floats, b: Floats) -> Floats {
        array_of(|i| a[i] - b[i])
    }
    #[inline(always)]
    fn mul_f32(self, a: Floats, b: Floats) -> Floats {
        array_of(|i| a[i] * b[i])
    }
    #[inline(always)]
    fn floor(self, a: Floats) -> Floats {
        a.map(floor)
    }

    #[inline(always)]
    fn to_f32(self, a: Ints) -> Floats {
        a.map(|n| n as f32)
    }
    #[inline(always)]
    fn to_i32(self, a: Floats) -> Ints {
        a.map(|x| x as i32)
    }
    #[inline(always)]
    fn truncate(self, a: Floats) -> Ints {
        const END: f32 = 2_147_483_648.0;
        a.map(|x| if (-END..END).contains(&x) { x as i32 } else { i32::MIN })
    }
    #[inline(always)]
    fn f32_to_bits(self, a: Floats) -> Ints {
        a.map(|x| x.to_bits() as i32)
    }

    #[inline(always)]
    fn f32_from_bits(self, a: Ints) -> Floats {
        a.map(|n| f32::from_bits(n as u32))
    }

    #[inline(always)]
    fn deinterleave(self, low: Ints, high: Ints) -> (Ints, Ints) {
        let of = |i: usize| if i < LANES { low[i] } else { high[i - LANES] };
        (array_of(|i| of(2 * i)), array_of(|i| of(2 * i + 1)))
    }
    #[inline(always)]
    fn interleave(self, x: Ints, y: Ints) -> (Ints, Ints) {
        let of = |i: usize| if i.is_multiple_of(2) { x[i / 2] } else { y[i / 2] };
        (array_of(of), array_of(|i| of(i + LANES)))
    }
    #[inline(always)]
    fn compress(self, v: Ints, hits: HitMask) -> Ints {
        let mut packed = [0; LANES];
        for (slot, lane) in hits.into_iter().enumerate() {
            packed[slot] = v[lane];
        }
        packed
    }
}

/// Returns the largest integer not above `x`. Uses conversion and comparison, because `core` has no
/// `floor`. From 2^23 on every float is an integer.
#[inline(always)]
fn floor(x: f32) -> f32 {
    const ALL_INTEGERS: f32 = 8_388_608.0;
    let towards_zero = x as i32 as f32;
    let floor = towards_zero - f32::from(u8::from(towards_zero > x));
    // The result is computed without a branch, because the outcome of the comparison is
    // unpredictable. NaN, the infinities and both zeros are returned unchanged.
    let fraction = x > -ALL_INTEGERS && x < ALL_INTEGERS && x != 0.0;
    if fraction { floor } else { x }
}
