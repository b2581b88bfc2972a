//! Our hierarchical grid. Velocities are the payload, so they move with the objects in storage.

use broadphase_core::{Backend, IndexError, Kernel, Lanes, Pair, SpatialIndex};
use broadphase_hshg::{Batch, Hshg};

use super::{Boxes, Motion, Tick, World};

/// The grid, updated and searched for pairs each tick.
#[derive(Clone, Debug)]
pub struct Grid<const D: usize> {
    /// The structure.
    pub hshg: Hshg<f32, D, [f32; D]>,
    motion: Motion,
}

impl<const D: usize> Grid<D> {
    /// Sets the backend.
    #[must_use]
    pub fn on(mut self, backend: Backend) -> Self {
        self.hshg.set_backend(backend);
        self
    }

    /// Sets the skin.
    #[must_use]
    pub fn with_skin(mut self, distance: f32) -> Self {
        self.hshg.set_skin(distance);
        self
    }

    /// Moves every object with one call of a closure per object.
    ///
    /// # Panics
    /// Panics if bounds are invalid.
    pub fn advance_one_by_one(&mut self) {
        let tick = self.motion.tick();
        let moved = self.hshg.update(|_, velocity, bounds| tick.advance(velocity, bounds));
        moved.expect("scenes have valid bounds");
    }

    /// Moves every object to a random place.
    ///
    /// # Panics
    /// Panics if bounds are invalid.
    pub fn jump(&mut self) {
        let jump = self.motion.jump();
        self.update_batches(jump).expect("jumps have valid bounds");
    }

    /// Changes all objects in batches, on the backend of the grid and on all threads.
    fn update_batches(&mut self, change: impl BatchChange<D>) -> Result<(), IndexError> {
        let backend = self.hshg.backend().expect("grids have kernels");
        self.hshg.par_update_batches(|batch| backend.dispatch(Apply { change, batch }))
    }

    /// Writes every overlapping pair in canonical order.
    pub fn collect_sorted(&mut self, out: &mut Vec<Pair>) {
        self.hshg.pairs(out);
    }

    /// Replaces all objects.
    ///
    /// # Panics
    /// Panics if bounds are invalid.
    pub fn refill(&mut self, boxes: &Boxes<D>) {
        self.hshg.clear();
        self.hshg.extend(boxes.movers()).expect("scenes have valid bounds");
    }
}

/// A change of all objects of a batch. `apply` must be inlined to be compiled for each backend.
pub(super) trait BatchChange<const D: usize>: Copy + Sync {
    fn apply(self, batch: Batch<'_, f32, D, [f32; D]>);
}

impl<const D: usize> BatchChange<D> for Tick {
    #[inline(always)]
    fn apply(self, batch: Batch<'_, f32, D, [f32; D]>) {
        self.advance_all(batch.data, batch.min, batch.max);
    }
}

/// The kernel that applies a change to a batch.
struct Apply<'a, C, const D: usize> {
    change: C,
    batch: Batch<'a, f32, D, [f32; D]>,
}

impl<C: BatchChange<D>, const D: usize> Kernel for Apply<'_, C, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, _: L) {
        self.change.apply(self.batch);
    }
}

impl<const D: usize> World<D> for Grid<D> {
    fn new(boxes: &Boxes<D>) -> Self {
        let mut grid = Self { hshg: Hshg::new(), motion: boxes.motion };
        grid.refill(boxes);
        grid
    }

    fn advance(&mut self) {
        let tick = self.motion.tick();
        self.update_batches(tick).expect("scenes have valid bounds");
    }

    fn collect(&mut self, out: &mut Vec<Pair>) {
        self.hshg.pairs_unordered_into(out);
    }
}
