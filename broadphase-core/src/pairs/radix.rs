//! Canonical sort on one thread, by digits.
//!
//! Input: pairs in any order, and scratch memory. Output: the pairs in canonical order.
//!
//! 1. Find the bits in which the keys differ: the low `f` bits of first keys, the low `s` bits of
//!    second keys. Also count the pairs in each part.
//! 2. Distribute the pairs into parts by the highest of the `f` bits, about 6000 pairs per part,
//!    which fit the level-2 cache. If two parts would do, use one: with two counters, each
//!    increment waits for the previous one (1.2 ns per pair, `terdiman:10000`). In its part, a pair
//!    is a number: the other bits of the first key, then `s` bits of the second. Up to 32 bits take
//!    half the memory of a pair.
//! 3. Sort the numbers of each part by their two highest digits, the lower digit first.
//! 4. Insert the few numbers that two digits have not sorted. A part in which many are out of order
//!    is sorted by comparison.
//! 5. Write the numbers as pairs.
//!
//! ```text
//!                 first key                  second key
//!   pair        │ equal │ part │ rest      │ equal │ differing        │
//!   number                     │ rest      │         differing        │
//!   digits                     │ high digit   │  low digit   │           step 4 sorts by the rest
//! ```
//!
//! Cost: O(n) if two digits distinguish most numbers, otherwise O(n log n). Per pair, 20 bytes are
//! read and 12 written outside the level-2 cache. Digits of 8 bits are slower (2.5 ns per pair,
//! `clustered:500000`).

use bounds_hexprism::{Backend, Kernel, Lanes};

use super::Pair;
use crate::sort;

/// The average part has from this number of pairs to twice as many.
const MIN_PAIRS_PER_PART: usize = 4096;
/// Log2 of the maximum number of parts. 2048 parts took 5 % longer (`clustered:500000`).
const MAX_PARTS_LOG2: u32 = 10;
const MAX_PARTS: usize = 1 << MAX_PARTS_LOG2;
/// Maximum number of bits of a digit.
const MAX_DIGIT: u32 = 10;
/// Maximum number of values of a digit; two tables of counters of this length fit 8 KB.
const MAX_VALUES: usize = 1 << MAX_DIGIT;
/// Number of sampled pairs for the first estimate of the differing bits.
const SAMPLES: usize = 128;
/// Minimum number of pairs in a part that is sorted by digits.
const MIN_PAIRS_FOR_DIGITS: usize = 64;
/// Number of moves per pair after which a part is sorted by comparison.
const MAX_MOVES_PER_PAIR: usize = 8;
/// Numbers per prefetch: one cache line. Prefetched are the next line of the part being written
/// (saves 0.7 ns per pair, `clustered:500000`), the scratch memory of a part while digits are
/// counted, and the next part (0.2 ns).
const PREFETCH_NUMBERS: usize = 16;

/// A number that represents a pair in its part.
trait Number: Copy + Ord {
    fn new(number: u64) -> Self;

    fn get(self) -> u64;

    /// Returns memory of pairs as memory for at least as many numbers.
    fn view(pairs: &mut [Pair]) -> &mut [Self];
}

impl Number for u32 {
    #[inline(always)]
    fn new(number: u64) -> Self {
        number as Self
    }

    #[inline(always)]
    fn get(self) -> u64 {
        u64::from(self)
    }

    #[inline(always)]
    fn view(pairs: &mut [Pair]) -> &mut [Self] {
        pairs.as_flattened_mut()
    }
}

/// The high half comes first: arrays ascend as numbers do.
impl Number for Pair {
    #[inline(always)]
    fn new(number: u64) -> Self {
        [(number >> 32) as u32, number as u32]
    }

    #[inline(always)]
    fn get(self) -> u64 {
        u64::from(self[0]) << 32 | u64::from(self[1])
    }

    #[inline(always)]
    fn view(pairs: &mut [Pair]) -> &mut [Self] {
        pairs
    }
}

/// A sort prepared for a list of pairs: their layout, and the number of pairs in each part.
pub(super) struct RadixSort {
    layout: Layout,
    /// The counts; unused if there is one part.
    counts: [u32; MAX_PARTS],
}

/// The bits in which pairs differ, and their division into parts.
#[derive(Clone, Copy)]
struct Layout {
    /// The bits that are equal in all first keys and in all second keys.
    common: Pair,
    /// Number of bits of a second key below the common bits.
    second: u32,
    /// Number of bits of a first key below the bits by which pairs are distributed into parts.
    rest: u32,
    /// Log2 of the number of parts.
    parts: u32,
}

