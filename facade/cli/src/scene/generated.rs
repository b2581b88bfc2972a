//! Generated scenes, converted to the scalar type of the command.

use core::array;

use broadphase_core::scenes::{self, Extents, Movers, SceneName};
use hexphase::Aabb;

use super::collector::Batch;
use super::number::Number;
use super::{Dimensions, Ids, Objects, Scene, Warnings, with_dimensions};
use crate::error::{Count, Error};
use crate::memory;

/// Minimum memory in bytes per object, of the generator and the world together.
const MIN_BYTES: usize = 100;

pub(crate) type Generated = Dimensions<Movers<2>, Movers<3>>;

pub(crate) fn movers(name: SceneName) -> Result<Generated, Error> {
    let count = name.count as usize;
    let bytes = MIN_BYTES.saturating_mul(count);
    if !memory::is_available(bytes) {
        return Err(Error::no_memory(name, Count::objects(count), bytes));
    }
    Ok(match name.generate() {
        scenes::Scene::Flat(movers) => Dimensions::Flat(movers),
        scenes::Scene::Solid(movers) => Dimensions::Solid(movers),
    })
}

/// Generates a scene, moves its objects `ticks` times, and rounds their coordinates to `S`.
pub(crate) fn generate<S: Number>(
    name: SceneName,
    ticks: u32,
    warnings: &mut Warnings,
) -> Result<Scene<S>, Error> {
    let mut scene = movers(name)?;
    with_dimensions!(&mut scene, movers => (0..ticks).for_each(|_| movers.tick()));
    Ok(match scene {
        Dimensions::Flat(movers) => Scene::Flat(objects(&movers, warnings)),
        Dimensions::Solid(movers) => Scene::Solid(objects(&movers, warnings)),
    })
}

pub(super) const fn are_discs<const D: usize>(movers: &Movers<D>) -> bool {
    matches!(movers.extents, Extents::Radii(_))
}

pub(super) fn append<S: Number, const D: usize>(movers: &Movers<D>, batch: &mut Batch<S>) {
    let resized =
        |point: [S; D]| array::from_fn(|axis| point.get(axis).copied().unwrap_or(S::ZERO));
    for Aabb { min, max } in objects(movers, &mut batch.warnings).bounds {
        batch.begin_row(batch.rows + 1);
        batch.bounds.push(Aabb { min: resized(min), max: resized(max) });
    }
}

/// Returns the current boxes of the objects, rounded to the nearest `S`.
pub(crate) fn objects<S: Number, const D: usize>(
    movers: &Movers<D>,
    warnings: &mut Warnings,
) -> Objects<S, D> {
    let bounds = movers.all_bounds().enumerate().map(|(object, bounds)| {
        let mut round = |end: &str, x: f32| {
            let rounded = S::from_f64(x.into());
            if rounded.to_f64() != f64::from(x) {
                warnings.record_rounded(|| format!("object {object}, {end}"), || x, &rounded);
            }
            rounded
        };
        Aabb { min: bounds.min.map(|x| round("min", x)), max: bounds.max.map(|x| round("max", x)) }
    });
    Objects { bounds: bounds.collect(), ids: Ids::Rows, are_discs: are_discs(movers) }
}
