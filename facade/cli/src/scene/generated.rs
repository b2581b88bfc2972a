//! Generated scenes as objects.

use broadphase_core::scenes::{Movers, Scene as Generated, SceneName};
use hexphase::Aabb;

use super::number::Number;
use super::{Changes, Objects, Scene};
use crate::error::Error;

/// What an object of a scene takes at least, from the generator to the pairs.
const BYTES: usize = 100;

/// The objects of a generated scene, unless there is no memory for so many.
pub(crate) fn movers(name: SceneName) -> Result<Generated, Error> {
    let bytes = BYTES.saturating_mul(name.count as usize);
    match Vec::<u8>::new().try_reserve_exact(bytes) {
        Ok(()) => Ok(name.generate()),
        Err(_) => Err(Error::new(name, "not enough memory for so many objects")),
    }
}

/// The objects of a generated scene: the boxes in `f32`, then rounded to the nearest `S`.
pub(crate) fn generate<S: Number>(
    name: SceneName,
    changes: &mut Changes,
) -> Result<Scene<S>, Error> {
    Ok(match movers(name)? {
        Generated::Flat(movers) => Scene::Flat(objects(&movers, changes)),
        Generated::Solid(movers) => Scene::Solid(objects(&movers, changes)),
    })
}

/// The objects as they are at the moment, rounded to the nearest `S`.
pub(crate) fn objects<S: Number, const D: usize>(
    movers: &Movers<D>,
    changes: &mut Changes,
) -> Objects<S, D> {
    let bounds = movers.all_bounds().enumerate().map(|(object, bounds)| {
        let mut round = |end: &str, x: f32| {
            let rounded = S::from_f64(x.into());
            if rounded.to_f64() != f64::from(x) {
                changes.note(|| format!("object {object}, {end}"), &x, &rounded);
            }
            rounded
        };
        Aabb { min: bounds.min.map(|x| round("min", x)), max: bounds.max.map(|x| round("max", x)) }
    });
    Objects { bounds: bounds.collect(), ids: None }
}
