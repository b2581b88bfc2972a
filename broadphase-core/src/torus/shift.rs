//! Distances to stored boxes, for worlds over a [`Torus`](super::Torus). Sides are not validated: they
//! must be ones that [`Torus::new`](super::Torus::new) accepts.

use bounds_hexprism::{Aabb, Scalar};

use super::world::World;
use crate::query::{self, Target};

/// Returns the distance between two stored boxes: that between their nearest images.
#[must_use]
pub fn distance<S: Scalar, const D: usize>(
    sides: [S; D],
    a: &Aabb<S, D>,
    b: &Aabb<S, D>,
) -> S::Real {
    let (a, b) = World::of_valid(sides).nearest(a, b);
    query::distance(&a, &b)
}

/// Returns the distance from a target, which may be anywhere, to a stored box.
#[must_use]
pub fn distance_to<S: Scalar, const D: usize>(
    sides: [S; D],
    target: &Target<S, D>,
    stored: &Aabb<S, D>,
) -> S::Real {
    let home = World::of_valid(sides).reduce(*target.bounds());
    distance(sides, &home.unwrap_or(*target.bounds()), stored)
}
