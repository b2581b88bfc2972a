//! Statistics and tree nodes, for display.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use broadphase_core::pairs::PairCache;
use broadphase_core::{Aabb, Flow, Keys, LANES, Scalar, SpatialIndex};

use super::MortonCells;
use super::layer::{Layer, VACANT};

/// Statistics of a structure, returned by [`MortonCells::stats`].
///
/// `Display` prints them as a table.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Stats {
    /// The levels of both trees, from clusters of eight objects to the top of the deeper tree.
    pub levels: Vec<LevelStats>,
    /// The number of objects.
    pub objects: usize,
    /// The number of static objects.
    pub statics: usize,
    /// The number of pending objects, which the next refresh sorts into the layers.
    pub waiting: usize,
    /// The number of empty positions, left by objects that were removed or changed.
    pub gaps: usize,
    /// The number of cached pairs, reused until an object changes.
    pub cached: usize,
    /// The number of object-object tests in the last search for pairs.
    pub tests: u64,
    /// The allocated bytes.
    pub bytes: usize,
}

/// One level of both trees.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct LevelStats {
    /// The level: 0 for clusters of eight objects, 1 for groups of eight clusters, and so on.
    pub level: u32,
    /// The average longest side of the nodes.
    pub side: f64,
    /// The number of objects in the nodes.
    pub objects: usize,
    /// The number of non-empty nodes of the moving layer.
    pub moving: usize,
    /// The number of non-empty nodes of the static layer.
    pub resting: usize,
}

impl Stats {
    /// Returns the number of levels of the deeper tree.
    ///
    /// ```
    /// use broadphase_morton::{Aabb, MortonCells, SpatialIndex, SpatialIndexExt};
    ///
    /// let mut world: MortonCells<f32, 1> = MortonCells::new();
    /// world.extend((0..513).map(|n| (n, Aabb::point([n as f32]))))?;
    /// world.optimize();
    /// assert_eq!(world.stats().depth(), 3); // 65 clusters, 9 of these, and 2 of those
    /// # Ok::<(), broadphase_morton::IndexError>(())
    /// ```
    #[must_use]
    pub const fn depth(&self) -> usize {
        self.levels.len()
    }

    /// Returns the number of clusters of objects.
    ///
    /// ```
    /// use broadphase_morton::{Aabb, MortonCells, SpatialIndex, SpatialIndexExt};
    ///
    /// let mut world: MortonCells<f32, 1> = MortonCells::new();
    /// world.extend((0..17).map(|n| (n, Aabb::point([n as f32]))))?;
    /// assert_eq!(world.stats().clusters(), 0, "all wait");
    /// world.optimize();
    /// assert_eq!(world.stats().clusters(), 3);
    /// # Ok::<(), broadphase_morton::IndexError>(())
    /// ```
    #[must_use]
    pub fn clusters(&self) -> usize {
        self.levels.first().map_or(0, |level| level.moving + level.resting)
    }
}

impl<S: Scalar, const D: usize> MortonCells<S, D> {
    /// Returns statistics of the trees and of the last search for pairs. O(n).
    ///
    /// ```
    /// use broadphase_morton::{Aabb, MortonCells, Motion, SpatialIndex, SpatialIndexExt};
    ///
    /// let mut world: MortonCells<f32, 2> = MortonCells::new();
    /// world.extend((0..90).map(|n| (n, Aabb::of_ball([n as f32, 0.0], 0.5))))?;
    /// (0..60).try_for_each(|key| world.set_motion(key, Motion::Static))?;
    /// assert_eq!(world.stats().waiting, 90);
    /// world.pairs(&mut Vec::new());
    /// let stats = world.stats();
    /// assert_eq!((stats.objects, stats.statics, stats.waiting), (90, 60, 0));
    /// assert_eq!((stats.levels[0].moving, stats.levels[0].resting), (4, 8));
    /// assert!(stats.tests > 30);
    /// println!("{stats}");
    /// # Ok::<(), broadphase_morton::IndexError>(())
    /// ```
    #[must_use]
    pub fn stats(&self) -> Stats {
        let mut levels: Vec<LevelStats> = Vec::new();
        for (is_resting, layer) in [false, true].into_iter().zip(&self.sorted.store.layers) {
            for level in 0..layer.depth() {
                if level == levels.len() {
                    levels.push(LevelStats { level: level as u32, ..LevelStats::default() });
                }
                let stats = &mut levels[level];
                stats.objects += layer.live();
                layer.visit_level(level, |bounds: Aabb<S, D>| {
                    stats.side += longest(&bounds);
                    *(if is_resting { &mut stats.resting } else { &mut stats.moving }) += 1;
                });
            }
        }
        for level in &mut levels {
            level.side /= (level.moving + level.resting) as f64;
        }
        let cached = self.pair_state.caches.iter().filter_map(PairCache::known);
        Stats {
            levels,
            objects: self.sorted.objects.len(),
            statics: self.sorted.objects.motions().statics(),
            waiting: self.sorted.store.pending.len(),
            gaps: self.sorted.store.layers.iter().map(|layer| layer.vacant).sum(),
            cached: cached.map(<[_]>::len).sum(),
            tests: self.pair_state.tests,
            bytes: self.memory_use(),
        }
    }

