//! `hexphase join`: prints the pairs of objects of two scenes.

use std::ffi::OsString;
use std::panic::resume_unwind;
use std::thread;

use clap::Args;
use hexphase::Algorithm;

use crate::arguments::{Common, Origin};
use crate::error::{Count, Error};
use crate::near::{Job, Kind, read_distance};
use crate::output;
use crate::scene::{Input, InputArgs, Number, Scene, check_stdin};
use crate::wrap::Wrap;

#[derive(Args, Debug)]
#[command(after_help = HELP, override_usage = USAGE)]
pub(crate) struct Join {
    /// The two scenes A and B, or with `--with` the files of A: a file; `-` for standard input; or
    /// a generated scene NAME:COUNT[:SEED]
    #[arg(value_name = "SCENE", required = true)]
    scenes: Vec<OsString>,
    /// The files of B, if a scene has several files
    #[arg(long, value_name = "FILE", num_args = 1..)]
    with: Vec<OsString>,
    /// Also pair objects that do not overlap but are at most this distance apart
    #[arg(long, value_name = "DISTANCE", allow_negative_numbers = true)]
    within: Option<String>,
    /// Also print objects of A without a partner, with an empty second field
    #[arg(long)]
    left: bool,
    /// Print only objects of A without a partner
    #[arg(long, conflicts_with = "left")]
    anti: bool,
    /// Print the number of lines instead of the lines
    #[arg(long)]
    count: bool,
    #[command(flatten)]
    wrap: Wrap,
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(flatten)]
    input: InputArgs,
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

pub(crate) fn run<S: Number>(arguments: &Join) -> Result<String, Error> {
    let distance = read_distance::<S>("--within", arguments.within.as_deref())?;
    check_stdin(arguments.scenes.iter().chain(&arguments.with))?;
    let [first, second] = files(arguments)?.map(|files| -> Result<Input, Error> {
        let input = arguments.input.input(files)?.with_wrap(arguments.wrap.lengths());
        output::check(arguments.common.path(), &input)?;
        Ok(input)
    });
    // Both scenes are read at the same time. If both fail, the error is that of the first.
    let (first, second) = (first?, second?);
    let (first, second) = thread::scope(|scope| {
        let other = scope.spawn(|| Origin::load::<S>(second));
        let first = Origin::load::<S>(first);
        (first, other.join().unwrap_or_else(|panic| resume_unwind(panic)))
    });
    let ((a, first), (b, second)) = (first?, second?);
    let counts = [a.len(), b.len()].map(Count::objects);
    let dimensions = [a.dimensions(), b.dimensions()];
    let Join { common, wrap, left, anti, count, .. } = arguments;
    let kind = match (left, anti) {
        (false, false) => Kind::Pairs,
        (true, _) => Kind::LeftJoin,
        (_, true) => Kind::AntiJoin,
    };
    let (input, algorithm, count) = (&first.input, Algorithm::Hshg, *count);
    let job = Job { common, input, algorithm, distance, wrap, kind, count };
    let outcome = match (a, b) {
        (Scene::Flat(a), Scene::Flat(b)) => job.run(a, Some((b, &second.input))),
        (Scene::Solid(a), Scene::Solid(b)) => job.run(a, Some((b, &second.input))),
        _ => {
            let [first, second] = [&first, &second].map(|origin| &origin.input.sources[0]);
            let [ours, theirs] = dimensions;
            let message = format_args!("has {theirs} dimensions, but {first} has {ours}");
            Err(Error::new(second, message))
        }
    }?;
    let result = match kind {
        Kind::AntiJoin => format!("{} without a partner", Count(outcome.alone, "object")),
        _ => Count(outcome.pairs, "pair").to_string(),
    };
    let ([a, b], [dimensions, _], scalar) = (counts, dimensions, S::NAME);
    let backend = common.backend;
    let summary =
        format!("{a} and {b}, {dimensions} dimensions ({scalar}), {result}, backend {backend}");
    Ok(first.lines::<S>(&summary, Some(outcome.find_time)) + &second.warnings::<S>())
}

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
