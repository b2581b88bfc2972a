//! Selects the volumes of two runs that can overlap: those within reach of the other run's bounds;
//! then, in the second run, those near a block of eight of the first.

use alloc::vec::Vec;

use bounds_hexprism::{HitMask, LANES, Lanes, Slabs};

use super::Run;

/// Scratch buffers of a sweep between two runs, reused between sweeps.
#[derive(Clone, Debug, Default)]
pub struct Picks {
    pub(super) ours: Selection,
    pub(super) theirs: Selection,
    pub(super) near: Selection,
}

impl Picks {
    /// Grows the buffers for runs of up to `places` volumes. `in_space`, set for runs of three axes
    /// whose tests often hit, must not change between sweeps.
    pub fn reserve(&mut self, places: usize, in_space: bool) {
        let room = places + 2 * LANES;
        let grow = |list: &mut Vec<i32>| list.resize(room.max(list.len()), 0);
        grow(&mut self.ours.places);
        grow(&mut self.theirs.places);
        if in_space {
            grow(&mut self.near.places);
            self.theirs.ends.iter_mut().for_each(grow);
        }
    }

    /// Returns the number of bytes allocated.
    #[must_use]
    pub fn memory_use(&self) -> usize {
        let Self { ours, theirs, near } = self;
        let lists = [&ours.places, &theirs.places, &near.places];
        let all = lists.into_iter().chain(&theirs.ends);
        all.map(|list| list.capacity() * size_of::<i32>()).sum()
    }
}

/// Test on one axis: volumes are apart that begin after the bounds, or that end before them.
#[derive(Clone, Copy, Debug)]
struct Side {
    axis: usize,
    /// 0 to test the low end; all bits set to test the high end, with an inverted `limit`.
    flip: i32,
    /// Volumes whose end, xor `flip`, is above this limit are apart.
    limit: i32,
}

impl Side {
    /// Returns the sides, and their number, beyond which many volumes of the run may lie, without
    /// the first axis. Other sides in the array exclude nothing.
    #[inline(always)]
    fn of<const K: usize>(run: &Run<'_, K>, bounds: &Slabs<K>) -> ([Self; 4], usize) {
        let mut sides = [Self { axis: 0, flip: 0, limit: i32::MAX }; 4];
        let mut count = 0;
        let mut axis = 1;
        while axis < K {
            let (min, max) = (run.bounds.min[axis], run.bounds.max[axis]);
            // Compare the width of the run beyond the other bounds with the whole width.
            let within = |from: i32, to: i32| i64::from(to) - i64::from(from);
            let excludes_enough =
                |part: i64| part.saturating_mul(MIN_EXCLUDED_ONE_IN) > within(min, max);
            if excludes_enough(within(min, bounds.min[axis])) {
                sides[count] = Self { axis, flip: -1, limit: !bounds.min[axis] };
                count += 1;
            }
            if excludes_enough(within(bounds.max[axis], max)) {
                sides[count] = Self { axis, flip: 0, limit: bounds.max[axis] };
                count += 1;
            }
            axis += 1;
        }
        (sides, count)
    }
}

/// A side is tested if at least 1 / this number of the run's width is beyond it. The later overlap
/// test excludes the few volumes beyond other sides.
const MIN_EXCLUDED_ONE_IN: i64 = 16;

/// Selected indices of a run, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Selection {
    places: Vec<i32>,
    /// Low and high ends of the volumes on the first axis, if requested.
    ends: [Vec<i32>; 2],
    len: usize,
}

impl Selection {
    #[inline(always)]
    pub(super) const fn len(&self) -> usize {
        self.len
    }

    /// Returns `N` indices (at most 8) from position `at` on; past the end they are padding.
    #[inline(always)]
    pub(super) fn from<const N: usize>(&self, at: usize) -> &[i32; N] {
        self.places[at..].first_chunk().expect("padding of eight indices")
    }

    /// Returns the low end on the first axis of the volume at position `at`; past the end, the
    /// largest key.
    #[inline(always)]
    pub(super) fn begin(&self, at: usize) -> i32 {
        self.ends[0][..self.len].get(at).copied().unwrap_or(i32::MAX)
    }

