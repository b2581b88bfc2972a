//! The commands, and the types of arguments that several commands share. The arguments and the help
//! text of each command are in the file of the command.

use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser, RangedU64ValueParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use hexphase::{Algorithm, Backend, BackendKind, BackendUnavailable};

use crate::completions::{Completions, Man};
use crate::error::Error;
use crate::generate::Generate;
use crate::info::Info;
use crate::join::Join;
use crate::lines::Format;
use crate::memory;
use crate::neighbors::NeighborsArgs;
use crate::pairs::{Pairs, backend};
use crate::query::QueryArgs;
use crate::render::Render;
use crate::tune::Tune;

/// Find which boxes overlap: pairs, joins and queries of scenes
#[derive(Debug, Parser)]
#[command(name = "hexphase", version, after_help = EXAMPLES, max_term_width = 80)]
pub(crate) struct Arguments {
    /// The command to run.
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Maximum memory, such as 500M or 2G; a command that needs more fails
    #[arg(long, global = true, value_name = "SIZE", value_parser = memory::size)]
    pub(crate) memory: Option<u64>,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Find every overlapping pair of a scene
    Pairs(Pairs),
    /// Find every pair of objects of two scenes
    Join(Join),
    /// Find the objects in boxes, at points, along paths or near points
    Query(QueryArgs),
    /// Find the neighbors of each object: within a radius, or the nearest
    Neighbors(NeighborsArgs),
    /// Describe a scene: counts, extent, sizes, density and the expected number of pairs
    Info(Info),
    /// Replay a scene on every structure with several settings, and rank them by speed
    Tune(Tune),
    /// Draw a scene as SVG or PNG
    Render(Render),
    /// Write a generated scene as CSV
    Generate(Generate),
    /// Play a game of ships with rollback on several peers, and compare their states at every tick
    #[command(after_help = crate::fleet::HELP)]
    Fleet(crate::fleet::Fleet),
    /// Print a script that completes commands and options in a shell
    Completions(Completions),
    /// Write the manual pages into a folder
    Man(Man),
    #[cfg(feature = "sim")]
    /// Play random hostile schedules on worlds and compare everything with brute force
    #[command(after_help = crate::sim::HELP)]
    Sim(crate::sim::Sim),
}

/// The options that the commands `join`, `query`, `neighbors` and `info` share.
#[derive(Args, Debug)]
pub(crate) struct Common {
    /// The type of the coordinates
    #[arg(long, value_name = "TYPE", default_value = "f32")]
    pub(crate) scalar: ScalarType,
    /// The SIMD backend; it does not change the output
    #[arg(long, default_value = "auto", value_parser = backends())]
    backend: String,
    /// Print a JSON object on each line
    #[arg(long)]
    json: bool,
    /// Write to a file other than the input; the file appears only when it is complete
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Common {
    /// Returns the backend.
    pub(crate) fn backend(&self) -> Result<Backend, Error> {
        backend(&self.backend)
    }

    /// Returns the format of the output.
    pub(crate) const fn format(&self) -> Format {
        Format::new(self.json)
    }

    /// Returns the file to write; `None` for standard output.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.output.as_deref()
    }
}

/// The coordinate types.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ScalarType {
    /// 32-bit floats
    F32,
    /// 64-bit floats
    F64,
    /// 32-bit integers, rounded to the nearest, ties to even
    I32,
}

/// Accepts the names of the structures.
pub(crate) fn algorithms() -> impl TypedValueParser<Value = Algorithm> {
    let names = Algorithm::ALL.iter().map(|algorithm| algorithm.name());
    PossibleValuesParser::new(names).try_map(|name| name.parse::<Algorithm>())
}

/// Accepts `auto` and the names of all backends. Help lists the compiled backends; the other names
/// are refused with the reason.
pub(crate) fn backends() -> PossibleValuesParser {
    let backends = BackendKind::ALL.map(|kind| {
        let is_missing = matches!(Backend::new(kind), Err(BackendUnavailable::NotCompiled(_)));
        PossibleValue::new(kind.name()).hide(is_missing)
    });
    core::iter::once(PossibleValue::new("auto")).chain(backends).into()
}

/// Accepts numbers from 1 to 1000.
pub(crate) fn up_to_a_thousand() -> RangedU64ValueParser {
    RangedU64ValueParser::new().range(1..=1000)
}

const EXAMPLES: &str = "\
Examples:
  hexphase pairs scene.csv --output pairs.csv   the pairs of a file, into a file
  hexphase pairs terdiman:10000 --count         how many, in a generated scene
  hexphase join discs:500 mixed:500 --left      the pairs of two scenes
  hexphase query scene.csv --point 3,4          the objects at a point
  hexphase tune discs:5000                      the fastest structure, and why
  hexphase generate discs:1000:7 | gzip > discs.csv.gz

Exit status: 0 on success, also if the reader of the output ends early;
2 if the input or the arguments are invalid, memory does not suffice, or
writing fails. Then standard error has one line with the reason.";

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn help_texts_fit_into_80_columns() {
        let command = Arguments::command();
        for command in core::iter::once(&command).chain(command.get_subcommands()) {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains("Examples:\n  hexphase "), "{}", command.get_name());
            for line in help.lines() {
                assert!(line.chars().count() <= 80, "{}: {line}", command.get_name());
            }
        }
    }
}
