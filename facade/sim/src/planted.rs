//! A planted fault, by which the tests of the simulator show that differences are found.

use hexphase::Overlap;

/// Hides a pair of objects with certain user data from the simulator.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Planted {
    /// The pairs of which the lower number has this remainder modulo `modulus` are hidden.
    pub remainder: u32,
    /// The divisor; see `remainder`.
    pub modulus: u32,
}

impl Planted {
    pub(crate) fn apply(&self, pairs: &mut Vec<Overlap<u32>>) {
        pairs.retain(|pair| pair.users[0] % self.modulus != self.remainder);
    }
}
