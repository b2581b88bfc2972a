//! `hexphase pairs`: reads or generates a scene and prints all overlapping pairs.

use clap::Args;
use hexphase::Algorithm;

use crate::arguments::{Common, SceneArgs, algorithms};
use crate::error::{Count, Error};
use crate::near::{Job, Kind, Outcome, algorithm_for, read_distance};
use crate::scene::{Number, with_dimensions};
use crate::wrap::Wrap;

#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub(crate) struct Pairs {
    #[command(flatten)]
    scene: SceneArgs,
    /// The structure that finds the pairs; it does not change the output
    #[arg(long, default_value = "auto", value_parser = algorithms())]
    #[arg(conflicts_with_all = ["within", "wrap"])]
    algorithm: Algorithm,
    /// Also find pairs that do not overlap but are at most this distance apart
    #[arg(long, value_name = "DISTANCE", allow_hyphen_values = true)]
    within: Option<String>,
    #[command(flatten)]
    wrap: Wrap,
    /// Print the number of pairs instead of the pairs
    #[arg(long)]
    count: bool,
    #[command(flatten)]
    pub(crate) common: Common,
}

const HELP: &str = "\
A scene is one or more files: tables with a header, WKT or GeoJSON, also
compressed with gzip or zstd. The columns of a table are
min_x,min_y[,min_z],max_x,max_y[,max_z] or x,y[,z],width,height[,depth] for
boxes, x,y[,z],r for discs and balls, x,y[,z] for points, or geometry. Discs,
balls and geometries are replaced by their bounding boxes. Other common names,
such as xmin, west or lon, are recognized, and --columns assigns any others. The
delimiter is found from the header. Objects have the ids of the column id, or
are numbered from 0 in the order of rows, counted through all files.

Prints a line a,b for each pair; a is before b, and the lines are sorted. Boxes
that touch overlap. The ends of discs and balls are computed exactly and rounded
once. Memory does not grow with the number of pairs.

With --within, distances are measured between boxes, or between discs or balls
if the scene has no other objects. With --wrap, the two ends of an axis join. A
box may lie across the seam: then its minimum is above its maximum, or its
maximum is beyond the end of the axis.

Examples:
  hexphase pairs scene.csv.gz
  hexphase pairs a.csv b.csv --memory 2G --output pairs.csv
  hexphase pairs clustered:500000 --algorithm hshg --backend avx2 --count
  hexphase generate discs:1000 | hexphase pairs - --scalar f64";

pub(crate) fn run<S: Number>(arguments: &Pairs) -> Result<String, Error> {
    let Pairs { wrap, within, count, common, .. } = arguments;
    let distance = read_distance::<S>("--within", within.as_deref())?;
    let backend = common.backend;
    let (scene, origin) = arguments.scene.load::<S>(wrap, common)?;
    let (objects, dimensions) = (Count::objects(scene.len()), scene.dimensions());
    let is_near = distance.is_some() || wrap.is_set();
    let is_auto = arguments.algorithm == Algorithm::Auto && !is_near;
    let algorithm = match arguments.algorithm {
        Algorithm::Auto if is_near => Algorithm::Hshg,
        Algorithm::Auto => algorithm_for(scene.len()),
        algorithm => algorithm,
    };
    let (input, kind, count) = (&origin.input, Kind::Pairs, *count);
    let job = Job { common, input, algorithm, distance, wrap, kind, count };
    let Outcome { pairs, algorithm, find_time, .. } =
        with_dimensions!(scene, objects => job.run(objects, None))?;
    let algorithm = if is_auto { format!("auto ({algorithm})") } else { algorithm };
    let (pairs, scalar) = (Count(pairs, "pair"), S::NAME);
    let summary = format!(
        "{objects}, {dimensions} dimensions ({scalar}), {pairs}, algorithm {algorithm}, \
         backend {backend}"
    );
    Ok(origin.lines::<S>(&summary, Some(find_time)))
}
