//! Deterministic pseudo-random numbers for tests, and FNV-1a with 64 bits, for golden hashes.

/// Marsaglia's xorshift generator with 64 bits.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Returns any `i32`, uniformly.
    pub(crate) fn any(&mut self) -> i32 {
        (self.bits() >> 32) as i32
    }

    /// Returns a number from `low` to `high`, both included.
    pub(crate) fn between(&mut self, low: i64, high: i64) -> i64 {
        low + ((u128::from(self.bits()) * (high - low + 1) as u128) >> 64) as i64
    }

    /// Returns true with the probability 1 / `n`.
    pub(crate) fn once_in(&mut self, n: u64) -> bool {
        self.bits() >> 33 < (1 << 31) / n
    }
}

/// State of a hash of integers; each integer is hashed as four little-endian bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fnv(pub(crate) u64);

impl Fnv {
    pub(crate) const fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    pub(crate) fn add(&mut self, n: i32) {
        for byte in n.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}
