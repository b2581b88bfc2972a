//! The laws of overlap, union and containment, which boxes, hexagons and prisms obey.

use crate::numbers::Numbers;
use bounds_hexprism::{Aabb, Axes, Bounds, HexPrism, Hexagon, Keys};
use proptest::prelude::*;

/// The operations that the laws use, in addition to those of [`Bounds`].
pub(crate) trait Volume<S: Numbers, const D: usize>: Bounds<S, D> {
    fn contains(&self, other: &Self) -> bool;
    fn union(&self, other: &Self) -> Self;
    fn keys_overlap(&self, other: &Self) -> bool;
}

macro_rules! volume {
    ([$($generics:tt)*] $volume:ty, $dimensions:tt) => {
        impl<S: Numbers, $($generics)*> Volume<S, $dimensions> for $volume {
            fn contains(&self, other: &Self) -> bool {
                self.contains(other)
            }
            fn union(&self, other: &Self) -> Self {
                self.union(other)
            }
            fn keys_overlap(&self, other: &Self) -> bool {
                self.slabs().overlaps(&other.slabs())
            }
        }
    };
}
volume!([const D: usize] Aabb<S, D>, D);
volume!([A: Axes] Hexagon<S, A>, 2);
volume!([A: Axes] HexPrism<S, A>, 3);

pub(crate) fn algebra<S: Numbers, const D: usize, V: Volume<S, D>>(
    a: V,
    b: V,
    c: V,
) -> Result<(), TestCaseError> {
    prop_assert_eq!(a.checked(), Ok(a));
    // Overlap is reflexive and symmetric.
    prop_assert!(a.overlaps(&a));
    prop_assert_eq!(a.overlaps(&b), b.overlaps(&a));
    // A union is the smallest volume around both volumes, in any order.
    let union = a.union(&b);
    prop_assert!(union.contains(&a) && union.contains(&b));
    prop_assert_eq!(union, b.union(&a));
    prop_assert_eq!(union.union(&c), a.union(&b.union(&c)));
    prop_assert_eq!(a.union(&a), a);
    prop_assert!(union.checked().is_ok());
    prop_assert!(!(c.contains(&a) && c.contains(&b)) || c.contains(&union));
    // Containment is a partial order, and implies overlap.
    prop_assert!(!a.contains(&b) || a.overlaps(&b));
    prop_assert!(!(a.contains(&b) && b.contains(&c)) || a.contains(&c));
    prop_assert!(!(a.contains(&b) && b.overlaps(&c)) || a.overlaps(&c));
    prop_assert_eq!(a.contains(&b) && b.contains(&a), a == b);
    // Volumes that overlap have overlapping keys. If keys are exact, volumes that do not overlap
    // have disjoint keys.
    let by_keys = a.keys_overlap(&b);
    prop_assert!(by_keys >= a.overlaps(&b));
    prop_assert!(!S::EXACT_KEYS || by_keys == a.overlaps(&b));
    Ok(())
}
