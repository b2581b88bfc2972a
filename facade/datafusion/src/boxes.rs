//! Boxes in columns: their types, their validation, and how far they reach.

use arrow::array::{Array, ArrayRef, AsArray, Float32Array, Float64Array};
use arrow::buffer::NullBuffer;
use arrow::compute::cast;
use arrow::datatypes::DataType;
use datafusion_common::{Result, exec_err, plan_err};

/// Returns the type of coordinates for columns of these types: `Float32` if all are, otherwise
/// `Float64`.
pub(crate) fn coordinate_type(name: &str, types: &[DataType]) -> Result<DataType> {
    if let Some(other) = types.iter().find(|one| !(one.is_numeric() || one.is_null())) {
        return plan_err!("{name}: coordinates are numbers, not {other}");
    }
    let all_f32 = types.iter().all(|one| *one == DataType::Float32);
    Ok(if all_f32 { DataType::Float32 } else { DataType::Float64 })
}

/// Returns the type in which ids of this type are compared and returned: `Int64`, `UInt64` or
/// `Utf8`.
pub(crate) fn id_type(name: &str, id: &DataType) -> Result<DataType> {
    match id {
        id if id.is_signed_integer() => Ok(DataType::Int64),
        id if id.is_unsigned_integer() => Ok(DataType::UInt64),
        id if id.is_string() => Ok(DataType::Utf8),
        other => plan_err!("{name}: ids are integers or texts, not {other}"),
    }
}

/// The reason why a row has no box.
#[derive(Debug)]
pub(crate) struct BadBox {
    /// Whether a coordinate is null.
    pub(crate) is_null: bool,
    pub(crate) reason: String,
}

/// A column of coordinates, read as `f64`; every `f32` is also an `f64`.
enum Coordinates {
    // Converting a column before it is read takes 10 % of the time of an operator.
    F32(Float32Array),
    F64(Float64Array),
}

impl Coordinates {
    #[inline]
    fn get(&self, row: usize) -> f64 {
        match self {
            Self::F32(column) => f64::from(column.values()[row]),
            Self::F64(column) => column.values()[row],
        }
    }

    fn nulls(&self) -> Option<&NullBuffer> {
        match self {
            Self::F32(column) => column.nulls(),
            Self::F64(column) => column.nulls(),
        }
    }
}

/// Columns of boxes, for the choice of cells.
pub(crate) struct Corners<const D: usize> {
    columns: [[Coordinates; D]; 2],
    has_nulls: bool,
}

impl<const D: usize> Corners<D> {
    /// Sets the columns of minima, then of maxima.
    pub(crate) fn new(columns: &[ArrayRef]) -> Result<Self> {
        let (minima, maxima) = columns.split_at(columns.len().min(D));
        let has_nulls = columns.iter().any(|column| column.null_count() > 0);
        Ok(Self { columns: [ends(minima)?, ends(maxima)?], has_nulls })
    }

    /// Returns minimum and maximum of the box in a row.
    ///
    /// # Errors
    /// If a coordinate is null or not finite, or the box is inverted.
    #[inline]
    pub(crate) fn get(&self, row: usize) -> core::result::Result<[[f64; D]; 2], BadBox> {
        let end = |end: usize| core::array::from_fn(|axis| self.columns[end][axis].get(row));
        let [min, max]: [[f64; D]; 2] = [end(0), end(1)];
        // A comparison with NaN is false.
        let is_valid =
            |axis| -f64::MAX <= min[axis] && min[axis] <= max[axis] && max[axis] <= f64::MAX;
        if !self.has_nulls && (0..D).all(is_valid) { Ok([min, max]) } else { self.explain(row) }
    }

    /// Returns the box in a row, or the first reason why there is none.
    #[cold]
    fn explain(&self, row: usize) -> core::result::Result<[[f64; D]; 2], BadBox> {
        let mut corners = [[0.0; D]; 2];
        for (axis, name) in ["x", "y", "z"].into_iter().enumerate().take(D) {
            let bad = |is_null, reason| Err(BadBox { is_null, reason });
            for (end, corner) in self.columns.iter().zip(&mut corners) {
                let value = end[axis].get(row);
                if end[axis].nulls().is_some_and(|nulls| nulls.is_null(row)) {
                    return bad(true, format!("a coordinate on axis {name} is null"));
                } else if !value.is_finite() {
                    return bad(false, format!("a coordinate on axis {name} is {value}"));
                }
                corner[axis] = value;
            }
            let [min, max] = corners.map(|corner| corner[axis]);
            if min > max {
                let reason = format!("minimum {min} is above maximum {max} on axis {name}");
                return bad(false, reason);
            }
        }
        Ok(corners)
    }
}

fn ends<const D: usize>(columns: &[ArrayRef]) -> Result<[Coordinates; D]> {
    let one = |column: &ArrayRef| match column.data_type() {
        DataType::Float32 => Ok(Coordinates::F32(column.as_primitive().clone())),
        DataType::Float64 => Ok(Coordinates::F64(column.as_primitive().clone())),
        _ => Ok(Coordinates::F64(cast(column, &DataType::Float64)?.as_primitive().clone())),
    };
    let columns = columns.iter().map(one).collect::<Result<Vec<_>>>()?;
    let count = columns.len();
    columns.try_into().or_else(|_| exec_err!("{count} columns of coordinates in {D} dimensions"))
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Distance(f64);

impl Distance {
    pub(crate) const ZERO: Self = Self(0.0);

    pub(crate) fn new(name: &str, distance: f64) -> Result<Self> {
        if !(distance >= 0.0 && distance.is_finite()) {
            return plan_err!("{name}: a distance is finite and not negative, not {distance}");
        }
        Ok(Self(distance))
    }

    pub(crate) const fn get(self) -> f64 {
        self.0
    }

    /// Returns a maximum enlarged so that boxes within the distance overlap on each axis. The exact
    /// test rounds the gap to the coordinates' type, so the enlargement is larger than all
    /// roundings.
    pub(crate) fn reach<const D: usize>(self, max: [f64; D]) -> [f64; D] {
        if self.0 == 0.0 { max } else { max.map(|x| (x + self.0 * 1.000_001).next_up()) }
    }
}
