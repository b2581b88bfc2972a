//! The operator `CellsExec`: lists the cells of each box.
//!
//! Input: a table with id, minima and maxima. Output: boxes packed by cell, with the columns of
//! [`schema`]. Rows without a valid box are an error, or are left out and counted.
//!
//! 1. For each box of a batch the cells that it touches are listed; a pair of cell and box is a
//!    copy.
//! 2. A counting sort orders the copies by cell.
//! 3. The copies of one cell are packed into one row: each column is a list, and the lists of a
//!    batch share one array of offsets. So the engine distributes, sorts and merges a row where
//!    it would have some dozens, and copies their boxes as ranges.
//!
//! ```text
//! cell      1        4        5         copies sorted by cell, in a batch of the table
//! offsets   0        3        4    6
//! id        7 2 9    2        5 8
//! min_0     · · ·    ·        · ·       and so on for each coordinate
//! ```
//!
//! A packed row has at most [`MAX_PACKED`] boxes, because the engine limits its batches by their
//! number of rows. With a limit of memory boxes are not packed: then a copy is a row, in the order
//! of the input, because the engine merges what it wrote to disk in batches of 8,192 rows, whose
//! memory grows with the boxes of a row.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow::array::{
    Array, ArrayRef, BooleanArray, Int64Array, ListArray, RecordBatch, UInt32Array,
};
use arrow::buffer::OffsetBuffer;
use arrow::compute::{concat_batches, take};
use arrow::datatypes::{DataType, Field, Schema};
use datafusion::common::{Result, ScalarValue, exec_err};
use futures::stream::TryChunksError;
use futures::{StreamExt, TryStreamExt};

use super::cover::Cover;
use super::operator::{Batches, Step, Task};
use super::options::BadRows;
use crate::boxes::{Corners, Distance};

/// Maximum number of boxes in a packed row. A query of a million boxes takes 0.38, 0.22, 0.19, 0.19
/// and 0.18 s of CPU time with 1, 4, 8, 16 and 64. Batches of the engine grow with this number.
const MAX_PACKED: usize = 16;
/// Batches are packed together until rows are expected to be full, up to this number of boxes. With
/// one batch at a time, 100 million boxes in 3,050 cells have 2.7 boxes in a row.
const MAX_GATHERED: usize = 1 << 17;

/// Returns the schema of the output in `D` dimensions: the cell, id, minima and maxima, and for two
/// tables the side. In packed rows ids, minima and maxima are lists; cell and side are those of all
/// boxes of a row.
pub(crate) fn schema<const D: usize>(
    [id, coordinate]: [&DataType; 2],
    join: bool,
    packed: bool,
) -> Schema {
    let field = |name: String, one: &DataType| match packed {
        true => Field::new_list(name, Field::new_list_field(one.clone(), false), false),
        false => Field::new(name, one.clone(), false),
    };
    let mut fields = vec![Field::new("cell", DataType::UInt32, false), field("id".into(), id)];
    for end in ["min", "max"] {
        fields.extend((0..D).map(|axis| field(format!("{end}_{axis}"), coordinate)));
    }
    fields.extend(join.then(|| Field::new("side", DataType::Boolean, false)));
    Schema::new(fields)
}

/// Returns the types of ids and coordinates in rows whose ids are in column `id`, packed or not.
pub(crate) fn types(rows: &Schema, id: usize) -> Option<[&DataType; 2]> {
    let element = |at: usize| match rows.fields().get(at)?.data_type() {
        DataType::List(one) => Some(one.data_type()),
        one => Some(one),
    };
    Some([element(id)?, element(id + 1)?])
}

/// The operator. Its input has the columns id, if it has ids, minima and maxima.
#[derive(Clone, Debug)]
pub(crate) struct ListCells<const D: usize> {
    pub(crate) cover: Arc<Cover<D>>,
    pub(crate) within: Distance,
    pub(crate) bad_rows: BadRows,
    /// For one of two tables, whether it is the second.
    pub(crate) side: Option<bool>,
    /// Whether the input has no ids, so that rows are numbered.
    pub(crate) numbered: bool,
    /// Whether a row has several boxes of one cell.
    pub(crate) packed: bool,
    /// Counts rows of the input.
    pub(crate) rows: Arc<AtomicU64>,
}

impl<const D: usize> Step for ListCells<D> {
    const NAME: &'static str = "CellsExec";

    fn display(&self) -> String {
        format!("cells={}", self.cover.len())
    }

    fn schema(&self, input: &Schema) -> Schema {
        let coordinate = input.field(usize::from(!self.numbered)).data_type();
        let id = if self.numbered { &DataType::Int64 } else { input.field(0).data_type() };
        schema::<D>([id, coordinate], self.side.is_some(), self.packed)
    }

    fn is_parallel(&self) -> bool {
        // Row numbers need the rows in their order.
        !self.numbered
    }

