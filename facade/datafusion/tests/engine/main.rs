//! Queries on DataFusion, compared with brute force.

mod codec;
mod functions;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use arrow::array::{ArrayRef, AsArray, Float64Array, Int64Array, RecordBatch};
use arrow::datatypes::Int64Type;
use datafusion::datasource::MemTable;
use datafusion::error::Result;
use datafusion::execution::memory_pool::FairSpillPool;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::prelude::{DataFrame, SessionConfig, SessionContext, col, lit};
use hexphase_datafusion::exec::{BadRows, Columns, Options, join, pairs};

/// An id, minimum and maximum on three axes.
type Row = (i64, [f64; 3], [f64; 3]);

/// A pseudo-random sequence (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 8) % end
    }
}

/// Half of all boxes are in one place of one cell, and one box is over everything.
fn skewed(count: i64) -> Vec<Row> {
    let mut random = Random(9);
    let one = |id: i64| {
        let side = if id % 2 == 0 { 4_000 } else { 40_000 };
        let mut min = [0.0; 3].map(|_: f64| random.below(side) as f64 / 4.0);
        min[2] %= 8.0;
        (id * 7 - 100, min, min.map(|x| x + random.below(40) as f64 / 4.0))
    };
    let mut rows: Vec<Row> = (1..count).map(one).collect();
    rows.push((-5_000, [-1e6; 3], [1e6; 3]));
    // Any order of rows.
    rows.sort_by_key(|row| row.0.wrapping_mul(0x9e37_79b9) % 65_537);
    rows
}

fn gap(a: &Row, b: &Row, dimensions: usize) -> f64 {
    let along = |axis: usize| (a.1[axis] - b.2[axis]).max(b.1[axis] - a.2[axis]).max(0.0);
    (0..dimensions).map(|axis| along(axis).powi(2)).sum()
}

/// Returns the pairs of two tables, sorted.
fn between(first: &[Row], second: &[Row], within: f64, dimensions: usize) -> Vec<[i64; 2]> {
    let mut found = Vec::new();
    for a in first {
        let near = second.iter().filter(|b| gap(a, b, dimensions) <= within * within);
        found.extend(near.map(|b| [a.0, b.0]));
    }
    found.sort_unstable();
    found
}

/// Returns the pairs of one table, sorted.
fn brute(rows: &[Row], within: f64, dimensions: usize) -> Vec<[i64; 2]> {
    let mut found = between(rows, rows, within, dimensions);
    found.retain(|[a, b]| a < b);
    found
}

/// A table of memory with several partitions.
fn table(session: &SessionContext, rows: &[Row]) -> Result<DataFrame> {
    let batch = |rows: &[Row]| {
        let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(rows.iter().map(|row| row.0)));
        let end = |at: usize| -> ArrayRef {
            let value = |row: &Row| if at < 3 { row.1[at] } else { row.2[at - 3] };
            Arc::new(Float64Array::from_iter_values(rows.iter().map(value)))
        };
        let names = ["min_x", "min_y", "min_z", "max_x", "max_y", "max_z"].into_iter();
        let ends = names.enumerate().map(|(at, name)| (name, end(at), true));
        RecordBatch::try_from_iter_with_nullable([("id", ids, true)].into_iter().chain(ends))
    };
    let parts = rows.chunks(rows.len().div_ceil(3).max(1));
    let parts = parts.map(|rows| rows.chunks(500).map(batch).collect());
    let parts = parts.collect::<std::result::Result<Vec<Vec<_>>, _>>()?;
    session.read_table(Arc::new(MemTable::try_new(batch(&[])?.schema(), parts)?))
}

fn session(partitions: usize, memory: Option<usize>) -> Result<SessionContext> {
    let mut config = SessionConfig::new().with_target_partitions(partitions);
    config.options_mut().execution.sort_spill_reservation_bytes = 1 << 16;
    let mut runtime = RuntimeEnvBuilder::new();
    if let Some(bytes) = memory {
        config = config.with_batch_size(1024);
        runtime = runtime.with_memory_pool(Arc::new(FairSpillPool::new(bytes)));
    }
    let session = SessionContext::new_with_config_rt(config, runtime.build_arc()?);
    hexphase_datafusion::exec::register(&session)?;
    Ok(session)
}

