//! Finds the pairs of a file with worker processes, on one machine or several.
//!
//! ```text
//! client   plans the query, receives the pairs, checks and sorts them
//!    │     first stage                         second stage
//! worker ─ ranges of the file ─► CellsExec ─►┬► SortExec ─► OverlapsExec ─► client
//! worker ─ ranges of the file ─► CellsExec ─►┴► SortExec ─► OverlapsExec ─► client
//!                                   shuffle by the hash of the cell
//! ```
//!
//! `datafusion-distributed` cuts the plan into stages, encodes them, and starts a task of each
//! stage on each worker. Workers read the files under the same paths as the client.
#![forbid(unsafe_code)]

mod client;
mod worker;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use url::Url;

#[derive(Debug, Parser)]
#[command(name = "hexphase-cluster", version, about)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve queries until the process is ended
    Worker {
        /// The address to listen on; with port 0 a free port is chosen and printed
        #[arg(long, default_value = "127.0.0.1:0")]
        listen: SocketAddr,
        /// The memory of the engine in bytes; unlimited by default
        #[arg(long)]
        memory: Option<usize>,
    },
    /// Find the pairs of boxes of a file that overlap or are within a distance
    ///
    /// Prints a line a,b for each pair, sorted, after the result has been checked.
    Pairs(Query),
}

/// A query for pairs.
#[derive(Args, Debug)]
struct Query {
    /// A file of CSV or Parquet with the columns id, min_x, min_y, max_x, max_y[, min_z, max_z]
    file: PathBuf,
    /// The addresses of workers, such as http://127.0.0.1:7000; without any, the client searches
    #[arg(long, value_delimiter = ',')]
    workers: Vec<Url>,
    /// Also find pairs that do not overlap but are at most this distance apart
    #[arg(long, default_value_t = 0.0)]
    within: f64,
    /// The number of partitions on each worker
    #[arg(long, default_value_t = 2)]
    partitions: usize,
    /// Print the plan instead of running it
    #[arg(long)]
    plan: bool,
}

fn main() -> ExitCode {
    let run = async || match Arguments::parse().command {
        Command::Worker { listen, memory } => worker::serve(listen, memory).await,
        Command::Pairs(query) => client::run(&query).await,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    match runtime.map_err(Into::into).and_then(|runtime| runtime.block_on(run())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("hexphase-cluster: {}", error.strip_backtrace());
            ExitCode::from(2)
        }
    }
}
