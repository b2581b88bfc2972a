//! The hierarchical grid: levels of sizes, rows of cells, objects in order along the first axis.
//!
//! An object belongs to one level, by its largest extent, and to one cell of it, by its low
//! corner; no object is larger than a cell of its level. Levels are what users think in. What is
//! stored are *rows*: the objects of three neighbouring levels (a *tier*) whose low corners lie in
//! one strip of cells, side by side in memory, ascending along the first axis.
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
//! Eight neighbours in a row are compared with the eight that come 1, 2, 3, … places later, until
//! none of them begins before its partner ends. There is no table of cells, and the height of rows
//! follows the density, so that few neighbours come into question.
//!
//! Objects that move stay in their places as long as the order holds; those that leave a row leave
//! a hole, which the next arrival fills. What was inserted or moved out of order by key waits in a
//! side list until the next refresh, which finding pairs begins with.
//!
//! Rows of static objects are not swept with each other, and not with dynamic objects that remember
//! what is static around them.

mod by_key;
mod config;
mod data;
mod index;
mod maintenance;
mod pairs;
mod queries;
mod stats;
mod storage;
mod update;

use alloc::vec::Vec;

use broadphase_core::slots::Slots;
use broadphase_core::{Backend, Entry, Scalar};

pub use config::HshgConfig;
use data::Payload;
use maintenance::margin::{MarginAge, Margins};
use maintenance::merge::Insertion;
use pairs::row_pairs::RowPairs;
use pairs::static_cache::StaticCache;
pub use stats::{LevelStats, Stats};
use storage::row::{Row, RowId};
use storage::store::{Body, Store};
use storage::tiers::{Tier, Tiers};
pub use update::batch::{Batch, BatchKernel};
use update::deferred::Staging;
pub use update::deferred::{Changes, ObjectMut};
use update::parallel::UpdateLog;

/// The hierarchical grid: every overlapping pair of objects of any sizes, in an unbounded world.
///
/// Nothing has to be configured: levels follow the sizes of the objects, rows their density, and
/// both are looked at again when the number of objects has doubled; rows also when a crowd forms,
/// and some time after it has gone. Walking over all objects
/// ([`update`](crate::SpatialIndex::update), [`retain`](crate::SpatialIndex::retain)) is the fast
/// way to move them: it keeps their order as it goes. By key, objects are inserted, moved and
/// removed at any time; those that change their place in the order wait in a list, and a query
/// looks at each of them. The origin is no special place, and no coordinate is too far out.
///
/// ```
/// use broadphase_hshg::{Aabb, Hshg, SpatialIndex};
///
/// let mut world: Hshg<f32, 2, [f32; 2]> = Hshg::new();
/// for key in 0..100u32 {
///     let velocity = [if key % 2 == 0 { 0.25 } else { -0.25 }, 0.0];
///     world.insert(key, Aabb::of_ball([key as f32 * 2.0, 0.0], 0.5), velocity)?;
/// }
/// let mut pairs = Vec::new();
/// for _tick in 0..2 {
///     world.update(|_key, velocity, bounds| *bounds = bounds.translated(*velocity))?;
///     world.pairs(&mut pairs);
/// }
/// assert_eq!(pairs.len(), 50); // 0 with 1, 2 with 3, …
/// # Ok::<(), broadphase_hshg::IndexError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Hshg<S = f32, const D: usize = 2, T = ()> {
    core: Core<S, D>,
    data: Payload<T>,
    /// Scratch buffers of walks, kept between walks to avoid reallocating.
    staging: Staging<S, D, T>,
}

/// A grid without the data of its objects.
///
/// Its functions are compiled once, in this crate: [`Hshg`] reaches them through
/// [`instances!`](broadphase_core::instances).
#[derive(Clone, Debug)]
struct Core<S, const D: usize> {
    store: Store<S, D>,
    /// Ascending by id.
    rows: Vec<Row<D>>,
    /// Ascending by number.
    tiers: Vec<Tier>,
    sizes: Tiers,
    config: HshgConfig<S>,
    /// How much larger slabs are than the bounds in them.
    margins: Margins<S>,
    /// How long they have been and will be so.
    margin_age: MarginAge,
    /// What was inserted or moved on since the last refresh.
    pending: Vec<Body<S, D>>,
    /// Where each key is: its place in the store, or `PENDING` and its place among the pending.
    slots: Slots,
    len: usize,
    /// Whether upkeep that costs more than what changed waits to be asked for.
    manual: bool,
    /// How many objects there were when sizes were looked at.
    len_at_rebuild: usize,
    /// About how far it is from one object to the next, as of the last refresh.
    spacing: Option<f64>,
    /// Places in the store that no row has.
    unused: usize,
    /// Places in rows that hold no object.
    holes: usize,
    /// Where the pending go.
    insertions: Vec<Insertion>,
    /// Rows that are to be made.
    missing: Vec<RowId<D>>,
    /// The rows, in the order of their places.
    rows_by_slot: Vec<u32>,
    /// Whether there are other rows than when it was found out which are near each other.
    rows_changed: bool,
    row_pairs: RowPairs,
    /// What is static around those that move.
    static_cache: StaticCache<D>,
    /// The moves of a chunk; between walks, only its memory.
    moves: Vec<[u32; 2]>,
    /// What several walkers have in hand; between walks, only its memory.
    logs: Vec<UpdateLog<S, D>>,
    /// The row that a round of upkeep goes on with.
    next_row: Option<RowId<D>>,
    backend: Backend,
}

/// Marks a slot as a place among the pending.
const PENDING: usize = 1 << 31;

impl<S: Scalar, const D: usize, T: Copy> Hshg<S, D, T> {
    /// No objects, nothing configured.
    #[must_use]
    pub fn new() -> Self {
        Self::with_config(HshgConfig::new())
    }

    /// The object in a slot: a place in the store, or `PENDING` and an index of a pending object.
    #[inline]
    fn entry(&self, slot: usize) -> Entry<'_, S, D, T> {
        if slot & PENDING == 0 {
            let (store, data) = (&self.core.store, &self.data.placed[slot]);
            Entry { key: store.keys[slot], bounds: store.bounds(slot), data }
        } else {
            let &Body { key, bounds, .. } = &self.core.pending[slot & !PENDING];
            Entry { key, bounds, data: &self.data.pending[slot & !PENDING] }
        }
    }
}

impl<S: Scalar, const D: usize> Core<S, D> {
    /// No objects, and no memory.
    fn empty(config: HshgConfig<S>) -> Self {
        Self {
            store: Store::new(false),
            rows: Vec::new(),
            tiers: Vec::new(),
            sizes: config.tiers(|| [1.0].into()),
            config,
            margins: Margins::NONE,
            margin_age: MarginAge::UNKNOWN,
            pending: Vec::new(),
            slots: Slots::default(),
            len: 0,
            manual: config.is_manual(),
            len_at_rebuild: 0,
            spacing: None,
            unused: 0,
            holes: 0,
            insertions: Vec::new(),
            missing: Vec::new(),
            rows_by_slot: Vec::new(),
            rows_changed: true,
            row_pairs: RowPairs::default(),
            static_cache: StaticCache::default(),
            moves: Vec::new(),
            logs: Vec::new(),
            next_row: None,
            backend: Backend::detect(),
        }
    }

    /// Whether a place holds an object.
    #[inline(always)]
    fn is_live(&self, slot: usize) -> bool {
        self.store.is_live(slot, &self.slots)
    }
}

impl<S: Scalar, const D: usize, T: Copy> Default for Hshg<S, D, T> {
    fn default() -> Self {
        Self::new()
    }
}
