//! Sorts the objects of one row by their low ends on the first axis.
//!
//! 1. Subtract the smallest low end, and sort by the highest bits of the difference: radix sort of
//!    two passes, of 8 bits each in short rows, of 11 bits in long ones. Rows and counters fit the
//!    first cache levels.
//! 2. Complete the order by insertion: few objects have equal highest bits. After too many moves,
//!    because many low ends are almost equal, sort by comparison.
//!
//! Short rows are sorted by comparison. Cost: O(n), or O(n log n) for almost equal low ends.

use alloc::vec::Vec;

use broadphase_core::sort;

/// An object as one number: its low end on the first axis in the upper 32 bits, its index in the
/// lower 32 bits.
pub(crate) type Item = u64;

/// Rows with fewer objects are sorted by comparison.
const RADIX_MIN_LEN: usize = 64;
/// Shorter rows are sorted with digits of 8 bits, longer rows with 11 bits.
const LONG_ROW: usize = 1024;
/// Rows with more objects are sorted by all bits, with larger digits.
const MAX_CACHED_LEN: usize = if cfg!(test) { 1 << 11 } else { 1 << 15 };

/// Number of moves per item after which a row is sorted by comparison.
const MAX_MOVES_PER_ITEM: usize = 4;

#[inline(always)]
pub(crate) const fn item(first: i32, index: u32) -> Item {
    let first = first.cast_unsigned() ^ 1 << 31;
    (first as u64) << 32 | index as u64
}

#[inline(always)]
pub(super) const fn first_of(item: Item) -> i32 {
    ((item >> 32) as u32 ^ 1 << 31).cast_signed()
}

#[inline(always)]
pub(super) const fn index_of(item: Item) -> usize {
    item as u32 as usize
}

/// Sorts the items of a row, whose indices ascend. `spare` is scratch memory.
pub(crate) fn sort_row(items: &mut [Item], spare: &mut Vec<Item>) {
    if items.len() < RADIX_MIN_LEN {
        items.sort_unstable();
        return;
    }
    if spare.len() < items.len() {
        *spare = alloc::vec![0; items.len()];
    }
    let spare = &mut spare[..items.len()];
    if items.len() > MAX_CACHED_LEN {
        let high = |&[item]: &[Item; 1]| (item >> 32) as u32;
        if sort::radix_sort([&mut *items], [&mut *spare], MAX_CACHED_LEN, high) {
            items.copy_from_slice(spare);
        }
        return;
    }
    if items.len() < LONG_ROW {
        sort_by_high_bits::<8, { 1 << 8 }>(items, spare);
    } else {
        sort_by_high_bits::<11, { 1 << 11 }>(items, spare);
    }
    if !sort::insertion_sort(items, MAX_MOVES_PER_ITEM * items.len()) {
        items.sort_unstable();
    }
}

/// Sorts by the highest `2 * DIGIT` bits of differences of low ends. `COUNTERS` is 2^`DIGIT`.
fn sort_by_high_bits<const DIGIT: u32, const COUNTERS: usize>(
    items: &mut [Item],
    spare: &mut [Item],
) {
    let (mut low, mut high) = (Item::MAX, 0);
    for &item in &*items {
        (low, high) = (low.min(item), high.max(item));
    }
    let low = low >> 32;
    let bits = u64::BITS - ((high >> 32) - low).leading_zeros();
    let shift = 32 + bits.saturating_sub(2 * DIGIT);
    let digit = |item: Item, shift: u32| ((item - (low << 32)) >> shift) as usize % COUNTERS;
    let (from, to) = ([&*items], [&mut *spare]);
    sort::counting_pass::<_, 1, COUNTERS>(from, to, COUNTERS, |&[item]| digit(item, shift));
    let shift = shift + DIGIT;
    let (from, to) = ([&*spare], [&mut *items]);
    sort::counting_pass::<_, 1, COUNTERS>(from, to, COUNTERS, |&[item]| digit(item, shift));
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::{Item, LONG_ROW, MAX_CACHED_LEN, RADIX_MIN_LEN, item, sort_row};

    #[test]
    fn rows_of_every_length_and_distribution_are_sorted() {
        let mix = |index: u32| (index ^ 0x5bd1).wrapping_mul(0x9E37_79B9).rotate_left(13);
        let firsts: [&dyn Fn(u32) -> i32; 7] = [
            &|index| mix(index).cast_signed(),
            &|index| (mix(index) >> 20).cast_signed() - 2048,
            &|_| i32::MIN,
            &|index| index.cast_signed(),
            &|index| -index.cast_signed(),
            &|index| if index == 3 { i32::MAX } else { (mix(index) >> 24).cast_signed() },
            &|index| [i32::MIN, i32::MAX][index as usize % 2],
        ];
        let lens = [0, 1, 2, 63, 64, 65, 300, 1023, 1024, 1500, 2048, 2049, 3000];
        assert!([RADIX_MIN_LEN, LONG_ROW, MAX_CACHED_LEN].iter().all(|len| lens.contains(len)));
        let mut spare = Vec::new();
        for first in firsts {
            for len in lens {
                let mut items: Vec<Item> = (0..len as u32).map(|at| item(first(at), at)).collect();
                let mut expected = items.clone();
                expected.sort_unstable();
                sort_row(&mut items, &mut spare);
                assert!(items == expected, "{len} items");
            }
        }
    }
}
