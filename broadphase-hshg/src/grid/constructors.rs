//! The constructors of a grid.

use alloc::vec::Vec;

use broadphase_core::slots::Slots;
use broadphase_core::{Backend, Scalar, instances};

use super::Hshg;
use super::maintenance::bulk_load::LoadScratch;
use super::maintenance::sweep_axis::AxisCheck;
use super::pairs::near_buffers::NearBuffers;
use super::pairs::row_pairs::RowPairs;
use super::pairs::static_cache::StaticCache;
use super::storage::axis_order::AxisOrder;
use super::storage::store::Store;
use super::storage::tiers::Tiers;

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
    /// A grid from [`new`](Self::new) measures its objects repeatedly and adapts its levels. With a
    /// smallest cell the levels are fixed.
    ///
    /// # Panics
    /// If `side` is not positive and finite.
    ///
    /// ```
    /// use broadphase_hshg::{Aabb, Hshg, SpatialIndexExt};
    ///
    /// let mut world: Hshg<i32, 2> = Hshg::with_smallest_cell(3);
    /// world.insert(0, Aabb::new([0, 0], [3, 3]))?;
    /// assert_eq!(world.stats().levels[0].cell, 4.0);
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
}

instances! {
    /// Returns an empty grid without allocated memory.
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
            pending: Vec::new(),
            slots: Slots::default(),
            len: 0,
            len_at_rebuild: 0,
            spacing: None,
            unused: 0,
            holes: 0,
            insertions: Vec::new(),
            load: LoadScratch::default(),
            missing: Vec::new(),
            rows_by_slot: Vec::new(),
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
