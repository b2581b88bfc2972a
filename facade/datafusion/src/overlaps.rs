//! The aggregate functions `overlaps` and `overlaps_between`.
//!
//! Rows are kept in the batches in which they arrived, as structs with a field for each argument,
//! beside a list of rows for each group. Results and states take the rows of each group together:
//!
//! * *state*: a list of rows for each group; merging appends the rows of the lists;
//! * *result*: the pairs of each group, found by [`Search`].
//!
//! Memory is proportional to the rows of all groups, which cannot be spilled: for large tables
//! there is the operator (feature `exec`), which holds one group at a time.

use std::iter::repeat_n;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, ListArray, StructArray, UInt32Array, new_empty_array,
};
use arrow::buffer::OffsetBuffer;
use arrow::compute::{concat, filter, take};
use arrow::datatypes::{DataType, Field, FieldRef, Fields, Float64Type, UInt64Type};
use datafusion_common::{Result, ScalarValue, exec_err, plan_err};
use datafusion_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, EmitTo, GroupsAccumulator, Signature, Volatility,
};

use crate::boxes::{Corners, Distance, coordinate_type, id_type};
use crate::cells::Cell;
use crate::search::{Group, PairIds, Search, pair_columns, pair_fields};

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

/// The positions of the arguments of a call.
#[derive(Clone, Copy, Debug)]
struct Form {
    id: usize,
    cell: usize,
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Overlaps {
    name: &'static str,
    /// Whether the first argument is `side`.
    has_side: bool,
    signature: Signature,
}

impl Overlaps {
    fn new(name: &'static str, has_side: bool) -> Self {
        Self { name, has_side, signature: Signature::user_defined(Volatility::Immutable) }
    }

    fn form(&self, arguments: usize) -> Result<Form> {
        let id = usize::from(self.has_side);
        let dimensions = match arguments.checked_sub(id) {
            Some(6 | 7) => 2,
            Some(8 | 9) => 3,
            _ => {
                let side = if self.has_side { "side, " } else { "" };
                return plan_err!(
                    "{}({side}id, min…, max…, cell [, within]) has 2 or 3 minima and as many \
                     maxima; {arguments} arguments were given",
                    self.name
                );
            }
        };
        Ok(Form { id, cell: id + 1 + 2 * dimensions })
    }

    fn groups(&self, args: &AccumulatorArgs<'_>) -> Result<Groups> {
        let form = self.form(args.expr_fields.len())?;
        let fields = row_fields(args.expr_fields);
        let (batches, rows) = (Vec::new(), Vec::new());
        Ok(Groups { name: self.name, form, fields, batches, rows, len: 0, bytes: 0 })
    }
}

/// Returns the fields of a row in the state: one for each argument.
fn row_fields(arguments: &[FieldRef]) -> Fields {
    let arguments = arguments.iter().enumerate();
    arguments.map(|(at, one)| Field::new(at.to_string(), one.data_type().clone(), true)).collect()
}

impl AggregateUDFImpl for Overlaps {
    fn name(&self) -> &str {
        self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        let form = self.form(types.len())?;
        let id = id_type(self.name, &types[form.id])?;
        let coordinate = coordinate_type(self.name, &types[form.id + 1..form.cell])?;
        let mut coerced = vec![coordinate; form.cell];
        if self.has_side {
            coerced[0] = DataType::Boolean;
        }
        coerced[form.id] = id;
        coerced.push(DataType::UInt64);
        coerced.resize(types.len(), DataType::Float64);
        Ok(coerced)
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        let id = id_type(self.name, &types[self.form(types.len())?.id])?;
        Ok(DataType::new_list(DataType::Struct(pair_fields(&id)), true))
    }

    fn state_fields(&self, args: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        let rows = DataType::new_list(DataType::Struct(row_fields(args.input_fields)), true);
        Ok(vec![Arc::new(Field::new(format!("{}[rows]", args.name), rows, true))])
    }

