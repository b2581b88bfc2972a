//! The functions in SQL, compared with brute force: random boxes of very different sizes, lists of
//! levels, distances, one table and two, and all ways in which the engine makes and merges states.

use datafusion::error::Result;
use datafusion::physical_plan::displayable;

use super::{Random, Row, between, brute, error, session, sorted, table};

/// Random boxes.
fn boxes(random: &mut Random, max_count: u64) -> Vec<Row> {
    let count = 1 + random.below(max_count) as i64;
    let one = |id| {
        // Quarters, so that boxes touch; one of 8 is a giant, one of 8 a point.
        let size = [0, 40, 40, 40, 40, 40, 40, 1_000][random.below(8) as usize];
        let min = [0.0; 3].map(|_: f64| random.below(800) as f64 / 4.0 - 100.0);
        (id, min, min.map(|x| x + random.below(size + 1) as f64 / 4.0))
    };
    (0..count).map(one).collect()
}

/// Returns a query for the pairs of the table `boxes`, or of it and `others`. `tail` follows the
/// list of cells.
fn query(ends: &str, levels: &str, within: Option<f64>, is_join: bool, tail: &str) -> String {
    let within = within.map_or(String::new(), |within| format!(", {within:?}"));
    let both = "(SELECT false AS side, * FROM boxes UNION ALL SELECT true, * FROM others)";
    let join = ("overlaps_between", "side, ", both);
    let (function, side, boxes) = if is_join { join } else { ("overlaps", "", "boxes") };
    format!(
        "SELECT pair['a'], pair['b'] FROM (SELECT unnest({function}({side}id, {ends}, \
         cell{within})) AS pair FROM (SELECT * FROM (SELECT *, unnest(cells({ends}, \
         {levels}{within})) AS cell FROM {boxes}) {tail}) GROUP BY cell)"
    )
}

#[tokio::test]
async fn functions_find_the_pairs_of_brute_force_and_each_once() -> Result<()> {
    let calls = [
        (2, "3"),
        (2, "[0, 4, 11]"),
        (3, "[5]"),
        (3, "[2, 6, 9]"),
        // Cells so small that the coordinates are out of their range.
        (2, "[-19, -8, 3, 10]"),
    ];
    for seed in 0..6 {
        let session = session([3, 3, 1][seed % 3], None)?;
        // States of partitions are merged; of single rows, after the first batch; or groups are
        // complete one after another.
        if seed % 3 == 1 {
            for option in ["rows_threshold = 0", "ratio_threshold = 0.0"] {
                let option = format!("skip_partial_aggregation_probe_{option}");
                session.sql(&format!("SET datafusion.execution.{option}")).await?;
            }
            session.sql("SET datafusion.execution.batch_size = 64").await?;
        }
        let tail = if seed % 3 == 2 { "ORDER BY cell LIMIT 1000000" } else { "" };
        let random = &mut Random(seed as u64 + 1);
        let [first, second] = [300, 200].map(|max_count| boxes(random, max_count));
        session.register_table("boxes", table(&session, &first)?.into_view())?;
        session.register_table("others", table(&session, &second)?.into_view())?;
        for (at, (dimensions, levels)) in calls.into_iter().enumerate() {
            let scalar = ["REAL", "DOUBLE"][(seed + at) % 2];
            let names = ["min_x", "min_y", "min_z", "max_x", "max_y", "max_z"];
            let names = names.chunks(3).flat_map(|end| &end[..dimensions]);
            let ends: Vec<_> = names.map(|name| format!("CAST({name} AS {scalar})")).collect();
            for within in [None, Some(0.0), Some(3.0)] {
                let distance = within.unwrap_or(0.0);
                let pairs = brute(&first, distance, dimensions);
                let joined = between(&first, &second, distance, dimensions);
                for (is_join, expected) in [(false, pairs), (true, joined)] {
                    let sql = query(&ends.join(", "), levels, within, is_join, tail);
                    let found = session.sql(&sql).await?;
                    if seed == 2 {
                        let plan = found.clone().create_physical_plan().await?;
                        let plan = displayable(&*plan).indent(false).to_string();
                        assert!(plan.contains("ordering_mode=Sorted"), "{plan}");
                    }
                    assert_eq!(sorted(found).await?, expected, "seed {seed}: {sql}");
                }
            }
        }
    }
    Ok(())
}

#[tokio::test]
async fn giants_touch_a_bounded_number_of_cells_and_nulls_none() -> Result<()> {
    let sql = "SELECT array_length(cells(-1e9, -1e9, -1e9, 1e9, 1e9, 1e9, [0, 12, 24])) <= \
         1048576, array_length(cells(0, 0, 0, 1, 1, 1, [0, 12, 24])) <= 24, cells(0, NULL, 0, 1, \
         1) IS NULL";
    let found = session(1, None)?.sql(sql).await?.to_string().await?;
    assert_eq!(found.matches("true").count(), 3, "{found}");
    Ok(())
}

#[tokio::test]
async fn errors_name_the_box_and_the_reason() -> Result<()> {
    let session = session(2, None)?;
    for (cells, text) in [
        ("cells(0, CAST('NaN' AS DOUBLE), 0, 1, 1)", "axis y is NaN"),
        ("cells(0, 0, 0, CAST('inf' AS DOUBLE), 1)", "axis y is inf"),
        ("cells(0, 2, 0, 1, 1)", "minimum 2 is above maximum 1 on axis y"),
        ("cells(0, 1, 0, 2, [])", "levels are empty"),
        ("cells(0, 1, 0, 2, [4, 4])", "not 1 to 16 above"),
        ("cells(0, 1, 0, 2, 512)", "not in -512..=511"),
        ("cells(-1e9, -1e9, -1e9, 1e9, 1e9, 1e9, 0)", "coarser level"),
        ("cells(value, 0, value, 0, value) FROM generate_series(1, 2)", "must be a constant"),
    ] {
        let error = error(&session, &format!("SELECT {cells}")).await;
        assert!(error.contains(text), "{cells}: {error}");
    }
    let overlaps = |rows: &str, cell: &str| {
        format!(
            "SELECT overlaps(id, min, 0, max, 0, cells(0, 0, 0, 0, 0)[1] + CAST({cell} AS BIGINT \
             UNSIGNED)) FROM (VALUES {rows}) AS boxes(id, min, max)"
        )
    };
    let good = session.sql(&overlaps("('a', 0, 0), ('b', 0, 1)", "0")).await?;
    assert!(good.to_string().await?.contains("{a: a, b: b}"));
    for (rows, cell, text) in [
        ("('a', 0, 0), ('a', 0, 1)", "0", "two boxes have the id \"a\""),
        ("('a', 0, 0), ('b', 0, NULL)", "0", "the box of id b is not valid"),
        ("('a', 0, 0), ('b', 0, -1)", "0", "minimum 0 is above maximum -1"),
        ("('a', 0, 0), ('b', 0, 1)", "max", "GROUP BY cell"),
    ] {
        let error = error(&session, &overlaps(rows, cell)).await;
        assert!(error.contains(text), "{rows}: {error}");
    }
    Ok(())
}
