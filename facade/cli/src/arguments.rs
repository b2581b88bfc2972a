//! The commands, and the values that arguments of several commands have. The arguments and the help
//! text of a command are in the file of the command.

use clap::builder::{PossibleValuesParser, RangedU64ValueParser, TypedValueParser};
use clap::{Parser, Subcommand, ValueEnum};
use hexphase::{Algorithm, BackendKind};

use crate::generate::Generate;
use crate::join::Join;
use crate::pairs::Pairs;
use crate::tune::Tune;

/// Find all pairs of overlapping boxes in a scene (the broad phase of collision detection)
#[derive(Debug, Parser)]
#[command(name = "hexphase", version, after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The command to run.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Find every overlapping pair of a scene
    Pairs(Pairs),
    /// Find every pair of objects of two scenes
    Join(Join),
    /// Replay a scene on every structure with several settings, and rank them by speed
    Tune(Tune),
    /// Write a generated scene as CSV
    Generate(Generate),
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

/// Accepts `auto` and the names of the backends.
pub(crate) fn backends() -> PossibleValuesParser {
    core::iter::once("auto").chain(BackendKind::ALL.map(BackendKind::name)).into()
}

/// Accepts numbers from 1 to 1000.
pub(crate) fn up_to_a_thousand() -> RangedU64ValueParser {
    RangedU64ValueParser::new().range(1..=1000)
}

const EXAMPLES: &str = "\
Examples:
  hexphase pairs terdiman:10000                 the pairs of a generated scene
  hexphase pairs scene.csv --output pairs.csv   the pairs of a file, into a file
  zcat scenes.gz | hexphase pairs - --count     the number of pairs in standard input
  hexphase tune discs:5000                      the fastest structure for a scene, and why
  hexphase generate discs:1000:7 | gzip > discs.csv.gz

Exit status: 0 on success, 2 if the input or the arguments are invalid, memory does not suffice, or
writing fails.";

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_is_consistent() {
        Arguments::command().debug_assert();
    }
}
