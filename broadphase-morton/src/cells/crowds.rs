//! Crowds: many objects with one code, put in order by finer and finer grids.

use alloc::vec::Vec;
use core::ops::Range;

use broadphase_core::{Aabb, Backend, Scalar};

use super::frame::{Frame, Places, write_places};

/// So many objects with one code are told apart by a finer grid.
const CROWD: usize = 64;
/// Grids within grids: each is thousands of times finer, so no numbers need more.
const DEPTH: u32 = 200;

/// Where more than [`CROWD`] sorted codes are the same.
pub(super) fn crowds(codes: &[u32]) -> impl Iterator<Item = Range<usize>> {
    const HALF: usize = CROWD / 2;
    let mut begin = 0;
    core::iter::from_fn(move || {
        // Whoever is so long holds two of these places.
        while let (Some(&code), Some(&after)) = (codes.get(begin), codes.get(begin + HALF)) {
            let place = begin;
            begin += HALF;
            if code == after {
                let first = codes[..place].partition_point(|&before| before < code);
                let end = place + codes[place..].partition_point(|&after| after == code);
                begin = end.next_multiple_of(HALF);
                if end - first > CROWD {
                    return Some(first..end);
                }
            }
        }
        None
    })
}

/// Memory for grids within grids, kept.
#[derive(Clone, Debug, Default)]
pub(super) struct Finer {
    codes: Vec<u32>,
    /// Codes and slots.
    both: Vec<u64>,
    /// What is to be told apart yet, and how many grids finer that may be.
    left: Vec<(Range<usize>, u32)>,
}

impl Finer {
    pub(super) const fn memory_use(&self) -> usize {
        self.codes.capacity() * size_of::<u32>()
            + self.both.capacity() * size_of::<u64>()
            + self.left.capacity() * size_of::<(Range<usize>, u32)>()
    }

    /// Puts objects that have one code in order by a grid of their own, and those of them that have
    /// one code in that.
    #[cold]
    pub(super) fn sort<S: Scalar, const D: usize>(
        &mut self,
        all: &[Aabb<S, D>],
        slots: &mut [u32],
        backend: Backend,
    ) {
        let Self { codes, both, left } = self;
        left.push((0..slots.len(), DEPTH));
        while let Some((part, depth)) = left.pop() {
            let begin = part.start;
            let slots = &mut slots[part];
            let frame = Frame::around(slots.iter().map(|&slot| all[slot as usize]));
            if depth == 0 || frame.is_point() {
                continue;
            }
            codes.resize(slots.len(), 0);
            write_places(backend, Places { frame: &frame, bounds: all, slots, out: codes });
            both.clear();
            let items = codes.iter().zip(&*slots);
            both.extend(items.map(|(&code, &slot)| u64::from(code) << 32 | u64::from(slot)));
            both.sort_unstable();
            for (slot, &sorted) in slots.iter_mut().zip(&*both) {
                *slot = sorted as u32;
            }
            let mut at = begin;
            for run in both.chunk_by(|a, b| a >> 32 == b >> 32) {
                // Where a grid tells none from the others, a finer one would not either.
                if run.len() > CROWD && run.len() < slots.len() {
                    left.push((at..at + run.len(), depth - 1));
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

    use super::{CROWD, crowds};

    #[test]
    fn crowds_are_all_longer_runs() {
        let lens = [1, CROWD, CROWD + 1, 2, 31, 33, CROWD - 1, 3 * CROWD, CROWD + 1, CROWD + 2, 5];
        for shift in 0..lens.len() {
            for before in 0..CROWD {
                let (mut codes, mut expected) = (alloc::vec![0; before], Vec::new());
                for (code, &len) in (1..).zip(lens.iter().cycle().skip(shift).take(lens.len())) {
                    if len > CROWD {
                        expected.push(codes.len()..codes.len() + len);
                    }
                    codes.resize(codes.len() + len, code);
                }
                assert_eq!(crowds(&codes).collect::<Vec<Range<usize>>>(), expected);
            }
        }
        assert_eq!(crowds(&[7; CROWD]).count(), 0);
        assert_eq!(crowds(&[7; CROWD + 1]).next(), Some(0..CROWD + 1));
        assert_eq!(crowds(&[]).count(), 0);
    }
}
