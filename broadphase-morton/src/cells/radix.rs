//! LSD radix sort of codes with their slots, serial or parallel.
//!
//! Each pass sorts by one digit of eleven bits, the lowest digit first:
//!
//! 1. Count the codes with each digit, per range if there are several threads.
//! 2. Assign each range its own part of the target of each digit.
//! 3. Copy codes and slots to their targets.
//!
//! A pass is skipped if all codes have the same digit. Three passes sort 32 bits; cost O(n).
//!
//! ```text
//!   from       │ range 0      │ range 1      │ range 2      │       each thread takes ranges
//!                 ╲   ╲  ╲_______╱_╱__│____________╱ …
//!   to         │ digit 0      │ 1     │ 2                   │       and writes to its own part
//!              │ 0  │ 1  │ 2  │0│1│2 │  0  │ 1 │ 2          │       of each digit
//! ```
//!
//! Every pass is stable, so the result does not depend on the division into ranges.

use alloc::vec::Vec;
use core::slice::IterMut;

use broadphase_core::tasks;

/// Number of bits sorted per pass.
const DIGIT_BITS: u32 = 11;
/// Minimum number of codes per thread.
const MIN_CODES_PER_TASK: usize = 32_768;

/// Codes, and the slot of each.
type Columns<'a> = [&'a mut [u32]; 2];

/// Sorts both columns by code. The second pair of columns is scratch memory of equal length. Digits
/// that are the same in all codes are skipped.
pub(super) fn sort([codes, slots]: Columns<'_>, [other_codes, other_slots]: Columns<'_>) {
    let (mut from, mut to) = ([codes, slots], [other_codes, other_slots]);
    let mut swapped = false;
    for shift in (0..u32::BITS).step_by(DIGIT_BITS as usize) {
        let [codes, slots] = &mut to;
        if scatter([&*from[0], &*from[1]], [&mut **codes, &mut **slots], shift) {
            core::mem::swap(&mut from, &mut to);
            swapped = !swapped;
        }
    }
    if swapped {
        to[0].copy_from_slice(from[0]);
        to[1].copy_from_slice(from[1]);
    }
}

#[inline(always)]
const fn digit(code: u32, shift: u32) -> usize {
    (code >> shift) as usize % (1 << DIGIT_BITS)
}

/// Performs one stable pass by the digit at `shift`. Returns `false`, without writing, if all codes
/// have the same digit.
fn scatter(from: [&[u32]; 2], to: Columns<'_>, shift: u32) -> bool {
    let [codes, slots] = from;
    let ranges = tasks::even(codes.len(), MIN_CODES_PER_TASK);
    if !ranges.is_empty() {
        let jobs = ranges.into_iter().map(|job| [&codes[job.clone()], &slots[job]]);
        return scatter_parallel(jobs, to, shift);
    }
    let [to_codes, to_slots] = to;
    let mut ends = [0u32; 1 << DIGIT_BITS];
    for &code in codes {
        ends[digit(code, shift)] += 1;
    }
    if codes.first().is_none_or(|&code| ends[digit(code, shift)] as usize == codes.len()) {
        return false;
    }
    let mut begin = 0;
    for end in &mut ends {
        begin += *end;
        *end = begin - *end;
    }
    for (&code, &slot) in codes.iter().zip(slots) {
        let target = &mut ends[digit(code, shift)];
        to_codes[*target as usize] = code;
        to_slots[*target as usize] = slot;
        *target += 1;
    }
    true
}

/// A range of the input in a parallel pass.
struct Job<'a> {
    from: [&'a [u32]; 2],
    /// The number of codes with each digit.
    counts: Vec<usize>,
    /// The unwritten part of the targets of each digit.
    to: Vec<[IterMut<'a, u32>; 2]>,
}

/// Performs one stable pass with one job per range; the ranges are consecutive.
fn scatter_parallel<'a>(
    from: impl Iterator<Item = [&'a [u32]; 2]>,
    mut to: Columns<'a>,
    shift: u32,
) -> bool {
    let begin = |from| Job { from, counts: Vec::new(), to: Vec::new() };
    let mut jobs: Vec<Job<'a>> = from.map(begin).collect();
    tasks::each(&mut jobs, |job| {
        job.counts.resize(1 << DIGIT_BITS, 0);
        for &code in job.from[0] {
            job.counts[digit(code, shift)] += 1;
        }
    });
    let has_all = |digit: usize| jobs.iter().all(|job| job.counts[digit] == job.from[0].len());
    if jobs.first().is_none_or(|job| has_all(digit(job.from[0][0], shift))) {
        return false;
    }
    for digit in 0..1 << DIGIT_BITS {
        for job in &mut jobs {
            job.to.push(to.each_mut().map(|column| {
                let (own, rest) = core::mem::take(column).split_at_mut(job.counts[digit]);
                *column = rest;
                own.iter_mut()
            }));
        }
    }
    tasks::each(&mut jobs, |job| {
        for (&code, &slot) in job.from[0].iter().zip(job.from[1]) {
            let target = &mut job.to[digit(code, shift)];
            for (column, item) in target.iter_mut().zip([code, slot]) {
                *column.next().expect("the target has the counted length") = item;
            }
        }
    });
    true
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::{MIN_CODES_PER_TASK, scatter, scatter_parallel, sort};

    fn codes(len: u32) -> Vec<u32> {
        (0..len).map(|n| n.wrapping_mul(0x9E37_79B9).rotate_left(n % 32) >> 3).collect()
    }

    #[test]
    fn sort_is_stable() {
        for mask in [u32::MAX, 0xFF, 0xFF00_0000, 0] {
            let mut sorted: Vec<u32> = codes(5000).iter().map(|code| code & mask).collect();
            let mut slots: Vec<u32> = (0..5000).collect();
            let mut expected: Vec<_> = sorted.iter().copied().zip(0..).collect();
            expected.sort_by_key(|&(code, _): &(u32, u32)| code);
            let (mut a, mut b) = (sorted.clone(), slots.clone());
            sort([&mut sorted, &mut slots], [&mut a, &mut b]);
            assert!(sorted.into_iter().zip(slots).eq(expected), "{mask:x}");
        }
    }

    #[test]
    fn a_parallel_pass_equals_a_serial_pass() {
        let (codes, slots) = (codes(5000), (0..5000).collect::<Vec<u32>>());
        assert!(codes.len() < MIN_CODES_PER_TASK, "the serial pass is tested first");
        for shift in [0, 11, 22] {
            let (mut whole, mut jobs) =
                ([codes.clone(), slots.clone()], [codes.clone(), slots.clone()]);
            let to = whole.each_mut().map(Vec::as_mut_slice);
            assert!(scatter([&codes, &slots], to, shift));
            let ranges = codes.chunks(999).zip(slots.chunks(999)).map(|(a, b)| [a, b]);
            assert!(scatter_parallel(ranges, jobs.each_mut().map(Vec::as_mut_slice), shift));
            assert_eq!(jobs, whole);
        }
        let same = [&[7; 9][..], &[1; 9]].into_iter().map(|codes| [codes, codes]);
        let mut to = [Vec::from([0; 18]), Vec::from([0; 18])];
        let to = to.each_mut().map(Vec::as_mut_slice);
        assert!(!scatter_parallel(same, to, 11), "the second digit is equal in all codes");
    }
}
