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
mod options;
mod overlaps_exec;
mod sample;
mod sql;
mod table;

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::prelude::SessionContext;

pub(crate) use check::mix;
#[cfg(feature = "codec")]
pub use codec::OverlapsCodec;
pub use options::{BadRows, Columns, Options};
pub use table::{join, pairs};

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
/// use datafusion::prelude::SessionContext;
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// let session = SessionContext::new();
/// hexphase_datafusion::exec::register(&session)?;
/// let boxes = "CREATE VIEW boxes AS SELECT value AS id, value AS min_x, 0 AS min_y, \
///              value + 2 AS max_x, 1 AS max_y FROM generate_series(1, 10)";
/// session.sql(boxes).await?.collect().await?;
/// let near = session.sql("SELECT a, b FROM overlaps(boxes) WHERE a < 3 ORDER BY a, b").await?;
/// assert_eq!(near.count().await?, 4);
/// # Ok::<(), datafusion::error::DataFusionError>(())
/// # }).unwrap();
/// ```
pub fn register(session: &SessionContext) -> Result<()> {
    session.register_udf(crate::cells());
    session.register_udaf(crate::overlaps());
    session.register_udaf(crate::overlaps_between());
    let catalogs = Arc::clone(session.state().catalog_list());
    session.register_relation_planner(Arc::new(sql::OverlapsPlanner { catalogs }))
}
