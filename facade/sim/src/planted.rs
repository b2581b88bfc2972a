//! A planted fault, with which the tests show that the simulator finds differences.

use hexphase::Overlap;

/// Hides some pairs of the first world from the comparison.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Planted {
    /// A pair is hidden if the user data of its first object, modulo `modulus`, has this value.
    pub remainder: u32,
    /// The divisor for `remainder`.
    pub modulus: u32,
}

impl Planted {
    pub(crate) fn apply(&self, pairs: &mut Vec<Overlap<u32>>) {
        pairs.retain(|pair| pair.users[0] % self.modulus != self.remainder);
    }
}
