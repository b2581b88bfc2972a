//! Our structures. Velocities are in an array, by key.

use core::fmt;

use broadphase_core::{
    Aabb, Backend, IndexError, IndexObject, Kernel, Lanes, Motion as Class, Pair, Prefetch,
    SpatialIndex, SpatialIndexExt, Walk, WalkBatch,
};
use broadphase_hshg::Hshg;
use broadphase_morton::MortonCells;

use super::{Boxes, Motion, World};

/// One of our structures, updated and searched for pairs each tick. Virtual calls are cheap: there
/// are few per tick.
pub struct Indexed<const D: usize> {
    /// The structure. Static objects have the first keys.
    pub index: Box<dyn SpatialIndex<f32, D>>,
    /// The velocities of the objects, by key; 0 for static ones.
    velocities: Vec<[f32; D]>,
    motion: Motion,
    /// Whether some objects are static.
    has_statics: bool,
    /// Whether one object is changed in each tick. Morton-sorted cells return cached pairs if no
    /// object has changed, so in a world at rest the benchmark would measure the cache.
    touches: bool,
}

impl<const D: usize> Indexed<D> {
    /// Fills an empty structure with objects that move.
    pub fn new(mut index: Box<dyn SpatialIndex<f32, D>>, boxes: &Boxes<D>) -> Self {
        index.extend(boxes.objects()).expect("scenes have valid bounds");
        Self {
            index,
            velocities: boxes.velocities.clone(),
            motion: boxes.motion,
            has_statics: false,
            touches: false,
        }
    }

    /// Fills a hierarchical grid.
    pub fn grid(boxes: &Boxes<D>) -> Self {
        Self::new(Box::new(Hshg::new()), boxes)
    }

    /// Fills Morton-sorted cells.
    pub fn sorted(boxes: &Boxes<D>) -> Self {
        Self { touches: true, ..Self::new(Box::new(MortonCells::new()), boxes) }
    }

    /// Fills an empty structure with static objects and with objects that move.
    pub fn among(
        mut index: Box<dyn SpatialIndex<f32, D>>,
        statics: &Boxes<D>,
        movers: &Boxes<D>,
    ) -> Self {
        let first = statics.bounds.len() as u32;
        let fixed = statics.objects().map(|(key, at)| IndexObject::new(key, at));
        let moving = movers.objects().map(|(key, at)| IndexObject::new(first + key, at));
        let objects: Vec<_> =
            fixed.map(|object| object.motion(Class::Static)).chain(moving).collect();
        index.insert_many(&objects).expect("scenes have valid bounds");
        let mut velocities = vec![[0.0; D]; statics.bounds.len()];
        velocities.extend_from_slice(&movers.velocities);
        Self { index, velocities, motion: movers.motion, has_statics: true, touches: false }
    }

    /// Sets the backend.
    pub fn on(mut self, backend: Backend) -> Self {
        self.index.set_backend(backend);
        self
    }

    /// Moves every object to a random place.
    pub fn jump(&mut self) {
        let jump = self.motion.jump();
        self.par_update(
            &|key, bounds| jump.advance(key, bounds),
            Prefetch::new(self.backend(), &[()]),
        )
        .expect("jumps have valid bounds");
    }

    /// Writes every overlapping pair in canonical order.
    pub fn collect_sorted(&mut self, out: &mut Vec<Pair>) {
        self.index.pairs(out);
    }

    /// Sets the bounds of one object to their current value, which invalidates cached pairs.
    pub fn touch(&mut self) {
        let object = self.index.get(0).expect("an object");
        self.index.set_bounds(0, object.bounds).expect("stored bounds are valid");
    }

    fn backend(&self) -> Backend {
        self.index.state().backend.unwrap_or_else(Backend::detect)
    }

    /// Changes all objects in batches, on the backend of the structure and on all threads.
    fn par_update(
        &mut self,
        change: &(impl Fn(u32, &mut Aabb<f32, D>) + Sync),
        prefetch: Prefetch,
    ) -> Result<(), IndexError> {
        let backend = self.backend();
        self.index.walk(Walk::Parallel(&|batch: &mut WalkBatch<'_, f32, D>| {
            prefetch.at(batch.keys());
            backend.dispatch(Apply { change, batch });
        }))
    }
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

impl<const D: usize> World<D> for Indexed<D> {
    /// Moves objects in batches, on the backend of the structure. Without walls, velocities do not
    /// change, and objects are moved on all threads.
    fn advance(&mut self) {
        if self.touches {
            // The update also sorts the changed object.
            self.touch();
        }
        let tick = self.motion.tick();
        let backend = self.backend();
        let prefetch = Prefetch::new(backend, &self.velocities);
        let moved = if self.motion.has_walls() || self.has_statics {
            let Self { index, velocities, has_statics, .. } = self;
            let mut visit = |batch: &mut WalkBatch<'_, f32, D>| {
                prefetch.at(batch.keys());
                let change = |key: u32, bounds: &mut _| {
                    tick.advance(&mut velocities[key as usize], bounds);
                };
                backend.dispatch(Apply { change, batch });
            };
            index.walk(if *has_statics { Walk::Dynamic(&mut visit) } else { Walk::All(&mut visit) })
        } else {
            let velocities = core::mem::take(&mut self.velocities);
            let change = |key, bounds: &mut _| {
                tick.advance(&mut { velocities[key as usize] }, bounds);
            };
            let moved = self.par_update(&change, prefetch);
            self.velocities = velocities;
            moved
        };
        moved.expect("scenes have valid bounds");
    }

    fn collect(&mut self, out: &mut Vec<Pair>) {
        self.index.pairs_unordered(out);
    }
}

impl<const D: usize> fmt::Debug for Indexed<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Indexed").field("state", &self.index.state()).finish_non_exhaustive()
    }
}
