//! The AVX2 backend: `pulp`'s V3 token, one register per vector.
//!
//! Uses the token's safe intrinsic methods (except in `gather`), not the trait `pulp::Simd`, which
//! has no bit masks and some default methods that are not inlined.

use core::arch::x86_64::{
    __m128i, __m256, __m256i, _CMP_EQ_OQ, _CMP_GE_OQ, _CMP_GT_OQ, _MM_HINT_T0,
};

use pulp::cast;
use pulp::x86::V3;

use super::{COMPRESS_TABLE, LANES, Lanes, gather, sealed};
use crate::{BackendKind, HitMask};

/// The token of the AVX2 backend: proof that the CPU has x86-64-v3.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2(pub(crate) V3);

impl sealed::Sealed for Avx2 {}

type Ints = __m256i;
type Floats = __m256;

impl Avx2 {
    /// Converts a number of bits to an operand of shifts.
    #[inline(always)]
    fn count(self, n: u32) -> __m128i {
        self.0.sse2._mm_cvtsi32_si128((n % 32) as i32)
    }

    #[inline(always)]
    fn bytes_to_lanes(self, numbers: &[u8; LANES]) -> __m256i {
        self.0.avx2._mm256_cvtepu8_epi32(cast([u64::from_le_bytes(*numbers), 0]))
    }
}

impl Lanes for Avx2 {
    const KIND: BackendKind = BackendKind::Avx2;

    type I = Ints;
    type F = Floats;
    /// True is a negative number, false is 0. Most instructions read only the sign bit of a lane,
    /// so masks can be combined by addition ([`Lanes::mask_or`]).
    type M = Ints;

    operations! { self:
        fn load(block: &[i32; LANES]) -> Ints = cast(*block);
        fn load_f32(block: &[f32; LANES]) -> Floats = cast(*block);
        fn store(v: Ints) -> [i32; LANES] = cast(v);
        fn store_f32(v: Floats) -> [f32; LANES] = cast(v);
        fn splat(n: i32) -> Ints = self.0.avx._mm256_set1_epi32(n);
        fn splat_f32(x: f32) -> Floats = self.0.avx._mm256_set1_ps(x);
        fn gather(slice: &[u32], indices: Ints) -> Ints = gather::gather(self.0, slice, indices);

        fn eq(a: Ints, b: Ints) -> Ints = self.0.avx2._mm256_cmpeq_epi32(a, b);
        fn gt(a: Ints, b: Ints) -> Ints = self.0.avx2._mm256_cmpgt_epi32(a, b);
        fn eq_f32(a: Floats, b: Floats) -> Ints =
            cast(self.0.avx._mm256_cmp_ps::<_CMP_EQ_OQ>(a, b));
        fn gt_f32(a: Floats, b: Floats) -> Ints =
            cast(self.0.avx._mm256_cmp_ps::<_CMP_GT_OQ>(a, b));
        fn ge_f32(a: Floats, b: Floats) -> Ints =
            cast(self.0.avx._mm256_cmp_ps::<_CMP_GE_OQ>(a, b));
        fn min(a: Ints, b: Ints) -> Ints = self.0.avx2._mm256_min_epi32(a, b);
        fn max(a: Ints, b: Ints) -> Ints = self.0.avx2._mm256_max_epi32(a, b);
        fn min_max_unsigned(a: Ints, b: Ints) -> (Ints, Ints) =
            (self.0.avx2._mm256_min_epu32(a, b), self.0.avx2._mm256_max_epu32(a, b));

        fn movemask(m: Ints) -> HitMask = HitMask(self.0.avx._mm256_movemask_ps(cast(m)) as u8);
        fn mask_and(m: Ints, n: Ints) -> Ints = self.0.avx2._mm256_and_si256(m, n);
        fn select(m: Ints, a: Ints, b: Ints) -> Ints = cast(self.select_f32(m, cast(a), cast(b)));
        fn select_f32(m: Ints, a: Floats, b: Floats) -> Floats =
            self.0.avx._mm256_blendv_ps(b, a, cast(m));
        fn mask_to_i32(m: Ints) -> Ints = self.0.avx2._mm256_srai_epi32::<31>(m);

        fn add(a: Ints, b: Ints) -> Ints = self.0.avx2._mm256_add_epi32(a, b);
        fn sub(a: Ints, b: Ints) -> Ints = self.0.avx2._mm256_sub_epi32(a, b);
        fn and(a: Ints, b: Ints) -> Ints = self.0.avx2._mm256_and_si256(a, b);
        fn or(a: Ints, b: Ints) -> Ints = self.0.avx2._mm256_or_si256(a, b);
        fn xor(a: Ints, b: Ints) -> Ints = self.0.avx2._mm256_xor_si256(a, b);
        fn shl(a: Ints, n: u32) -> Ints = self.0.avx2._mm256_sll_epi32(a, self.count(n));
        fn shr(a: Ints, n: u32) -> Ints = self.0.avx2._mm256_sra_epi32(a, self.count(n));
        fn shr_logical(a: Ints, n: u32) -> Ints = self.0.avx2._mm256_srl_epi32(a, self.count(n));

        fn add_f32(a: Floats, b: Floats) -> Floats = self.0.avx._mm256_add_ps(a, b);
        fn sub_f32(a: Floats, b: Floats) -> Floats = self.0.avx._mm256_sub_ps(a, b);
        fn mul_f32(a: Floats, b: Floats) -> Floats = self.0.avx._mm256_mul_ps(a, b);
        fn floor(a: Floats) -> Floats = self.0.avx._mm256_floor_ps(a);
        fn to_f32(a: Ints) -> Floats = self.0.avx._mm256_cvtepi32_ps(a);
        fn truncate(a: Floats) -> Ints = self.0.avx._mm256_cvttps_epi32(a);
        fn f32_to_bits(a: Floats) -> Ints = cast(a);
        fn f32_from_bits(a: Ints) -> Floats = cast(a);

        fn compress(v: Ints, hits: HitMask) -> Ints =
            self.0.avx2._mm256_permutevar8x32_epi32(v, self.lane_indices(hits));
        fn lane_indices(hits: HitMask) -> Ints =
            self.bytes_to_lanes(&COMPRESS_TABLE[hits.0 as usize]);
        fn lane_indices_twice(hits: HitMask) -> Ints = cast(INDICES_TWICE.0[hits.0 as usize]);
        fn compress_for_zip(v: Ints, hits: HitMask) -> Ints =
            self.0.avx2._mm256_permutevar8x32_epi32(v, self.lane_indices_for_zip(hits));
        fn lane_indices_for_zip(hits: HitMask) -> Ints =
            self.bytes_to_lanes(&COMPRESS_FOR_ZIP[hits.0 as usize]);
    }

