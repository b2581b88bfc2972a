//! Estimates the work of a hash with its cell side, and searches for a better side.
//!
//! [`tune`](SpatialHash::tune) is a hill climb by counting: it computes the cost of the current
//! side, of the recommended side, and of halved and doubled sides while the cost falls. Costs count
//! entries, cells and tests, never time, so results are the same on every machine.

pub(crate) mod recommend;
pub(crate) mod storage_order;

use broadphase_core::{LANES, Scalar, SpatialIndex};

use crate::hash::SpatialHash;
use crate::hash::cells::Cells;
use crate::hash::map::CellMap;
use crate::hash::pairs::gather::{Gathered, Work};

/// Statistics of a spatial hash, from [`SpatialHash::stats`]. All are counts and do not depend on
/// the machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct HashStats {
    /// The number of objects.
    pub objects: usize,
    /// The number of cells in use.
    pub cells: usize,
    /// The number of entries: an object has one in each cell it touches.
    pub entries: usize,
    /// The number of entries in the fullest cell.
    pub most: usize,
    /// The number of oversized objects, which are in a list instead of in cells.
    pub oversized: usize,
    /// Upper bound on the box-against-box tests in a search for pairs.
    pub tests: u64,
    /// The bytes of memory held.
    pub bytes: usize,
}

/// The state of self-tuning: the number of objects at the last tuning, and the work of searches
/// since then.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tuning {
    is_enabled: bool,
    /// The number of objects at the last tuning.
    tuned_objects: usize,
    /// The number of blocks tested in the first search for pairs after the last tuning.
    first_blocks: Option<u64>,
    /// The number of blocks tested in the latest search.
    last_blocks: u64,
}

impl Tuning {
    /// Records the work of a search for pairs.
    pub(crate) fn record(&mut self, work: &Work) {
        self.last_blocks = work.blocks;
        self.first_blocks.get_or_insert(work.blocks);
    }

    /// Returns whether tuning is due: the number of objects has more than doubled, or fallen below
    /// a half, since the last tuning; or the latest search tested more than three times as many
    /// blocks as the first one.
    fn is_due(&self, objects: usize) -> bool {
        let is_other_size = objects > 2 * self.tuned_objects || 2 * objects < self.tuned_objects;
        let is_expensive =
            self.first_blocks.is_some_and(|blocks| self.last_blocks > 3 * blocks + 1024);
        self.is_enabled && objects >= 32 && (is_other_size || is_expensive)
    }
}

/// A new cell side is used if its cost is at most this percentage of the cost of the old side.
const MAX_COST_PER_CENT: u64 = 85;

