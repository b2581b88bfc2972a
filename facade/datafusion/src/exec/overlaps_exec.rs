//! The operator `OverlapsExec`: finds the pairs of each cell.
//!
//! Input: rows of [`CellsExec`](super::cells_exec), hashed by cell into partitions and
//! sorted by cell in each; the engine does both, and writes to disk what exceeds its memory.
//! Output: pairs.
//!
//! 1. Rows are gathered until the cell changes; memory for boxes and for the grid is reserved.
//! 2. Packed rows are unpacked: the lists of the cell, one after another, are a column of its boxes.
//! 3. [`Search`] finds the pairs of the cell. A pair is skipped unless the cell contains the low
//!    corner of the intersection. Memory for the pairs is reserved as they are found.
//! 4. The pairs are sent in batches, before the next cell is gathered. After them comes a row with
//!    the numbers of the cell, if the result is checked.
//!
//! So the operator has the memory of one cell per partition.

use std::fmt;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, BinaryArray, BooleanArray, RecordBatch, new_null_array,
};
use arrow::compute::concat_batches;
use arrow::datatypes::{DataType, Field, Schema, SchemaRef, UInt32Type};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{DataFusionError, Result};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{
    Distribution, EquivalenceProperties, LexRequirement, OrderingRequirements, PhysicalExpr,
    PhysicalSortRequirement,
};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet, MetricsSet};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    ChildrenPropertiesMode, DisplayAs, DisplayFormatType, ExecutionPlan,
    InputDistributionRequirements, Partitioning, PlanProperties, ReplaceChildrenOptions,
};
use futures::{StreamExt, stream};

use super::cells_exec::{AnyCover, types};
use super::check::{Tally, tally_schema};
use super::cover::Cover;
use crate::boxes::{Corners, Distance};
use crate::pairs::{PairIds, pair_columns};
use crate::search::{Group, Search};

/// Memory for each box of a cell, in bytes, beside four copies of its corners.
pub(crate) const BYTES_PER_BOX: usize = 100;
/// Memory for pairs is reserved for at least this number of pairs at a time.
const MIN_PAIRS_STEP: usize = 1 << 10;
/// Memory for pairs is reserved for at most this number of pairs at a time.
const MAX_PAIRS_STEP: usize = 1 << 18;

/// Finds the pairs of boxes in rows sorted by cell.
#[derive(Debug)]
pub(crate) struct OverlapsExec {
    input: Arc<dyn ExecutionPlan>,
    cover: Arc<AnyCover>,
    within: Distance,
    /// Whether the numbers of each cell are reported.
    tally: bool,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
}

impl OverlapsExec {
    /// Creates the operator.
    pub(crate) fn new(
        input: Arc<dyn ExecutionPlan>,
        cover: Arc<AnyCover>,
        within: Distance,
        tally: bool,
    ) -> Self {
        let id = types(&input.schema()).map_or(DataType::Null, |[id, _]| id.clone());
        let schema = if tally { tally_schema(&id) } else { pair_schema(&id) };
        let partitions = input.properties().output_partitioning().partition_count();
        let properties = PlanProperties::new(
            EquivalenceProperties::new(Arc::new(schema)),
            Partitioning::UnknownPartitioning(partitions),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        let (properties, metrics) = (Arc::new(properties), ExecutionPlanMetricsSet::new());
        Self { input, cover, within, tally, properties, metrics }
    }

    #[cfg(feature = "codec")]
    pub(crate) fn options(&self) -> (&AnyCover, Distance, bool) {
        (&self.cover, self.within, self.tally)
    }

    fn cell(&self) -> Arc<dyn PhysicalExpr> {
        Arc::new(Column::new("cell", 0))
    }

    fn stream<const D: usize>(
        &self,
        partition: usize,
        context: &Arc<TaskContext>,
        cover: fn(&AnyCover) -> Option<&Cover<D>>,
    ) -> Result<SendableRecordBatchStream> {
        let consumer = MemoryConsumer::new(format!("OverlapsExec[{partition}]"));
        let work = Work {
            input: self.input.execute(partition, Arc::clone(context))?,
            cover: Arc::clone(&self.cover),
            select: cover,
            within: self.within,
            tally: self.tally,
            schema: self.schema(),
            batch_size: context.session_config().batch_size(),
            rest: None,
            cell: 0,
            rows: Vec::new(),
            boxes: 0,
            search: Search::default(),
            found: None,
            parts: Vec::new(),
            part_rows: 0,
            reservation: consumer.register(context.memory_pool()),
            baseline: BaselineMetrics::new(&self.metrics, partition),
        };
        let pairs = stream::try_unfold(work, |mut work| async move {
            let batch = work.next().await?;
            Ok(batch.map(|batch| (batch, work)))
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), pairs)))
    }
}