    /// Visits the nodes of the trees, with their level and box. Nodes of level 0 are clusters of
    /// eight objects, nodes of level 1 are groups of eight clusters, and so on.
    ///
    /// The box of a node encloses its objects. Pending objects are in no node.
    ///
    /// ```
    /// use broadphase_morton::{Aabb, MortonCells, SpatialIndex, SpatialIndexExt};
    ///
    /// let mut world: MortonCells<i32, 1> = MortonCells::new();
    /// world.extend((0..9).map(|n| (n, Aabb::point([n as i32]))))?;
    /// world.optimize();
    /// let mut cells = Vec::new();
    /// world.cells(|level, cell| cells.push((level, cell)));
    /// assert_eq!(cells, [(0, Aabb::new([0], [7])), (0, Aabb::point([8]))]);
    /// # Ok::<(), broadphase_morton::IndexError>(())
    /// ```
    pub fn cells<R: Flow>(&self, mut visit: impl FnMut(u32, Aabb<S, D>) -> R) -> R {
        let layers = &self.sorted.store.layers;
        let depth = layers.iter().map(Layer::depth).max().unwrap_or(0);
        for level in 0..depth {
            for layer in layers.iter().filter(|layer| level < layer.depth()) {
                let answer = layer.visit_level(level, |bounds| visit(level as u32, bounds));
                if answer.stops() {
                    return answer;
                }
            }
        }
        R::CONTINUE
    }
}

impl<const D: usize> Layer<D> {
    /// Returns the number of levels, from the clusters of eight objects up to the first level with
    /// at most eight nodes; 0 if the layer has no objects.
    const fn depth(&self) -> usize {
        let (mut nodes, mut depth) = (self.slots.len().div_ceil(LANES), 0);
        if self.live() == 0 {
            return 0;
        }
        loop {
            depth += 1;
            if nodes <= LANES {
                return depth;
            }
            nodes = nodes.div_ceil(LANES);
        }
    }

    /// Visits the non-empty nodes of a level.
    fn visit_level<S: Scalar, R: Flow>(
        &self,
        level: usize,
        mut visit: impl FnMut(Aabb<S, D>) -> R,
    ) -> R {
        let boxes = self.tree.heights[level + 1].view();
        let objects = LANES.pow(level as u32 + 1);
        for (node, slots) in self.slots.chunks(objects).enumerate() {
            if slots.iter().all(|&slot| slot == VACANT) {
                continue;
            }
            let slabs = boxes.get(node);
            // Keys of `f64` are rounded outwards and may exceed the finite range: clamp them.
            let low = slabs.min.map(S::from_key).map(|x| if x < S::MIN { S::MIN } else { x });
            let high = slabs.max.map(S::from_key).map(|x| if x > S::MAX { S::MAX } else { x });
            let answer = visit(Aabb { min: low, max: high });
            if answer.stops() {
                return answer;
            }
        }
        R::CONTINUE
    }
}

/// Returns the longest side of a box.
fn longest<S: Scalar, const D: usize>(bounds: &Aabb<S, D>) -> f64 {
    let sides = (0..D).map(|axis| bounds.max[axis].to_f64() - bounds.min[axis].to_f64());
    sides.fold(0.0, |longest, side| if side > longest { side } else { longest })
}

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = Vec::from([TITLES.map(String::from)]);
        table.extend(self.levels.iter().map(LevelStats::columns));
        let width = |column: usize| table.iter().map(|row| row[column].len()).max().unwrap_or(0);
        let widths: [usize; 5] = core::array::from_fn(width);
        for row in &table {
            for (column, (text, width)) in row.iter().zip(widths).enumerate() {
                let between = if column == 0 { "" } else { "  " };
                write!(f, "{between}{text:>width$}")?;
            }
            writeln!(f)?;
        }
        let Self { objects, statics, waiting, gaps, .. } = self;
        write!(f, "{objects} objects, {statics} static, {waiting} waiting, {gaps} gaps, ")?;
        let Self { cached, tests, bytes, .. } = self;
        write!(f, "{cached} pairs cached, {tests} tests, {bytes} bytes")
    }
}

const TITLES: [&str; 5] = ["level", "side", "objects", "moving", "resting"];

impl LevelStats {
    fn columns(&self) -> [String; 5] {
        let Self { level, side, objects, moving, resting } = *self;
        let is_short = (1e-2..1e9).contains(&side);
        let side = if is_short { format!("{side:.2}") } else { format!("{side:.2e}") };
        [format!("{level}"), side, format!("{objects}"), format!("{moving}"), format!("{resting}")]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn display_prints_a_table() {
        let level = |level, side, moving| LevelStats {
            level,
            side,
            objects: 1003,
            moving,
            resting: moving / 2,
        };
        let levels = [level(0, 3.25, 100), level(1, 25.5, 12), level(2, 2e26, 2)];
        let stats = Stats {
            levels: levels.into(),
            objects: 1006,
            statics: 300,
            waiting: 3,
            tests: 9000,
            bytes: 90_000,
            ..Stats::default()
        };
        let expected = "\
level     side  objects  moving  resting
    0     3.25     1003     100       50
    1    25.50     1003      12        6
    2  2.00e26     1003       2        1
1006 objects, 300 static, 3 waiting, 0 gaps, 0 pairs cached, 9000 tests, 90000 bytes";
        assert_eq!(format!("{stats}"), expected);
    }
}
