//! `hexphase query`: prints the objects that queries find.
//!
//! 1. Read the scene and insert the objects into a structure.
//! 2. Parse the queries: those of options in the order of the command line, then those of the file.
//! 3. Run the queries on several threads, and write their lines piece by piece.

mod arguments;
mod shape;
mod source;

use core::ops::ControlFlow;
use core::slice;
use std::time::Instant;

use hexphase::SpatialIndexExt;

use crate::arguments::with_scalar;
use crate::error::{Count, Error};
use crate::lines::Lines;
use crate::near::{Index, Metric, nearest};
use crate::scene::{Ids, Input, Number, Objects, check_stdin, with_dimensions};
use crate::{output, pieces, wrap};
pub(crate) use arguments::QueryArgs;
use shape::Shape;
use source::Written;

/// Runs `hexphase query`. Returns the lines for standard error.
pub(crate) fn run(arguments: &QueryArgs) -> Result<String, Error> {
    with_scalar!(arguments.common.scalar, query(arguments))
}

fn query<S: Number>(arguments: &QueryArgs) -> Result<String, Error> {
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
        source::read(&input, &mut queries)?;
    }
    let (scene, origin) = scene.load::<S>(&arguments.wrap, common)?;
    let (objects, dimensions) = (Count::objects(scene.len()), scene.dimensions());
    let begun = Instant::now();
    with_dimensions!(scene, objects => find(arguments, &origin.input, &queries, objects))?;
    let (queries, backend) = (Count(queries.len() as u64, "query"), common.backend()?);
    let summary =
        format!("{objects}, {dimensions} dimensions ({}), {queries}, backend {backend}", S::NAME);
    Ok(origin.lines::<S>(&summary, Some(begun.elapsed())))
}

/// Runs the queries and writes their results.
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
    let index = Index::for_queries(bounds, sides, common.backend()?, input)?;
    let metric = Metric::new(sides, false);
    let lines = Lines::new([&Ids::Rows, &ids], common.format()).named(["query", "id"]);
    let most = arguments.limit.map_or(usize::MAX, |most| most as usize);
    output::write(common.path(), &mut |out| {
        pieces::write(shapes.len(), &lines, out, &|query, lines, found| {
            lines.begin(query);
            match shapes[query as usize] {
                _ if most == 0 => {}
                Shape::Region(region) => {
                    index.structure.query(region, found);
                    found.iter().take(most).for_each(|&row| lines.push(row));
                }
                Shape::Path(path) => {
                    let mut hits = 0;
                    let _ = index.structure.cast(path, |entry, fraction| {
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
