//! The SSE4.1 backend: `pulp`'s V2 token (including SSE4.2 and POPCNT), two registers per vector.
//!
//! Uses the token's safe intrinsic methods, not the trait `pulp::Simd`, which has no bit masks and
//! some default methods that are not inlined.

use core::arch::x86_64::{__m128, __m128i, _MM_HINT_T0};

use pulp::cast;
use pulp::x86::V2;

use super::{LANES, Lanes, sealed};
use crate::{BackendKind, HitMask};

/// The token of the SSE4.1 backend: proof that the CPU has x86-64-v2.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sse41(pub(crate) V2);

impl sealed::Sealed for Sse41 {}

type Ints = [__m128i; 2];
type Floats = [__m128; 2];

macro_rules! halves {
    ($token:expr, $intrinsic:ident $(::<$imm:literal>)?, $($v:expr),+ $(; $shared:expr)?) => {
        [
            $token.$intrinsic$(::<$imm>)?($($v[0]),+ $(, $shared)?),
            $token.$intrinsic$(::<$imm>)?($($v[1]),+ $(, $shared)?),
        ]
    };
}

impl Sse41 {
    /// Converts a number of bits to an operand of shifts.
    #[inline(always)]
    fn count(self, n: u32) -> __m128i {
        self.0.sse2._mm_cvtsi32_si128((n % 32) as i32)
    }
}

impl Lanes for Sse41 {
    const KIND: BackendKind = BackendKind::Sse41;

    type I = Ints;
    type F = Floats;
    /// True is a lane with all bits set, false a lane with none.
    type M = Ints;

    operations! { self:
        fn load(block: &[i32; LANES]) -> Ints = cast(*block);
        fn load_f32(block: &[f32; LANES]) -> Floats = cast(*block);
        fn store(v: Ints) -> [i32; LANES] = cast(v);
        fn store_f32(v: Floats) -> [f32; LANES] = cast(v);
        fn splat(n: i32) -> Ints = [self.0.sse2._mm_set1_epi32(n); 2];
        fn splat_f32(x: f32) -> Floats = [self.0.sse._mm_set1_ps(x); 2];

        fn eq(a: Ints, b: Ints) -> Ints = halves!(self.0.sse2, _mm_cmpeq_epi32, a, b);
        fn gt(a: Ints, b: Ints) -> Ints = halves!(self.0.sse2, _mm_cmpgt_epi32, a, b);
        fn eq_f32(a: Floats, b: Floats) -> Ints = cast(halves!(self.0.sse, _mm_cmpeq_ps, a, b));
        fn gt_f32(a: Floats, b: Floats) -> Ints = cast(halves!(self.0.sse, _mm_cmpgt_ps, a, b));
        fn ge_f32(a: Floats, b: Floats) -> Ints = cast(halves!(self.0.sse, _mm_cmpge_ps, a, b));
        fn min(a: Ints, b: Ints) -> Ints = halves!(self.0.sse4_1, _mm_min_epi32, a, b);
        fn max(a: Ints, b: Ints) -> Ints = halves!(self.0.sse4_1, _mm_max_epi32, a, b);

        fn mask_and(m: Ints, n: Ints) -> Ints = halves!(self.0.sse2, _mm_and_si128, m, n);
        fn mask_or(m: Ints, n: Ints) -> Ints = halves!(self.0.sse2, _mm_or_si128, m, n);
        fn mask_and_not(m: Ints, n: Ints) -> Ints = halves!(self.0.sse2, _mm_andnot_si128, n, m);
        fn select(m: Ints, a: Ints, b: Ints) -> Ints =
            halves!(self.0.sse4_1, _mm_blendv_epi8, b, a, m);
        fn mask_to_i32(m: Ints) -> Ints = m;

        fn add(a: Ints, b: Ints) -> Ints = halves!(self.0.sse2, _mm_add_epi32, a, b);
        fn sub(a: Ints, b: Ints) -> Ints = halves!(self.0.sse2, _mm_sub_epi32, a, b);
        fn and(a: Ints, b: Ints) -> Ints = halves!(self.0.sse2, _mm_and_si128, a, b);
        fn or(a: Ints, b: Ints) -> Ints = halves!(self.0.sse2, _mm_or_si128, a, b);
        fn xor(a: Ints, b: Ints) -> Ints = halves!(self.0.sse2, _mm_xor_si128, a, b);
        fn shl(a: Ints, n: u32) -> Ints = halves!(self.0.sse2, _mm_sll_epi32, a; self.count(n));
        fn shr(a: Ints, n: u32) -> Ints = halves!(self.0.sse2, _mm_sra_epi32, a; self.count(n));
        fn shr_logical(a: Ints, n: u32) -> Ints =
            halves!(self.0.sse2, _mm_srl_epi32, a; self.count(n));

        fn add_f32(a: Floats, b: Floats) -> Floats = halves!(self.0.sse, _mm_add_ps, a, b);
        fn sub_f32(a: Floats, b: Floats) -> Floats = halves!(self.0.sse, _mm_sub_ps, a, b);
        fn mul_f32(a: Floats, b: Floats) -> Floats = halves!(self.0.sse, _mm_mul_ps, a, b);
        fn floor(a: Floats) -> Floats = halves!(self.0.sse4_1, _mm_floor_ps, a);
        fn to_f32(a: Ints) -> Floats = halves!(self.0.sse2, _mm_cvtepi32_ps, a);
        fn truncate(a: Floats) -> Ints = halves!(self.0.sse2, _mm_cvttps_epi32, a);
        fn f32_to_bits(a: Floats) -> Ints = cast(a);
        fn f32_from_bits(a: Ints) -> Floats = cast(a);
    }