/// Returns the schema of pairs.
pub(crate) fn pair_schema(id: &DataType) -> Schema {
    Schema::new(vec![Field::new("a", id.clone(), false), Field::new("b", id.clone(), false)])
}

impl DisplayAs for OverlapsExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OverlapsExec: cells={}, within={}", self.cover.len(), self.within.get())
    }
}

impl ExecutionPlan for OverlapsExec {
    fn name(&self) -> &str {
        "OverlapsExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn input_distribution_requirements(&self) -> InputDistributionRequirements {
        InputDistributionRequirements::new(vec![Distribution::KeyPartitioned(vec![self.cell()])])
    }

    fn required_input_ordering(&self) -> Vec<Option<OrderingRequirements>> {
        let cell = PhysicalSortRequirement::new(self.cell(), None);
        vec![LexRequirement::new([cell]).map(OrderingRequirements::new)]
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn replace_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn ExecutionPlan>>,
        _: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let cover = Arc::clone(&self.cover);
        Ok(Arc::new(Self::new(children.swap_remove(0), cover, self.within, self.tally)))
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        self.replace_children(
            children,
            ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute),
        )
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        match &*self.cover {
            AnyCover::Flat(_) => self.stream::<2>(partition, &context, |cover| match cover {
                AnyCover::Flat(cover) => Some(cover),
                AnyCover::Solid(_) => None,
            }),
            AnyCover::Solid(_) => self.stream::<3>(partition, &context, |cover| match cover {
                AnyCover::Solid(cover) => Some(cover),
                AnyCover::Flat(_) => None,
            }),
        }
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

/// Pairs of a cell that have not been sent.
struct Found {
    ids: ArrayRef,
    pairs: Vec<[u32; 2]>,
    sent: usize,
    /// Sent after the pairs.
    tally: Option<Vec<u8>>,
}

/// The state of one partition.
struct Work<const D: usize> {
    input: SendableRecordBatchStream,
    cover: Arc<AnyCover>,
    select: fn(&AnyCover) -> Option<&Cover<D>>,
    within: Distance,
    tally: bool,
    schema: SchemaRef,
    batch_size: usize,
    /// The rows of the last batch that have not been gathered.
    rest: Option<RecordBatch>,
    /// The cell whose rows are gathered.
    cell: u32,
    rows: Vec<RecordBatch>,
    /// The number of boxes in these rows.
    boxes: usize,
    search: Search<D>,
    found: Option<Found>,
    /// Pairs of cells with few pairs, for one batch.
    parts: Vec<RecordBatch>,
    part_rows: usize,
    reservation: MemoryReservation,
    baseline: BaselineMetrics,
}

impl<const D: usize> Work<D> {
    /// Returns the next batch of pairs.
    async fn next(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if self.found.is_some() {
                self.send()?;
            } else if let Some(batch) = self.rest.take() {
                self.gather(batch)?;
            } else {
                match self.input.next().await {
                    Some(batch) => self.rest = Some(batch?),
                    None if self.boxes > 0 => self.find()?,
                    None => return self.combined(),
                }
            }
            if self.part_rows >= self.batch_size {
                return self.combined();
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

    /// Finds the pairs of the gathered rows.
    fn find(&mut self) -> Result<()> {
        let timer = self.baseline.elapsed_compute().timer();
        let rows = concat_batches(&self.rows[0].schema(), &self.rows)?;
        self.rows.clear();
        let columns: Vec<ArrayRef> = rows.columns()[1..=2 * D + 1].iter().map(unpack).collect();
        let side = rows.columns().get(2 * D + 2).map(|side| repeat(side, rows.column(1)));
        let (side, corners) = (side.as_ref(), &columns[1..]);
        let ids = PairIds::new(&columns[0])?;
        let Some(cover) = (self.select)(&self.cover) else { return Ok(()) };
        let (cell, is_join) = (self.cell, side.is_some());
        let mut pairs: Vec<[u32; 2]> = Vec::new();
        let group = Group { corners, side, within: self.within };
        let reservation = &self.reservation;
        let searched = self.search.run(&group, &mut |pair, [[a, _], [b, _]]| {
            let corner =
                core::array::from_fn(|axis| if a[axis] > b[axis] { a[axis] } else { b[axis] });
            if !cover.contains(cell, corner) {
                return Ok(());
            }
            if pairs.len() == pairs.capacity() {
                let step = pairs.len().clamp(MIN_PAIRS_STEP, MAX_PAIRS_STEP);
                reservation.try_grow(step * size_of::<[u32; 2]>())?;
                pairs.reserve_exact(step);
            }
            pairs.push(pair);
            Ok(())
        });
        searched.map_err(|error| self.too_large(error, self.boxes, pairs.len()))?;
        if !is_join {
            ids.sort_ends(&mut pairs)?;
        }
        let mut tally = None;
        if self.tally {
            let boxes = Corners::<D>::new(corners)?;
            let home =
                |&row: &usize| boxes.get(row).is_ok_and(|[min, _]| cover.contains(cell, min));
            let boxes = (0..self.boxes).filter(home).count() as u64;
            let mut sums = Tally { boxes, ..Tally::default() };
            sums.add([&ids, &ids], pairs.iter().copied());
            tally = Some(sums.to_bytes(cell));
        }
        timer.done();
        self.boxes = 0;
        self.found = Some(Found { ids: Arc::clone(&columns[0]), pairs, sent: 0, tally });
        Ok(())
    }

    /// Moves pairs into a batch, until the pairs of the cell have been sent.
    fn send(&mut self) -> Result<()> {
        let Some(found) = &mut self.found else { return Ok(()) };
        let end = found.pairs.len().min(found.sent + self.batch_size - self.part_rows);
        let pairs = &found.pairs[found.sent..end];
        if !pairs.is_empty() {
            let mut columns = pair_columns(&found.ids, pairs)?;
            if self.tally {
                columns.push(new_null_array(&DataType::Binary, pairs.len()));
            }
            self.parts.push(RecordBatch::try_new(Arc::clone(&self.schema), columns)?);
            self.part_rows += pairs.len();
        }
        found.sent = end;
        if end == found.pairs.len() {
            if let Some(tally) = found.tally.take() {
                let id = new_null_array(found.ids.data_type(), 1);
                let bytes = Arc::new(BinaryArray::from_vec(vec![&tally[..]]));
                let columns: Vec<ArrayRef> = vec![Arc::clone(&id), id, bytes];
                self.parts.push(RecordBatch::try_new(Arc::clone(&self.schema), columns)?);
                self.part_rows += 1;
            }
            self.found = None;
            self.reservation.free();
        }
        Ok(())
    }

    /// Returns the moved pairs as one batch.
    fn combined(&mut self) -> Result<Option<RecordBatch>> {
        if self.parts.is_empty() {
            return Ok(None);
        }
        let batch = concat_batches(&self.schema, &self.parts)?;
        self.parts.clear();
        self.part_rows = 0;
        self.baseline.record_output(batch.num_rows());
        Ok(Some(batch))
    }
}
