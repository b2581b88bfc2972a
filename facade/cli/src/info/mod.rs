//! `hexphase info`: describes a scene.
//!
//! 1. Read the scene. Compute its extent, and the quantiles and a histogram of the sizes.
//! 2. Insert the objects into a world, which chooses a structure. Query the partners of a sample of
//!    the objects. The expected number of pairs follows from the mean number of partners.

mod report;
mod sizes;

use std::ffi::OsString;
use std::time::Instant;

use clap::Args;
use hexphase::{Aabb, BroadPhase};

use crate::arguments::{Common, ScalarType};
use crate::error::Error;
use crate::lines::Format;
use crate::scene::{Input, InputArgs, Number, Objects, Scene, Warnings};
use crate::{memory, near, output, progress};
use report::{Report, Sample};
use sizes::Sizes;

/// The maximum number of objects in the sample.
const SAMPLE: usize = 2000;

/// The arguments of `info`.
#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub(crate) struct Info {
    /// Files; `-` for standard input; or a generated scene NAME:COUNT[:SEED]
    #[arg(value_name = "SCENE", required = true)]
    pub(crate) scene: Vec<OsString>,
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(flatten)]
    pub(crate) input: InputArgs,
}

const HELP: &str = "\
Prints the number of objects, the box around all of them, the sizes of objects
(their longest sides) with a histogram, the density, the expected number of
pairs, and the structure that the command pairs selects, with the reason.

The number of pairs is estimated from a sample of 2000 objects, and has a
standard error; it is exact for scenes with up to 2000 objects.

Examples:
  hexphase info scene.csv
  hexphase info tail:10000 --json";

/// Runs `hexphase info`. Returns the summary for standard error.
pub(crate) fn run(arguments: &Info) -> Result<String, Error> {
    match arguments.common.scalar {
        ScalarType::F32 => info::<f32>(arguments),
        ScalarType::F64 => info::<f64>(arguments),
        ScalarType::I32 => info::<i32>(arguments),
    }
}

fn info<S: Number>(arguments: &Info) -> Result<String, Error> {
    let input = arguments.input.input(&arguments.scene)?;
    output::check(arguments.common.path(), &input)?;
    let mut warnings = Warnings::default();
    let begun = Instant::now();
    let scene = Scene::<S>::load(&input, &mut warnings)?;
    let loaded = begun.elapsed();
    let report = match scene {
        Scene::Flat(objects) => describe(arguments, &input, &objects),
        Scene::Solid(objects) => describe(arguments, &input, &objects),
    }?;
    output::write(arguments.common.path(), |out| match arguments.common.format() {
        Format::Csv => write!(out, "{report}"),
        Format::Json => writeln!(out, "{}", report.json()),
    })?;
    Ok(format!("hexphase: {input}, loaded in {loaded:.1?}\n{}", warnings.lines(&input, S::NAME)))
}

/// Computes the report of a scene.
fn describe<S: Number, const D: usize>(
    arguments: &Info,
    input: &Input,
    objects: &Objects<S, D>,
) -> Result<Report, Error> {
    let bounds = &objects.bounds[..];
    let backend = arguments.common.backend()?;
    let (world, sample) = progress::with_spinner(|| {
        memory::prepare(near::bytes::<S, D>(bounds.len()))?;
        let world = near::world(bounds, [S::ZERO; D], backend)?;
        let sample = sample(&world, bounds);
        Ok((world, sample))
    })
    .map_err(|why| near::error::<S, D>(input, bounds.len(), &why))?;
    let numbers = |end: fn(&Aabb<S, D>) -> &[S; D], pick: fn(f64, f64) -> f64| -> Vec<f64> {
        let ends = |axis: usize| bounds.iter().map(move |bounds| end(bounds)[axis].to_f64());
        (0..D).filter_map(|axis| ends(axis).reduce(pick)).collect()
    };
    let choice = world.choice();
    Ok(Report {
        objects: bounds.len(),
        dimensions: D,
        are_discs: objects.are_discs,
        number: |x| S::from_f64(x).to_string(),
        min: numbers(|bounds| &bounds.min, f64::min),
        max: numbers(|bounds| &bounds.max, f64::max),
        content: bounds.iter().map(content).sum(),
        sizes: Sizes::new(bounds.iter().map(size).collect()),
        sample,
        structure: choice.to_string(),
        reason: choice.reason.to_string(),
        bytes: world.stats().world_bytes + world.stats().structure_bytes,
    })
}

/// Counts the partners of up to [`SAMPLE`] objects. The objects of the sample are evenly spaced in
/// the order of ids.
fn sample<S: Number, const D: usize>(
    world: &BroadPhase<S, D, u32>,
    bounds: &[Aabb<S, D>],
) -> Sample {
    let count = bounds.len().min(SAMPLE);
    let rows = (0..count).map(|index| index * bounds.len() / count.max(1));
    // Subtract 1, because an object overlaps itself.
    let partners = rows.map(|row| world.query(bounds[row]).count().saturating_sub(1) as f64);
    Sample::new(partners.collect(), bounds.len())
}

/// Returns the longest side of a box.
fn size<S: Number, const D: usize>(bounds: &Aabb<S, D>) -> f64 {
    sides(bounds).fold(0.0, f64::max)
}

/// Returns the area or volume of a box.
fn content<S: Number, const D: usize>(bounds: &Aabb<S, D>) -> f64 {
    sides(bounds).product()
}

fn sides<S: Number, const D: usize>(bounds: &Aabb<S, D>) -> impl Iterator<Item = f64> + '_ {
    (0..D).map(|axis| bounds.max[axis].to_f64() - bounds.min[axis].to_f64())
}
