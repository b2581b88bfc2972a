//! The part of a world that depends on its number type and dimension, but not on its user data and
//! volumes: the structure, swept objects, options.
//!
//! The engine is compiled in this crate, once for each number type and dimension. A world owns it
//! as a trait object, so a program that uses worlds compiles neither a structure nor a kernel.
//! There are one or two virtual calls for each call of a world, one for each batch of up to 128
//! objects of an update, one for each batch of pairs that is filtered, and one for each object that
//! a query finds.

mod across;
mod bulk;
mod choice;
mod crowd;
mod current;
mod errors;
mod find_pairs;
#[cfg(all(feature = "std", target_has_atomic = "64"))]
mod limited;
mod lines;
mod near;
mod objects;
mod queries;
mod restore;
mod select;
mod stats;
mod swept;

use alloc::boxed::Box;
use alloc::vec::Vec;

use broadphase_core::{
    Aabb, Backend, BruteForce, Filter, InvalidBounds, Motion, Pair, Scalar, SpatialIndex, instances,
};

use crate::registry::Registry;
use crate::snapshot::{ParsedSnapshot, Plain, SnapshotError};
use crate::{Error, Handle, Options};
pub(crate) use across::{images_overlap, in_same_image};
pub(crate) use bulk::NewObject;
use bulk::StagedBounds;
#[cfg(feature = "std")]
pub(crate) use choice::has_many_tests;
pub use choice::{Choice, Reason};
use crowd::Crowd;
use current::Current;
pub(crate) use errors::{object_error, update_error};
#[cfg(all(feature = "std", target_has_atomic = "64"))]
pub(crate) use limited::PairCounter;
pub use lines::{Line, LineKind};
pub(crate) use near::{Members, NearSearch, find_near_pairs};
pub(crate) use objects::ObjectBlock;
pub(crate) use queries::{BatchSearch, EmitFn, FilteredSearch, QueryKinds, SearchFn};
pub use stats::{LevelStats, Stats};
use swept::Swept;

/// The operations of a world that need its structure. There is one implementation; the trait exists
/// so that the implementation is compiled in this crate.
pub(crate) trait Engine<S: Scalar, const D: usize>: Send + Sync {
    fn options(&self) -> &Options<S, D>;
    fn choice(&self) -> Choice<S>;
    fn backend(&self) -> Backend;
    fn set_backend(&mut self, backend: Backend);
    fn shrink_to_fit(&mut self);
    fn boxed_clone(&self) -> Box<dyn Engine<S, D>>;
    fn assert_well_formed(&self, registry: &Registry);
    fn stats(&self, registry: &Registry) -> Stats<S>;
    fn debug_lines(&self, registry: &Registry, draw: &mut dyn FnMut(Line<S, D>));

    fn insert(
        &mut self,
        registry: &mut Registry,
        bounds: Aabb<S, D>,
        motion: Motion,
        filter: Filter,
    ) -> Result<Handle, Error>;
    /// Inserts `count` objects, all of them or none. Replaces the contents of `out` with their
    /// handles. `object` returns the object to insert at an index, or the reason it is invalid.
    fn insert_many(
        &mut self,
        registry: &mut Registry,
        count: usize,
        object: &dyn Fn(usize) -> Result<NewObject<S, D>, InvalidBounds>,
        out: &mut Vec<Handle>,
    ) -> Result<(), Error>;
    /// Removes the objects in these slots, which must be in use.
    fn remove_many(&mut self, slots: &[u32]);
    fn clear(&mut self);
    fn read_next_objects(&self, registry: &Registry, block: &mut ObjectBlock<S, D>);
    fn swept(&self) -> &Swept<S, D>;
    fn set_bounds_many(
        &mut self,
        registry: &Registry,
        changes: &[(Handle, Aabb<S, D>)],
    ) -> Result<(), Error>;
    fn set_swept(&mut self, slot: u32, swept: bool);

    /// Selects the structure for a number of objects.
    fn select(&mut self, objects: usize);
    /// Writes the current pairs to the registry. If events are enabled, the pairs of the last step
    /// become the pairs of the step before.
    fn find_pairs(&mut self, registry: &mut Registry);
    /// Counts the current pairs. If their number is within the counter's limit, the result is that
    /// of [`find_pairs`](Self::find_pairs).
    #[cfg(all(feature = "std", target_has_atomic = "64"))]
    fn find_limited_pairs(&mut self, registry: &mut Registry, counter: &PairCounter);
    /// Completes a step: the current bounds of swept objects become the starts of their next paths.
    fn end_step(&mut self);
    /// Returns the fraction of the last step at which the objects in two slots first touched, or
    /// `None` if they did not touch.
    fn first_contact(&self, pair: Pair) -> Option<S::Real>;

