//! The hierarchical grid: finds all pairs of overlapping boxes by sweeping sorted rows.
//!
//! Input: boxes of any size with keys and motion classes. Output: each overlapping pair once, in
//! canonical order; and region, cast, nearest and neighbor queries.
//!
//! 1. *Level*: the power of two at or above the largest extent of an object. Three neighboring
//!    levels form a *tier*.
//! 2. *Row*: the objects of one motion class and tier whose low corners lie in one strip of cells,
//!    contiguous in memory and sorted along the sweep axis. Only rows with objects exist; there is
//!    no table of cells. The sweep axis, along which sweeps cost least, is the first axis inside
//!    the grid.
//! 3. *Row pairs*: a row is swept with itself and with rows that its objects can reach.
//! 4. *Sweep*: eight consecutive objects are compared with the eight that are 1, 2, 3, … slots
//!    later, until each of the later ones begins after its partner ends.
//! 5. *Order*: the pairs of keys are sorted, unless the caller accepts any order.
//!
//! ```text
//!   y  ┌───────────────────────────────────┐
//!      │        ┌──┐  c    ┌──┐     e      │ row 1:  c d e      A row is swept with itself and
//!      │  ┌───┐ │  │ ┌──┐  └──┘ ┌──┐       │                    with the rows that its objects
//!      ├──│ a │─└──┘─│d │───────│  │───────┤                    reach into, in all tiers.
//!      │  └───┘   ┌──│  │─┐     └──┘  ┌──┐ │ row 0:  a b f
//!      │          │ b└──┘ │           │f │ │
//!      └──────────└───────┘───────────└──┘─┘ x
//! ```
//!
//! A walk costs O(n) if the objects retain their order along the sweep axis. A sweep costs O(n × k)
//! if each object overlaps k others of its row on the sweep axis; the row height follows the
//! density of the objects to limit k.
//!
//! Data flow by folder:
//!
//! * `storage`: arrays of objects by slot, rows, tiers.
//! * `update`: walks, in which the caller changes bounds while rows stay sorted. An object that
//!   leaves its row leaves a hole and becomes *pending*.
//! * `maintenance`: inserts pending objects, chooses tiers and row heights, compacts storage. A
//!   refresh runs at the end of each walk and before pairs are found.
//! * `pairs`: row pairs, sweep, output; static neighbors of moving objects.
//! * `queries`: regions, casts, nearest objects, neighbors.
//! * `one_shot`: pairs of lists of boxes, by a temporary grid; neighbors of points.
//! * `stats`: levels, cells and memory for users.
//!
//! Rows of static objects are swept neither with each other nor with rows that use the static
//! cache.

mod by_key;
mod index;
mod maintenance;
mod one_shot;
mod pairs;
mod queries;
mod stats;
mod storage;
mod update;

use alloc::vec::Vec;

use broadphase_core::slots::KeySlots;
use broadphase_core::{Aabb, Backend, Entry, Scalar, instances, tasks};

use maintenance::bulk_load::LoadScratch;
use maintenance::merge::Insertion;
use maintenance::sweep_axis::AxisCheck;
pub use one_shot::{InvalidBox, find_neighbors, find_pairs, find_pairs_between, on_backend};
use pairs::near::NearBuffers;
use pairs::row_pairs::RowPairs;
use pairs::static_cache::StaticCache;
use storage::axis_order::AxisOrder;
use storage::pending::Pending;
use storage::row::{Row, RowId};
use storage::store::Store;
use storage::tiers::{Tier, Tiers};
use update::parallel::UpdateLog;

/// A hierarchical grid: finds every overlapping pair of objects of any size in an unbounded world.
///
/// The grid needs no settings: levels follow the sizes of the objects, row heights their density.
/// Levels are chosen again when the number of objects has doubled or fallen to a quarter; row
/// heights are lowered in crowds and raised after a crowd has dispersed.
///
/// The fastest way to move objects is a walk over all of them
/// ([`update`](crate::SpatialIndexExt::update), [`retain`](crate::SpatialIndexExt::retain)), which
/// keeps rows sorted. Objects can be inserted, moved and removed by key at any time. An object
/// becomes *pending* if a move by key takes it out of its row or its position in the row: it is
/// inserted into a row before pairs are next found, and until then every query tests it. The origin
/// is not special.
///
/// ```
/// use broadphase_hshg::{Aabb, Hshg, SpatialIndexExt};
///
/// let mut world: Hshg<f32, 2> = Hshg::new();
/// for key in 0..100u32 {
///     world.insert(key, Aabb::of_ball([key as f32 * 2.0, 0.0], 0.5))?;
/// }
/// let mut pairs = Vec::new();
/// for _tick in 0..2 {
///     world.update(|key, bounds| {
///         let step = if key % 2 == 0 { 0.25 } else { -0.25 };
///         *bounds = bounds.translated([step, 0.0]);
///     })?;
///     world.pairs(&mut pairs);
/// }
/// assert_eq!(pairs.len(), 50); // 0 with 1, 2 with 3, …
/// # Ok::<(), broadphase_hshg::IndexError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Hshg<S = f32, const D: usize = 2> {
    store: Store<S, D>,
    /// All rows, ascending by id.
    rows: Vec<Row<D>>,
    /// All tiers with rows, ascending by number.
    tiers: Vec<Tier>,
    sizes: Tiers,
    /// The side of the cells of level 0; `None` if the objects determine it.
    smallest_cell: Option<S>,
    /// Objects inserted or moved out of their row since the last refresh.
    pending: Pending<S, D>,
    /// Maps a key to a slot in the store, or to `PENDING | index` with an index into `pending`.
    slots: KeySlots,
    len: usize,
    /// The number of objects when tiers were last chosen.
    len_at_rebuild: usize,
    /// Approximate distance between neighboring objects at the last refresh.
    spacing: Option<f64>,
    /// The number of slots that belong to no row.
    unused: usize,
    /// The number of holes in all rows.
    holes: usize,
    /// Scratch buffer: the target rows of pending objects.
    insertions: Vec<Insertion>,
    /// Scratch buffers of bulk loads.
    load: LoadScratch<D>,
    /// Scratch buffer: rows to be created.
    missing: Vec<RowId<D>>,
    /// Set when the row list has changed since the row pairs were computed.
    rows_changed: bool,
    row_pairs: RowPairs,
    /// Buffers of searches for pairs within a distance or pairs of two grids.
    near: NearBuffers<D>,
    /// The static neighbors of moving objects.
    static_cache: StaticCache<D>,
    /// Logs of parallel walks, reused between walks.
    logs: Vec<UpdateLog<S, D>>,
    axis_check: AxisCheck,
    backend: Backend,
}

