//! `hexphase neighbors`: prints the neighbors of each object of a scene.
//!
//! With a radius, neighbors are the pairs of a search for pairs, listed in both directions
//! (`near/`). With a number of nearest objects, there is a search for each object
//! (`nearest`), piece by piece (`pieces.rs`).

use clap::Args;
use hexphase::Algorithm;

use crate::arguments::{Common, SceneArgs};
use crate::error::{Count, Error};
use crate::lines::Lines;
use crate::near::{Index, Job, Kind, Metric, Outcome, nearest, read_distance};
use crate::scene::{Input, Number, Objects, with_dimensions};
use crate::wrap::{self, Wrap};
use crate::{output, pieces};

#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub(crate) struct NeighborsArgs {
    #[command(flatten)]
    scene: SceneArgs,
    /// Print all objects at most this distance away
    #[arg(long, value_name = "DISTANCE", allow_hyphen_values = true)]
    #[arg(required_unless_present = "nearest", conflicts_with = "nearest")]
    radius: Option<String>,
    /// Print this number of nearest objects
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    nearest: Option<u32>,
    #[command(flatten)]
    wrap: Wrap,
    #[command(flatten)]
    pub(crate) common: Common,
}

const HELP: &str = "\
Prints a line a,b,distance for each object a and each of its neighbors b: with
--radius in ascending order of ids, with --nearest from the nearest to the
farthest. Distances are measured between boxes, or between discs or balls if the
scene has no other objects. Two objects that overlap have the distance 0.

Examples:
  hexphase neighbors scene.csv --radius 0.5
  hexphase neighbors discs:1000 --nearest 3 --output near.csv
  hexphase neighbors discs:1000 --radius 20 --json";

pub(crate) fn run<S: Number>(arguments: &NeighborsArgs) -> Result<String, Error> {
    let NeighborsArgs { wrap, common, .. } = arguments;
    let distance = read_distance::<S>("--radius", arguments.radius.as_deref())?;
    let backend = common.backend;
    let (scene, origin) = arguments.scene.load::<S>(wrap, common)?;
    let (objects, dimensions) = (Count::objects(scene.len()), scene.dimensions());
    let (found, find_time) = if let Some(count) = arguments.nearest {
        with_dimensions!(scene, objects => {
            write_nearest(arguments, &origin.input, objects, count as usize)
        })?;
        (format!("{count} nearest of each"), None)
    } else {
        let (input, algorithm, kind) = (&origin.input, Algorithm::Hshg, Kind::Neighbors);
        let job = Job { common, input, algorithm, distance, wrap, kind, count: false };
        let Outcome { pairs, find_time, .. } =
            with_dimensions!(scene, objects => job.run(objects, None))?;
        (Count(pairs, "neighbor").to_string(), Some(find_time))
    };
    let summary =
        format!("{objects}, {dimensions} dimensions ({}), {found}, backend {backend}", S::NAME);
    Ok(origin.lines::<S>(&summary, find_time))
}

fn write_nearest<S: Number, const D: usize>(
    arguments: &NeighborsArgs,
    input: &Input,
    mut objects: Objects<S, D>,
    count: usize,
) -> Result<(), Error> {
    let NeighborsArgs { wrap, common, .. } = arguments;
    let sides = wrap.sides::<S, D>()?;
    wrap::move_home(&mut objects, sides, input)?;
    let Objects { bounds, ids, are_discs } = objects;
    let index = Index::for_queries(bounds, sides, common.backend, input)?;
    let metric = Metric::new(sides, are_discs);
    let lines = Lines::new([&ids; 2], common.format());
    output::write(common.path(), &mut |out| {
        pieces::write(index.bounds.len(), &lines, out, &|row, lines, _| {
            let own = &index.bounds[row as usize];
            lines.begin(row);
            for (distance, other) in nearest(&index, own, Some(row), count, &metric) {
                lines.push_with(other, "distance", distance);
            }
        })
    })
}
