//! The kernel that tests the objects of gathered groups against each other.

use broadphase_core::kernel::hits::{self, WRITES_IF_RARE};
use broadphase_core::kernel::overlap::Spread;
use broadphase_core::{Backend, HitMask, Kernel, LANES, Lanes, instances};

use super::gather::Gathered;

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct GroupCursor {
    pub(crate) group: usize,
    /// The number of finished rows of the current group.
    row: usize,
    /// The number of objects after the current row that the row has been tested against.
    done: usize,
    /// The number of tests in all groups.
    pub(crate) tests: u64,
}

instances! {
    /// Runs [`PairsInGroups`] on a backend.
    pub(crate) fn pairs_in_groups<D>(backend: Backend, kernel: PairsInGroups<'_, D>) -> usize {
        backend.dispatch(kernel)
    }
}

/// Finds pairs in groups, from `cursor` until the groups end or the buffer is full. Returns the
/// number of pairs of slots written.
///
/// Each row of a group ([`Group::rows`](super::gather::Group::rows)) is tested against all later
/// objects, eight at a time; in a sorted group until an object begins after the end of the row on
/// the first axis.
pub(crate) struct PairsInGroups<'a, const D: usize> {
    pub(crate) gathered: &'a Gathered<D>,
    pub(crate) cursor: &'a mut GroupCursor,
    pub(crate) hits: &'a mut [[u32; 2]],
}

impl<const D: usize> Kernel for PairsInGroups<'_, D> {
    type Output = usize;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> usize {
        let Self { gathered, cursor, hits } = self;
        let planes = gathered.planes();
        let (slots, is_own_mover) = (&gathered.slots[..], &gathered.is_own_mover[..]);
        let mut filled = 0;
        while cursor.group < gathered.groups.len() {
            let group = gathered.groups[cursor.group];
            let (rows, end) = (group.rows as usize, group.end as usize);
            let mut row = group.begin as usize + cursor.row;
            while row < rows {
                let slabs = planes.get(row);
                let volume = Spread::new(lanes, &slabs);
                let own = lanes.splat(is_own_mover[row]);
                let mut at = row + 1 + cursor.done;
                while at < end && !(group.swept && planes.min[0][at] > slabs.max[0]) {
                    if filled + LANES + hits::SPARE > hits.len() {
                        cursor.row = row - group.begin as usize;
                        cursor.done = at - (row + 1);
                        return filled;
                    }
                    let either = lanes.or(own, lanes.load_at(is_own_mover, at));
                    let open = lanes.movemask(lanes.gt(either, lanes.splat(0)));
                    let valid = open & HitMask::first(end - at);
                    let word = (volume.overlaps(lanes, &planes, at) & valid).0.into();
                    let hit = |lane| [slots[row] as u32, slots[at + lane] as u32];
                    filled = hits::write::<WRITES_IF_RARE, LANES, _>(word, hits, filled, hit);
                    cursor.tests += LANES as u64;
                    at += LANES;
                }
                cursor.done = 0;
                row += 1;
            }
            cursor.group += 1;
            cursor.row = 0;
        }
        filled
    }
}
