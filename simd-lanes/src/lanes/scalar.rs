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

    operations! { self:
        fn load(block: &Ints) -> Ints = *block;
        fn load_f32(block: &Floats) -> Floats = *block;
        fn store(v: Ints) -> Ints = v;
        fn store_f32(v: Floats) -> Floats = v;
        fn splat(n: i32) -> Ints = [n; LANES];
        fn splat_f32(x: f32) -> Floats = [x; LANES];

        fn eq(a: Ints, b: Ints) -> Mask = array_of(|i| a[i] == b[i]);
        fn gt(a: Ints, b: Ints) -> Mask = array_of(|i| a[i] > b[i]);
        fn eq_f32(a: Floats, b: Floats) -> Mask = array_of(|i| a[i] == b[i]);
        fn gt_f32(a: Floats, b: Floats) -> Mask = array_of(|i| a[i] > b[i]);
        fn ge_f32(a: Floats, b: Floats) -> Mask = array_of(|i| a[i] >= b[i]);
        fn min(a: Ints, b: Ints) -> Ints = array_of(|i| a[i].min(b[i]));
        fn max(a: Ints, b: Ints) -> Ints = array_of(|i| a[i].max(b[i]));

        fn mask_and(m: Mask, n: Mask) -> Mask = array_of(|i| m[i] & n[i]);
        fn mask_or(m: Mask, n: Mask) -> Mask = array_of(|i| m[i] | n[i]);
        fn mask_and_not(m: Mask, n: Mask) -> Mask = array_of(|i| m[i] & !n[i]);
        fn select(m: Mask, a: Ints, b: Ints) -> Ints = array_of(|i| if m[i] { a[i] } else { b[i] });
        fn select_f32(m: Mask, a: Floats, b: Floats) -> Floats =
            array_of(|i| if m[i] { a[i] } else { b[i] });
        fn mask_to_i32(m: Mask) -> Ints = array_of(|i| -i32::from(m[i]));

        fn add(a: Ints, b: Ints) -> Ints = array_of(|i| a[i].wrapping_add(b[i]));
        fn sub(a: Ints, b: Ints) -> Ints = array_of(|i| a[i].wrapping_sub(b[i]));
        fn and(a: Ints, b: Ints) -> Ints = array_of(|i| a[i] & b[i]);
        fn or(a: Ints, b: Ints) -> Ints = array_of(|i| a[i] | b[i]);
        fn xor(a: Ints, b: Ints) -> Ints = array_of(|i| a[i] ^ b[i]);
        fn shl(a: Ints, n: u32) -> Ints = array_of(|i| a[i].wrapping_shl(n));
        fn shr(a: Ints, n: u32) -> Ints = array_of(|i| a[i].wrapping_shr(n));
        fn shr_logical(a: Ints, n: u32) -> Ints =
            array_of(|i| (a[i] as u32).wrapping_shr(n) as i32);

        fn add_f32(a: Floats, b: Floats) -> Floats = array_of(|i| a[i] + b[i]);
        fn sub_f32(a: Floats, b: Floats) -> Floats = array_of(|i| a[i] - b[i]);
        fn mul_f32(a: Floats, b: Floats) -> Floats = array_of(|i| a[i] * b[i]);
        fn floor(a: Floats) -> Floats = a.map(floor);
        fn to_f32(a: Ints) -> Floats = a.map(|n| n as f32);
        fn truncate(a: Floats) -> Ints = a.map(truncate);
        fn f32_to_bits(a: Floats) -> Ints = a.map(|x| x.to_bits() as i32);
        fn f32_from_bits(a: Ints) -> Floats = a.map(|n| f32::from_bits(n as u32));
    }

    #[inline(always)]
    fn movemask(self, m: Mask) -> HitMask {
        let mut bits = 0;
        for (lane, hit) in m.into_iter().enumerate() {
            bits |= u8::from(hit) << lane;
        }
        HitMask(bits)
    }
}

/// Returns the largest integer not above `x`, by a conversion: `core` has no `floor`.
#[inline(always)]
fn floor(x: f32) -> f32 {
    const ALL_INTEGERS: f32 = 8_388_608.0;
    let towards_zero = x as i32 as f32;
    let floor = towards_zero - f32::from(u8::from(towards_zero > x));
    // Branch-free, because the outcome is unpredictable. NaN, the infinities and zeros are
    // unchanged, and so are floats from 2^23 on, which are integers.
    let fraction = x > -ALL_INTEGERS && x < ALL_INTEGERS && x != 0.0;
    if fraction { floor } else { x }
}

/// Returns `x as i32` if the number fits, else `i32::MIN`.
#[inline(always)]
fn truncate(x: f32) -> i32 {
    const END: f32 = 2_147_483_648.0;
    if (-END..END).contains(&x) { x as i32 } else { i32::MIN }
}
