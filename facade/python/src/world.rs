//! Worlds of boxes that move.

use core::fmt;

use hexphase::{
    Aabb, BroadPhase, Error, Handle, Lists, Motion, Object, Options, Pair, Region, Target,
};
use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

use numpy::{PyArray1, PyReadonlyArray1};

use crate::boxes::{Coordinate, read, read_distance, read_sides, read_some, with_type};
use crate::lists::{Nearest, pair_array, read_targets};
use crate::run::{Cancel, Pool, pool};

/// A world of one number type and dimension, whose objects are numbered by their slots.
pub(crate) struct WorldOf<S: Coordinate, const D: usize> {
    world: BroadPhase<S, D>,
    /// The object of each number; a removed one is no longer in the world.
    handles: Vec<Handle>,
    sides: [S; D],
}

impl<S: Coordinate, const D: usize> WorldOf<S, D> {
    /// Creates an empty world. The sides must be valid.
    pub(crate) fn new(sides: [S; D]) -> Self {
        let options = Options::new().wrap(sides);
        Self { world: BroadPhase::with_options(options), handles: Vec::new(), sides }
    }

    /// Inserts boxes. Returns the numbers of the objects.
    pub(crate) fn insert_boxes(&mut self, boxes: &[Aabb<S, D>]) -> Result<Vec<u32>, Error> {
        let objects: Vec<_> = boxes.iter().map(|&bounds| Object::new(bounds, ())).collect();
        let mut inserted = Vec::new();
        self.world.insert_many(&objects, &mut inserted)?;
        self.place(inserted.iter().copied());
        Ok(inserted.into_iter().map(Handle::index).collect())
    }

    /// Stores each object at its number.
    fn place(&mut self, objects: impl Iterator<Item = Handle>) {
        for handle in objects {
            let number = handle.index() as usize;
            if number >= self.handles.len() {
                self.handles.resize(number + 1, Handle::DANGLING);
            }
            self.handles[number] = handle;
        }
    }

    /// Returns the up to `k` objects nearest to each target.
    pub(crate) fn nearest(&self, targets: &[Target<S, D>], k: usize, cancel: &Cancel) -> Nearest {
        let mut lists = Lists::default();
        let search = self.world.nearest_many(targets).take(k);
        let accept = |_, (): &()| {
            cancel.check();
            true
        };
        search.filter(accept).write_to(&mut lists);
        Nearest::new(&lists)
    }

    fn find(&self, ids: &PyReadonlyArray1<'_, i64>) -> PyResult<Vec<Handle>> {
        let find = |&id: &i64| {
            let found = usize::try_from(id).ok().and_then(|id| self.handles.get(id).copied());
            let found = found.filter(|&handle| self.world.contains(handle));
            found.ok_or_else(|| PyValueError::new_err(format!("object {id} does not exist")))
        };
        ids.as_slice()?.iter().map(find).collect()
    }
}