    /// Selects all volumes that may overlap `bounds`, ignoring the first axis, and few others.
    /// Stores their ends on the first axis if `with_ends` is set.
    #[inline(always)]
    pub(super) fn pick<L: Lanes, const K: usize>(
        &mut self,
        lanes: L,
        run: &Run<'_, K>,
        bounds: &Slabs<K>,
        with_ends: bool,
    ) {
        let (sides, count) = Side::of(run, bounds);
        if count < 2 {
            self.pick_by::<1, _, _>(lanes, run, &sides, with_ends);
        } else if K < 3 || count == 2 {
            self.pick_by::<2, _, _>(lanes, run, &sides, with_ends);
        } else {
            self.pick_by::<4, _, _>(lanes, run, &sides, with_ends);
        }
    }

    /// Selects the volumes that none of the first `N` sides excludes.
    #[inline(always)]
    fn pick_by<const N: usize, L: Lanes, const K: usize>(
        &mut self,
        lanes: L,
        run: &Run<'_, K>,
        sides: &[Side; 4],
        with_ends: bool,
    ) {
        let (planes, places) = (&run.planes, run.places.clone());
        let count = places.len().div_ceil(LANES);
        // Slices of equal length, for which the compiler omits index checks per block.
        let start = places.start;
        let mut planes_of_sides: [&[[i32; LANES]]; N] = [&[]; N];
        let (mut flips, mut limits) = ([lanes.splat(0); N], [lanes.splat(0); N]);
        let mut side = 0;
        while side < N {
            let Side { axis, flip, limit } = sides[side];
            let plane = if flip == 0 { planes.min[axis] } else { planes.max[axis] };
            planes_of_sides[side] = blocks(plane, start, count);
            (flips[side], limits[side]) = (lanes.splat(flip), lanes.splat(limit));
            side += 1;
        }
        let (firsts, lasts) =
            (blocks(planes.min[0], start, count), blocks(planes.max[0], start, count));
        let room = self.places.len();
        let list = &mut self.places[..room];
        let [begins, ends] = &mut self.ends;
        let held = if with_ends { room } else { 0 };
        let (begins, ends) = (&mut begins[..held], &mut ends[..held]);
        let mut len = 0;
        for block in 0..count {
            let mut apart = lanes.gt(lanes.splat(0), lanes.splat(0));
            let mut side = 0;
            while side < N {
                let ends = lanes.xor(lanes.load(&planes_of_sides[side][block]), flips[side]);
                let beyond = lanes.gt(ends, limits[side]);
                apart = if side == 0 { beyond } else { lanes.mask_or(apart, beyond) };
                side += 1;
            }
            // Entries past the run are padding: if selected, they overlap nothing when tested.
            let hits = !lanes.movemask(apart);
            let at = (start + block * LANES) as i32;
            lanes.store_at(lanes.add(lanes.splat(at), lanes.lane_indices(hits)), list, len);
            if with_ends {
                let first = lanes.compress(lanes.load(&firsts[block]), hits);
                lanes.store_at(first, begins, len);
                let last = lanes.compress(lanes.load(&lasts[block]), hits);
                lanes.store_at(last, ends, len);
            }
            len += hits.count() as usize;
        }
        lanes.store_at(lanes.splat(places.end as i32), list, len);
        if with_ends {
            lanes.store_at(lanes.splat(i32::MAX), begins, len);
            lanes.store_at(lanes.splat(i32::MIN), ends, len);
        }
        self.len = len;
    }

    /// Replaces the selection with the volumes of `others`, from position `from` on, that overlap
    /// an interval of the first axis. `others` must have ends.
    #[inline(always)]
    pub(super) fn pick_near<L: Lanes>(
        &mut self,
        lanes: L,
        others: &Self,
        from: usize,
        [low, high]: [i32; 2],
    ) {
        let room = others.places.len();
        let (list, near) = (&others.places[..room], &mut self.places[..room]);
        let (begins, ends) = (&others.ends[0][..room], &others.ends[1][..room]);
        let (least, most) = (lanes.splat(low), lanes.splat(high));
        let mut len = 0;
        let mut at = from;
        while at < others.len {
            let later = lanes.gt(lanes.load_at(begins, at), most);
            let apart = lanes.mask_or(later, lanes.gt(least, lanes.load_at(ends, at)));
            let hits = !lanes.movemask(apart);
            lanes.store_at(lanes.compress(lanes.load_at(list, at), hits), near, len);
            len += hits.count() as usize;
            if lanes.movemask(later) != HitMask::default() {
                break;
            }
            at += LANES;
        }
        lanes.store_at(lanes.splat(list[others.len]), near, len);
        self.len = len;
    }
}

#[inline(always)]
fn blocks(plane: &[i32], start: usize, count: usize) -> &[[i32; LANES]] {
    &plane[start..].as_chunks().0[..count]
}
