//! Reads from eight indices of a slice at once, with the one instruction in all the libraries of this
//! workspace that takes `unsafe`.
//!
//! No safe function has it, of `core` or of `pulp`. With one read for each lane, a tick of the scene
//! `clustered:500000`, most of which goes into pairs, takes a seventh to a fifth longer.

use core::arch::x86_64::__m256i;

use pulp::cast;
use pulp::x86::V3;

use super::gather_scalar;

/// Whether to read eight at once is faster than to read one after the other.
///
/// Gathers gave secrets away on CPUs from Skylake to Tiger Lake, and since microcode mends that
/// (Intel-SA-00828) single reads are faster there. Those with AVX-VNNI came later.
#[inline(always)]
pub(super) fn is_fast() -> bool {
    cfg_if::cfg_if! {
        if #[cfg(feature = "std")] {
            std::is_x86_feature_detected!("avxvnni")
        } else {
            cfg!(target_feature = "avxvnni")
        }
    }
}

/// The numbers at eight indices of a slice, which are read as numbers without a sign.
///
/// # Panics
/// If the slice has not all of these indices.
#[inline(always)]
pub(super) fn gather(token: V3, slice: &[u32], indices: __m256i) -> __m256i {
    // The instruction reads indices as numbers with a sign: it must not see any from 2^31 on.
    let last = slice.len().min(i32::MAX as usize) as i32 - 1;
    let left = token.avx2._mm256_sub_epi32(token.avx._mm256_set1_epi32(last), indices);
    // Negative are indices too large for a sign, and what is left after others that are behind the
    // last: the difference of two numbers that are not negative, or of −1 and such a one, is exact.
    let outside = token.avx2._mm256_or_si256(indices, left);
    if token.avx._mm256_movemask_ps(cast(outside)) != 0 {
        // There are no such indices, or the slice is longer than most memories.
        return cast(gather_scalar(slice, cast(indices)));
    }
    #[expect(unsafe_code, reason = "no safe function has this instruction; indices are checked")]
    // SAFETY: no lane of `outside` is negative, so each of `indices` is in 0..=last, and therefore
    // in the slice. Of each the four bytes from `4 * place` on are read, those of a `u32`, of which
    // any is an `i32`. The token proves that the CPU has the instruction.
    unsafe {
        token.avx2._mm256_i32gather_epi32::<4>(slice.as_ptr().cast(), indices)
    }
}
