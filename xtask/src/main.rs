//! The maintainers' commands: `cargo xtask verify` and `cargo xtask bench`.

#![forbid(unsafe_code)]

mod bench;
mod cargo;
mod compile;
mod dependencies;
mod features;
mod links;
mod markdown;
mod messages;
mod programs;
mod readme;
mod report;
mod step;
mod tally;
mod tidy;
mod verify;
mod workspace;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use workspace::Workspace;

/// The maintainers' commands.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Runs all checks: formatting, lints, house rules, links, tests, documentation, feature sets.
    Verify {
        /// Run formatting, house rules, lints and tests only.
        #[arg(long)]
        quick: bool,
    },
    /// Runs one benchmark suite. Each benchmark checks its result before it is timed.
    Bench {
        /// The name of a file in xtask/peers/benches, without extension; or `compile`.
        suite: String,
        /// Write the rows to a file as one JSON array.
        #[arg(long, value_name = "FILE")]
        json: Option<PathBuf>,
        /// Write the chart to a file; only `growth` has a chart.
        #[arg(long, value_name = "FILE")]
        svg: Option<PathBuf>,
        /// Arguments for Criterion: a filter, --test, --measurement-time SECONDS.
        #[arg(last = true)]
        criterion: Vec<String>,
    },
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = Workspace::here().and_then(|workspace| match arguments.command {
        Command::Verify { quick } => Ok(verify::verify(&workspace, quick)),
        Command::Bench { suite, json, .. } if suite == bench::COMPILE => {
            compile::compile(&workspace, json)
        }
        Command::Bench { suite, json, svg, criterion } => {
            let files = [("HEXPHASE_BENCH_JSON", json), ("HEXPHASE_BENCH_SVG", svg)];
            bench::bench(&workspace, &suite, files, &criterion)
        }
    });
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::from(2)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Arguments, Command};
    use clap::{CommandFactory as _, Parser as _};

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn arguments_after_two_dashes_are_for_criterion() {
        let words =
            ["cargo xtask", "bench", "hash", "--json", "rows.json", "--", "--test", "discs"];
        let parsed = Arguments::try_parse_from(words).map(|arguments| arguments.command);
        let Ok(Command::Bench { suite, json, svg, criterion }) = parsed else {
            panic!("{parsed:?}")
        };
        assert_eq!(suite, "hash");
        assert_eq!(json, Some("rows.json".into()));
        assert_eq!(svg, None);
        assert_eq!(criterion, ["--test", "discs"]);
    }
}
