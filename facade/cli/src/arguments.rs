//! What may be said on the command line.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, RangedU64ValueParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use hexphase::{Algorithm, BackendKind};

/// The broad phase of collision detection on the command line: which things overlap?
#[derive(Debug, Parser)]
#[command(name = "hexphase", version, after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// What is to be done.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What can be done.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Find every overlapping pair of a scene
    #[command(after_help = FORMATS)]
    Pairs(Pairs),
    /// Replay a scene on every structure with several settings, and say which is fastest
    #[command(after_help = TUNING)]
    Tune(Tune),
    /// Write a generated scene as CSV
    #[command(after_help = GENERATORS)]
    Generate(Generate),
}

/// What `pairs` is told.
#[derive(Args, Debug)]
pub(crate) struct Pairs {
    /// A CSV file, plain or gzip; `-` for standard input; or a generated scene NAME:COUNT[:SEED]
    #[arg(value_name = "SCENE")]
    pub(crate) scene: OsString,
    /// The structure that finds the pairs; the answer is the same with all
    #[arg(long, default_value = "auto", value_parser = algorithms())]
    pub(crate) algorithm: Algorithm,
    /// The instructions it runs with; the answer is the same with all
    #[arg(long, default_value = "auto", value_parser = backends())]
    pub(crate) backend: String,
    /// The type that numbers are read into
    #[arg(long, value_name = "TYPE", default_value = "f32")]
    pub(crate) scalar: ScalarType,
    /// Print the number of pairs instead of the pairs
    #[arg(long)]
    pub(crate) count: bool,
    /// Write to a file, which appears only when it is whole, instead of standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// What `tune` is told.
#[derive(Args, Debug)]
pub(crate) struct Tune {
    /// A CSV file, plain or gzip; `-` for standard input; or a generated scene NAME:COUNT[:SEED]
    #[arg(value_name = "SCENE")]
    pub(crate) scene: OsString,
    /// The instructions everything runs with
    #[arg(long, default_value = "auto", value_parser = backends())]
    pub(crate) backend: String,
    /// The type that numbers are read into
    #[arg(long, value_name = "TYPE", default_value = "f32")]
    pub(crate) scalar: ScalarType,
    /// How many ticks there are after the first, in which all objects are put in
    #[arg(long, value_name = "COUNT", default_value = "10", value_parser = up_to_a_thousand())]
    pub(crate) ticks: u64,
    /// How many times everything is replayed, unless that takes longer than ten seconds
    #[arg(long, value_name = "COUNT", default_value = "5", value_parser = up_to_a_thousand())]
    pub(crate) rounds: u64,
    /// Write to a file, which appears only when it is whole, instead of standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// What `generate` is told.
#[derive(Args, Debug)]
pub(crate) struct Generate {
    /// The scene: a generator, how many objects, and the seed if it is not to be the usual one
    #[arg(value_name = "NAME:COUNT[:SEED]")]
    pub(crate) scene: String,
    /// Write to a file, which appears only when it is whole, instead of standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// The types of coordinates.
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
  zcat scenes.gz | hexphase pairs - --count     how many there are on standard input
  hexphase tune discs:5000                      which structure is fastest for it, and why
  hexphase generate discs:1000:7 | gzip > discs.csv.gz

Exit status: 0 if it went well, 2 if the input or the arguments are wrong.";

const FORMATS: &str = "\
A scene is CSV with a header: min_x,min_y[,min_z],max_x,max_y[,max_z], or x,y[,z],r for discs and
balls, whose box is taken; in any order. Objects are numbered from 0 in the order of their rows,
or by a column id. Other columns are ignored.

A pair is a line a,b with a < b; lines ascend. Boxes that touch overlap.

Examples:
  hexphase pairs scene.csv.gz
  hexphase pairs clustered:500000 --algorithm hshg --backend avx2 --count
  hexphase generate discs:1000 | hexphase pairs - --scalar f64";

const TUNING: &str = "\
A generated scene moves from tick to tick. A file has one tick, and so does terdiman: its bounds
are told again in every other, unchanged. Scenes are as for pairs.

Answered are a table, the fastest first, what there is to say about it, and Rust to paste. A tick
is what telling all bounds and finding all pairs and events takes.

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
    fn the_definition_holds_together() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn help_names_every_generator() {
        let words: Vec<_> = GENERATORS.split(|letter: char| !letter.is_alphanumeric()).collect();
        for kind in SceneKind::ALL {
            assert!(words.contains(&kind.name()), "{}", kind.name());
        }
    }
}
