//! How many cells a body has at each place of an axis, and where the first and the last are.

use alloc::vec::Vec;

/// Counts along one axis.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    /// The place of the first count.
    first: i64,
    counts: Vec<u32>,
    /// The first and the last place with a count above 0, if there is any.
    ends: Option<[i64; 2]>,
}

impl Tally {
    /// The first and the last place with a cell.
    #[inline(always)]
    pub(super) const fn ends(&self) -> Option<[i64; 2]> {
        self.ends
    }

    /// The ends if one more cell were at a place.
    pub(super) fn ends_with(&self, place: i64) -> [i64; 2] {
        self.ends.map_or([place; 2], |[min, max]| [min.min(place), max.max(place)])
    }

    /// Counts a cell; yields whether an end has moved.
    pub(super) fn add(&mut self, place: i64) -> bool {
        if self.counts.is_empty() {
            self.first = place;
        }
        if place < self.first {
            // As much room in front as there is already, so that it is seldom needed.
            let more = ((self.first - place) as usize).max(self.counts.len());
            self.counts.splice(0..0, core::iter::repeat_n(0, more));
            self.first -= more as i64;
        }
        let index = (place - self.first) as usize;
        if index >= self.counts.len() {
            self.counts.resize(index + 1, 0);
        }
        self.counts[index] += 1;
        let before = self.ends;
        self.ends = Some(self.ends_with(place));
        self.ends != before
    }

    /// Counts a cell less; yields whether an end has moved.
    ///
    /// Costs as many steps as the end moves.
    pub(super) fn remove(&mut self, place: i64) -> bool {
        let index = (place - self.first) as usize;
        self.counts[index] -= 1;
        let Some([min, max]) = self.ends else { return false };
        if self.counts[index] > 0 || (place != min && place != max) {
            return false;
        }
        let inside = &self.counts[(min - self.first) as usize..=(max - self.first) as usize];
        let first = inside.iter().position(|&count| count > 0);
        let last = inside.iter().rposition(|&count| count > 0);
        self.ends = first.zip(last).map(|(first, last)| [min + first as i64, min + last as i64]);
        true
    }

    /// Counts nothing any more, keeping the memory.
    pub(super) fn clear(&mut self) {
        self.counts.clear();
        self.ends = None;
    }
}
