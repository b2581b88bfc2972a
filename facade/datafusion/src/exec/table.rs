//! The table of pairs: plans the operators when a query reads it.

use std::sync::Arc;

use arrow::datatypes::{DataType, SchemaRef};
use async_trait::async_trait;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::{Result, plan_err};
use datafusion::dataframe::DataFrame;
use datafusion::datasource::{TableType, provider_as_source};
use datafusion::execution::memory_pool::MemoryLimit;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder};
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::projection::{ProjectionExec, ProjectionExpr};
use datafusion::physical_plan::union::UnionExec;

use super::cells_exec::{AnyCover, CellsConfig, CellsExec};
use super::check::CheckExec;
use super::cover::{Cover, Sizes};
use super::options::{BadRows, Columns, Options};
use super::overlaps_exec::{BYTES_PER_BOX, OverlapsExec, pair_schema};
use super::sample::Sample;
use crate::boxes::Distance;

/// The number of sampled boxes for each cell, if the sample has them: a box more or less changes
/// the size of a cell by 0.2 per cent.
const SAMPLE_OF_CELL: f64 = 512.0;
/// The smallest number of sampled boxes, so that crowds are found.
const MIN_SAMPLE: f64 = 16_384.0;
/// The part of the memory that one cell may take, of the part of its partition.
const CELL_SHARE: usize = 4;

/// Returns the pairs of boxes of a table that overlap, or are within a distance, as a table with
/// the columns `a` and `b`: the ids of a pair, `a` less than `b`. Each pair is in one row. The
/// order of rows is not defined; sort by `a` and `b` for canonical order.
///
/// The sample of the table is read when the query is planned. Memory is limited by the pool of the
/// session: rows are written to disk, one cell at a time is in memory in each partition.
///
/// # Errors
/// If a column is missing or has another type, or the distance is not valid. The query fails if a
/// row is refused, two boxes that overlap have one id, or one cell exceeds the memory.
///
/// ```
/// use datafusion::prelude::{SessionContext, col};
/// use hexphase_datafusion::exec::{Columns, Options, pairs};
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// let session = SessionContext::new();
/// let boxes = "SELECT * FROM (VALUES (7, 0.0, 0.0, 2.0, 2.0), (3, 1.0, 2.0, 4.0, 3.0)) \
///              AS boxes(id, min_x, min_y, max_x, max_y)";
/// let boxes = session.sql(boxes).await?;
/// let columns = Columns::of(boxes.schema())?;
/// let found = pairs(boxes, &columns, Options::new())?.sort_by(vec![col("a"), col("b")])?;
/// assert!(found.to_string().await?.contains("| 3 | 7 |"));
/// # Ok::<(), datafusion::error::DataFusionError>(())
/// # }).unwrap();
/// ```
pub fn pairs(table: DataFrame, columns: &Columns, options: Options) -> Result<DataFrame> {
    let (state, plan) = table.into_parts();
    let pairs = PairTable::new(vec![(plan, columns.clone())], options)?;
    Ok(DataFrame::new(state, pairs.into_plan()?))
}

/// Returns the pairs of a box of the first table and a box of the second that overlap, or are
/// within a distance, as a table with the columns `a` and `b`. Ids of the two tables may be equal;
/// they have one type, or are converted to `Int64` or `Utf8`. The rest is as for [`pairs`].
///
/// # Errors
/// As for [`pairs`], and if the numbers of dimensions differ.
///
/// ```
/// use datafusion::prelude::{SessionContext, col};
/// use hexphase_datafusion::exec::{Columns, Options, join};
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// let session = SessionContext::new();
/// let ships = session.sql("SELECT 1 AS id, 0.0 AS x, 0.0 AS y").await?;
/// let rocks = session.sql("SELECT 1 AS id, 3.0 AS x, 4.0 AS y").await?;
/// let points = Columns::new(col("id"), [col("x"), col("y")], [col("x"), col("y")]);
/// let near = join((ships, &points), (rocks, &points), Options::new().within(5.0))?;
/// assert_eq!(near.count().await?, 1);
/// # Ok::<(), datafusion::error::DataFusionError>(())
/// # }).unwrap();
/// ```
pub fn join(
    first: (DataFrame, &Columns),
    second: (DataFrame, &Columns),
    options: Options,
) -> Result<DataFrame> {
    let (state, plan) = first.0.into_parts();
    let (_, other) = second.0.into_parts();
    let inputs = vec![(plan, first.1.clone()), (other, second.1.clone())];
    Ok(DataFrame::new(state, PairTable::new(inputs, options)?.into_plan()?))
}

/// The pairs of one table or of two.
#[derive(Debug)]
pub(crate) struct PairTable {
    inputs: Vec<(LogicalPlan, Columns)>,
    options: Options,
    within: Distance,
    /// The types of ids and of coordinates.
    types: [DataType; 2],
    dimensions: usize,
    schema: SchemaRef,
}

impl PairTable {
    pub(crate) fn new(inputs: Vec<(LogicalPlan, Columns)>, options: Options) -> Result<Self> {
        let within = options.distance()?;
        let dimensions = inputs[0].1.min.len();
        let mut types: Option<[DataType; 2]> = None;
        for (plan, columns) in &inputs {
            let other = columns.min.len();
            if !(2..=3).contains(&other) || columns.max.len() != other || other != dimensions {
                return plan_err!(
                    "boxes have 2 or 3 dimensions, in both tables; here {dimensions} and {other}"
                );
            }
            let found = columns.types(plan.schema())?;
            types = Some(match types {
                None => found,
                Some(types) => common_types(types, found),
            });
        }
        if options.checked && matches!(options.bad_rows, BadRows::Count(_)) {
            return plan_err!("if a result is checked, bad rows are refused, not counted");
        }
        let types = types.unwrap_or([DataType::Int64, DataType::Float64]);
        let schema = Arc::new(pair_schema(&types[0]));
        Ok(Self { inputs, options, within, types, dimensions, schema })
    }

