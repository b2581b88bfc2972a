//! Neighbor lists of particles in periodic cells.

use core::fmt;

use hexphase_periodic::{Cell, Columns, Cutoff, Error, NeighborList, NeighborSearch, VerletList};
use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::run::{Pool, pool, run};

/// The number of particles that the library cannot count.
const TOO_MANY: usize = 1 << 31;

/// A cutoff: a number, or the radius of each particle, or species with a table, in which NaN and
/// negative numbers mean that two species have no pairs.
#[derive(FromPyObject)]
pub(crate) enum AnyCutoff<'py> {
    Uniform(f64),
    Radii(PyReadonlyArray1<'py, f64>),
    Species(PyReadonlyArray1<'py, u32>, PyReadonlyArray2<'py, f64>),
}

impl AnyCutoff<'_> {
    fn read(self) -> PyResult<Cutoff> {
        Ok(match self {
            Self::Uniform(cutoff) => Cutoff::Uniform(cutoff),
            Self::Radii(radii) => Cutoff::Radii(radii.as_slice()?.to_vec()),
            Self::Species(species, table) => {
                let columns = table.shape()[1].max(1);
                let entry = |&cutoff: &f64| (cutoff >= 0.0).then_some(cutoff);
                let rows = table.as_slice()?.chunks(columns);
                let table = rows.map(|row| row.iter().map(entry).collect()).collect();
                Cutoff::Species { species: species.as_slice()?.to_vec(), table }
            }
        })
    }
}

/// The vectors of a cell, and the axes along which it repeats.
type AnyCell = ([[f64; 3]; 3], [bool; 3]);

fn columns_of(letters: &str) -> Columns {
    let [first, second, shifts, distances, vectors] =
        ['i', 'j', 'S', 'd', 'D'].map(|letter| letters.contains(letter));
    Columns { first, second, shifts, distances, vectors }
}

fn error(why: Error) -> PyErr {
    match why {
        Error::Memory => PyMemoryError::new_err(why.to_string()),
        _ => PyValueError::new_err(why.to_string()),
    }
}

fn read_positions(positions: &PyReadonlyArray2<'_, f64>) -> PyResult<Vec<[f64; 3]>> {
    let (rows, []) = positions.as_slice()?.as_chunks() else {
        return Err(PyValueError::new_err("positions must have 3 columns"));
    };
    if rows.len() >= TOO_MANY {
        return Err(PyValueError::new_err("2^31 positions or more"));
    }
    Ok(rows.to_vec())
}

/// Returns the offsets and all columns: i, j, S, d and D. A column that was not requested is empty.
fn arrays(py: Python<'_>, list: NeighborList) -> PyResult<Bound<'_, PyTuple>> {
    let NeighborList { offsets, first, second, shifts, distances, vectors } = list;
    let offsets = offsets.into_iter().map(|end| end as i64).collect();
    let [first, second] = [first, second].map(|rows| PyArray1::from_vec(py, rows));
    let [first, second] = [first, second].map(|rows| rows.call_method1("view", ("int32",)));
    let shape = [shifts.len(), 3];
    let shifts = PyArray1::from_vec(py, shifts.into_flattened()).reshape(shape)?;
    let shape = [vectors.len(), 3];
    let vectors = PyArray1::from_vec(py, vectors.into_flattened()).reshape(shape)?;
    let distances = PyArray1::from_vec(py, distances);
    let offsets = PyArray1::<i64>::from_vec(py, offsets);
    (offsets, first?, second?, shifts, distances, vectors).into_pyobject(py)
}

/// Finds the columns with these letters of the neighbors of particles.
#[pyfunction]
pub(crate) fn neighbor_list<'py>(
    letters: &str,
    positions: PyReadonlyArray2<'py, f64>,
    cutoff: AnyCutoff<'py>,
    cell: AnyCell,
    half: bool,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyTuple>> {
    let py = positions.py();
    let search = NeighborSearch { cutoff: cutoff.read()?, half, columns: columns_of(letters) };
    let positions = read_positions(&positions)?;
    let cell = Cell { vectors: cell.0, periodic: cell.1 };
    let list = run(py, &pool(threads)?, move |_| {
        let mut list = NeighborList::default();
        search.find(&positions, &cell, &mut list).map(|()| list)
    })?;
    arrays(py, list.map_err(error)?)
}

/// A neighbor list that is updated while particles move.
#[pyclass]
pub(crate) struct Verlet {
    search: NeighborSearch,
    skin: f64,
    /// The list; `None` after an interrupt.
    list: Option<VerletList>,
    pool: Pool,
}

impl fmt::Debug for Verlet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Verlet").field("skin", &self.skin).finish_non_exhaustive()
    }
}

#[pymethods]
impl Verlet {
    #[new]
    fn new(
        letters: &str,
        cutoff: AnyCutoff<'_>,
        skin: f64,
        half: bool,
        threads: Option<usize>,
    ) -> PyResult<Self> {
        let search = NeighborSearch { cutoff: cutoff.read()?, half, columns: columns_of(letters) };
        let list = Some(VerletList::new(search.clone(), skin).map_err(error)?);
        Ok(Self { search, skin, list, pool: pool(threads)? })
    }

    /// Returns whether the particles were searched again, and the columns.
    fn update<'py>(
        &mut self,
        positions: PyReadonlyArray2<'py, f64>,
        cell: AnyCell,
    ) -> PyResult<(bool, Bound<'py, PyTuple>)> {
        let py = positions.py();
        let positions = read_positions(&positions)?;
        let mut list = match self.list.take() {
            Some(list) => list,
            None => VerletList::new(self.search.clone(), self.skin).map_err(error)?,
        };
        let cell = Cell { vectors: cell.0, periodic: cell.1 };
        let (list, updated) = run(py, &self.pool, move |_| {
            let mut found = NeighborList::default();
            let updated = list.update(&positions, &cell, &mut found);
            (list, updated.map(|is_searched| (is_searched, found)))
        })?;
        self.list = Some(list);
        let (is_searched, found) = updated.map_err(error)?;
        Ok((is_searched, arrays(py, found)?))
    }
}
