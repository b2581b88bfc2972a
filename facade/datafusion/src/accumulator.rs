//! The state of `overlaps`: the rows of all groups, and the search at the end.
//!
//! Rows are kept in the batches in which they arrived, as structs with a field for each argument,
//! beside the number of the group of each row. Before results or states are made, one stable
//! counting sort puts the rows of each group together:
//!
//! * *state*: a list of rows for each group; merging appends the rows of the lists;
//! * *result*: the pairs of each group, found by [`Search`].
//!
//! Memory is proportional to the rows of all groups, which cannot be spilled: for large tables
//! there is the operator (feature `exec`), which holds one group at a time.

use std::fmt;
use std::mem::take;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, ListArray, StructArray, UInt32Array, new_empty_array,
};
use arrow::buffer::OffsetBuffer;
use arrow::compute::{concat, filter, take as take_rows};
use arrow::datatypes::{DataType, Field, Fields, Float64Type, UInt64Type};
use datafusion_common::{Result, ScalarValue, exec_err};
use datafusion_expr::{Accumulator, EmitTo, GroupsAccumulator};

use crate::boxes::{Corners, Distance};
use crate::cell::Cell;
use crate::overlaps::{Form, pair_fields};
use crate::pairs::{PairIds, pair_struct};
use crate::search::{Group, Search};

/// The rows of all groups.
pub(crate) struct Groups {
    name: &'static str,
    form: Form,
    fields: Fields,
    /// Batches of rows, and the group of each row.
    batches: Vec<(StructArray, Vec<u32>)>,
    bytes: usize,
    /// The number of groups, also of groups without rows.
    count: usize,
}

impl fmt::Debug for Groups {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Groups").field("name", &self.name).field("bytes", &self.bytes).finish()
    }
}

impl Groups {
    pub(crate) fn new(name: &'static str, form: Form, fields: Fields) -> Self {
        Self { name, form, fields, batches: Vec::new(), bytes: 0, count: 0 }
    }

    /// Returns the arguments as rows. A row without a cell is left out, as is one that the filter
    /// rejects.
    fn rows(
        &self,
        values: &[ArrayRef],
        groups: &[usize],
        opt_filter: Option<&BooleanArray>,
    ) -> Result<(StructArray, Vec<u32>)> {
        let rows = StructArray::try_new(self.fields.clone(), values.to_vec(), None)?;
        let cells = &values[self.form.cell()];
        let keep = |row| {
            cells.is_valid(row)
                && opt_filter.is_none_or(|filter| filter.is_valid(row) && filter.value(row))
        };
        let all = cells.null_count() == 0 && opt_filter.is_none();
        let kept: Vec<bool> = (0..rows.len()).map(|row| all || keep(row)).collect();
        let numbers = groups.iter().zip(&kept).filter(|(_, kept)| **kept);
        let numbers = numbers.map(|(&group, _)| group as u32).collect();
        if all {
            return Ok((rows, numbers));
        }
        let rows = filter(&rows, &BooleanArray::from(kept))?;
        Ok((rows.as_struct().clone(), numbers))
    }

    fn push(&mut self, rows: StructArray, groups: Vec<u32>) {
        if !groups.is_empty() {
            self.bytes += rows.get_array_memory_size() + groups.capacity() * size_of::<u32>();
            self.batches.push((rows, groups));
        }
    }

