//! Generated scenes, converted to the scalar type of the command.

use core::array;

use broadphase_core::scenes::{Extents, Movers, Scene as Generated, SceneName};
use hexphase::Aabb;

use super::batch::Batch;
use super::number::Number;
use super::{Ids, Objects, Scene, Warnings};
use crate::error::{Error, NoMemory};
use crate::memory;

/// Minimum memory in bytes per object, of the generator and the world together.
const MIN_BYTES: usize = 100;

/// Generates a scene.
///
/// # Errors
/// If the memory for its objects is not available.
pub(crate) fn movers(name: SceneName) -> Result<Generated, Error> {
    let bytes = MIN_BYTES.saturating_mul(name.count as usize);
    match memory::is_available(bytes) {
        true => Ok(name.generate()),
        false => Err(Error::new(name, NoMemory::for_objects(name.count as usize, bytes))),
    }
}

/// Generates a scene, whose coordinates are `f32`, and rounds them to the nearest `S`.
pub(crate) fn generate<S: Number>(
    name: SceneName,
    warnings: &mut Warnings,
) -> Result<Scene<S>, Error> {
    Ok(match movers(name)? {
        Generated::Flat(movers) => Scene::Flat(objects(&movers, warnings)),
        Generated::Solid(movers) => Scene::Solid(objects(&movers, warnings)),
    })
}

/// Returns whether all objects are discs or balls.
pub(super) const fn are_discs<const D: usize>(movers: &Movers<D>) -> bool {
    matches!(movers.extents, Extents::Radii(_))
}

/// Appends the objects of a scene to a batch.
pub(super) fn append<S: Number>(scene: &Generated, batch: &mut Batch<S>, warnings: &mut Warnings) {
    fn append_all<S: Number, const D: usize>(
        movers: &Movers<D>,
        batch: &mut Batch<S>,
        warnings: &mut Warnings,
    ) {
        let resized =
            |point: [S; D]| array::from_fn(|axis| point.get(axis).copied().unwrap_or(S::ZERO));
        for Aabb { min, max } in objects(movers, warnings).bounds {
            batch.begin_row(batch.rows + 1);
            batch.bounds.push(Aabb { min: resized(min), max: resized(max) });
        }
    }
    match scene {
        Generated::Flat(movers) => append_all(movers, batch, warnings),
        Generated::Solid(movers) => append_all(movers, batch, warnings),
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
                warnings.record(|| format!("object {object}, {end}"), || x.to_string(), &rounded);
            }
            rounded
        };
        Aabb { min: bounds.min.map(|x| round("min", x)), max: bounds.max.map(|x| round("max", x)) }
    });
    Objects { bounds: bounds.collect(), ids: Ids::Rows, are_discs: are_discs(movers) }
}
