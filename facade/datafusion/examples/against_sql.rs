//! Compares the operator, the functions, and a join in plain SQL in one run.
//!
//! ```console
//! $ cargo run --release --features exec --example against_sql -- 1000000
//! $ cargo run --release --features exec --example against_sql -- scene.csv
//! $ cargo run --release --features exec --example against_sql -- scene.csv explain
//! ```
//!
//! A number is that of boxes with a side of 14, spread at random, one on 2,147 units of area. A
//! file of CSV has discs, balls or boxes, as `hexphase generate` writes them; coordinates are
//! converted to `f32`. All ways count the pairs of the same table of memory; a different count is
//! an error. Functions and join are run with cells of several sizes. Printed are the median of the
//! time and, on Linux, the mean of the CPU time. With `explain` the time of each operator is
//! printed instead.

use std::sync::Arc;
use std::time::Instant;

use arrow::array::{ArrayRef, Float32Array, Int64Array, RecordBatch};
use arrow::datatypes::{DataType, Field, Schema};
use datafusion::datasource::MemTable;
use datafusion::error::Result;
use datafusion::logical_expr::Partitioning;
use datafusion::prelude::{CsvReadOptions, SessionConfig, SessionContext, cast, col};

const OPERATOR: &str = "SELECT count(*) FROM overlaps(boxes)";

/// Returns the columns of boxes, minima and then maxima.
fn corners(axes: &[&str]) -> String {
    let end = |end: &str| axes.iter().map(|axis| format!("{end}_{axis}")).collect::<Vec<_>>();
    [end("min"), end("max")].concat().join(", ")
}

/// A query with the functions, for cells of this level.
fn functions(axes: &[&str], level: i32) -> String {
    let corners = corners(axes);
    format!(
        "SELECT sum(array_length(pairs)) FROM (SELECT overlaps(id, {corners}, cell) AS pairs FROM \
         (SELECT *, unnest(cells({corners}, {level})) AS cell FROM boxes) GROUP BY cell)"
    )
}

/// The usual query without this package, but for the listing of cells.
fn join(axes: &[&str], level: i32) -> String {
    let corners = corners(axes);
    let overlap =
        |axis: &&str| format!("l.min_{axis} <= r.max_{axis} AND r.min_{axis} <= l.max_{axis}");
    let overlaps = axes.iter().map(overlap).collect::<Vec<_>>().join(" AND ");
    format!(
        "WITH c AS (SELECT *, unnest(cells({corners}, {level})) AS cell FROM boxes) SELECT count(*) \
         FROM (SELECT DISTINCT l.id AS a, r.id AS b FROM c l JOIN c r ON l.cell = r.cell AND l.id < \
         r.id AND {overlaps})"
    )
}

/// Reads a file into memory. Returns its axes.
async fn read(session: &SessionContext, file: &str) -> Result<Vec<&'static str>> {
    let table = session.read_csv(file, CsvReadOptions::default()).await?;
    let has = |name: &str| table.schema().has_column_with_unqualified_name(name);
    let is_ball = has("r");
    let name = |end: &str, axis: &str| format!("{end}_{axis}");
    let mut axes = vec!["x", "y", "z"];
    axes.retain(|axis| has(axis) || has(&name("min", axis)));
    let end = |end: &'static str| axes.iter().map(move |axis| (end, *axis));
    let column = |(end, axis): (&str, &str)| {
        let one = match end {
            _ if !is_ball => col(name(end, axis)),
            "min" => col(axis) - col("r"),
            _ => col(axis) + col("r"),
        };
        cast(one, DataType::Float32).alias(name(end, axis))
    };
    let mut columns = vec![cast(col("id"), DataType::Int64).alias("id")];
    columns.extend(end("min").chain(end("max")).map(column));
    session.register_table("file", table.clone().into_view())?;
    let numbered = session.sql("SELECT row_number() OVER () AS id, * FROM file").await?;
    let boxes = numbered.select(columns)?.repartition(Partitioning::RoundRobinBatch(2))?;
    session.register_table("boxes", boxes.cache().await?.into_view())?;
    Ok(axes)
}

