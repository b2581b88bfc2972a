//! `hexphase query`: prints the objects that queries find.
//!
//! 1. Read the scene and insert the objects into a structure.
//! 2. Parse the queries: those of options in the order of the command line, then those of the file.
//! 3. Run the queries on several threads, and write their lines piece by piece.

mod shape;

use core::ops::ControlFlow;
use core::slice;
use std::ffi::OsString;
use std::time::Instant;

use clap::Args;
use hexphase::SpatialIndexExt;

use crate::arguments::{Common, SceneArgs};
use crate::error::{Count, Error};
use crate::lines::Lines;
use crate::near::{Index, Metric, nearest};
use crate::scene::{Ids, Input, Number, Objects, check_stdin, with_dimensions};
use crate::wrap::{self, Wrap};
use crate::{output, pieces};
use shape::{Shape, Shapes, Written};

#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub(crate) struct QueryArgs {
    #[command(flatten)]
    scene: SceneArgs,
    #[command(flatten)]
    shapes: Shapes,
    /// Find this number of objects nearest to each point and box instead of overlapping objects
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    nearest: Option<u32>,
    /// A file of queries, one on each line: box, point, ball, segment or ray, and its numbers
    #[arg(long, value_name = "FILE")]
    queries: Option<OsString>,
    /// Print at most this number of objects for each query
    #[arg(long, value_name = "COUNT")]
    limit: Option<u32>,
    #[command(flatten)]
    wrap: Wrap,
    #[command(flatten)]
    pub(crate) common: Common,
}

const HELP: &str = "\
Prints a line query,id for each object that a query finds. Queries are numbered
from 0: those of options in the order of the command line, then those of the
file. The objects of a box, point or ball are in ascending order of ids.

The lines of a segment or ray have a third field: the fraction of the path at
which it reaches the object, from 0 to 1; on a ray, in lengths of its direction.
The lines of --nearest have the distance. Lines are sorted by the third field.

All objects are boxes: discs and balls are replaced by their bounding boxes. A
query also finds boxes that it only touches. In three dimensions all points have
three coordinates.

A file of queries has no header. Its lines are like the options, such as
box,0,0,10,10 or ray,0,0,1,0. A line nearest,3,5,5 finds the 3 objects nearest
to the point 5,5.

Examples:
  hexphase query scene.csv --box 0,0,10,10 --point 5,5
  hexphase query discs:1000 --nearest 3 --point 100,100 --json
  hexphase query discs:1000 --ray 0,0,1,1 --limit 1
  hexphase query discs:1000 --queries queries.csv --output found.csv";

pub(crate) fn run<S: Number>(arguments: &QueryArgs) -> Result<String, Error> {
    let QueryArgs { scene, common, .. } = arguments;
    let mut queries = arguments.shapes.0.clone();
    if queries.is_empty() && arguments.queries.is_none() {
        let message = "no queries: add --box, --point, --ball, --segment, --ray or --queries";
        return Err(Error::new("query", message));
    }
    check_stdin(scene.scene.iter().chain(&arguments.queries))?;
    if let Some(file) = &arguments.queries {
        let input = scene.input.input(slice::from_ref(file))?;
        output::check(common.path(), &input)?;
        shape::read(&input, &mut queries)?;
    }
    let (scene, origin) = scene.load::<S>(&arguments.wrap, common)?;
    let (objects, dimensions) = (Count::objects(scene.len()), scene.dimensions());
    let begun = Instant::now();
    with_dimensions!(scene, objects => find(arguments, &origin.input, &queries, objects))?;
    let (queries, backend) = (Count(queries.len() as u64, "query"), common.backend);
    let summary =
        format!("{objects}, {dimensions} dimensions ({}), {queries}, backend {backend}", S::NAME);
    Ok(origin.lines::<S>(&summary, Some(begun.elapsed())))
}

fn find<S: Number, const D: usize>(
    arguments: &QueryArgs,
    input: &Input,
    queries: &[Written],
    mut objects: Objects<S, D>,
) -> Result<(), Error> {
    let common = &arguments.common;
    let sides = arguments.wrap.sides::<S, D>()?;
    wrap::move_home(&mut objects, sides, input)?;
    let shapes = queries.iter().map(|query| query.shape::<S, D>(sides, arguments.nearest));
    let shapes: Vec<Shape<S, D>> = shapes.collect::<Result<_, _>>()?;
    let Objects { bounds, ids, .. } = objects;
    let index = Index::for_queries(bounds, sides, common.backend, input)?;
    let metric = Metric::new(sides, false);
    let lines = Lines::new([&Ids::Rows, &ids], common.format()).named(["query", "id"]);
    let most = arguments.limit.map_or(usize::MAX, |most| most as usize);
    output::write(common.path(), &mut |out| {
        pieces::write(shapes.len(), &lines, out, &|query, lines, found| {
            lines.begin(query);
            match shapes[query as usize] {
                _ if most == 0 => {}
                Shape::Region(region) => {
                    index.structure().query(region, found);
                    found.iter().take(most).for_each(|&row| lines.push(row));
                }
                Shape::Path(path) => {
                    let mut hits = 0;
                    let _ = index.structure().cast(path, |entry, fraction| {
                        lines.push_with(entry.key, "fraction", fraction);
                        hits += 1;
                        if hits < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
                    });
                }
                Shape::Nearest(own, count) => {
                    for (distance, row) in nearest(&index, &own, None, count.min(most), &metric) {
                        lines.push_with(row, "distance", distance);
                    }
                }
            }
        })
    })
}