impl<S: Scalar, const D: usize, T, M> SpatialHash<S, D, T, M>
where
    T: Copy + Send + Sync + 'static,
    M: CellMap<D>,
{
    /// Returns statistics of the cells and of the tests a search for pairs would make. Takes about
    /// as long as such a search.
    ///
    /// ```
    /// use broadphase_hshg::{Aabb, SpatialHash, SpatialIndex};
    ///
    /// let mut world: SpatialHash<f32, 2> = SpatialHash::new(4.0);
    /// world.extend((0..8).map(|n| (n, Aabb::point([n as f32, 0.0]), ())))?;
    /// world.insert(8, Aabb::of_ball([0.0, 0.0], 1000.0), ())?;
    /// let stats = world.stats();
    /// assert_eq!((stats.cells, stats.entries, stats.most, stats.oversized), (2, 8, 4, 1));
    /// assert_eq!(stats.tests, 2 * 6 + 9);
    /// # Ok::<(), broadphase_hshg::IndexError>(())
    /// ```
    #[must_use]
    pub fn stats(&self) -> HashStats {
        let cells = self.cells.table.cells();
        let counts = cells.iter().map(|cell| cell.count as usize);
        HashStats {
            objects: self.objects.len(),
            cells: cells.len(),
            entries: counts.clone().sum(),
            most: counts.max().unwrap_or(0),
            oversized: self.oversized(),
            tests: count_work(&self.cells).tests,
            bytes: self.memory_use(),
        }
    }

    /// Returns the number of tests made for each pair found; `None` if there are no pairs.
    ///
    /// Values up to about a hundred are normal where cells suit the objects. Where pairs are rare,
    /// many tests per pair are fine: tests are made eight at a time and cost less than more cells
    /// would.
    ///
    /// ```
    /// use broadphase_hshg::{Aabb, SpatialHash, SpatialIndex};
    ///
    /// let mut world: SpatialHash<f32, 2> = SpatialHash::new(10_000.0);
    /// world.extend((0..1000).map(|n| (n, Aabb::of_ball([n as f32 + 1.0, 1.0], 0.5), ())))?;
    /// assert_eq!(world.tests_per_pair(), Some(500.0)); // all are in one cell
    /// world.tune();
    /// assert!(world.tests_per_pair().unwrap() < 50.0);
    /// # Ok::<(), broadphase_hshg::IndexError>(())
    /// ```
    pub fn tests_per_pair(&mut self) -> Option<f64> {
        let mut pairs = 0u64;
        self.pairs_unordered(|_, _| pairs += 1);
        (pairs > 0).then(|| self.stats().tests as f64 / pairs as f64)
    }

    /// Searches for a better cell side, and uses it if the estimated cost falls by 15 % or more.
    /// Returns whether the cell side was changed.
    ///
    /// Tries the recommended side, then halved and doubled sides while the cost falls. The cost
    /// counts entries, cells, and tests eight at a time; no time is measured, so the same objects
    /// get the same cells on every machine. Takes as long as rebuilding all entries several times.
    ///
    /// ```
    /// use broadphase_hshg::{Aabb, SpatialHash, SpatialIndex};
    ///
    /// // The recommended side suits worlds without crowds. This world is crowded.
    /// let boxes = (0..1000).map(|n| Aabb::of_ball([(n % 10) as f32, (n / 10 % 10) as f32], 1.0));
    /// let mut world: SpatialHash<f32, 2> = SpatialHash::new(64.0);
    /// world.extend((0..).zip(boxes).map(|(key, bounds)| (key, bounds, ())))?;
    /// assert!(world.tune());
    /// assert!(world.cell() < 8.0);
    /// assert!(!world.tune());
    /// # Ok::<(), broadphase_hshg::IndexError>(())
    /// ```
    pub fn tune(&mut self) -> bool {
        let old = self.cell;
        let before = cost(&self.cells);
        let mut best = (old, before);
        let recommended = recommend::recommend(self.objects.bounds().iter().copied());
        self.try_side(recommended, &mut best);
        for factor in [0.5, 2.0] {
            while let Some(side) = scaled(best.0, factor)
                && self.try_side(side, &mut best)
            {}
        }
        let better = best.1 * 100 <= before * MAX_COST_PER_CENT && best.0 != old;
        let side = if better { best.0 } else { old };
        if self.cell != side {
            self.set_cell(side);
        }
        self.tuning.tuned_objects = self.objects.len();
        self.tuning.first_blocks = None;
        better
    }

    /// Enables self-tuning and returns the hash. The next search for pairs then starts with
    /// [`tune`](Self::tune) if, since the last tuning, the number of objects has doubled or halved,
    /// or a search took more than three times the tests of the first.
    ///
    /// ```
    /// use broadphase_hshg::{Aabb, SpatialHash, SpatialIndex};
    ///
    /// let mut world: SpatialHash<f32, 2> = SpatialHash::new(1e6).self_tuning();
    /// world.extend((0..1000).map(|n| (n, Aabb::of_ball([n as f32, 0.0], 0.5), ())))?;
    /// let mut pairs = Vec::new();
    /// world.pairs(&mut pairs);
    /// assert_eq!(pairs.len(), 999);
    /// assert!(world.cell() < 100.0);
    /// # Ok::<(), broadphase_hshg::IndexError>(())
    /// ```
    #[must_use]
    pub const fn self_tuning(mut self) -> Self {
        self.tuning.is_enabled = true;
        self
    }

    #[inline]
    pub(crate) fn tune_if_worthwhile(&mut self) {
        if self.tuning.is_due(self.objects.len()) {
            self.tune();
        }
    }

    /// Sets the cell side to `side` and computes its cost. If the cost is below that in `best`,
    /// updates `best` and returns `true`. Skips the current side and sides with far too many
    /// entries: changes nothing and returns `false`.
    fn try_side(&mut self, side: S, best: &mut (S, u64)) -> bool {
        // The entries are counted first: far too small cells would need far too much memory for
        // their entries.
        let entries: u64 = self.objects.bounds().iter().fold(0, |entries: u64, bounds| {
            let more = Cells::<D, M>::entry_count_for_side(side.to_f64(), bounds);
            entries.saturating_add(more)
        });
        if side == self.cell || entries > 16 * self.objects.len() as u64 {
            return false;
        }
        self.set_cell(side);
        let cost = cost(&self.cells);
        let better = cost < best.1;
        if better {
            *best = (side, cost);
        }
        better
    }
}

/// Returns the side times `factor`, or `None` if the result is not a valid cell side.
fn scaled<S: Scalar>(side: S, factor: f64) -> Option<S> {
    let scaled = side.to_f64() * factor;
    if scaled > S::MAX.to_f64() / 2.0 || (S::INTEGER && scaled < 1.0) {
        return None;
    }
    let side = S::from_f64(scaled);
    let usable = side > S::ZERO && side.to_f64() >= 1e-300 && side.is_finite();
    usable.then_some(side)
}

/// Returns the work that a search for pairs would take.
fn count_work<const D: usize, M: CellMap<D>>(cells: &Cells<D, M>) -> Work {
    let (mut gathered, mut next, mut work) = (Gathered::default(), 0, Work::default());
    while next < cells.table.active() {
        gathered.gather(cells, &mut next, cells.table.active(), &mut work);
    }
    let (objects, oversized) = (cells.records.len() as u64, cells.oversized() as u64);
    work.tests += objects * oversized;
    work.blocks += objects * oversized.div_ceil(LANES as u64);
    work
}

/// Returns the estimated cost of searching for pairs and updating the entries. The unit is the test
/// of a box against a block of eight.
fn cost<const D: usize, M: CellMap<D>>(cells: &Cells<D, M>) -> u64 {
    let (work, cells) = (count_work(cells), cells.table.cells());
    let entries: u64 = cells.iter().map(|cell| u64::from(cell.count)).sum();
    work.blocks + 4 * work.gathered + 4 * entries + 4 * cells.len() as u64
}
