//! Pairs of a few volumes of one run with many volumes of another, eight of the many at a time.
//!
//! For each block of eight volumes of the first run:
//!
//! 1. Find where the scan of the second run begins for each volume: with the run's row index, or by
//!    eight interleaved binary searches. Prefetch the memory there, one block ahead.
//! 2. For each of the eight volumes, scan the second run from there, eight at a time, to the first
//!    volume that begins after the end of the volume.
//!
//! Where tests hardly ever hit (`by_corners`), the scan reads only low corners, half of the memory:
//! it compares them with the box in which low corners of overlapping volumes lie, then tests the
//! high corners of the few hits. Where tests often hit, this took up to twice as long.

use core::hint::select_unpredictable;
use core::ops::Range;

use bounds_hexprism::kernel::overlap::Spread;
use bounds_hexprism::{LANES, Lanes, SlabPlanes, Slabs};

use super::ROOM;
use super::pick::Selection;
use super::reach::Reach;
use super::run::{BetweenCursor, Run};
use crate::kernel::hits;

/// Tests the volumes selected from the first run against the second run, from `cursor` on; returns
/// the new number of filled entries, and whether the loop has ended. `by_corners` selects the test
/// by low corners. If volumes extend to the largest key, the indices must be checked.
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "a kernel takes what its loop needs")]
pub(super) fn one_by_one<L: Lanes, const K: usize>(
    lanes: L,
    often: bool,
    by_corners: bool,
    own: &SlabPlanes<'_, K>,
    ours: &Selection,
    second: &Run<'_, K>,
    reach: Reach,
    cursor: &mut BetweenCursor,
    hits: &mut [[u32; 2]],
    mut filled: usize,
) -> (usize, bool) {
    let planes = &second.planes.of_one_length();
    let own = &own.of_one_length();
    let from = filled;
    let mut resumed = cursor.next.take();
    let mut next =
        ScanStarts::new(lanes, often, by_corners, own, ours.from(cursor.first), second, reach);
    let mut done = true;
    'all: while cursor.first < ours.len() {
        let (block, starts): (&[i32; LANES], _) = (ours.from(cursor.first), next);
        if cursor.first + LANES < ours.len() {
            let block = ours.from(cursor.first + LANES);
            next = ScanStarts::new(lanes, often, by_corners, own, block, second, reach);
        }
        let count = (ours.len() - cursor.first).min(LANES);
        // After an interruption, resume within the same block, which determines the number of
        // tests.
        let resumed_at = core::mem::take(&mut cursor.done);
        for (index, &place) in block.iter().enumerate().take(count).skip(resumed_at) {
            let near = starts.near(by_corners, own, place, index);
            let near = Spread::new(lanes, &near);
            let mut at = resumed.take().unwrap_or(starts.begins[index]);
            let begun = at;
            loop {
                if filled + ROOM > hits.len() {
                    (cursor.done, cursor.next) = (index, Some(at));
                    cursor.tests += (at - begun) as u64;
                    done = false;
                    break 'all;
                }
                let hit = if by_corners {
                    near.begins_of(lanes, planes, at)
                } else {
                    near.overlaps(lanes, planes, at)
                };
                let is_last = near.ends_before(lanes, planes, at);
                filled = hits::write_pairs_of(lanes, often, place, hit, at, hits, filled);
                at += LANES;
                if is_last || at >= second.places.end {
                    break;
                }
            }
            cursor.tests += (at - begun) as u64;
        }
        cursor.first += count;
    }
    if done {
        *cursor = BetweenCursor { tests: cursor.tests, ..BetweenCursor::default() };
    }
    if by_corners {
        filled = retain_overlapping([own, planes], hits, from..filled);
    }
    (filled, done)
}

/// Removes the hits in `range` whose second volume ends before the first begins; returns the new
/// number of filled entries.
#[inline(always)]
fn retain_overlapping<const K: usize>(
    [own, other]: [&SlabPlanes<'_, K>; 2],
    hits: &mut [[u32; 2]],
    range: Range<usize>,
) -> usize {
    let mut kept = range.start;
    for at in range {
        let [a, b] = hits[at];
        hits[kept] = [a, b];
        let mut apart = false;
        let mut axis = 0;
        while axis < K {
            apart |= own.min[axis][a as usize] > other.max[axis][b as usize];
            axis += 1;
        }
        kept += usize::from(!apart);
    }
    kept
}

#[derive(Clone, Copy)]
struct ScanStarts<const K: usize> {
    /// For each of the eight volumes, a lower bound of the keys at which overlapping volumes begin:
    /// on the first axis, and for corners on all axes.
    earliest: [[i32; LANES]; K],
    /// Indices of the second run at which the scans begin.
    begins: [usize; LANES],
}

impl<const K: usize> ScanStarts<K> {
    /// Finds the starts of eight scans and prefetches the memory there, one block ahead.
    #[inline(always)]
    fn new<L: Lanes>(
        lanes: L,
        often: bool,
        by_corners: bool,
        own: &SlabPlanes<'_, K>,
        block: &[i32; LANES],
        second: &Run<'_, K>,
        reach: Reach,
    ) -> Self {
        let mut earliest = [[0; LANES]; K];
        let axes = if by_corners { K } else { 1 };
        let mut axis = 0;
        while axis < axes {
            for (earliest, &place) in earliest[axis].iter_mut().zip(block) {
                *earliest = own.min[axis][place as usize];
            }
            earliest[axis] = lanes.store(reach.earliest_of(lanes, lanes.load(&earliest[axis])));
            axis += 1;
        }
        // Where tests hardly ever hit, the index is used only if low corners are tested first.
        let indexed = match &second.row_index {
            Some(row_index) if by_corners || often => {
                row_index.places(lanes, lanes.load(&earliest[0]))
            }
            _ => None,
        };
        let mut begins = match indexed {
            Some(begins) => begins,
            None => search(&second.planes.min[0][second.places.clone()], &earliest[0]),
        };
        for at in &mut begins {
            *at += second.places.start;
            let mut axis = 0;
            while axis < K {
                prefetch(lanes, second.planes.min[axis], *at);
                if !by_corners {
                    prefetch(lanes, second.planes.max[axis], *at);
                }
                axis += 1;
            }
        }
        Self { earliest, begins }
    }

    /// Returns the volume that the scan compares with: volume `place`, number `index` of the block;
    /// for corners, the box that contains the low corners of all volumes overlapping it.
    #[inline(always)]
    fn near(
        &self,
        by_corners: bool,
        own: &SlabPlanes<'_, K>,
        place: i32,
        index: usize,
    ) -> Slabs<K> {
        let mut near = own.get(place as usize);
        if by_corners {
            near.min = self.earliest.map(|earliest| earliest[index]);
        }
        near
    }
}

#[inline(always)]
fn prefetch<L: Lanes>(lanes: L, plane: &[i32], at: usize) {
    lanes.prefetch(plane, at);
    lanes.prefetch(plane, at + LANES - 1);
}

/// Returns for each of eight keys an index of `order` with only smaller keys before it, and few
/// after it. The binary searches are interleaved to overlap their cache misses.
#[inline(always)]
fn search(order: &[i32], keys: &[i32; LANES]) -> [usize; LANES] {
    let mut low = [0; LANES];
    let mut size = order.len();
    while size > LANES {
        let half = size / 2;
        for (low, &key) in low.iter_mut().zip(keys) {
            // Branch-free, because the outcome is unpredictable.
            *low += select_unpredictable(order[*low + half - 1] < key, half, 0);
        }
        size -= half;
    }
    low
}
