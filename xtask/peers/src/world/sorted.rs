//! Our Morton-sorted cells. Velocities are in an array, by key.

use broadphase_core::{Backend, Pair, SpatialIndex, SpatialIndexExt};
use broadphase_morton::MortonCells;

use super::{Boxes, Motion, World};

/// The cells, updated and searched for pairs each tick.
#[derive(Clone, Debug)]
pub struct Sorted<const D: usize> {
    /// The structure.
    pub cells: MortonCells<f32, D>,
    velocities: Vec<[f32; D]>,
    motion: Motion,
    /// Whether an object has changed since the last search for pairs.
    changed: bool,
}

impl<const D: usize> Sorted<D> {
    /// Sets the backend.
    #[must_use]
    pub fn on(mut self, backend: Backend) -> Self {
        self.cells.set_backend(backend);
        self
    }

    /// Sets the bounds of one object to their current value, which invalidates the cached pairs. In
    /// an unchanged world the benchmark would measure the cache instead of the search.
    fn change_one(&mut self) {
        if let Some(bounds) = self.cells.get(0).map(|entry| entry.bounds) {
            self.cells.set_bounds(0, bounds).expect("stored bounds are valid");
        }
        self.changed = true;
    }

    /// Replaces all objects.
    ///
    /// # Panics
    /// Panics if bounds are invalid.
    pub fn refill(&mut self, boxes: &Boxes<D>) {
        self.cells.clear();
        self.cells.extend(boxes.objects()).expect("scenes have valid bounds");
        self.velocities.clone_from(&boxes.velocities);
        self.changed = true;
    }
}

impl<const D: usize> World<D> for Sorted<D> {
    fn new(boxes: &Boxes<D>) -> Self {
        let (cells, velocities) = (MortonCells::new(), Vec::new());
        let mut sorted = Self { cells, velocities, motion: boxes.motion, changed: true };
        sorted.refill(boxes);
        sorted
    }

    fn advance(&mut self) {
        // The next update of all objects also sorts the changed object.
        self.change_one();
        let Self { cells, velocities, motion, .. } = self;
        let tick = motion.tick();
        let moved = cells.update(|key, bounds| tick.advance(&mut velocities[key as usize], bounds));
        moved.expect("scenes have valid bounds");
    }

    fn collect(&mut self, out: &mut Vec<Pair>) {
        if !self.changed {
            self.change_one();
        }
        self.cells.pairs_unordered(out);
        self.changed = false;
    }
}
