//! The kernels of the [static cache](super), for objects outside their ranges and for new ranges.

use alloc::vec::Vec;

use broadphase_core::kernel::overlap::Spread;
use broadphase_core::kernel::sweep::RowIndexes;
use broadphase_core::{HitMask, Kernel, LANES, Lanes, SlabPlanes, Slabs};

use crate::grid::storage::row::Row;

/// A search for the static objects of one row that can overlap the range of an expired entry.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lookup<const D: usize> {
    pub(super) expired: u32,
    pub(crate) row: u32,
    /// The box in which the low corners of these static objects lie.
    pub(crate) begins: Slabs<D>,
}

/// The maximum number of lookups in a batch; their cache misses overlap.
pub(super) const MAX_LOOKUPS: usize = 64;

/// Finds the slots of a row whose slabs are not within the ranges of their entries; possibly holes,
/// too.
pub(super) struct Outside<'a, const D: usize> {
    /// The planes of the store, and the planes of the ranges.
    pub(crate) planes: [SlabPlanes<'a, D>; 2],
    /// The first slot of the row, and the entry of that slot.
    pub(crate) begins: [usize; 2],
    pub(crate) len: usize,
    /// The slots found, each with its entry, ascending.
    pub(crate) found: &'a mut Vec<[u32; 2]>,
}

impl<const D: usize> Kernel for Outside<'_, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Self { planes: [slots, ranges], begins: [slot, entry], len, found } = self;
        let (slots, ranges) = (slots.of_one_length(), ranges.of_one_length());
        for at in (0..len).step_by(LANES) {
            let mut outside = lanes.gt(lanes.splat(0), lanes.splat(0));
            let mut axis = 0;
            while axis < D {
                let min = lanes.load_at(slots.min[axis], slot + at);
                let max = lanes.load_at(slots.max[axis], slot + at);
                let before = lanes.gt(lanes.load_at(ranges.min[axis], entry + at), min);
                let behind = lanes.gt(max, lanes.load_at(ranges.max[axis], entry + at));
                outside = lanes.mask_or(outside, lanes.mask_or(before, behind));
                axis += 1;
            }
            for lane in lanes.movemask(outside) & HitMask::first(len - at) {
                found.push([(slot + at + lane) as u32, (entry + at + lane) as u32]);
            }
        }
    }
}

/// Finds the *candidates* of lookups: static objects with low corners in the boxes of the lookups.
pub(super) struct RunLookups<'a, const D: usize> {
    pub(crate) planes: SlabPlanes<'a, D>,
    pub(crate) rows: &'a [Row<D>],
    /// The interpolation indices of the static rows (the last rows); empty if not built.
    pub(crate) row_index: &'a RowIndexes,
    /// The lookups to run, at most [`MAX_LOOKUPS`].
    pub(super) lookups: &'a [Lookup<D>],
    /// The candidates found: the index in the list of expired entries, and the slot.
    pub(super) candidates: &'a mut Vec<[u32; 2]>,
    /// The kernel stops at this number of candidates.
    pub(super) max_candidates: usize,
}

impl<const D: usize> Kernel for RunLookups<'_, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Self { planes, rows, row_index, lookups, candidates, max_candidates } = self;
        let planes = planes.of_one_length();
        let unindexed = rows.len() - row_index.len();
        let mut at = [0; MAX_LOOKUPS];
        for (at, lookup) in at.iter_mut().zip(lookups) {
            let (row, first) = (&rows[lookup.row as usize], lookup.begins.min[0]);
            let index = (lookup.row as usize).checked_sub(unindexed).map(|row| row_index.get(row));
            let guided = match index {
                Some(index) => index.place(lanes, first),
                None => None,
            };
            let search = || planes.min[0][row.slots()].partition_point(|&min| min < first);
            *at = row.begin + guided.unwrap_or_else(search);
            let mut axis = 0;
            while axis < D {
                lanes.prefetch(planes.min[axis], *at);
                lanes.prefetch(planes.min[axis], *at + LANES - 1);
                axis += 1;
            }
        }
        for (&at, lookup) in at.iter().zip(lookups) {
            let begins = Spread::new(lanes, &lookup.begins);
            let mut at = at;
            let end = rows[lookup.row as usize].slots().end;
            while at < end && candidates.len() <= max_candidates {
                let hits = begins.begins_of(lanes, &planes, at) & HitMask::first(end - at);
                for lane in hits {
                    candidates.push([lookup.expired, (at + lane) as u32]);
                }
                if begins.ends_before(lanes, &planes, at) {
                    break;
                }
                at += LANES;
            }
        }
    }
}
