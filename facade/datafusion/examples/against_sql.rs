//! Compares the operator, the functions, and a join in plain SQL in one run.
//!
//! ```console
//! $ cargo run --release --features exec --example against_sql -- 1000000
//! $ cargo run --release --features exec --example against_sql -- 1000000 explain
//! ```
//!
//! The boxes have a side of 14 and are spread at random, one on 2,147 units of area. All ways count
//! the pairs of the same table of memory; a different count is an error. With `explain` the time of
//! each operator is printed instead.

use std::sync::Arc;
use std::time::Instant;

use arrow::array::{ArrayRef, Float32Array, Int64Array, RecordBatch};
use arrow::datatypes::{DataType, Field, Schema};
use datafusion::datasource::MemTable;
use datafusion::error::Result;
use datafusion::prelude::{SessionConfig, SessionContext};

const OPERATOR: &str = "SELECT count(*) FROM overlaps(boxes)";

/// A query with the functions, for cells of this level.
fn functions(level: i32) -> String {
    format!(
        "SELECT sum(array_length(pairs)) FROM (SELECT overlaps(id, min_x, min_y, max_x, max_y, cell) \
         AS pairs FROM (SELECT *, unnest(cells(min_x, min_y, max_x, max_y, {level})) AS cell FROM \
         boxes) GROUP BY cell)"
    )
}

/// The usual query without this package, but for the listing of cells.
fn join(level: i32) -> String {
    format!(
        "WITH c AS (SELECT *, unnest(cells(min_x, min_y, max_x, max_y, {level})) AS cell FROM boxes) \
         SELECT count(*) FROM (SELECT DISTINCT l.id AS a, r.id AS b FROM c l JOIN c r ON l.cell = \
         r.cell AND l.id < r.id AND l.min_x <= r.max_x AND r.min_x <= l.max_x AND l.min_y <= r.max_y \
         AND r.min_y <= l.max_y)"
    )
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
    let count = std::env::args().nth(1).map_or(100_000, |text| text.parse().expect("a number"));
    let session = SessionContext::new_with_config(SessionConfig::new().with_target_partitions(2));
    hexphase_datafusion::exec::register(&session)?;
    session.register_table("boxes", Arc::new(table(count)?))?;
    if std::env::args().nth(2).is_some_and(|word| word == "explain") {
        return session.sql(&format!("EXPLAIN ANALYZE {OPERATOR}")).await?.show().await;
    }
    let mut queries = vec![("operator".to_string(), OPERATOR.to_string())];
    queries
        .extend([9, 11, 13].map(|level| (format!("functions, level {level}"), functions(level))));
    queries.extend([5, 6, 7].map(|level| (format!("SQL join, level {level}"), join(level))));
    let mut expected = None;
    for (name, query) in queries {
        let mut times = Vec::new();
        for _ in 0..3 {
            let begun = Instant::now();
            let result = session.sql(&query).await?.collect().await?;
            times.push(begun.elapsed().as_secs_f64());
            let pairs = arrow::util::display::array_value_to_string(result[0].column(0), 0)?;
            assert_eq!(*expected.get_or_insert(pairs.clone()), pairs, "{name}");
        }
        times.sort_by(f64::total_cmp);
        println!("{name:24} {:8.3} s, {} pairs", times[1], expected.as_deref().unwrap_or(""));
    }
    Ok(())
}
