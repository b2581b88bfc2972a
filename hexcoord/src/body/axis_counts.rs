//! The number of cells of a body at each coordinate of one axis.

use alloc::vec::Vec;

#[derive(Clone, Debug, Default)]
pub(super) struct AxisCounts {
    /// Coordinate of the first element of `counts`.
    first: i64,
    counts: Vec<u32>,
    /// Minimum and maximum coordinate with a cell.
    ends: Option<[i64; 2]>,
}

impl AxisCounts {
    #[inline(always)]
    pub(super) const fn ends(&self) -> Option<[i64; 2]> {
        self.ends
    }

    /// Returns the minimum and maximum coordinate if a cell at `coordinate` is added.
    pub(super) fn ends_with(&self, coordinate: i64) -> [i64; 2] {
        self.ends.map_or([coordinate; 2], |[min, max]| [min.min(coordinate), max.max(coordinate)])
    }

    /// Adds a cell. Returns whether an end has changed.
    pub(super) fn add(&mut self, coordinate: i64) -> bool {
        if self.counts.is_empty() {
            self.first = coordinate;
        }
        if coordinate < self.first {
            // Grow by at least the current length: additions then take amortized constant time.
            let more = ((self.first - coordinate) as usize).max(self.counts.len());
            self.counts.splice(0..0, core::iter::repeat_n(0, more));
            self.first -= more as i64;
        }
        let index = (coordinate - self.first) as usize;
        if index >= self.counts.len() {
            self.counts.resize(index + 1, 0);
        }
        self.counts[index] += 1;
        let before = self.ends;
        self.ends = Some(self.ends_with(coordinate));
        self.ends != before
    }

    /// Removes a cell. Returns whether an end has changed. Takes time linear in that change.
    pub(super) fn remove(&mut self, coordinate: i64) -> bool {
        let index = (coordinate - self.first) as usize;
        self.counts[index] -= 1;
        let Some([min, max]) = self.ends else { return false };
        if self.counts[index] > 0 || (coordinate != min && coordinate != max) {
            return false;
        }
        let inside = &self.counts[(min - self.first) as usize..=(max - self.first) as usize];
        let first = inside.iter().position(|&count| count > 0);
        let last = inside.iter().rposition(|&count| count > 0);
        self.ends = first.zip(last).map(|(first, last)| [min + first as i64, min + last as i64]);
        true
    }
}