    #[inline(always)]
    fn has_fast_gather(self) -> bool {
        // The result is not stored in the token: a token of one byte cost 5 % in update walks.
        gather::is_fast()
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
    fn movemask_of_four(self, [a, b, c, d]: [Ints; 4]) -> u32 {
        let avx2 = self.0.avx2;
        let (ab, cd) = (avx2._mm256_packs_epi32(a, b), avx2._mm256_packs_epi32(c, d));
        // Each group of four bytes belongs to one mask; those of the upper lanes are in the upper
        // half. The permutation puts both groups of a mask next to each other.
        let halves = avx2._mm256_packs_epi16(ab, cd);
        let order = cast([0, 4, 1, 5, 2, 6, 3, 7i32]);
        let whole = avx2._mm256_permutevar8x32_epi32(halves, order);
        avx2._mm256_movemask_epi8(whole) as u32
    }
    #[inline(always)]
    fn mask_or(self, m: Ints, n: Ints) -> Ints {
        // Use an addition: compilers turn `or` of comparisons into operations on single bits, and
        // then need two shifts to spread the bits over the lanes again.
        self.0.avx2._mm256_add_epi32(m, n)
    }
    #[inline(always)]
    fn mask_and_not(self, m: Ints, n: Ints) -> Ints {
        // Use a blend by the sign of `n` instead of `andnot`. Masks may be sums of masks: if `n` is
        // a negative sum with clear bits, `andnot` would not clear these bits of `m`.
        cast(self.0.avx._mm256_blendv_ps(cast(m), self.0.avx._mm256_setzero_ps(), cast(n)))
    }
    #[inline(always)]
    fn deinterleave(self, low: Ints, high: Ints) -> (Ints, Ints) {
        let (low, high): (__m256, __m256) = (cast(low), cast(high));
        // Shuffles stay within 128 bits: `even` is x0 x1 x4 x5 x2 x3 x6 x7. The permutation of
        // 64-bit pairs restores the order.
        let even = self.0.avx._mm256_shuffle_ps::<0b10_00_10_00>(low, high);
        let odd = self.0.avx._mm256_shuffle_ps::<0b11_01_11_01>(low, high);
        let avx2 = self.0.avx2;
        (
            avx2._mm256_permute4x64_epi64::<0b11_01_10_00>(cast(even)),
            avx2._mm256_permute4x64_epi64::<0b11_01_10_00>(cast(odd)),
        )
    }
    #[inline(always)]
    fn interleave(self, x: Ints, y: Ints) -> (Ints, Ints) {
        let avx2 = self.0.avx2;
        let (low, high) = (avx2._mm256_unpacklo_epi32(x, y), avx2._mm256_unpackhi_epi32(x, y));
        (
            avx2._mm256_permute2x128_si256::<0x20>(low, high),
            avx2._mm256_permute2x128_si256::<0x31>(low, high),
        )
    }
    #[inline(always)]
    fn transpose(self, rows: [Ints; LANES]) -> [Ints; LANES] {
        // Interleave the numbers of two rows, then pairs of numbers of four rows, then swap halves
        // of 128 bits: 24 instructions. (Three interleavings of all vectors: 48.)
        let avx2 = self.0.avx2;
        let (mut twos, mut fours, mut columns) = (rows, rows, rows);
        let mut row = 0;
        while row < LANES {
            twos[row] = avx2._mm256_unpacklo_epi32(rows[row], rows[row + 1]);
            twos[row + 1] = avx2._mm256_unpackhi_epi32(rows[row], rows[row + 1]);
            row += 2;
        }
        row = 0;
        while row < LANES {
            fours[row] = avx2._mm256_unpacklo_epi64(twos[row], twos[row + 2]);
            fours[row + 1] = avx2._mm256_unpackhi_epi64(twos[row], twos[row + 2]);
            fours[row + 2] = avx2._mm256_unpacklo_epi64(twos[row + 1], twos[row + 3]);
            fours[row + 3] = avx2._mm256_unpackhi_epi64(twos[row + 1], twos[row + 3]);
            row += 4;
        }
        row = 0;
        while row < LANES / 2 {
            let (low, high) = (fours[row], fours[row + LANES / 2]);
            columns[row] = avx2._mm256_permute2x128_si256::<0x20>(low, high);
            columns[row + LANES / 2] = avx2._mm256_permute2x128_si256::<0x31>(low, high);
            row += 1;
        }
        columns
    }
    #[inline(always)]
    fn zip(self, x: Ints, y: Ints) -> [[u32; 2]; LANES] {
        let avx2 = self.0.avx2;
        cast([avx2._mm256_unpacklo_epi32(x, y), avx2._mm256_unpackhi_epi32(x, y)])
    }
    #[inline(always)]
    fn unzip(self, pairs: &[[u32; 2]; LANES]) -> (Ints, Ints) {
        let [low, high]: [__m256; 2] = cast(*pairs);
        (
            cast(self.0.avx._mm256_shuffle_ps::<0b10_00_10_00>(low, high)),
            cast(self.0.avx._mm256_shuffle_ps::<0b11_01_11_01>(low, high)),
        )
    }
}

/// [`COMPRESS_TABLE`] in the lane order of [`Lanes::zip`]. The two middle pairs of lanes are
/// swapped, because the unpack instructions of `zip` work within 128 bits.
static COMPRESS_FOR_ZIP: [[u8; LANES]; 256] = {
    let mut table = COMPRESS_TABLE;
    let mut mask = 0;
    while mask < 256 {
        let [a, b, c, d, e, f, g, h] = COMPRESS_TABLE[mask];
        table[mask] = [a, b, e, f, c, d, g, h];
        mask += 1;
    }
    table
};

/// Table of [`Lanes::lane_indices_twice`], 8 KiB; aligned, so no entry crosses a cache line.
#[repr(align(64))]
struct IndicesTwice([[i32; LANES]; 256]);

static INDICES_TWICE: IndicesTwice = {
    let mut table = [[0; LANES]; 256];
    let mut mask = 0;
    while mask < 256 {
        let mut slot = 0;
        while slot < LANES {
            table[mask][slot] = COMPRESS_TABLE[mask][slot] as i32 * 0x1_0001;
            slot += 1;
        }
        mask += 1;
    }
    IndicesTwice(table)
};