    fn query(
        &self,
        registry: &Registry,
        search: &FilteredSearch<S, D>,
        visit: &mut SearchFn<'_, S, D, S::Real>,
    );
    fn query_many(
        &self,
        registry: &Registry,
        search: &BatchSearch<'_, S, D>,
        accept: &(dyn Fn(Handle) -> bool + Sync),
        emit: &mut EmitFn<'_, S::Real>,
    );
    /// Returns the structure for calls that read single objects.
    fn structure(&self) -> &dyn SpatialIndex<S, D>;
    /// Returns the structure for a number of queries, which may make a refreshed copy.
    fn structure_for(&self, queries: usize) -> &dyn SpatialIndex<S, D>;
    /// Returns the structure to change it.
    fn structure_mut(&mut self) -> &mut dyn SpatialIndex<S, D>;
    fn overlapping(
        &self,
        registry: &Registry,
        object: Handle,
        touches: &dyn Fn(u32) -> bool,
        out: &mut Vec<Handle>,
    ) -> Result<(), Error>;

    fn write_boxes(&self, registry: &Registry, out: &mut Vec<u8>);
    fn write_swept(&self, out: &mut Vec<u8>);
    fn read_boxes(&self, saved: &ParsedSnapshot<'_>) -> Result<Vec<Aabb<S, D>>, SnapshotError>;
    fn restore(
        &mut self,
        registry: &mut Registry,
        saved: ParsedSnapshot<'_>,
        boxes: &[Aabb<S, D>],
    ) -> Result<(), SnapshotError>;
}

instances! {
    /// Returns the engine of an empty world that selects its structure.
    pub(crate) fn auto<S: Plain, D>(options: Options<S, D>) -> Box<dyn Engine<S, D>> {
        let brute = Box::new(BruteForce::<S, D>::new());
        Box::new(Core::new(brute, options, Choice::INITIAL))
    }

    /// Returns the engine of a world on an empty structure supplied by the caller.
    pub(crate) fn custom<S: Plain, D>(
        structure: Box<dyn SpatialIndex<S, D>>,
        options: Options<S, D>
    ) -> Box<dyn Engine<S, D>> {
        let choice = Choice { algorithm: None, reason: Reason::Own, ..Choice::INITIAL };
        Box::new(Core::new(structure, options, choice))
    }
}

/// The only implementation of [`Engine`].
struct Core<S: Scalar, const D: usize> {
    current: Current<S, D>,
    swept: Swept<S, D>,
    crowd: Crowd,
    /// Buffer: new bounds by slot, for changes of many objects.
    staged: StagedBounds<S, D>,
}

impl<S: Scalar + Plain, const D: usize> Core<S, D> {
    fn new(
        structure: Box<dyn SpatialIndex<S, D>>,
        options: Options<S, D>,
        choice: Choice<S>,
    ) -> Self {
        let structure = select::wrap_in_torus(structure, &options);
        let mut current = Current::new(structure, choice, options);
        let backend = current.backend;
        current.structure_mut().set_backend(backend);
        let (swept, crowd) = (Swept::new(), Crowd::default());
        Self { current, swept, crowd, staged: StagedBounds::default() }
    }
}

impl<S: Scalar + Plain, const D: usize> Engine<S, D> for Core<S, D> {
    fn options(&self) -> &Options<S, D> {
        &self.current.options
    }

    fn choice(&self) -> Choice<S> {
        self.current.latest().choice
    }

    fn backend(&self) -> Backend {
        self.current.backend
    }

    fn set_backend(&mut self, backend: Backend) {
        self.current.backend = backend;
        self.current.structure_mut().set_backend(backend);
    }

    fn shrink_to_fit(&mut self) {
        self.current.structure_mut().shrink_to_fit();
        self.swept.shrink_to_fit();
        self.crowd.shrink_to_fit();
        self.staged = StagedBounds::default();
    }

    fn boxed_clone(&self) -> Box<dyn Engine<S, D>> {
        Box::new(Self {
            current: self.current.clone(),
            swept: self.swept.clone(),
            crowd: self.crowd.clone(),
            staged: StagedBounds::default(),
        })
    }

    fn assert_well_formed(&self, registry: &Registry) {
        let structure = self.current.structure();
        structure.assert_well_formed();
        if let Some(backend) = structure.state().backend {
            assert_eq!(
                backend, self.current.backend,
                "the structure has another backend than the world"
            );
        }
        let keys = structure.keys();
        for &key in &keys {
            let stored = structure.get(key).map(|object| object.motion);
            assert!(stored.is_some(), "slot {key} has no object");
            assert_eq!(stored, registry.slots.motion(key), "the object in slot {key} differs");
        }
        let objects = [structure.len(), registry.slots.len()];
        assert_eq!(objects, [keys.len(); 2], "the structure has another number of objects");
        registry.assert_well_formed();
    }