/// Returns the pairs of a table with the columns `a` and `b`, sorted.
async fn sorted(found: DataFrame) -> Result<Vec<[i64; 2]>> {
    let mut pairs = Vec::new();
    for batch in found.collect().await? {
        let [a, b] = [0, 1].map(|at| batch.column(at).as_primitive::<Int64Type>().values());
        pairs.extend(a.iter().zip(b).map(|(&a, &b)| [a, b]));
    }
    pairs.sort_unstable();
    Ok(pairs)
}

/// Returns the error of a query.
async fn error(session: &SessionContext, sql: &str) -> String {
    let rows = match session.sql(sql).await {
        Ok(query) => query.collect().await,
        Err(error) => Err(error),
    };
    rows.unwrap_err().to_string()
}

fn flat() -> Columns {
    Columns::new(col("id"), ["min_x", "min_y"].map(col), ["max_x", "max_y"].map(col))
}

#[tokio::test]
async fn any_number_of_partitions_and_cells_finds_the_pairs_of_brute_force() -> Result<()> {
    let rows = skewed(1_500);
    for within in [0.0, 1.5] {
        let expected = [2, 3].map(|dimensions| brute(&rows, within, dimensions));
        for (partitions, cell_rows) in [(1, 1 << 20), (1, 20), (2, 100), (7, 30), (64, 50)] {
            let session = session(partitions, None)?;
            let boxes = table(&session, &rows)?;
            let options = Options::new().within(within).cell_rows(cell_rows);
            let found = pairs(boxes.clone(), &flat(), options.clone())?;
            assert_eq!(sorted(found).await?, expected[0], "{partitions} partitions");
            let solid = Columns::of(boxes.schema())?;
            let found = pairs(boxes, &solid, options)?;
            assert_eq!(sorted(found).await?, expected[1], "{partitions} partitions, 3-D");
        }
    }
    Ok(())
}

#[tokio::test]
async fn joins_find_the_pairs_of_two_tables() -> Result<()> {
    let (first, second) = (skewed(700), skewed(400));
    let expected = between(&first, &second, 0.5, 2);
    for partitions in [1, 7] {
        let session = session(partitions, None)?;
        let tables = [table(&session, &first)?, table(&session, &second)?];
        let [a, b] = tables.clone().map(|table| (table, flat()));
        let options = Options::new().within(0.5).cell_rows(40);
        let found = join((a.0, &a.1), (b.0, &b.1), options)?;
        assert_eq!(sorted(found).await?, expected);
        let [a, b] = tables.map(|table| table.drop_columns(&["min_z", "max_z"]));
        session.register_table("a", a?.into_view())?;
        session.register_table("b", b?.into_view())?;
        let sql = "SELECT p.a, p.b FROM overlaps(a, b, within => 0.5) AS p";
        assert_eq!(sorted(session.sql(sql).await?).await?, expected);
    }
    Ok(())
}

#[tokio::test]
async fn little_memory_is_enough_for_many_rows_and_too_little_is_an_error() -> Result<()> {
    let rows = skewed(20_000);
    let found = async |memory: usize| {
        let boxes = table(&session(2, Some(memory))?, &rows)?;
        let columns = Columns::of(boxes.schema())?;
        pairs(boxes, &columns, Options::new().cell_rows(1 << 20))?.count().await
    };
    let all = found(1 << 30).await?;
    assert!(all > 20_000);
    assert_eq!(found(2 << 20).await?, all, "cells are smaller than asked");
    let error = found(300 << 10).await.unwrap_err().to_string();
    assert!(error.contains("Resources exhausted") || error.contains("memory"), "{error}");
    Ok(())
}

