//! The structure of a scene.

use core::any::Any;

use broadphase_core::pairs;
use hexphase::{
    Aabb, Algorithm, Backend, BruteForce, Hshg, PairSearch, Reason, SearchStats, SpatialIndex,
    SpatialIndexExt, Torus,
};
#[cfg(feature = "full")]
use hexphase::{MortonCells, SpatialHash};

use crate::error::{Count, Error};
use crate::memory::{self, OutOfMemory};
use crate::progress;
use crate::scene::{Input, Number};

/// With up to this number of objects, brute force is the fastest structure.
const MAX_BRUTE_OBJECTS: usize = 256;
/// If a search tests more pairs than this factor times the number of objects and hits, the summary
/// has a note.
const MAX_TESTS: u64 = 32;
/// Peak memory in bytes per object, without its boxes, while a structure is built and searched.
const BYTES_PER_OBJECT: usize = 120;
/// Additional memory in bytes per object if the structure is the hash.
#[cfg(feature = "full")]
const BYTES_IN_HASH: usize = 500;
/// Number of copies of each box at the peak of memory.
const COPIES: usize = 5;

/// Returns the structure for a number of objects.
pub(crate) const fn algorithm_for(objects: usize) -> Algorithm {
    if objects <= MAX_BRUTE_OBJECTS { Algorithm::Brute } else { Algorithm::Hshg }
}

/// Returns the peak memory in bytes for this number of objects, without pairs.
pub(super) fn bytes<S, const D: usize>(objects: usize, algorithm: Algorithm) -> usize {
    let more = match algorithm {
        #[cfg(feature = "full")]
        Algorithm::Hash => BYTES_IN_HASH,
        _ => 0,
    };
    objects.saturating_mul(BYTES_PER_OBJECT + COPIES * size_of::<Aabb<S, D>>() + more)
}

/// The objects of a scene in a structure. The key of an object is its row.
pub(crate) struct Index<S: Number, const D: usize> {
    /// The boxes, by row.
    pub(crate) bounds: Vec<Aabb<S, D>>,
    pub(crate) structure: Box<dyn SpatialIndex<S, D>>,
    /// The name of the structure.
    name: String,
}

impl<S: Number, const D: usize> Index<S, D> {
    /// Inserts boxes into a structure. `sides` are the lengths of the axes that wrap, 0 for others.
    ///
    /// # Errors
    /// If memory does not suffice.
    pub(super) fn new(
        bounds: Vec<Aabb<S, D>>,
        algorithm: Algorithm,
        sides: [S; D],
        backend: Backend,
    ) -> Result<Self, OutOfMemory> {
        #[cfg_attr(
            not(feature = "full"),
            expect(unused_mut, reason = "only the hash has a suffix")
        )]
        let mut name = algorithm.to_string();
        let mut structure: Box<dyn SpatialIndex<S, D>> = match algorithm {
            Algorithm::Brute => Box::new(BruteForce::new()),
            #[cfg(feature = "full")]
            Algorithm::Hash => {
                let cell = SpatialHash::recommend(memory::collect(bounds.iter().copied())?);
                name = format!("{name} with cells of {cell}");
                Box::new(SpatialHash::new(cell))
            }
            #[cfg(feature = "full")]
            Algorithm::Morton => Box::new(MortonCells::new()),
            _ => Box::new(Hshg::new()),
        };
        if sides != [S::ZERO; D] {
            structure = Box::new(Torus::from_box(structure, sides).expect("the sides are valid"));
        }
        structure.set_backend(backend);
        structure.try_reserve(bounds.len())?;
        structure.extend((0..).zip(bounds.iter().copied()))?;
        Ok(Self { bounds, structure, name })
    }

    /// Builds the structure for queries.
    ///
    /// # Errors
    /// If memory does not suffice. The error names `input`.
    pub(crate) fn for_queries(
        bounds: Vec<Aabb<S, D>>,
        sides: [S; D],
        backend: Backend,
        input: &Input,
    ) -> Result<Self, Error> {
        let (count, algorithm) = (bounds.len(), algorithm_for(bounds.len()));
        let bytes = bytes::<S, D>(count, algorithm);
        let index = progress::with_spinner(|| {
            memory::prepare(bytes)?;
            let mut index = Self::new(bounds, algorithm, sides, backend)?;
            index.structure.optimize();
            Ok(index)
        });
        index.map_err(|OutOfMemory| Error::no_memory(input, Count::objects(count), bytes))
    }

    /// Returns the name of the structure, with a note if the last search for pairs needed many
    /// tests.
    pub(crate) fn name(&self) -> String {
        let limit = |hits: u64| MAX_TESTS * (self.bounds.len() as u64 + hits);
        match self.structure.state().search {
            Some(SearchStats { tests, hits }) if tests > limit(hits) => {
                format!("{}, {}", self.name, Reason::ManyTests { tests, hits })
            }
            _ => self.name.clone(),
        }
    }
}

/// Finds the pairs of an object of `ours` and an object of `theirs`, which the filter of the search
/// receives.
pub(super) fn find_pairs_between<S: Number, const D: usize>(
    ours: &mut dyn SpatialIndex<S, D>,
    theirs: &mut dyn SpatialIndex<S, D>,
    search: &PairSearch<'_, S>,
) {
    let grid = (&mut *ours as &mut dyn Any).downcast_mut::<Hshg<S, D>>();
    let other = (&mut *theirs as &mut dyn Any).downcast_mut::<Hshg<S, D>>();
    match (grid, other) {
        (Some(grid), Some(other)) => grid.find_pairs_between(other, search, &mut Vec::new()),
        _ => pairs::find_between(ours, theirs, search, &mut Vec::new()),
    }
}
