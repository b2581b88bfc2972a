//! What a measured subject computed, small enough to compare.

/// How many pairs (or hits) were found, and a digest of everything that was computed.
///
/// ```
/// use peers::Answer;
///
/// let one = Answer::of_pairs(&[[0, 1], [2, 3]]);
/// assert_eq!(one.pairs, 2);
/// assert_ne!(one, Answer::of_pairs(&[[0, 1], [2, 4]]));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// How many pairs or hits; 0 where there is no such thing.
    pub pairs: u64,
    /// Differs, almost surely, where any of the numbers or their order differs.
    pub digest: u64,
}

impl Answer {
    /// An answer of so many pairs, made of these numbers in this order.
    #[must_use]
    pub fn new(pairs: u64, numbers: impl IntoIterator<Item = u64>) -> Self {
        // FNV-1a by whole numbers, with a final mix so that the last one reaches the low bits.
        let digest = numbers.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, number| {
            let hash = (hash ^ number).wrapping_mul(0x0000_0100_0000_01b3);
            hash ^ (hash >> 29)
        });
        Self { pairs, digest }
    }

    /// The answer that is a list of pairs; the order counts.
    #[must_use]
    pub fn of_pairs(pairs: &[[u32; 2]]) -> Self {
        let numbers = pairs.iter().map(|&[a, b]| u64::from(a) << 32 | u64::from(b));
        Self::new(pairs.len() as u64, numbers)
    }
}

#[cfg(test)]
mod tests {
    use super::Answer;

    #[test]
    fn order_and_every_number_count() {
        let answer = Answer::of_pairs(&[[0, 1], [0, 2]]);
        assert_eq!(answer, Answer::of_pairs(&[[0, 1], [0, 2]]));
        assert_ne!(answer, Answer::of_pairs(&[[0, 2], [0, 1]]));
        assert_ne!(answer, Answer::of_pairs(&[[0, 1], [0, 3]]));
        assert_ne!(answer, Answer::of_pairs(&[[0, 1]]));
        assert_ne!(Answer::new(0, [0]), Answer::new(0, [0, 0]));
    }
}
