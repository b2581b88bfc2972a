//! Covers: space divided into cells that have about equal numbers of boxes.
//!
//! Input: the boxes of a sample, the number of rows that each stands for, and the number of rows
//! wanted in a cell. Output: cells that together cover all of space, each point once.
//!
//! 1. Coordinates are mapped to integers of 32 bits (2-D) or 21 (3-D). The range is four times that
//!    of the sample without its outermost boxes, so that a box over everything leaves bits for the
//!    others. Coordinates outside are mapped to its ends. The mapping is monotone; results depend
//!    on nothing else.
//! 2. The range is one cell at first. A cell with too many rows is divided into 2^D cells of half
//!    its side, each with the sampled boxes that touch it.
//! 3. A cell is not divided if the rows of its parts would be more than 1.5 times its own, because
//!    its boxes are too large; unless it has too many rows for the memory, and its largest part has
//!    fewer. So a box over everything is copied to a number of cells that is in proportion to the
//!    other boxes that it overlaps.
//!
//! The cells are leaves of a quadtree or octree. In Morton order their codes are consecutive
//! ranges; only the first codes are stored. A table by the highest bits of a code has the first
//! leaf that can contain it; mostly there is one, otherwise a binary search follows.

use broadphase_morton::Code;

/// A cell is not divided if its parts together have more than this number times its rows.
const MAX_GROWTH: f64 = 1.5;
/// A cell that is too large for memory is divided if its largest part has at most this part of it.
const MIN_GAIN: f64 = 0.8;

/// Number of bits of a code that select an entry of the table of first leaves.
const TABLE_BITS: u32 = 12;

/// The sizes of cells wanted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    /// The number of rows that a sampled box stands for.
    pub(crate) rows_per_sample: f64,
    /// Cells with more rows are divided.
    pub(crate) target: f64,
    /// Cells with more rows are divided even if this copies many rows.
    pub(crate) limit: f64,
}

/// Cells that cover all of space.
#[derive(Clone, Debug)]
pub(crate) struct Cover<const D: usize> {
    origin: [f64; D],
    scale: f64,
    /// The first code of each cell, ascending; the first is 0.
    starts: Vec<Code<D>>,
    /// The leaf of the first code of each range of codes with equal highest bits, and the last
    /// leaf.
    table: Vec<u32>,
}

impl<const D: usize> Cover<D> {
    /// A code shifted right by this number of bits is an index of the table.
    const TABLE_SHIFT: u32 = D as u32 * Code::<D>::BITS - TABLE_BITS;

    /// Divides space by the boxes of a sample, minimum and maximum.
    pub(crate) fn new(sample: &[[[f64; D]; 2]], sizes: Sizes) -> Self {
        let mut low = [0.0; D];
        let mut side = 0.0f64;
        for axis in 0..D {
            let first = quantile(sample.iter().map(|[min, _]| min[axis]), 1.0 / 256.0);
            let last = quantile(sample.iter().map(|[_, max]| max[axis]), 255.0 / 256.0);
            let margin = (last - first).max(0.0) * 1.5;
            low[axis] = first - margin;
            side = side.max(last - first + 2.0 * margin);
        }
        let range = f64::from(u32::MAX >> (32 - Code::<D>::BITS));
        let scale = range / side;
        let is_usable = scale.is_finite() && scale > 0.0;
        let (origin, scale) = if is_usable { (low, scale) } else { ([0.0; D], 1.0) };
        let mut cover = Self { origin, scale, starts: Vec::new(), table: Vec::new() };
        let boxes: Vec<_> = sample.iter().map(|bounds| bounds.map(|at| cover.cell(at))).collect();
        let all = (0..boxes.len() as u32).collect();
        cover.divide(&boxes, sizes, Code::encode([0; D]), Code::<D>::BITS, all);
        cover.index();
        cover
    }

    fn index(&mut self) {
        let first = |top: u64| {
            let code = Code::from_bits(top << Self::TABLE_SHIFT);
            self.starts.partition_point(|&start| start <= code) as u32 - 1
        };
        self.table = (0..1 << TABLE_BITS).map(first).collect();
        self.table.push(self.starts.len() as u32 - 1);
    }

