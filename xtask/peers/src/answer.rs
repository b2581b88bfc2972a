//! The digest of a result, by which subjects are compared.

/// The number of pairs (or hits) found, and a digest of the whole result.
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
    /// The number of pairs or hits; 0 if the work has none.
    pub pairs: u64,
    /// A hash of all numbers in their order.
    pub digest: u64,
}

impl Answer {
    /// Creates the answer with a number of pairs and the digest of these numbers, in this order.
    pub fn new(pairs: u64, numbers: impl IntoIterator<Item = u64>) -> Self {
        // FNV-1a, applied to whole numbers instead of bytes. A final mix lets the last number
        // affect the low bits.
        let digest = numbers.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, number| {
            let hash = (hash ^ number).wrapping_mul(0x0000_0100_0000_01b3);
            hash ^ (hash >> 29)
        });
        Self { pairs, digest }
    }

    /// Creates the answer for pairs in any order, which need not be sorted. The order of the two
    /// numbers of a pair matters.
    pub fn of_set(pairs: impl IntoIterator<Item = [u32; 2]>) -> Self {
        let mut answer = Self { pairs: 0, digest: 0 };
        for [a, b] in pairs {
            // The finalizer of SplitMix64.
            let mut hash = (u64::from(a) << 32 | u64::from(b)).wrapping_add(0x9E37_79B9_7F4A_7C15);
            hash = (hash ^ hash >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            hash = (hash ^ hash >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
            answer.digest = answer.digest.wrapping_add(hash ^ hash >> 31);
            answer.pairs += 1;
        }
        answer
    }

    /// Creates the answer for the pairs that a search appends, in any order.
    pub fn of_found(search: impl FnOnce(&mut Vec<[u32; 2]>)) -> Self {
        let mut found = Vec::new();
        search(&mut found);
        Self::of_set(found)
    }

    /// Creates the answer for a list of pairs. The order matters.
    pub fn of_pairs(pairs: &[[u32; 2]]) -> Self {
        let numbers = pairs.iter().map(|&[a, b]| u64::from(a) << 32 | u64::from(b));
        Self::new(pairs.len() as u64, numbers)
    }
}

#[cfg(test)]
mod tests {
    use super::Answer;

    #[test]
    fn answers_depend_on_every_number_and_those_of_lists_on_the_order() {
        let list: [[u32; 2]; 2] = [[0, 1], [0, 2]];
        let turned = [[0, 2], [0, 1]];
        let set = |pairs: &[[u32; 2]]| Answer::of_set(pairs.iter().copied());
        assert_eq!(Answer::of_pairs(&list), Answer::of_pairs(&list.clone()));
        assert_ne!(Answer::of_pairs(&list), Answer::of_pairs(&turned));
        assert_eq!(set(&list), set(&turned));
        for other in [&[[0, 1], [0, 3]][..], &[[0, 1], [2, 0]], &[[0, 1]], &[]] {
            assert_ne!(Answer::of_pairs(&list), Answer::of_pairs(other));
            assert_ne!(set(&list), set(other));
        }
        assert_ne!(Answer::new(0, [0]), Answer::new(0, [0, 0]));
        assert_ne!(set(&[]), set(&[[0, 0]]));
    }
}
