//! Where arrivals go, found for many at a time: so they wait for memory together, and not each for
//! the one before it.

use broadphase_core::{Kernel, LANES, Lanes, Scalar};

use crate::grid::Core;
use crate::grid::data::DataAddress;
use crate::grid::maintenance::merge::Arrival;

/// How many arrivals are looked for at once: what is fetched for them fits the nearest caches.
pub(in crate::grid) const AT_ONCE: usize = 32;
/// So far from where an arrival goes all that is there is asked for.
const AROUND: usize = LANES;

/// Finds the places of arrivals in their rows as they are now, and asks for what will move when they
/// are put there.
struct Approach<'a, S, const D: usize> {
    core: &'a Core<S, D>,
    data: DataAddress,
    arrivals: &'a [Arrival],
    places: &'a mut [u32],
}

impl<S: Scalar, const D: usize> Kernel for Approach<'_, S, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Self { core, data, arrivals, places } = self;
        for (arrivals, places) in arrivals.chunks(LANES).zip(places.chunks_mut(LANES)) {
            core.search(arrivals, places);
            for &place in &*places {
                core.ask_around(lanes, place as usize, data);
            }
        }
        for (arrival, &place) in arrivals.iter().zip(&*places) {
            core.ask_for_slots(lanes, arrival.row, place as usize);
        }
    }
}

impl<S: Scalar, const D: usize> Core<S, D> {
    /// About where in the store arrivals go; nothing if they are many.
    pub(in crate::grid) fn approach<'a>(
        &self,
        arrivals: &[Arrival],
        places: &'a mut [u32; AT_ONCE],
        data: DataAddress,
    ) -> &'a [u32] {
        let Some(places) = places.get_mut(..arrivals.len()) else { return &[] };
        self.backend.dispatch(Approach { core: self, data, arrivals, places });
        places
    }

    /// Finds the places of up to eight arrivals: those in front begin no later than they do.
    #[inline(always)]
    fn search(&self, arrivals: &[Arrival], places: &mut [u32]) {
        let order = &self.store.min[0][..];
        let (mut begins, mut lens) = ([0; LANES], [0; LANES]);
        for ((begin, len), arrival) in begins.iter_mut().zip(&mut lens).zip(arrivals) {
            let row = &self.rows[arrival.row as usize];
            (*begin, *len) = (row.begin, row.len);
        }
        let longest = lens.iter().fold(0, |longest: usize, &len| longest.max(len));
        // A step more than halving takes, for the last place.
        for _ in 0..usize::BITS - longest.leading_zeros() {
            for ((begin, len), arrival) in begins.iter_mut().zip(&mut lens).zip(arrivals) {
                // Rounded up; where nothing is left, or the row is new and has no places, it does
                // not matter what is looked at.
                let half = (*len).div_ceil(2);
                let is_before = order[(*begin + half).saturating_sub(1)] <= arrival.first;
                *begin += half * usize::from(is_before);
                *len -= half;
            }
        }
        for (place, begin) in places.iter_mut().zip(begins) {
            *place = begin as u32;
        }
    }

    /// Asks for all that is near a place.
    #[inline(always)]
    fn ask_around<L: Lanes>(&self, lanes: L, place: usize, data: DataAddress) {
        for at in [place.saturating_sub(AROUND), place + AROUND - 1] {
            for axis in 0..D {
                lanes.prefetch(&self.store.min[axis], at);
                lanes.prefetch(&self.store.max[axis], at);
            }
            lanes.prefetch(&self.store.keys, at);
            data.prefetch(lanes, at);
            lanes.prefetch(&self.store.exact, at);
        }
    }

    /// Asks for the slots of those between where an arrival goes and the nearest hole.
    #[inline(always)]
    fn ask_for_slots<L: Lanes>(&self, lanes: L, row: u32, at: usize) {
        let row = &self.rows[row as usize];
        let Some(hole) = self.nearest_hole(row, at, AROUND) else { return };
        for place in hole.min(at)..hole.max(at) {
            self.slots.prefetch(lanes, self.store.keys[place]);
        }
    }
}