    #[inline(always)]
    fn select_f32(self, m: Ints, a: Floats, b: Floats) -> Floats {
        let m: Floats = cast(m);
        halves!(self.0.sse4_1, _mm_blendv_ps, b, a, m)
    }
    #[inline(always)]
    fn prefetch<T: Copy>(self, slice: &[T], at: usize) {
        self.0.sse._mm_prefetch::<_MM_HINT_T0>(slice.as_ptr().wrapping_add(at).cast());
    }
    #[inline(always)]
    fn prefetch_address(self, address: usize) {
        self.0.sse._mm_prefetch::<_MM_HINT_T0>(core::ptr::without_provenance(address));
    }
    #[inline(always)]
    fn movemask(self, m: Ints) -> HitMask {
        let m: Floats = cast(m);
        let [low, high] = halves!(self.0.sse, _mm_movemask_ps, m);
        HitMask((low | high << 4) as u8)
    }
    #[inline(always)]
    fn movemask_of_four(self, masks: [Ints; 4]) -> u32 {
        let sse2 = self.0.sse2;
        let [[a, b], [c, d], [e, f], [g, h]] = masks;
        let (ab, cd) = (sse2._mm_packs_epi32(a, b), sse2._mm_packs_epi32(c, d));
        let (ef, gh) = (sse2._mm_packs_epi32(e, f), sse2._mm_packs_epi32(g, h));
        let (ab, cd) = (sse2._mm_packs_epi16(ab, cd), sse2._mm_packs_epi16(ef, gh));
        (sse2._mm_movemask_epi8(ab) | sse2._mm_movemask_epi8(cd) << 16) as u32
    }
    #[inline(always)]
    fn deinterleave(self, low: Ints, high: Ints) -> (Ints, Ints) {
        let (low, high): (Floats, Floats) = (cast(low), cast(high));
        let sse = self.0.sse;
        let even = [
            sse._mm_shuffle_ps::<0b10_00_10_00>(low[0], low[1]),
            sse._mm_shuffle_ps::<0b10_00_10_00>(high[0], high[1]),
        ];
        let odd = [
            sse._mm_shuffle_ps::<0b11_01_11_01>(low[0], low[1]),
            sse._mm_shuffle_ps::<0b11_01_11_01>(high[0], high[1]),
        ];
        (cast(even), cast(odd))
    }
    #[inline(always)]
    fn interleave(self, x: Ints, y: Ints) -> (Ints, Ints) {
        let sse2 = self.0.sse2;
        (
            [sse2._mm_unpacklo_epi32(x[0], y[0]), sse2._mm_unpackhi_epi32(x[0], y[0])],
            [sse2._mm_unpacklo_epi32(x[1], y[1]), sse2._mm_unpackhi_epi32(x[1], y[1])],
        )
    }
}
