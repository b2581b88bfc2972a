//! The portable backend: the crate `wide`, compiled for the instructions of the build target.

use wide::{f32x8, i32x8};

use super::{LANES, Lanes, sealed};
use crate::{BackendKind, HitMask};

/// The token of the portable backend. Its instructions are chosen at compile time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wide;

impl sealed::Sealed for Wide {}

type Ints = i32x8;
type Floats = f32x8;

#[inline(always)]
fn floats(v: i32x8) -> f32x8 {
    f32x8::new(v.to_array().map(|n| f32::from_bits(n as u32)))
}

#[inline(always)]
fn ints(v: f32x8) -> i32x8 {
    i32x8::new(v.to_array().map(|x| x.to_bits() as i32))
}

impl Lanes for Wide {
    const KIND: BackendKind = BackendKind::Wide;

    type I = Ints;
    type F = Floats;
    /// True is a lane with all bits set, false a lane with none.
    type M = Ints;

    operations! { self:
        fn load(block: &[i32; LANES]) -> Ints = i32x8::new(*block);
        fn load_f32(block: &[f32; LANES]) -> Floats = f32x8::new(*block);
        fn store(v: Ints) -> [i32; LANES] = v.to_array();
        fn store_f32(v: Floats) -> [f32; LANES] = v.to_array();
        fn splat(n: i32) -> Ints = i32x8::splat(n);
        fn splat_f32(x: f32) -> Floats = f32x8::splat(x);

        fn eq(a: Ints, b: Ints) -> Ints = a.simd_eq(b);
        fn gt(a: Ints, b: Ints) -> Ints = a.simd_gt(b);
        fn eq_f32(a: Floats, b: Floats) -> Ints = ints(a.simd_eq(b));
        fn gt_f32(a: Floats, b: Floats) -> Ints = ints(a.simd_gt(b));
        fn ge_f32(a: Floats, b: Floats) -> Ints = ints(a.simd_ge(b));
        fn min(a: Ints, b: Ints) -> Ints = a.min(b);
        fn max(a: Ints, b: Ints) -> Ints = a.max(b);

        fn movemask(m: Ints) -> HitMask = HitMask(m.to_bitmask() as u8);
        fn mask_and(m: Ints, n: Ints) -> Ints = m & n;
        fn mask_or(m: Ints, n: Ints) -> Ints = m | n;
        fn mask_and_not(m: Ints, n: Ints) -> Ints = m & !n;
        fn select(m: Ints, a: Ints, b: Ints) -> Ints = m.select(a, b);
        fn select_f32(m: Ints, a: Floats, b: Floats) -> Floats = floats(m).select(a, b);
        fn mask_to_i32(m: Ints) -> Ints = m;

        fn add(a: Ints, b: Ints) -> Ints = a + b;
        fn sub(a: Ints, b: Ints) -> Ints = a - b;
        fn and(a: Ints, b: Ints) -> Ints = a & b;
        fn or(a: Ints, b: Ints) -> Ints = a | b;
        fn xor(a: Ints, b: Ints) -> Ints = a ^ b;
        fn shl(a: Ints, n: u32) -> Ints = a << (n % 32);
        fn shr(a: Ints, n: u32) -> Ints = a >> (n % 32);
        fn shr_logical(a: Ints, n: u32) -> Ints =
            i32x8::new(a.to_array().map(|lane| (lane as u32 >> (n % 32)) as i32));

        fn add_f32(a: Floats, b: Floats) -> Floats = a + b;
        fn sub_f32(a: Floats, b: Floats) -> Floats = a - b;
        fn mul_f32(a: Floats, b: Floats) -> Floats = a * b;
        fn to_f32(a: Ints) -> Floats = f32x8::from_i32x8(a);
        fn f32_to_bits(a: Floats) -> Ints = ints(a);
        fn f32_from_bits(a: Ints) -> Floats = floats(a);
    }

    #[inline(always)]
    fn floor(self, a: Floats) -> Floats {
        // Below SSE4.1 `wide` rounds lane by lane; conversion and comparison use whole vectors.
        let towards_zero = f32x8::from_i32x8(a.trunc_int());
        let floor = towards_zero - (towards_zero.simd_gt(a) & f32x8::splat(1.0));
        // From 2^23 on every float is an integer. These floats and NaN stay unchanged.
        let all_integers = f32x8::splat(8_388_608.0);
        let small = a.simd_lt(all_integers) & a.simd_gt(-all_integers);
        let changes = small & a.simd_ne(f32x8::splat(0.0));
        changes.select(floor, a)
    }
    #[inline(always)]
    fn truncate(self, a: Floats) -> Ints {
        let end = f32x8::splat(2_147_483_648.0);
        let fits = ints((-end).simd_le(a) & a.simd_lt(end));
        fits.select(a.trunc_int(), i32x8::splat(i32::MIN))
    }
}
