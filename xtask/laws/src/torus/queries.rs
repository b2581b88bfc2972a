//! Queries on a torus: balls, nearest objects, casts, neighbors, and pairs within a distance.

use core::array::from_fn;

use broadphase_core::{
    Aabb, IndexObject, Motion, Neighbors, Path, Region, Scalar, SpatialIndex, SpatialIndexExt,
    Target, Torus,
};
use proptest::prelude::*;

use super::{boxes, extents, images, is_near, least, moved_down, nearest, reduced, sides};
use crate::Together;
use crate::examples::tried;
use crate::near::pairs_within_where;
use crate::numbers::Numbers;
use crate::queries::{Objects, ranked};

/// Number of images tested on each side of the fundamental domain, by dimension.
const fn max_images(dimensions: usize) -> i64 {
    [0, 9, 6, 4][dimensions]
}

/// Returns the fraction at which a path first touches an image of an object. An image above the
/// domain is tested by moving the start of the path down. An image below the domain is tested by
/// moving the object down by one side and the start up by the remaining sides.
fn touch<S: Numbers, const D: usize>(
    path: impl Fn(Aabb<S, D>) -> Path<S, D>,
    start: &Aabb<S, D>,
    bounds: &Aabb<S, D>,
    sides: &[S; D],
) -> Option<S::Real> {
    let (max_images, each) = (max_images(D), 2 * max_images(D) + 1);
    let images = (0..each.pow(D as u32)).filter_map(|number| {
        let image: [i64; D] = from_fn(|axis| number / each.pow(axis as u32) % each - max_images);
        if (0..D).any(|axis| image[axis] != 0 && sides[axis] == S::ZERO) {
            return None;
        }
        let ends = from_fn(|axis| if image[axis] < 0 { sides[axis] } else { S::ZERO });
        let begins = from_fn(|axis| {
            let worlds = if image[axis] < 0 { image[axis] + 1 } else { image[axis] };
            S::from_f64(worlds as f64 * sides[axis].to_f64())
        });
        path(moved_down(start, begins)).first_touch(&moved_down(bounds, ends))
    });
    least(images)
}

/// Seed of queries: a box, a direction, a size, and bits for details.
type Seed<S, const D: usize> = (Aabb<S, D>, Vec<i8>, S, u8);

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

/// Asserts that queries of balls, nearest objects and casts, neighbors, pairs within a distance,
/// and the nearest objects of each object are those of all images, tested one by one. There are
/// enough objects for the methods that search all objects together.
pub fn queries_use_the_nearest_image<S: Numbers, const D: usize>(make: fn() -> Together<S, D>) {
    let place = (prop::collection::vec(0.0..1.0, D), any::<u8>());
    let places = prop::collection::vec(place, 0..150);
    let others = prop::collection::vec(boxes::<S, D>(), 0..16);
    let distances = prop_oneof![
        4 => prop::sample::select(vec![0.0, 1.0, 2.0, 2.5, 3.0]),
        2 => 0.0..4.0,
        1 => prop::sample::select(vec![-1.0, 8.0, 33.0, 1e9, f64::INFINITY, f64::NAN]),
    ];
    let seed = (boxes(), prop::collection::vec(-20i8..20, D), extents::<S>(), any::<u8>());
    let seeds = prop::collection::vec(seed, 6);
    let all = (places, others, sides::<S, D>(), [distances.clone(), distances], 1usize..12, seeds);
    tried(24, all, |(places, others, sides, distances, count, seeds)| {
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
        let objects = (0..).zip(home).collect();
        check_nearest(&torus, &objects, count);
        for seed in &seeds {
            check(&torus, &objects, &sides, seed);
        }
        Ok(())
    });
}