/// The methods of worlds of any type.
trait AnyWorld: Send + Sync {
    fn len(&self) -> usize;
    fn ids(&self) -> Vec<u32>;
    fn insert(
        &mut self,
        py: Python<'_>,
        pool: &Pool,
        boxes: &Bound<'_, PyAny>,
    ) -> PyResult<Vec<u32>>;
    fn set_bounds(
        &mut self,
        pool: &Pool,
        boxes: &Bound<'_, PyAny>,
        ids: Option<PyReadonlyArray1<'_, i64>>,
    ) -> PyResult<()>;
    fn set_static(&mut self, ids: PyReadonlyArray1<'_, i64>, is_static: bool) -> PyResult<()>;
    fn remove(&mut self, ids: PyReadonlyArray1<'_, i64>) -> PyResult<()>;
    fn step(&mut self);
    /// Returns the pairs of the last step, the pairs that began, and the pairs that ended.
    fn found(&self) -> [Box<dyn Iterator<Item = Pair> + '_>; 3];
    fn query(
        &self,
        py: Python<'_>,
        pool: &Pool,
        boxes: &Bound<'_, PyAny>,
        within: Option<f64>,
    ) -> PyResult<Vec<Pair>>;
    fn nearest<'py>(
        &self,
        pool: &Pool,
        targets: &Bound<'py, PyAny>,
        k: usize,
    ) -> PyResult<Bound<'py, PyTuple>>;
    fn snapshot(&self) -> Vec<u8>;
    fn restore(&mut self, bytes: &[u8]) -> PyResult<()>;
    fn state_hash(&self) -> u64;
}

fn error(why: Error) -> PyErr {
    match why {
        Error::OutOfMemory => PyMemoryError::new_err(why.to_string()),
        _ => PyValueError::new_err(why.to_string()),
    }
}

impl<S: Coordinate, const D: usize> AnyWorld for WorldOf<S, D> {
    fn len(&self) -> usize {
        self.world.len()
    }

    fn ids(&self) -> Vec<u32> {
        let mut ids: Vec<u32> = self.world.handles().map(Handle::index).collect();
        ids.sort_unstable();
        ids
    }

    fn insert(
        &mut self,
        py: Python<'_>,
        pool: &Pool,
        boxes: &Bound<'_, PyAny>,
    ) -> PyResult<Vec<u32>> {
        let boxes = read(("boxes", boxes), self.sides)?;
        py.detach(|| pool.install(|| self.insert_boxes(&boxes))).map_err(error)
    }

    fn set_bounds(
        &mut self,
        pool: &Pool,
        boxes: &Bound<'_, PyAny>,
        ids: Option<PyReadonlyArray1<'_, i64>>,
    ) -> PyResult<()> {
        let Some(ids) = ids else {
            let is_needed = |row: usize| {
                self.handles.get(row).is_some_and(|&handle| self.world.contains(handle))
            };
            let py = boxes.py();
            let boxes = read_some(("boxes", boxes), self.sides, is_needed)?;
            let [rows, count] = [boxes.len(), self.handles.len()];
            if rows != count {
                return Err(PyValueError::new_err(format!(
                    "boxes has {rows} rows, but the objects are numbered up to {count}"
                )));
            }
            let change = |handle: Handle, (): &(), bounds: &mut Aabb<S, D>| {
                *bounds = boxes[handle.index() as usize];
            };
            return py.detach(|| pool.install(|| self.world.par_update(change))).map_err(error);
        };
        let boxes = read(("boxes", boxes), self.sides)?;
        let handles = self.find(&ids)?;
        if boxes.len() != handles.len() {
            let [rows, count] = [boxes.len(), handles.len()];
            return Err(PyValueError::new_err(format!("boxes has {rows} rows for {count} ids")));
        }
        for (handle, bounds) in handles.into_iter().zip(boxes) {
            self.world.set_bounds(handle, bounds).map_err(error)?;
        }
        Ok(())
    }

    fn set_static(&mut self, ids: PyReadonlyArray1<'_, i64>, is_static: bool) -> PyResult<()> {
        let motion = if is_static { Motion::Static } else { Motion::Dynamic };
        for handle in self.find(&ids)? {
            self.world.set_motion(handle, motion).map_err(error)?;
        }
        Ok(())
    }

    fn remove(&mut self, ids: PyReadonlyArray1<'_, i64>) -> PyResult<()> {
        let handles = self.find(&ids)?;
        self.world.remove_many(&handles).map_err(error)
    }

    fn step(&mut self) {
        self.world.step();
    }

    fn found(&self) -> [Box<dyn Iterator<Item = Pair> + '_>; 3] {
        let Self { world, .. } = self;
        [world.pairs(), world.began(), world.ended()].map(|overlaps| {
            let pairs = overlaps.map(|overlap| overlap.handles.map(Handle::index));
            Box::new(pairs) as Box<dyn Iterator<Item = Pair>>
        })
    }

    fn query(
        &self,
        py: Python<'_>,
        pool: &Pool,
        boxes: &Bound<'_, PyAny>,
        within: Option<f64>,
    ) -> PyResult<Vec<Pair>> {
        let distance = read_distance(within)?.unwrap_or(S::ZERO);
        let boxes = read::<S, D>(("areas", boxes), self.sides)?;
        Ok(py.detach(|| {
            let regions: Vec<Region<S, D>> =
                boxes.into_iter().map(|bounds| Region::around(bounds, distance)).collect();
            let mut lists = Lists::default();
            pool.install(|| self.world.query_many(&regions).write_to(&mut lists));
            let rows = (0..).zip(lists.iter());
            rows.flat_map(|(row, found)| found.iter().map(move |at| [row, at.index()])).collect()
        }))
    }

    fn nearest<'py>(
        &self,
        pool: &Pool,
        targets: &Bound<'py, PyAny>,
        k: usize,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let py = targets.py();
        let targets = read_targets(("points", targets), self.sides)?;
        let search = || Self::nearest(self, &targets, k, &Cancel::default());
        py.detach(|| pool.install(search)).into_arrays(py, targets.len())
    }

    fn snapshot(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.world.snapshot_into(&mut bytes);
        bytes
    }

    fn restore(&mut self, bytes: &[u8]) -> PyResult<()> {
        self.world.restore(bytes).map_err(|why| PyValueError::new_err(why.to_string()))?;
        let objects: Vec<Handle> = self.world.handles().collect();
        self.handles.clear();
        self.place(objects.into_iter());
        Ok(())
    }

    fn state_hash(&self) -> u64 {
        self.world.state_hash()
    }
}

/// A world of boxes.
#[pyclass]
pub(crate) struct World {
    world: Box<dyn AnyWorld>,
    pool: Pool,
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("World").field("objects", &self.world.len()).finish_non_exhaustive()
    }
}

