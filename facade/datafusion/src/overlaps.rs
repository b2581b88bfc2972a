//! The aggregate functions `overlaps` and `overlaps_between`: arguments and types.

use std::sync::Arc;

use arrow::datatypes::{DataType, Field, FieldRef, Fields};
use datafusion_common::{Result, plan_err};
use datafusion_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, GroupsAccumulator, Signature, Volatility,
};

use crate::accumulator::{Groups, OneGroup};
use crate::boxes::{coordinate_type, id_type};

/// Returns the aggregate function `overlaps(id, min…, max…, cell [, within])`: the overlapping
/// pairs of the boxes in a group, as a list of structs with the fields `a` and `b`.
///
/// Rows are grouped by `cell`, an element of the list that [`cells`](crate::cells) returns for the
/// box. Each pair is in the list of one group, so that all lists together have each pair once.
/// `a` is less than `b`; pairs of a list are in no particular order. Boxes that touch overlap. With
/// `within`, pairs are at most this distance apart; `cells` must have been given the same distance.
///
/// Ids are integers or texts; the result has the type `Int64`, `UInt64` or `Utf8`. Coordinates are
/// `Float32` if all of them are, otherwise `Float64`. A row without a cell is ignored.
///
/// # Errors
/// The query fails if an id or coordinate is null, two boxes that overlap have one id, or the cells
/// of a group differ.
///
/// ```
/// let overlaps = hexphase_datafusion::overlaps();
/// assert_eq!(overlaps.name(), "overlaps");
/// // SELECT unnest(overlaps(id, min_x, min_y, max_x, max_y, cell)) FROM … GROUP BY cell
/// ```
#[must_use]
pub fn overlaps() -> AggregateUDF {
    Overlaps::new("overlaps", false).into()
}

/// Returns the aggregate function `overlaps_between(side, id, min…, max…, cell [, within])`: the
/// overlapping pairs of two tables, whose rows `side` tells apart.
///
/// The rows of both tables are in one table, for example by `UNION ALL`; `side` is false for the
/// first and true for the second. `a` is the id of a box of the first table, `b` of the second; the
/// tables may use equal ids. The rest is as for [`overlaps`].
///
/// # Errors
/// The query fails if `side`, an id or a coordinate is null, or the cells of a group differ.
///
/// ```
/// let overlaps = hexphase_datafusion::overlaps_between();
/// assert_eq!(overlaps.name(), "overlaps_between");
/// ```
#[must_use]
pub fn overlaps_between() -> AggregateUDF {
    Overlaps::new("overlaps_between", true).into()
}

/// The arguments of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Form {
    /// Whether the first argument is `side`.
    pub(crate) has_side: bool,
    /// The number of dimensions.
    pub(crate) dimensions: usize,
    /// Whether the last argument is a distance.
    pub(crate) has_within: bool,
}

impl Form {
    fn new(name: &str, has_side: bool, arguments: usize) -> Result<Self> {
        let (dimensions, has_within) = match arguments - usize::from(has_side && arguments > 0) {
            6 => (2, false),
            7 => (2, true),
            8 => (3, false),
            9 => (3, true),
            _ => {
                let side = if has_side { "side, " } else { "" };
                return plan_err!(
                    "{name}({side}id, min…, max…, cell [, within]) has 2 or 3 minima and as many \
                     maxima; {arguments} arguments were given"
                );
            }
        };
        Ok(Self { has_side, dimensions, has_within })
    }

    /// Returns the position of the id.
    pub(crate) const fn id(self) -> usize {
        self.has_side as usize
    }

    /// Returns the position of the cell.
    pub(crate) const fn cell(self) -> usize {
        self.id() + 1 + 2 * self.dimensions
    }

    /// Returns the number of arguments.
    pub(crate) const fn arguments(self) -> usize {
        self.cell() + 1 + self.has_within as usize
    }

    /// Returns the fields of a row in the state: one for each argument.
    fn row_fields(self, types: &[DataType]) -> Fields {
        types
            .iter()
            .enumerate()
            .map(|(at, one)| Field::new(format!("{at}"), one.clone(), true))
            .collect()
    }
}

/// Returns the type of a list of pairs.
pub(crate) fn pair_fields(id: &DataType) -> Fields {
    Fields::from(vec![Field::new("a", id.clone(), false), Field::new("b", id.clone(), false)])
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Overlaps {
    name: &'static str,
    has_side: bool,
    signature: Signature,
}

impl Overlaps {
    fn new(name: &'static str, has_side: bool) -> Self {
        Self { name, has_side, signature: Signature::user_defined(Volatility::Immutable) }
    }

    fn groups(&self, args: &AccumulatorArgs<'_>) -> Result<Groups> {
        let types: Vec<DataType> =
            args.expr_fields.iter().map(|field| field.data_type().clone()).collect();
        let form = Form::new(self.name, self.has_side, types.len())?;
        Ok(Groups::new(self.name, form, form.row_fields(&types)))
    }
}

impl AggregateUDFImpl for Overlaps {
    fn name(&self) -> &str {
        self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        let form = Form::new(self.name, self.has_side, types.len())?;
        let id = id_type(self.name, &types[form.id()])?;
        let coordinate = coordinate_type(self.name, &types[form.id() + 1..form.cell()])?;
        let mut coerced = vec![coordinate; form.arguments()];
        if form.has_side {
            coerced[0] = DataType::Boolean;
        }
        coerced[form.id()] = id;
        coerced[form.cell()] = DataType::UInt64;
        if form.has_within {
            coerced[form.cell() + 1] = DataType::Float64;
        }
        Ok(coerced)
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        let form = Form::new(self.name, self.has_side, types.len())?;
        let id = id_type(self.name, &types[form.id()])?;
        Ok(DataType::new_list(DataType::Struct(pair_fields(&id)), true))
    }

    fn state_fields(&self, args: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        let types: Vec<DataType> =
            args.input_fields.iter().map(|field| field.data_type().clone()).collect();
        let form = Form::new(self.name, self.has_side, types.len())?;
        let rows = DataType::new_list(DataType::Struct(form.row_fields(&types)), true);
        Ok(vec![Arc::new(Field::new(format!("{}[rows]", args.name), rows, true))])
    }

    fn accumulator(&self, args: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(OneGroup::new(self.groups(&args)?)))
    }

    fn groups_accumulator_supported(&self, args: AccumulatorArgs<'_>) -> bool {
        !args.is_distinct
    }

    fn create_groups_accumulator(
        &self,
        args: AccumulatorArgs<'_>,
    ) -> Result<Box<dyn GroupsAccumulator>> {
        Ok(Box::new(self.groups(&args)?))
    }
}
