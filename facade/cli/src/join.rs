//! `hexphase join`: prints the pairs of objects of two scenes.

use core::mem::take;
use std::ffi::OsString;
use std::panic::resume_unwind;
use std::thread;
use std::time::Instant;

use clap::Args;

use crate::arguments::{Common, ScalarType};
use crate::error::{Count, Error};
use crate::lines::Lines;
use crate::near::{self, Kind, Search, Tally};
use crate::scene::{Input, InputArgs, Number, Objects, Scene, Warnings, check_stdin};
use crate::wrap::{self, Wrap};
use crate::{lines, output, progress};

/// The arguments of `join`.
#[derive(Args, Debug)]
#[command(after_help = HELP, override_usage = USAGE)]
pub(crate) struct Join {
    /// The two scenes A and B, or with `--with` the files of A: a file; `-` for standard input; or
    /// a generated scene NAME:COUNT[:SEED]
    #[arg(value_name = "SCENE", required = true)]
    pub(crate) scenes: Vec<OsString>,
    /// The files of B, if a scene has several files
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub(crate) with: Vec<OsString>,
    /// Also pair objects that do not overlap but are at most this distance apart
    #[arg(long, value_name = "DISTANCE", allow_negative_numbers = true)]
    pub(crate) within: Option<String>,
    /// Also print objects of A without a partner, with an empty second field
    #[arg(long)]
    pub(crate) left: bool,
    /// Print only objects of A without a partner
    #[arg(long, conflicts_with = "left")]
    pub(crate) anti: bool,
    /// Print the number of lines instead of the lines
    #[arg(long)]
    pub(crate) count: bool,
    /// Length of each axis that wraps, 0 for an axis that does not, such as 360,0 for degrees
    #[arg(long, value_name = "LENGTHS", allow_hyphen_values = true)]
    pub(crate) wrap: Option<String>,
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(flatten)]
    pub(crate) input: InputArgs,
}

const USAGE: &str = "\
hexphase join [OPTIONS] <A> <B>
       hexphase join [OPTIONS] <A>... --with <B>...";

const HELP: &str = "\
Prints a line a,b for each pair of an object of A and an object of B. The lines
are sorted by the object of A, then by the object of B, both in ascending order
of ids.

Boxes that touch overlap. Discs and balls are replaced by their bounding boxes.
With --within, distances are measured between boxes, or between discs or balls
if both scenes have no other objects.

With --wrap, the two ends of an axis join. A box may lie across the seam: then
its minimum is above its maximum, or its maximum is beyond the end of the axis.

Examples:
  hexphase join a.csv b.csv --within 0.5
  hexphase join a.csv b.csv --wrap 360,0 --left --output joined.csv
  hexphase join a.csv a2.csv --with b.csv b2.csv
  hexphase join discs:1000 discs:1000:7 --anti --count
  hexphase join discs:1000 mixed:500 --json";

/// Runs `hexphase join`. Returns the summary for standard error.
pub(crate) fn run(arguments: &Join) -> Result<String, Error> {
    match arguments.common.scalar {
        ScalarType::F32 => join::<f32>(arguments),
        ScalarType::F64 => join::<f64>(arguments),
        ScalarType::I32 => join::<i32>(arguments),
    }
}

fn join<S: Number>(arguments: &Join) -> Result<String, Error> {
    let wrap = Wrap::new(arguments.wrap.as_deref());
    let distance = arguments
        .within
        .as_deref()
        .map(|text| near::read_distance("--within", text))
        .transpose()?;
    check_stdin(arguments.scenes.iter().chain(&arguments.with))?;
    let mut inputs = Vec::with_capacity(2);
    for side in files(arguments)? {
        let input = arguments.input.input(side)?.with_wrap(wrap.lengths());
        output::check(arguments.common.path(), &input)?;
        inputs.push(input);
    }
    let begun = Instant::now();
    let [first, second] = [&inputs[0], &inputs[1]];
    let mut warnings = [Warnings::default(), Warnings::default()];
    let [ours, theirs] = &mut warnings;
    let (first_scene, second_scene) = load_both::<S>([first, second], [ours, theirs])?;
    let loaded = begun.elapsed();
    let work = Work { arguments, inputs: [first, second], distance, wrap };
    let summary = match (first_scene, second_scene) {
        (Scene::Flat(a), Scene::Flat(b)) => work.finish(a, b)?,
        (Scene::Solid(a), Scene::Solid(b)) => work.finish(a, b)?,
        (a, b) => {
            let [a, b] = [a, b].map(|scene| if matches!(scene, Scene::Flat(_)) { 2 } else { 3 });
            let [first, second] = [first, second].map(|input| &input.sources()[0]);
            let message = format_args!("has {b} dimensions, but {first} has {a}");
            return Err(Error::new(second, message));
        }
    };
    let mut text = format!("{summary}, loaded in {loaded:.1?}\n");
    for (warnings, input) in warnings.iter().zip(&inputs) {
        text += &warnings.lines(input, S::NAME);
    }
    Ok(text)
}

