//! The structure of a scene, and its search for nearest objects.

use core::any::Any;
use core::ops::ControlFlow;

use broadphase_core::pairs;
use hexphase::{
    Aabb, Algorithm, Backend, BruteForce, Hshg, PairSearch, Reason, Scalar, SearchStats,
    SpatialIndex, SpatialIndexExt, Target, Torus, on_backend,
};
#[cfg(feature = "full")]
use hexphase::{MortonCells, SpatialHash};

use super::metric::{Distance, Metric};
use crate::error::{Count, Error};
use crate::memory::{self, OutOfMemory};
use crate::progress;
use crate::scene::{Input, Number};

/// With up to this number of objects, brute force is the fastest structure.
const MAX_BRUTE_OBJECTS: usize = 256;
/// If a search tests more pairs than this factor times the objects and hits, a note is added.
const MAX_TESTS: u64 = 32;
/// Peak memory in bytes per object, without its boxes, while a structure is built and searched.
const BYTES_PER_OBJECT: usize = 120;
/// Additional memory in bytes per object if the structure is the hash.
const BYTES_IN_HASH: usize = 500;
/// Number of copies of each box at the peak of memory.
const COPIES: usize = 5;

pub(crate) const fn algorithm_for(objects: usize) -> Algorithm {
    if objects <= MAX_BRUTE_OBJECTS { Algorithm::Brute } else { Algorithm::Hshg }
}

/// Returns the peak memory in bytes for this number of objects, without pairs.
pub(crate) fn bytes<S, const D: usize>(objects: usize, in_hash: bool) -> usize {
    let more = if in_hash { BYTES_IN_HASH } else { 0 };
    objects.saturating_mul(BYTES_PER_OBJECT + COPIES * size_of::<Aabb<S, D>>() + more)
}

/// The settings of the structures of a search.
#[derive(Clone, Copy)]
pub(crate) struct Setup<S, const D: usize> {
    pub(crate) algorithm: Algorithm,
    /// The lengths of the axes that wrap, 0 for others.
    pub(crate) sides: [S; D],
    pub(crate) backend: Backend,
}

impl<S: Number, const D: usize> Setup<S, D> {
    /// Returns whether pairs are found in lists of boxes, without structures.
    pub(super) fn uses_lists(&self) -> bool {
        self.algorithm == Algorithm::Hshg && self.sides == [S::ZERO; D]
    }
}

type Structure<S, const D: usize> = Option<Box<dyn SpatialIndex<S, D>>>;

/// Returns the structure, which must be built.
pub(super) fn built<S, const D: usize>(
    structure: &mut Structure<S, D>,
) -> &mut dyn SpatialIndex<S, D> {
    &mut **structure.as_mut().expect("the structure is built")
}

/// The objects of a scene, and their structure if it is built. The key of an object is its row.
pub(crate) struct Index<S: Number, const D: usize> {
    pub(crate) bounds: Vec<Aabb<S, D>>,
    pub(super) structure: Structure<S, D>,
    /// The side of the cells of a hash.
    cell: Option<S>,
}

impl<S: Number, const D: usize> Index<S, D> {
    pub(super) const fn new(bounds: Vec<Aabb<S, D>>) -> Self {
        Self { bounds, structure: None, cell: None }
    }

    /// Builds the structure, unless it is built.
    pub(super) fn build(&mut self, setup: Setup<S, D>) -> Result<(), OutOfMemory> {
        let (Self { bounds, structure: None, .. }, Setup { sides, .. }) = (&*self, setup) else {
            return Ok(());
        };
        let (mut structure, cell): (Box<dyn SpatialIndex<S, D>>, _) = match setup.algorithm {
            Algorithm::Brute => (Box::new(BruteForce::new()), None),
            #[cfg(feature = "full")]
            Algorithm::Hash => {
                let cell = SpatialHash::recommend(memory::collect(bounds.iter().copied())?);
                (Box::new(SpatialHash::new(cell)), Some(cell))
            }
            #[cfg(feature = "full")]
            Algorithm::Morton => (Box::new(MortonCells::new()), None),
            _ => (Box::new(Hshg::new()), None),
        };
        if sides != [S::ZERO; D] {
            structure = Box::new(Torus::from_box(structure, sides).expect("the sides are valid"));
        }
        structure.set_backend(setup.backend);
        structure.try_reserve(bounds.len())?;
        structure.extend((0..).zip(bounds.iter().copied()))?;
        (self.structure, self.cell) = (Some(structure), cell);
        Ok(())
    }