/// Flag in a slot number: the other bits are an index into the pending objects.
const PENDING: usize = 1 << 31;

/// The minimum number of objects per thread that reads all objects.
const MIN_OBJECTS_PER_THREAD: usize = 4096;

impl<S: Scalar, const D: usize> Hshg<S, D> {
    /// Returns an empty grid that derives the sizes of its cells from the objects.
    #[must_use]
    pub fn new() -> Self {
        const { broadphase_core::assert_compiled(D) };
        empty(None)
    }

    /// Returns an empty grid whose level-0 cells have this side, rounded up to a power of two. The
    /// best side is about the size of the smallest objects.
    ///
    /// Levels are then fixed; a grid from [`new`](Self::new) adapts them to its objects.
    ///
    /// # Panics
    /// If `side` is not positive and finite.
    ///
    /// ```
    /// use broadphase_hshg::{Aabb, Hshg, SpatialIndexExt};
    ///
    /// let mut world: Hshg<i32, 2> = Hshg::with_smallest_cell(3);
    /// world.insert(0, Aabb::new([0, 0], [3, 3]))?;
    /// assert_eq!(world.levels()[0].cell, 4.0);
    /// # Ok::<(), broadphase_hshg::IndexError>(())
    /// ```
    #[must_use]
    pub fn with_smallest_cell(side: S) -> Self {
        const { broadphase_core::assert_compiled(D) };
        assert!(
            side > S::ZERO && side.is_finite(),
            "the side of a cell must be positive and finite, not {side}"
        );
        empty(Some(side))
    }

    /// Returns the object with a number from `slots`: a slot, or `PENDING | index`.
    #[inline(always)]
    fn entry(&self, slot: usize) -> Entry<S, D> {
        if slot & PENDING == 0 {
            Entry { key: self.store.keys[slot], bounds: self.store.bounds(slot) }
        } else {
            let index = slot & !PENDING;
            Entry { key: self.pending.keys[index], bounds: self.pending.bounds[index] }
        }
    }

    #[inline(always)]
    fn live_slots(&self, row: &Row<D>) -> impl Iterator<Item = usize> + use<'_, S, D> {
        row.slots().filter(|&slot| self.is_live(slot))
    }

    /// Returns whether a slot has an object.
    #[inline(always)]
    fn is_live(&self, slot: usize) -> bool {
        self.store.is_live(slot, &self.slots)
    }

    /// Returns the keys and bounds of all objects, in storage order, read by several threads.
    fn objects(&self) -> Vec<(u32, Aabb<S, D>)> {
        let bounds = self.store.all_bounds();
        let append = |rows: &[Row<D>], objects: &mut Vec<(u32, Aabb<S, D>)>| {
            for row in rows {
                let slots = self.live_slots(row);
                objects.extend(slots.map(|slot| (self.store.keys[slot], bounds(slot))));
            }
        };
        let mut objects = Vec::with_capacity(self.len);
        let lens = self.rows.iter().map(|row| row.len);
        let ranges = tasks::weighed(lens, MIN_OBJECTS_PER_THREAD).into_iter();
        let mut parts: Vec<_> = ranges.map(|range| (range, Vec::new())).collect();
        if parts.is_empty() {
            append(&self.rows, &mut objects);
        } else {
            tasks::each(&mut parts, |(range, objects)| append(&self.rows[range.clone()], objects));
            parts.iter().for_each(|(_, part)| objects.extend_from_slice(part));
        }
        let Pending { keys, bounds, .. } = &self.pending;
        objects.extend(keys.iter().copied().zip(bounds.iter().copied()));
        objects
    }
}

impl<S: Scalar, const D: usize> Default for Hshg<S, D> {
    fn default() -> Self {
        Self::new()
    }
}

instances! {
    fn empty<S, D>(smallest_cell: Option<S>) -> Hshg<S, D> {
        Hshg {
            store: Store::new(AxisOrder::UNCHANGED),
            rows: Vec::new(),
            tiers: Vec::new(),
            sizes: match smallest_cell {
                Some(side) => Tiers::of_cell(side.to_f64()),
                None => Tiers::of_sizes(&mut [1.0]),
            },
            smallest_cell,
            pending: Pending::default(),
            slots: KeySlots::default(),
            len: 0,
            len_at_rebuild: 0,
            spacing: None,
            unused: 0,
            holes: 0,
            insertions: Vec::new(),
            load: LoadScratch::default(),
            missing: Vec::new(),
            rows_changed: true,
            row_pairs: RowPairs::default(),
            near: NearBuffers::default(),
            static_cache: StaticCache::default(),
            logs: Vec::new(),
            axis_check: AxisCheck::NOW,
            backend: Backend::detect(),
        }
    }
}