    fn stats(&self, registry: &Registry) -> Stats<S> {
        self.collect_stats(registry)
    }

    fn debug_lines(&self, registry: &Registry, draw: &mut dyn FnMut(Line<S, D>)) {
        self.draw(registry, draw);
    }

    fn insert(
        &mut self,
        registry: &mut Registry,
        bounds: Aabb<S, D>,
        motion: Motion,
        filter: Filter,
    ) -> Result<Handle, Error> {
        self.insert_one(registry, NewObject { bounds, motion, filter })
    }

    fn insert_many(
        &mut self,
        registry: &mut Registry,
        count: usize,
        object: &dyn Fn(usize) -> Result<NewObject<S, D>, InvalidBounds>,
        out: &mut Vec<Handle>,
    ) -> Result<(), Error> {
        self.insert_many(registry, count, object, out)
    }

    fn remove_many(&mut self, slots: &[u32]) {
        slots.iter().for_each(|&slot| self.swept.remove(slot));
        self.current.structure_mut().remove_many(slots).expect("the slots were in use");
    }

    fn clear(&mut self) {
        self.swept.clear();
        self.current.structure_mut().clear();
    }

    fn read_next_objects(&self, registry: &Registry, block: &mut ObjectBlock<S, D>) {
        self.read_next_objects(registry, block);
    }

    fn swept(&self) -> &Swept<S, D> {
        &self.swept
    }

    fn set_bounds_many(
        &mut self,
        registry: &Registry,
        changes: &[(Handle, Aabb<S, D>)],
    ) -> Result<(), Error> {
        self.set_bounds_many(registry, changes)
    }

    fn set_swept(&mut self, slot: u32, swept: bool) {
        if !swept {
            self.swept.remove(slot);
        } else if let Some(object) = self.current.structure().get(slot) {
            self.swept.insert(slot, object.bounds);
        }
    }

    fn select(&mut self, objects: usize) {
        self.current.select(objects);
    }

    fn find_pairs(&mut self, registry: &mut Registry) {
        self.find_all_pairs(registry);
    }

    #[cfg(all(feature = "std", target_has_atomic = "64"))]
    fn find_limited_pairs(&mut self, registry: &mut Registry, counter: &PairCounter) {
        self.find_limited_pairs(registry, counter);
    }

    fn end_step(&mut self) {
        self.swept.step();
    }

    fn first_contact(&self, pair: Pair) -> Option<S::Real> {
        self.swept.first_contact(self.current.structure(), &self.current.options.sides, pair)
    }

    fn query(
        &self,
        registry: &Registry,
        search: &FilteredSearch<S, D>,
        visit: &mut SearchFn<'_, S, D, S::Real>,
    ) {
        self.search(registry, search, visit);
    }

    fn query_many(
        &self,
        registry: &Registry,
        search: &BatchSearch<'_, S, D>,
        accept: &(dyn Fn(Handle) -> bool + Sync),
        emit: &mut EmitFn<'_, S::Real>,
    ) {
        self.search_many(registry, search, accept, emit);
    }

    fn structure(&self) -> &dyn SpatialIndex<S, D> {
        self.current.structure()
    }

    fn structure_for(&self, queries: usize) -> &dyn SpatialIndex<S, D> {
        self.current.structure_for(queries)
    }

    fn structure_mut(&mut self) -> &mut dyn SpatialIndex<S, D> {
        self.current.structure_mut()
    }

    fn overlapping(
        &self,
        registry: &Registry,
        object: Handle,
        touches: &dyn Fn(u32) -> bool,
        out: &mut Vec<Handle>,
    ) -> Result<(), Error> {
        self.partners(registry, object, touches, out)
    }

    fn write_boxes(&self, registry: &Registry, out: &mut Vec<u8>) {
        restore::write_boxes(self.current.structure(), registry, out);
    }

    fn write_swept(&self, out: &mut Vec<u8>) {
        for was in self.swept.was() {
            was.write(out);
        }
    }

    fn read_boxes(&self, saved: &ParsedSnapshot<'_>) -> Result<Vec<Aabb<S, D>>, SnapshotError> {
        restore::read_boxes(saved)
    }

    fn restore(
        &mut self,
        registry: &mut Registry,
        saved: ParsedSnapshot<'_>,
        boxes: &[Aabb<S, D>],
    ) -> Result<(), SnapshotError> {
        self.apply_snapshot(registry, saved, boxes)
    }
}
