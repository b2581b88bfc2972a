//! The program `hexphase-datafusion`: pairs of files, in limited memory.
#![forbid(unsafe_code)]

mod files;

use std::io::{IsTerminal, stderr};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use clap::{Args, Parser, Subcommand};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::Result;
use datafusion::execution::memory_pool::FairSpillPool;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::prelude::{DataFrame, SessionConfig, SessionContext, col};
use hexphase_datafusion::exec::{BadRows, Options, join, pairs};

#[derive(Debug, Parser)]
#[command(name = "hexphase-datafusion", version, about)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Find the pairs of boxes of a file that overlap or are within a distance
    #[command(after_help = HELP)]
    Pairs {
        /// A file of CSV or Parquet
        file: PathBuf,
        #[command(flatten)]
        settings: Settings,
    },
    /// Find the pairs of a box of the first file and a box of the second
    #[command(after_help = HELP)]
    Join {
        /// The file of the first boxes
        first: PathBuf,
        /// The file of the second boxes
        second: PathBuf,
        #[command(flatten)]
        settings: Settings,
    },
}

const HELP: &str = "\
Columns are min_x,min_y[,min_z],max_x,max_y[,max_z] for boxes, x,y[,z],r for
discs and balls, which are replaced by their bounding boxes, or x,y[,z] for
points; and id. Without ids, rows are numbered from 0, and the file is read by
one thread.

Prints a line a,b for each pair; a is less than b. Boxes that touch overlap.
With --sorted, the output is that of hexphase pairs. Rows that exceed the memory
are written to the folder of temporary files. Environment variables such as
DATAFUSION_EXECUTION_BATCH_SIZE set options of the engine.";

#[derive(Args, Debug)]
struct Settings {
    /// The column of ids, - to number rows; id by default, if there is one
    #[arg(long, value_name = "COLUMN")]
    id: Option<String>,
    /// The type of the coordinates
    #[arg(long, value_parser = ["f32", "f64"], default_value = "f32")]
    scalar: String,
    /// Also find pairs that do not overlap but are at most this distance apart
    #[arg(long, value_name = "DISTANCE", default_value_t = 0.0)]
    within: f64,
    /// Rows without a valid box: refuse the file, or leave them out and count them
    #[arg(long, value_parser = ["refuse", "count"], default_value = "refuse")]
    bad_rows: String,
    /// Sort the pairs by a and b
    #[arg(long)]
    sorted: bool,
    /// Print the number of pairs instead of the pairs
    #[arg(long)]
    count: bool,
    /// Write to a file, as Parquet if its name ends with .parquet; it appears when it is complete
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The memory of the engine, such as 200M or 2G; unlimited by default
    #[arg(long, value_name = "SIZE", value_parser = size)]
    memory: Option<usize>,
    /// The number of partitions; by default the number of cores
    #[arg(long, value_name = "NUMBER")]
    partitions: Option<std::num::NonZeroUsize>,
    /// The number of rows wanted in a cell; it does not change the result
    #[arg(long, value_name = "NUMBER", default_value_t = 1 << 15)]
    cell_rows: usize,
}

/// Reads a size in bytes with an optional unit K, M or G, powers of 1024.
fn size(text: &str) -> std::result::Result<usize, String> {
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let unit = ["", "K", "M", "G"].iter().position(|unit| *unit == &text[digits.len()..]);
    let bytes = digits.parse::<usize>().ok().zip(unit);
    let bytes = bytes.and_then(|(number, unit)| number.checked_mul(1 << (10 * unit)));
    bytes.filter(|bytes| *bytes > 0).ok_or_else(|| "a size is a number such as 200M or 2G".into())
}

fn main() -> ExitCode {
    let command = async || match Arguments::parse().command {
        Command::Pairs { file, settings } => run(&file, None, &settings).await,
        Command::Join { first, second, settings } => run(&first, Some(&*second), &settings).await,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_time().build();
    match runtime.map_err(Into::into).and_then(|runtime| runtime.block_on(command())) {
        Ok(summary) => {
            eprintln!("hexphase-datafusion: {summary}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("hexphase-datafusion: {}", error.strip_backtrace());
            ExitCode::from(2)
        }
    }
}

async fn run(first: &Path, second: Option<&Path>, settings: &Settings) -> Result<String> {
    let begun = Instant::now();
    let cores = std::thread::available_parallelism();
    let partitions = settings.partitions.or(cores.ok()).map_or(1, usize::from);
    let session = session(settings, partitions)?;
    let scalar = if settings.scalar == "f32" { DataType::Float32 } else { DataType::Float64 };
    let open =
        async |file: &Path| files::open(&session, file, settings.id.as_deref(), &scalar).await;
    let rows = Arc::<AtomicU64>::default();
    let bad = Arc::<AtomicU64>::default();
    let count = BadRows::Count(Arc::clone(&bad));
    let bad_rows = if settings.bad_rows == "count" { count } else { BadRows::Refuse };
    let options = Options::new()
        .within(settings.within)
        .bad_rows(bad_rows)
        .cell_rows(settings.cell_rows)
        .progress(Arc::clone(&rows));
    let (first, columns) = open(first).await?;
    let found = match second {
        Some(second) => {
            let (second, others) = open(second).await?;
            join((first, &columns), (second, &others), options)?
        }
        None => pairs(first, &columns, options)?,
    };
    let progress = stderr().is_terminal().then(|| tokio::spawn(show_progress(Arc::clone(&rows))));
    let pairs = write(found, settings).await;
    if let Some(progress) = progress {
        progress.abort();
        eprint!("\r\x1b[K");
    }
    let (pairs, rows) = (pairs?, rows.load(Ordering::Relaxed));
    let seconds = begun.elapsed().as_secs_f64();
    let bad = match bad.load(Ordering::Relaxed) {
        0 => String::new(),
        bad => format!("{bad} rows without a valid box left out, "),
    };
    Ok(format!("{rows} rows, {bad}{pairs} pairs, {partitions} partitions, {seconds:.2} s"))
}

/// Writes or counts the pairs; returns their number.
async fn write(found: DataFrame, settings: &Settings) -> Result<usize> {
    if settings.count {
        let count = found.count().await?;
        println!("{count}");
        return Ok(count);
    }
    let found = if settings.sorted { found.sort_by(vec![col("a"), col("b")])? } else { found };
    files::write(found, settings.output.as_deref()).await
}

fn session(settings: &Settings, partitions: usize) -> Result<SessionContext> {
    let mut config = SessionConfig::from_env()?.with_target_partitions(partitions);
    let options = config.options_mut();
    options.execution.collect_statistics = false;
    let mut runtime = RuntimeEnvBuilder::new();
    if let Some(bytes) = settings.memory {
        runtime = runtime.with_memory_pool(Arc::new(FairSpillPool::new(bytes)));
        // Each sort reserves this for merging; the default is 10 MB for each partition.
        let reserved = options.execution.sort_spill_reservation_bytes;
        options.execution.sort_spill_reservation_bytes = reserved.min(bytes / partitions / 8);
    }
    Ok(SessionContext::new_with_config_rt(config, runtime.build_arc()?))
}

async fn show_progress(rows: Arc<AtomicU64>) {
    loop {
        tokio::time::sleep(Duration::from_millis(500)).await;
        eprint!("\r{} rows read\x1b[K", rows.load(Ordering::Relaxed));
    }
}