    /// Takes the rows of the groups to emit, sorted by group, and the range of rows of each group.
    /// Renumbers the groups that stay.
    fn take_sorted(&mut self, emit_to: EmitTo) -> Result<(StructArray, Vec<i32>)> {
        let batches = take(&mut self.batches);
        self.bytes = 0;
        let mut groups: Vec<u32> = Vec::new();
        let mut rows = Vec::with_capacity(batches.len());
        for (batch, numbers) in batches {
            groups.extend(numbers);
            rows.push(batch);
        }
        let rows: Vec<&dyn Array> = rows.iter().map(|batch| batch as &dyn Array).collect();
        let rows = match rows.as_slice() {
            [] => new_empty_array(&DataType::Struct(self.fields.clone())),
            rows => concat(rows)?,
        };
        let emitted = match emit_to {
            EmitTo::All => self.count,
            EmitTo::First(count) => count,
        };
        self.count -= emitted;
        let mut ends = vec![0u32; emitted + 1];
        for &group in groups.iter().filter(|&&group| (group as usize) < emitted) {
            ends[group as usize + 1] += 1;
        }
        for group in 0..emitted {
            ends[group + 1] += ends[group];
        }
        let mut next = ends.clone();
        let mut sorted = vec![0u32; ends[emitted] as usize];
        let (mut kept, mut kept_groups) = (Vec::new(), Vec::new());
        for (row, &group) in (0u32..).zip(&groups) {
            match next[..emitted].get_mut(group as usize) {
                Some(next) => {
                    sorted[*next as usize] = row;
                    *next += 1;
                }
                None => {
                    kept.push(row);
                    kept_groups.push(group - emitted as u32);
                }
            }
        }
        let kept = take_rows(&rows, &UInt32Array::from(kept), None)?;
        self.push(kept.as_struct().clone(), kept_groups);
        let sorted = take_rows(&rows, &UInt32Array::from(sorted), None)?;
        let Ok(ends) = ends.into_iter().map(i32::try_from).collect() else {
            return exec_err!("{}: more than 2^31 rows in one partition", self.name);
        };
        Ok((sorted.as_struct().clone(), ends))
    }

    /// Finds the pairs of each group.
    fn pairs<const D: usize>(&self, rows: &StructArray, ends: &[i32]) -> Result<ArrayRef> {
        let mut search = Search::<D>::default();
        let (mut found, mut offsets) = (Vec::new(), Vec::with_capacity(ends.len()));
        offsets.push(0);
        let ids = rows.column(self.form.id());
        let order = PairIds::new(ids)?;
        for range in ends.windows(2) {
            let first = range[0] as usize;
            let group = rows.slice(first, range[1] as usize - first);
            self.pairs_of_group(&mut search, &group, &mut |[a, b]| {
                found.push([a + first as u32, b + first as u32]);
                Ok(())
            })?;
            let Ok(end) = i32::try_from(found.len()) else {
                return exec_err!("{}: more than 2^31 pairs; use feature exec", self.name);
            };
            offsets.push(end);
        }
        if !self.form.has_side {
            order.sort_ends(&mut found)?;
        }
        let pairs = pair_struct(pair_fields(ids.data_type()), ids, &found)?;
        let field = Field::new_list_field(pairs.data_type().clone(), true);
        let offsets = OffsetBuffer::new(offsets.into());
        Ok(Arc::new(ListArray::try_new(Arc::new(field), offsets, Arc::new(pairs), None)?))
    }

    /// Passes the pairs of one group that its cell reports.
    fn pairs_of_group<const D: usize>(
        &self,
        search: &mut Search<D>,
        rows: &StructArray,
        found: &mut dyn FnMut([u32; 2]) -> Result<()>,
    ) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let (form, name) = (self.form, self.name);
        let columns = &rows.columns()[form.id() + 1..form.cell()];
        if form.has_side && rows.column(0).null_count() > 0 {
            return exec_err!("{name}: side is null");
        }
        let cells = rows.column(form.cell()).as_primitive::<UInt64Type>().values();
        let cell = Cell::<D>::from_id(cells[0]);
        if cells.iter().any(|&other| other != cells[0]) {
            return exec_err!("{name}: a group has boxes of several cells; add GROUP BY cell");
        }
        let within = match form.has_within {
            true => self.distance(rows.column(form.cell() + 1))?,
            false => Distance::ZERO,
        };
        let corners = Corners::<D>::new(columns)?;
        for row in 0..rows.len() {
            if let Err(bad) = corners.get(row) {
                let id = ScalarValue::try_from_array(rows.column(form.id()), row)?;
                return exec_err!("{name}: the box of id {id} is not valid: {bad}");
            }
        }
        let side = form.has_side.then(|| rows.column(0).as_boolean());
        search.run(&Group { corners: columns, side, within }, &mut |pair, boxes| {
            let [a, b] = boxes.map(|[min, max]| [min, within.reach(max)]);
            if cell.reports(a, b) { found(pair) } else { Ok(()) }
        })
    }

    /// Returns the distance, which is the same in all rows.
    fn distance(&self, column: &ArrayRef) -> Result<Distance> {
        let values = column.as_primitive::<Float64Type>();
        if values.null_count() > 0 || values.values().iter().any(|x| *x != values.value(0)) {
            return exec_err!("{}: within must be a constant", self.name);
        }
        Distance::new(self.name, values.value(0))
    }
}