    fn accumulator(&self, args: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(self.groups(&args)?))
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

#[derive(Debug)]
struct Groups {
    name: &'static str,
    form: Form,
    fields: Fields,
    batches: Vec<StructArray>,
    /// The rows of each group, numbered through all batches.
    rows: Vec<Vec<u32>>,
    /// The number of rows in all batches.
    len: usize,
    bytes: usize,
}

impl Groups {
    /// Returns the arguments as rows, and the groups of the rows. A row without a cell is left out,
    /// as is one that the filter rejects.
    fn kept(
        &self,
        values: &[ArrayRef],
        groups: &[usize],
        opt_filter: Option<&BooleanArray>,
    ) -> Result<(StructArray, Vec<usize>)> {
        let rows = StructArray::try_new(self.fields.clone(), values.to_vec(), None)?;
        let cells = &values[self.form.cell];
        if cells.null_count() == 0 && opt_filter.is_none() {
            return Ok((rows, groups.to_vec()));
        }
        let passes = |row| opt_filter.is_none_or(|one| one.is_valid(row) && one.value(row));
        let kept: Vec<bool> =
            (0..rows.len()).map(|row| cells.is_valid(row) && passes(row)).collect();
        let groups = groups.iter().zip(&kept).filter(|(_, kept)| **kept);
        let groups = groups.map(|(&group, _)| group).collect();
        Ok((filter(&rows, &BooleanArray::from(kept))?.as_struct().clone(), groups))
    }

    fn push(&mut self, rows: &StructArray, groups: &[usize]) {
        for (row, &group) in (self.len..).zip(groups) {
            self.rows[group].push(row as u32);
        }
        self.len += rows.len();
        self.bytes += rows.get_array_memory_size() + groups.len() * size_of::<[u32; 2]>();
        self.batches.push(rows.clone());
    }

    /// Takes the rows of the groups to emit, sorted by group, and the range of rows of each group.
    /// Renumbers the rows and groups that stay.
    fn take_sorted(&mut self, emit_to: EmitTo) -> Result<(StructArray, OffsetBuffer<i32>)> {
        if i32::try_from(self.len).is_err() {
            return exec_err!("{}: more than 2^31 rows in one partition", self.name);
        }
        let batches: Vec<&dyn Array> = self.batches.iter().map(|one| one as &dyn Array).collect();
        let all = match &batches[..] {
            [] => new_empty_array(&DataType::Struct(self.fields.clone())),
            batches => concat(batches)?,
        };
        let sorted = |groups: &[Vec<u32>]| -> Result<StructArray> {
            let rows = take(&all, &UInt32Array::from(groups.concat()), None)?;
            Ok(rows.as_struct().clone())
        };
        let emitted = emit_to.take_needed(&mut self.rows);
        let (found, kept) = (sorted(&emitted)?, sorted(&self.rows)?);
        let groups = self.rows.iter_mut().enumerate();
        let groups = groups.flat_map(|(group, rows)| repeat_n(group, rows.drain(..).len()));
        let groups: Vec<usize> = groups.collect();
        self.batches.clear();
        (self.len, self.bytes) = (0, 0);
        self.push(&kept, &groups);
        Ok((found, OffsetBuffer::from_lengths(emitted.iter().map(Vec::len))))
    }

    fn pairs<const D: usize>(&self, rows: &StructArray, ends: &[i32]) -> Result<ArrayRef> {
        let mut search = Search::<D>::default();
        let (mut found, mut offsets) = (Vec::new(), vec![0]);
        let ids = rows.column(self.form.id);
        let order = PairIds::new(ids)?;
        for range in ends.windows(2) {
            let first = range[0] as u32;
            let group = rows.slice(range[0] as usize, (range[1] - range[0]) as usize);
            if !group.is_empty() {
                let mut push = |[a, b]: [u32; 2]| found.push([a + first, b + first]);
                self.pairs_of_group(&mut search, &group, &mut push)?;
            }
            let Ok(end) = i32::try_from(found.len()) else {
                return exec_err!("{}: more than 2^31 pairs; use feature exec", self.name);
            };
            offsets.push(end);
        }
        if self.form.id == 0 {
            order.sort_ends(&mut found)?;
        }
        let (fields, columns) = (pair_fields(ids.data_type()), pair_columns(ids, &found)?);
        let pairs = StructArray::try_new_with_length(fields, columns, None, found.len())?;
        list(pairs, OffsetBuffer::new(offsets.into()))
    }

