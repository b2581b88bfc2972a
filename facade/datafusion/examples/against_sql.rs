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

use std::time::Instant;

use arrow::util::display::array_value_to_string;
use datafusion::error::Result;
use datafusion::logical_expr::Partitioning;
use datafusion::prelude::{CsvReadOptions, SessionConfig, SessionContext};

const OPERATOR: &str = "SELECT count(*) FROM overlaps(boxes)";

/// A query with the functions, for cells of this level. `ends` are the columns of boxes.
fn functions(ends: &str, level: i32) -> String {
    format!(
        "SELECT sum(array_length(pairs)) FROM (SELECT overlaps(id, {ends}, cell) AS pairs FROM \
         (SELECT *, unnest(cells({ends}, {level})) AS cell FROM boxes) GROUP BY cell)"
    )
}

/// The usual query without this package, but for the listing of cells.
fn join(axes: &[&str], ends: &str, level: i32) -> String {
    let overlap =
        |axis: &&str| format!("l.min_{axis} <= r.max_{axis} AND r.min_{axis} <= l.max_{axis}");
    let overlaps = axes.iter().map(overlap).collect::<Vec<_>>().join(" AND ");
    format!(
        "WITH c AS (SELECT *, unnest(cells({ends}, {level})) AS cell FROM boxes) SELECT count(*) \
         FROM (SELECT DISTINCT l.id AS a, r.id AS b FROM c l JOIN c r ON l.cell = r.cell AND \
         l.id < r.id AND {overlaps})"
    )
}

/// Reads a file into memory, or makes a number of boxes. Returns their axes.
async fn read(session: &SessionContext, input: &str) -> Result<Vec<&'static str>> {
    let table = match input.parse::<u32>() {
        Ok(count) => {
            let place = format!("random() * {}", (f64::from(count) * 2147.0).sqrt());
            let discs = format!("{place} AS x, {place} AS y, 7 AS r FROM range({count})");
            session.sql(&format!("SELECT {discs}")).await?.cache().await?
        }
        Err(_) => session.read_csv(input, CsvReadOptions::default()).await?,
    };
    let has = |name: &str| table.schema().has_column_with_unqualified_name(name);
    let (is_ball, mut axes) = (has("r"), vec!["x", "y", "z"]);
    axes.retain(|axis| has(axis) || has(&format!("min_{axis}")));
    let mut columns = String::from("row_number() OVER () AS id");
    for (end, sign) in [("min", '-'), ("max", '+')] {
        for axis in &axes {
            let name = format!("{end}_{axis}");
            let one = if is_ball { format!("{axis} {sign} r") } else { name.clone() };
            columns += &format!(", CAST({one} AS REAL) AS {name}");
        }
    }
    session.register_table("file", table.into_view())?;
    let boxes = session.sql(&format!("SELECT {columns} FROM file")).await?;
    let boxes = boxes.repartition(Partitioning::RoundRobinBatch(2))?.cache().await?;
    session.register_table("boxes", boxes.into_view())?;
    Ok(axes)
}

/// Returns the CPU time of this process in seconds, in steps of 0.01; 0 on systems without `/proc`.
fn cpu_time() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks = fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok());
    ticks.sum::<f64>() / 100.0
}

async fn value(session: &SessionContext, query: &str) -> Result<String> {
    let rows = session.sql(query).await?.collect().await?;
    Ok(array_value_to_string(rows[0].column(0), 0)?)
}

#[tokio::main]
async fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let input = arguments.next().unwrap_or_else(|| "100000".into());
    let session = SessionContext::new_with_config(SessionConfig::new().with_target_partitions(2));
    hexphase_datafusion::exec::register(&session)?;
    let axes = read(&session, &input).await?;
    if arguments.next().is_some_and(|word| word == "explain") {
        return session.sql(&format!("EXPLAIN ANALYZE {OPERATOR}")).await?.show().await;
    }
    let ends = ["min", "max"].map(|end| axes.iter().map(move |axis| format!("{end}_{axis}")));
    let ends = ends.into_iter().flatten().collect::<Vec<_>>().join(", ");
    // The level at which the side of a cell is that of the median box.
    let side = value(&session, "SELECT log2(approx_median(max_x - min_x)) FROM boxes").await?;
    let level = side.parse::<f64>().map_or(0.0, f64::round) as i32;
    let mut queries = vec![("operator".to_string(), OPERATOR.to_string())];
    for level in [5, 7, 9].map(|above| level + above) {
        queries.push((format!("functions, level {level}"), functions(&ends, level)));
    }
    for level in level..level + 4 {
        queries.push((format!("SQL join, level {level}"), join(&axes, &ends, level)));
    }
    let mut expected = None;
    for (name, query) in queries {
        let (mut times, cpu) = (Vec::<f64>::new(), cpu_time());
        // A slow query is run once.
        while times.len() < 3 && times.first().is_none_or(|&time| time < 20.0)
            || times.len() < 15 && times.iter().sum::<f64>() < 2.0
        {
            let begun = Instant::now();
            let pairs = match value(&session, &query).await {
                Ok(pairs) => pairs,
                Err(error) => {
                    println!("{name:30} {}", error.strip_backtrace());
                    break;
                }
            };
            times.push(begun.elapsed().as_secs_f64());
            assert_eq!(*expected.get_or_insert(pairs.clone()), pairs, "{name}");
        }
        let cpu = (cpu_time() - cpu) / times.len() as f64;
        times.sort_by(f64::total_cmp);
        if let Some((median, pairs)) = times.get(times.len() / 2).zip(expected.as_ref()) {
            println!("{name:30} {median:8.3} s, CPU time {cpu:8.3} s, {pairs} pairs");
        }
    }
    Ok(())
}