impl GroupsAccumulator for Groups {
    fn update_batch(
        &mut self,
        values: &[ArrayRef],
        group_indices: &[usize],
        opt_filter: Option<&BooleanArray>,
        total_num_groups: usize,
    ) -> Result<()> {
        self.count = total_num_groups;
        let (rows, groups) = self.rows(values, group_indices, opt_filter)?;
        self.push(rows, groups);
        Ok(())
    }

    fn evaluate(&mut self, emit_to: EmitTo) -> Result<ArrayRef> {
        let (rows, ends) = self.take_sorted(emit_to)?;
        match self.form.dimensions {
            2 => self.pairs::<2>(&rows, &ends),
            _ => self.pairs::<3>(&rows, &ends),
        }
    }

    fn state(&mut self, emit_to: EmitTo) -> Result<Vec<ArrayRef>> {
        let (rows, ends) = self.take_sorted(emit_to)?;
        let field = Arc::new(Field::new_list_field(rows.data_type().clone(), true));
        let offsets = OffsetBuffer::new(ends.into());
        Ok(vec![Arc::new(ListArray::try_new(field, offsets, Arc::new(rows), None)?)])
    }

    fn merge_batch(
        &mut self,
        values: &[ArrayRef],
        groups: &[usize],
        total_num_groups: usize,
    ) -> Result<()> {
        self.count = total_num_groups;
        let lists = values[0].as_list::<i32>();
        for (list, &group) in groups.iter().enumerate() {
            if lists.is_valid(list) {
                let rows = lists.value(list).as_struct().clone();
                let numbers = vec![group as u32; rows.len()];
                self.push(rows, numbers);
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
        let (rows, kept) = self.rows(values, &all, opt_filter)?;
        let mut ends = vec![0i32; all.len() + 1];
        kept.iter().for_each(|&row| ends[row as usize + 1] = 1);
        for row in 0..all.len() {
            ends[row + 1] += ends[row];
        }
        let field = Arc::new(Field::new_list_field(rows.data_type().clone(), true));
        let offsets = OffsetBuffer::new(ends.into());
        Ok(vec![Arc::new(ListArray::try_new(field, offsets, Arc::new(rows), None)?)])
    }

    fn size(&self) -> usize {
        self.bytes
    }
}

/// The accumulator of a query without groups.
#[derive(Debug)]
pub(crate) struct OneGroup(Groups);

impl OneGroup {
    pub(crate) fn new(groups: Groups) -> Self {
        Self(groups)
    }
}

impl Accumulator for OneGroup {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let groups = vec![0; values[0].len()];
        self.0.update_batch(values, &groups, None, 1)
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        self.0.count = 1;
        let lists = self.0.evaluate(EmitTo::First(1))?;
        ScalarValue::try_from_array(&lists, 0)
    }

    fn size(&self) -> usize {
        size_of_val(self) + self.0.size()
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        self.0.count = 1;
        let states = self.0.state(EmitTo::First(1))?;
        Ok(vec![ScalarValue::try_from_array(&states[0], 0)?])
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let groups = vec![0; states[0].len()];
        self.0.merge_batch(states, &groups, 1)
    }
}