/// Runs all queries of one seed and compares their results with the definition.
fn check<S: Numbers, const D: usize>(
    torus: &Torus<S, D>,
    objects: &Objects<S, D>,
    sides: &[S; D],
    (bounds, direction, size, bits): &Seed<S, D>,
) {
    let bounds = if bits & 1 == 0 { *bounds } else { Aabb { min: bounds.min, max: bounds.min } };
    let start = reduced(&bounds, sides);
    let check_within = |radius: S| {
        let mut found = Vec::new();
        torus.query(Region::around(bounds, radius), &mut found);
        let is_inside = |(_, other): &(&u32, &Aabb<S, D>)| is_near(&start, other, radius, sides);
        let expected = objects.iter().filter(is_inside).map(|(key, _)| key);
        assert!(expected.eq(&found), "{found:?} within {radius} of {bounds:?}");
    };
    check_within(*size);
    // Also query with radii equal to the distances of some objects along an axis. These results
    // depend on rounding.
    for object in objects.values().step_by(objects.len() / 3 + 1) {
        let gaps = images(start, *object, *sides).flat_map(|(a, b)| {
            (0..D).map(move |axis| {
                let above = b.min[axis].minus(a.max[axis]);
                let below = a.min[axis].minus(b.max[axis]);
                if above > below { above } else { below }
            })
        });
        gaps.filter(|gap| *gap > S::ZERO && gap.is_finite()).for_each(check_within);
    }

    let first = objects.values().next();
    let to_some = first.and_then(|object| Target::from(start).distance_squared(object));
    for (within, square) in [(None, None), (Some(*size), None), (None, to_some)] {
        let of = |at: Aabb<S, D>| match (within, square) {
            (Some(size), _) => Target::from(at).within(size),
            (_, Some(square)) => Target::from(at).within_squared(square),
            _ => Target::from(at),
        };
        let expected = nearest(objects, start, sides, &of);
        let mut found = Vec::new();
        torus.nearest(of(bounds), |entry, square| found.push((entry.key, square)));
        assert_eq!(found, expected, "near {:?}", of(bounds));
        let first = torus.nearest(of(bounds), |entry, _| Err(entry.key));
        assert_eq!(first.err(), expected.first().map(|&(key, _)| key));
    }

    // The number of sides that a path crosses is at most the number of tested images. Some paths
    // follow one axis.
    let only = usize::from(bits >> 2) % (2 * D);
    let direction: [f64; D] =
        from_fn(|axis| if only < D && only != axis { 0.0 } else { f64::from(direction[axis]) });
    let laps = |axis: usize| match sides[axis].to_f64() {
        0.0 => 0.0,
        side => direction[axis].abs() / side,
    };
    let laps = (0..D).map(laps).fold(0.0, f64::max);
    let by: [S; D] = direction.map(S::from_f64);
    let limit = (max_images(D) - 2) as f64 / laps;
    let until = S::Real::from_f64(if limit < 1.0 { limit } else { 1.0 });
    let few = bits & 2 == 0;
    let path = |start: Aabb<S, D>| {
        let until = if few { until } else { S::Real::from_f64(f64::INFINITY) };
        let path = Path::sweep(start, by).until(until);
        if bits & 16 == 0 { path } else { path.ignoring_contacts() }
    };
    // Compare an infinite path only up to the fraction to which images are tested.
    let tried = limit.min(S::Real::MAX.to_f64());
    let expected = ranked(objects, |other| {
        let first = touch(path, &start, other, sides)?;
        (few || laps == 0.0 || first.to_f64() <= tried).then_some((first, first))
    });
    let mut found = Vec::new();
    torus.cast(path(bounds), |entry, fraction| found.push((entry.key, fraction)));
    let mut keys: Vec<u32> = found.iter().map(|&(key, _)| key).collect();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), found.len(), "each object once");
    assert!(
        found.is_sorted_by(|a, b| a.1 < b.1 || (a.1 == b.1 && a.0 < b.0)),
        "sorted by fraction, then by key"
    );
    let first = torus.cast(path(bounds), |entry, _| Err(entry.key));
    assert_eq!(first.err(), found.first().map(|&(key, _)| key));
    if !few && direction.iter().filter(|&&direction| direction != 0.0).count() > 1 {
        found.retain(|(_, first)| laps == 0.0 || first.to_f64() <= tried);
    }
    assert_eq!(found, expected, "{:?} among {objects:?}", path(bounds));
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
            if !is_near(own, other, distance, &sides) {
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
    objects: &Objects<S, D>,
    count: usize,
) {
    let sides = torus.world();
    let ranked = |own: &Aabb<S, D>| {
        let nearest = nearest(objects, *own, &sides, &|at| at.into());
        nearest.into_iter().map(|(key, _)| key).collect::<Vec<u32>>()
    };
    let all: Vec<Vec<u32>> = objects.values().map(ranked).collect();
    let mut found = Neighbors::default();
    for count in [count, 200] {
        torus.nearest_to_each(count, &mut found);
        assert_eq!(found.keys().len(), objects.len());
        for (own, list) in found.iter() {
            let others = all[own as usize].iter().filter(|&&other| other != own).take(count);
            assert!(list.iter().eq(others), "{list:?} near {own}: {:?}", all[own as usize]);
        }
    }
}
