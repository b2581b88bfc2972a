//! Pairs of tables of any size, in limited memory.
//!
//! ```text
//! table ─► columns of boxes ─► CellsExec ─► RepartitionExec ─► SortExec ─► OverlapsExec ─► a, b
//!            cast to one type    a row for     by the hash       by cell      pairs of one
//!                                each cell     of the cell                    cell at a time
//! ```
//!
//! When the query is planned, a sample of the table is read and space is divided into cells with
//! about equal numbers of boxes. The engine distributes and sorts the rows, and writes rows to disk
//! if its memory is exceeded. Costs and limits are in `SCALE.md`.

mod cells_exec;
mod check;
#[cfg(feature = "codec")]
mod codec;
mod cover;
mod operator;
mod options;
mod overlaps_exec;
mod sample;
mod sql;

use std::sync::Arc;

use arrow::datatypes::{DataType, SchemaRef};
use async_trait::async_trait;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::{Result, plan_err};
use datafusion::datasource::{TableType, provider_as_source};
use datafusion::execution::memory_pool::MemoryLimit;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder};
use datafusion::physical_expr::projection::ProjectionExprs;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::union::UnionExec;
use datafusion::prelude::{DataFrame, SessionContext};

use crate::boxes::Distance;
use cells_exec::ListCells;
use check::CheckPairs;
pub(crate) use check::mix;
#[cfg(feature = "codec")]
pub use codec::OverlapsCodec;
use cover::{Cover, Sizes};
use operator::Operator;
pub use options::{BadRows, Columns, Options};
use overlaps_exec::{BYTES_PER_BOX, FindPairs, pair_schema};
use sample::Sample;

/// The number of sampled boxes for each cell, if the sample has them: a box more or less changes
/// the size of a cell by 0.2 per cent.
const SAMPLE_OF_CELL: f64 = 512.0;
/// The smallest number of sampled boxes, so that crowds are found.
const MIN_SAMPLE: f64 = 16_384.0;
/// The part of the memory that one cell may take, of the part of its partition.
const CELL_SHARE: usize = 4;

/// Registers the functions of the crate and the table function `overlaps`.
///
/// `overlaps(boxes)` is the table of [`pairs`], `overlaps(boxes, others)` that of [`join`]; an
/// argument is a table, a name of a `WITH` clause, or a query in parentheses, with the columns of
/// [`Columns::of`]. Another argument is `within => distance`.
///
/// # Errors
/// If the session takes no functions.
///
/// ```
/// # use datafusion::{error::Result, prelude::SessionContext};
/// # async fn near(session: &SessionContext) -> Result<()> {
/// hexphase_datafusion::exec::register(session)?;
/// session.sql("SELECT a, b FROM overlaps(boxes, within => 2.5) ORDER BY a, b").await?.show().await
/// # }
/// ```
pub fn register(session: &SessionContext) -> Result<()> {
    crate::register(&mut session.clone())?;
    let catalogs = Arc::clone(session.state().catalog_list());
    session.register_relation_planner(Arc::new(sql::OverlapsPlanner { catalogs }))
}

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
/// # use datafusion::{error::Result, prelude::DataFrame};
/// # use hexphase_datafusion::exec::{Columns, Options, pairs};
/// # fn near(boxes: DataFrame) -> Result<DataFrame> {
/// let columns = Columns::of(boxes.schema())?;
/// pairs(boxes, &columns, Options::new().within(2.5))
/// # }
/// ```
pub fn pairs(table: DataFrame, columns: &Columns, options: Options) -> Result<DataFrame> {
    let (state, plan) = table.into_parts();
    let plan = PairTable::scan_of(vec![(plan, columns.clone())], options)?;
    Ok(DataFrame::new(state, plan))
}

