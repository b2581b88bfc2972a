//! All overlapping pairs of a list of boxes: the boxes are sorted along the first axis, and the pairs
//! whose intervals overlap on this axis are tested on all axes.
//!
//! Two intervals overlap if each begins before the other ends. On an axis that wraps, they also
//! overlap if one of them, moved down by a side, reaches the other. Moving down is exact for every
//! interval that can reach another one. If the first axis wraps, a box across the seam is sorted a
//! second time, as an interval from −∞ to its upper end moved down by a side.

use crate::shape::Box64;

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
}

impl Overlaps {
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

    /// Writes the overlapping pairs into `out` as indices of boxes, ascending, replacing its
    /// contents. Boxes must be home: on an axis that wraps, `min` is at least 0 and below the side.
    pub(crate) fn find(
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
    fn pairs_are_those_of_the_definition() {
        let random = &mut Random::new(7);
        for _ in 0..200 {
            let sides = [0; 3].map(|_| random.pick(&[0.0, 16.0]));
            let boxes: Vec<_> = (0..random.below(60))
                .map(|_| {
                    let min = [0; 3].map(|_| random.below(16) as f64);
                    Aabb { min, max: min.map(|x| x + random.pick(&[0.0, 1.0, 2.0, 9.0])) }
                })
                .collect();
            let meet = |a: usize, b: usize| {
                (0..3).all(|axis| {
                    [-sides[axis], 0.0, sides[axis]].iter().any(|shift| {
                        boxes[a].min[axis] <= boxes[b].max[axis] + shift
                            && boxes[b].min[axis] + shift <= boxes[a].max[axis]
                    })
                })
            };
            let pairs = (0..boxes.len()).flat_map(|a| (a + 1..boxes.len()).map(move |b| (a, b)));
            let expected = pairs.filter(|&(a, b)| meet(a, b)).map(|(a, b)| [a as u32, b as u32]);
            let mut found = Vec::new();
            Overlaps::default().find(&boxes, &sides, 3, &mut found);
            assert!(found.into_iter().eq(expected), "sides {sides:?}: {boxes:?}");
        }
    }
}
