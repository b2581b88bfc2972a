//! The operator `OverlapsExec`: finds the pairs of each cell.
//!
//! Input: rows of [`CellsExec`](super::cells_exec), hashed by cell into partitions and
//! sorted by cell in each; the engine does both, and writes to disk what exceeds its memory.
//! Output: pairs.
//!
//! 1. Rows are gathered until the cell changes; memory for boxes and for the grid is reserved.
//! 2. Packed rows are unpacked: the lists of the cell, one after another, are a column of boxes.
//! 3. [`Search`] finds the pairs of the cell. A pair is skipped unless the cell contains the low
//!    corner of the intersection. Memory for the pairs is reserved as they are found.
//! 4. The pairs are sent in batches, before the next cell is gathered. After them comes a row with
//!    the numbers of the cell, if the result is checked.
//!
//! So the operator has the memory of one cell per partition.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, BinaryArray, BooleanArray, RecordBatch, new_null_array,
};
use arrow::compute::{BatchCoalescer, concat_batches};
use arrow::datatypes::{DataType, Schema, UInt32Type};
use datafusion::common::{DataFusionError, Result};
use datafusion::execution::SendableRecordBatchStream;
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{
    Distribution, LexRequirement, OrderingRequirements, PhysicalExpr, PhysicalSortRequirement,
};
use datafusion::physical_plan::metrics::BaselineMetrics;
use futures::{StreamExt, stream};

use super::cells_exec::types;
use super::check::{Tally, tally_schema};
use super::cover::Cover;
use super::operator::{Batches, Step, Task};
use crate::boxes::{Corners, Distance};
use crate::search::{Group, PairIds, Search, low_corner, pair_columns, pair_fields};

/// Memory for each box of a cell, in bytes, beside four copies of its corners.
pub(crate) const BYTES_PER_BOX: usize = 100;

#[derive(Clone, Debug)]
pub(crate) struct FindPairs<const D: usize> {
    pub(crate) cover: Arc<Cover<D>>,
    pub(crate) within: Distance,
    /// Whether the numbers of each cell are reported.
    pub(crate) tally: bool,
}

pub(crate) fn pair_schema(id: &DataType) -> Schema {
    Schema::new(pair_fields(id))
}

fn cell() -> Arc<dyn PhysicalExpr> {
    Arc::new(Column::new("cell", 0))
}

impl<const D: usize> Step for FindPairs<D> {
    const NAME: &'static str = "OverlapsExec";

    fn display(&self) -> String {
        format!("cells={}, within={}", self.cover.len(), self.within.get())
    }

    fn schema(&self, input: &Schema) -> Schema {
        let id = types(input, 1).map_or(&DataType::Null, |[id, _]| id);
        if self.tally { tally_schema(id) } else { pair_schema(id) }
    }

    fn distribution(&self) -> Distribution {
        Distribution::KeyPartitioned(vec![cell()])
    }

    fn ordering(&self) -> Option<OrderingRequirements> {
        let cell = PhysicalSortRequirement::new(cell(), None);
        LexRequirement::new([cell]).map(OrderingRequirements::new)
    }

    fn run(&self, Task { input, schema, context, metrics }: Task) -> Batches {
        let batch_size = context.session_config().batch_size().max(1);
        let work = Work {
            step: self.clone(),
            input,
            rest: None,
            cell: 0,
            rows: Vec::new(),
            boxes: 0,
            search: Search::default(),
            found: None,
            output: BatchCoalescer::new(schema, batch_size),
            batch_size,
            reservation: MemoryConsumer::new(Self::NAME).register(context.memory_pool()),
            metrics,
        };
        let pairs = stream::try_unfold(work, |mut work| async move {
            let batch = work.next().await?;
            Ok(batch.map(|batch| (batch, work)))
        });
        pairs.boxed()
    }
}

/// Returns the elements of lists, one list after another; a column without lists is not changed.
fn unpack(column: &ArrayRef) -> ArrayRef {
    let Some(lists) = column.as_list_opt::<i32>() else { return Arc::clone(column) };
    let offsets = lists.value_offsets();
    let [first, last] = [offsets[0], offsets[lists.len()]].map(|at| at as usize);
    lists.values().slice(first, last - first)
}

/// Returns the side of each row once for each of its boxes.
fn repeat(side: &ArrayRef, column: &ArrayRef) -> BooleanArray {
    let side = side.as_boolean();
    let Some(lists) = column.as_list_opt::<i32>() else { return side.clone() };
    let rows = lists.value_offsets().windows(2).enumerate();
    rows.flat_map(|(row, ends)| (ends[0]..ends[1]).map(move |_| Some(side.value(row)))).collect()
}

struct Work<const D: usize> {
    step: FindPairs<D>,
    input: SendableRecordBatchStream,
    /// The rows of the last batch that have not been gathered.
    rest: Option<RecordBatch>,
    /// The cell whose rows are gathered.
    cell: u32,
    rows: Vec<RecordBatch>,
    /// The number of boxes in these rows.
    boxes: usize,
    search: Search<D>,
    /// The batches of pairs of a cell that have not been sent.
    found: Option<Box<dyn Iterator<Item = Result<RecordBatch>> + Send>>,
    /// Joins the pairs of cells with few pairs into one batch.
    output: BatchCoalescer,
    batch_size: usize,
    reservation: MemoryReservation,
    metrics: BaselineMetrics,
}