/// Returns the pairs of a box of the first table and a box of the second that overlap, or are
/// within a distance, as a table with the columns `a` and `b`. Ids of the two tables may be equal;
/// they have one type, or are converted to `Int64` or `Utf8`. The rest is as for [`pairs`].
///
/// # Errors
/// As for [`pairs`], and if the numbers of dimensions differ.
///
/// ```
/// # use datafusion::{error::Result, prelude::{DataFrame, col}};
/// # use hexphase_datafusion::exec::{Columns, Options, join};
/// # fn near(ships: DataFrame, rocks: DataFrame) -> Result<DataFrame> {
/// let points = Columns::new(col("id"), [col("x"), col("y")], [col("x"), col("y")]);
/// join((ships, &points), (rocks, &points), Options::new().within(5.0))
/// # }
/// ```
pub fn join(
    first: (DataFrame, &Columns),
    second: (DataFrame, &Columns),
    options: Options,
) -> Result<DataFrame> {
    let (state, plan) = first.0.into_parts();
    let (_, other) = second.0.into_parts();
    let inputs = vec![(plan, first.1.clone()), (other, second.1.clone())];
    Ok(DataFrame::new(state, PairTable::scan_of(inputs, options)?))
}

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
    /// Returns a plan that reads the table, for one input or two.
    pub(crate) fn scan_of(
        inputs: Vec<(LogicalPlan, Columns)>,
        options: Options,
    ) -> Result<LogicalPlan> {
        let within = Distance::new("within", options.within)?;
        let dimensions = inputs[0].1.min.len();
        let mut found = Vec::new();
        for (plan, columns) in &inputs {
            let other = columns.min.len();
            if !(2..=3).contains(&other) || columns.max.len() != other || other != dimensions {
                return plan_err!(
                    "boxes have 2 or 3 dimensions, in both tables; here {dimensions} and {other}"
                );
            }
            found.push(columns.types(plan.schema())?);
        }
        if options.checked && matches!(options.bad_rows, BadRows::Count(_)) {
            return plan_err!("if a result is checked, bad rows are refused, not counted");
        }
        let types = found.into_iter().reduce(common_types);
        let types = types.unwrap_or([DataType::Int64, DataType::Float64]);
        let schema = Arc::new(pair_schema(&types[0]));
        let table = Self { inputs, options, within, types, dimensions, schema };
        LogicalPlanBuilder::scan("overlaps", provider_as_source(Arc::new(table)), None)?.build()
    }

    /// Reads samples and chooses the cells. Returns the number of rows, too, exact if the result is
    /// checked.
    async fn cover<const D: usize>(
        &self,
        state: &dyn Session,
        plans: &[LogicalPlan],
    ) -> Result<(Cover<D>, u64)> {
        let mut samples = Vec::new();
        for plan in plans {
            let columns = plan.schema().fields().len();
            let only = (columns - 2 * D..columns).collect::<Vec<_>>();
            let boxes = LogicalPlanBuilder::from(plan.clone()).select(only)?.build()?;
            let wanted = self.options.sample / plans.len();
            samples.push(Sample::read(state, &boxes, wanted, self.options.checked).await?);
        }
        let rows: f64 = samples.iter().map(|sample| sample.rows).sum();
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
        for sample in &samples {
            boxes.extend(sample.boxes(stride, |max| self.within.reach(max))?);
        }
        let sizes = Sizes {
            rows_per_sample: rows / boxes.len().max(1) as f64,
            target,
            limit: limit as f64,
        };
        Ok((Cover::new(&boxes, sizes), rows as u64))
    }

    async fn plan<const D: usize>(&self, state: &dyn Session) -> Result<Arc<dyn ExecutionPlan>> {
        let mut plans = Vec::new();
        for (plan, columns) in &self.inputs {
            let columns = columns.cast(&self.types, plan.schema())?;
            plans.push(LogicalPlanBuilder::from(plan.clone()).project(columns)?.build()?);
        }
        let (cover, boxes) = self.cover::<D>(state, &plans).await?;
        let cells = cover.len();
        let cover = Arc::new(cover);
        let limit = state.runtime_env().memory_pool.memory_limit();
        let mut rows = Vec::new();
        for (at, plan) in plans.iter().enumerate() {
            let step = ListCells {
                cover: Arc::clone(&cover),
                within: self.within,
                bad_rows: self.options.bad_rows.clone(),
                side: (plans.len() > 1).then_some(at == 1),
                numbered: self.inputs[at].1.id.is_none(),
                packed: !matches!(limit, MemoryLimit::Finite(_)),
                rows: Arc::clone(&self.options.progress),
            };
            rows.push(Operator::plan(step, state.create_physical_plan(plan).await?));
        }
        let rows = match rows.len() {
            1 => rows.swap_remove(0),
            _ => UnionExec::try_new(rows)?,
        };
        let tally = self.options.checked;
        let pairs = Operator::plan(FindPairs { cover, within: self.within, tally }, rows);
        Ok(if tally { Operator::plan(CheckPairs { cells, boxes }, pairs) } else { pairs })
    }
}

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
        let pairs = match self.dimensions {
            2 => self.plan::<2>(state).await?,
            _ => self.plan::<3>(state).await?,
        };
        let Some(columns) = projection else { return Ok(pairs) };
        let columns = ProjectionExprs::from_indices(columns, &self.schema);
        Ok(Arc::new(ProjectionExec::try_new(columns.as_ref().to_vec(), pairs)?))
    }
}
