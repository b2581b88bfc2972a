//! `hexphase neighbors`: prints the neighbors of each object of a scene.
//!
//! With a radius, neighbors are the pairs of a search for pairs, listed in both directions
//! (`near/`). With a number of nearest objects, there is a search for each object
//! (`near/nearest.rs`), piece by piece (`pieces.rs`).

use std::ffi::OsString;
use std::time::Instant;

use clap::Args;
use hexphase::{Handle, Target};

use crate::arguments::{Common, ScalarType};
use crate::error::{Count, Error};
use crate::lines::Lines;
use crate::near::{self, Alone, Kind, Metric, Outcome};
use crate::scene::{Input, InputArgs, Number, Objects, Scene, Warnings};
use crate::wrap::{self, Wrap};
use crate::{memory, output, pieces, progress};

/// The arguments of `neighbors`.
#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub(crate) struct NeighborsArgs {
    /// Files; `-` for standard input; or a generated scene NAME:COUNT[:SEED]
    #[arg(value_name = "SCENE", required = true)]
    pub(crate) scene: Vec<OsString>,
    /// Print all objects at most this distance away
    #[arg(long, value_name = "DISTANCE", allow_hyphen_values = true)]
    #[arg(required_unless_present = "nearest", conflicts_with = "nearest")]
    pub(crate) radius: Option<String>,
    /// Print this number of nearest objects
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) nearest: Option<u32>,
    /// Length of each axis that wraps, 0 for an axis that does not, such as 360,0 for degrees
    #[arg(long, value_name = "LENGTHS", allow_hyphen_values = true)]
    pub(crate) wrap: Option<String>,
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(flatten)]
    pub(crate) input: InputArgs,
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

/// Runs `hexphase neighbors`. Returns the summary for standard error.
pub(crate) fn run(arguments: &NeighborsArgs) -> Result<String, Error> {
    match arguments.common.scalar {
        ScalarType::F32 => neighbors::<f32>(arguments),
        ScalarType::F64 => neighbors::<f64>(arguments),
        ScalarType::I32 => neighbors::<i32>(arguments),
    }
}

fn neighbors<S: Number>(arguments: &NeighborsArgs) -> Result<String, Error> {
    let wrap = Wrap::new(arguments.wrap.as_deref());
    let radius = arguments.radius.as_deref();
    let radius = radius.map(|text| near::read_distance("--radius", text)).transpose()?;
    let input = arguments.input.input(&arguments.scene)?.with_wrap(wrap.lengths());
    output::check(arguments.common.path(), &input)?;
    let mut warnings = Warnings::default();
    let begun = Instant::now();
    let scene = Scene::<S>::load(&input, &mut warnings)?;
    let work = Work { arguments, input: &input, wrap, radius };
    let loaded = begun.elapsed();
    let summary = match scene {
        Scene::Flat(objects) => work.finish(objects),
        Scene::Solid(objects) => work.finish(objects),
    }?;
    Ok(format!("{summary}, loaded in {loaded:.1?}\n{}", warnings.lines(&input, S::NAME)))
}

/// The state after the scene has been loaded.
struct Work<'a, S> {
    arguments: &'a NeighborsArgs,
    input: &'a Input,
    wrap: Wrap,
    radius: Option<S>,
}

impl<S: Number> Work<'_, S> {
    /// Finds and writes the neighbors. Returns the beginning of the summary.
    fn finish<const D: usize>(&self, objects: Objects<S, D>) -> Result<String, Error> {
        let common = &self.arguments.common;
        let count = Count(objects.bounds.len() as u64, "object");
        let (backend, scalar) = (common.backend()?, S::NAME);
        let begin = format!("hexphase: {count}, {D} dimensions ({scalar})");
        let Some(nearest) = self.arguments.nearest else {
            let search = Alone {
                input: self.input,
                distance: self.radius,
                wrap: &self.wrap,
                backend,
                kind: Kind::Neighbors,
                count: false,
                format: common.format(),
                path: common.path(),
            };
            let Outcome { pairs, find_time, .. } = search.run(objects)?;
            let neighbors = Count(pairs, "neighbor");
            return Ok(format!(
                "{begin}, {neighbors}, backend {backend}, found in {find_time:.1?}"
            ));
        };
        self.write_nearest(objects, nearest as usize)?;
        Ok(format!("{begin}, {nearest} nearest of each, backend {backend}"))
    }

    /// Finds the nearest objects of each object and writes their lines.
    fn write_nearest<const D: usize>(
        &self,
        mut objects: Objects<S, D>,
        count: usize,
    ) -> Result<(), Error> {
        let common = &self.arguments.common;
        let sides = self.wrap.sides::<S, D>()?;
        wrap::move_home(&mut objects, sides, self.input)?;
        let backend = common.backend()?;
        let Objects { bounds, ids, are_discs } = objects;
        let world = progress::with_spinner(|| {
            memory::prepare(near::bytes::<S, D>(bounds.len()))?;
            near::world(&bounds, sides, backend)
        })
        .map_err(|why| near::error::<S, D>(self.input, bounds.len(), &why))?;
        let metric = Metric::new(sides, are_discs);
        let handles: Vec<Handle> = world.handles().collect();
        let lines = Lines::new([&ids; 2], common.format());
        output::write(common.path(), |out| {
            pieces::write(bounds.len(), &lines, out, &|row, lines, _| {
                let own = &bounds[row as usize];
                let target = world.nearest(Target::from(*own)).except(handles[row as usize]);
                lines.begin(row);
                for (distance, other) in near::nearest(target, own, count, &metric) {
                    lines.push_with(other, "distance", distance);
                }
            })
        })
    }
}
