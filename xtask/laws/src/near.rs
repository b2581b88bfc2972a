//! Laws of filtered pairs: overlapping, and within a distance, in one structure and of two
//! structures. By definition two objects are within a distance if a search for the objects nearest
//! to one of them, limited to the distance, finds the other.

use broadphase_core::pairs::accepted;
use broadphase_core::{
    Aabb, IndexObject, Motion, Pair, PairSearch, Scalar, SpatialIndex, SpatialIndexExt, Target,
};
use proptest::prelude::*;

use crate::Together;
use crate::distances::{scaled, seeds};
use crate::examples::{tried, tried_until};
use crate::numbers::{Numbers, boxes};

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

fn fill<S: Numbers, const D: usize>(index: &mut Together<S, D>, objects: &Objects<S, D>) {
    for (key, &bounds) in (0..).zip(objects) {
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
        let target = match distance {
            Some(distance) => Target::from(*own).within(distance).normalized(),
            None => Some(Target::from(*own)),
        };
        let Some(target) = target else { continue };
        for (b, other) in (0..).zip(theirs).skip(if same { a as usize + 1 } else { 0 }) {
            let is_near = match distance {
                Some(_) => target.distance_squared(other).is_some(),
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

/// Asserts that all methods return the expected pairs. Returns the number of pairs within the
/// distance.
fn check<S: Numbers, const D: usize>(
    [index, other]: [&mut Together<S, D>; 2],
    [ours, theirs]: [&Objects<S, D>; 2],
    distance: S,
) -> usize {
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
    pairs.len() + across.len()
}

/// Asserts that all methods return the expected pairs of a few objects of any size, with valid and
/// invalid distances, before and after objects have moved. In one of three examples, coordinates
/// and distances have one of all magnitudes, from subnormal numbers to the largest.
///
/// # Panics
/// If the law is violated.
pub fn filtered_pairs_are_those_of_the_definition<S: Numbers, const D: usize>(
    make: fn() -> Together<S, D>,
) {
    let objects = || prop::collection::vec(boxes::<S, D>(), 0..40);
    let invalid: Vec<S> = [S::ZERO].iter().chain(S::forbidden()).copied().collect();
    let distance =
        prop_oneof![4 => S::crowded(), 1 => S::hostile(), 1 => prop::sample::select(invalid)];
    let any = (objects(), objects(), prop::collection::vec(distance, 4));
    let scale = prop::sample::select(S::scales().to_vec());
    let seeds = || prop::collection::vec(seeds(), 0..30);
    let limits = prop::collection::vec(1u8..=16, 2);
    let of_a_scale = (scale, seeds(), seeds(), limits).prop_map(|(scale, ours, theirs, limits)| {
        let place = |seeds: Vec<_>| seeds.iter().map(|s| scaled(s, scale)).collect::<Vec<_>>();
        let distances = limits.into_iter().map(|limit| S::from_f64(f64::from(limit) * scale));
        (place(ours), place(theirs), distances.collect::<Vec<_>>())
    });
    tried(96, prop_oneof![2 => any, 1 => of_a_scale], |(mut ours, theirs, distances)| {
        let (mut index, mut other) = (make(), make());
        fill(&mut index, &ours);
        fill(&mut other, &theirs);
        for (round, distance) in (0..).zip(distances) {
            check([&mut index, &mut other], [&ours, &theirs], distance);
            // Moved objects leave holes or are pending in the next round.
            for key in (round..ours.len()).step_by(3) {
                let Some(&bounds) = theirs.get(key) else { break };
                ours[key] = bounds;
                index.set_bounds(key as u32, bounds).expect("the object exists");
            }
        }
        Ok(())
    });
}

/// Asserts that all methods return the expected pairs of hundreds of objects, mostly small. The shortest distance is less than their size, the longest joins distant
/// objects.
///
/// # Panics
/// If the law is violated, or if fewer than half of the examples have a pair.
pub fn crowds_within_a_distance_are_found<S: Numbers, const D: usize>(
    make: fn() -> Together<S, D>,
) {
    let relevant = core::cell::Cell::new(0);
    // The side of the world is chosen so that an object has a few neighbors.
    let side = [4000u16, 260, 90][D - 1];
    let extent = prop_oneof![12 => 0u16..4, 1 => 0u16..40];
    let place = prop::collection::vec((0..side, extent), D).prop_map(|axes| {
        let number = |x: u16| S::from_f64(f64::from(x));
        Aabb {
            min: core::array::from_fn(|axis| number(axes[axis].0)),
            max: core::array::from_fn(|axis| number(axes[axis].0 + axes[axis].1)),
        }
    });
    let crowd = |len| prop::collection::vec(place.clone(), len);
    let distance = prop_oneof![3 => 1u16..6, 1 => 6u16..60];
    let examples = (crowd(0..700), crowd(0..200), prop::collection::vec(distance, 2));
    let law = |(ours, theirs, distances): (Vec<_>, Vec<_>, Vec<u16>)| {
        let (mut index, mut other) = (make(), make());
        fill(&mut index, &ours);
        fill(&mut other, &theirs);
        for distance in distances {
            let distance = S::from_f64(f64::from(distance));
            let mut found = check([&mut index, &mut other], [&ours, &theirs], distance);
            found += check([&mut other, &mut index], [&theirs, &ours], distance);
            relevant.set(relevant.get() + u32::from(found > 0));
        }
        Ok(())
    };
    tried_until(4, examples, law, |tried| {
        (relevant.get() < tried).then(|| format!("{} of {tried} have a pair", relevant.get()))
    });
}
