//! The trait [`Lanes`] with the operations of kernels, and one file for each backend.
//!
//! ```text
//!   backend   file        eight i32         a mask                      instructions
//!   scalar    scalar.rs   [i32; 8]          [bool; 8]                   chosen by the compiler
//!   wide      wide.rs     i32x8             i32x8: −1 or 0              of the build target
//!   sse41     sse41.rs    [__m128i; 2]      [__m128i; 2]: −1 or 0       x86-64-v2
//!   avx2      avx2.rs     __m256i           __m256i: negative or 0      x86-64-v3
//!             gather.rs   the gather of avx2, the only unsafe code
//! ```

use core::fmt::Debug;
use core::hint::black_box;

use crate::{BackendKind, HitMask, array_of};

/// Defines operations of [`Lanes`] whose result is one expression, such as one instruction.
macro_rules! operations {
    ($token:ident: $(fn $name:ident($($v:ident: $V:ty),+) -> $Result:ty = $result:expr;)+) => {$(
        #[inline(always)]
        fn $name($token, $($v: $V),+) -> $Result {
            $result
        }
    )+};
}

cfg_if::cfg_if! {
    if #[cfg(feature = "wide")] {
        mod wide;
        pub(crate) use wide::Wide;
    }
}
cfg_if::cfg_if! {
    if #[cfg(all(feature = "pulp", target_arch = "x86_64"))] {
        mod avx2;
        mod gather;
        mod sse41;
        pub(crate) use avx2::Avx2;
        pub(crate) use sse41::Sse41;
    }
}
mod scalar;
pub(crate) use scalar::Plain;

/// The number of lanes, on every backend.
pub const LANES: usize = 8;

pub(crate) mod sealed {
    pub trait Sealed {}
}

