//! Objects near each other on a torus, among enough objects for the methods that search all
//! objects together: neighbors, pairs within a distance, and the nearest objects of each object.

use core::array::from_fn;
use core::cmp::Ordering;

use broadphase_core::{
    Aabb, IndexObject, Motion, Neighbors, Region, SpatialIndex, SpatialIndexExt, Target, Torus,
};
use proptest::prelude::*;

use super::{boxes, images, reduced, sides};
use crate::Together;
use crate::distances::order;
use crate::examples::tried;
use crate::near::pairs_within_where;
use crate::numbers::Numbers;

/// A number from 0 to 1 for each axis: the position of a small object in the world.
type Place = Vec<f64>;

/// Returns small objects all over a world, of which one in four is at a seam, followed by others of
/// any size.
fn objects<S: Numbers, const D: usize>(
    places: &[(Place, u8)],
    others: &[Aabb<S, D>],
    sides: &[S; D],
) -> Vec<Aabb<S, D>> {
    let small = places.iter().map(|(place, bits)| {
        let at: [f64; D] = from_fn(|axis| {
            let side = if sides[axis] > S::ZERO { sides[axis].to_f64() } else { 12.0 };
            let at = if bits % 4 == 0 { 0.1 * place[axis] - 0.05 } else { place[axis] };
            // Half of the objects are on a lattice, so that distances are often equal.
            if bits % 8 < 4 { at * side } else { (at * side) as i64 as f64 }
        });
        let extent = f64::from(bits / 16 % 4 / 2);
        let [min, max] = [0.0, extent].map(|extent| at.map(|x| S::from_f64(x + extent)));
        Aabb { min, max }
    });
    small.chain(others.iter().copied()).collect()
}

const fn is_static(key: usize) -> bool {
    key.is_multiple_of(3)
}

const fn accept(a: u32, b: u32) -> bool {
    !(a + b).is_multiple_of(5)
}

/// Asserts that neighbors, pairs within a distance, and the nearest objects to each object are
/// those of all images, tested one by one.
///
/// # Panics
/// If the law is violated.
pub fn objects_near_each_other_are_those_of_all_images<S: Numbers, const D: usize>(
    make: fn() -> Together<S, D>,
) {
    let place = (prop::collection::vec(0.0..1.0, D), any::<u8>());
    let places = prop::collection::vec(place, 0..150);
    let others = prop::collection::vec(boxes::<S, D>(), 0..10);
    let distances = prop_oneof![
        4 => prop::sample::select(vec![0.0, 1.0, 2.0, 2.5, 3.0]),
        2 => 0.0..4.0,
        1 => prop::sample::select(vec![-1.0, 8.0, 33.0, 1e9, f64::INFINITY, f64::NAN]),
    ];
    let examples = (places, others, sides::<S, D>(), [distances.clone(), distances], 1usize..12);
    tried(12, examples, |(places, others, sides, distances, count)| {
        let given = objects(&places, &others, &sides);
        let mut torus = Torus::new(make(), sides).expect("the sides are valid");
        for (key, &bounds) in given.iter().enumerate() {
            let motion = if is_static(key) { Motion::Static } else { Motion::Dynamic };
            let object = IndexObject::new(key as u32, bounds).motion(motion);
            torus.insert_many(&[object]).expect("the key is free");
        }
        torus.optimize();
        let home: Vec<_> = given.iter().map(|bounds| reduced(bounds, &sides)).collect();
        for distance in distances.map(S::from_f64) {
            check_within(&mut torus, &home, distance);
        }
        check_nearest(&torus, &home, count);
        Ok(())
    });
}

/// Checks the neighbors and the pairs within a distance.
fn check_within<S: Numbers, const D: usize>(
    torus: &mut Torus<S, D>,
    home: &[Aabb<S, D>],
    distance: S,
) {
    let sides = torus.world();
    let mut expected = vec![Vec::new(); home.len()];
    let mut pairs = Vec::new();
    for (a, own) in home.iter().enumerate() {
        for (b, other) in home.iter().enumerate().skip(a + 1) {
            let is_near = images(*own, *other, sides).any(|(own, other)| {
                Region::around(own, distance).normalized().is_some_and(|own| own.overlaps(&other))
            });
            if !is_near {
                continue;
            }
            expected[a].push(b as u32);
            expected[b].push(a as u32);
            if accept(a as u32, b as u32) && !(is_static(a) && is_static(b)) {
                pairs.push([a as u32, b as u32]);
            }
        }
    }
    let mut found = Neighbors::default();
    torus.neighbors(distance, &mut found);
    let lists = (0..).zip(expected.iter().map(Vec::as_slice));
    assert!(found.iter().eq(lists.clone()), "within {distance}: {found:?}, not {expected:?}");
    let mut found = vec![[7, 7]];
    pairs_within_where(torus, distance, accept, &mut found);
    assert_eq!(found, pairs, "within {distance}");
}

/// Checks the nearest objects to each object, also with fewer objects than requested, and all
/// objects by their distance from some of them.
fn check_nearest<S: Numbers, const D: usize>(
    torus: &Torus<S, D>,
    home: &[Aabb<S, D>],
    count: usize,
) {
    let sides = torus.world();
    let ranked = |own: usize| {
        let distance = |other: &Aabb<S, D>| {
            let all = images(home[own], *other, sides).map(|(a, b)| order(&a, &b));
            all.reduce(|a, b| if b < a { b } else { a }).expect("there is an image")
        };
        let mut others: Vec<_> =
            (0..).zip(home).map(|(key, other)| (distance(other), key)).collect();
        others.sort_by(|a, b| a.0.partial_cmp(&b.0).unwrap_or(Ordering::Equal).then(a.1.cmp(&b.1)));
        others.into_iter().map(|(_, key)| key).collect::<Vec<u32>>()
    };
    let all: Vec<Vec<u32>> = (0..home.len()).map(ranked).collect();
    let mut found = Neighbors::default();
    for count in [count, 200] {
        torus.nearest_to_each(count, &mut found);
        assert_eq!(found.keys().len(), home.len());
        for (own, list) in found.iter() {
            let others = all[own as usize].iter().filter(|&&other| other != own).take(count);
            assert!(list.iter().eq(others), "{list:?} near {own}: {:?}", all[own as usize]);
        }
    }
    for (own, expected) in all.iter().enumerate().step_by(7) {
        let mut visited = Vec::new();
        torus.nearest(Target::from(home[own]), |entry, _| visited.push(entry.key));
        assert_eq!(visited, *expected, "from {own}");
    }
}
