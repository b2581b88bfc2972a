//! What of two runs can meet: the places of each whose volumes the other may reach, then those of
//! the second run that come near eight of the first.

use alloc::vec::Vec;

use bounds_hexprism::{HitMask, LANES, Lanes, Slabs};

use super::Run;

/// What a sweep between two runs has picked from them; kept from one to the next for its memory.
#[derive(Clone, Debug, Default)]
pub struct Picks {
    pub(super) ours: Picked,
    pub(super) theirs: Picked,
    pub(super) near: Picked,
}

impl Picks {
    /// Makes room for what can be picked from runs of up to so many places. Crowds in space, runs of
    /// three axes whose tests often hit, take more of it; it must be the same for all sweeps.
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

    /// How many bytes it holds.
    #[must_use]
    pub fn memory_use(&self) -> usize {
        let Self { ours, theirs, near } = self;
        let lists = [&ours.places, &theirs.places, &near.places];
        let all = lists.into_iter().chain(&theirs.ends);
        all.map(|list| list.capacity() * size_of::<i32>()).sum()
    }
}

/// A side on which some volumes of a run are apart from bounds: where they begin behind these, or
/// end before them.
#[derive(Clone, Copy, Debug)]
struct Side {
    axis: usize,
    /// 0 for where they begin; all bits for where they end, and `limit` is flipped as well.
    flip: i32,
    /// They are apart above this.
    limit: i32,
}

impl Side {
    /// Those sides of all axes but the first that tell many apart, and how many they are; on the
    /// others nothing is.
    #[inline(always)]
    fn of<const K: usize>(run: &Run<'_, K>, bounds: &Slabs<K>) -> ([Self; 4], usize) {
        let mut sides = [Self { axis: 0, flip: 0, limit: i32::MAX }; 4];
        let mut count = 0;
        let mut axis = 1;
        while axis < K {
            let (min, max) = (run.bounds.min[axis], run.bounds.max[axis]);
            // How far bounds go into the run from each of its ends, beside how long it is.
            let within = |from: i32, to: i32| i64::from(to) - i64::from(from);
            let tells = |part: i64| part.saturating_mul(FEW) > within(min, max);
            if tells(within(min, bounds.min[axis])) {
                sides[count] = Self { axis, flip: -1, limit: !bounds.min[axis] };
                count += 1;
            }
            if tells(within(bounds.max[axis], max)) {
                sides[count] = Self { axis, flip: 0, limit: bounds.max[axis] };
                count += 1;
            }
            axis += 1;
        }
        (sides, count)
    }
}

/// A side tells too few apart if it is beyond less than a part in so many of a run: those are found
/// apart when they are tested.
const FEW: i64 = 16;

/// Places picked from a run, or from such ones, in their order.
#[derive(Clone, Debug, Default)]
pub(super) struct Picked {
    places: Vec<i32>,
    /// Where the volumes begin and end on the first axis, if that was asked for.
    ends: [Vec<i32>; 2],
    len: usize,
}

impl Picked {
    /// How many there are.
    #[inline(always)]
    pub(super) const fn len(&self) -> usize {
        self.len
    }

    /// So many places, up to eight, from one of them on; behind the last there are places of
    /// padding.
    #[inline(always)]
    pub(super) fn from<const N: usize>(&self, at: usize) -> &[i32; N] {
        self.places[at..].first_chunk().expect("eight places more than were picked")
    }

    /// Where one of them begins on the first axis; behind the last, at the end of all.
    #[inline(always)]
    pub(super) fn begin(&self, at: usize) -> i32 {
        self.ends[0][..self.len].get(at).copied().unwrap_or(i32::MAX)
    }

    /// Picks, in place of what was picked before, the volumes of a run that may overlap `bounds` on
    /// all axes but the first: all that do, and hardly any that do not. Notes where they begin and
    /// end on that one, if `with_ends` says so.
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

    /// Picks those that none of the first `N` sides tells apart.
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
        // As many blocks of each plane, so that nothing is checked for each of them.
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
            // What is behind the run is padding, which overlaps nothing when it is tested.
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

    /// Picks, in place of what was picked before, those of others from one on that overlap an
    /// interval of the first axis. Where the others begin and end must have been asked for.
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

/// So many blocks of a plane from a place on.
#[inline(always)]
fn blocks(plane: &[i32], start: usize, count: usize) -> &[[i32; LANES]] {
    &plane[start..].as_chunks().0[..count]
}
