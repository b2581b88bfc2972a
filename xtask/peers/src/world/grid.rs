//! Our hierarchical grid. Velocities are the payload, so they move with the objects in storage.

use broadphase_core::{Backend, Pair, SpatialIndex};
use broadphase_hshg::{Batch, BatchKernel, Hshg};

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
        self.hshg.update_kernel(&jump).expect("jumps have valid bounds");
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

impl<const D: usize> BatchKernel<f32, D, [f32; D]> for Tick {
    #[inline(always)]
    fn run(&self, batch: Batch<'_, f32, D, [f32; D]>) {
        self.advance_all(batch.data, batch.min, batch.max);
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
        self.hshg.update_kernel(&tick).expect("scenes have valid bounds");
    }

    fn collect(&mut self, out: &mut Vec<Pair>) {
        self.hshg.pairs_unordered_into(out);
    }
}