    fn run(&self, Task { input, schema, context, metrics }: Task) -> Batches {
        let gathered =
            if self.packed { (self.cover.len() * MAX_PACKED).min(MAX_GATHERED) } else { 1 };
        let batches = gathered.div_ceil(context.session_config().batch_size().max(1));
        let (step, mut first) = (self.clone(), 0);
        let rows = input.try_chunks(batches).map(move |batches| {
            let batches = batches.map_err(|TryChunksError(_, error)| error)?;
            let _timer = metrics.elapsed_compute().timer();
            let batch = concat_batches(&batches[0].schema(), &batches)?;
            let listed = RecordBatch::try_new(Arc::clone(&schema), step.list(&batch, first)?)?;
            first += batch.num_rows() as i64;
            step.rows.fetch_add(batch.num_rows() as u64, Ordering::Relaxed);
            Ok(listed)
        });
        rows.boxed()
    }
}

impl<const D: usize> ListCells<D> {
    /// Lists the cells of each box; `first` is the number of the first row. Returns the columns of
    /// the output.
    fn list(&self, batch: &RecordBatch, first: i64) -> Result<Vec<ArrayRef>> {
        let count = batch.num_rows();
        let mut columns = batch.columns().to_vec();
        if self.numbered {
            let ids = Int64Array::from_iter_values(first..first + count as i64);
            columns.insert(0, Arc::new(ids));
        }
        let (ids, corners) = (&columns[0], Corners::<D>::new(&columns[1..])?);
        let mut cells = Vec::with_capacity(count + count / 8);
        let mut rows = Vec::with_capacity(count + count / 8);
        for row in 0..count {
            let bad = match corners.get(row) {
                Ok([min, max]) if ids.is_valid(row) => {
                    self.cover.touched(min, self.within.reach(max), |cell| cells.push(cell));
                    rows.resize(cells.len(), row as u32);
                    continue;
                }
                Ok(_) => "its id is null".to_string(),
                Err(bad) => bad.reason,
            };
            let BadRows::Count(left_out) = &self.bad_rows else {
                let id = ScalarValue::try_from_array(ids, row)?;
                return exec_err!("the box of id {id} is not valid: {bad}");
            };
            left_out.fetch_add(1, Ordering::Relaxed);
        }
        let mut offsets = None;
        if self.packed {
            let packed = pack(&cells, &rows, self.cover.len(), MAX_PACKED);
            (cells, rows, offsets) = (packed.0, packed.1, Some(packed.2));
        }
        let side = self.side.map(|side| BooleanArray::from(vec![side; cells.len()]));
        let rows = UInt32Array::from(rows);
        let mut output: Vec<ArrayRef> = vec![Arc::new(UInt32Array::from(cells))];
        for column in &columns {
            let boxes = take(column, &rows, None)?;
            let field = || Arc::new(Field::new_list_field(column.data_type().clone(), false));
            output.push(match &offsets {
                Some(ends) => Arc::new(ListArray::try_new(field(), ends.clone(), boxes, None)?),
                None => boxes,
            });
        }
        output.extend(side.map(|side| Arc::new(side) as ArrayRef));
        Ok(output)
    }
}

/// Sorts copies by cell, and packs those of a cell into rows of at most `max_packed` boxes. Returns
/// the cells of the packed rows, the rows of the boxes, and the offsets of the packed rows in them.
fn pack(
    cells: &[u32],
    rows: &[u32],
    count: usize,
    max_packed: usize,
) -> (Vec<u32>, Vec<u32>, OffsetBuffer<i32>) {
    // The first position of each cell, and, after the next loop, that of the cell after it.
    let mut ends = vec![0; count + 1];
    cells.iter().for_each(|&cell| ends[cell as usize + 1] += 1);
    (0..count).for_each(|cell| ends[cell + 1] += ends[cell]);
    let mut sorted = vec![0; rows.len()];
    for (&cell, &row) in cells.iter().zip(rows) {
        let end = &mut ends[cell as usize];
        sorted[*end] = row;
        *end += 1;
    }
    let (mut packed, mut lengths, mut first) = (Vec::new(), Vec::new(), 0);
    for (cell, &end) in (0u32..).zip(&ends[..count]) {
        while first < end {
            packed.push(cell);
            lengths.push(max_packed.min(end - first));
            first += lengths[lengths.len() - 1];
        }
    }
    (packed, sorted, OffsetBuffer::from_lengths(lengths))
}

#[cfg(test)]
mod tests {
    use super::pack;

    #[test]
    fn packed_rows_have_the_copies_of_one_cell() {
        let (cells, rows) = ([3, 0, 3, 3, 5, 0, 3, 3, 3], [0, 0, 1, 2, 2, 2, 3, 3, 4]);
        for (max_packed, packed, offsets) in [
            (1, &[0, 0, 3, 3, 3, 3, 3, 3, 5][..], &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9][..]),
            (2, &[0, 3, 3, 3, 5], &[0, 2, 4, 6, 8, 9]),
            (4, &[0, 3, 3, 5], &[0, 2, 6, 8, 9]),
            (100, &[0, 3, 5], &[0, 2, 8, 9]),
        ] {
            let found = pack(&cells, &rows, 6, max_packed);
            assert_eq!((&found.0[..], &found.2[..]), (packed, offsets));
            assert_eq!(found.1, [0, 2, 0, 1, 2, 3, 3, 4, 2]);
        }
        assert!(pack(&[], &[], 6, 4).0.is_empty());
    }
}
