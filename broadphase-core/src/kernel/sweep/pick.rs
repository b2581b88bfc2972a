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

    /// Picks, in place of what was picked before, the volumes of a run that overlap `bounds` on
    /// all axes but the first; notes where they begin and end on that one, if `with_ends` says so.
    #[inline(always)]
    pub(super) fn pick<L: Lanes, const K: usize>(
        &mut self,
        lanes: L,
        run: &Run<'_, K>,
        bounds: &Slabs<K>,
        with_ends: bool,
    ) {
        // Of one length, so that one check is enough for all.
        let planes = run.planes.of_one_length();
        let room = self.places.len();
        let places = &mut self.places[..room];
        let [begins, ends] = &mut self.ends;
        let held = if with_ends { room } else { 0 };
        let (begins, ends) = (&mut begins[..held], &mut ends[..held]);
        let min = bounds.min.map(|key| lanes.splat(key));
        let max = bounds.max.map(|key| lanes.splat(key));
        let nothing = lanes.splat(0);
        let mut len = 0;
        let mut at = run.places.start;
        while at < run.places.end {
            let mut apart = lanes.gt(nothing, nothing);
            let mut axis = 1;
            while axis < K {
                let above = lanes.gt(lanes.load_at(planes.min[axis], at), max[axis]);
                let below = lanes.gt(min[axis], lanes.load_at(planes.max[axis], at));
                apart = lanes.either(apart, lanes.either(above, below));
                axis += 1;
            }
            // What is behind the run is padding.
            let hits = !lanes.bits(apart);
            let picked = lanes.add(lanes.splat(at as i32), lanes.numbers(hits));
            lanes.store_at(picked, places, len);
            if with_ends {
                let first = lanes.compress(lanes.load_at(planes.min[0], at), hits);
                lanes.store_at(first, begins, len);
                let last = lanes.compress(lanes.load_at(planes.max[0], at), hits);
                lanes.store_at(last, ends, len);
            }
            len += hits.count() as usize;
            at += LANES;
        }
        lanes.store_at(lanes.splat(run.places.end as i32), places, len);
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
            let apart = lanes.either(later, lanes.gt(least, lanes.load_at(ends, at)));
            let hits = !lanes.bits(apart);
            lanes.store_at(lanes.compress(lanes.load_at(list, at), hits), near, len);
            len += hits.count() as usize;
            if lanes.bits(later) != HitMask::default() {
                break;
            }
            at += LANES;
        }
        lanes.store_at(lanes.splat(list[others.len]), near, len);
        self.len = len;
    }
}
