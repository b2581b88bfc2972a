//! The client: plans a query, and receives and checks its pairs.

use std::io::{BufWriter, Write, stdout};
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use datafusion::arrow::csv::WriterBuilder;
use datafusion::catalog::Session;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::context::QueryPlanner;
use datafusion::execution::{SessionState, SessionStateBuilder};
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::{ExecutionPlan, displayable};
use datafusion::physical_planner::{DefaultPhysicalPlanner, PhysicalPlanner};
use datafusion::prelude::{CsvReadOptions, ParquetReadOptions, SessionConfig, SessionContext, col};
use datafusion_distributed::{
    ChannelResolver, DistributedExt, SessionStateBuilderExt, WorkerResolver, display_plan_ascii,
};
use hexphase_datafusion::exec::{Columns, Options, OverlapsCodec, pairs};
use url::Url;

use crate::Query;
use crate::worker::Channels;

struct Workers(Vec<Url>);

impl WorkerResolver for Workers {
    fn get_urls(&self) -> Result<Vec<Url>> {
        Ok(self.0.clone())
    }
}

/// Plans a query for one process; `datafusion-distributed` then distributes the whole plan.
/// Otherwise it would also distribute the plans of the tables that are inputs of the operators,
/// each on its own.
#[derive(Debug)]
struct OneProcess(SessionState);

#[async_trait]
impl QueryPlanner for OneProcess {
    async fn create_physical_plan(
        &self,
        plan: &LogicalPlan,
        _: &dyn Session,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        DefaultPhysicalPlanner::default().create_physical_plan(plan, &self.0).await
    }
}

/// Creates a session that runs queries on workers, or in this process if there are none.
fn session(query: &Query) -> Result<SessionContext> {
    let mut config = SessionConfig::new().with_target_partitions(query.partitions.max(1));
    let options = config.options_mut();
    options.execution.collect_statistics = false;
    // Small files are distributed, too.
    options.optimizer.repartition_file_min_size = 1;
    let state = || SessionStateBuilder::new().with_config(config.clone()).with_default_features();
    let local = state().build();
    if query.workers.is_empty() {
        return Ok(SessionContext::new_with_state(local));
    }
    let state = state()
        .with_query_planner(Arc::new(OneProcess(local)))
        .with_distributed_planner()
        .with_distributed_worker_resolver(Workers(query.workers.clone()))
        .with_distributed_channel_resolver(Channels::default())
        .with_distributed_user_codec(OverlapsCodec)
        // A stage has a task on each worker.
        .with_distributed_file_scan_config_bytes_per_partition(1)?
        .build();
    Ok(SessionContext::new_with_state(state))
}

/// Runs a query and prints its pairs.
///
/// # Errors
/// If a worker cannot be reached or ends, or the result is not complete.
pub(crate) async fn run(query: &Query) -> Result<()> {
    let begun = Instant::now();
    let session = session(query)?;
    let path = query.file.to_string_lossy();
    let boxes = match path.ends_with(".parquet") {
        true => session.read_parquet(&*path, ParquetReadOptions::default()).await?,
        false => session.read_csv(&*path, CsvReadOptions::default()).await?,
    };
    let columns = Columns::of(boxes.schema())?;
    let options = Options::new().within(query.within).checked(true);
    let found = pairs(boxes, &columns, options)?.sort_by(vec![col("a"), col("b")])?;
    if query.plan {
        let plan = found.create_physical_plan().await?;
        match query.workers.is_empty() {
            true => println!("{}", displayable(&*plan).indent(false)),
            false => println!("{}", display_plan_ascii(&*plan, false)),
        }
        return Ok(());
    }
    // Nothing is printed before the query has ended without an error.
    let batches = match found.collect().await {
        Ok(batches) => batches,
        Err(error) => return Err(explain(error, &query.workers).await),
    };
    let mut out = WriterBuilder::new().with_header(false).build(BufWriter::new(stdout().lock()));
    let mut count = 0;
    for batch in &batches {
        out.write(batch)?;
        count += batch.num_rows();
    }
    out.into_inner().flush()?;
    let (workers, seconds) = (query.workers.len(), begun.elapsed().as_secs_f64());
    eprintln!("hexphase-cluster: {count} pairs, checked, {workers} workers, {seconds:.2} s");
    Ok(())
}

/// Names the workers that do not answer, which are the probable cause of an error.
///
/// The connections of a process that is killed are closed one after another, so a worker may accept
/// a connection after its query has failed. So the workers are tested several times.
async fn explain(error: DataFusionError, workers: &[Url]) -> DataFusionError {
    for pause in [0, 50, 100, 200] {
        tokio::time::sleep(Duration::from_millis(pause)).await;
        let (channels, mut gone) = (Channels::default(), Vec::new());
        for worker in workers {
            if channels.get_worker_client_for_url(worker).await.is_err() {
                gone.push(worker.as_str());
            }
        }
        if !gone.is_empty() {
            let gone = gone.join(", ");
            return error.context(format!("there is no result: no answer from {gone}"));
        }
    }
    error
}
