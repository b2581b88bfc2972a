//! The command line arguments.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, RangedU64ValueParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use hexphase::{Algorithm, BackendKind};

use crate::render::Render;

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
    #[command(after_help = FORMATS)]
    Pairs(Pairs),
    /// Replay a scene on every structure with several settings, and rank them by speed
    #[command(after_help = TUNING)]
    Tune(Tune),
    /// Draw a scene as SVG or PNG
    Render(Render),
    /// Write a generated scene as CSV
    #[command(after_help = GENERATORS)]
    Generate(Generate),
    /// Play a game of ships with rollback on several peers, and compare their states at every tick
    #[command(after_help = crate::fleet::HELP)]
    Fleet(crate::fleet::Fleet),
}

/// The arguments of `pairs`.
#[derive(Args, Debug)]
pub(crate) struct Pairs {
    /// A CSV file, plain or gzip; `-` for standard input; or a generated scene NAME:COUNT[:SEED]
    #[arg(value_name = "SCENE")]
    pub(crate) scene: OsString,
    /// The structure that finds the pairs; it does not change the output
    #[arg(long, default_value = "auto", value_parser = algorithms())]
    pub(crate) algorithm: Algorithm,
    /// The SIMD backend; it does not change the output
    #[arg(long, default_value = "auto", value_parser = backends())]
    pub(crate) backend: String,
    /// The type of the coordinates
    #[arg(long, value_name = "TYPE", default_value = "f32")]
    pub(crate) scalar: ScalarType,
    /// Print the number of pairs instead of the pairs
    #[arg(long)]
    pub(crate) count: bool,
    /// Write to a file other than the scene; the file appears only when it is complete
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// The arguments of `tune`.
#[derive(Args, Debug)]
pub(crate) struct Tune {
    /// A CSV file, plain or gzip; `-` for standard input; or a generated scene NAME:COUNT[:SEED]
    #[arg(value_name = "SCENE")]
    pub(crate) scene: OsString,
    /// The SIMD backend for all structures
    #[arg(long, default_value = "auto", value_parser = backends())]
    pub(crate) backend: String,
    /// The type of the coordinates
    #[arg(long, value_name = "TYPE", default_value = "f32")]
    pub(crate) scalar: ScalarType,
    /// Number of ticks after the first tick, which inserts all objects
    #[arg(long, value_name = "COUNT", default_value = "10", value_parser = up_to_a_thousand())]
    pub(crate) ticks: u64,
    /// Number of replays; no replay starts after ten seconds
    #[arg(long, value_name = "COUNT", default_value = "5", value_parser = up_to_a_thousand())]
    pub(crate) rounds: u64,
    /// Write to a file other than the scene; the file appears only when it is complete
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// The arguments of `generate`.
#[derive(Args, Debug)]
pub(crate) struct Generate {
    /// The scene: generator, number of objects, and optionally a seed other than the default
    #[arg(value_name = "NAME:COUNT[:SEED]")]
    pub(crate) scene: String,
    /// Write to a file other than the scene; the file appears only when it is complete
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
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

fn algorithms() -> impl TypedValueParser<Value = Algorithm> {
    let names = Algorithm::ALL.iter().map(|algorithm| algorithm.name());
    PossibleValuesParser::new(names).try_map(|name| name.parse::<Algorithm>())
}

fn backends() -> PossibleValuesParser {
    core::iter::once("auto").chain(BackendKind::ALL.map(BackendKind::name)).into()
}

fn up_to_a_thousand() -> RangedU64ValueParser {
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

const FORMATS: &str = "\
A scene is a CSV file with a header. The columns are min_x,min_y[,min_z],max_x,max_y[,max_z] for
boxes, or x,y[,z],r for discs and balls, which are replaced by their bounding boxes; the columns
may have any order. Objects are numbered from 0 in row order, or by a column id. Other columns are
ignored; so are single columns x, y, z and r beside complete boxes, with a warning.

Each pair is one line a,b with a < b; the lines are sorted. Boxes that touch overlap. The ends of
discs and balls are computed exactly and rounded once. Memory does not grow with the number of pairs.

Examples:
  hexphase pairs scene.csv.gz
  hexphase pairs clustered:500000 --algorithm hshg --backend avx2 --count
  hexphase generate discs:1000 | hexphase pairs - --scalar f64";

const TUNING: &str = "\
The objects of a generated scene move in each tick. The objects of a file do not move, nor do
those of terdiman: each tick sets the same bounds. The scene formats are those of pairs.

Prints a table (fastest first), an explanation, and Rust code to paste. A tick sets all bounds and
finds all pairs and events.

Examples:
  hexphase tune tail:5000
  hexphase tune scene.csv --scalar f64 --rounds 2
  hexphase tune discs:2000 --ticks 30 --backend scalar";

const GENERATORS: &str = "\
Generators: discs, mixed, tail, clustered (two dimensions); discs3, mixed3, tail3, clustered3,
terdiman (three).

Examples:
  hexphase generate terdiman:10000 --output scene.csv
  hexphase generate tail:1000:7";

#[cfg(test)]
mod tests {
    use broadphase_core::scenes::SceneKind;
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn help_lists_every_generator() {
        let words: Vec<_> = GENERATORS.split(|letter: char| !letter.is_alphanumeric()).collect();
        for kind in SceneKind::ALL {
            assert!(words.contains(&kind.name()), "{}", kind.name());
        }
    }
}
