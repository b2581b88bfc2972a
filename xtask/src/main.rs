//! The maintainers' commands: `cargo xtask verify`, `bench`, `fuzz`, `mutants` and `web`.

#![forbid(unsafe_code)]

mod bench;
mod cargo;
mod compile;
mod cross;
mod dependencies;
mod doc_examples;
mod features;
mod figures;
mod fuzz;
mod markdown;
mod messages;
mod mutants;
mod programs;
mod python;
mod readme;
mod report;
mod step;
mod supply;
mod tidy;
mod verify;
mod web;
mod workspace;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use verify::Scope;
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
    Verify(Scope),
    /// Writes the listing of the public API of each library, `api.txt`. Requires cargo-public-api.
    Api,
    /// Builds the examples of the facade's documentation, as shown, with default features.
    DocExamples {
        /// Build only the examples of files with this text in their paths.
        #[arg(default_value = "")]
        filter: String,
    },
    /// Changes the libraries in many small ways, and prints the changes that no test finds.
    Mutants(mutants::Options),
    /// Runs one benchmark suite. Each benchmark checks its result before it is timed.
    Bench {
        /// The name of a file in xtask/peers/benches, without extension; or `compile`; or
        /// `report`: runs the suites quoted in Markdown tables, writes the results file of this
        /// CPU in xtask/peers/results, and generates the tables.
        #[arg(required_unless_present = "compare")]
        suite: Option<String>,
        /// Write the rows to a file as one JSON array.
        #[arg(long, value_name = "FILE")]
        json: Option<PathBuf>,
        /// Measure these scenes, separated by commas, such as discs:5000000; only `threads` has
        /// scenes to select.
        #[arg(long, value_name = "LIST")]
        scenes: Option<String>,
        /// Compute the times on this number of threads from the times of tasks on one; only
        /// `threads`.
        #[arg(long, value_name = "THREADS")]
        model: Option<String>,
        /// In the model, the number of threads that use all of the memory's bandwidth.
        #[arg(long, value_name = "THREADS", requires = "model")]
        bandwidth: Option<String>,
        /// Compare two files written by --json: print the speed-up of each row, and the median.
        #[arg(long, num_args = 2, value_names = ["OLD", "NEW"], exclusive = true)]
        compare: Option<Vec<PathBuf>>,
        /// Generate the tables from the results file, without measuring; only `report`.
        #[arg(long)]
        tables: bool,
        /// Arguments for Criterion: a filter, --test, --measurement-time SECONDS.
        #[arg(last = true)]
        criterion: Vec<String>,
    },
    /// Builds the page and the npm package of facade/web. Requires wasm-bindgen.
    Web {
        /// Serve the page on port 8000 of this machine.
        #[arg(long)]
        serve: bool,
    },
    /// Runs the fuzz targets with an address sanitizer. Requires cargo-fuzz and a C++ compiler.
    Fuzz {
        /// Seconds for each target, after the build.
        #[arg(long, default_value = "60")]
        seconds: u64,
        /// The name of a file in `xtask/fuzz/fuzz_targets`, without extension; all by default.
        target: Option<String>,
    },
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = Workspace::here().and_then(|workspace| match arguments.command {
        Command::Verify(scope) => Ok(verify::verify(&workspace, &scope)),
        Command::Api => supply::write_api(&workspace),
        Command::DocExamples { filter } => Ok(doc_examples::show(&workspace, &filter)),
        Command::Fuzz { seconds, target } => fuzz::fuzz(&workspace, seconds, target.as_deref()),
        Command::Web { serve } => web::web(&workspace, serve),
        Command::Mutants(options) => mutants::mutants(&workspace, &options),
        Command::Bench { compare: Some(files), .. } => bench::compare(&files[0], &files[1]),
        Command::Bench { suite, json, .. } if suite.as_deref() == Some(bench::COMPILE) => {
            compile::compile(&workspace, json)
        }
        Command::Bench { suite, json, scenes, model, bandwidth, tables, criterion, .. } => {
            let variables = [
                ("HEXPHASE_BENCH_SCENES", scenes.as_deref()),
                ("HEXPHASE_BENCH_MODEL", model.as_deref()),
                ("HEXPHASE_BENCH_BANDWIDTH", bandwidth.as_deref()),
            ];
            let suite = suite.unwrap_or_default();
            let is_plain = json.is_none() && criterion.is_empty();
            match (suite == bench::REPORT, tables) {
                (true, _) if is_plain && variables.iter().all(|(_, value)| value.is_none()) => {
                    figures::report(&workspace, tables)
                }
                (true, _) => Err("`report` has no option but --tables".to_owned()),
                (false, true) => Err("only `report` has the option --tables".to_owned()),
                (false, false) => bench::bench(&workspace, &suite, json, &variables, &criterion),
            }
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
    use super::{Arguments, Command, PathBuf};
    use clap::{CommandFactory as _, Parser as _};

    #[test]
    fn a_suite_or_two_files_to_compare_are_required() {
        Arguments::command().debug_assert();
        let parse = |words: &str| {
            let words = ["cargo xtask", "bench"].into_iter().chain(words.split_whitespace());
            Arguments::try_parse_from(words).map(|arguments| arguments.command)
        };
        let parsed = parse("hash --json rows.json -- --test discs");
        let Ok(Command::Bench { suite, json, criterion, .. }) = parsed else {
            panic!("{parsed:?}")
        };
        assert_eq!(suite.as_deref(), Some("hash"));
        assert_eq!(json, Some("rows.json".into()));
        assert_eq!(criterion, ["--test", "discs"], "arguments after two dashes");
        let parsed = parse("--compare old.json new.json");
        let Ok(Command::Bench { suite: None, compare: Some(files), .. }) = parsed else {
            panic!("{parsed:?}")
        };
        assert_eq!(files, ["old.json", "new.json"].map(PathBuf::from));
        for wrong in ["", "--compare old.json", "hash --compare old.json new.json"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
