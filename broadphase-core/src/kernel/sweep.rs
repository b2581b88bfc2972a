//! Pairs within one run of sorted volumes, and between two, the hits into a buffer.
//!
//! A *run* is a stretch of planes in which volumes ascend by `min[0]`. Within a run eight
//! neighbours are compared with the eight that come 1, 2, 3, … places later, until none of them
//! begins before its partner ends: no table, and one branch for eight objects. Planes must go on
//! for eight lanes past the end of every run; what is there does not matter.

use core::ops::Range;

use bounds_hexprism::kernel::overlap::Spread;
use bounds_hexprism::{HitMask, LANES, Lanes, SlabPlanes, Slabs};

/// Where a walk over the pairs of a run, or of two, has come to.
#[derive(Clone, Copy, Debug, Default)]
pub struct SweepCursor {
    /// The block in the first run.
    base: usize,
    /// How many places later its partners are, or where in the second run they are.
    place: usize,
    /// Before this place in the second run nothing reaches what is still to come.
    begin: usize,
    /// The volumes of the block that are still to be looked at, the first of them from `place` on.
    left: HitMask,
}

/// Goes on from `cursor` with the pairs within a run; yields how many pairs of places are in
/// `hits` then, and whether the run has ended. Stops when there is no room for eight more.
#[inline(always)]
pub fn within<L: Lanes, const K: usize>(
    lanes: L,
    planes: &SlabPlanes<'_, K>,
    run: Range<usize>,
    cursor: &mut SweepCursor,
    hits: &mut [[u32; 2]],
    mut filled: usize,
) -> (usize, bool) {
    let len = run.len();
    let mut base = cursor.base;
    let mut lag = cursor.place.max(1);
    while base + lag < len {
        let at = run.start + base;
        let reach = lanes.load_at(planes.max[0], at);
        loop {
            if base + lag >= len {
                break;
            }
            if filled + LANES > hits.len() {
                (cursor.base, cursor.place) = (base, lag);
                return (filled, false);
            }
            let valid = HitMask::first(len - base - lag);
            let later = lanes.gt(lanes.load_at(planes.min[0], at + lag), reach);
            if (!lanes.bits(later) & valid).is_empty() {
                break;
            }
            let mut apart = later;
            let mut axis = 1;
            while axis < K {
                let (min, max) = (planes.min[axis], planes.max[axis]);
                let above = lanes.gt(lanes.load_at(min, at + lag), lanes.load_at(max, at));
                let below = lanes.gt(lanes.load_at(min, at), lanes.load_at(max, at + lag));
                apart = lanes.either(apart, lanes.either(above, below));
                axis += 1;
            }
            for lane in !lanes.bits(apart) & valid {
                hits[filled] = [(at + lane) as u32, (at + lag + lane) as u32];
                filled += 1;
            }
            lag += 1;
        }
        base += LANES;
        lag = 1;
    }
    *cursor = SweepCursor::default();
    (filled, true)
}

/// Goes on from `cursor` with the pairs between two runs, one place of each; yields how many
/// pairs are in `hits` then, and whether the first run has ended. Stops when there is no room for
/// eight more.
///
/// `bounds` encloses the second run: what does not overlap it is passed over, eight at a time.
/// `earliest` says, for the `min[0]` of a volume, before which `min[0]` no volume of the second
/// run can reach it; it must not descend.
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "a kernel takes what its loop needs")]
pub fn between<L: Lanes, const K: usize>(
    lanes: L,
    planes: &SlabPlanes<'_, K>,
    first: Range<usize>,
    second: Range<usize>,
    bounds: &Slabs<K>,
    earliest: impl Fn(i32) -> i32,
    cursor: &mut SweepCursor,
    hits: &mut [[u32; 2]],
    mut filled: usize,
) -> (usize, bool) {
    let SweepCursor { mut base, mut place, mut begin, mut left } = *cursor;
    let mut resumed = !left.is_empty();
    let enclosing = Spread::new(lanes, bounds);
    while base < first.len() {
        let at = first.start + base;
        if !resumed {
            left = enclosing.overlaps(lanes, planes, at) & HitMask::first(first.len() - base);
        }
        while !left.is_empty() {
            let lane = left.0.trailing_zeros() as usize;
            let volume = planes.get(at + lane);
            if !resumed {
                let early = earliest(volume.min[0]);
                while begin + LANES <= second.len()
                    && planes.min[0][second.start + begin + LANES - 1] < early
                {
                    begin += LANES;
                }
                place = begin;
            }
            resumed = false;
            let spread = Spread::new(lanes, &volume);
            while place < second.len() && planes.min[0][second.start + place] <= volume.max[0] {
                if filled + LANES > hits.len() {
                    *cursor = SweepCursor { base, place, begin, left };
                    return (filled, false);
                }
                let there = second.start + place;
                let valid = HitMask::first(second.len() - place);
                for partner in spread.overlaps(lanes, planes, there) & valid {
                    hits[filled] = [(at + lane) as u32, (there + partner) as u32];
                    filled += 1;
                }
                place += LANES;
            }
            left = HitMask(left.0 & (left.0 - 1));
        }
        base += LANES;
    }
    *cursor = SweepCursor::default();
    (filled, true)
}
