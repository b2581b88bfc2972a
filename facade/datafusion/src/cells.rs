//! The scalar function `cells`, and the ids of cells: one number that names a cell and its grid.
//!
//! The id of a cell is all that [`overlaps`](crate::overlaps) gets about the grid, so it has the
//! side of the cell and the rule by which pairs are reported:
//!
//! ```text
//! bit  63      53 to 62      48 to 52              0 to 47
//!      tier    base + 512    level above base      Morton code of the low corner, in base cells
//! ```
//!
//! * *Base cells* have the side 2^base. A coordinate has 24 bits in two dimensions and 16 in three,
//!   and is 0 at half the range. Coordinates out of range are in the first or last cell. The
//!   mapping is monotone, which is all that the rules below need.
//! * The cell consists of 2^level base cells on each axis.
//! * A *tier* cell is a cell of a coarser level, for large boxes. Its base is the side of the cells
//!   of the next finer level.
//!
//! **Which cells.** A box is *small* at a level if it touches at most 64 cells there. It is listed
//! in the cells of the first level at which it is small, or of the last level, and of all coarser
//! levels.
//!
//! **Which pairs.** The low corner of the intersection of two boxes is in one cell of each level;
//! both boxes are listed there if they are listed at this level. So a group of boxes reports a pair
//! if its cell contains that corner. In a tier cell, two boxes that are both small at the next
//! finer level are skipped: they are reported there. So each pair is reported once.

use std::sync::Arc;

use arrow::array::{Array, ArrayBuilder, ArrayRef, AsArray, ListArray, ListBuilder, UInt64Builder};
use arrow::datatypes::{DataType, Float64Type, Int64Type};
use broadphase_morton::Code;
use datafusion_common::{Result, exec_err, plan_err};
use datafusion_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

use crate::boxes::{Corners, Distance, coordinate_type};
use crate::search::low_corner;

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

fn dimensions(arguments: usize) -> Result<usize> {
    match arguments {
        5 | 6 => Ok(2),
        7 | 8 => Ok(3),
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
        let dimensions = dimensions(types.len())?;
        coordinate_type("cells", &types[..2 * dimensions])?;
        let mut coerced = vec![DataType::Float64; 2 * dimensions];
        coerced.push(match &types[2 * dimensions] {
            level if level.is_integer() => DataType::Int64,
            DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..) => {
                DataType::new_list(DataType::Int64, true)
            }
            other => return plan_err!("cells: levels are an integer or a list, not {other}"),
        });
        coerced.resize(types.len(), DataType::Float64);
        Ok(coerced)
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::new_list(DataType::UInt64, true))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let dimensions = dimensions(args.args.len())?;
        let (columns, others) = args.args.split_at(2 * dimensions);
        let levels = levels(&others[0])?;
        let within = match others.get(1) {
            Some(within) => {
                let within = constant(within, "within")?;
                Distance::new("cells", within.as_primitive::<Float64Type>().value(0))?
            }
            None => Distance::ZERO,
        };
        let columns = columns.iter().map(|column| column.to_array(args.number_rows));
        let columns = columns.collect::<Result<Vec<ArrayRef>>>()?;
        let list = match dimensions {
            2 => cells_of_rows::<2>(&columns, &levels, within),
            _ => cells_of_rows::<3>(&columns, &levels, within),
        }?;
        Ok(ColumnarValue::Array(Arc::new(list)))
    }
}

/// Returns a constant argument as an array of one row without null.
fn constant(value: &ColumnarValue, name: &str) -> Result<ArrayRef> {
    let array = match value {
        ColumnarValue::Array(array) if array.len() != 1 => {
            return exec_err!("cells: {name} must be a constant, not a column or a subquery");
        }
        value => value.to_array(1)?,
    };
    if array.is_null(0) {
        return exec_err!("cells: {name} is null");
    }
    Ok(array)
}

