//! Sorts long runs of objects with equal codes by finer grids.
//!
//! A far outlier stretches the grid: a crowd elsewhere falls into one cell. So each run of more
//! than 64 equal codes gets a separate grid, recursively.

use alloc::vec::Vec;
use core::ops::Range;

use broadphase_core::{Aabb, Backend, Scalar};

use super::code_grid::{CodeGrid, WriteCodes, write_codes};

/// Maximum number of objects with equal codes; longer runs are sorted by a finer grid.
const MAX_EQUAL: usize = 64;
/// Maximum number of nested grids. Each is thousands of times finer than the last, so 200 suffice
/// for every number type.
const MAX_DEPTH: u32 = 200;

/// Returns the ranges of sorted codes with more than [`MAX_EQUAL`] equal codes.
pub(super) fn equal_code_runs(codes: &[u32]) -> impl Iterator<Item = Range<usize>> {
    const STEP: usize = MAX_EQUAL / 2;
    let mut begin = 0;
    core::iter::from_fn(move || {
        // Compare every 32nd code with the code 32 indices later, which finds each run of more than
        // 64 codes.
        while let (Some(&code), Some(&after)) = (codes.get(begin), codes.get(begin + STEP)) {
            let position = begin;
            begin += STEP;
            if code == after {
                let first = codes[..position].partition_point(|&before| before < code);
                let end = position + codes[position..].partition_point(|&after| after == code);
                begin = end.next_multiple_of(STEP);
                if end - first > MAX_EQUAL {
                    return Some(first..end);
                }
            }
        }
        None
    })
}

/// Scratch buffers for nested grids.
#[derive(Clone, Debug, Default)]
pub(super) struct TieSorter {
    codes: Vec<u32>,
    /// The code in the high half, the slot in the low half.
    items: Vec<u64>,
    /// Ranges still to be sorted, and the number of further nested grids allowed.
    unsorted: Vec<(Range<usize>, u32)>,
}

impl TieSorter {
    pub(super) const fn memory_use(&self) -> usize {
        self.codes.capacity() * size_of::<u32>()
            + self.items.capacity() * size_of::<u64>()
            + self.unsorted.capacity() * size_of::<(Range<usize>, u32)>()
    }

    /// Sorts objects with equal codes by separate grids, recursively.
    #[cold]
    pub(super) fn sort<S: Scalar, const D: usize>(
        &mut self,
        all: &[Aabb<S, D>],
        slots: &mut [u32],
        backend: Backend,
    ) {
        let Self { codes, items, unsorted } = self;
        unsorted.push((0..slots.len(), MAX_DEPTH));
        while let Some((part, depth)) = unsorted.pop() {
            let begin = part.start;
            let slots = &mut slots[part];
            let grid = CodeGrid::around(slots.iter().map(|&slot| all[slot as usize]));
            if depth == 0 || grid.is_degenerate() {
                continue;
            }
            codes.resize(slots.len(), 0);
            write_codes(backend, WriteCodes { grid: &grid, bounds: all, slots, out: codes });
            items.clear();
            let coded = codes.iter().zip(&*slots);
            items.extend(coded.map(|(&code, &slot)| u64::from(code) << 32 | u64::from(slot)));
            items.sort_unstable();
            for (slot, &sorted) in slots.iter_mut().zip(&*items) {
                *slot = sorted as u32;
            }
            let mut at = begin;
            for run in items.chunk_by(|a, b| a >> 32 == b >> 32) {
                // Do not sort all objects again: a finer grid would not separate them either.
                if run.len() > MAX_EQUAL && run.len() < slots.len() {
                    unsorted.push((at..at + run.len(), depth - 1));
                }
                at += run.len();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;
    use core::ops::Range;

    use super::{MAX_EQUAL, equal_code_runs};

    #[test]
    fn equal_code_runs_finds_all_runs_longer_than_the_limit() {
        let lens = [
            1,
            MAX_EQUAL,
            MAX_EQUAL + 1,
            2,
            31,
            33,
            MAX_EQUAL - 1,
            3 * MAX_EQUAL,
            MAX_EQUAL + 1,
            MAX_EQUAL + 2,
            5,
        ];
        for shift in 0..lens.len() {
            for before in 0..MAX_EQUAL {
                let (mut codes, mut expected) = (alloc::vec![0; before], Vec::new());
                for (code, &len) in (1..).zip(lens.iter().cycle().skip(shift).take(lens.len())) {
                    if len > MAX_EQUAL {
                        expected.push(codes.len()..codes.len() + len);
                    }
                    codes.resize(codes.len() + len, code);
                }
                assert_eq!(equal_code_runs(&codes).collect::<Vec<Range<usize>>>(), expected);
            }
        }
        assert_eq!(equal_code_runs(&[7; MAX_EQUAL]).count(), 0);
        assert_eq!(equal_code_runs(&[7; MAX_EQUAL + 1]).next(), Some(0..MAX_EQUAL + 1));
        assert_eq!(equal_code_runs(&[]).count(), 0);
    }
}
