//! Random numbers for tests, equal on every machine.

/// A linear congruential generator with 64 bits of state. Source of the multiplier: Donald Knuth.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Returns a generator; each seed gives other numbers.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns a number below a limit of at most 2^31.
    pub const fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) as u32 % limit
    }

    /// Returns a number from 0 up to 1.
    pub fn unit(&mut self) -> f64 {
        f64::from(self.below(1 << 24)) / f64::from(1 << 24)
    }
}