    #[cfg(feature = "codec")]
    pub(crate) fn parts(&self) -> ([f64; D], f64, &[Code<D>]) {
        (self.origin, self.scale, &self.starts)
    }

    /// Returns the cover with these [`parts`](Self::parts); `None` if there is no cover that has
    /// them.
    #[cfg(feature = "codec")]
    pub(crate) fn from_parts(origin: [f64; D], scale: f64, starts: Vec<Code<D>>) -> Option<Self> {
        let is_valid = origin.iter().all(|x| x.is_finite())
            && (scale.is_finite() && scale > 0.0)
            && starts.first().is_some_and(|first| first.bits() == 0)
            && starts.is_sorted_by(|a, b| a < b)
            && u32::try_from(starts.len()).is_ok();
        let mut cover = is_valid.then_some(Self { origin, scale, starts, table: Vec::new() })?;
        cover.index();
        Some(cover)
    }

    pub(crate) fn len(&self) -> usize {
        self.starts.len()
    }

    /// Returns the integers of a point. A cast saturates, and so is monotone.
    #[inline]
    fn cell(&self, point: [f64; D]) -> [u32; D] {
        let last = u32::MAX >> (32 - Code::<D>::BITS);
        core::array::from_fn(|axis| {
            let x = ((point[axis] - self.origin[axis]) * self.scale) as u32;
            if x < last { x } else { last }
        })
    }

    fn divide(
        &mut self,
        boxes: &[[[u32; D]; 2]],
        sizes: Sizes,
        start: Code<D>,
        level: u32,
        inside: Vec<u32>,
    ) {
        let rows = inside.len() as f64 * sizes.rows_per_sample;
        if rows > sizes.target && level > 0 {
            let parts: Vec<(Code<D>, Vec<u32>)> = start
                .children(level)
                .map(|child| (child, touching(boxes, child.decode(), level - 1, &inside)))
                .collect();
            let lens = parts.iter().map(|(_, part)| part.len());
            let (sum, largest) = (lens.clone().sum::<usize>(), lens.max().unwrap_or(0));
            let grows_little = sum as f64 <= MAX_GROWTH * inside.len() as f64;
            let must = rows > sizes.limit && largest as f64 <= MIN_GAIN * inside.len() as f64;
            if grows_little || must {
                drop(inside);
                for (child, part) in parts {
                    self.divide(boxes, sizes, child, level - 1, part);
                }
                return;
            }
        }
        self.starts.push(start);
    }

    #[inline]
    fn leaf_of(&self, code: Code<D>) -> usize {
        let top = (code.bits() >> Self::TABLE_SHIFT) as usize;
        let [first, last] = [self.table[top] as usize, self.table[top + 1] as usize];
        first + self.starts[first + 1..=last].partition_point(|&start| start <= code)
    }

    #[inline]
    pub(crate) fn contains(&self, leaf: u32, point: [f64; D]) -> bool {
        let (code, leaf) = (Code::encode(self.cell(point)), leaf as usize);
        self.starts[leaf] <= code && self.starts.get(leaf + 1).is_none_or(|&next| code < next)
    }

    /// Passes each leaf that a box touches once, ascending.
    pub(crate) fn touched(&self, min: [f64; D], max: [f64; D], mut visit: impl FnMut(u32)) {
        let [low, high] = [min, max].map(|point| self.cell(point));
        let last = Code::encode(high);
        let mut leaf = self.leaf_of(Code::encode(low));
        loop {
            visit(leaf as u32);
            // In Morton order the high corner of a box has its largest code.
            let next = self.starts.get(leaf + 1).filter(|&&start| start <= last);
            let Some(inside) = next.and_then(|start| start.next_in_box(low, high)) else { return };
            leaf = self.leaf_of(inside);
        }
    }
}

/// Returns the value below which this part of the values is; 0 if there are none.
fn quantile(values: impl Iterator<Item = f64>, part: f64) -> f64 {
    let mut values: Vec<f64> = values.collect();
    let at = (values.len().saturating_sub(1) as f64 * part).round() as usize;
    if values.is_empty() { 0.0 } else { *values.select_nth_unstable_by(at, f64::total_cmp).1 }
}