impl RadixSort {
    /// Prepares the sort of pairs: estimates the differing bits from a sample; one pass over the
    /// pairs then counts each part and confirms the estimate.
    pub(super) fn new(pairs: &[Pair]) -> Self {
        let mut sampled = [0; 2];
        for pair in pairs.iter().step_by(pairs.len() / SAMPLES + 1) {
            sampled = differing(sampled, pair, &pairs[0]);
        }
        let mut layout = Layout::of_bits(pairs, sampled);
        let (found, mut counts) = layout.count(pairs);
        if found.map(u32::leading_zeros) != sampled.map(u32::leading_zeros) {
            layout = Layout::of_bits(pairs, found);
            (_, counts) = layout.count(pairs);
        }
        Self { layout, counts }
    }

    /// Returns the number of pairs of scratch memory to sort `len` pairs.
    pub(super) const fn scratch_len(&self, len: usize) -> usize {
        if self.layout.is_narrow() { len.div_ceil(2) } else { len }
    }

    /// Sorts the pairs; `scratch` has at least [`scratch_len`](Self::scratch_len) pairs.
    pub(super) fn sort(self, pairs: &mut [Pair], scratch: &mut [Pair]) {
        Backend::detect().dispatch(Sort { sort: self, pairs, scratch });
    }
}

impl Layout {
    /// Returns the layout for pairs that differ in these bits.
    fn of_bits(pairs: &[Pair], differing: Pair) -> Self {
        let begin = pairs.first().copied().unwrap_or_default();
        let [first, second] = differing.map(|bits: u32| u32::BITS - bits.leading_zeros());
        let parts = (pairs.len() / MIN_PAIRS_PER_PART).max(1).ilog2();
        // Use up to 64 times as many parts if numbers then fit 32 bits: with half a million keys,
        // sorting 894 pairs takes 37 % less time, sorting 17,000 pairs 9 % less.
        let narrow = (first + second).saturating_sub(u32::BITS).min(parts + 6);
        let parts = if parts == 1 && narrow == 0 { 0 } else { parts.max(narrow) };
        let parts = parts.min(MAX_PARTS_LOG2).min(first);
        let common = [(begin[0], first), (begin[1], second)];
        let common = common.map(|(key, bits)| key & !low_bits(bits));
        Self { common, second, rest: first - parts, parts }
    }

    /// Returns the bits in which the pairs differ, and the number of pairs in each of several
    /// parts.
    fn count(self, pairs: &[Pair]) -> (Pair, [u32; MAX_PARTS]) {
        let (mut found, mut counts) = ([0; 2], [0; MAX_PARTS]);
        if self.parts == 0 {
            for pair in pairs {
                found = differing(found, pair, &pairs[0]);
            }
        } else {
            for pair in pairs {
                found = differing(found, pair, &pairs[0]);
                counts[self.part(*pair)] += 1;
            }
        }
        (found, counts)
    }

    const fn is_narrow(&self) -> bool {
        self.rest + self.second <= u32::BITS
    }

    #[inline(always)]
    const fn part(&self, pair: Pair) -> usize {
        // The second mask saves bounds checks. Shifts wrap if no bit selects the part.
        pair[0].wrapping_shr(self.rest) as usize & ((1 << self.parts) - 1) & (MAX_PARTS - 1)
    }

    /// Returns a pair as the number in its part; higher bits are equal in the part.
    #[inline(always)]
    const fn number(&self, pair: Pair) -> u64 {
        (pair[0] as u64) << self.second | (pair[1] & low_bits(self.second)) as u64
    }

    /// Returns the pair of a number in a part.
    #[inline(always)]
    const fn pair(&self, part: usize, number: u64) -> Pair {
        // Shifts wrap if there is one part.
        let number = (part as u64).wrapping_shl(self.rest + self.second) | number;
        let first = (number >> self.second) as u32;
        [self.common[0] | first, self.common[1] | number as u32 & low_bits(self.second)]
    }
}

/// Adds to `bits` the bits in which two pairs differ.
#[inline(always)]
const fn differing(bits: Pair, pair: &Pair, other: &Pair) -> Pair {
    [bits[0] | pair[0] ^ other[0], bits[1] | pair[1] ^ other[1]]
}

#[inline(always)]
const fn low_bits(count: u32) -> u32 {
    ((1u64 << count) - 1) as u32
}

