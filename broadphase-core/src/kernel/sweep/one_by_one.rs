//! Those of one run each against another run, eight places of it at a time: a few among many.
//!
//! What takes time is memory. So the next eight are asked for while eight are tested. Where tests
//! hardly ever hit, volumes are tested by the corners in which they begin, and only those few that
//! do so where they may reach the one in question are tested by where they end: that is half of the
//! memory. Where tests often hit that took up to twice as long.

use core::hint::select_unpredictable;
use core::ops::Range;

use bounds_hexprism::kernel::overlap::Spread;
use bounds_hexprism::{LANES, Lanes, SlabPlanes, Slabs};

use super::ROOM;
use super::between::{BetweenCursor, Run};
use super::pick::Picked;
use super::reach::Reach;
use crate::kernel::hits;

/// Goes on from `cursor` with what was picked from the first run; yields how many hits there are
/// then, and whether the walk has ended. `CORNERS` says whether to test by corners first. As in all
/// sweeps, who has volumes that reach the last key looks at the places.
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "a kernel takes what its loop needs")]
pub(super) fn one_by_one<const OFTEN: bool, const CORNERS: bool, L: Lanes, const K: usize>(
    lanes: L,
    own: &SlabPlanes<'_, K>,
    ours: &Picked,
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
        Looks::new::<OFTEN, CORNERS, _>(lanes, own, ours.from(cursor.first), second, reach);
    let mut done = true;
    'all: while cursor.first < ours.len() {
        let (block, looks): (&[i32; LANES], _) = (ours.from(cursor.first), next);
        if cursor.first + LANES < ours.len() {
            let block = ours.from(cursor.first + LANES);
            next = Looks::new::<OFTEN, CORNERS, _>(lanes, own, block, second, reach);
        }
        let count = (ours.len() - cursor.first).min(LANES);
        for (which, &place) in block.iter().enumerate().take(count) {
            let near = looks.near::<CORNERS>(own, place, which);
            let near = Spread::new(lanes, &near);
            let mut at = resumed.take().unwrap_or(looks.begins[which]);
            loop {
                if filled + ROOM > hits.len() {
                    (cursor.first, cursor.next) = (cursor.first + which, Some(at));
                    done = false;
                    break 'all;
                }
                let hit = if CORNERS {
                    near.begins_of(lanes, planes, at)
                } else {
                    near.overlaps(lanes, planes, at)
                };
                let is_last = near.ends_before(lanes, planes, at);
                filled = hits::write_pairs_of::<OFTEN, _>(lanes, place, hit, at, hits, filled);
                at += LANES;
                if is_last || at >= second.places.end {
                    break;
                }
            }
        }
        cursor.first += count;
    }
    if done {
        *cursor = BetweenCursor::default();
    }
    if CORNERS {
        filled = overlapping([own, planes], hits, from..filled);
    }
    (filled, done)
}

/// Of hits those whose second volume does not end before the first begins; yields where they end.
#[inline(always)]
fn overlapping<const K: usize>(
    [own, other]: [&SlabPlanes<'_, K>; 2],
    hits: &mut [[u32; 2]],
    stretch: Range<usize>,
) -> usize {
    let mut kept = stretch.start;
    for index in stretch {
        let [a, b] = hits[index];
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

/// Where eight of the first run look in the second.
#[derive(Clone, Copy)]
struct Looks<const K: usize> {
    /// Before which keys nothing begins that reaches them: on the first axis, for corners on all.
    early: [[i32; LANES]; K],
    /// The places from which on they look.
    begins: [usize; LANES],
}

impl<const K: usize> Looks<K> {
    /// Asks for the memory in which they are going to look, so that it is on its way while
    /// something else is tested.
    #[inline(always)]
    fn new<const OFTEN: bool, const CORNERS: bool, L: Lanes>(
        lanes: L,
        own: &SlabPlanes<'_, K>,
        block: &[i32; LANES],
        second: &Run<'_, K>,
        reach: Reach,
    ) -> Self {
        let mut early = [[0; LANES]; K];
        let axes = if CORNERS { K } else { 1 };
        let mut axis = 0;
        while axis < axes {
            for (early, &place) in early[axis].iter_mut().zip(block) {
                *early = own.min[axis][place as usize];
            }
            early[axis] = lanes.store(reach.earliest_of(lanes, lanes.load(&early[axis])));
            axis += 1;
        }
        // Where tests hardly hit, a guide means corners: so without these there is none.
        let guided = match &second.guide {
            Some(guide) if CORNERS || OFTEN => guide.places(lanes, lanes.load(&early[0])),
            _ => None,
        };
        let mut begins = match guided {
            Some(begins) => begins,
            None => search(&second.planes.min[0][second.places.clone()], &early[0]),
        };
        for at in &mut begins {
            *at += second.places.start;
            let mut axis = 0;
            while axis < K {
                prefetch(lanes, second.planes.min[axis], *at);
                if !CORNERS {
                    prefetch(lanes, second.planes.max[axis], *at);
                }
                axis += 1;
            }
        }
        Self { early, begins }
    }

    /// The volume of one of them; for corners, that in which what may reach it begins.
    #[inline(always)]
    fn near<const CORNERS: bool>(
        &self,
        own: &SlabPlanes<'_, K>,
        place: i32,
        which: usize,
    ) -> Slabs<K> {
        let mut near = own.get(place as usize);
        if CORNERS {
            near.min = self.early.map(|early| early[which]);
        }
        near
    }
}

/// Asks for eight places of a plane.
#[inline(always)]
fn prefetch<L: Lanes>(lanes: L, plane: &[i32], at: usize) {
    lanes.prefetch(plane, at);
    lanes.prefetch(plane, at + LANES - 1);
}

/// For each of eight keys, a place with nothing but smaller ones before it, and few or none behind
/// it. All are searched at the same time, so that they wait for memory together and not one after
/// the other.
#[inline(always)]
fn search(order: &[i32], keys: &[i32; LANES]) -> [usize; LANES] {
    let mut low = [0; LANES];
    let mut size = order.len();
    while size > LANES {
        let half = size / 2;
        for (low, &key) in low.iter_mut().zip(keys) {
            // Nobody can guess it.
            *low += select_unpredictable(order[*low + half - 1] < key, half, 0);
        }
        size -= half;
    }
    low
}
