//! The portable backend: the crate `wide`, compiled for the instructions of the build target.

use wide::{f32x8, i32x8};

use super::{COMPRESS_TABLE, LANES, Lanes, sealed};
use crate::{BackendKind, HitMask, array_of};

/// The token of the portable backend. Its instructions are chosen at compile time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wide;

impl sealed::Sealed for Wide {}

/// Reinterprets integer lanes as float lanes.
#[inline(always)]
fn floats(v: i32x8) -> f32x8 {
    f32x8::new(v.to_array().map(|n| f32::from_bits(n as u32)))
}

/// Reinterprets float lanes as integer lanes.
#[inline(always)]
fn ints(v: f32x8) -> i32x8 {
    i32x8::new(v.to_array().map(|x| x.to_bits() as i32))
}

impl Lanes for Wide {
    const KIND: BackendKind = BackendKind::Wide;

    type I = i32x8;
    type F = f32x8;
    /// True is a lane with all bits set, false a lane with none.
    type M = i32x8;

    #[inline(always)]
    fn load(self, block: &[i32; LANES]) -> i32x8 {
        i32x8::new(*block)
    }
    #[inline(always)]
    fn load_f32(self, block: &[f32; LANES]) -> f32x8 {
        f32x8::new(*block)
    }
    #[inline(always)]
    fn store(self, v: i32x8) -> [i32; LANES] {
        v.to_array()
    }
    #[inline(always)]
    fn store_f32(self, v: f32x8) -> [f32; LANES] {
        v.to_array()
    }
    #[inline(always)]
    fn splat(self, n: i32) -> i32x8 {
        i32x8::splat(n)
    }
    #[inline(always)]
    fn splat_f32(self, x: f32) -> f32x8 {
        f32x8::splat(x)
    }

    #[inline(always)]
    fn eq(self, a: i32x8, b: i32x8) -> i32x8 {
        a.simd_eq(b)
    }
    #[inline(always)]
    fn gt(self, a: i32x8, b: i32x8) -> i32x8 {
        a.simd_gt(b)
    }
    #[inline(always)]
    fn eq_f32(self, a: f32x8, b: f32x8) -> i32x8 {
        ints(a.simd_eq(b))
    }
    #[inline(always)]
    fn gt_f32(self, a: f32x8, b: f32x8) -> i32x8 {
        ints(a.simd_gt(b))
    }
    #[inline(always)]
    fn ge_f32(self, a: f32x8, b: f32x8) -> i32x8 {
        ints(a.simd_ge(b))
    }
    #[inline(always)]
    fn min(self, a: i32x8, b: i32x8) -> i32x8 {
        a.min(b)
    }
    #[inline(always)]
    fn max(self, a: i32x8, b: i32x8) -> i32x8 {
        a.max(b)
    }

    #[inline(always)]
    fn movemask(self, m: i32x8) -> HitMask {
        HitMask(m.to_bitmask() as u8)
    }
    #[inline(always)]
    fn mask_and(self, m: i32x8, n: i32x8) -> i32x8 {
        m & n
    }
    #[inline(always)]
    fn mask_or(self, m: i32x8, n: i32x8) -> i32x8 {
        m | n
    }
    #[inline(always)]
    fn mask_and_not(self, m: i32x8, n: i32x8) -> i32x8 {
        m & !n
    }
    #[inline(always)]
    fn select(self, m: i32x8, a: i32x8, b: i32x8) -> i32x8 {
        m.select(a, b)
    }
    #[inline(always)]
    fn select_f32(self, m: i32x8, a: f32x8, b: f32x8) -> f32x8 {
        floats(m).select(a, b)
    }
    #[inline(always)]
    fn mask_to_i32(self, m: i32x8) -> i32x8 {
        m
    }

    #[inline(always)]
    fn add(self, a: i32x8, b: i32x8) -> i32x8 {
        a + b
    }
    #[inline(always)]
    fn sub(self, a: i32x8, b: i32x8) -> i32x8 {
        a - b
    }
    #[inline(always)]
    fn and(self, a: i32x8, b: i32x8) -> i32x8 {
        a & b
    }
    #[inline(always)]
    fn or(self, a: i32x8, b: i32x8) -> i32x8 {
        a | b
    }
    #[inline(always)]
    fn xor(self, a: i32x8, b: i32x8) -> i32x8 {
        a ^ b
    }
    #[inline(always)]
    fn shl(self, a: i32x8, n: u32) -> i32x8 {
        a << (n % 32)
    }
    #[inline(always)]
    fn shr(self, a: i32x8, n: u32) -> i32x8 {
        a >> (n % 32)
    }
    #[inline(always)]
    fn shr_logical(self, a: i32x8, n: u32) -> i32x8 {
        i32x8::new(a.to_array().map(|lane| (lane as u32 >> (n % 32)) as i32))
    }

    #[inline(always)]
    fn add_f32(self, a: f32x8, b: f32x8) -> f32x8 {
        a + b
    }
    #[inline(always)]
    fn sub_f32(self, a: f32x8, b: f32x8) -> f32x8 {
        a - b
    }
    #[inline(always)]
    fn mul_f32(self, a: f32x8, b: f32x8) -> f32x8 {
        a * b
    }
    #[inline(always)]
    fn floor(self, a: f32x8) -> f32x8 {
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
    fn to_f32(self, a: i32x8) -> f32x8 {
        f32x8::from_i32x8(a)
    }
    #[inline(always)]
    fn to_i32(self, a: f32x8) -> i32x8 {
        a.trunc_int()
    }
    #[inline(always)]
    fn truncate(self, a: f32x8) -> i32x8 {
        let end = f32x8::splat(2_147_483_648.0);
        let fits = ints((-end).simd_le(a) & a.simd_lt(end));
        fits.select(a.trunc_int(), i32x8::splat(i32::MIN))
    }
    #[inline(always)]
    fn f32_to_bits(self, a: f32x8) -> i32x8 {
        ints(a)
    }

    #[inline(always)]
    fn f32_from_bits(self, a: i32x8) -> f32x8 {
        floats(a)
    }

    #[inline(always)]
    fn deinterleave(self, low: i32x8, high: i32x8) -> (i32x8, i32x8) {
        let (low, high) = (low.to_array(), high.to_array());
        let of = |i: usize| if i < LANES { low[i] } else { high[i - LANES] };
        (i32x8::new(array_of(|i| of(2 * i))), i32x8::new(array_of(|i| of(2 * i + 1))))
    }
    #[inline(always)]
    fn interleave(self, x: i32x8, y: i32x8) -> (i32x8, i32x8) {
        let (x, y) = (x.to_array(), y.to_array());
        let of = |i: usize| if i.is_multiple_of(2) { x[i / 2] } else { y[i / 2] };
        (i32x8::new(array_of(of)), i32x8::new(array_of(|i| of(i + LANES))))
    }
    #[inline(always)]
    fn compress(self, v: i32x8, hits: HitMask) -> i32x8 {
        let v = v.to_array();
        let order = COMPRESS_TABLE[hits.0 as usize];
        i32x8::new(array_of(|i| v[order[i] as usize % LANES]))
    }
}
