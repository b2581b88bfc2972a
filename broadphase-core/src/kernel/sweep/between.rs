//! Pairs between two runs, one volume of each.
//!
//! What of each run cannot reach the other is passed over first. Then eight of the first run meet
//! those of the second, four at a time (in crowds in space, only those near the eight); or, where
//! the second run is far denser, or has a guide, each of the first meets those of the second, eight
//! at a time.

use core::ops::Range;

use bounds_hexprism::{HitMask, LANES, Lanes, SlabPlanes, Slabs};

use super::guide::Guide;
use super::one_by_one::one_by_one;
use super::reach::Reach;
use super::{Picks, ROOM};
use crate::kernel::hits::{self, MakePairs};

/// From so many times as many places in the second run on, picking from it costs more than
/// looking for places in it.
const LONGER: usize = 48;
/// The same where nobody has to look for them, and they are tested by corners.
const LONGER_BY_CORNERS: usize = 4;
/// From so many times as many picked from the second run on, the first is taken one by one.
const DENSER: usize = 8;
/// So many of the second run are tested before anything is decided.
const GROUP: usize = 4;

/// Where a walk over the pairs between two runs has come to.
#[derive(Clone, Copy, Debug, Default)]
pub struct BetweenCursor {
    /// Whether the volumes to be tested have been picked.
    picked: bool,
    /// Whether both are about as dense.
    dense: bool,
    /// Which block, or which volume, of those of the first run is next.
    pub(super) first: usize,
    /// Before this one of the second run nothing reaches what is still to come.
    begin: usize,
    /// Which of those that it is tested against, or which place of the second run, is next for it.
    pub(super) next: Option<usize>,
}

/// A run: places in planes, and what encloses their volumes.
#[derive(Clone, Debug)]
pub struct Run<'a, const K: usize> {
    /// The planes.
    pub planes: SlabPlanes<'a, K>,
    /// The places.
    pub places: Range<usize>,
    /// Encloses all volumes.
    pub bounds: Slabs<K>,
    /// A guide through it, if there is one: made for these places as they are now, with keys of the
    /// same numbers as those of the [`Reach`]. Only that of the second run is used.
    pub guide: Option<Guide<'a>>,
}

/// Goes on from `cursor` with the pairs between two runs; yields how many pairs of places are in
/// `hits` then, the one in the first run first (or last, if `flip` says so), and whether the walk
/// has ended. Stops when there is no [`ROOM`] for more. The first run should be the shorter one.
/// For `OFTEN` see [`hits::write_pairs`].
///
/// `reach` says how far volumes of the second run reach, on every axis. Until the walk has ended,
/// `picks` must be left as they are between calls. With a guide a call may stop without a hit: what
/// might have reached a volume takes room too.
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "a kernel takes what its loop needs")]
pub fn between<const OFTEN: bool, L: Lanes, const K: usize>(
    lanes: L,
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
    // If everything may reach everything, where volumes begin says nothing.
    let by_corners = !OFTEN && second.guide.is_some() && reach.is_finite();
    if !cursor.picked {
        ours.pick(lanes, first, &second.bounds, false);
        let few = ours.len();
        let longer = if by_corners { LONGER_BY_CORNERS } else { LONGER };
        cursor.dense = second.places.len() < longer * few;
        if cursor.dense {
            theirs.pick(lanes, second, &first.bounds, picks_twice::<OFTEN, K>());
            cursor.dense = theirs.len() < DENSER * few;
        }
        cursor.picked = true;
    }
    let (filled, done) = if cursor.dense {
        let planes = [&first.planes.of_one_length(), &second.planes.of_one_length()];
        by_blocks::<OFTEN, _, _>(lanes, planes, picks, reach, cursor, hits, filled)
    } else {
        let (own, ours) = (&first.planes, &*ours);
        if by_corners {
            one_by_one::<OFTEN, true, _, _>(lanes, own, ours, second, reach, cursor, hits, filled)
        } else {
            one_by_one::<OFTEN, false, _, _>(lanes, own, ours, second, reach, cursor, hits, filled)
        }
    };
    if flip {
        for pair in &mut hits[from..filled] {
            pair.reverse();
        }
    }
    (filled, done)
}

/// Whether those of the second run that are near a block are picked once more: of those that may
/// reach it by their size, 30 to 55 in a hundred do not. Sweeps of crowds in space are a tenth to a
/// seventh faster; in a plane, where a test is cheaper, they are not.
#[inline(always)]
const fn picks_twice<const OFTEN: bool, const K: usize>() -> bool {
    OFTEN && K > 2
}

/// Eight of the first run against those of the second that may reach them, four at a time.
#[inline(always)]
fn by_blocks<const OFTEN: bool, L: Lanes, const K: usize>(
    lanes: L,
    [own, other]: [&SlabPlanes<'_, K>; 2],
    picks: &mut Picks,
    reach: Reach,
    cursor: &mut BetweenCursor,
    hits: &mut [[u32; 2]],
    mut filled: usize,
) -> (usize, bool) {
    let Picks { ours, theirs, near } = picks;
    let twice = picks_twice::<OFTEN, K>();
    while cursor.first < ours.len() {
        let block: &[i32; LANES] = ours.from(cursor.first);
        let (min, max) = gather(lanes, own, block);
        let low = own.min[0][block[0] as usize];
        // In steps of four or eight, so that it is mostly the same number of steps.
        let mut next = match cursor.next.take() {
            Some(next) => next,
            None if twice => {
                let early = reach.earliest(low);
                while theirs.begin(cursor.begin + LANES - 1) < early {
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
                let early = reach.earliest(low);
                while cursor.begin + GROUP <= theirs.len()
                    && other.min[0][theirs.from::<GROUP>(cursor.begin)[GROUP - 1] as usize] < early
                {
                    cursor.begin += GROUP;
                }
                cursor.begin
            }
        };
        let list = if twice { &*near } else { &*theirs };
        while next < list.len() {
            if filled + ROOM > hits.len() {
                cursor.next = Some(next);
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
            let met = Met { block, group };
            filled =
                hits::write_pairs::<OFTEN, GROUP, _>(lanes, apart, u64::MAX, hits, filled, &met);
            if !twice && lanes.movemask(later) == HitMask::ALL {
                break;
            }
            next += GROUP;
        }
        cursor.first += LANES;
    }
    *cursor = BetweenCursor::default();
    (filled, true)
}

/// The places of a block, and of those of the second run that it is tested against.
struct Met<'a> {
    block: &'a [i32; LANES],
    group: &'a [i32; GROUP],
}

impl<L: Lanes> MakePairs<L> for Met<'_> {
    #[inline(always)]
    fn pair(&self, bit: usize) -> [u32; 2] {
        [self.block[bit % LANES] as u32, self.group[bit / LANES] as u32]
    }

    #[inline(always)]
    fn pairs(&self, lanes: L, hit: HitMask, which: usize) -> (L::I, L::I) {
        (lanes.compress_for_zip(lanes.load(self.block), hit), lanes.splat(self.group[which]))
    }
}

/// Eight volumes, one in a lane. With [`Lanes::gather`]: no faster.
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
