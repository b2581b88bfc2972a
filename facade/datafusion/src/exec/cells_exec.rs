//! The operator `CellsExec`: lists the cells of each box.
//!
//! Input: a table with id, minima and maxima. Output: a row for each cell that a box touches, with
//! the columns of [`schema`]. Rows without a valid box are an error, or are left out and counted.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow::array::{Array, ArrayRef, BooleanArray, Int64Array, RecordBatch, UInt32Array};
use arrow::compute::take;
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result, ScalarValue, exec_err, internal_err};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet, MetricsSet};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    ChildrenPropertiesMode, DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning,
    PlanProperties, ReplaceChildrenOptions,
};
use futures::StreamExt;

use super::cover::Cover;
use super::options::BadRows;
use crate::boxes::{Corners, Distance};

/// A cover in two or three dimensions.
#[derive(Clone, Debug)]
pub(crate) enum AnyCover {
    Flat(Cover<2>),
    Solid(Cover<3>),
}

impl AnyCover {
    pub(crate) fn dimensions(&self) -> usize {
        match self {
            Self::Flat(_) => 2,
            Self::Solid(_) => 3,
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Flat(cover) => cover.len(),
            Self::Solid(cover) => cover.len(),
        }
    }
}

/// Returns the schema of rows in cells: cell, id, minima, maxima, and for two tables the side.
pub(crate) fn schema(
    id: &DataType,
    coordinate: &DataType,
    dimensions: usize,
    join: bool,
) -> Schema {
    let field = |name: String, one: &DataType| Field::new(name, one.clone(), false);
    let mut fields = vec![field("cell".into(), &DataType::UInt32), field("id".into(), id)];
    for end in ["min", "max"] {
        fields.extend((0..dimensions).map(|axis| field(format!("{end}_{axis}"), coordinate)));
    }
    fields.extend(join.then(|| field("side".into(), &DataType::Boolean)));
    Schema::new(fields)
}

/// The settings of the operator.
#[derive(Clone, Debug)]
pub(crate) struct CellsConfig {
    pub(crate) cover: Arc<AnyCover>,
    pub(crate) within: Distance,
    pub(crate) bad_rows: BadRows,
    /// For one of two tables, whether it is the second.
    pub(crate) side: Option<bool>,
    /// Whether the input has no ids, so that rows are numbered.
    pub(crate) numbered: bool,
    /// Counts rows of the input.
    pub(crate) rows: Arc<AtomicU64>,
}

/// Lists the cells of each box.
#[derive(Debug)]
pub(crate) struct CellsExec {
    input: Arc<dyn ExecutionPlan>,
    config: CellsConfig,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
}

impl CellsExec {
    /// Creates the operator. The input has the columns id, if it has ids, minima and maxima.
    pub(crate) fn new(input: Arc<dyn ExecutionPlan>, config: CellsConfig) -> Self {
        let of_input = input.schema();
        let first = usize::from(!config.numbered);
        let id = if config.numbered { &DataType::Int64 } else { of_input.field(0).data_type() };
        let coordinate = of_input.field(first).data_type();
        let dimensions = config.cover.dimensions();
        let schema = Arc::new(schema(id, coordinate, dimensions, config.side.is_some()));
        let partitions = input.properties().output_partitioning().partition_count();
        let properties = PlanProperties::new(
            EquivalenceProperties::new(schema),
            Partitioning::UnknownPartitioning(partitions),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        let properties = Arc::new(properties);
        Self { input, config, properties, metrics: ExecutionPlanMetricsSet::new() }
    }

    #[cfg(feature = "codec")]
    pub(crate) fn config(&self) -> &CellsConfig {
        &self.config
    }
}

impl DisplayAs for CellsExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CellsExec: cells={}", self.config.cover.len())
    }
}

impl ExecutionPlan for CellsExec {
    fn name(&self) -> &str {
        "CellsExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        vec![false]
    }

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        // Row numbers need the rows in their order.
        vec![!self.config.numbered]
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
        Ok(Arc::new(Self::new(children.swap_remove(0), self.config.clone())))
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
        let partitions = self.input.properties().output_partitioning().partition_count();
        if self.config.numbered && partitions != 1 {
            return internal_err!("rows in {partitions} partitions have no numbers");
        }
        let baseline = BaselineMetrics::new(&self.metrics, partition);
        let (config, schema) = (self.config.clone(), self.schema());
        let mut first = 0;
        let input = self.input.execute(partition, context)?;
        let rows = input.map(move |batch| {
            let batch = batch?;
            let timer = baseline.elapsed_compute().timer();
            let rows = match &*config.cover {
                AnyCover::Flat(cover) => list(&batch, cover, &config, &schema, first),
                AnyCover::Solid(cover) => list(&batch, cover, &config, &schema, first),
            }?;
            timer.done();
            first += batch.num_rows() as i64;
            config.rows.fetch_add(batch.num_rows() as u64, Ordering::Relaxed);
            baseline.record_output(rows.num_rows());
            Ok(rows)
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), rows)))
    }
}

/// Returns a row for each cell of each box.
fn list<const D: usize>(
    batch: &RecordBatch,
    cover: &Cover<D>,
    config: &CellsConfig,
    schema: &SchemaRef,
    first: i64,
) -> Result<RecordBatch> {
    let rows = batch.num_rows();
    let ids: ArrayRef = match config.numbered {
        true => Arc::new(Int64Array::from_iter_values(first..first + rows as i64)),
        false => Arc::clone(batch.column(0)),
    };
    let columns = &batch.columns()[usize::from(!config.numbered)..];
    let corners = Corners::<D>::new(columns)?;
    let mut cells = Vec::with_capacity(rows + rows / 8);
    let mut sources = Vec::with_capacity(rows + rows / 8);
    for row in 0..rows {
        let bad = match corners.get(row) {
            Ok([min, max]) if ids.is_valid(row) => {
                cover.touched(min, config.within.reach(max), |cell| cells.push(cell));
                sources.resize(cells.len(), row as u32);
                continue;
            }
            Ok(_) => "its id is null".to_string(),
            Err(bad) => bad.to_string(),
        };
        match &config.bad_rows {
            BadRows::Refuse => {
                let id = ScalarValue::try_from_array(&ids, row)?;
                return exec_err!("the box of id {id} is not valid: {bad}");
            }
            BadRows::Count(count) => {
                count.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
    let count = cells.len();
    let sources = UInt32Array::from(sources);
    let mut output: Vec<ArrayRef> =
        vec![Arc::new(UInt32Array::from(cells)), take(&ids, &sources, None)?];
    for column in columns {
        output.push(take(column, &sources, None)?);
    }
    if let Some(side) = config.side {
        output.push(Arc::new(BooleanArray::from(vec![side; count])));
    }
    Ok(RecordBatch::try_new(Arc::clone(schema), output)?)
}
