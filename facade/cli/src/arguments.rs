//! The commands, and the types of arguments that several commands share. The arguments and the help
//! text of each command are in the file of the command.

use core::time::Duration;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use hexphase::{Algorithm, Backend, BackendKind, BackendUnavailable};

use crate::completions::{Completions, Man};
use crate::error::Error;
use crate::generate::Generate;
use crate::info::Info;
use crate::join::Join;
use crate::lines::Format;
use crate::neighbors::NeighborsArgs;
use crate::pairs::Pairs;
use crate::query::QueryArgs;
use crate::render::Render;
use crate::scene::{Input, InputArgs, Number, Scene, Warnings};
use crate::tune::Tune;
use crate::wrap::Wrap;
use crate::{memory, output};

/// Calls a generic function with the number type that [`ScalarType`] names, if it is compiled.
macro_rules! with_scalar {
    ($scalar:expr, $command:ident::$function:ident($arguments:expr)) => {
        match $scalar {
            $crate::arguments::ScalarType::F32 => $command::$function::<f32>($arguments),
            #[cfg(feature = "full")]
            $crate::arguments::ScalarType::F64 => $command::$function::<f64>($arguments),
            #[cfg(feature = "full")]
            $crate::arguments::ScalarType::I32 => $command::$function::<i32>($arguments),
            #[cfg(not(feature = "full"))]
            _ => Err($crate::error::Error::new("--scalar", $crate::arguments::NOT_FULL)),
        }
    };
}
pub(crate) use with_scalar;

/// The reason and the remedy if a type or a structure is not compiled.
pub(crate) const NOT_FULL: &str =
    "not in this program, which was built without the feature `full`: cargo build --features full";

/// Find which boxes overlap: pairs, joins and queries of scenes
#[derive(Debug, Parser)]
#[command(name = "hexphase", version, after_help = EXAMPLES, max_term_width = 80)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Maximum memory, such as 500M or 2G; a command that needs more fails
    #[arg(long, global = true, value_name = "SIZE", value_parser = memory::size)]
    pub(crate) memory: Option<u64>,
}

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
    #[cfg(feature = "full")]
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

#[derive(Args, Debug)]
pub(crate) struct SceneArgs {
    /// Files; `-` for standard input; or a generated scene NAME:COUNT[:SEED]
    #[arg(value_name = "SCENE", required = true)]
    pub(crate) scene: Vec<OsString>,
    #[command(flatten)]
    pub(crate) input: InputArgs,
}

impl SceneArgs {
    pub(crate) fn input(&self, output: Option<&Path>) -> Result<Input, Error> {
        let input = self.input.input(&self.scene)?;
        output::check(output, &input)?;
        Ok(input)
    }

    pub(crate) fn load<S: Number>(
        &self,
        wrap: &Wrap,
        common: &Common,
    ) -> Result<(Scene<S>, Origin), Error> {
        Origin::load(self.input(common.path())?.with_wrap(wrap.lengths()))
    }
}

pub(crate) struct Origin {
    pub(crate) input: Input,
    warnings: Warnings,
    load_time: Duration,
}

impl Origin {
    pub(crate) fn load<S: Number>(input: Input) -> Result<(Scene<S>, Self), Error> {
        let mut warnings = Warnings::default();
        let begun = Instant::now();
        let scene = Scene::load(&input, &mut warnings)?;
        Ok((scene, Self { input, warnings, load_time: begun.elapsed() }))
    }

    /// Returns the lines for standard error: the summary, and the warnings about the scene.
    pub(crate) fn lines<S: Number>(&self, summary: &str, find_time: Option<Duration>) -> String {
        let found = find_time.map_or_else(String::new, |time| format!(", found in {time:.1?}"));
        let line = format!("hexphase: {summary}, loaded in {:.1?}{found}\n", self.load_time);
        line + &self.warnings::<S>()
    }

    pub(crate) fn warnings<S: Number>(&self) -> String {
        self.warnings.lines(&self.input, S::NAME)
    }
}

#[derive(Args, Debug)]
pub(crate) struct Common {
    /// The type of the coordinates
    #[arg(long, value_name = "TYPE", default_value = "f32")]
    pub(crate) scalar: ScalarType,
    /// The SIMD backend; it does not change the output
    #[arg(long, default_value = "auto", value_parser = backends())]
    pub(crate) backend: Backend,
    /// Print a JSON object on each line
    #[arg(long)]
    json: bool,
    /// Write to a file other than the input; the file appears only when it is complete
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Common {
    pub(crate) const fn format(&self) -> Format {
        Format::new(self.json)
    }

    pub(crate) fn path(&self) -> Option<&Path> {
        self.output.as_deref()
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ScalarType {
    /// 32-bit floats
    F32,
    /// 64-bit floats
    F64,
    /// 32-bit integers, rounded to the nearest, ties to even
    I32,
}

/// Accepts the names of compiled structures; refuses the names of others with the reason.
pub(crate) fn algorithms() -> impl TypedValueParser<Value = Algorithm> {
    let names = ["auto", "brute", "hash", "hshg", "morton"];
    let values =
        names.map(|name| PossibleValue::new(name).hide(name.parse::<Algorithm>().is_err()));
    PossibleValuesParser::from(values)
        .try_map(|name| name.parse::<Algorithm>().map_err(|_| NOT_FULL))
}

/// Accepts `auto` and the names of all backends. Help lists the compiled backends.
fn backends() -> impl TypedValueParser<Value = Backend> {
    let backends = BackendKind::ALL.map(|kind| {
        let is_missing = matches!(Backend::new(kind), Err(BackendUnavailable::NotCompiled(_)));
        PossibleValue::new(kind.name()).hide(is_missing)
    });
    let names = core::iter::once(PossibleValue::new("auto")).chain(backends);
    PossibleValuesParser::from(names).try_map(|name| match &*name {
        "auto" => Ok(Backend::detect()),
        name => name.parse(),
    })
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
}