/// Operations on eight logical lanes of `i32` and `f32`, independent of the hardware.
///
/// A value of an implementing type is a token: it exists only if the CPU has the instructions, so
/// no operation is `unsafe`. Only [`Backend::dispatch`] creates tokens, and the trait is sealed.
///
/// Every operation returns the same bits on every backend: in each lane, the result of the scalar
/// code in its documentation. Exceptions are the payload and sign of a NaN result, lanes documented
/// as unspecified, and the lane order of vectors compressed for [`zip`](Self::zip).
///
/// [`Backend::dispatch`]: crate::Backend::dispatch
pub trait Lanes: Copy + Debug + Send + Sync + sealed::Sealed + 'static {
    /// The backend of these lanes.
    const KIND: BackendKind;

    /// A vector of eight `i32`.
    type I: Copy;
    /// A vector of eight `f32`.
    type F: Copy;
    /// A mask: eight truth values.
    type M: Copy;

    /// Loads the eight integers of a block.
    fn load(self, block: &[i32; LANES]) -> Self::I;
    /// Loads the eight floats of a block.
    fn load_f32(self, block: &[f32; LANES]) -> Self::F;
    /// Returns the lanes as a block.
    fn store(self, v: Self::I) -> [i32; LANES];
    /// Returns the lanes as a block.
    fn store_f32(self, v: Self::F) -> [f32; LANES];

    /// Loads the integers `at..at + 8` of a slice; `at` need not be aligned to a block.
    ///
    /// # Panics
    /// If the slice ends before `at + 8`.
    #[inline(always)]
    fn load_at(self, slice: &[i32], at: usize) -> Self::I {
        self.load(
            slice[at..].first_chunk().expect("the slice has at least 8 integers from `at` on"),
        )
    }

    /// Writes the lanes to `at..at + 8` of a slice; `at` need not be aligned to a block.
    ///
    /// # Panics
    /// If the slice ends before `at + 8`.
    #[inline(always)]
    fn store_at(self, v: Self::I, slice: &mut [i32], at: usize) {
        let block =
            slice[at..].first_chunk_mut().expect("the slice has at least 8 integers from `at` on");
        *block = self.store(v);
    }

    /// Returns whether [`gather`](Self::gather) is faster than eight single reads on this CPU.
    #[inline(always)]
    fn has_fast_gather(self) -> bool {
        false
    }

    /// Loads the numbers at eight indices of a slice, as integers with the same bits. Indices are
    /// unsigned (x86: `vpgatherdd`).
    ///
    /// # Panics
    /// If an index is outside the slice.
    #[inline(always)]
    fn gather(self, slice: &[u32], indices: Self::I) -> Self::I {
        self.load(&gather_scalar(slice, self.store(indices)))
    }

    /// Prefetches the cache line at an index of a slice, which may be past the end. Backends
    /// without a prefetch instruction (`prefetcht0`) read the element instead, if it exists.
    #[inline(always)]
    fn prefetch<T: Copy>(self, slice: &[T], at: usize) {
        if let Some(&item) = slice.get(at) {
            black_box(item);
        }
    }

    /// Prefetches the cache line of an address, which need not be valid. Backends without a
    /// prefetch instruction do nothing.
    #[inline(always)]
    fn prefetch_address(self, address: usize) {
        let _ = address;
    }

    /// Returns `n` in every lane.
    fn splat(self, n: i32) -> Self::I;
    /// Returns `x` in every lane.
    fn splat_f32(self, x: f32) -> Self::F;

    /// Compares `a == b`.
    fn eq(self, a: Self::I, b: Self::I) -> Self::M;
    /// Compares `a > b`.
    fn gt(self, a: Self::I, b: Self::I) -> Self::M;
    /// Compares `a == b`; false if either is NaN.
    fn eq_f32(self, a: Self::F, b: Self::F) -> Self::M;
    /// Compares `a > b`; false if either is NaN.
    fn gt_f32(self, a: Self::F, b: Self::F) -> Self::M;
    /// Compares `a >= b`; false if either is NaN.
    fn ge_f32(self, a: Self::F, b: Self::F) -> Self::M;
    /// Returns the smaller of the two integers.
    fn min(self, a: Self::I, b: Self::I) -> Self::I;
    /// Returns the larger of the two integers.
    fn max(self, a: Self::I, b: Self::I) -> Self::I;
    /// Returns the smaller and the larger of the two integers, compared as unsigned.
    #[inline(always)]
    fn min_max_unsigned(self, a: Self::I, b: Self::I) -> (Self::I, Self::I) {
        let sign = self.splat(i32::MIN);
        let (a, b) = (self.xor(a, sign), self.xor(b, sign));
        (self.xor(self.min(a, b), sign), self.xor(self.max(a, b), sign))
    }

    /// Returns the truth values as one bit per lane, lane 0 lowest (x86: `movmskps`).
    fn movemask(self, m: Self::M) -> HitMask;
    /// Returns the truth values of four masks as the bytes of one `u32`, the first mask lowest.
    #[inline(always)]
    fn movemask_of_four(self, masks: [Self::M; 4]) -> u32 {
        let [a, b, c, d] = masks;
        let bits = [self.movemask(a), self.movemask(b), self.movemask(c), self.movemask(d)];
        u32::from_le_bytes(bits.map(|bits| bits.0))
    }
    /// Returns `m & n`.
    fn mask_and(self, m: Self::M, n: Self::M) -> Self::M;
    /// Returns `m | n`. Backends may add masks instead: unspecified if repeated calls combine 2^31
    /// or more masks, where a mask that is combined twice counts twice.
    fn mask_or(self, m: Self::M, n: Self::M) -> Self::M;
    /// Returns `m & !n`.
    fn mask_and_not(self, m: Self::M, n: Self::M) -> Self::M;
    /// Returns `a` in the lanes where `m` is true, else `b`.
    fn select(self, m: Self::M, a: Self::I, b: Self::I) -> Self::I;
    /// Returns `a` in the lanes where `m` is true, else `b`.
    fn select_f32(self, m: Self::M, a: Self::F, b: Self::F) -> Self::F;
    /// Returns −1 (all bits set) in the lanes where `m` is true, else 0.
    fn mask_to_i32(self, m: Self::M) -> Self::I;

    /// Returns `a.wrapping_add(b)`.
    fn add(self, a: Self::I, b: Self::I) -> Self::I;
    /// Returns `a.wrapping_sub(b)`.
    fn sub(self, a: Self::I, b: Self::I) -> Self::I;
    /// Returns `a & b`.
    fn and(self, a: Self::I, b: Self::I) -> Self::I;
    /// Returns `a | b`.
    fn or(self, a: Self::I, b: Self::I) -> Self::I;
    /// Returns `a ^ b`.
    fn xor(self, a: Self::I, b: Self::I) -> Self::I;
    /// Returns `a.wrapping_shl(n)`: shifts all lanes left by `n` modulo 32.
    fn shl(self, a: Self::I, n: u32) -> Self::I;
    /// Returns `a.wrapping_shr(n)`: shifts all lanes right by `n` modulo 32, copying the sign bit.
    fn shr(self, a: Self::I, n: u32) -> Self::I;
    /// Returns `(a as u32).wrapping_shr(n) as i32`: a shift right by `n` modulo 32, filling with
    /// zeros.
    fn shr_logical(self, a: Self::I, n: u32) -> Self::I;

    /// Returns `a + b`, rounded once.
    fn add_f32(self, a: Self::F, b: Self::F) -> Self::F;
    /// Returns `a - b`, rounded once.
    fn sub_f32(self, a: Self::F, b: Self::F) -> Self::F;
    /// Returns `a * b`, rounded once. There is no fused multiply-add: results would depend on the
    /// CPU.
    fn mul_f32(self, a: Self::F, b: Self::F) -> Self::F;
    /// Returns the largest integer not above `a`; infinities, NaN and −0 are unchanged.
    fn floor(self, a: Self::F) -> Self::F;

    /// Returns `a as f32`: rounded to nearest, ties to even.
    fn to_f32(self, a: Self::I) -> Self::F;
    /// Returns `a as i32` if the number fits, else (and for NaN) `i32::MIN` (x86: `cvttps2dq`).
    fn truncate(self, a: Self::F) -> Self::I;
    /// Returns the bits of `a` as integers.
    fn f32_to_bits(self, a: Self::F) -> Self::I;
    /// Returns the floats with the bits of `a`.
    fn f32_from_bits(self, a: Self::I) -> Self::F;

    /// Splits two vectors `x0 y0 x1 y1 …` into a vector of all `x` and a vector of all `y`.
    #[inline(always)]
    fn deinterleave(self, low: Self::I, high: Self::I) -> (Self::I, Self::I) {
        let (low, high) = (self.store(low), self.store(high));
        let of = |i: usize| if i < LANES { low[i] } else { high[i - LANES] };
        (self.load(&array_of(|i| of(2 * i))), self.load(&array_of(|i| of(2 * i + 1))))
    }
    /// Merges two vectors into `x0 y0 x1 y1 …`: the inverse of `deinterleave`.
    #[inline(always)]
    fn interleave(self, x: Self::I, y: Self::I) -> (Self::I, Self::I) {
        let (x, y) = (self.store(x), self.store(y));
        let of = |i: usize| if i.is_multiple_of(2) { x[i / 2] } else { y[i / 2] };
        (self.load(&array_of(of)), self.load(&array_of(|i| of(i + LANES))))
    }
    /// Transposes eight vectors: lane `i` of vector `j` becomes lane `j` of vector `i`.
    #[inline(always)]
    fn transpose(self, rows: [Self::I; LANES]) -> [Self::I; LANES] {
        // Three perfect shuffles of all 64 lanes.
        let (mut from, mut to) = (rows, rows);
        let mut round = 0;
        while round < 3 {
            let mut half = 0;
            while half < LANES / 2 {
                let (low, high) = self.interleave(from[half], from[half + LANES / 2]);
                (to[2 * half], to[2 * half + 1]) = (low, high);
                half += 1;
            }
            from = to;
            round += 1;
        }
        to
    }
    /// Moves the lanes in `hits` to the front, in lane order. The remaining lanes are unspecified.
    #[inline(always)]
    fn compress(self, v: Self::I, hits: HitMask) -> Self::I {
        let v = self.store(v);
        let order = &COMPRESS_TABLE[hits.0 as usize];
        self.load(&array_of(|i| v[order[i] as usize % LANES]))
    }
    /// Returns the indices of the lanes in `hits`, ascending, at the front; the rest is
    /// unspecified.
    #[inline(always)]
    fn lane_indices(self, hits: HitMask) -> Self::I {
        self.compress(self.load(&[0, 1, 2, 3, 4, 5, 6, 7]), hits)
    }
    /// Returns [`lane_indices`](Self::lane_indices) with each index `n` as `n << 16 | n`.
    #[inline(always)]
    fn lane_indices_twice(self, hits: HitMask) -> Self::I {
        let indices = self.lane_indices(hits);
        self.or(self.shl(indices, 16), indices)
    }

    /// Works like [`compress`](Self::compress), with lanes in the order that [`zip`](Self::zip)
    /// expects: each backend has an order for which `zip` needs no permutation.
    #[inline(always)]
    fn compress_for_zip(self, v: Self::I, hits: HitMask) -> Self::I {
        self.compress(v, hits)
    }
    /// Works like [`lane_indices`](Self::lane_indices), in the order that `zip` expects.
    #[inline(always)]
    fn lane_indices_for_zip(self, hits: HitMask) -> Self::I {
        self.lane_indices(hits)
    }
    /// Returns the pairs `[x, y]` of all lanes, as unsigned numbers with the same bits.
    ///
    /// The pairs are in lane order of the hits if both vectors were made by
    /// [`compress_for_zip`](Self::compress_for_zip) or
    /// [`lane_indices_for_zip`](Self::lane_indices_for_zip) with the same hits, or lane by lane
    /// from such vectors. Otherwise the order is unspecified.
    #[inline(always)]
    fn zip(self, x: Self::I, y: Self::I) -> [[u32; 2]; LANES] {
        let (x, y) = (self.store(x), self.store(y));
        let mut pairs = [[0; 2]; LANES];
        for (lane, pair) in pairs.iter_mut().enumerate() {
            *pair = [x[lane].cast_unsigned(), y[lane].cast_unsigned()];
        }
        pairs
    }
    /// Splits pairs into their first and their second numbers, in the lane order that
    /// [`zip`](Self::zip) expects: `zip` of the two restores the pairs.
    #[inline(always)]
    fn unzip(self, pairs: &[[u32; 2]; LANES]) -> (Self::I, Self::I) {
        let (mut x, mut y) = ([0; LANES], [0; LANES]);
        for (lane, pair) in pairs.iter().enumerate() {
            [x[lane], y[lane]] = pair.map(u32::cast_signed);
        }
        (self.load(&x), self.load(&y))
    }
}

/// Implements [`Lanes::gather`] with one read per lane.
#[inline(always)]
fn gather_scalar(slice: &[u32], indices: [i32; LANES]) -> [i32; LANES] {
    let mut numbers = indices;
    for number in &mut numbers {
        *number = slice[number.cast_unsigned() as usize].cast_signed();
    }
    numbers
}

/// Lookup table of `compress`: for each mask, the indices of its lanes, ascending, then zeros.
static COMPRESS_TABLE: [[u8; LANES]; 256] = {
    let mut table = [[0; LANES]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut lane, mut slot) = (0, 0);
        while lane < LANES {
            if mask >> lane & 1 == 1 {
                table[mask][slot] = lane as u8;
                slot += 1;
            }
            lane += 1;
        }
        mask += 1;
    }
    table
};
