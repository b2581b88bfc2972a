//! Plans that are encoded and decoded, and results that are checked.

use std::sync::Arc;

use arrow::util::display::array_value_to_string;
use datafusion::error::Result;
use datafusion::physical_plan::{ExecutionPlan, collect};
use datafusion::prelude::{DataFrame, SessionContext, col};
use datafusion_proto::bytes::{
    physical_plan_from_bytes_with_extension_codec as decode,
    physical_plan_to_bytes_with_extension_codec as encode,
};
use datafusion_proto::physical_plan::{DefaultPhysicalProtoConverter, PhysicalExtensionCodec};
use hexphase_datafusion::exec::{BadRows, Columns, Options, OverlapsCodec, join, pairs};

use super::{Random, flat, session};

const CONVERTER: DefaultPhysicalProtoConverter = DefaultPhysicalProtoConverter {};

/// Boxes at places that depend on the seed, with ids and coordinates of these types.
async fn boxes(session: &SessionContext, seed: u64, id: &str, scalar: &str) -> Result<DataFrame> {
    let place = |axis: u64| format!("(value * {} + {seed}) % 211", 37 + 10 * axis);
    let mut columns = vec![format!("CAST(value AS {id}) AS id")];
    for (axis, name) in (0..).zip(["x", "y", "z"]) {
        let place = place(axis);
        columns.push(format!("CAST({place} AS {scalar}) AS min_{name}"));
        columns.push(format!("CAST({place} + value % 23 AS {scalar}) AS max_{name}"));
    }
    let columns = columns.join(", ");
    session.sql(&format!("SELECT {columns} FROM generate_series(1, 400)")).await
}

/// A table of pairs with options that depend on the seed.
async fn any_pairs(session: &SessionContext, seed: u64, checked: bool) -> Result<DataFrame> {
    let mut random = Random(seed * 77 + 5);
    let id = ["BIGINT", "BIGINT UNSIGNED", "VARCHAR"][random.below(3) as usize];
    let scalar = ["REAL", "DOUBLE"][random.below(2) as usize];
    let first = boxes(session, seed, id, scalar).await?;
    let columns = if random.below(2) == 0 { flat() } else { Columns::of(first.schema())? };
    let options = Options::new()
        .within(random.below(4) as f64 / 3.0)
        .cell_rows(1 << random.below(9))
        .checked(checked);
    match random.below(2) {
        0 => pairs(first, &columns, options),
        _ => {
            let second = boxes(session, seed + 90, id, scalar).await?;
            join((first, &columns), (second, &columns), options)
        }
    }
}

/// Returns the first two columns of the rows of a plan, sorted.
async fn rows(session: &SessionContext, plan: Arc<dyn ExecutionPlan>) -> Result<Vec<String>> {
    let mut rows = Vec::new();
    for batch in collect(plan, session.task_ctx()).await? {
        for row in 0..batch.num_rows() {
            let [a, b] = [0, 1].map(|at| array_value_to_string(batch.column(at), row));
            rows.push(format!("{} {}", a?, b?));
        }
    }
    rows.sort_unstable();
    Ok(rows)
}

/// Passes each operator of this package.
fn visit(plan: &Arc<dyn ExecutionPlan>, each: &mut dyn FnMut(&Arc<dyn ExecutionPlan>)) {
    if ["CellsExec", "OverlapsExec"].contains(&plan.name()) {
        each(plan);
    }
    plan.children().into_iter().for_each(|child| visit(child, each));
}

#[tokio::test]
async fn decoded_and_checked_plans_find_the_same_pairs() -> Result<()> {
    for seed in 1..=20 {
        // With a limit of memory, boxes are not packed.
        let session = session(3, (seed % 2 == 1).then_some(1 << 28))?;
        let context = session.task_ctx();
        let plan = any_pairs(&session, seed, false).await?.create_physical_plan().await?;
        let bytes = encode(Arc::clone(&plan), &OverlapsCodec)?;
        let decoded = decode(&bytes, &context, &OverlapsCodec)?;
        assert_eq!(encode(Arc::clone(&decoded), &OverlapsCodec)?, bytes, "seed {seed}");
        let expected = rows(&session, plan).await?;
        assert!(expected.len() > 100, "seed {seed}: {} pairs", expected.len());
        assert_eq!(rows(&session, decoded).await?, expected, "seed {seed}");

        // The check stays in the process; the other operators are encoded with their tallies.
        let checked = any_pairs(&session, seed, true).await?.create_physical_plan().await?;
        assert_eq!(rows(&session, Arc::clone(&checked)).await?, expected, "seed {seed}");
        let error = encode(Arc::clone(&checked), &OverlapsCodec).unwrap_err().to_string();
        assert!(error.contains("checked in the process that receives it"), "{error}");
        let mut found = 0;
        visit(&checked, &mut |operator| {
            let bytes = encode(Arc::clone(operator), &OverlapsCodec).unwrap();
            let decoded = decode(&bytes, &context, &OverlapsCodec).unwrap();
            assert_eq!(decoded.schema(), operator.schema());
            found += 1;
        });
        assert!(found >= 2);
    }
    Ok(())
}

