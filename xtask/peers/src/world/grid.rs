//! Our hierarchical grid. Velocities are in an array, by key.

use broadphase_core::{
    Aabb, Backend, IndexError, Kernel, Lanes, Pair, SpatialIndex, SpatialIndexExt, Walk, WalkBatch,
};
use broadphase_hshg::Hshg;

use super::{Boxes, Motion, World};

/// The grid, updated and searched for pairs each tick.
#[derive(Clone, Debug)]
pub struct Grid<const D: usize> {
    /// The structure.
    pub hshg: Hshg<f32, D>,
    velocities: Vec<[f32; D]>,
    motion: Motion,
}

impl<const D: usize> Grid<D> {
    /// Sets the backend.
    #[must_use]
    pub fn on(mut self, backend: Backend) -> Self {
        self.hshg.set_backend(backend);
        self
    }

    /// Moves every object with one call of a closure per object.
    ///
    /// # Panics
    /// Panics if bounds are invalid.
    pub fn advance_one_by_one(&mut self) {
        let Self { hshg, velocities, motion } = self;
        let tick = motion.tick();
        let moved = hshg.update(|key, bounds| tick.advance(&mut velocities[key as usize], bounds));
        moved.expect("scenes have valid bounds");
    }

    /// Moves every object to a random place.
    ///
    /// # Panics
    /// Panics if bounds are invalid.
    pub fn jump(&mut self) {
        let jump = self.motion.jump();
        par_update(&mut self.hshg, &|key, bounds| jump.advance(key, bounds))
            .expect("jumps have valid bounds");
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
        self.hshg.extend(boxes.objects()).expect("scenes have valid bounds");
        self.velocities.clone_from(&boxes.velocities);
    }
}

/// Changes all objects in batches, on the backend of the grid and on all threads.
fn par_update<const D: usize>(
    hshg: &mut Hshg<f32, D>,
    change: &(impl Fn(u32, &mut Aabb<f32, D>) + Sync),
) -> Result<(), IndexError> {
    let backend = hshg.state().backend.expect("grids have kernels");
    hshg.walk(Walk::Parallel(&|batch: &mut WalkBatch<'_, f32, D>| {
        backend.dispatch(Apply { change, batch });
    }))
}

/// The kernel that applies a change to a batch. The change must be inlined to be compiled for each
/// backend.
struct Apply<'a, 'b, C, const D: usize> {
    change: C,
    batch: &'a mut WalkBatch<'b, f32, D>,
}

impl<C: FnMut(u32, &mut Aabb<f32, D>), const D: usize> Kernel for Apply<'_, '_, C, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, _: L) {
        self.batch.each(self.change);
    }
}

impl<const D: usize> World<D> for Grid<D> {
    fn new(boxes: &Boxes<D>) -> Self {
        let (hshg, velocities) = (Hshg::new(), Vec::new());
        let mut grid = Self { hshg, velocities, motion: boxes.motion };
        grid.refill(boxes);
        grid
    }

    /// Moves every object in batches, on the backend of the grid. Without walls, velocities do not
    /// change, and objects are moved on all threads.
    fn advance(&mut self) {
        let Self { hshg, velocities, motion } = self;
        let tick = motion.tick();
        let moved = if motion.has_walls() {
            let backend = hshg.state().backend.expect("grids have kernels");
            hshg.walk(Walk::All(&mut |batch: &mut WalkBatch<'_, f32, D>| {
                let change = |key: u32, bounds: &mut _| {
                    tick.advance(&mut velocities[key as usize], bounds);
                };
                backend.dispatch(Apply { change, batch });
            }))
        } else {
            par_update(hshg, &|key, bounds| {
                tick.advance(&mut { velocities[key as usize] }, bounds);
            })
        };
        moved.expect("scenes have valid bounds");
    }

    fn collect(&mut self, out: &mut Vec<Pair>) {
        self.hshg.pairs_unordered(out);
    }
}
