//! Nearest objects on a torus: shell by shell, each object at its nearest image.

use bounds_hexprism::{Flow, Scalar};

use super::Torus;
use crate::query::{SearchShells, Target, show};
use crate::{Entry, SpatialIndex};

/// Visits the objects within the limits of a target, ascending by distance, then by key.
pub(super) fn nearest<I: SpatialIndex<S, D>, S: Scalar, const D: usize, R: Flow>(
    torus: &Torus<I, S, D>,
    target: Target<S, D>,
    mut visit: impl FnMut(Entry<'_, S, D, I::Data>, S::Real) -> R,
) -> R {
    let Torus { inner, world, .. } = torus;
    let Some(target) = target.normalized() else { return R::CONTINUE };
    let Some(home) = world.reduce(*target.bounds()) else { return R::CONTINUE };
    let shells = SearchShells::new(target.moved_to(home), inner.spacing(), inner.len());
    let Some(mut shells) = shells else { return R::CONTINUE };
    shells.add_image(&world.image_below(&home));
    shells.each(
        |shell, hits| {
            let _ = torus.candidates(&shell.area(), 0, |entry| {
                let (target, bounds) = world.nearest(&home, &entry.bounds);
                hits.see(entry.key, 0, || shell.square_between(&target, &bounds))
            });
        },
        |hit| show(inner, hit, &mut visit),
    )
}