    /// Passes the pairs of one group that its cell reports. The group has a row.
    fn pairs_of_group<const D: usize>(
        &self,
        search: &mut Search<D>,
        rows: &StructArray,
        found: &mut dyn FnMut([u32; 2]),
    ) -> Result<()> {
        let Form { id, cell } = self.form;
        let name = self.name;
        let side = (id == 1).then(|| rows.column(0).as_boolean());
        if side.is_some_and(|side| side.null_count() > 0) {
            return exec_err!("{name}: side is null");
        }
        let cells = rows.column(cell).as_primitive::<UInt64Type>().values();
        if cells.iter().any(|&other| other != cells[0]) {
            return exec_err!("{name}: a group has boxes of several cells; add GROUP BY cell");
        }
        let within = match rows.columns().get(cell + 1) {
            Some(column) => {
                let values = column.as_primitive::<Float64Type>();
                if values.null_count() > 0 || values.values().iter().any(|x| *x != values.value(0))
                {
                    return exec_err!("{name}: within must be a constant");
                }
                Distance::new(name, values.value(0))?
            }
            None => Distance::ZERO,
        };
        let columns = &rows.columns()[id + 1..cell];
        let corners = Corners::<D>::new(columns)?;
        for row in 0..rows.len() {
            if let Err(bad) = corners.get(row) {
                let id = ScalarValue::try_from_array(rows.column(id), row)?;
                return exec_err!("{name}: the box of id {id} is not valid: {}", bad.reason);
            }
        }
        let cell = Cell::<D>::from_id(cells[0]);
        search.run(&Group { corners: columns, side, within }, &mut |pair, boxes| {
            if cell.reports(boxes.map(|[min, max]| [min, within.reach(max)])) {
                found(pair);
            }
            Ok(())
        })
    }
}

fn list(values: StructArray, ends: OffsetBuffer<i32>) -> Result<ArrayRef> {
    let field = Arc::new(Field::new_list_field(values.data_type().clone(), true));
    Ok(Arc::new(ListArray::try_new(field, ends, Arc::new(values), None)?))
}

impl GroupsAccumulator for Groups {
    fn update_batch(
        &mut self,
        values: &[ArrayRef],
        group_indices: &[usize],
        opt_filter: Option<&BooleanArray>,
        total_num_groups: usize,
    ) -> Result<()> {
        self.rows.resize_with(total_num_groups, Vec::new);
        let (rows, groups) = self.kept(values, group_indices, opt_filter)?;
        self.push(&rows, &groups);
        Ok(())
    }

    fn evaluate(&mut self, emit_to: EmitTo) -> Result<ArrayRef> {
        let (rows, ends) = self.take_sorted(emit_to)?;
        match self.form.cell - self.form.id {
            5 => self.pairs::<2>(&rows, &ends),
            _ => self.pairs::<3>(&rows, &ends),
        }
    }

    fn state(&mut self, emit_to: EmitTo) -> Result<Vec<ArrayRef>> {
        let (rows, ends) = self.take_sorted(emit_to)?;
        Ok(vec![list(rows, ends)?])
    }

    fn merge_batch(
        &mut self,
        values: &[ArrayRef],
        groups: &[usize],
        total_num_groups: usize,
    ) -> Result<()> {
        self.rows.resize_with(total_num_groups, Vec::new);
        let lists = values[0].as_list::<i32>();
        for (list, &group) in lists.iter().zip(groups) {
            if let Some(rows) = list {
                self.push(rows.as_struct(), &vec![group; rows.len()]);
            }
        }
        Ok(())
    }

    fn convert_to_state(
        &self,
        values: &[ArrayRef],
        opt_filter: Option<&BooleanArray>,
    ) -> Result<Vec<ArrayRef>> {
        let all: Vec<usize> = (0..values[0].len()).collect();
        let (rows, kept) = self.kept(values, &all, opt_filter)?;
        let mut lengths = vec![0; all.len()];
        kept.iter().for_each(|&row| lengths[row] = 1);
        Ok(vec![list(rows, OffsetBuffer::from_lengths(lengths))?])
    }

    fn size(&self) -> usize {
        self.bytes
    }
}

/// A query without groups has one group.
impl Accumulator for Groups {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let groups = vec![0; values[0].len()];
        GroupsAccumulator::update_batch(self, values, &groups, None, 1)
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        self.rows.resize_with(1, Vec::new);
        ScalarValue::try_from_array(&GroupsAccumulator::evaluate(self, EmitTo::All)?, 0)
    }

    fn size(&self) -> usize {
        size_of_val(self) + self.bytes
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        self.rows.resize_with(1, Vec::new);
        let states = GroupsAccumulator::state(self, EmitTo::All)?;
        Ok(vec![ScalarValue::try_from_array(&states[0], 0)?])
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let groups = vec![0; states[0].len()];
        GroupsAccumulator::merge_batch(self, states, &groups, 1)
    }
}
