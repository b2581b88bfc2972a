//! Common parts of the operators: each has one input and reads it partition by partition.

use std::fmt;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::{Schema, SchemaRef};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result, internal_err};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{
    Distribution, EquivalenceProperties, OrderingRequirements, PhysicalExpr,
};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet, MetricsSet};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, InputDistributionRequirements, Partitioning,
    PlanProperties,
};
use futures::TryStreamExt;
use futures::stream::BoxStream;

/// The options of an operator and its work.
pub(crate) trait Step: fmt::Debug + Clone + Send + Sync + 'static {
    const NAME: &'static str;

    fn display(&self) -> String;

    fn schema(&self, input: &Schema) -> Schema;

    /// Returns the distribution of rows that the operator needs.
    fn distribution(&self) -> Distribution {
        Distribution::UnspecifiedDistribution
    }

    /// Returns the order of rows that the operator needs in each partition.
    fn ordering(&self) -> Option<OrderingRequirements> {
        None
    }

    /// Returns whether the input may have several partitions.
    fn is_parallel(&self) -> bool {
        !matches!(self.distribution(), Distribution::SinglePartition)
    }

    fn run(&self, task: Task) -> Batches;
}

/// A partition that an operator reads.
pub(crate) struct Task {
    pub(crate) input: SendableRecordBatchStream,
    pub(crate) schema: SchemaRef,
    pub(crate) context: Arc<TaskContext>,
    pub(crate) metrics: BaselineMetrics,
}

pub(crate) type Batches = BoxStream<'static, Result<RecordBatch>>;

#[derive(Debug)]
pub(crate) struct Operator<S> {
    pub(crate) step: S,
    input: Arc<dyn ExecutionPlan>,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
}

impl<S: Step> Operator<S> {
    pub(crate) fn plan(step: S, input: Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
        let partitions = input.properties().output_partitioning().partition_count();
        let properties = Arc::new(PlanProperties::new(
            EquivalenceProperties::new(Arc::new(step.schema(&input.schema()))),
            Partitioning::UnknownPartitioning(partitions),
            EmissionType::Incremental,
            Boundedness::Bounded,
        ));
        Arc::new(Self { step, input, properties, metrics: ExecutionPlanMetricsSet::new() })
    }
}

impl<S: Step> DisplayAs for Operator<S> {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", S::NAME, self.step.display())
    }
}

impl<S: Step> ExecutionPlan for Operator<S> {
    fn name(&self) -> &str {
        S::NAME
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn input_distribution_requirements(&self) -> InputDistributionRequirements {
        InputDistributionRequirements::new(vec![self.step.distribution()])
    }

    fn required_input_ordering(&self) -> Vec<Option<OrderingRequirements>> {
        vec![self.step.ordering()]
    }

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![self.step.is_parallel()]
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(Self::plan(self.step.clone(), children.swap_remove(0)))
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
        if !self.step.is_parallel() && partitions != 1 {
            return internal_err!("{} needs all rows in one partition, not {partitions}", S::NAME);
        }
        let input = self.input.execute(partition, Arc::clone(&context))?;
        let metrics = BaselineMetrics::new(&self.metrics, partition);
        let task = Task { input, schema: self.schema(), context, metrics: metrics.clone() };
        let count = move |batch: &RecordBatch| metrics.record_output(batch.num_rows());
        let batches = self.step.run(task).inspect_ok(count);
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), batches)))
    }
}