#[tokio::test]
async fn bad_rows_are_refused_by_id_or_counted() -> Result<()> {
    let session = session(2, None)?;
    let mut rows = skewed(50);
    let expected = brute(&rows, 0.0, 3);
    let bad: [(Row, &str); 3] = [
        ((90_001, [f64::NAN; 3], [1.0; 3]), "axis x is NaN"),
        ((90_002, [0.0, 5.0, 0.0], [1.0; 3]), "minimum 5 is above maximum 1 on axis y"),
        ((90_003, [0.0; 3], [f64::INFINITY; 3]), "axis x is inf"),
    ];
    let columns = Columns::of(table(&session, &rows)?.schema())?;
    for (row, reason) in bad {
        let boxes = table(&session, &[&rows[..20], &[row]].concat())?;
        let error = pairs(boxes, &columns, Options::new())?.collect().await.unwrap_err();
        let error = error.to_string();
        assert!(error.contains(&format!("id {}", row.0)) && error.contains(reason), "{error}");
    }
    rows.extend(bad.map(|(row, _)| row));
    let null = "SELECT 7 AS id, NULL AS min_x, 0 AS min_y, 0 AS min_z, 1 AS max_x, 1 AS max_y, 1 \
         AS max_z";
    let boxes = table(&session, &rows)?.union(session.sql(null).await?)?;
    let count = Arc::default();
    let options = Options::new().bad_rows(BadRows::Count(Arc::clone(&count)));
    assert_eq!(sorted(pairs(boxes, &columns, options)?).await?, expected);
    assert_eq!(count.load(Ordering::Relaxed), 4);
    Ok(())
}

#[tokio::test]
async fn ids_are_numbers_of_any_type_or_texts() -> Result<()> {
    let session = session(2, None)?;
    let boxes = "CREATE VIEW boxes AS SELECT arrow_cast(value, 'UInt16') AS id, value AS min_x, 0 \
         AS min_y, value + 1 AS max_x, 1 AS max_y FROM generate_series(1, 12)";
    session.sql(boxes).await?.collect().await?;
    let numbers = session.sql("SELECT * FROM overlaps(boxes) ORDER BY a DESC LIMIT 1").await?;
    assert!(numbers.to_string().await?.contains("| 11 | 12 |"));
    let texts = "WITH t AS (SELECT 'n' || id AS id, min_x, min_y, max_x, max_y FROM boxes) SELECT \
         a, b FROM overlaps(t) ORDER BY a, b";
    let texts = session.sql(texts).await?.collect().await?;
    let first = texts[0].column(0).as_string::<i32>();
    // n10 is before n9, so the pair of 9 and 10 begins with n10.
    assert_eq!(first.iter().flatten().filter(|id| *id == "n10").count(), 2);
    let again =
        "SELECT count(*) FROM overlaps((SELECT * FROM boxes UNION ALL SELECT * FROM boxes))";
    let error = error(&session, again).await;
    assert!(error.contains("two boxes have the id"), "{error}");
    Ok(())
}

#[tokio::test]
async fn mistakes_are_clear_errors() -> Result<()> {
    let plain = SessionContext::new();
    let boxes =
        "CREATE VIEW boxes AS SELECT 1 AS id, 0 AS min_x, 0 AS min_y, 1 AS max_x, 1 AS max_y";
    plain.sql(boxes).await?.collect().await?;
    for (sql, text) in
        [("SELECT a FROM overlaps(boxes)", "overlaps"), ("SELECT cells(0, 0, 1, 1, 5)", "cells")]
    {
        assert!(error(&plain, sql).await.contains(text), "a function that is not registered");
    }
    let session = session(1, None)?;
    session.sql(boxes).await?.collect().await?;
    session.sql("CREATE VIEW ids AS SELECT 1 AS id").await?.collect().await?;
    for (sql, text) in [
        ("SELECT * FROM overlaps()", "0 tables were given"),
        ("SELECT * FROM overlaps(boxes, nothing)", "nothing"),
        ("SELECT * FROM overlaps(boxes, 7)", "7 is not a table"),
        ("SELECT * FROM overlaps(boxes, within => -1)", "finite and not negative"),
        ("SELECT * FROM overlaps(boxes, within => 'far')", "far"),
        ("SELECT * FROM overlaps(boxes, beside => 1)", "unknown argument"),
        ("SELECT * FROM overlaps(ids)", "there is no column min_x"),
        ("SELECT cells(0, 0, 1, 1)", "4 were given"),
        ("SELECT overlaps(1, 2)", "2 arguments were given"),
        ("SELECT overlaps(true, 0, 0, 1, 1, 0)", "ids are integers or texts"),
    ] {
        let error = error(&session, sql).await;
        assert!(error.contains(text), "{sql}: {error}");
    }
    let boxes = session.table("boxes").await?;
    let text = Columns::new(col("id"), [lit("a"), lit("b")], [lit("a"), lit("b")]);
    let error = pairs(boxes, &text, Options::new()).unwrap_err().to_string();
    assert!(error.contains("coordinates are numbers"), "{error}");
    Ok(())
}