    pub(crate) fn into_plan(self) -> Result<LogicalPlan> {
        let source = provider_as_source(Arc::new(self));
        LogicalPlanBuilder::scan("overlaps", source, None)?.build()
    }

    /// Reads samples and chooses the cells. Returns the number of rows, too, exact if the result is
    /// checked.
    async fn cover(&self, state: &dyn Session, plans: &[LogicalPlan]) -> Result<(AnyCover, u64)> {
        let mut samples = Vec::new();
        let mut rows = 0.0;
        for plan in plans {
            let coordinates = plan.schema().fields().len() - 2 * self.dimensions;
            let only = (coordinates..plan.schema().fields().len()).collect::<Vec<_>>();
            let boxes = LogicalPlanBuilder::from(plan.clone()).select(only)?.build()?;
            let (wanted, exact) = (self.options.sample / plans.len(), self.options.checked);
            let sample = Sample::read(state, &boxes, wanted, exact).await?;
            rows += sample.rows;
            samples.push(sample);
        }
        let cover = match self.dimensions {
            2 => AnyCover::Flat(self.divide(state, &samples, rows)?),
            _ => AnyCover::Solid(self.divide(state, &samples, rows)?),
        };
        Ok((cover, rows as u64))
    }

    fn divide<const D: usize>(
        &self,
        state: &dyn Session,
        samples: &[Sample],
        rows: f64,
    ) -> Result<Cover<D>> {
        let partitions = state.config().target_partitions().max(1);
        let limit = match state.runtime_env().memory_pool.memory_limit() {
            MemoryLimit::Finite(bytes) => {
                let box_bytes = 2 * D * self.types[1].primitive_width().unwrap_or(8);
                bytes / partitions / CELL_SHARE / (4 * box_bytes + BYTES_PER_BOX)
            }
            _ => usize::MAX,
        };
        // A cell may have twice the rows that its sample promised.
        let target = self.options.cell_rows.min(limit / 2).max(1) as f64;
        let wanted = (rows / target * SAMPLE_OF_CELL).max(MIN_SAMPLE);
        let sampled: usize = samples.iter().map(Sample::len).sum();
        let stride = (sampled as f64 / wanted).max(1.0) as usize;
        let mut boxes = Vec::new();
        for sample in samples {
            boxes.extend(sample.boxes(stride, |max| self.within.reach(max))?);
        }
        let sizes = Sizes {
            rows_per_sample: rows / boxes.len().max(1) as f64,
            target,
            limit: limit as f64,
        };
        Ok(Cover::new(&boxes, sizes))
    }
}

/// Returns types for both tables.
fn common_types([id, coordinate]: [DataType; 2], other: [DataType; 2]) -> [DataType; 2] {
    let id = match (&id, &other[0]) {
        (one, two) if one == two => id,
        (DataType::Utf8, _) | (_, DataType::Utf8) => DataType::Utf8,
        _ => DataType::Int64,
    };
    let equal = coordinate == other[1];
    [id, if equal { coordinate } else { DataType::Float64 }]
}

#[async_trait]
impl TableProvider for PairTable {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::View
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        _: &[Expr],
        _: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let mut plans = Vec::new();
        for (plan, columns) in &self.inputs {
            let columns = columns.cast(&self.types, plan.schema())?;
            plans.push(LogicalPlanBuilder::from(plan.clone()).project(columns)?.build()?);
        }
        let (cover, boxes) = self.cover(state, &plans).await?;
        let cells = cover.len();
        let cover = Arc::new(cover);
        let is_join = plans.len() > 1;
        let limit = state.runtime_env().memory_pool.memory_limit();
        let is_limited = matches!(limit, MemoryLimit::Finite(_));
        let mut rows: Vec<Arc<dyn ExecutionPlan>> = Vec::new();
        for (at, plan) in plans.iter().enumerate() {
            let config = CellsConfig {
                cover: Arc::clone(&cover),
                within: self.within,
                bad_rows: self.options.bad_rows.clone(),
                side: is_join.then_some(at == 1),
                numbered: self.inputs[at].1.id.is_none(),
                packed: !is_limited,
                rows: Arc::clone(&self.options.progress),
            };
            let input = state.create_physical_plan(plan).await?;
            rows.push(Arc::new(CellsExec::new(input, config)));
        }
        let rows = match is_join {
            true => UnionExec::try_new(rows)?,
            false => rows.swap_remove(0),
        };
        let checked = self.options.checked;
        let mut pairs: Arc<dyn ExecutionPlan> =
            Arc::new(OverlapsExec::new(rows, cover, self.within, checked));
        if checked {
            pairs = Arc::new(CheckExec::new(pairs, cells, boxes));
        }
        let Some(projection) = projection else { return Ok(pairs) };
        let columns = projection.iter().map(|&at| {
            let name = self.schema.field(at).name();
            ProjectionExpr::new(Arc::new(Column::new(name, at)), name.clone())
        });
        Ok(Arc::new(ProjectionExec::try_new(columns, pairs)?))
    }
}
