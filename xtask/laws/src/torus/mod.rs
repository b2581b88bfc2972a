//! The law of the torus. Boxes are moved to the fundamental domain, `[0, side)` on each axis. Pairs
//! and queries must be those of these boxes and all their images, tested one by one.

mod exact;
mod images;
mod queries;
mod vectors;

pub use images::every_image_counts_once;
pub use queries::queries_use_the_nearest_image;
pub use vectors::vectors_are_shortest;

use core::array::from_fn;

use broadphase_core::{Aabb, Region, Target};
use proptest::prelude::*;

use crate::distances::order;
use crate::map::SortedMap;
use crate::numbers::Numbers;
use crate::queries::ranked;

/// Returns a strategy for the sides of a world: powers of two, other integers, sides that use the
/// full precision, tiny and huge sides; 0 on axes that do not wrap.
fn sides<S: Numbers, const D: usize>() -> BoxedStrategy<[S; D]> {
    // Integers round fractional sides: 13.7 to 14, 7.85 to 8, and 0.1 to 0, which does not wrap.
    // The huge side is the largest odd side, one less than the largest side.
    let largest = if S::INTEGER { 268_435_455.0 } else { 1e30 };
    let large = prop::sample::select(vec![33_554_432.0, 360.0, 1000.0, largest]);
    let odd = prop::sample::select(vec![12.0, 11.0, 13.7, 7.853_981_633_974_483]);
    let side = prop_oneof![
        4 => Just(16.0),
        2 => Just(8.0),
        6 => odd,
        1 => Just(0.0),
        1 => large,
        1 => prop::sample::select(vec![0.1, 3.0, 40.0]),
    ];
    prop::collection::vec(side, D)
        .prop_map(|sides| from_fn(|axis| S::from_f64(sides[axis])))
        .boxed()
}

/// Returns a strategy for minimum coordinates: on a coarse lattice around the seams, slightly
/// beside the lattice, or anywhere.
fn places<S: Numbers>() -> BoxedStrategy<S> {
    let fine = prop::sample::select(vec![0.0, 0.0, 0.0, -1e-20, 1e-20, -1e-7, 1e-6, 0.1]);
    let lattice = (-24i32..40, fine).prop_map(|(n, fine)| S::from_f64(f64::from(n) + fine));
    let between = (0u32..16_000).prop_map(|n| S::from_f64(f64::from(n) * 0.001));
    prop_oneof![10 => lattice, 2 => between, 2 => S::crowded(), 1 => S::hostile()].boxed()
}

/// Returns a strategy for extents: mostly small, or about one side, or more.
fn extents<S: Numbers>() -> BoxedStrategy<S> {
    let few = prop::sample::select(vec![0.0, 0.0, 0.0, 1.0, 1.0, 2.0, 3.0, 5.0]);
    let around = prop::sample::select(vec![7.0, 8.0, 8.5, 15.0, 16.0, 17.0, 33.0, 33_554_432.0]);
    prop_oneof![8 => few, 1 => around].prop_map(S::from_f64).boxed()
}

fn boxes<S: Numbers, const D: usize>() -> BoxedStrategy<Aabb<S, D>> {
    prop::collection::vec((places::<S>(), extents::<S>()), D)
        .prop_map(|axes| {
            let min = from_fn(|axis| axes[axis].0);
            let max = from_fn(|axis| {
                let (min, extent) = axes[axis];
                let max = min.plus(extent);
                if max.is_finite() { max } else { min }
            });
            Aabb { min, max }
        })
        .boxed()
}

/// Returns a box as it must be stored: moved to the fundamental domain by the definition.
pub(crate) fn reduced<S: Numbers, const D: usize>(
    bounds: &Aabb<S, D>,
    sides: &[S; D],
) -> Aabb<S, D> {
    let mut reduced = bounds.checked().expect("the box is valid");
    for (axis, &side) in sides.iter().enumerate().filter(|(_, side)| **side > S::ZERO) {
        let covers = |min: S, max: S| max.minus(min) >= side;
        let (min, max) = (reduced.min[axis], reduced.max[axis]);
        let home = if covers(min, max) { (S::ZERO, side) } else { exact::home(min, max, side) };
        (reduced.min[axis], reduced.max[axis]) =
            if covers(home.0, home.1) { (S::ZERO, side) } else { home };
    }
    reduced
}

/// Returns a box moved down by a distance on each axis: 0 or the side.
pub(crate) fn moved_down<S: Numbers, const D: usize>(
    bounds: &Aabb<S, D>,
    by: [S; D],
) -> Aabb<S, D> {
    Aabb {
        min: from_fn(|axis| bounds.min[axis].minus(by[axis])),
        max: from_fn(|axis| bounds.max[axis].minus(by[axis])),
    }
}

/// Returns all relative positions of two reduced boxes: on each axis, both boxes are unchanged, or
/// one is moved down by one side.
fn images<S: Numbers, const D: usize>(
    a: Aabb<S, D>,
    b: Aabb<S, D>,
    sides: [S; D],
) -> impl Iterator<Item = (Aabb<S, D>, Aabb<S, D>)> {
    (0..3usize.pow(D as u32)).map(move |image| {
        let shift = |axis: usize| image / 3usize.pow(axis as u32) % 3;
        let by = |which| from_fn(|axis| if shift(axis) == which { sides[axis] } else { S::ZERO });
        (moved_down(&a, by(1)), moved_down(&b, by(2)))
    })
}

/// Returns whether two reduced boxes overlap in an image.
pub(crate) fn overlap<S: Numbers, const D: usize>(
    a: &Aabb<S, D>,
    b: &Aabb<S, D>,
    sides: &[S; D],
) -> bool {
    images(*a, *b, *sides).any(|(a, b)| a.overlaps(&b))
}

/// Returns whether a box is within a distance of an image of another box.
fn is_near<S: Numbers, const D: usize>(
    a: &Aabb<S, D>,
    b: &Aabb<S, D>,
    distance: S,
    sides: &[S; D],
) -> bool {
    images(*a, *b, *sides)
        .any(|(a, b)| Region::around(a, distance).normalized().is_some_and(|a| a.overlaps(&b)))
}

/// Returns the keys and squared distances of the objects within the limits of a target, sorted by
/// the distance of the nearest image, then by key. `of` returns the target for the image of a box.
fn nearest<S: Numbers, const D: usize>(
    objects: &SortedMap<Aabb<S, D>>,
    from: Aabb<S, D>,
    sides: &[S; D],
    of: &dyn Fn(Aabb<S, D>) -> Target<S, D>,
) -> Vec<(u32, S::Real)> {
    ranked(objects, |other| {
        let images = || images(from, *other, *sides);
        let square = least(images().filter_map(|(a, b)| of(a).distance_squared(&b)))?;
        Some((square, least(images().map(|(a, b)| order(&a, &b)))))
    })
}

fn least<N: PartialOrd>(numbers: impl Iterator<Item = N>) -> Option<N> {
    numbers.reduce(|a, b| if b < a { b } else { a })
}