/// Returns the boxes that touch a cell.
fn touching<const D: usize>(
    boxes: &[[[u32; D]; 2]],
    corner: [u32; D],
    level: u32,
    of: &[u32],
) -> Vec<u32> {
    let cell = |x: u32| x.checked_shr(level).unwrap_or(0);
    let touches = |[low, high]: &[[u32; D]; 2]| {
        (0..D).all(|axis| (cell(low[axis])..=cell(high[axis])).contains(&cell(corner[axis])))
    };
    of.iter().copied().filter(|&at| touches(&boxes[at as usize])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::mix;

    fn boxes<const D: usize>(count: u64, size: f64) -> Vec<[[f64; D]; 2]> {
        let mut numbers = (1..).map(|number| (mix(number) >> 40) as f64 / f64::from(1 << 24));
        let mut random = || numbers.next().expect("there is no last number");
        let mut one = || {
            let min = [0.0; D].map(|_: f64| random().powi(3) * 1000.0 - 300.0);
            [min, min.map(|x| x + random() * size)]
        };
        (0..count).map(|_| one()).collect()
    }

    fn law<const D: usize>(size: f64, target: f64) {
        let boxes = boxes::<D>(500, size);
        let sizes = Sizes { rows_per_sample: 8.0, target, limit: f64::INFINITY };
        let cover = Cover::new(&boxes[..250], sizes);
        assert!(cover.starts.is_sorted() && cover.starts[0].bits() == 0);
        let mut copies = 0;
        for [min, max] in &boxes {
            let mut leaves = Vec::new();
            cover.touched(*min, *max, |leaf| leaves.push(leaf));
            assert!(leaves.is_sorted_by(|a, b| a < b), "each leaf once");
            copies += leaves.len();
            // Every point of the box is in one of the leaves.
            for step in 0..27u32 {
                let part = |axis| f64::from(step / 3u32.pow(axis as u32) % 3) / 2.0;
                let at = |axis: usize| min[axis] + (max[axis] - min[axis]) * part(axis);
                let owners = (0..cover.len() as u32)
                    .filter(|&leaf| cover.contains(leaf, core::array::from_fn(at)));
                let owners: Vec<u32> = owners.collect();
                assert!(owners.len() == 1 && leaves.contains(&owners[0]), "{owners:?}");
            }
            // Both corners of each leaf are in the box, for one corner at least on each axis.
            for &leaf in &leaves {
                let first = cover.starts[leaf as usize];
                let in_box = first.next_in_box(cover.cell(*min), cover.cell(*max)).unwrap();
                assert_eq!(cover.leaf_of(in_box), leaf as usize, "the box touches the leaf");
            }
        }
        assert!(copies as f64 <= 3.0 * boxes.len() as f64, "{copies} rows");
        if size == 1.0 {
            assert!(cover.len() > 20, "{} leaves", cover.len());
        }
    }

    #[test]
    fn a_box_is_in_the_leaves_that_it_touches() {
        for size in [0.0, 1.0, 100.0, 2_000.0] {
            law::<2>(size, 50.0);
            law::<3>(size, 50.0);
        }
    }

    #[test]
    fn crowded_cells_are_divided_and_giants_are_not_copied_without_need() {
        let mut crowd = boxes::<2>(1_000, 0.001);
        crowd.iter_mut().for_each(|bounds| *bounds = bounds.map(|at| at.map(|x| x / 1e6)));
        crowd.push([[-1e6; 2], [1e6; 2]]);
        let sizes = Sizes { rows_per_sample: 1.0, target: 50.0, limit: 1e3 };
        let cover = Cover::new(&crowd, sizes);
        let mut rows = vec![0; cover.len()];
        for [min, max] in &crowd {
            cover.touched(*min, *max, |leaf| rows[leaf as usize] += 1);
        }
        assert!(rows.iter().all(|&rows| rows <= 50), "{rows:?}");
        assert!(rows.iter().sum::<i32>() < 1_400, "{rows:?}");

        let giants = vec![[[0.0; 2], [1.0; 2]]; 1_000];
        assert_eq!(Cover::new(&giants, sizes).len(), 1);
        assert_eq!(Cover::<3>::new(&[], sizes).len(), 1);
        let huge = [[[-f64::MAX; 2], [f64::MAX; 2]]; 3];
        assert!(Cover::new(&huge, Sizes { target: 1.0, ..sizes }).contains(0, [0.0; 2]));
    }
}
