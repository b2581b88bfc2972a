//! `hexphase sim`: plays random hostile schedules on worlds and compares everything with brute
//! force. A difference is shrunk, and the line that reproduces it is printed.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use clap::Args;
use hexphase_sim::{Played, Ranges, Schedule, Selection, Shrunk, Totals};

use crate::error::{Count, Error};
use crate::output;
use crate::progress::Progress;

#[derive(Args, Debug)]
pub(crate) struct Sim {
    /// The seed: a number that determines the worlds and the schedule
    #[arg(value_name = "SEED", default_value = "0")]
    seed: u64,
    /// Play the schedules of COUNT consecutive seeds, starting at SEED
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..))]
    runs: Option<u64>,
    /// Play this number of seeds at a time
    #[arg(long, value_name = "COUNT", default_value = "1")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=256))]
    jobs: u64,
    /// Print a hash of all results, which is equal on every machine
    #[arg(long, requires = "runs")]
    hash: bool,
    /// Keep only these operations of the schedule, such as 0-3,17
    #[arg(long, value_name = "RANGES", conflicts_with = "runs")]
    keep: Option<Ranges>,
    /// Keep only these objects, such as 0-3,17
    #[arg(long, value_name = "RANGES", conflicts_with = "runs")]
    objects: Option<Ranges>,
}

pub(crate) const HELP: &str = "\
A seed determines the number type, the dimension, whether the world wraps, two
lists of settings (structure, backend, threads, cell size), the sizes of the
objects, and a schedule. Two worlds play the schedule. After each operation,
states, results and hashes are compared with brute force and between the worlds.
One seed is printed as text first; --runs prints only a summary.

An operation is one object inserted, moved, removed or given another filter,
motion class or user data; one query; or one call for a whole world, such as a
step or a snapshot. It counts once, although both worlds execute it. A
comparison compares one value: an object's state, a pair, an event, a result or
a hash.

On a difference, operations and objects are left out as long as a difference
remains. Then the line that reproduces it is printed, and the exit status is 2.

Examples:
  hexphase sim 7                                one seed, printed as text
  hexphase sim --runs 1000 --jobs 2             the seeds from 0 to 999
  hexphase sim --runs 64 --hash                 a hash of all results
  hexphase sim 7 --keep 0-3 --objects 0-9       a part of a schedule";

pub(crate) fn run(arguments: &Sim) -> Result<String, Error> {
    let begun = Instant::now();
    hexphase_sim::record_panics();
    let selection = Selection {
        operations: arguments.keep.clone(),
        objects: arguments.objects.clone(),
        hash: arguments.hash,
        ..Selection::default()
    };
    let seeds = arguments.runs.unwrap_or(1);
    if arguments.runs.is_none() {
        print(&Schedule::new(arguments.seed, &selection).to_string())?;
    }
    let bar = Mutex::new(Progress::steps("simulating", seeds));
    let advance = || bar.lock().unwrap_or_else(PoisonError::into_inner).advance(1);
    let all = arguments.seed..arguments.seed.saturating_add(seeds);
    let played = Played::new(all, &selection, arguments.jobs, advance);
    drop(bar);
    if let Some(seed) = played.failed {
        return Err(report(seed, &selection)?);
    }
    if arguments.hash {
        print(&format!("{:016x}\n", played.hash))?;
    }
    let Totals { operations, comparisons, steps } = played.totals;
    Ok(format!(
        "hexphase: {}, {}, {}, {}, no difference, {:.1} s\n",
        Count(seeds, "seed"),
        Count(operations, "operation"),
        Count(steps, "step"),
        Count(comparisons, "comparison"),
        begun.elapsed().as_secs_f64()
    ))
}

/// Shrinks the schedule of a seed and prints it. Returns the error with the command.
fn report(seed: u64, selection: &Selection) -> Result<Error, Error> {
    let shrunk = Shrunk::new(seed, selection);
    let Some(Shrunk { selection, difference, tries }) = shrunk else {
        let line = format!("seed {seed}");
        return Ok(Error::new(line, "the difference did not occur again"));
    };
    let schedule = Schedule::new(seed, &selection);
    print(&format!("{schedule}difference: {difference}\n"))?;
    let line = format!("cargo run --release --features sim -- sim {seed}{selection}");
    Ok(Error::new(line, format_args!("{difference} (shrunk in {tries} tries)")))
}

fn print(text: &str) -> Result<(), Error> {
    output::write(None, &mut |out| out.write_all(text.as_bytes()))
}
