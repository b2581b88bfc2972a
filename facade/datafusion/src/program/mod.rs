//! Arguments of the program and its two commands.

mod input;
mod output;

use std::io::{IsTerminal, stderr};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use clap::{Args, Parser, Subcommand};
use datafusion::common::{Result, config_err};
use datafusion::execution::memory_pool::FairSpillPool;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::prelude::{DataFrame, SessionConfig, SessionContext, col};
use hexphase_datafusion::exec::{BadRows, Options, join, pairs};

use input::{Input, Scalar};

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
    #[arg(long, value_enum, default_value = "f32")]
    scalar: Scalar,
    /// Also find pairs that do not overlap but are at most this distance apart
    #[arg(long, value_name = "DISTANCE", default_value_t = 0.0)]
    within: f64,
    /// Rows without a valid box: refuse the file, or leave them out and count them
    #[arg(long, value_name = "refuse|count", default_value = "refuse")]
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
    let (digits, shift) = match text.strip_suffix(['K', 'M', 'G']) {
        Some(digits) if text.ends_with('K') => (digits, 10),
        Some(digits) if text.ends_with('M') => (digits, 20),
        Some(digits) => (digits, 30),
        None => (text, 0),
    };
    let bytes = digits.parse::<usize>().ok().and_then(|number| number.checked_mul(1 << shift));
    bytes.filter(|bytes| *bytes > 0).ok_or_else(|| "a size is a number such as 200M or 2G".into())
}

/// Runs the program. Returns 2 if it fails.
pub(crate) fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let (files, settings) = match arguments.command {
        Command::Pairs { file, settings } => (vec![file], settings),
        Command::Join { first, second, settings } => (vec![first, second], settings),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().build();
    let done =
        runtime.map_err(Into::into).and_then(|runtime| runtime.block_on(run(&files, &settings)));
    match done {
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

/// Runs a command and returns its summary.
async fn run(files: &[PathBuf], settings: &Settings) -> Result<String> {
    let begun = Instant::now();
    let cores = std::thread::available_parallelism();
    let partitions = settings.partitions.or(cores.ok()).map_or(1, usize::from);
    let inputs = files.iter().map(|file| Input::new(file, settings.id.as_deref(), settings.scalar));
    let session = session(settings, partitions)?;
    let mut tables = Vec::new();
    for input in inputs {
        tables.push(input.open(&session).await?);
    }
    let bad = Arc::new(AtomicU64::new(0));
    let bad_rows = match settings.bad_rows.as_str() {
        "refuse" => BadRows::Refuse,
        "count" => BadRows::Count(Arc::clone(&bad)),
        other => return config_err!("--bad-rows is refuse or count, not {other}"),
    };
    let rows = Arc::new(AtomicU64::new(0));
    let options = Options::new()
        .within(settings.within)
        .bad_rows(bad_rows)
        .cell_rows(settings.cell_rows)
        .progress(Arc::clone(&rows));
    let mut tables = tables.into_iter();
    let found = match (tables.next(), tables.next()) {
        (Some((a, columns)), Some((b, others))) => join((a, &columns), (b, &others), options)?,
        (Some((a, columns)), None) => pairs(a, &columns, options)?,
        (None, _) => return config_err!("no file is given"),
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
    let found = match settings.sorted {
        true => found.sort_by(vec![col("a"), col("b")])?,
        false => found,
    };
    output::write(found, settings.output.as_deref()).await
}

/// Creates a session with the memory and the partitions that are set.
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

/// Prints the number of rows read, twice a second.
async fn show_progress(rows: Arc<AtomicU64>) {
    loop {
        tokio::time::sleep(Duration::from_millis(500)).await;
        eprint!("\r{} rows read\x1b[K", rows.load(Ordering::Relaxed));
    }
}