#[tokio::test]
async fn malformed_bytes_are_errors() -> Result<()> {
    let session = session(3, None)?;
    let context = session.task_ctx();
    for seed in 1..=10 {
        let plan = any_pairs(&session, seed, false).await?.create_physical_plan().await?;
        visit(&plan, &mut |operator| {
            let mut bytes = Vec::new();
            OverlapsCodec.try_encode(Arc::clone(operator), &mut bytes, &CONVERTER).unwrap();
            let inputs: Vec<_> = operator.children().into_iter().cloned().collect();
            let decode =
                |bytes: &[u8]| OverlapsCodec.try_decode(bytes, &inputs, &context, &CONVERTER);
            assert!(decode(&bytes).is_ok());
            let error = |bytes: &[u8]| decode(bytes).unwrap_err().to_string();
            for end in 0..bytes.len() {
                let error = error(&bytes[..end]);
                assert!(error.contains("not complete") || error.contains("not valid"), "{error}");
            }
            for end in 1..=8 {
                assert!(decode(&[&bytes[..], &[0; 8][..end]].concat()).is_err());
            }
            // Other bytes are an error or another valid operator; none is a panic.
            let mut random = Random(seed);
            for _ in 0..2_000 {
                let mut changed = bytes.clone();
                for _ in 0..=random.below(3) {
                    let at = random.below(bytes.len() as u64) as usize;
                    changed[at] = random.below(256) as u8;
                }
                let _ = decode(&changed);
            }
            let first_cell = 8 * (7 + usize::from(bytes[16]));
            for (at, other, text) in [
                (0, 9, "no operator"),
                (8, 9, "format 9"),
                (16, 4, "4 dimensions"),
                (first_cell, 1, "cells of an operator are not valid"),
            ] {
                let mut changed = bytes.clone();
                changed[at] = other;
                assert!(error(&changed).contains(text), "{}", error(&changed));
            }
            let none = OverlapsCodec.try_decode(&bytes, &[], &context, &CONVERTER);
            assert!(none.unwrap_err().to_string().contains("one input, not 0"));
            let leaf = session.read_empty().unwrap();
            let leaf = futures::executor::block_on(leaf.create_physical_plan()).unwrap();
            let other = OverlapsCodec.try_decode(&bytes, &[leaf], &context, &CONVERTER);
            assert!(other.unwrap_err().to_string().contains("has the columns"));
        });
    }
    Ok(())
}

#[tokio::test]
async fn options_of_one_process_are_errors() -> Result<()> {
    let session = session(3, None)?;
    let table = boxes(&session, 3, "BIGINT", "REAL").await?;
    let options = Options::new().bad_rows(BadRows::Count(Arc::default()));
    let counted = pairs(table.clone(), &flat(), options.clone())?;
    let error = encode(counted.create_physical_plan().await?, &OverlapsCodec).unwrap_err();
    assert!(error.to_string().contains("counted in one process only"), "{error}");
    let error = pairs(table.clone(), &flat(), options.checked(true)).unwrap_err();
    assert!(error.to_string().contains("bad rows are refused, not counted"), "{error}");
    let numbered = Columns::numbered(["min_x", "min_y"].map(col), ["max_x", "max_y"].map(col));
    let numbered = pairs(table, &numbered, Options::new())?.create_physical_plan().await?;
    let error = encode(numbered, &OverlapsCodec).unwrap_err();
    assert!(error.to_string().contains("numbered in one process only"), "{error}");
    Ok(())
}
