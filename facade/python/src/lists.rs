//! Searches in lists of boxes.

use core::ops::Range;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use broadphase_core::pairs::find_between;
use hexphase::{
    Aabb, Backend, Hshg, Lists, Neighbor, Pair, PairSearch, Region, SpatialIndex, SpatialIndexExt,
    Target, Torus, on_backend,
};
use numpy::{PyArray, PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::boxes::{Coordinate, Named, read, read_distance, read_sides, with_type};
use crate::run::{Cancel, pool, run, stop, until_stopped};
use crate::stream::Stream;
use crate::world::WorldOf;

/// A search for the pairs of a list of boxes, or of two lists.
pub(crate) struct Search<S: Coordinate, const D: usize> {
    ours: Vec<Aabb<S, D>>,
    theirs: Option<Vec<Aabb<S, D>>>,
    /// The lengths of the axes, 0 for an axis that does not wrap.
    sides: [S; D],
    distance: Option<S>,
}

/// The structure that is queried for the partners of a box.
pub(crate) type Index<S, const D: usize> = Box<dyn SpatialIndex<S, D>>;

impl<S: Coordinate, const D: usize> Search<S, D> {
    fn read(
        ours: Named<'_, '_>,
        theirs: Option<Named<'_, '_>>,
        within: Option<f64>,
        wrap: Option<Vec<f64>>,
    ) -> PyResult<Self> {
        let sides = read_sides(wrap)?;
        Ok(Self {
            ours: read(ours, sides)?,
            theirs: theirs.map(|theirs| read(theirs, sides)).transpose()?,
            sides,
            distance: read_distance(within)?,
        })
    }

    /// Returns the number of boxes of which partners are listed.
    pub(crate) fn rows(&self) -> usize {
        self.ours.len()
    }

    pub(crate) fn wraps(&self) -> bool {
        self.sides != [S::ZERO; D]
    }

    /// Finds all pairs, in canonical order. `None` if they are more than `most`.
    pub(crate) fn find(&self, most: usize, cancel: &Cancel) -> Option<Vec<Pair>> {
        let count = AtomicUsize::new(0);
        let filter = |found: &mut [Pair]| {
            cancel.check();
            if count.fetch_add(found.len(), Relaxed) + found.len() > most {
                stop();
            }
            found.len()
        };
        let search = PairSearch { distance: self.distance, filter: Some(&filter), sorted: true };
        until_stopped(|| {
            let mut pairs = Vec::new();
            match (&self.theirs, self.wraps()) {
                (None, false) => {
                    on_backend::find_pairs(Backend::detect(), &self.ours, &search, &mut pairs);
                }
                (Some(theirs), false) => {
                    let (backend, ours) = (Backend::detect(), &self.ours);
                    on_backend::find_pairs_between(backend, ours, theirs, &search, &mut pairs);
                }
                (None, true) => self.index_of(&self.ours).find_pairs(&search, &mut pairs),
                (Some(theirs), true) => {
                    let [mut ours, mut theirs] =
                        [&self.ours, theirs].map(|boxes| self.torus(boxes));
                    find_between(&mut ours, &mut theirs, &search, &mut pairs);
                }
            }
            pairs
        })
    }

    /// Returns a structure of the boxes that are partners.
    pub(crate) fn index(&self) -> Index<S, D> {
        let mut index = self.index_of(self.theirs.as_ref().unwrap_or(&self.ours));
        index.optimize();
        index
    }

    fn index_of(&self, boxes: &[Aabb<S, D>]) -> Index<S, D> {
        if self.wraps() { Box::new(self.torus(boxes)) } else { Box::new(grid(boxes)) }
    }

    fn torus(&self, boxes: &[Aabb<S, D>]) -> Torus<S, D> {
        Torus::new(grid(boxes), self.sides).expect("the sides are valid")
    }

    /// Replaces the contents of `found` with the partners of a box, ascending. In one list, these
    /// are boxes after it.
    pub(crate) fn partners(&self, index: &Index<S, D>, row: u32, found: &mut Vec<u32>) {
        let region = Region::around(self.ours[row as usize], self.distance.unwrap_or(S::ZERO));
        index.query(region, found);
        if self.theirs.is_none() {
            let before = found.partition_point(|&other| other <= row);
            found.drain(..before);
        }
    }

    /// Removes rows from the structure that are no longer needed: in one list, those whose partners
    /// are known. Without them, many pairs are found in 75 % of the time.
    pub(crate) fn remove(&self, index: &mut Index<S, D>, rows: Range<usize>) {
        if self.theirs.is_none() {
            let keys: Vec<u32> = rows.map(|row| row as u32).collect();
            index.remove_many(&keys).expect("the rows are in the structure");
        }
    }
}

fn grid<S: Coordinate, const D: usize>(boxes: &[Aabb<S, D>]) -> Hshg<S, D> {
    let mut grid = Hshg::new();
    grid.extend((0..).zip(boxes.iter().copied())).expect("valid boxes with different keys");
    grid
}

/// Moves pairs into an array with a row for each.
pub(crate) fn pair_array(py: Python<'_>, pairs: Vec<Pair>) -> PyResult<Bound<'_, PyAny>> {
    let rows = pairs.len();
    rows_array(py, pairs.into_flattened(), [rows, 2])
}

/// Moves numbers below 2^31 into an array with this shape.
pub(crate) fn rows_array(
    py: Python<'_>,
    numbers: Vec<u32>,
    shape: [usize; 2],
) -> PyResult<Bound<'_, PyAny>> {
    PyArray1::from_vec(py, numbers).reshape(shape)?.call_method1("view", ("int32",))
}

/// Finds the pairs of a list of boxes.
#[pyfunction]
pub(crate) fn pairs<'py>(
    boxes: &Bound<'py, PyAny>,
    within: Option<f64>,
    wrap: Option<Vec<f64>>,
    threads: Option<usize>,
    stream: bool,
) -> PyResult<Bound<'py, PyAny>> {
    with_type!(boxes, find(("boxes", boxes), None, within, wrap, threads, stream))
}

