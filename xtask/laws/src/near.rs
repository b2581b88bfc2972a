//! The definition of filtered pairs: overlapping, and within a distance, in one structure and of
//! two structures. By definition two objects are within a distance if a search for the objects
//! nearest to one of them, limited to the distance, finds the other.

use broadphase_core::pairs::accepted;
use broadphase_core::{
    Aabb, IndexObject, Motion, Pair, PairSearch, Scalar, SpatialIndex, SpatialIndexExt, Target,
};
use proptest::prelude::*;

use crate::Together;
use crate::map::SortedMap;
use crate::numbers::{Numbers, boxes};
use crate::queries::Example;

/// Objects to insert; the index is the key and determines the motion class.
type Objects<S, const D: usize> = [Aabb<S, D>];

fn motion(key: u32) -> Motion {
    match key % 5 {
        0 | 1 => Motion::Static,
        2 => Motion::Sleeping,
        _ => Motion::Dynamic,
    }
}

/// Filter of pairs; depends on numbers derived from the keys.
const fn accept(a: u32, b: u32) -> bool {
    !((a * 7 % 16) ^ (b * 7 % 16)).is_multiple_of(3)
}

/// Replaces the contents of `out` with the pairs of objects at most `distance` apart that `accept`
/// accepts, in canonical order.
pub fn pairs_within_where<S: Scalar, const D: usize>(
    index: &mut dyn SpatialIndex<S, D>,
    distance: S,
    accept: impl Fn(u32, u32) -> bool + Sync,
    out: &mut Vec<Pair>,
) {
    let filter = |found: &mut [Pair]| accepted(found, &accept);
    let search =
        PairSearch { distance: Some(distance), filter: Some(&filter), ..PairSearch::OVERLAPS };
    index.find_pairs(&search, out);
}

/// Inserts objects. Those after the number `late` are inserted after `optimize`, so they are
/// pending afterwards.
pub(crate) fn fill<S: Numbers, const D: usize>(
    index: &mut Together<S, D>,
    objects: &Objects<S, D>,
    late: u32,
) {
    for (key, &bounds) in (0..).zip(objects) {
        if key == late {
            index.optimize();
        }
        let object = IndexObject::new(key, bounds).motion(motion(key));
        index.insert_many(&[object]).expect("the key is free");
    }
}

/// Returns the pairs of objects that overlap, or that are within a distance, as
/// `[own index, other's index]`. In the same structure, two static objects are not a pair, and
/// pairs must be accepted.
fn expected<S: Numbers, const D: usize>(
    [ours, theirs]: [&Objects<S, D>; 2],
    distance: Option<S>,
    same: bool,
) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for (a, own) in (0..).zip(ours) {
        let target = distance.map(|distance| Target::from(*own).within(distance).normalized());
        for (b, other) in (0..).zip(theirs).skip(if same { a as usize + 1 } else { 0 }) {
            let is_near = match target {
                Some(target) => target.is_some_and(|it| it.distance_squared(other).is_some()),
                None => own.overlaps(other),
            };
            let moves = motion(a) != Motion::Static || motion(b) != Motion::Static;
            if is_near && (!same || moves && accept(a, b)) {
                pairs.push([a, b]);
            }
        }
    }
    pairs
}

/// Asserts that all methods return the expected pairs.
pub(crate) fn check<S: Numbers, const D: usize>(
    [index, other]: [&mut Together<S, D>; 2],
    [ours, theirs]: [&Objects<S, D>; 2],
    distance: S,
) {
    let mut found = vec![[7, 7]];
    index.pairs_where(accept, &mut found);
    assert_eq!(found, expected([ours, ours], None, true), "{ours:?}");
    index.pairs_with(other, S::ZERO, &mut found);
    assert_eq!(found, expected([ours, theirs], None, false), "{ours:?} and {theirs:?}");
    let pairs = expected([ours, ours], Some(distance), true);
    pairs_within_where(index, distance, accept, &mut found);
    assert_eq!(found, pairs, "within {distance}: {ours:?}");
    let across = expected([ours, theirs], Some(distance), false);
    index.pairs_with(other, distance, &mut found);
    assert_eq!(found, across, "within {distance}: {ours:?} and {theirs:?}");
}

/// Objects of two structures, and distances, some of them invalid.
pub(crate) fn examples<S: Numbers, const D: usize>() -> impl Strategy<Value = Example<S, D>> {
    let objects = || prop::collection::vec(boxes::<S, D>(), 0..40);
    let invalid: Vec<S> = [S::ZERO].iter().chain(S::FORBIDDEN).copied().collect();
    let distance =
        prop_oneof![4 => S::crowded(), 1 => S::hostile(), 1 => prop::sample::select(invalid)];
    (objects(), objects(), prop::collection::vec(distance, 4), Just(false))
}

/// Asserts that all methods return the expected pairs of hundreds of objects: one in three of them
/// is in the other structure.
pub(crate) fn check_crowds<S: Numbers, const D: usize>(
    make: fn() -> Together<S, D>,
    objects: &SortedMap<Aabb<S, D>>,
    distance: S,
) {
    let (mut index, mut other) = (make(), make());
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for (key, &bounds) in objects.iter() {
        if key % 3 == 1 { &mut theirs } else { &mut ours }.push(bounds);
    }
    fill(&mut index, &ours, 0);
    fill(&mut other, &theirs, 0);
    check([&mut index, &mut other], [&ours, &theirs], distance);
    check([&mut other, &mut index], [&theirs, &ours], distance);
}
