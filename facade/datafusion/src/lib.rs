//! Finds overlapping boxes in tables of [DataFusion](https://datafusion.apache.org).
//!
//! * [`cells`] and [`overlaps`], functions for SQL and data frames: the boxes of each cell are
//!   gathered in a group, and the grid of hexphase finds the pairs of each group.
#![cfg_attr(
    feature = "exec",
    doc = "* [`exec`], an operator for tables that are larger than memory: [`exec::pairs`], [`exec::join`]"
)]
#![cfg_attr(feature = "exec", doc = "  and the SQL table function `overlaps`.")]
//!
//! Each pair is reported once, whatever the number of cells and partitions: only the group whose
//! cell contains the low corner of the intersection of two boxes reports the pair.
//!
//! # Features
//!
//! * `exec`: the operator and its planner; compiles all of DataFusion.
//! * `codec`: sends the operator to other processes.
//! * `program`: the program `hexphase-datafusion`.
#![forbid(unsafe_code)]

mod boxes;
mod cells;
#[cfg(feature = "exec")]
pub mod exec;
mod overlaps;
mod search;

use std::sync::Arc;

use datafusion_common::Result;
use datafusion_expr::registry::FunctionRegistry;

pub use cells::cells;
pub use overlaps::{overlaps, overlaps_between};

/// Registers [`cells`], [`overlaps`] and [`overlaps_between`].
///
/// # Errors
/// If the registry takes no functions.
///
/// ```
/// use datafusion_expr::registry::MemoryFunctionRegistry;
///
/// // A `SessionContext` or `SessionState` of DataFusion is a registry, too.
/// let mut registry = MemoryFunctionRegistry::new();
/// hexphase_datafusion::register(&mut registry)?;
/// # Ok::<(), datafusion_common::DataFusionError>(())
/// ```
pub fn register(registry: &mut dyn FunctionRegistry) -> Result<()> {
    registry.register_udf(Arc::new(cells()))?;
    registry.register_udaf(Arc::new(overlaps()))?;
    registry.register_udaf(Arc::new(overlaps_between()))?;
    Ok(())
}
