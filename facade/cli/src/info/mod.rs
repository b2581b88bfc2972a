//! `hexphase info`: describes a scene.
//!
//! 1. Read the scene. Compute its extent, and the quantiles and a histogram of the sizes.
//! 2. Insert the objects into the structure that `pairs` uses. Query the partners of a sample of
//!    the objects. The expected number of pairs follows from the mean number of partners.

mod report;
mod sizes;

use clap::Args;
use hexphase::{Aabb, Reason, SpatialIndex, SpatialIndexExt};

use crate::arguments::{Common, SceneArgs};
use crate::error::Error;
use crate::lines::Format;
use crate::near::{self, Index};
use crate::output;
use crate::scene::{Input, Number, Objects, with_dimensions};
use crate::wrap::Wrap;
use report::{Report, Sample};
use sizes::Sizes;

/// The maximum number of objects in the sample.
const SAMPLE: usize = 2000;

#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub(crate) struct Info {
    #[command(flatten)]
    scene: SceneArgs,
    #[command(flatten)]
    pub(crate) common: Common,
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

pub(crate) fn run<S: Number>(Info { scene, common }: &Info) -> Result<String, Error> {
    let (scene, origin) = scene.load::<S>(&Wrap::default(), common)?;
    let report = with_dimensions!(scene, objects => describe(common, &origin.input, objects))?;
    output::write(common.path(), &mut |out| match common.format() {
        Format::Csv => write!(out, "{report}"),
        Format::Json => writeln!(out, "{}", report.json()),
    })?;
    Ok(origin.lines::<S>(&origin.input.to_string(), None))
}

fn describe<S: Number, const D: usize>(
    common: &Common,
    input: &Input,
    Objects { bounds, are_discs, .. }: Objects<S, D>,
) -> Result<Report, Error> {
    let index = Index::for_queries(bounds, [S::ZERO; D], common.backend, input)?;
    let bounds = &index.bounds[..];
    let numbers = |end: fn(&Aabb<S, D>) -> &[S; D], pick: fn(f64, f64) -> f64| -> Vec<f64> {
        let ends = |axis: usize| bounds.iter().map(move |bounds| end(bounds)[axis].to_f64());
        (0..D).filter_map(|axis| ends(axis).reduce(pick)).collect()
    };
    let algorithm = near::algorithm_for(bounds.len());
    let is_few = algorithm == hexphase::Algorithm::Brute;
    Ok(Report {
        objects: bounds.len(),
        dimensions: D,
        are_discs,
        number: |x| S::from_f64(x).to_string(),
        min: numbers(|bounds| &bounds.min, f64::min),
        max: numbers(|bounds| &bounds.max, f64::max),
        content: bounds.iter().map(|bounds| sides(bounds).product::<f64>()).sum(),
        sizes: Sizes::new(bounds.iter().map(|it| sides(it).fold(0.0, f64::max)).collect()),
        sample: sample(index.structure(), bounds),
        structure: algorithm.to_string(),
        reason: if is_few { Reason::Few } else { Reason::Many }.to_string(),
        bytes: index.structure().memory_use(),
    })
}

/// Counts the partners of up to [`SAMPLE`] objects, evenly spaced in the order of ids.
fn sample<S: Number, const D: usize>(
    structure: &dyn SpatialIndex<S, D>,
    bounds: &[Aabb<S, D>],
) -> Sample {
    let count = bounds.len().min(SAMPLE);
    let mut found = Vec::new();
    let partners = (0..count).map(|sampled| {
        structure.query(bounds[sampled * bounds.len() / count], &mut found);
        // Subtract 1, because an object overlaps itself.
        found.len().saturating_sub(1) as f64
    });
    Sample::new(partners.collect(), bounds.len())
}

fn sides<S: Number, const D: usize>(bounds: &Aabb<S, D>) -> impl Iterator<Item = f64> + '_ {
    (0..D).map(|axis| bounds.max[axis].to_f64() - bounds.min[axis].to_f64())
}