    pub(crate) fn for_queries(
        bounds: Vec<Aabb<S, D>>,
        sides: [S; D],
        backend: Backend,
        input: &Input,
    ) -> Result<Self, Error> {
        let (count, algorithm) = (bounds.len(), algorithm_for(bounds.len()));
        let bytes = bytes::<S, D>(count, false);
        let index = progress::with_spinner(|| {
            memory::prepare(bytes)?;
            let mut index = Self::new(bounds);
            index.build(Setup { algorithm, sides, backend })?;
            built(&mut index.structure).optimize();
            Ok(index)
        });
        index.map_err(|OutOfMemory| Error::no_memory(input, Count::objects(count), bytes))
    }

    /// Returns the structure, which must be built.
    pub(crate) fn structure(&self) -> &dyn SpatialIndex<S, D> {
        &**self.structure.as_ref().expect("the structure is built")
    }

    /// Returns the name of the algorithm, with a note if the last search needed many tests; `stats`
    /// are those of a search in lists.
    pub(super) fn name(&self, setup: Setup<S, D>, stats: Option<SearchStats>) -> String {
        let mut name = setup.algorithm.to_string();
        if let Some(cell) = self.cell {
            name += &format!(" with cells of {cell}");
        }
        let limit = |hits: u64| MAX_TESTS * (self.bounds.len() as u64 + hits);
        match stats.or_else(|| self.structure.as_ref()?.state().search) {
            Some(SearchStats { tests, hits }) if tests > limit(hits) => {
                format!("{name}, {}", Reason::ManyTests { tests, hits })
            }
            _ => name,
        }
    }
}

/// Lower bound of the factor by which rounding changes the distance between boxes.
const SLACK: f64 = 1.0 - 1e-6;

/// Returns the distances and rows of the `count` objects nearest to the box `own`, ascending. The
/// box must be home. `except` is the row of an object that is left out.
///
/// Objects are visited in ascending order of the distance of their boxes, until no later object can
/// be nearer. So the nearest discs are exact, although discs are farther apart than their boxes.
pub(crate) fn nearest<S: Number, const D: usize>(
    index: &Index<S, D>,
    own: &Aabb<S, D>,
    except: Option<u32>,
    count: usize,
    metric: &Metric<S, D>,
) -> Vec<(Distance<S>, u32)> {
    let mut best: Vec<(Distance<S>, u32)> = Vec::new();
    let _ = index.structure().nearest(Target::from(*own), |entry, square| {
        if except == Some(entry.key) {
            return ControlFlow::Continue(());
        }
        if best.len() == count {
            // A square that overflows is above the largest number.
            let square = square.to_f64().min(S::Real::MAX.to_f64());
            if best.last().is_none_or(|last| square.sqrt() * SLACK > last.0.value) {
                return ControlFlow::Break(());
            }
        }
        let item = (metric.distance(own, &entry.bounds), entry.key);
        let is_before = |(distance, other): &(Distance<S>, u32)| {
            distance.value.total_cmp(&item.0.value).then(other.cmp(&entry.key)).is_lt()
        };
        best.insert(best.partition_point(is_before), item);
        best.truncate(count);
        ControlFlow::Continue(())
    });
    best
}

/// Finds the pairs of one list of boxes or of two, which the filter of the search receives.
pub(super) fn find_pairs_of_boxes<S: Number, const D: usize>(
    backend: Backend,
    ours: &[Aabb<S, D>],
    theirs: Option<&[Aabb<S, D>]>,
    search: &PairSearch<'_, S>,
) -> Option<SearchStats> {
    let mut none = Vec::new();
    match theirs {
        Some(theirs) => {
            on_backend::find_pairs_between(backend, ours, theirs, search, &mut none);
            None
        }
        None => on_backend::find_pairs(backend, ours, search, &mut none),
    }
}

/// Finds the pairs of two structures, which the filter of the search receives.
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
