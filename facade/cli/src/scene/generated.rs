//! Generated scenes, converted to the scalar type.

use broadphase_core::scenes::{Movers, Scene as Generated, SceneName};
use hexphase::Aabb;

use super::number::Number;
use super::{Objects, Roundings, Scene};
use crate::error::Error;

/// Minimum memory of one object in bytes, in the generator and the world together.
const MIN_BYTES: usize = 100;

/// Generates a scene.
///
/// # Errors
/// If the memory for its objects is not available.
pub(crate) fn movers(name: SceneName) -> Result<Generated, Error> {
    let bytes = MIN_BYTES.saturating_mul(name.count as usize);
    match Vec::<u8>::new().try_reserve_exact(bytes) {
        Ok(()) => Ok(name.generate()),
        Err(_) => {
            Err(Error::new(name, format_args!("not enough memory for {} objects", name.count)))
        }
    }
}

/// Generates a scene in `f32` and rounds it to the nearest `S`.
pub(crate) fn generate<S: Number>(
    name: SceneName,
    roundings: &mut Roundings,
) -> Result<Scene<S>, Error> {
    Ok(match movers(name)? {
        Generated::Flat(movers) => Scene::Flat(objects(&movers, roundings)),
        Generated::Solid(movers) => Scene::Solid(objects(&movers, roundings)),
    })
}

/// Returns the current boxes, rounded to the nearest `S`.
pub(crate) fn objects<S: Number, const D: usize>(
    movers: &Movers<D>,
    roundings: &mut Roundings,
) -> Objects<S, D> {
    let bounds = movers.all_bounds().enumerate().map(|(object, bounds)| {
        let mut round = |end: &str, x: f32| {
            let rounded = S::from_f64(x.into());
            if rounded.to_f64() != f64::from(x) {
                roundings.record(|| format!("object {object}, {end}"), &x, &rounded);
            }
            rounded
        };
        Aabb { min: bounds.min.map(|x| round("min", x)), max: bounds.max.map(|x| round("max", x)) }
    });
    Objects { bounds: bounds.collect(), ids: None }
}
