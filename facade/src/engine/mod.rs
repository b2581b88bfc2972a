//! The part of a world that does not depend on user data and volumes: the structure, swept objects,
//! options.
//!
//! The engine is compiled in this crate, once for each number type and dimension. A world owns it
//! as a trait object: programs compile neither a structure nor a kernel. There are one or two
//! virtual calls for each call of a world, one for each batch of up to 128 objects of an update and
//! each batch of filtered pairs, and one for each object that a query finds.

mod across;
mod choice;
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

use broadphase_core::{Backend, BruteForce, Scalar, SpatialIndex, SpatialIndexExt, instances};

use crate::Options;
use crate::snapshot::Plain;
pub(crate) use across::{images_overlap, in_same_image};
#[cfg(feature = "std")]
pub(crate) use choice::has_many_tests;
pub use choice::{Choice, Reason};
use current::Current;
pub(crate) use errors::{object_error, update_error};
use find_pairs::Pairs;
#[cfg(all(feature = "std", target_has_atomic = "64"))]
pub(crate) use limited::PairCounter;
pub use lines::{Line, LineKind};
pub(crate) use near::{NearSearch, find_near_pairs};
pub(crate) use objects::NewObject;
use objects::Objects;
use queries::Queries;
pub(crate) use queries::{BatchSearch, EmitFn, FilteredSearch, QueryKinds};
use restore::Saving;
use stats::Inspection;
pub use stats::Stats;
use swept::Swept;

/// The operations of a world that need its structure. There is one implementation; because of the
/// traits it is compiled in this crate.
pub(crate) trait Engine<S: Scalar, const D: usize>:
    Objects<S, D> + Pairs<S, D> + Queries<S, D> + Inspection<S, D> + Saving<S, D> + Send + Sync
{
    fn options(&self) -> &Options<S, D>;
    fn choice(&self) -> Choice<S>;
    fn backend(&self) -> Backend;
    fn set_backend(&mut self, backend: Backend);
    fn shrink_to_fit(&mut self);
    fn boxed_clone(&self) -> Box<dyn Engine<S, D>>;
    /// Selects the structure for a number of objects.
    fn select(&mut self, objects: usize);
    /// Returns the structure for calls that read single objects.
    fn structure(&self) -> &dyn SpatialIndex<S, D>;
    /// Returns the structure for a number of queries, which may make a refreshed copy.
    fn structure_for(&self, queries: usize) -> &dyn SpatialIndex<S, D>;
    /// Returns the structure to change it.
    fn structure_mut(&mut self) -> &mut dyn SpatialIndex<S, D>;
    fn swept(&self) -> &Swept<S, D>;
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

/// The only implementation of [`Engine`] and its supertraits.
struct Core<S: Scalar, const D: usize> {
    current: Current<S, D>,
    swept: Swept<S, D>,
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
        Self { current, swept: Swept::new() }
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
    }

    fn boxed_clone(&self) -> Box<dyn Engine<S, D>> {
        Box::new(Self { current: self.current.clone(), swept: self.swept.clone() })
    }

    fn select(&mut self, objects: usize) {
        self.current.select(objects);
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

    fn swept(&self) -> &Swept<S, D> {
        &self.swept
    }
}
