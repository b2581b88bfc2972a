//! Checksum of snapshots.
//!
//! 1. Split the bytes into words of 64 bits, the last padded with zeros. Word `i` belongs to chain
//!    `i % 4`: four independent chains.
//! 2. In each chain, combine state and word: xor, multiply by an odd constant, rotate; all
//!    invertible.
//! 3. Combine the four chains, and the length, into one number in the same way.

/// Odd: multiplication is invertible.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
const LANES: usize = 4;

/// Returns a checksum of 64 bits.
///
/// Every change within one aligned word of 8 bytes changes the checksum; any other change is missed
/// with a probability of about 2⁻⁶⁴. No protection against forgery.
pub(super) fn checksum(bytes: &[u8]) -> u64 {
    let mut chains: [u64; LANES] = [1, 2, 3, 4].map(|n: u64| n.wrapping_mul(FACTOR));
    let (rounds, rest) = bytes.as_chunks::<{ 8 * LANES }>();
    for round in rounds {
        for (chain, word) in chains.iter_mut().zip(round.as_chunks().0) {
            *chain = mix(*chain, u64::from_le_bytes(*word));
        }
    }
    for (chain, word) in chains.iter_mut().zip(rest.chunks(8)) {
        let mut last = [0; 8];
        last[..word.len()].copy_from_slice(word);
        *chain = mix(*chain, u64::from_le_bytes(last));
    }
    let folded = chains.into_iter().fold(0, mix);
    let ended = mix(folded, bytes.len() as u64);
    ended ^ ended >> 32
}

pub(super) const fn combined(first: u64, second: u64) -> u64 {
    let mixed = mix(first, second);
    mixed ^ mixed >> 32
}

const fn mix(chain: u64, word: u64) -> u64 {
    (chain ^ word).wrapping_mul(FACTOR).rotate_left(29)
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::checksum;

    #[test]
    fn every_bit_and_the_length_matter() {
        let bytes: Vec<u8> = (0..=255).cycle().take(300).collect();
        for len in [0, 1, 7, 8, 9, 31, 32, 33, 300] {
            let mut changed = bytes[..len].to_vec();
            let sum = checksum(&changed);
            for bit in 0..8 * len {
                changed[bit / 8] ^= 1 << (bit % 8);
                assert_ne!(checksum(&changed), sum, "bit {bit} of {len} bytes");
                changed[bit / 8] ^= 1 << (bit % 8);
            }
            changed.push(0);
            assert_ne!(checksum(&changed), sum, "a zero more than {len} bytes");
        }
    }

    #[test]
    fn matches_an_independent_implementation() {
        let bytes: Vec<u8> = (0..100).collect();
        // An independent program computed this checksum.
        assert_eq!(checksum(&bytes), 13_706_863_627_697_076_684);
    }
}
