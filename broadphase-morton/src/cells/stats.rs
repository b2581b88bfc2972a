//! The levels and nodes of the trees, for users.

use alloc::vec::Vec;

use broadphase_core::{Aabb, Keys, LANES, LevelStats, Scalar};

use super::MortonCells;
use super::layer::{Layer, VACANT};

impl<S: Scalar, const D: usize> MortonCells<S, D> {
    /// Returns the levels of both trees, from clusters of eight objects to the top of the deeper
    /// tree, without pending objects. O(n).
    ///
    /// ```
    /// use broadphase_morton::{Aabb, MortonCells, Motion, SpatialIndex, SpatialIndexExt};
    ///
    /// let mut world: MortonCells<f32, 2> = MortonCells::new();
    /// world.extend((0..90).map(|n| (n, Aabb::of_ball([n as f32, 0.0], 0.5))))?;
    /// (0..60).try_for_each(|key| world.set_motion(key, Motion::Static))?;
    /// assert_eq!(world.levels(), [], "all are pending");
    /// world.optimize();
    /// let [clusters] = world.levels()[..] else { panic!("both trees have one level") };
    /// assert_eq!((clusters.objects, clusters.cells), (90, 4 + 8));
    /// # Ok::<(), broadphase_morton::IndexError>(())
    /// ```
    #[must_use]
    pub fn levels(&self) -> Vec<LevelStats> {
        let mut levels: Vec<LevelStats> = Vec::new();
        for layer in &self.sorted.store.layers {
            for level in 0..layer.depth() {
                if level == levels.len() {
                    levels.push(LevelStats { level: level as u32, ..LevelStats::default() });
                }
                let stats = &mut levels[level];
                stats.objects += layer.live();
                for bounds in layer.nodes::<S>(level) {
                    stats.cell += longest(&bounds);
                    stats.cells += 1;
                }
            }
        }
        for level in &mut levels {
            level.cell /= level.cells as f64;
        }
        levels
    }

    /// Returns the nodes of the trees, level by level, each with its level and the box around its
    /// objects: level 0 has clusters of eight objects, level 1 groups of eight clusters, and so on.
    /// Pending objects are in no node. O(n).
    ///
    /// ```
    /// use broadphase_morton::{Aabb, MortonCells, SpatialIndex, SpatialIndexExt};
    ///
    /// let mut world: MortonCells<i32, 1> = MortonCells::new();
    /// world.extend((0..9).map(|n| (n, Aabb::point([n as i32]))))?;
    /// world.optimize();
    /// assert_eq!(world.cells(), [(0, Aabb::new([0], [7])), (0, Aabb::point([8]))]);
    /// # Ok::<(), broadphase_morton::IndexError>(())
    /// ```
    #[must_use]
    pub fn cells(&self) -> Vec<(u32, Aabb<S, D>)> {
        let layers = &self.sorted.store.layers;
        let depth = layers.iter().map(Layer::depth).max().unwrap_or(0);
        let mut cells = Vec::new();
        for level in 0..depth {
            for layer in layers.iter().filter(|layer| level < layer.depth()) {
                cells.extend(layer.nodes(level).map(|bounds| (level as u32, bounds)));
            }
        }
        cells
    }
}

impl<const D: usize> Layer<D> {
    /// Returns the number of levels up to the first with at most eight nodes; 0 without objects.
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

    fn nodes<S: Scalar>(&self, level: usize) -> impl Iterator<Item = Aabb<S, D>> {
        let boxes = self.tree.heights[level + 1].view();
        let of_nodes = self.slots.chunks(LANES.pow(level as u32 + 1)).enumerate();
        let used = of_nodes.filter(|(_, slots)| slots.iter().any(|&slot| slot != VACANT));
        used.map(move |(node, _)| {
            let slabs = boxes.get(node);
            // Keys of `f64` are rounded outwards: clamp them to the finite range.
            let min = slabs.min.map(S::from_key).map(|x| if x < S::MIN { S::MIN } else { x });
            let max = slabs.max.map(S::from_key).map(|x| if x > S::MAX { S::MAX } else { x });
            Aabb { min, max }
        })
    }
}

fn longest<S: Scalar, const D: usize>(bounds: &Aabb<S, D>) -> f64 {
    let sides = (0..D).map(|axis| bounds.max[axis].to_f64() - bounds.min[axis].to_f64());
    sides.fold(0.0, |longest, side| if side > longest { side } else { longest })
}
