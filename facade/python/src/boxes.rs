//! Arrays of boxes, one row each: the minimum of each axis, then the maximum of each axis.

use core::array::from_fn;

use broadphase_core::torus;
use hexphase::{Aabb, Number, Plain, Scalar};
use numpy::{Element, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::prelude::*;

/// The number of boxes that the library cannot count.
const TOO_MANY: usize = 1 << 31;

/// The types of coordinates.
pub(crate) trait Coordinate: Number + Element + Plain {}

impl<S: Number + Element + Plain> Coordinate for S {}

/// An array, and its name in errors.
pub(crate) type Named<'a, 'py> = (&'a str, &'a Bound<'py, PyAny>);

/// Calls a generic function with the number type and the dimensions of an array of boxes.
macro_rules! with_type {
    ($array:expr, $function:ident $arguments:tt) => {{
        let array: &Bound<'_, numpy::PyUntypedArray> = $array.cast()?;
        match $crate::boxes::type_of(array) {
            ("float32", 4) => $function::<f32, 2> $arguments,
            ("float32", 6) => $function::<f32, 3> $arguments,
            ("float64", 4) => $function::<f64, 2> $arguments,
            ("float64", 6) => $function::<f64, 3> $arguments,
            ("int32", 4) => $function::<i32, 2> $arguments,
            ("int32", 6) => $function::<i32, 3> $arguments,
            (name, columns) => Err(pyo3::exceptions::PyTypeError::new_err(format!(
                "an array of boxes has 4 or 6 columns, float32, float64 or int32; \
                 got {columns} columns, {name}"
            ))),
        }
    }};
}
pub(crate) use with_type;

/// Returns the number type of an array, and its number of columns.
pub(crate) fn type_of(array: &Bound<'_, numpy::PyUntypedArray>) -> (&'static str, usize) {
    use numpy::{PyArrayDescrMethods, dtype};
    let (py, kind) = (array.py(), array.dtype());
    let columns = array.shape().get(1).copied().unwrap_or(0);
    let name = if kind.is_equiv_to(&dtype::<f32>(py)) {
        "float32"
    } else if kind.is_equiv_to(&dtype::<f64>(py)) {
        "float64"
    } else if kind.is_equiv_to(&dtype::<i32>(py)) {
        "int32"
    } else {
        "another type"
    };
    (name, columns)
}

/// Returns the lengths of the axes, 0 for an axis that does not wrap.
///
/// # Errors
/// If the number of lengths is not that of the axes, or a length is invalid.
pub(crate) fn read_sides<S: Coordinate, const D: usize>(
    wrap: Option<Vec<f64>>,
) -> PyResult<[S; D]> {
    let Some(lengths) = wrap else { return Ok([S::ZERO; D]) };
    if lengths.len() != D {
        return Err(PyValueError::new_err(format!(
            "wrap: expected one length for each of {D} axes, 0 if the axis does not wrap; got {}",
            lengths.len()
        )));
    }
    let mut sides = [S::ZERO; D];
    for (side, length) in sides.iter_mut().zip(lengths) {
        *side = read_number("wrap", length)?;
    }
    let world = torus::World::new(sides);
    world.map(|world| world.sides()).map_err(|why| PyValueError::new_err(format!("wrap: {why}")))
}

/// Returns the distance of a search.
pub(crate) fn read_distance<S: Coordinate>(within: Option<f64>) -> PyResult<Option<S>> {
    let Some(within) = within else { return Ok(None) };
    if within < 0.0 || within.is_nan() {
        return Err(PyValueError::new_err(format!("within must be at least 0, got {within}")));
    }
    read_number("within", within).map(Some)
}

/// Converts a number to the type of the boxes; floats are rounded.
fn read_number<S: Coordinate>(name: &str, number: f64) -> PyResult<S> {
    let converted = S::from_f64(number);
    if S::INTEGER && converted.to_f64() != number {
        return Err(PyValueError::new_err(format!(
            "{name} must be a whole number of int32 for boxes of int32, got {number}"
        )));
    }
    Ok(converted)
}

/// Copies an array into boxes. On an axis that wraps, a minimum above its maximum belongs to a box
/// across the seam, and boxes are moved to their stored positions.
///
/// # Errors
/// With the row and the column, if a box is NaN, infinite or inverted.
pub(crate) fn read<S: Coordinate, const D: usize>(
    array: Named<'_, '_>,
    sides: [S; D],
) -> PyResult<Vec<Aabb<S, D>>> {
    read_some(array, sides, |_| true)
}

/// Copies an array as [`read`] does, but does not validate rows that are not needed.
pub(crate) fn read_some<S: Coordinate, const D: usize>(
    array: Named<'_, '_>,
    sides: [S; D],
    is_needed: impl Fn(usize) -> bool,
) -> PyResult<Vec<Aabb<S, D>>> {
    let (name, array) = array;
    let array: PyReadonlyArray2<'_, S> = array.extract()?;
    let [rows, columns] = [0, 1].map(|axis| array.shape()[axis]);
    if columns != 2 * D {
        let message = format!("{name} must have {} columns, got {columns}", 2 * D);
        return Err(PyValueError::new_err(message));
    }
    if rows >= TOO_MANY {
        return Err(PyValueError::new_err(format!("{name}: {rows} rows are 2^31 or more")));
    }
    let world = (sides != [S::ZERO; D]).then(|| torus::World::of_valid(sides));
    let mut boxes = Vec::new();
    boxes.try_reserve_exact(rows).map_err(|why| PyMemoryError::new_err(why.to_string()))?;
    for (row, numbers) in array.as_slice()?.chunks_exact(2 * D).enumerate() {
        let mut bounds =
            Aabb { min: from_fn(|axis| numbers[axis]), max: from_fn(|axis| numbers[D + axis]) };
        if let Some(world) = &world {
            for (axis, &side) in sides.iter().enumerate() {
                if bounds.min[axis] > bounds.max[axis] {
                    bounds.max[axis] = bounds.max[axis].plus(side);
                }
            }
            bounds = world.reduced(bounds).unwrap_or(bounds);
        }
        if !is_valid(&bounds) && is_needed(row) {
            return Err(PyValueError::new_err(format!("{name}: {}", defect::<S, D>(row, numbers))));
        }
        boxes.push(bounds);
    }
    Ok(boxes)
}

fn is_valid<S: Scalar, const D: usize>(bounds: &Aabb<S, D>) -> bool {
    // Written without short cuts: all boxes are expected to be valid.
    (0..D).fold(true, |valid, axis| {
        let (min, max) = (bounds.min[axis], bounds.max[axis]);
        valid & min.is_finite() & max.is_finite() & (min <= max)
    })
}

/// Describes the first defect of an invalid box.
#[cold]
fn defect<S: Scalar, const D: usize>(row: usize, numbers: &[S]) -> String {
    for (column, number) in numbers.iter().enumerate() {
        if !number.is_finite() {
            return format!("row {row}, column {column} is {number}");
        }
    }
    let is_inverted = |axis: &usize| numbers[*axis] > numbers[D + axis];
    let axis = (0..D).find(is_inverted).unwrap_or(0);
    let (min, max) = (numbers[axis], numbers[D + axis]);
    format!(
        "row {row}: the minimum {min} in column {axis} is above the maximum {max} in column {}",
        D + axis
    )
}
