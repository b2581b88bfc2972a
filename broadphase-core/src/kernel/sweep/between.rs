//! Pairs of volumes from two runs.
//!
//! 1. Select in each run the volumes that can reach the other run's bounds (`pick.rs`).
//! 2. If both selections are of similar size: test the first run in blocks of eight against the
//!    second in groups of four; in three dimensions, if tests often hit, only the volumes near the
//!    block.
//! 3. If the second run is far denser, or has a [`RowIndex`](super::RowIndex): test each volume of
//!    the first against eight of the second (`one_by_one.rs`).

use bounds_hexprism::{HitMask, LANES, Lanes, SlabPlanes};

use super::one_by_one::one_by_one;
use super::reach::Reach;
use super::run::{BetweenCursor, Run};
use super::{Picks, ROOM};
use crate::kernel::hits::{self, MakePairs};

/// If the second run has at least this many volumes per volume selected from the first run, nothing
/// is selected from the second: to search where scans begin (`one_by_one.rs`) costs less than a
/// pass over the run.
const LONGER: usize = 48;
/// Replaces `LONGER` if the second run has a row index, which makes searches unnecessary.
const LONGER_BY_CORNERS: usize = 4;
/// If the second selection is this many times as long as the first, the first is tested one by one.
const DENSER: usize = 8;
/// Number of volumes of the second run tested at a time against a block.
const GROUP: usize = 4;

/// Continues from `cursor` with the pairs between two runs; the first should be the shorter. Writes
/// pairs of indices from `hits[filled]` on, the index in the first run first, or last if `flip` is
/// set. Stops when less than [`ROOM`] is left; returns the new number of filled entries, and
/// whether the loop has ended. `often` is as in [`hits::write_pairs`].
///
/// `reach` is the maximum extent of volumes of the second run. `picks` and `cursor` must not be
/// changed between calls until the loop has ended. With a row index, a call may return without a
/// hit, because candidates take room in `hits`.
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "a kernel takes what its loop needs")]
pub fn between<L: Lanes, const K: usize>(
    lanes: L,
    often: bool,
    first: &Run<'_, K>,
    second: &Run<'_, K>,
    reach: Reach,
    picks: &mut Picks,
    cursor: &mut BetweenCursor,
    flip: bool,
    hits: &mut [[u32; 2]],
    filled: usize,
) -> (usize, bool) {
    let from = filled;
    let Picks { ours, theirs, .. } = picks;
    // With an infinite reach the low corner of a volume excludes nothing.
    let by_corners = !often && second.row_index.is_some() && reach.is_finite();
    if !cursor.picked {
        ours.pick(lanes, first, &second.bounds, false);
        let few = ours.len();
        let longer = if by_corners { LONGER_BY_CORNERS } else { LONGER };
        cursor.dense = second.places.len() < longer * few;
        if cursor.dense {
            theirs.pick(lanes, second, &first.bounds, narrows_per_block::<K>(often));
            cursor.dense = theirs.len() < DENSER * few;
        }
        cursor.picked = true;
    }
    let (filled, done) = if cursor.dense {
        let planes = [&first.planes.of_one_length(), &second.planes.of_one_length()];
        test_blocks(lanes, often, planes, picks, reach, cursor, hits, filled)
    } else {
        let (own, ours) = (&first.planes, &*ours);
        crate::specialize!(
            by_corners,
            L,
            one_by_one(lanes, often, by_corners, own, ours, second, reach, cursor, hits, filled)
        )
    };
    if flip {
        for pair in &mut hits[from..filled] {
            pair.reverse();
        }
    }
    (filled, done)
}

/// Returns whether volumes of the second run are picked again for each block of the first, which
/// excludes 30 to 55 %. Sweeps of crowds become 10 to 14 % faster in three dimensions, but not in
/// two, where tests are cheaper.
#[inline(always)]
const fn narrows_per_block<const K: usize>(often: bool) -> bool {
    often && K > 2
}

