//! All overlapping pairs of a list of boxes, by brute force.
//!
//! Two intervals overlap if each begins before the other ends. On an axis that wraps, they also
//! overlap if one of them, moved down by a side, reaches the other. Moving down is exact for every
//! interval that can reach another one. Coordinates are stored by axis, so the inner loop compares
//! consecutive numbers.

use crate::shape::Box64;

/// With at least this number of boxes, the boxes are sorted along the first axis first.
const SORT_FROM: usize = 512;

/// Intervals of all boxes on one axis.
#[derive(Clone, Debug, Default)]
struct Axis {
    min: Vec<f64>,
    max: Vec<f64>,
    /// Upper ends moved down by a side; −∞ if the axis does not wrap.
    below: Vec<f64>,
}

impl Axis {
    #[inline(always)]
    fn overlap(&self, a: usize, b: usize) -> bool {
        (self.min[a] <= self.max[b]) & (self.min[b] <= self.max[a])
            | (self.below[a] >= self.min[b])
            | (self.below[b] >= self.min[a])
    }
}

/// Finds overlapping pairs. Its buffers are kept between calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Overlaps {
    axes: [Axis; 3],
    hits: Vec<u8>,
}

impl Overlaps {
    /// Writes the overlapping pairs into `out` as indices of boxes, ascending, replacing its
    /// contents. Boxes must be home: on an axis that wraps, `min` is at least 0 and below the side.
    pub(crate) fn find(
        &mut self,
        boxes: &[Box64],
        sides: &[f64; 3],
        dimensions: usize,
        out: &mut Vec<[u32; 2]>,
    ) {
        if boxes.len() >= SORT_FROM {
            self.find_sorted(boxes, sides, dimensions, out);
        } else {
            self.find_all(boxes, sides, dimensions, out);
        }
    }

    fn load(&mut self, boxes: &[Box64], sides: &[f64; 3], dimensions: usize) {
        for (axis, intervals) in self.axes.iter_mut().enumerate().take(dimensions) {
            let side = sides[axis];
            let below = |max: f64| if side > 0.0 { max - side } else { f64::NEG_INFINITY };
            let Axis { min, max, below: moved } = intervals;
            min.clear();
            min.extend(boxes.iter().map(|one| one.min[axis]));
            max.clear();
            max.extend(boxes.iter().map(|one| one.max[axis]));
            moved.clear();
            moved.extend(boxes.iter().map(|one| below(one.max[axis])));
        }
    }

    /// Tests every pair of boxes.
    pub(crate) fn find_all(
        &mut self,
        boxes: &[Box64],
        sides: &[f64; 3],
        dimensions: usize,
        out: &mut Vec<[u32; 2]>,
    ) {
        self.load(boxes, sides, dimensions);
        let Self { axes, hits } = self;
        out.clear();
        let len = boxes.len();
        for a in 0..len {
            // One pass over the boxes for each axis: the compiler vectorizes this loop.
            hits.clear();
            hits.resize(len - a - 1, 1);
            for axis in &axes[..dimensions] {
                let (low, high, moved) = (axis.min[a], axis.max[a], axis.below[a]);
                let others = axis.min[a + 1..].iter().zip(&axis.max[a + 1..]);
                let others = others.zip(&axis.below[a + 1..]);
                for (hit, ((&min, &max), &below)) in hits.iter_mut().zip(others) {
                    let overlap = (low <= max) & (min <= high) | (moved >= min) | (below >= low);
                    *hit &= u8::from(overlap);
                }
            }
            let found = hits.iter().enumerate().filter(|(_, hit)| **hit != 0);
            out.extend(found.map(|(place, _)| [a as u32, (a + 1 + place) as u32]));
        }
    }

    /// Sorts the boxes along the first axis and tests the pairs whose intervals overlap on this
    /// axis. If the axis wraps, a box across the seam is sorted a second time, as an interval from
    /// −∞ to its upper end moved down by a side.
    pub(crate) fn find_sorted(
        &mut self,
        boxes: &[Box64],
        sides: &[f64; 3],
        dimensions: usize,
        out: &mut Vec<[u32; 2]>,
    ) {
        self.load(boxes, sides, dimensions);
        let (axes, first) = (&self.axes[..dimensions], &self.axes[0]);
        let interval = |index: usize| (first.min[index], first.max[index], index as u32);
        let image = |index: usize| (f64::NEG_INFINITY, first.below[index], index as u32);
        let mut sorted: Vec<(f64, f64, u32)> = (0..boxes.len()).map(interval).collect();
        sorted.extend((0..boxes.len()).map(image).filter(|image| image.1 >= 0.0));
        sorted.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.2.cmp(&b.2)));
        out.clear();
        for (place, &(_, end, a)) in sorted.iter().enumerate() {
            let reached = sorted[place + 1..].iter().take_while(|other| other.0 <= end);
            for &(_, _, b) in reached.filter(|other| other.2 != a) {
                if axes.iter().all(|axis| axis.overlap(a as usize, b as usize)) {
                    out.push([a.min(b), a.max(b)]);
                }
            }
        }
        out.sort_unstable();
        out.dedup();
    }
}

#[cfg(test)]
mod tests {
    use hexphase::Aabb;

    use super::Overlaps;
    use crate::random::Random;

    #[test]
    fn sorted_and_unsorted_boxes_have_the_same_pairs() {
        let random = &mut Random::new(7);
        let mut found = 0;
        for _ in 0..200 {
            let dimensions = 1 + random.below(3) as usize;
            let sides = [0; 3].map(|_| random.pick(&[0.0, 16.0]));
            let boxes: Vec<_> = (0..random.below(60))
                .map(|_| {
                    let min = [0; 3].map(|_| random.below(16) as f64);
                    Aabb { min, max: min.map(|x| x + random.pick(&[0.0, 1.0, 2.0, 9.0])) }
                })
                .collect();
            let (mut all, mut sorted) = (Vec::new(), Vec::new());
            Overlaps::default().find_all(&boxes, &sides, dimensions, &mut all);
            Overlaps::default().find_sorted(&boxes, &sides, dimensions, &mut sorted);
            assert_eq!(all, sorted, "{dimensions} dimensions, sides {sides:?}: {boxes:?}");
            found += all.len();
        }
        assert!(found > 10_000, "{found} pairs");
    }
}
