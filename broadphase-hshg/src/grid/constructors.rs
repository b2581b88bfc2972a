//! The constructors of a grid.

use broadphase_core::{IndexError, Scalar, instances};

use super::data::Payload;
use super::{Core, Hshg};

impl<S: Scalar, const D: usize, T: Copy> Hshg<S, D, T> {
    /// Returns an empty grid that derives the sizes of its cells from the objects.
    #[must_use]
    pub fn new() -> Self {
        const { broadphase_core::assert_compiled(D) };
        Self { core: empty(None), data: Payload::new() }
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
    /// use broadphase_hshg::{Aabb, Hshg, SpatialIndex};
    ///
    /// let mut world: Hshg<i32, 2> = Hshg::with_smallest_cell(3);
    /// world.insert(0, Aabb::new([0, 0], [3, 3]), ())?;
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
        Self { core: empty(Some(side)), data: Payload::new() }
    }

    /// Allocates room for `additional` further objects.
    pub(super) fn reserve_all(&mut self, additional: usize) -> Result<(), IndexError> {
        if additional == 0 {
            return Ok(());
        }
        // Allocate a sixth more slots than objects: for gaps in rows, and for the fence and the
        // free slots of each row.
        let slots = additional.saturating_add(additional / 6);
        reserve_all(&mut self.core, additional, slots)?;
        let Payload { placed, pending, .. } = &mut self.data;
        pending.try_reserve(additional).map_err(|_| IndexError::OutOfMemory)?;
        placed.try_reserve_exact(slots).map_err(|_| IndexError::OutOfMemory)
    }
}

instances! {
    /// Implements [`Core::empty`].
    fn empty<S, D>(smallest_cell: Option<S>) -> Core<S, D> {
        Core::empty(smallest_cell)
    }

    /// Allocates room for `additional` further objects and `slots` further slots.
    fn reserve_all<S, D>(
        core: &mut Core<S, D>,
        additional: usize,
        slots: usize,
    ) -> Result<(), IndexError> {
        core.slots.try_reserve(additional)?;
        core.pending.try_reserve(additional).map_err(|_| IndexError::OutOfMemory)?;
        core.store.try_reserve(slots).map_err(|_| IndexError::OutOfMemory)
    }
}
