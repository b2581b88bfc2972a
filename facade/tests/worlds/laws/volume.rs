//! Volumes to test with: boxes and tighter volumes.

use core::array::from_fn;

use hexphase::{Aabb, Bounds, Plain};
use laws::numbers::{Numbers, boxes, wrong_boxes};
use proptest::prelude::*;

/// A volume that tests can generate, move and compare.
pub(crate) trait Volume<S: Numbers, const D: usize>: Bounds<S, D> + Plain {
    /// Generates volumes: mostly small and crowded, some with arbitrary coordinates, a few invalid.
    fn some() -> BoxedStrategy<Self>;
    /// Generates invalid volumes.
    fn wrong() -> BoxedStrategy<Self>;
    /// Returns the volume that a world must return, given its stored box.
    fn stored(self, at: Aabb<S, D>) -> Self;
    /// Returns whether two volumes with overlapping boxes overlap.
    fn touches(&self, other: &Self) -> bool;
    /// Returns the volume moved, rounded to its number type.
    fn moved(&self, by: [S; D]) -> Self;
}

impl<S: Numbers + Plain, const D: usize> Volume<S, D> for Aabb<S, D> {
    fn some() -> BoxedStrategy<Self> {
        prop_oneof![12 => dense(), 2 => boxes(), 1 => hostile()].boxed()
    }
    fn wrong() -> BoxedStrategy<Self> {
        wrong_boxes()
    }
    fn stored(self, at: Self) -> Self {
        at
    }
    fn touches(&self, _: &Self) -> bool {
        true
    }
    fn moved(&self, by: [S; D]) -> Self {
        self.translated(by)
    }
}

/// Generates points that often coincide.
pub(crate) fn lattice<S: Numbers, const D: usize>() -> BoxedStrategy<[S; D]> {
    // Choose the range such that objects have about the same number of neighbors in every
    // dimension.
    let reach = [32, 9, 5][D - 1];
    let step = if S::INTEGER { 1.0 } else { 0.5 };
    prop::collection::vec(-reach..=reach, D)
        .prop_map(move |at| from_fn(|axis| S::from_f64(f64::from(at[axis]) * step)))
        .boxed()
}

/// Generates small boxes that often overlap or touch.
fn dense<S: Numbers, const D: usize>() -> BoxedStrategy<Aabb<S, D>> {
    let step = if S::INTEGER { 1.0 } else { 0.5 };
    (lattice::<S, D>(), prop::collection::vec(0u8..4, D))
        .prop_map(move |(min, sizes)| {
            let size = |axis: usize| S::from_f64(f64::from(sizes[axis]) * step);
            Aabb { min, max: from_fn(|axis| min[axis].plus(size(axis))) }
        })
        .boxed()
}

/// Generates boxes between arbitrary numbers, valid or not.
fn hostile<S: Numbers, const D: usize>() -> BoxedStrategy<Aabb<S, D>> {
    prop::collection::vec((S::hostile(), S::hostile()), D)
        .prop_map(|ends| Aabb {
            min: from_fn(|axis| ends[axis].0),
            max: from_fn(|axis| ends[axis].1),
        })
        .boxed()
}
