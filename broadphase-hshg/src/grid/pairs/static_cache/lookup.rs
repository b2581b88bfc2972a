//! Who has left his range, and looks for what is static in another: the inner loops of
//! the [static cache](super).

use alloc::vec::Vec;

use broadphase_core::kernel::overlap::Spread;
use broadphase_core::kernel::sweep::Guides;
use broadphase_core::{HitMask, Kernel, LANES, Lanes, SlabPlanes, Slabs};

use crate::grid::storage::row::Row;

/// Where one of those that have left their ranges has to look.
#[derive(Clone, Copy, Debug)]
pub(in crate::grid) struct Look<const D: usize> {
    pub(in crate::grid) leaver: u32,
    pub(in crate::grid) row: u32,
    /// In this box begins all in the row that may reach its range.
    pub(in crate::grid) begins: Slabs<D>,
}

/// So many looks are had at once, so that they wait for memory together.
pub(in crate::grid) const LOOKS: usize = 64;

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
        let Self { planes: [places, ranges], begins: [place, spot], len, found } = self;
        let (places, ranges) = (places.of_one_length(), ranges.of_one_length());
        for at in (0..len).step_by(LANES) {
            let mut outside = lanes.gt(lanes.splat(0), lanes.splat(0));
            let mut axis = 0;
            while axis < D {
                let min = lanes.load_at(places.min[axis], place + at);
                let max = lanes.load_at(places.max[axis], place + at);
                let before = lanes.gt(lanes.load_at(ranges.min[axis], spot + at), min);
                let behind = lanes.gt(max, lanes.load_at(ranges.max[axis], spot + at));
                outside = lanes.mask_or(outside, lanes.mask_or(before, behind));
                axis += 1;
            }
            for lane in lanes.movemask(outside) & HitMask::first(len - at) {
                found.push([place + at + lane, spot + at + lane].map(|index| index as u32));
            }
        }
    }
}

/// Finds what begins where some look: it may reach the ranges they have.
pub(in crate::grid) struct LookUp<'a, const D: usize> {
    pub(in crate::grid) planes: SlabPlanes<'a, D>,
    pub(in crate::grid) rows: &'a [Row<D>],
    /// Those of the last rows, if they are known.
    pub(in crate::grid) guides: &'a Guides,
    /// Up to as many as are had at once.
    pub(in crate::grid) looks: &'a [Look<D>],
    /// Who looks, and the place.
    pub(in crate::grid) seen: &'a mut Vec<[u32; 2]>,
    /// When more is seen, it is enough.
    pub(in crate::grid) most: usize,
}

impl<const D: usize> Kernel for LookUp<'_, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Self { planes, rows, guides, looks, seen, most } = self;
        let planes = planes.of_one_length();
        let unguided = rows.len() - guides.len();
        let mut at = [0; LOOKS];
        for (at, look) in at.iter_mut().zip(looks) {
            let (row, first) = (&rows[look.row as usize], look.begins.min[0]);
            let guide = (look.row as usize).checked_sub(unguided).map(|row| guides.get(row));
            let guided = match guide {
                Some(guide) => guide.place(lanes, first),
                None => None,
            };
            let search = || planes.min[0][row.places()].partition_point(|&min| min < first);
            *at = row.begin + guided.unwrap_or_else(search);
            let mut axis = 0;
            while axis < D {
                lanes.prefetch(planes.min[axis], *at);
                lanes.prefetch(planes.min[axis], *at + LANES - 1);
                axis += 1;
            }
        }
        for (&at, look) in at.iter().zip(looks) {
            let begins = Spread::new(lanes, &look.begins);
            let mut at = at;
            let end = rows[look.row as usize].places().end;
            while at < end && seen.len() <= most {
                let hits = begins.begins_of(lanes, &planes, at) & HitMask::first(end - at);
                for lane in hits {
                    seen.push([look.leaver, (at + lane) as u32]);
                }
                if begins.ends_before(lanes, &planes, at) {
                    break;
                }
                at += LANES;
            }
        }
    }
}
