//! Kernels that test the objects of gathered groups against each other, and objects against
//! oversized objects. They write the hits into a buffer.

use broadphase_core::kernel::between;
use broadphase_core::kernel::hits::{self, WRITES_IF_RARE};
use broadphase_core::kernel::overlap::Spread;
use broadphase_core::kernel::within::Cursor;
use broadphase_core::{Backend, HitMask, Kernel, LANES, Lanes, SlabVec, instances};

use super::gather::{Gathered, all_bits};
use crate::hash::cells::Record;

/// The position at which a search continues in the groups: the gathered objects of each cell.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct GroupCursor {
    pub(crate) group: usize,
    /// The number of finished rows of the current group.
    row: usize,
    /// The number of objects after the current row that the row has been tested against.
    done: usize,
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
/// Each *row* (see [`Group::rows`](super::gather::Group::rows)) is tested against all later objects
/// of its group, eight at a time; in a sorted group only until an object begins after the end of
/// the row on the first axis.
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
        let planes = gathered.slabs.planes();
        let (slots, bits) = (&gathered.slots[..], &gathered.bits[..]);
        let all = lanes.splat(all_bits(D));
        let mut filled = 0;
        while cursor.group < gathered.groups.len() {
            let group = gathered.groups[cursor.group];
            let (rows, end) = (group.rows as usize, group.end as usize);
            let mut row = group.begin as usize + cursor.row;
            while row < rows {
                let slabs = planes.get(row);
                let volume = Spread::new(lanes, &slabs);
                let own = lanes.splat(bits[row]);
                let mut at = row + 1 + cursor.done;
                while at < end && !(group.swept && planes.min[0][at] > slabs.max[0]) {
                    if filled + LANES + hits::SPARE > hits.len() {
                        cursor.row = row - group.begin as usize;
                        cursor.done = at - (row + 1);
                        return filled;
                    }
                    let either = lanes.or(own, lanes.load_at(bits, at));
                    let open = lanes.movemask(lanes.eq(either, all));
                    let valid = open & HitMask::first(end - at);
                    let word = (volume.overlaps(lanes, &planes, at) & valid).0.into();
                    let hit = |lane| [slots[row], slots[at + lane]];
                    filled = hits::write::<WRITES_IF_RARE, LANES, _>(word, hits, filled, hit);
                    at += LANES;
                }
                cursor.done = 0;
                row += 1;
            }
            *cursor = GroupCursor { group: cursor.group + 1, ..GroupCursor::default() };
        }
        filled
    }
}

/// Tests objects (*rows*) against all oversized objects, from `cursor` until the rows end or the
/// buffer is full. Returns the number of pairs written: `[slot, index in the list of oversized
/// objects]`.
pub(crate) struct PairsWithOversized<'a, const D: usize> {
    pub(crate) records: &'a [Record<D>],
    /// `slots[i]` is the slot of row `i`, and so the index of its record. `None` if each row `i` is
    /// the object in slot `i`.
    pub(crate) slots: Option<&'a [u32]>,
    /// The end of the rows to test.
    pub(crate) end: usize,
    pub(crate) oversized: &'a SlabVec<D>,
    pub(crate) cursor: &'a mut Cursor,
    pub(crate) hits: &'a mut [[u32; 2]],
}

impl<const D: usize> Kernel for PairsWithOversized<'_, D> {
    type Output = usize;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> usize {
        let Self { records, slots, end, oversized, cursor, hits } = self;
        let slot_of = |row: usize| slots.map_or(row, |slots| slots[row] as usize);
        let volume = |row: usize| records[slot_of(row)].slabs;
        let planes = oversized.planes();
        let filled = between::pairs(lanes, end, volume, &planes, oversized.len(), cursor, hits);
        for hit in &mut hits[..filled] {
            hit[0] = slot_of(hit[0] as usize) as u32;
        }
        filled
    }
}