fn any_world<S: Coordinate, const D: usize>(wrap: Option<Vec<f64>>) -> PyResult<Box<dyn AnyWorld>> {
    Ok(Box::new(WorldOf::<S, D>::new(read_sides(wrap)?)))
}

fn id_array(py: Python<'_>, ids: Vec<u32>) -> PyResult<Bound<'_, PyAny>> {
    PyArray1::from_vec(py, ids).call_method1("view", ("int32",))
}

#[pymethods]
impl World {
    /// Creates a world for boxes with the type and the columns of an array.
    #[new]
    fn new(
        example: &Bound<'_, PyAny>,
        wrap: Option<Vec<f64>>,
        threads: Option<usize>,
    ) -> PyResult<Self> {
        let pool = pool(threads)?;
        Ok(Self { world: with_type!(example, any_world(wrap))?, pool })
    }

    fn __len__(&self) -> usize {
        self.world.len()
    }

    fn ids<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        id_array(py, self.world.ids())
    }

    fn insert<'py>(
        &mut self,
        py: Python<'py>,
        boxes: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        id_array(py, self.world.insert(py, &self.pool, boxes)?)
    }

    fn set_bounds(
        &mut self,
        boxes: &Bound<'_, PyAny>,
        ids: Option<PyReadonlyArray1<'_, i64>>,
    ) -> PyResult<()> {
        self.world.set_bounds(&self.pool, boxes, ids)
    }

    fn set_static(&mut self, ids: PyReadonlyArray1<'_, i64>, is_static: bool) -> PyResult<()> {
        self.world.set_static(ids, is_static)
    }

    fn remove(&mut self, ids: PyReadonlyArray1<'_, i64>) -> PyResult<()> {
        self.world.remove(ids)
    }

    fn step<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let Self { world, pool } = self;
        py.detach(|| pool.install(|| world.step()));
        let [_, began, ended] = self.world.found().map(Iterator::collect);
        (pair_array(py, began)?, pair_array(py, ended)?).into_pyobject(py)
    }

    fn pairs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let [pairs, ..] = self.world.found();
        pair_array(py, pairs.collect())
    }

    fn query<'py>(
        &self,
        boxes: &Bound<'py, PyAny>,
        within: Option<f64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = boxes.py();
        pair_array(py, self.world.query(py, &self.pool, boxes, within)?)
    }

    fn nearest<'py>(&self, targets: &Bound<'py, PyAny>, k: usize) -> PyResult<Bound<'py, PyTuple>> {
        self.world.nearest(&self.pool, targets, k)
    }

    fn snapshot<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.world.snapshot())
    }

    fn restore(&mut self, bytes: &[u8]) -> PyResult<()> {
        self.world.restore(bytes)
    }

    fn state_hash(&self) -> u64 {
        self.world.state_hash()
    }
}
