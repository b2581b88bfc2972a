//! The two random number generators of the scenes.

/// Marsaglia's xorshift64 (13, 7, 17), 24 bits per draw.
pub(super) struct Stream(pub(super) u64);

impl Stream {
    /// Returns the next number in [0, 1).
    pub(super) fn unit(&mut self) -> f32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 40) as f32 / 16_777_216.0
    }
}

/// The linear congruential generator of Microsoft's C library, used by Terdiman's scene.
pub(super) struct Congruential(pub(super) u32);

impl Congruential {
    /// Returns the next number, 15 bits.
    pub(super) fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(214_013).wrapping_add(2_531_011);
        self.0 >> 16 & 0x7fff
    }
}