impl<const D: usize> Work<D> {
    async fn next(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some(batch) = self.output.next_completed_batch() {
                return Ok(Some(batch));
            } else if let Some(found) = &mut self.found {
                match found.next() {
                    Some(pairs) => self.output.push_batch(pairs?)?,
                    None => {
                        self.found = None;
                        self.reservation.free();
                    }
                }
            } else if let Some(batch) = self.rest.take() {
                self.gather(batch)?;
            } else if let Some(batch) = self.input.next().await {
                self.rest = Some(batch?);
            } else if self.boxes > 0 {
                self.find()?;
            } else {
                self.output.finish_buffered_batch()?;
                return Ok(self.output.next_completed_batch());
            }
        }
    }

    /// Gathers the rows of one cell. If the batch begins with another cell, the pairs of the cell
    /// before it are found first.
    fn gather(&mut self, batch: RecordBatch) -> Result<()> {
        let cells = batch.column(0).as_primitive::<UInt32Type>().values();
        let Some(&cell) = cells.first() else { return Ok(()) };
        if self.boxes > 0 && cell != self.cell {
            self.rest = Some(batch);
            return self.find();
        }
        self.cell = cell;
        let end = cells.partition_point(|&one| one == cell);
        let minima = unpack(&batch.column(2).slice(0, end));
        let (boxes, corner) = (minima.len(), minima.data_type().primitive_width());
        let corner_bytes = 2 * D * corner.unwrap_or(8);
        let grown = self.reservation.try_grow(boxes * (4 * corner_bytes + BYTES_PER_BOX));
        grown.map_err(|error| self.too_large(error, self.boxes + boxes, 0))?;
        self.boxes += boxes;
        if end < batch.num_rows() {
            self.rest = Some(batch.slice(end, batch.num_rows() - end));
        }
        self.rows.push(batch.slice(0, end));
        Ok(())
    }

    /// Explains which cell exceeds the memory.
    fn too_large(&self, error: DataFusionError, boxes: usize, pairs: usize) -> DataFusionError {
        error.context(format!("cell {} has {boxes} boxes and {pairs} pairs or more", self.cell))
    }

    fn find(&mut self) -> Result<()> {
        let _timer = self.metrics.elapsed_compute().timer();
        let rows = concat_batches(&self.rows[0].schema(), &self.rows)?;
        self.rows.clear();
        let columns: Vec<ArrayRef> = rows.columns()[1..=2 * D + 1].iter().map(unpack).collect();
        let side = rows.columns().get(2 * D + 2).map(|side| repeat(side, rows.column(1)));
        let (order, corners) = (PairIds::new(&columns[0])?, &columns[1..]);
        let cell = self.cell;
        let FindPairs { cover, within, tally } = &self.step;
        let mut pairs: Vec<[u32; 2]> = Vec::new();
        let group = Group { corners, side: side.as_ref(), within: *within };
        let reservation = &self.reservation;
        let searched = self.search.run(&group, &mut |pair, boxes| {
            if !cover.contains(cell, low_corner(boxes)) {
                return Ok(());
            }
            if pairs.len() == pairs.capacity() {
                // The number of pairs for which memory is reserved at a time.
                let step = pairs.len().clamp(1 << 10, 1 << 18);
                reservation.try_grow(step * size_of::<[u32; 2]>())?;
                pairs.reserve_exact(step);
            }
            pairs.push(pair);
            Ok(())
        });
        searched.map_err(|error| self.too_large(error, self.boxes, pairs.len()))?;
        if side.is_none() {
            order.sort_ends(&mut pairs)?;
        }
        let (ids, schema) = (Arc::clone(&columns[0]), self.output.schema());
        let mut last: Option<Result<_>> = None;
        if *tally {
            let boxes = Corners::<D>::new(corners)?;
            let is_home = |row| boxes.get(row).is_ok_and(|[min, _]| cover.contains(cell, min));
            let boxes = (0..self.boxes).filter(|&row| is_home(row)).count() as u64;
            let mut sums = Tally { boxes, ..Tally::default() };
            sums.add([&order; 2], pairs.iter().copied());
            let id = new_null_array(ids.data_type(), 1);
            let bytes = Arc::new(BinaryArray::from_vec(vec![&sums.to_bytes(cell)[..]]));
            let columns: Vec<ArrayRef> = vec![Arc::clone(&id), id, bytes];
            last = Some(Ok(RecordBatch::try_new(Arc::clone(&schema), columns)?));
        }
        let (size, tally) = (self.batch_size, *tally);
        let batches = (0..pairs.len()).step_by(size).map(move |first| -> Result<_> {
            let part = &pairs[first..pairs.len().min(first + size)];
            let mut columns = pair_columns(&ids, part)?;
            columns.extend(tally.then(|| new_null_array(&DataType::Binary, part.len())));
            Ok(RecordBatch::try_new(Arc::clone(&schema), columns)?)
        });
        self.boxes = 0;
        self.found = Some(Box::new(batches.chain(last)));
        Ok(())
    }
}
