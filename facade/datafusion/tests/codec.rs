//! Plans that are encoded and decoded, and results that are checked.

use std::sync::Arc;

use arrow::util::display::array_value_to_string;
use datafusion::error::Result;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::physical_plan::{ExecutionPlan, collect};
use datafusion::prelude::{DataFrame, SessionConfig, SessionContext, col};
use datafusion_proto::bytes::{
    physical_plan_from_bytes_with_extension_codec as decode,
    physical_plan_to_bytes_with_extension_codec as encode,
};
use datafusion_proto::physical_plan::{DefaultPhysicalProtoConverter, PhysicalExtensionCodec};
use hexphase_datafusion::exec::{BadRows, Columns, Options, OverlapsCodec, join, pairs};

const CONVERTER: DefaultPhysicalProtoConverter = DefaultPhysicalProtoConverter {};

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

fn columns(dimensions: u64) -> Columns {
    let names = |end: &str| ["x", "y", "z"].map(|axis| col(format!("{end}_{axis}")));
    let ([x, y, z], [far_x, far_y, far_z]) = (names("min"), names("max"));
    match dimensions {
        2 => Columns::new(col("id"), [x, y], [far_x, far_y]),
        _ => Columns::new(col("id"), [x, y, z], [far_x, far_y, far_z]),
    }
}

/// A table of pairs with options that depend on the seed.
async fn any_pairs(session: &SessionContext, seed: u64, checked: bool) -> Result<DataFrame> {
    let mut random = Random(seed * 77 + 5);
    let id = ["BIGINT", "BIGINT UNSIGNED", "VARCHAR"][random.below(3) as usize];
    let scalar = ["REAL", "DOUBLE"][random.below(2) as usize];
    let columns = columns(2 + random.below(2));
    let options = Options::new()
        .within(random.below(4) as f64 / 3.0)
        .cell_rows(1 << random.below(9))
        .checked(checked);
    let first = boxes(session, seed, id, scalar).await?;
    match random.below(2) {
        0 => pairs(first, &columns, options),
        _ => {
            let second = boxes(session, seed + 90, id, scalar).await?;
            join((first, &columns), (second, &columns), options)
        }
    }
}

fn session() -> SessionContext {
    SessionContext::new_with_config(SessionConfig::new().with_target_partitions(3))
}

/// With a limit of memory, boxes are not packed.
fn session_with_limit() -> Result<SessionContext> {
    let runtime = RuntimeEnvBuilder::new().with_memory_limit(1 << 28, 1.0).build_arc()?;
    let config = SessionConfig::new().with_target_partitions(3);
    Ok(SessionContext::new_with_config_rt(config, runtime))
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
async fn a_decoded_plan_is_equal_and_finds_the_same_pairs() -> Result<()> {
    for seed in 1..=20 {
        let session = if seed % 2 == 0 { session() } else { session_with_limit()? };
        let plan = any_pairs(&session, seed, false).await?.create_physical_plan().await?;
        let bytes = encode(Arc::clone(&plan), &OverlapsCodec)?;
        let decoded = decode(&bytes, &session.task_ctx(), &OverlapsCodec)?;
        assert_eq!(encode(Arc::clone(&decoded), &OverlapsCodec)?, bytes, "seed {seed}");
        let expected = rows(&session, plan).await?;
        assert!(expected.len() > 100, "seed {seed}: {} pairs", expected.len());
        assert_eq!(rows(&session, decoded).await?, expected, "seed {seed}");
    }
    Ok(())
}

#[tokio::test]
async fn a_checked_result_has_the_same_pairs_and_its_check_stays_in_the_process() -> Result<()> {
    let session = session();
    for seed in 1..=20 {
        let plain = any_pairs(&session, seed, false).await?.create_physical_plan().await?;
        let checked = any_pairs(&session, seed, true).await?.create_physical_plan().await?;
        let expected = rows(&session, plain).await?;
        assert_eq!(rows(&session, Arc::clone(&checked)).await?, expected, "seed {seed}");
        let error = encode(Arc::clone(&checked), &OverlapsCodec).unwrap_err().to_string();
        assert!(error.contains("checked in the process that receives it"), "{error}");
        let mut found = 0;
        visit(&checked, &mut |operator| {
            let bytes = encode(Arc::clone(operator), &OverlapsCodec).unwrap();
            let decoded = decode(&bytes, &session.task_ctx(), &OverlapsCodec).unwrap();
            assert_eq!(decoded.schema(), operator.schema());
            found += 1;
        });
        assert!(found >= 2);
    }
    Ok(())
}

#[tokio::test]
async fn malformed_bytes_are_errors() -> Result<()> {
    let session = session();
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
            for end in 0..bytes.len() {
                let error = decode(&bytes[..end]).unwrap_err().to_string();
                assert!(
                    error.contains("end too early") || error.contains("is not valid"),
                    "{error}"
                );
            }
            assert!(decode(&[&bytes[..], &[0]].concat()).is_err());
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
            for (at, other, text) in [(0, 9, "no operator"), (1, 9, "format 9"), (2, 4, "4 dim")] {
                let mut changed = bytes.clone();
                changed[at] = other;
                let error = decode(&changed).unwrap_err().to_string();
                assert!(error.contains(text), "{error}");
            }
            let dimensions = usize::from(bytes[2]);
            let first_code = 3 + 8 * (dimensions + 1) + 4;
            let mut changed = bytes.clone();
            changed[first_code] = 1;
            let error = decode(&changed).unwrap_err().to_string();
            assert!(error.contains("cells of an operator are not valid"), "{error}");
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
    let session = session();
    let table = boxes(&session, 3, "BIGINT", "REAL").await?;
    let options = Options::new().bad_rows(BadRows::Count(Arc::default()));
    let counted = pairs(table.clone(), &columns(2), options.clone())?;
    let error = encode(counted.create_physical_plan().await?, &OverlapsCodec).unwrap_err();
    assert!(error.to_string().contains("counted in one process only"), "{error}");
    let error = pairs(table.clone(), &columns(2), options.checked(true)).unwrap_err();
    assert!(error.to_string().contains("bad rows are refused, not counted"), "{error}");
    let numbered = Columns::numbered(["min_x", "min_y"].map(col), ["max_x", "max_y"].map(col));
    let numbered = pairs(table, &numbered, Options::new())?.create_physical_plan().await?;
    let error = encode(numbered, &OverlapsCodec).unwrap_err();
    assert!(error.to_string().contains("numbered in one process only"), "{error}");
    Ok(())
}
