//! The operations a kernel may use, and one file for each backend that provides them.

use core::fmt::Debug;
use core::hint::black_box;

use crate::{BackendKind, HitMask};

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

/// How many lanes there are, on every backend.
pub const LANES: usize = 8;

pub(crate) mod sealed {
    pub trait Sealed {}
}

/// Eight logical lanes of `i32` and `f32`, whatever the hardware.
///
/// A value of an implementing type is a token: holding it proves that the CPU runs its
/// instructions, so no operation is `unsafe`. Tokens come from [`Backend::dispatch`] alone; the
/// trait is sealed. Every operation gives the same bits on every backend, lane by lane as the
/// scalar code in its documentation; the exceptions are the payload and sign of a NaN result, lanes
/// that are said to be anything, and the order in which lanes wait for [`zip`](Self::zip).
///
/// [`Backend::dispatch`]: crate::Backend::dispatch
pub trait Lanes: Copy + Debug + Send + Sync + sealed::Sealed + 'static {
    /// Which backend these lanes are.
    const KIND: BackendKind;

    /// Eight `i32`.
    type I: Copy;
    /// Eight `f32`.
    type F: Copy;
    /// Eight truth values.
    type M: Copy;

    // ---- memory ---------------------------------------------------------------------------

    /// The eight integers of a block.
    fn load(self, block: &[i32; LANES]) -> Self::I;
    /// The eight floats of a block.
    fn load_f32(self, block: &[f32; LANES]) -> Self::F;
    /// The lanes as a block.
    fn store(self, v: Self::I) -> [i32; LANES];
    /// The lanes as a block.
    fn store_f32(self, v: Self::F) -> [f32; LANES];

    /// The integers `at..at + 8` of a slice, which need not be aligned to a block.
    ///
    /// # Panics
    /// If the slice ends before `at + 8`.
    #[inline(always)]
    fn load_at(self, slice: &[i32], at: usize) -> Self::I {
        self.load(slice[at..].first_chunk().expect("eight integers from the slot on"))
    }

    /// The floats `at..at + 8` of a slice, which need not be aligned to a block.
    ///
    /// # Panics
    /// If the slice ends before `at + 8`.
    #[inline(always)]
    fn load_f32_at(self, slice: &[f32], at: usize) -> Self::F {
        self.load_f32(slice[at..].first_chunk().expect("eight floats from the slot on"))
    }

    /// Writes the lanes to `at..at + 8` of a slice, which need not be aligned to a block.
    ///
    /// # Panics
    /// If the slice ends before `at + 8`.
    #[inline(always)]
    fn store_at(self, v: Self::I, slice: &mut [i32], at: usize) {
        let block = slice[at..].first_chunk_mut().expect("eight integers from the slot on");
        *block = self.store(v);
    }

    /// Writes the lanes to `at..at + 8` of a slice, which need not be aligned to a block.
    ///
    /// # Panics
    /// If the slice ends before `at + 8`.
    #[inline(always)]
    fn store_f32_at(self, v: Self::F, slice: &mut [f32], at: usize) {
        let block = slice[at..].first_chunk_mut().expect("eight floats from the slot on");
        *block = self.store_f32(v);
    }

    /// Whether [`gather`](Self::gather) is faster here than eight reads are. To be asked once in a
    /// kernel.
    #[inline(always)]
    fn has_fast_gather(self) -> bool {
        false
    }

    /// The numbers at eight indices of a slice, as integers with the same bits. Places are read as
    /// numbers without a sign.
    ///
    /// # Panics
    /// If the slice has not all of these indices.
    #[inline(always)]
    fn gather(self, slice: &[u32], indices: Self::I) -> Self::I {
        self.load(&gather_scalar(slice, self.store(indices)))
    }

    /// Asks for the memory around a slot of a slice, which will be read soon, and does not wait for
    /// it where the backend can do so. A slot behind the end, in room that will be written, may be
    /// asked for as well; nothing happens if there is none.
    #[inline(always)]
    fn prefetch<T: Copy>(self, slice: &[T], at: usize) {
        if let Some(&item) = slice.get(at) {
            black_box(item);
        }
    }

    /// `n` in every lane.
    fn splat(self, n: i32) -> Self::I;
    /// `x` in every lane.
    fn splat_f32(self, x: f32) -> Self::F;

    // ---- compare --------------------------------------------------------------------------

    /// `a == b`.
    fn eq(self, a: Self::I, b: Self::I) -> Self::M;
    /// `a > b`.
    fn gt(self, a: Self::I, b: Self::I) -> Self::M;
    /// `a == b`; false where either is NaN.
    fn eq_f32(self, a: Self::F, b: Self::F) -> Self::M;
    /// `a > b`; false where either is NaN.
    fn gt_f32(self, a: Self::F, b: Self::F) -> Self::M;
    /// `a >= b`; false where either is NaN.
    fn ge_f32(self, a: Self::F, b: Self::F) -> Self::M;
    /// The smaller of the two.
    fn min(self, a: Self::I, b: Self::I) -> Self::I;
    /// The larger of the two.
    fn max(self, a: Self::I, b: Self::I) -> Self::I;
    /// The smaller and the larger of the two, read as numbers without a sign.
    #[inline(always)]
    fn min_max_unsigned(self, a: Self::I, b: Self::I) -> (Self::I, Self::I) {
        let sign = self.splat(i32::MIN);
        let (a, b) = (self.xor(a, sign), self.xor(b, sign));
        (self.xor(self.min(a, b), sign), self.xor(self.max(a, b), sign))
    }

    // ---- masks ----------------------------------------------------------------------------

    /// The truth values as one bit a lane, lane 0 lowest.
    fn movemask(self, m: Self::M) -> HitMask;
    /// The truth values of four masks as the bytes of one word, the first lowest.
    #[inline(always)]
    fn movemask_of_four(self, masks: [Self::M; 4]) -> u32 {
        let [a, b, c, d] = masks;
        let bits = [self.movemask(a), self.movemask(b), self.movemask(c), self.movemask(d)];
        u32::from_le_bytes(bits.map(|bits| bits.0))
    }
    /// Both.
    fn mask_and(self, m: Self::M, n: Self::M) -> Self::M;
    /// One or both. What is made of 2^31 masks or more, one counted as often as it is in it, is
    /// anything: a backend may add them up.
    fn mask_or(self, m: Self::M, n: Self::M) -> Self::M;
    /// `m` and not `n`.
    fn mask_and_not(self, m: Self::M, n: Self::M) -> Self::M;
    /// `a` where `m` holds, else `b`.
    fn select(self, m: Self::M, a: Self::I, b: Self::I) -> Self::I;
    /// `a` where `m` holds, else `b`.
    fn select_f32(self, m: Self::M, a: Self::F, b: Self::F) -> Self::F;
    /// −1 (all bits) where `m` holds, else 0.
    fn mask_to_i32(self, m: Self::M) -> Self::I;

    // ---- integers -------------------------------------------------------------------------

    /// `a.wrapping_add(b)`.
    fn add(self, a: Self::I, b: Self::I) -> Self::I;
    /// `a.wrapping_sub(b)`.
    fn sub(self, a: Self::I, b: Self::I) -> Self::I;
    /// `a & b`.
    fn and(self, a: Self::I, b: Self::I) -> Self::I;
    /// `a | b`.
    fn or(self, a: Self::I, b: Self::I) -> Self::I;
    /// `a ^ b`.
    fn xor(self, a: Self::I, b: Self::I) -> Self::I;
    /// `a.wrapping_shl(n)`: to the left by `n` modulo 32, the same for all lanes.
    fn shl(self, a: Self::I, n: u32) -> Self::I;
    /// `a.wrapping_shr(n)`: to the right by `n` modulo 32, copies of the sign coming in.
    fn shr(self, a: Self::I, n: u32) -> Self::I;
    /// `(a as u32).wrapping_shr(n) as i32`: to the right by `n` modulo 32, zeros coming in.
    fn shr_logical(self, a: Self::I, n: u32) -> Self::I;

    // ---- floats ---------------------------------------------------------------------------

    /// `a + b`, rounded once.
    fn add_f32(self, a: Self::F, b: Self::F) -> Self::F;
    /// `a - b`, rounded once.
    fn sub_f32(self, a: Self::F, b: Self::F) -> Self::F;
    /// `a * b`, rounded once. There is no fused multiply-add: it differs between machines.
    fn mul_f32(self, a: Self::F, b: Self::F) -> Self::F;
    /// The largest integer not above `a`; infinities, NaN and −0 stay as they are.
    fn floor(self, a: Self::F) -> Self::F;

    // ---- conversions ----------------------------------------------------------------------

    /// `a as f32`: rounded to nearest, ties to even.
    fn to_f32(self, a: Self::I) -> Self::F;
    /// `a as i32`: towards zero, the ends of the range beyond it, 0 for NaN.
    fn to_i32(self, a: Self::F) -> Self::I;
    /// `a as i32` where that fits and `i32::MIN` where it does not, NaN included: what x86 does,
    /// and so cheaper than [`to_i32`](Self::to_i32).
    fn truncate(self, a: Self::F) -> Self::I;
    /// The bits of `a` read as integers.
    fn f32_to_bits(self, a: Self::F) -> Self::I;
    /// The floats with the bits of `a`.
    fn f32_from_bits(self, a: Self::I) -> Self::F;

    // ---- lanes among each other -----------------------------------------------------------

    /// The even and the odd ones of sixteen numbers: of `x0 y0 x1 y1 …` in two vectors all the
    /// `x` and all the `y`.
    fn deinterleave(self, low: Self::I, high: Self::I) -> (Self::I, Self::I);
    /// The inverse of [`deinterleave`](Self::deinterleave).
    fn interleave(self, x: Self::I, y: Self::I) -> (Self::I, Self::I);
    /// The lanes that `hits` names, moved to the front in their order; the others are anything.
    fn compress(self, v: Self::I, hits: HitMask) -> Self::I;
    /// What [`compress`](Self::compress) makes of `[0, 1, 2, 3, 4, 5, 6, 7]`, for less.
    #[inline(always)]
    fn lane_indices(self, hits: HitMask) -> Self::I {
        self.compress(self.load(&[0, 1, 2, 3, 4, 5, 6, 7]), hits)
    }
    /// As [`lane_indices`](Self::lane_indices), each in both halves of its lane: `n << 16 | n`.
    #[inline(always)]
    fn lane_indices_twice(self, hits: HitMask) -> Self::I {
        let numbers = self.lane_indices(hits);
        self.or(self.shl(numbers, 16), numbers)
    }

    /// As [`compress`](Self::compress), but in the order from which [`zip`](Self::zip) makes pairs.
    #[inline(always)]
    fn compress_for_zip(self, v: Self::I, hits: HitMask) -> Self::I {
        self.compress(v, hits)
    }
    /// As [`lane_indices`](Self::lane_indices), but in the order from which [`zip`](Self::zip) makes pairs.
    #[inline(always)]
    fn lane_indices_for_zip(self, hits: HitMask) -> Self::I {
        self.lane_indices(hits)
    }
    /// The pairs `[x, y]` of each lane, as numbers without a sign that have the same bits. Of two
    /// vectors compressed with the same hits by [`compress_for_zip`](Self::compress_for_zip) or
    /// [`lane_indices_for_zip`](Self::lane_indices_for_zip), or made of such ones lane by lane, the pairs are
    /// in the order of the lanes that hit; of others in any order.
    #[inline(always)]
    fn zip(self, x: Self::I, y: Self::I) -> [[u32; 2]; LANES] {
        let (x, y) = (self.store(x), self.store(y));
        let mut pairs = [[0; 2]; LANES];
        for (lane, pair) in pairs.iter_mut().enumerate() {
            *pair = [x[lane].cast_unsigned(), y[lane].cast_unsigned()];
        }
        pairs
    }
    /// The first and the second numbers of pairs, in the order from which [`zip`](Self::zip) makes
    /// the same pairs again.
    #[inline(always)]
    fn unzip(self, pairs: &[[u32; 2]; LANES]) -> (Self::I, Self::I) {
        let (mut x, mut y) = ([0; LANES], [0; LANES]);
        for (lane, pair) in pairs.iter().enumerate() {
            [x[lane], y[lane]] = pair.map(u32::cast_signed);
        }
        (self.load(&x), self.load(&y))
    }
}

/// [`Lanes::gather`], with one read for each lane.
#[inline(always)]
fn gather_scalar(slice: &[u32], indices: [i32; LANES]) -> [i32; LANES] {
    let mut numbers = indices;
    for number in &mut numbers {
        *number = slice[number.cast_unsigned() as usize].cast_signed();
    }
    numbers
}

/// For each of the 256 masks the lanes it names, in order, then lane numbers that are not used.
#[cfg(any(feature = "wide", all(feature = "pulp", target_arch = "x86_64")))]
pub(crate) static COMPRESS_TABLE: [[u8; LANES]; 256] = {
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