/// Returns the CPU time of this process in seconds, in steps of 0.01; 0 on systems without `/proc`.
fn cpu_time() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks = fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok());
    ticks.sum::<f64>() / 100.0
}

fn table(count: u32) -> Result<MemTable> {
    let side = (f64::from(count) * 2147.0).sqrt();
    let mut state = 88_172_645_463_325_252u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        ((state >> 40) as f64 / f64::from(1 << 24) * side) as f32
    };
    let names = ["id", "min_x", "min_y", "max_x", "max_y"];
    let field = |name: &str| {
        Field::new(name, if name == "id" { DataType::Int64 } else { DataType::Float32 }, false)
    };
    let schema = Arc::new(Schema::new(names.map(field).to_vec()));
    let mut batches = Vec::new();
    for first in (0..count).step_by(8192) {
        let rows = (count - first).min(8192);
        let mut columns: Vec<ArrayRef> =
            vec![Arc::new(Int64Array::from_iter_values((first..first + rows).map(i64::from)))];
        let low: [Vec<f32>; 2] = [0; 2].map(|_| (0..rows).map(|_| random()).collect());
        let high = low.clone().map(|axis| axis.into_iter().map(|x| x + 14.0).collect::<Vec<_>>());
        for axis in low.into_iter().chain(high) {
            columns.push(Arc::new(Float32Array::from(axis)));
        }
        batches.push(RecordBatch::try_new(Arc::clone(&schema), columns)?);
    }
    let half = batches.split_off(batches.len() / 2);
    MemTable::try_new(schema, vec![batches, half])
}

#[tokio::main]
async fn main() -> Result<()> {
    let input = std::env::args().nth(1).unwrap_or_else(|| "100000".into());
    let session = SessionContext::new_with_config(SessionConfig::new().with_target_partitions(2));
    hexphase_datafusion::exec::register(&session)?;
    let axes = match input.parse() {
        Ok(count) => {
            session.register_table("boxes", Arc::new(table(count)?))?;
            vec!["x", "y"]
        }
        Err(_) => read(&session, &input).await?,
    };
    if std::env::args().nth(2).is_some_and(|word| word == "explain") {
        return session.sql(&format!("EXPLAIN ANALYZE {OPERATOR}")).await?.show().await;
    }
    // The level at which the side of a cell is that of the median box.
    let side = "SELECT log2(approx_median(max_x - min_x)) FROM boxes";
    let side = session.sql(side).await?.collect().await?;
    let side = arrow::util::display::array_value_to_string(side[0].column(0), 0)?;
    let level = side.parse::<f64>().map_or(0.0, f64::round) as i32;
    let mut queries = vec![("operator".to_string(), OPERATOR.to_string())];
    for level in [5, 7, 9].map(|above| level + above) {
        queries.push((format!("functions, level {level}"), functions(&axes, level)));
    }
    for level in [0, 1, 2, 3].map(|above| level + above) {
        queries.push((format!("SQL join, level {level}"), join(&axes, level)));
    }
    let mut expected = None;
    for (name, query) in queries {
        let mut times = Vec::new();
        let cpu = cpu_time();
        while times.len() < 3 || (times.len() < 15 && times.iter().sum::<f64>() < 2.0) {
            let begun = Instant::now();
            let result = match session.sql(&query).await?.collect().await {
                Ok(result) => result,
                Err(error) => {
                    println!("{name:30} {}", error.strip_backtrace());
                    break;
                }
            };
            times.push(begun.elapsed().as_secs_f64());
            let pairs = arrow::util::display::array_value_to_string(result[0].column(0), 0)?;
            assert_eq!(*expected.get_or_insert(pairs.clone()), pairs, "{name}");
            // A slow query is run once.
            if times[0] > 20.0 {
                break;
            }
        }
        let cpu = (cpu_time() - cpu) / times.len() as f64;
        times.sort_by(f64::total_cmp);
        if let Some(median) = times.get(times.len() / 2) {
            let pairs = expected.as_deref().unwrap_or("");
            println!("{name:30} {median:8.3} s, CPU time {cpu:8.3} s, {pairs} pairs");
        }
    }
    Ok(())
}