fn levels(value: &ColumnarValue) -> Result<Vec<i32>> {
    let array = constant(value, "levels")?;
    let array = match array.data_type() {
        DataType::List(_) => array.as_list::<i32>().value(0),
        _ => array,
    };
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

fn cells_of_rows<const D: usize>(
    columns: &[ArrayRef],
    levels: &[i32],
    within: Distance,
) -> Result<ListArray> {
    let corners = Corners::<D>::new(columns)?;
    let (mut lists, mut ids) = (ListBuilder::new(UInt64Builder::new()), Vec::new());
    for row in 0..columns[0].len() {
        ids.clear();
        let bounds = corners.get(row);
        let is_box = bounds.is_ok();
        match bounds {
            Ok([min, max]) => list_cells(levels, [min, within.reach(max)], &mut ids)?,
            Err(bad) if bad.is_null => {}
            Err(bad) => return exec_err!("cells: {}", bad.reason),
        }
        lists.values().append_slice(&ids);
        if i32::try_from(lists.values().len()).is_err() {
            return exec_err!("cells: more than 2^31 cells in one batch; use coarser levels");
        }
        lists.append(is_box);
    }
    Ok(lists.finish())
}

/// The largest number of cells of a small box.
const MAX_CELLS_OF_SMALL: f64 = 64.0;
/// The largest number of cells of a box at the last level.
const MAX_CELLS: u64 = 1 << 20;
/// Levels are between these; 2^level and 2^-level are exact.
const LEVELS: core::ops::RangeInclusive<i64> = -512..=511;
const CODE_BITS: u32 = 48;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cell<const D: usize> {
    code: Code<D>,
    level: u32,
    base: i32,
    is_tier: bool,
}

/// Returns the corners of a box in base cells, without a limit of the range.
fn floors<const D: usize>(base: i32, corners: [[f64; D]; 2]) -> [[f64; D]; 2] {
    // 2^-base.
    let scale = f64::from_bits(((1023 - base) as u64) << 52);
    corners.map(|corner| corner.map(|x| (x * scale).floor()))
}

fn is_small<const D: usize>(base: i32, corners: [[f64; D]; 2]) -> bool {
    let [low, high] = floors(base, corners);
    (0..D).map(|axis| high[axis] - low[axis] + 1.0).product::<f64>() <= MAX_CELLS_OF_SMALL
}

impl<const D: usize> Cell<D> {
    const BITS: u32 = CODE_BITS / D as u32;

    /// Returns the base cell of a coordinate.
    fn index(floor: f64) -> u32 {
        let half = f64::from(1u32 << (Self::BITS - 1));
        (floor + half).clamp(0.0, 2.0 * half - 1.0) as u32
    }

    fn id(self) -> u64 {
        let base = (self.base + 512) as u64;
        u64::from(self.is_tier) << 63
            | base << 53
            | u64::from(self.level) << CODE_BITS
            | self.code.bits()
    }

    pub(crate) fn from_id(id: u64) -> Self {
        Self {
            code: Code::from_bits(id & ((1 << CODE_BITS) - 1)),
            level: (id >> CODE_BITS) as u32 & 31,
            base: (id >> 53) as i32 % 1024 - 512,
            is_tier: id >> 63 == 1,
        }
    }

    /// Returns whether the group of this cell reports the pair of two boxes that overlap. Maxima
    /// are enlarged as they were when cells were listed.
    pub(crate) fn reports(&self, boxes: [[[f64; D]; 2]; 2]) -> bool {
        let [base_cell, _] = floors(self.base, [low_corner(boxes); 2]);
        let contains = Code::encode(base_cell.map(Self::index)).parent(self.level) == self.code;
        contains && !(self.is_tier && boxes.into_iter().all(|corners| is_small(self.base, corners)))
    }
}

/// Appends the ids of the cells of a box to `out`. `levels` are ascending, in [`LEVELS`], and at
/// most 16 apart. The box is valid; it may be infinite.
///
/// # Errors
/// If the box touches more than 2^20 cells of the last level.
fn list_cells<const D: usize>(
    levels: &[i32],
    corners: [[f64; D]; 2],
    out: &mut Vec<u64>,
) -> Result<()> {
    let home = levels.iter().position(|&level| is_small(level, corners));
    let home = home.unwrap_or(levels.len() - 1);
    for (at, &level) in levels.iter().enumerate().skip(home) {
        let base = levels[at.saturating_sub(1)];
        let above = (level - base) as u32;
        let [low, high] =
            floors(base, corners).map(|corner| corner.map(|x| Cell::<D>::index(x) >> above));
        let count: u64 = (0..D).map(|axis| u64::from(high[axis] - low[axis]) + 1).product();
        if count > MAX_CELLS {
            let [min, max] = corners;
            return exec_err!(
                "cells: the box from {min:?} to {max:?} touches {count} cells, more than \
                 {MAX_CELLS}; add a coarser level"
            );
        }
        let mut at_cell = low;
        for _ in 0..count {
            let code = Code::encode(at_cell.map(|x| x << above));
            out.push(Cell { code, level: above, base, is_tier: at > 0 }.id());
            for axis in 0..D {
                if at_cell[axis] < high[axis] {
                    at_cell[axis] += 1;
                    break;
                }
                at_cell[axis] = low[axis];
            }
        }
    }
    Ok(())
}