/// Finds the pairs of two lists of boxes of one type. Errors have the names of the lists.
#[pyfunction]
pub(crate) fn join<'py>(
    names: (String, String),
    ours: &Bound<'py, PyAny>,
    theirs: &Bound<'py, PyAny>,
    within: Option<f64>,
    wrap: Option<Vec<f64>>,
    threads: Option<usize>,
    stream: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let second = Some((&*names.1, theirs));
    with_type!(ours, find((&names.0, ours), second, within, wrap, threads, stream))
}

fn find<'py, S: Coordinate, const D: usize>(
    ours: Named<'_, 'py>,
    theirs: Option<Named<'_, 'py>>,
    within: Option<f64>,
    wrap: Option<Vec<f64>>,
    threads: Option<usize>,
    stream: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let py = ours.1.py();
    let (search, pool) = (Search::<S, D>::read(ours, theirs, within, wrap)?, pool(threads)?);
    if stream {
        return Ok(Bound::new(py, Stream::new(search, pool))?.into_any());
    }
    let pairs = run(py, &pool, move |cancel| search.find(usize::MAX, cancel))?;
    pair_array(py, pairs.unwrap_or_default())
}

/// Finds the nearest boxes to each of other boxes: their numbers and their distances.
#[pyfunction]
pub(crate) fn nearest<'py>(
    boxes: &Bound<'py, PyAny>,
    targets: &Bound<'py, PyAny>,
    k: usize,
    wrap: Option<Vec<f64>>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyTuple>> {
    with_type!(boxes, find_nearest(boxes, targets, k, wrap, threads))
}

fn find_nearest<'py, S: Coordinate, const D: usize>(
    boxes: &Bound<'py, PyAny>,
    targets: &Bound<'py, PyAny>,
    k: usize,
    wrap: Option<Vec<f64>>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyTuple>> {
    let py = boxes.py();
    let sides = read_sides(wrap)?;
    let boxes = read(("boxes", boxes), sides)?;
    let targets = read_targets(("points", targets), sides)?;
    let queries = targets.len();
    let found = run(py, &pool(threads)?, move |cancel| {
        let mut world = WorldOf::<S, D>::new(sides);
        world.insert_boxes(&boxes).expect("valid boxes");
        world.nearest(&targets, k, cancel)
    })?;
    found.into_arrays(py, queries)
}

pub(crate) fn read_targets<S: Coordinate, const D: usize>(
    array: Named<'_, '_>,
    sides: [S; D],
) -> PyResult<Vec<Target<S, D>>> {
    Ok(read(array, sides)?.into_iter().map(Target::from).collect())
}

/// The nearest objects of several targets, an equal number for each.
#[derive(Debug)]
pub(crate) struct Nearest {
    numbers: Vec<u32>,
    distances: Vec<f64>,
}

impl Nearest {
    pub(crate) fn new<R: hexphase::Scalar>(lists: &Lists<Neighbor<R>>) -> Self {
        let items = lists.items();
        Self {
            numbers: items.iter().map(|near| near.object.index()).collect(),
            distances: items.iter().map(|near| near.distance.to_f64()).collect(),
        }
    }

    /// Returns the arrays of numbers and of distances, with a row for each target.
    pub(crate) fn into_arrays(
        self,
        py: Python<'_>,
        targets: usize,
    ) -> PyResult<Bound<'_, PyTuple>> {
        let shape = [targets, self.numbers.len().checked_div(targets).unwrap_or(0)];
        let distances = PyArray::from_vec(py, self.distances).reshape(shape)?;
        (rows_array(py, self.numbers, shape)?, distances).into_pyobject(py)
    }
}