/// Tests the first selection in blocks of eight, each against the volumes of the second that may
/// reach it, four at a time, from `cursor` on. Returns the new number of filled entries, and
/// whether the loop has ended.
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "a kernel takes what its loop needs")]
fn test_blocks<L: Lanes, const K: usize>(
    lanes: L,
    often: bool,
    [own, other]: [&SlabPlanes<'_, K>; 2],
    picks: &mut Picks,
    reach: Reach,
    cursor: &mut BetweenCursor,
    hits: &mut [[u32; 2]],
    mut filled: usize,
) -> (usize, bool) {
    let Picks { ours, theirs, near } = picks;
    let narrowed = narrows_per_block::<K>(often);
    while cursor.first < ours.len() {
        let block: &[i32; LANES] = ours.from(cursor.first);
        let (min, max) = gather(lanes, own, block);
        let low = own.min[0][block[0] as usize];
        // Start at a multiple of four or eight, to make the number of steps vary less.
        let mut next = match cursor.next.take() {
            Some(next) => next,
            None if narrowed => {
                let earliest = reach.earliest(low);
                while theirs.begin(cursor.begin + LANES - 1) < earliest {
                    cursor.begin += LANES;
                }
                let mut high = i32::MIN;
                for key in lanes.store(max[0]) {
                    high = high.max(key);
                }
                near.pick_near(lanes, theirs, cursor.begin, [low, high]);
                0
            }
            None => {
                let earliest = reach.earliest(low);
                while cursor.begin + GROUP <= theirs.len()
                    && other.min[0][theirs.from::<GROUP>(cursor.begin)[GROUP - 1] as usize]
                        < earliest
                {
                    cursor.begin += GROUP;
                }
                cursor.begin
            }
        };
        let list = if narrowed { &*near } else { &*theirs };
        let begun = next;
        while next < list.len() {
            if filled + ROOM > hits.len() {
                cursor.next = Some(next);
                cursor.tests += ((next - begun) * LANES) as u64;
                return (filled, false);
            }
            let group: &[i32; GROUP] = list.from(next);
            let mut later = lanes.gt(max[0], max[0]);
            let mut apart = [later; GROUP];
            for (apart, &place) in apart.iter_mut().zip(group) {
                let volume = other.get(place as usize);
                later = lanes.gt(lanes.splat(volume.min[0]), max[0]);
                *apart = lanes.mask_or(later, lanes.gt(min[0], lanes.splat(volume.max[0])));
                let mut axis = 1;
                while axis < K {
                    let below = lanes.gt(min[axis], lanes.splat(volume.max[axis]));
                    let above = lanes.gt(lanes.splat(volume.min[axis]), max[axis]);
                    *apart = lanes.mask_or(*apart, lanes.mask_or(below, above));
                    axis += 1;
                }
            }
            let pairs = BlockPairs { block, group };
            filled =
                hits::write_pairs::<GROUP, _>(lanes, often, apart, u64::MAX, hits, filled, &pairs);
            next += GROUP;
            if !narrowed && lanes.movemask(later) == HitMask::ALL {
                break;
            }
        }
        cursor.tests += ((next - begun) * LANES) as u64;
        cursor.first += LANES;
    }
    *cursor = BetweenCursor { tests: cursor.tests, ..BetweenCursor::default() };
    (filled, true)
}

struct BlockPairs<'a> {
    block: &'a [i32; LANES],
    group: &'a [i32; GROUP],
}

impl<L: Lanes> MakePairs<L> for BlockPairs<'_> {
    #[inline(always)]
    fn pair(&self, bit: usize) -> [u32; 2] {
        [self.block[bit % LANES] as u32, self.group[bit / LANES] as u32]
    }

    #[inline(always)]
    fn pairs(&self, lanes: L, hit: HitMask, which: usize) -> (L::I, L::I) {
        (lanes.compress_for_zip(lanes.load(self.block), hit), lanes.splat(self.group[which]))
    }
}

/// Loads the volumes at eight indices, one per lane. [`Lanes::gather`] is no faster.
#[inline(always)]
fn gather<L: Lanes, const K: usize>(
    lanes: L,
    planes: &SlabPlanes<'_, K>,
    places: &[i32; LANES],
) -> ([L::I; K], [L::I; K]) {
    let (mut min, mut max) = ([[0; LANES]; K], [[0; LANES]; K]);
    for (lane, &place) in places.iter().enumerate() {
        let volume = planes.get(place as usize);
        let mut axis = 0;
        while axis < K {
            min[axis][lane] = volume.min[axis];
            max[axis][lane] = volume.max[axis];
            axis += 1;
        }
    }
    let mut volumes = ([lanes.splat(0); K], [lanes.splat(0); K]);
    let mut axis = 0;
    while axis < K {
        (volumes.0[axis], volumes.1[axis]) = (lanes.load(&min[axis]), lanes.load(&max[axis]));
        axis += 1;
    }
    volumes
}