/// Returns the files of A and of B.
fn files(arguments: &Join) -> Result<[&[OsString]; 2], Error> {
    match (&arguments.scenes[..], &arguments.with[..]) {
        ([first, second], []) => Ok([first, second].map(core::slice::from_ref)),
        (scenes, []) => {
            let count = Count(scenes.len() as u64, "scene");
            let message = format_args!("got {count}: A B, or A... --with B... are expected");
            Err(Error::new("join", message))
        }
        both => Ok(both.into()),
    }
}

/// Loads two scenes at the same time. If both fail, returns the error of the first.
fn load_both<S: Number>(
    [first, second]: [&Input; 2],
    [ours, theirs]: [&mut Warnings; 2],
) -> Result<(Scene<S>, Scene<S>), Error> {
    thread::scope(|scope| {
        let load = || Scene::load(second, theirs);
        let other = scope.spawn(load);
        let first = Scene::load(first, ours);
        let second = other.join().unwrap_or_else(|panic| resume_unwind(panic));
        Ok((first?, second?))
    })
}

/// The state after both scenes have been loaded.
struct Work<'a, S> {
    arguments: &'a Join,
    inputs: [&'a Input; 2],
    distance: Option<S>,
    wrap: Wrap,
}

impl<S: Number> Work<'_, S> {
    /// Finds and writes the pairs. Returns the beginning of the summary.
    fn finish<const D: usize>(
        self,
        mut first: Objects<S, D>,
        mut second: Objects<S, D>,
    ) -> Result<String, Error> {
        let Self { arguments, inputs, distance, wrap } = self;
        let begun = Instant::now();
        let sides = wrap.sides::<S, D>()?;
        wrap::move_home(&mut first, sides, inputs[0])?;
        wrap::move_home(&mut second, sides, inputs[1])?;
        let backend = arguments.common.backend()?;
        let counts = [first.bounds.len(), second.bounds.len()];
        let ids = [take(&mut first.ids), take(&mut second.ids)];
        let (search, found) = progress::with_spinner(|| {
            let mut search = Search::new(first, Some(second), distance, sides, backend)?;
            let found = match arguments.anti || arguments.count {
                true => Err(search.tally()),
                false => Ok(search.find(false)),
            };
            Ok((search, found))
        })
        .map_err(|error| near::error::<S, D>(inputs[0], counts[0] + counts[1], &error))?;
        let find_time = begun.elapsed();
        let path = arguments.common.path();
        let mut lines = Lines::new([&ids[0], &ids[1]], arguments.common.format());
        let result = match found {
            Ok(found) => {
                let pairs = Count(found.pairs, "pair").to_string();
                let kind = if arguments.left { Kind::LeftJoin } else { Kind::Pairs };
                output::write(path, |out| near::write(&search, found, kind, lines, out))?;
                pairs
            }
            Err(Tally { pairs, paired }) => {
                let alone = paired.iter().filter(|paired| !**paired).count() as u64;
                let count = match (arguments.anti, arguments.left) {
                    (true, _) => alone,
                    (false, true) => pairs + alone,
                    (false, false) => pairs,
                };
                output::write(path, |out| {
                    if arguments.count {
                        return lines::write_count(count, arguments.common.format(), out);
                    }
                    for (row, _) in (0..).zip(&paired).filter(|(_, paired)| !**paired) {
                        lines.push_one(row);
                        lines.flush_if_full(out)?;
                    }
                    lines.flush(out)
                })?;
                match arguments.anti {
                    true => format!("{} without a partner", Count(alone, "object")),
                    false => Count(pairs, "pair").to_string(),
                }
            }
        };
        Ok(format!(
            "hexphase: {} and {}, {D} dimensions ({}), {result}, backend {backend}, \
             found in {find_time:.1?}",
            Count(counts[0] as u64, "object"),
            Count(counts[1] as u64, "object"),
            S::NAME,
        ))
    }
}
