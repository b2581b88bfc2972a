//! Our Morton-sorted cells: the velocities are their payload, and move with the objects.

use broadphase_core::{Backend, Pair, SpatialIndex};
use broadphase_morton::MortonCells;

use super::{Boxes, Motion, World};

/// The cells, walked over and asked for their pairs each tick.
#[derive(Clone, Debug)]
pub struct Sorted<const D: usize> {
    /// The structure itself.
    pub cells: MortonCells<f32, D, [f32; D]>,
    motion: Motion,
    /// Whether anything has changed since pairs were found.
    stirred: bool,
}

impl<const D: usize> Sorted<D> {
    /// The same on that backend.
    #[must_use]
    pub fn on(mut self, backend: Backend) -> Self {
        self.cells.set_backend(backend);
        self
    }

    /// The same with a skin of so much.
    #[must_use]
    pub fn with_skin(mut self, distance: f32) -> Self {
        self.cells.set_skin(distance);
        self
    }

    /// Gives one object its bounds again. Where nothing has changed, pairs would be handed out as they
    /// were noted, and finding them is what is measured.
    fn stir(&mut self) {
        if let Some(bounds) = self.cells.get(0).map(|entry| entry.bounds) {
            self.cells.set_bounds(0, bounds).expect("bounds that are there are valid");
        }
        self.stirred = true;
    }

    /// Forgets everything and takes in these objects.
    ///
    /// # Panics
    /// If bounds are invalid.
    pub fn refill(&mut self, boxes: &Boxes<D>) {
        self.cells.clear();
        self.cells.extend(boxes.movers()).expect("scenes have valid bounds");
        self.stirred = true;
    }
}

impl<const D: usize> World<D> for Sorted<D> {
    fn new(boxes: &Boxes<D>) -> Self {
        let mut sorted = Self { cells: MortonCells::new(), motion: boxes.motion, stirred: true };
        sorted.refill(boxes);
        sorted
    }

    fn advance(&mut self) {
        // The walk that follows sorts it in with all that moves.
        self.stir();
        let tick = self.motion.tick();
        let moved = self.cells.update(|_, velocity, bounds| tick.advance(velocity, bounds));
        moved.expect("scenes have valid bounds");
    }

    fn collect(&mut self, out: &mut Vec<Pair>) {
        if !self.stirred {
            self.stir();
        }
        self.cells.pairs_unordered_into(out);
        self.stirred = false;
    }
}
