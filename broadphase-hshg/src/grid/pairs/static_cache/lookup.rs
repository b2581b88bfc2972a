//! Who has left his range, and looks for what is static in another: the inner loops of
//! the [static cache](super).

use alloc::vec::Vec;

use broadphase_core::kernel::overlap::Spread;
use broadphase_core::kernel::sweep::Guides;
use broadphase_core::{HitMask, Kernel, LANES, Lanes, SlabPlanes, Slabs};

use crate::grid::storage::row::Row;

/// Where one of those that have left their ranges has to look.
#[derive(Clone, Copy, Debug)]
pub(in crate::grid) struct Lookup<const D: usize> {
    pub(in crate::grid) expired: u32,
    pub(in crate::grid) row: u32,
    /// In this box begins all in the row that may reach its range.
    pub(in crate::grid) begins: Slabs<D>,
}

/// So many looks are had at once, so that they wait for memory together.
pub(in crate::grid) const MAX_LOOKUPS: usize = 64;

/// Finds which places of a run are not in the ranges of their spots: holes may be among them.
pub(in crate::grid) struct Outside<'a, const D: usize> {
    /// Of the store, and of ranges.
    pub(in crate::grid) planes: [SlabPlanes<'a, D>; 2],
    /// The first place of the run, and its spot.
    pub(in crate::grid) begins: [usize; 2],
    pub(in crate::grid) len: usize,
    /// Each with its spot, ascending.
    pub(in crate::grid) found: &'a mut Vec<[u32; 2]>,
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
                found.push([slot + at + lane, entry + at + lane].map(|index| index as u32));
            }
        }
    }
}

/// Finds what begins where some look: it may reach the ranges they have.
pub(in crate::grid) struct RunLookups<'a, const D: usize> {
    pub(in crate::grid) planes: SlabPlanes<'a, D>,
    pub(in crate::grid) rows: &'a [Row<D>],
    /// Those of the last rows, if they are known.
    pub(in crate::grid) row_index: &'a Guides,
    /// Up to as many as are had at once.
    pub(in crate::grid) lookups: &'a [Lookup<D>],
    /// Who looks, and the place.
    pub(in crate::grid) candidates: &'a mut Vec<[u32; 2]>,
    /// When more is seen, it is enough.
    pub(in crate::grid) max_candidates: usize,
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
