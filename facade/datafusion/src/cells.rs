//! The scalar function `cells`.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, ListArray, UInt64Array};
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Field, Float64Type, Int64Type};
use datafusion_common::{Result, exec_err, plan_err};
use datafusion_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

use crate::boxes::{BadBox, Corners, Distance, coordinate_type};
use crate::cell::{LEVELS, MAX_CELLS, TooManyCells, list_cells};

/// The largest difference of two consecutive levels.
const MAX_STEP: i64 = 16;

/// Returns the function `cells(min…, max…, levels [, within])`: the ids of the cells that a box
/// touches, as a list of `UInt64`.
///
/// `levels` is an integer, the exponent of the side of cells: at level 5 cells have a side of 2⁵.
/// Levels are from -512 to 511. For boxes of very different sizes `levels` is a list, ascending,
/// each at most 16 above the one before. A box is listed at the first level at which it touches at
/// most 64 cells, or at the last level, and at all coarser levels, so that large and small boxes
/// meet; [`overlaps`](crate::overlaps) reports each pair at one level only. `levels` must be
/// constant. With `within`, boxes are enlarged on the high side by this distance.
///
/// Without a null: a box with a null coordinate has the list null. Coordinates are in two or three
/// dimensions and of any numeric type; they are converted to `f64`.
///
/// # Errors
/// The query fails if a coordinate is NaN or infinite, a box is inverted, or a box touches more
/// than 2²⁰ cells of the last level.
///
/// ```
/// let cells = hexphase_datafusion::cells();
/// assert_eq!(cells.name(), "cells");
/// // SELECT *, unnest(cells(min_x, min_y, max_x, max_y, 5)) AS cell FROM boxes
/// ```
#[must_use]
pub fn cells() -> ScalarUDF {
    ScalarUDF::new_from_impl(Cells { signature: Signature::user_defined(Volatility::Immutable) })
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Cells {
    signature: Signature,
}

/// Returns the number of dimensions for a number of arguments, and whether there is a distance.
fn form(arguments: usize) -> Result<(usize, bool)> {
    match arguments {
        5 | 6 => Ok((2, arguments == 6)),
        7 | 8 => Ok((3, arguments == 8)),
        _ => plan_err!(
            "cells(min…, max…, levels [, within]) has 2 or 3 minima, as many maxima, and 1 or 2 \
             other arguments; {arguments} were given"
        ),
    }
}

impl ScalarUDFImpl for Cells {
    fn name(&self) -> &str {
        "cells"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        let (dimensions, has_within) = form(types.len())?;
        coordinate_type("cells", &types[..2 * dimensions])?;
        let mut coerced = vec![DataType::Float64; 2 * dimensions];
        coerced.push(match &types[2 * dimensions] {
            level if level.is_integer() => DataType::Int64,
            DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..) => {
                DataType::new_list(DataType::Int64, true)
            }
            other => return plan_err!("cells: levels are an integer or a list, not {other}"),
        });
        coerced.extend(has_within.then_some(DataType::Float64));
        Ok(coerced)
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::new_list(DataType::UInt64, true))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let (dimensions, has_within) = form(args.args.len())?;
        let levels = levels(&args.args[2 * dimensions])?;
        let within = match has_within {
            true => constant(&args.args[2 * dimensions + 1], "within")?,
            false => return self.list(&args, dimensions, &levels, Distance::ZERO),
        };
        let within = cast(&within, &DataType::Float64)?;
        let within = Distance::new("cells", within.as_primitive::<Float64Type>().value(0))?;
        self.list(&args, dimensions, &levels, within)
    }
}

impl Cells {
    fn list(
        &self,
        args: &ScalarFunctionArgs,
        dimensions: usize,
        levels: &[i32],
        within: Distance,
    ) -> Result<ColumnarValue> {
        let columns = args.args[..2 * dimensions].iter();
        let columns = columns.map(|column| column.to_array(args.number_rows));
        let columns = columns.collect::<Result<Vec<ArrayRef>>>()?;
        let list = match dimensions {
            2 => cells_of_rows::<2>(&columns, levels, within),
            _ => cells_of_rows::<3>(&columns, levels, within),
        }?;
        Ok(ColumnarValue::Array(Arc::new(list)))
    }
}

/// Returns a constant argument as an array of one row without null.
fn constant(value: &ColumnarValue, name: &str) -> Result<ArrayRef> {
    let array = match value {
        ColumnarValue::Scalar(value) => value.to_array()?,
        ColumnarValue::Array(array) if array.len() == 1 => Arc::clone(array),
        ColumnarValue::Array(_) => {
            return exec_err!("cells: {name} must be a constant, not a column or a subquery");
        }
    };
    if array.is_null(0) {
        return exec_err!("cells: {name} is null");
    }
    Ok(array)
}

/// Reads and checks the levels.
fn levels(value: &ColumnarValue) -> Result<Vec<i32>> {
    let array = constant(value, "levels")?;
    let array = match array.data_type() {
        DataType::List(_) => array.as_list::<i32>().value(0),
        _ => array,
    };
    let array = cast(&array, &DataType::Int64)?;
    if array.is_empty() || array.null_count() > 0 {
        return exec_err!("cells: levels are empty or null");
    }
    let levels = array.as_primitive::<Int64Type>().values();
    if let Some(level) = levels.iter().find(|level| !LEVELS.contains(level)) {
        return exec_err!("cells: level {level} is not in -512..=511");
    }
    if let Some(two) = levels.windows(2).find(|two| !(1..=MAX_STEP).contains(&(two[1] - two[0]))) {
        let [low, high] = [two[0], two[1]];
        return exec_err!("cells: level {high} is not 1 to 16 above {low}, the level before it");
    }
    Ok(levels.iter().map(|&level| level as i32).collect())
}

/// Lists the cells of the box in each row.
fn cells_of_rows<const D: usize>(
    columns: &[ArrayRef],
    levels: &[i32],
    within: Distance,
) -> Result<ListArray> {
    let rows = columns[0].len();
    let corners = Corners::<D>::new(columns)?;
    let mut ids = Vec::with_capacity(rows + rows / 4);
    let mut offsets = Vec::with_capacity(rows + 1);
    let mut valid = Vec::with_capacity(rows);
    offsets.push(0);
    for row in 0..rows {
        let bounds = corners.get(row);
        valid.push(!matches!(bounds, Err(BadBox::Null { .. })));
        match bounds {
            Err(BadBox::Null { .. }) => {}
            Err(bad) => return exec_err!("cells: {bad}"),
            Ok([min, max]) => {
                let listed = list_cells(levels, min, within.reach(max), &mut ids);
                if let Err(TooManyCells(count)) = listed {
                    return exec_err!(
                        "cells: the box from {min:?} to {max:?} touches {count} cells, more than \
                         {MAX_CELLS}; add a coarser level"
                    );
                }
            }
        }
        let Ok(end) = i32::try_from(ids.len()) else {
            return exec_err!("cells: more than 2^31 cells in one batch; use coarser levels");
        };
        offsets.push(end);
    }
    let field = Arc::new(Field::new_list_field(DataType::UInt64, true));
    let values = Arc::new(UInt64Array::from(ids));
    let nulls = NullBuffer::from(valid);
    Ok(ListArray::try_new(field, OffsetBuffer::new(offsets.into()), values, Some(nulls))?)
}
