//! One plane of numbers, padded to whole blocks and aligned to cache lines.
//!
//! ```text
//!   │ cache line                    │                               │
//!   │          skew │ block 0       │ block 1       │ block 2       │
//!       - - - - - - [ · · · · · · · · ][ · · · · · · · · ][ …
//! ```
//!
//! A `Vec<i32>` is not aligned to cache lines; in practice it begins 16 bytes into a line, and
//! every second load of eight numbers reads two lines: scans of cached data took 15 to 20 % longer.
//! Therefore up to 15 numbers at the front (`skew`) are left unused.

use alloc::collections::TryReserveError;
use alloc::vec::Vec;
use core::fmt;

use simd_lanes::LANES;

/// Size of a cache line in bytes, the alignment of the first block.
const CACHE_LINE: usize = 64;

const NUMBERS_PER_LINE: usize = CACHE_LINE / size_of::<i32>();

/// A growable array of blocks of eight numbers.
pub(crate) struct Plane {
    /// `skew` unused numbers, then the blocks.
    numbers: Vec<i32>,
    skew: usize,
}

impl Plane {
    pub(crate) const fn new() -> Self {
        Self { numbers: Vec::new(), skew: 0 }
    }

    /// Returns all numbers, including padding.
    #[inline(always)]
    pub(crate) fn as_slice(&self) -> &[i32] {
        &self.numbers[self.skew..]
    }

    #[inline(always)]
    pub(crate) fn as_mut_slice(&mut self) -> &mut [i32] {
        &mut self.numbers[self.skew..]
    }

    /// Appends a block of eight equal numbers.
    #[inline]
    pub(crate) fn push_block(&mut self, number: i32) {
        if self.numbers.capacity() - self.numbers.len() < LANES {
            self.grow(LANES).expect("allocation of another block");
        }
        self.numbers.resize(self.numbers.len() + LANES, number);
    }

    pub(crate) fn truncate(&mut self, len: usize) {
        self.numbers.truncate(self.skew + len);
    }

    /// Reserves capacity for `additional` more numbers.
    ///
    /// # Errors
    /// If allocation fails. On error the plane is unchanged.
    pub(crate) fn try_reserve(&mut self, additional: usize) -> Result<(), TryReserveError> {
        let enough = self.numbers.capacity() - self.numbers.len() >= additional;
        if enough { Ok(()) } else { self.grow(additional) }
    }

    pub(crate) const fn memory_use(&self) -> usize {
        self.numbers.capacity() * size_of::<i32>()
    }

    /// Moves to a smaller allocation; if it fails, the plane is unchanged.
    pub(crate) fn shrink_to_fit(&mut self) {
        let len = self.as_slice().len();
        let mut shrunk = Self::new();
        if self.numbers.capacity() > len + NUMBERS_PER_LINE
            && (len == 0 || shrunk.grow(len).is_ok())
        {
            shrunk.numbers.extend_from_slice(self.as_slice());
            *self = shrunk;
        }
    }

    fn grow(&mut self, additional: usize) -> Result<(), TryReserveError> {
        // Allocates at least twice the current length, so appending is amortized O(1).
        let len = self.as_slice().len();
        let capacity = len.saturating_add(additional.max(len)).saturating_add(NUMBERS_PER_LINE);
        let mut moved: Vec<i32> = Vec::new();
        moved.try_reserve_exact(capacity)?;
        // `align_offset` may return `usize::MAX` if it cannot align; then the plane is unaligned.
        let skew = moved.as_ptr().align_offset(CACHE_LINE);
        let skew = if skew < NUMBERS_PER_LINE { skew } else { 0 };
        moved.resize(skew, 0);
        moved.extend_from_slice(self.as_slice());
        *self = Self { numbers: moved, skew };
        Ok(())
    }
}

impl Clone for Plane {
    fn clone(&self) -> Self {
        let mut copy = Self::new();
        copy.grow(self.as_slice().len()).expect("allocation of a copy");
        copy.numbers.extend_from_slice(self.as_slice());
        copy
    }
}

impl fmt::Debug for Plane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_slice().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_stay_aligned_while_a_plane_grows() {
        let mut plane = Plane::new();
        for block in 0..1_000 {
            plane.push_block(block);
            assert_eq!(plane.as_slice().as_ptr().addr() % CACHE_LINE, 0);
        }
        let copy = plane.clone();
        assert_eq!(copy.as_slice().as_ptr().addr() % CACHE_LINE, 0);
        assert_eq!(copy.as_slice(), plane.as_slice());
        assert!((0..8_000).all(|i| plane.as_slice()[i] == i as i32 / 8));
        plane.truncate(8);
        plane.try_reserve(0).expect("no allocation");
        plane.push_block(7);
        assert_eq!(plane.as_slice(), [[0; 8], [7; 8]].as_flattened());
        plane.shrink_to_fit();
        assert_eq!(plane.as_slice(), [[0; 8], [7; 8]].as_flattened());
        assert_eq!(plane.as_slice().as_ptr().addr() % CACHE_LINE, 0);
        assert_eq!(plane.memory_use(), (16 + NUMBERS_PER_LINE) * size_of::<i32>());
        plane.truncate(0);
        plane.shrink_to_fit();
        assert_eq!(plane.memory_use(), 0);
    }
}
