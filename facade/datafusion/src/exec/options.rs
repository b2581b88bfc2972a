//! The columns of a table, and the options of a search.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use arrow::datatypes::DataType;
use datafusion::common::{DFSchema, Result, plan_err};
use datafusion::logical_expr::{Expr, ExprSchemable, ident};

use crate::boxes::{coordinate_type, id_type};

/// The expressions of a table that are ids and boxes.
///
/// ```
/// use datafusion::prelude::{col, lit};
/// use hexphase_datafusion::exec::Columns;
///
/// let boxes = Columns::new(col("id"), [col("x0"), col("y0")], [col("x1"), col("y1")]);
/// let points = Columns::new(col("name"), [col("lon"), col("lat")], [col("lon"), col("lat")]);
/// let reach = |name| col(name) + lit(2.5);
/// let balls = Columns::numbered(["x", "y", "z"].map(col), ["x", "y", "z"].map(reach));
/// # let _ = (boxes, points, balls);
/// ```
#[derive(Clone, Debug)]
pub struct Columns {
    pub(crate) id: Option<Expr>,
    pub(crate) min: Vec<Expr>,
    pub(crate) max: Vec<Expr>,
}

impl Columns {
    /// Sets ids, minima and maxima, each an expression of the table. There are two or three minima.
    #[must_use]
    pub fn new<const D: usize>(id: Expr, min: [Expr; D], max: [Expr; D]) -> Self {
        Self { id: Some(id), ..Self::numbered(min, max) }
    }

    /// Sets minima and maxima; ids are the numbers of rows, from 0.
    ///
    /// The table must be read in one partition, because other partitions have no order; otherwise
    /// the query fails.
    #[must_use]
    pub fn numbered<const D: usize>(min: [Expr; D], max: [Expr; D]) -> Self {
        Self { id: None, min: min.into(), max: max.into() }
    }

    /// Selects the columns `id`, `min_x`, `min_y`, `max_x` and `max_y`, and `min_z` and `max_z` if
    /// the table has them.
    ///
    /// # Errors
    /// If a column is missing.
    pub fn of(schema: &DFSchema) -> Result<Self> {
        let has = |name: &str| schema.has_column_with_unqualified_name(name);
        let axes = if has("min_z") || has("max_z") { &["x", "y", "z"][..] } else { &["x", "y"] };
        let column = |name: String| match has(&name) {
            true => Ok(ident(name)),
            false => plan_err!(
                "there is no column {name}; the columns are id, min_x, min_y, max_x, max_y, and \
                 in three dimensions min_z, max_z"
            ),
        };
        let end = |end: &str| -> Result<Vec<Expr>> {
            axes.iter().map(|axis| column(format!("{end}_{axis}"))).collect()
        };
        Ok(Self { id: Some(column("id".into())?), min: end("min")?, max: end("max")? })
    }

    pub(crate) fn types(&self, schema: &DFSchema) -> Result<[DataType; 2]> {
        let id = match &self.id {
            Some(id) => id_type("boxes", &id.get_type(schema)?)?,
            None => DataType::Int64,
        };
        let types = self.min.iter().chain(&self.max).map(|one| one.get_type(schema));
        let coordinate = coordinate_type("boxes", &types.collect::<Result<Vec<_>>>()?)?;
        Ok([id, coordinate])
    }

    /// Returns the expressions, cast to these types.
    pub(crate) fn cast(
        &self,
        [id, coordinate]: &[DataType; 2],
        schema: &DFSchema,
    ) -> Result<Vec<Expr>> {
        let ids = self.id.iter().map(|one| (one, id, "id".to_string()));
        let ends = [("min", &self.min), ("max", &self.max)].into_iter().flat_map(|(end, all)| {
            let axes = all.iter().enumerate();
            axes.map(move |(axis, one)| (one, coordinate, format!("{end}_{axis}")))
        });
        let columns = ids.chain(ends);
        columns.map(|(one, to, name)| Ok(one.clone().cast_to(to, schema)?.alias(name))).collect()
    }
}

/// The treatment of rows without a valid box: an id or a coordinate is null, a coordinate is NaN or
/// infinite, or a minimum is above its maximum.
#[derive(Clone, Debug, Default)]
pub enum BadRows {
    /// The query fails with an error that names the id and the reason.
    #[default]
    Refuse,
    /// The rows are left out and counted, when the query runs. The rest of the result is unchanged.
    Count(Arc<AtomicU64>),
}

/// The options of a search for pairs. The result does not depend on the sizes of cells.
///
/// ```
/// use std::sync::Arc;
/// use hexphase_datafusion::exec::{BadRows, Options};
///
/// let count = Arc::default();
/// let near = Options::new().within(0.5).bad_rows(BadRows::Count(Arc::clone(&count)));
/// // After the query, `count` has the number of rows that were left out.
/// # let _ = near;
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    pub(crate) within: f64,
    pub(crate) bad_rows: BadRows,
    pub(crate) cell_rows: usize,
    pub(crate) sample: usize,
    pub(crate) progress: Arc<AtomicU64>,
    pub(crate) checked: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            within: 0.0,
            bad_rows: BadRows::Refuse,
            cell_rows: 1 << 15,
            sample: 1 << 17,
            progress: Arc::default(),
            checked: false,
        }
    }
}

impl Options {
    /// Creates the default options: boxes that overlap, bad rows are refused, about 32,768 rows in
    /// a cell, chosen from a sample of 131,072 rows.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the distance: pairs are at most this distance apart, measured exactly between boxes, in
    /// the type of the coordinates. A negative or infinite distance is an error of the query.
    #[must_use]
    pub fn within(self, distance: f64) -> Self {
        Self { within: distance, ..self }
    }

    /// Sets the treatment of rows without a valid box.
    #[must_use]
    pub fn bad_rows(self, bad_rows: BadRows) -> Self {
        Self { bad_rows, ..self }
    }

    /// Sets the number of rows wanted in a cell. Fewer rows take less memory at a time; more rows
    /// are copied less often, because fewer boxes cross the border of a cell.
    #[must_use]
    pub fn cell_rows(self, rows: usize) -> Self {
        Self { cell_rows: rows.max(1), ..self }
    }

    /// Sets the number of rows of the sample.
    #[must_use]
    pub fn sample(self, rows: usize) -> Self {
        Self { sample: rows.max(1), ..self }
    }

    /// Sets a counter of the rows that have been read, for displays of progress.
    #[must_use]
    pub fn progress(self, rows: Arc<AtomicU64>) -> Self {
        Self { progress: rows, ..self }
    }

    /// Sets whether the result is checked, for engines of several processes: the pairs of each cell
    /// are counted and hashed where they are found, boxes are counted when the query is planned
    /// and when they are searched, and all are compared when the last pair has arrived. The query
    /// fails if a cell is missing or was searched twice, or if other pairs arrived than were found.
    /// Pairs arrive before that, so a result is right when the query has ended without an error;
    /// under a `LIMIT` nothing is checked. Tables are read once more when the query is planned, and
    /// must not change until it ends. [`BadRows::Count`] cannot be combined with it.
    #[must_use]
    pub fn checked(self, checked: bool) -> Self {
        Self { checked, ..self }
    }
}