struct Sort<'a> {
    sort: RadixSort,
    pairs: &'a mut [Pair],
    scratch: &'a mut [Pair],
}

impl Kernel for Sort<'_> {
    type Output = ();
    const SSE41: bool = false;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        if self.sort.layout.is_narrow() {
            self.sort_as::<u32, L>(lanes);
        } else {
            self.sort_as::<Pair, L>(lanes);
        }
    }
}

impl Sort<'_> {
    #[inline(always)]
    fn sort_as<T: Number, L: Lanes>(self, lanes: L) {
        let Self { sort: RadixSort { layout, mut counts }, mut pairs, scratch } = self;
        let mut numbers = &mut T::view(scratch)[..pairs.len()];
        if layout.parts == 0 {
            for (number, &pair) in numbers.iter_mut().zip(&*pairs) {
                *number = T::new(layout.number(pair));
            }
            counts[0] = pairs.len() as u32;
        } else {
            sort::counts_to_begins(&mut counts[..1 << layout.parts]);
            for &pair in &*pairs {
                let end = &mut counts[layout.part(pair)];
                let place = *end as usize;
                *end += 1;
                lanes.prefetch(numbers, place + PREFETCH_NUMBERS);
                numbers[place] = T::new(layout.number(pair));
            }
        }
        let mut begin = 0;
        for (part, &end) in counts[..1 << layout.parts].iter().enumerate() {
            let len = (end - begin) as usize;
            begin = end;
            let (own, out);
            (own, numbers) = numbers.split_at_mut(len);
            (out, pairs) = pairs.split_at_mut(len);
            // `out`, the part's final place, is scratch memory until the pairs are written there.
            if len < MIN_PAIRS_FOR_DIGITS || !sort_by_digits(lanes, own, &mut T::view(out)[..len]) {
                own.sort_unstable();
            }
            let chunks = out.chunks_mut(PREFETCH_NUMBERS).zip(own.chunks(PREFETCH_NUMBERS));
            for ((out, own), begin) in chunks.zip((0..).step_by(PREFETCH_NUMBERS)) {
                // Prefetch the numbers of the next part.
                lanes.prefetch(numbers, begin);
                for (pair, number) in out.iter_mut().zip(own) {
                    *pair = layout.pair(part, number.get());
                }
            }
        }
    }
}

/// Sorts numbers by their two highest digits, then inserts the misplaced ones; `other` is scratch
/// memory of equal length. Returns `false`, with the numbers in any order, if too many are
/// misplaced. One digit, with more insertions, took 1.0 to 2.2 times as long on sparse keys.
#[inline(always)]
fn sort_by_digits<T: Number, L: Lanes>(lanes: L, numbers: &mut [T], other: &mut [T]) -> bool {
    let begin = numbers[0].get();
    let differing = numbers.iter().fold(0, |bits, number| bits | number.get() ^ begin);
    let top = u64::BITS - differing.leading_zeros();
    let digit = numbers.len().ilog2().min(MAX_DIGIT);
    let [low, high] = [2 * digit, digit].map(|bits| top.saturating_sub(bits));
    let mask = (1 << digit) - 1;
    let value = |number: T, shift: u32| (number.get() >> shift) as usize & mask & (MAX_VALUES - 1);
    let (mut lows, mut highs) = ([0; MAX_VALUES], [0; MAX_VALUES]);
    for (chunk, begin) in numbers.chunks(PREFETCH_NUMBERS).zip((0..).step_by(PREFETCH_NUMBERS)) {
        lanes.prefetch(other, begin);
        for &number in chunk {
            lows[value(number, low)] += 1;
            highs[value(number, high)] += 1;
        }
    }
    sort::counts_to_begins(&mut lows[..=mask]);
    sort::counts_to_begins(&mut highs[..=mask]);
    copy_by_digit(numbers, other, &mut lows, |number| value(number, low));
    copy_by_digit(other, numbers, &mut highs, |number| value(number, high));
    low == 0 || sort::insertion_sort(numbers, MAX_MOVES_PER_PAIR * numbers.len())
}

/// Copies numbers to `to`, ascending by the value of a digit; `begins` has the begin of each value.
#[inline(always)]
fn copy_by_digit<T: Number>(
    from: &[T],
    to: &mut [T],
    begins: &mut [u32; MAX_VALUES],
    value: impl Fn(T) -> usize,
) {
    for &number in from {
        let begin = &mut begins[value(number)];
        to[*begin as usize] = number;
        *begin += 1;
    }
}
