//! Random numbers that are equal on every machine: `SplitMix64`.

/// A generator of random numbers. Its state is part of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// Returns 64 random bits.
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ bits >> 31
    }

    /// Returns a number from 0 up to, but not including, `end`.
    pub(crate) fn below(&mut self, end: u32) -> u32 {
        (((self.bits() >> 32) * u64::from(end)) >> 32) as u32
    }

    /// Returns a number from `-most` to `most`.
    pub(crate) fn around_zero(&mut self, most: i32) -> i32 {
        self.below(2 * most as u32 + 1) as i32 - most
    }
}

/// Returns a hash of a hash and a number; the order in which numbers are added matters.
pub(crate) const fn mixed(hash: u64, number: u64) -> u64 {
    (hash ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
}
