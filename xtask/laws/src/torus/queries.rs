//! Queries on a torus: balls, nearest objects and casts.

use core::array::from_fn;

use broadphase_core::{Aabb, IndexObject, Path, Region, Scalar, SpatialIndexExt, Target, Torus};
use proptest::prelude::*;

use super::{Objects, boxes, extents, images, moved_down, reduced, sides};
use crate::Together;
use crate::distances::order;
use crate::examples::{by_key, tried};
use crate::map::SortedMap;
use crate::numbers::Numbers;
use crate::queries::sort;

/// Returns the keys and numbers of the objects for which `rank` returns a number, sorted by number,
/// then by key.
fn ranked<S: Numbers, const D: usize>(
    objects: &Objects<S, D>,
    rank: &dyn Fn(&Aabb<S, D>) -> Option<S::Real>,
) -> Vec<(u32, S::Real)> {
    let found = objects.iter().filter_map(|(&key, object)| Some((key, rank(&object.bounds)?)));
    let mut found: Vec<_> = found.collect();
    sort(&mut found);
    found
}

fn least<N: PartialOrd>(numbers: impl Iterator<Item = N>) -> Option<N> {
    numbers.reduce(|a, b| if b < a { b } else { a })
}

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

/// Returns the objects that a torus must store, given their boxes and the sides.
fn reduced_objects<S: Numbers, const D: usize>(
    given: &SortedMap<Aabb<S, D>>,
    sides: &[S; D],
) -> Objects<S, D> {
    let mut objects = Objects::new();
    for (&key, bounds) in given {
        objects.insert(key, IndexObject::new(key, reduced(bounds, sides)));
    }
    objects
}

/// Seed of queries: a box, a direction, a size, and bits for details.
type Seed<S, const D: usize> = (Aabb<S, D>, Vec<i8>, S, u8);

/// Asserts that queries of balls, nearest objects and casts find each object once, at its nearest
/// image.
///
/// # Panics
/// If the law is violated.
pub fn queries_use_the_nearest_image<S: Numbers, const D: usize>(make: fn() -> Together<S, D>) {
    let objects = by_key(0..300, boxes::<S, D>(), 0..16);
    let seed = (boxes(), prop::collection::vec(-20i8..20, D), extents::<S>(), any::<u8>());
    let seeds = prop::collection::vec(seed, 6);
    tried(32, (objects, sides::<S, D>(), seeds), |(given, sides, seeds)| {
        let mut torus = Torus::new(make(), sides).expect("the sides are valid");
        torus.extend(given.iter().map(|(&key, &b)| (key, b))).expect("keys are free");
        let objects = reduced_objects(&given, &sides);
        torus.optimize();
        for seed in &seeds {
            check(&torus, &objects, &sides, seed);
        }
        Ok(())
    });
}

fn inside<S: Numbers, const D: usize>(
    objects: &Objects<S, D>,
    sides: &[S; D],
    bounds: &Aabb<S, D>,
    radius: S,
) -> Vec<u32> {
    let near = |other: &Aabb<S, D>| {
        images(*bounds, *other, *sides).any(|(a, b)| Region::around(a, radius).overlaps(&b))
    };
    objects.iter().filter(|(_, object)| near(&object.bounds)).map(|(&key, _)| key).collect()
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
    let mut found = Vec::new();
    torus.query(Region::around(bounds, *size), &mut found);
    assert_eq!(found, inside(objects, sides, &start, *size), "within {size} of {bounds:?}");
    // Also query with radii equal to the distance of an object along an axis. These results depend
    // on rounding.
    for object in objects.values() {
        let gaps = images(start, object.bounds, *sides).flat_map(|(a, b)| {
            (0..D).map(move |axis| {
                let (above, below) =
                    (b.min[axis].minus(a.max[axis]), a.min[axis].minus(b.max[axis]));
                if above > below { above } else { below }
            })
        });
        for radius in gaps.filter(|gap| *gap > S::ZERO && gap.is_finite()) {
            torus.query(Region::around(bounds, radius), &mut found);
            let expected = inside(objects, sides, &start, radius);
            assert_eq!(found, expected, "within {radius} of {bounds:?}");
        }
    }

    let to_some = objects
        .values()
        .next()
        .and_then(|object| Target::from(start).distance_squared(&object.bounds));
    for (within, square) in [(None, None), (Some(*size), None), (None, to_some)] {
        let of = |at: Aabb<S, D>| match (within, square) {
            (Some(size), _) => Target::from(at).within(size),
            (_, Some(square)) => Target::from(at).within_squared(square),
            _ => Target::from(at),
        };
        // Sort by distance, then by key: the sort is stable.
        let mut expected: Vec<_> = objects.iter().collect();
        let distance = |other: &IndexObject<S, D>| {
            least(images(start, other.bounds, *sides).map(|(a, b)| order(&a, &b)))
        };
        expected.sort_by(|a, b| distance(a.1).partial_cmp(&distance(b.1)).expect("numbers"));
        let square = |other: &IndexObject<S, D>| {
            let images = images(start, other.bounds, *sides);
            least(images.filter_map(|(a, b)| of(a).distance_squared(&b)))
        };
        let expected = expected.into_iter();
        let expected: Vec<_> =
            expected.filter_map(|(&key, other)| Some((key, square(other)?))).collect();
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
    let expected = ranked(objects, &|other| {
        let first = touch(path, &start, other, sides);
        first.filter(|first| few || laps == 0.0 || first.to_f64() <= tried)
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
