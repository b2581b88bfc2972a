//! `hexphase query`: prints the objects that queries find.
//!
//! 1. Read the scene and insert the objects into a world.
//! 2. Parse the queries: those of options in the order of the command line, then those of the file.
//! 3. Run the queries on several threads, and write their lines piece by piece.

mod arguments;
mod shape;
mod source;

use std::time::Instant;

use hexphase::{BroadPhase, Target};

use crate::arguments::ScalarType;
use crate::error::{Count, Error};
use crate::lines::Lines;
use crate::near::{self, Metric};
use crate::scene::{Ids, Input, Number, Objects, Scene, Warnings, check_stdin};
use crate::wrap::{self, Wrap};
use crate::{memory, output, pieces, progress};
pub(crate) use arguments::QueryArgs;
use shape::Shape;
use source::Written;

/// Runs `hexphase query`. Returns the summary for standard error.
pub(crate) fn run(arguments: &QueryArgs) -> Result<String, Error> {
    match arguments.common.scalar {
        ScalarType::F32 => query::<f32>(arguments),
        ScalarType::F64 => query::<f64>(arguments),
        ScalarType::I32 => query::<i32>(arguments),
    }
}

fn query<S: Number>(arguments: &QueryArgs) -> Result<String, Error> {
    let wrap = Wrap::new(arguments.wrap.as_deref());
    let input = arguments.input.input(&arguments.scene)?.with_wrap(wrap.lengths());
    let file =
        arguments.queries.as_ref().map(|file| arguments.input.input(core::slice::from_ref(file)));
    let file = file.transpose()?;
    check_stdin(arguments.scene.iter().chain(&arguments.queries))?;
    let mut queries = arguments.shapes.0.clone();
    if queries.is_empty() && file.is_none() {
        let message = "no queries: add --box, --point, --ball, --segment, --ray or --queries";
        return Err(Error::new("query", message));
    }
    for input in [Some(&input), file.as_ref()].into_iter().flatten() {
        output::check(arguments.common.path(), input)?;
    }
    if let Some(file) = &file {
        source::read(file, &mut queries)?;
    }
    let mut warnings = Warnings::default();
    let begun = Instant::now();
    let scene = Scene::<S>::load(&input, &mut warnings)?;
    let loaded = begun.elapsed();
    let work = Work { arguments, input: &input, wrap, queries };
    let summary = match scene {
        Scene::Flat(objects) => work.finish(objects),
        Scene::Solid(objects) => work.finish(objects),
    }?;
    Ok(format!("{summary}, loaded in {loaded:.1?}\n{}", warnings.lines(&input, S::NAME)))
}

/// The state after the scene has been loaded.
struct Work<'a> {
    arguments: &'a QueryArgs,
    input: &'a Input,
    wrap: Wrap,
    queries: Vec<Written>,
}

impl Work<'_> {
    /// Runs the queries and writes their results. Returns the beginning of the summary.
    fn finish<S: Number, const D: usize>(
        &self,
        mut objects: Objects<S, D>,
    ) -> Result<String, Error> {
        let Self { arguments, input, wrap, queries } = self;
        let common = &arguments.common;
        let sides = wrap.sides::<S, D>()?;
        wrap::move_home(&mut objects, sides, input)?;
        let nearest = arguments.nearest;
        let shapes = queries.iter().map(|query| query.shape::<S, D>(sides, nearest));
        let shapes: Vec<Shape<S, D>> = shapes.collect::<Result<_, _>>()?;
        let Objects { bounds, ids, .. } = objects;
        let backend = common.backend()?;
        let world = progress::with_spinner(|| {
            memory::prepare(near::bytes::<S, D>(bounds.len()))?;
            near::world(&bounds, sides, backend)
        })
        .map_err(|why| near::error::<S, D>(input, bounds.len(), &why))?;
        let metric = Metric::new(sides, false);
        let numbers = Ids::Rows;
        let lines = Lines::new([&numbers, &ids], common.format()).named(["query", "id"]);
        let most = arguments.limit.map_or(usize::MAX, |most| most as usize);
        let begun = Instant::now();
        output::write(common.path(), |out| {
            pieces::write(shapes.len(), &lines, out, &|query, lines, _| {
                lines.begin(query);
                run_one(&world, shapes[query as usize], most, &metric, lines);
            })
        })?;
        Ok(format!(
            "hexphase: {}, {D} dimensions ({}), {}, backend {backend}, found in {:.1?}",
            Count(bounds.len() as u64, "object"),
            S::NAME,
            Count(shapes.len() as u64, "query"),
            begun.elapsed(),
        ))
    }
}

/// Runs a query and appends its lines.
fn run_one<S: Number, const D: usize>(
    world: &BroadPhase<S, D, u32>,
    shape: Shape<S, D>,
    most: usize,
    metric: &Metric<S, D>,
    lines: &mut Lines<'_>,
) {
    match shape {
        Shape::Region(region) => {
            for object in world.query(region).take(most).to_vec() {
                lines.push(world[object]);
            }
        }
        Shape::Path(path) => {
            for hit in world.cast(path).take(most).to_vec() {
                lines.push_with(world[hit.object], "fraction", hit.fraction);
            }
        }
        Shape::Nearest(own, count) => {
            let target = world.nearest(Target::from(own));
            for (distance, row) in near::nearest(target, &own, count.min(most), metric) {
                lines.push_with(row, "distance", distance);
            }
        }
    }
}
