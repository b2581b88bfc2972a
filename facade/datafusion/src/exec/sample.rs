//! Reads a sample of the boxes of a table.
//!
//! Text files are read in 256 ranges: the first rows of each range are the sample, and one range is
//! read to its end, to estimate the number of rows. Every other table is read completely, only
//! the coordinates of its boxes, because its rows may be in spatial order; then parts of batches at
//! equal distances are the sample. Rows without a valid box are skipped.

use std::mem::take;
use std::sync::Arc;

use arrow::array::RecordBatch;
use datafusion::catalog::Session;
use datafusion::common::Result;
use datafusion::datasource::physical_plan::FileScanConfig;
use datafusion::datasource::source::DataSourceExec;
use datafusion::execution::TaskContext;
use datafusion::execution::context::SessionState;
use datafusion::execution::session_state::SessionStateBuilder;
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::{ExecutionPlan, execute_stream};
use futures::TryStreamExt;

use crate::boxes::Corners;

/// The number of ranges of text files.
const RANGES: usize = 256;
/// Rows in a batch of a range, so that the first is read soon, and in a part of other batches.
const BATCH_ROWS: usize = 512;

#[derive(Default)]
pub(crate) struct Sample {
    batches: Vec<RecordBatch>,
    /// The number of rows, exact or estimated.
    pub(crate) rows: f64,
}

impl Sample {
    /// Reads about `wanted` rows of a plan whose columns are minima and maxima. If `exact` is set,
    /// the number of rows is not estimated.
    pub(crate) async fn read(
        state: &dyn Session,
        plan: &LogicalPlan,
        wanted: usize,
        exact: bool,
    ) -> Result<Self> {
        if let Some(state) = state.as_any().downcast_ref::<SessionState>().filter(|_| !exact) {
            let mut config = state.config().clone().with_batch_size(BATCH_ROWS);
            let options = config.options_mut();
            // Otherwise an empty catalog would replace that of the session.
            options.catalog.create_default_catalog_and_schema = false;
            options.execution.target_partitions = RANGES;
            // Otherwise the range that is read to its end continues with all ranges after it.
            options.execution.enable_file_stream_work_stealing = false;
            options.optimizer.enable_round_robin_repartition = false;
            options.optimizer.repartition_file_scans = true;
            options.optimizer.repartition_file_min_size = 1;
            let state = SessionStateBuilder::new_from_existing(state.clone());
            let state = state.with_config(config).build();
            let plan = state.create_physical_plan(plan).await?;
            if reads_ranges(&plan) && plan.properties().output_partitioning().partition_count() > 16
            {
                return Self::of_ranges(plan, &state.task_ctx(), wanted).await;
            }
        }
        let plan = state.create_physical_plan(plan).await?;
        let mut sample = Self::default();
        let mut batches = execute_stream(plan, state.task_ctx())?;
        let (mut stride, mut number, mut kept) = (1, 0, 0);
        while let Some(batch) = batches.try_next().await? {
            sample.rows += batch.num_rows() as f64;
            for first in (0..batch.num_rows()).step_by(BATCH_ROWS) {
                if number % stride == 0 {
                    let rows = BATCH_ROWS.min(batch.num_rows() - first);
                    kept += rows;
                    sample.batches.push(batch.slice(first, rows));
                }
                number += 1;
            }
            while kept > 2 * wanted && sample.batches.len() > 1 {
                stride *= 2;
                sample.batches = take(&mut sample.batches).into_iter().step_by(2).collect();
                kept = sample.len();
            }
        }
        Ok(sample)
    }

    async fn of_ranges(
        plan: Arc<dyn ExecutionPlan>,
        context: &Arc<TaskContext>,
        wanted: usize,
    ) -> Result<Self> {
        let ranges = plan.properties().output_partitioning().partition_count();
        let quota = wanted.div_ceil(ranges);
        let mut sample = Self::default();
        let (mut unfinished, mut longest) = (0, quota);
        for range in 0..ranges {
            let mut batches = plan.execute(range, Arc::clone(context))?;
            let (mut read, mut finished) = (0, false);
            while !finished && (read < quota || range == ranges / 2) {
                let Some(batch) = batches.try_next().await? else {
                    finished = true;
                    continue;
                };
                if read < quota {
                    sample.batches.push(batch.slice(0, batch.num_rows().min(quota - read)));
                }
                read += batch.num_rows();
            }
            if finished {
                sample.rows += read as f64;
                longest = longest.max(read);
            } else {
                unfinished += 1;
            }
        }
        sample.rows += f64::from(unfinished) * longest as f64;
        Ok(sample)
    }

    pub(crate) fn len(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// Returns the valid boxes among every `stride`-th row, with maxima changed by `reach`.
    pub(crate) fn boxes<const D: usize>(
        &self,
        stride: usize,
        reach: impl Fn([f64; D]) -> [f64; D],
    ) -> Result<Vec<[[f64; D]; 2]>> {
        let (mut boxes, mut first) = (Vec::new(), 0);
        for batch in &self.batches {
            let corners = Corners::<D>::new(batch.columns())?;
            let rows = (first..batch.num_rows()).step_by(stride);
            first = first + rows.len() * stride - batch.num_rows();
            let valid = rows.filter_map(|row| corners.get(row).ok());
            boxes.extend(valid.map(|[min, max]| [min, reach(max)]));
        }
        Ok(boxes)
    }
}

/// Returns whether the leaf of a chain of operators reads ranges of text files.
fn reads_ranges(plan: &Arc<dyn ExecutionPlan>) -> bool {
    if let Some(source) = plan.downcast_ref::<DataSourceExec>() {
        let files = source.data_source().downcast_ref::<FileScanConfig>();
        return files
            .is_some_and(|files| matches!(files.file_source().file_type(), "csv" | "json"));
    }
    let simple = ["ProjectionExec", "FilterExec", "CooperativeExec", "CoalesceBatchesExec"];
    simple.contains(&plan.name()) && plan.children().into_iter().all(reads_ranges)
}

#[cfg(test)]
mod tests {
    use datafusion::prelude::{CsvReadOptions, SessionContext};

    use super::*;

    #[tokio::test]
    async fn the_number_of_rows_of_a_text_file_is_estimated() -> Result<()> {
        let rows: Vec<String> = (10_000..30_000).map(|x| format!("{x},0,{x},1\n")).collect();
        let path = std::env::temp_dir().join(format!("hexphase-{}.csv", std::process::id()));
        std::fs::write(&path, format!("min_x,min_y,max_x,max_y\n{}", rows.concat()))?;
        let session = SessionContext::new();
        let table = session.read_csv(&*path.to_string_lossy(), CsvReadOptions::default()).await?;
        let (state, plan) = table.into_parts();
        let sample = Sample::read(&state, &plan, 2_560, false).await;
        std::fs::remove_file(&path)?;
        let sample = sample?;
        assert!((19_000.0..21_000.0).contains(&sample.rows), "{} rows", sample.rows);
        assert!((2_000..3_000).contains(&sample.len()), "{} rows of the sample", sample.len());
        let boxes = sample.boxes::<2>(7, |max| max)?;
        assert_eq!(boxes.len(), sample.len().div_ceil(7));
        assert!(boxes.iter().all(|[min, max]| min[0] == max[0]));
        Ok(())
    }
}
