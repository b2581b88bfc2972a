//! The laws of queries: the found objects and their order equal those of the definition. The
//! definition is applied to each object separately.

use core::cmp::Ordering;
use core::fmt::Debug;
use core::ops::ControlFlow;

use broadphase_core::{
    Aabb, Lists, Motion, Neighbors, Path, Region, Scalar, SpatialIndex, SpatialIndexExt, Target,
};
use proptest::prelude::*;

use crate::Together;
use crate::distances::order;
use crate::examples::{by_key, tried};
use crate::map::SortedMap;
use crate::numbers::{Numbers, boxes};
use crate::random::Random;

/// Objects by key.
pub(crate) type Objects<S, const D: usize> = SortedMap<Aabb<S, D>>;

/// Returns a strategy for points on a coarse lattice, or with extreme coordinates.
fn points<S: Numbers, const D: usize>() -> BoxedStrategy<[S; D]> {
    let of = |numbers: BoxedStrategy<S>| {
        prop::collection::vec(numbers, D).prop_map(|at| core::array::from_fn(|axis| at[axis]))
    };
    prop_oneof![6 => of(S::crowded()), 1 => of(S::hostile())].boxed()
}

/// A query.
#[derive(Clone, Debug)]
enum Query<S: Scalar, const D: usize> {
    Region(Region<S, D>),
    Path(Path<S, D>),
    Target(Aabb<S, D>, Target<S, D>),
}

/// A random point, or a point on the boundary of an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SamplePoint<S, const D: usize> {
    at: [S; D],
    /// An object, and a two-bit number for each axis: 0 selects the random coordinate, 1 the
    /// maximum of the object, 2 and 3 its minimum.
    corner: Option<(prop::sample::Index, u8)>,
}

impl<S: Numbers, const D: usize> SamplePoint<S, D> {
    fn resolve(&self, objects: &Objects<S, D>) -> [S; D] {
        let Some((which, ends)) = self.corner.filter(|_| !objects.is_empty()) else {
            return self.at;
        };
        let bounds = *which.get(&objects.values().collect::<Vec<_>>());
        core::array::from_fn(|axis| match ends >> (2 * axis) & 3 {
            0 => self.at[axis],
            1 => bounds.max[axis],
            _ => bounds.min[axis],
        })
    }
}

fn sample_points<S: Numbers, const D: usize>() -> BoxedStrategy<SamplePoint<S, D>> {
    let corner = prop::option::of((any::<prop::sample::Index>(), any::<u8>()));
    (points(), corner).prop_map(|(at, corner)| SamplePoint { at, corner }).boxed()
}

/// Seed of a query: two points, a size, a box, bits for details, and the kind.
pub(crate) type Seed<S, const D: usize> =
    (SamplePoint<S, D>, SamplePoint<S, D>, S, Aabb<S, D>, u8, u8);

pub(crate) fn seeds<S: Numbers, const D: usize>() -> impl Strategy<Value = Vec<Seed<S, D>>> {
    let size = prop_oneof![5 => S::crowded(), 1 => S::hostile()];
    let seed = (sample_points(), sample_points(), size, boxes::<S, D>(), any::<u8>(), 0u8..10);
    prop::collection::vec(seed, 12)
}

fn seeded_query<S: Numbers, const D: usize>(
    seed: &Seed<S, D>,
    objects: &Objects<S, D>,
) -> Query<S, D> {
    let (from, to, size, bounds, bits, sort) = *seed;
    let (from, to) = (from.resolve(objects), to.resolve(objects));
    // Half of the paths are axis-parallel or have length 0.
    let straight = |axis: usize| if bits >> axis & 1 == 1 && bits & 8 == 0 { from } else { to };
    let to = core::array::from_fn(|axis| straight(axis)[axis]);
    let until = S::Real::from_f64(f64::from(bits >> 4) * 0.125);
    // One in three paths ignores contacts.
    let path =
        |path: Path<S, D>| Query::Path(if bits % 3 == 0 { path.ignoring_contacts() } else { path });
    match sort {
        0 => Query::Region(Region::ball(from, size)),
        1 => Query::Region(Region::around(bounds, size)),
        2 => Query::Region(if bits & 1 == 0 { bounds.into() } else { from.into() }),
        3 => path(Path::segment(from, to)),
        4 => path(Path::ray(from, to)),
        5 => path(Path::sweep(bounds, to)),
        6 => path(Path::ray(from, to).until(until)),
        7 => target(if bits & 1 == 0 { Aabb::point(from) } else { bounds }, &|target| target),
        8 => target(Aabb::point(from), &|target| target.within(size)),
        _ => target(Aabb::point(from), &|target| {
            let corner = target.normalized().and_then(|it| it.distance_squared(&Aabb::point(to)));
            corner.map_or(target, |square| target.within_squared(square))
        }),
    }
}

/// Returns a query for the objects nearest to a box, with the limits set by `limit`.
fn target<S: Scalar, const D: usize>(
    bounds: Aabb<S, D>,
    limit: &dyn Fn(Target<S, D>) -> Target<S, D>,
) -> Query<S, D> {
    Query::Target(bounds, limit(bounds.into()))
}

/// Returns the keys and squared distances of the objects within the limits of a target around a
/// box, sorted by distance, then by key.
fn nearest<S: Numbers, const D: usize>(
    objects: &Objects<S, D>,
    bounds: &Aabb<S, D>,
    target: &Target<S, D>,
) -> Vec<(u32, S::Real)> {
    let Some(target) = target.normalized() else { return Vec::new() };
    let found = objects.iter().filter_map(|(&key, other)| {
        Some(((key, target.distance_squared(other)?), order(bounds, other)))
    });
    let mut found: Vec<_> = found.collect();
    // The sort is stable, so equal distances stay sorted by key.
    found.sort_by(|a, b| a.1.partial_cmp(&b.1).unwrap_or(Ordering::Equal));
    found.into_iter().map(|(found, _)| found).collect()
}

/// Returns the keys and numbers of the objects for which `rank` returns a number, sorted by number,
/// then by key.
fn ranked<S: Numbers, const D: usize>(
    objects: &Objects<S, D>,
    rank: &dyn Fn(&Aabb<S, D>) -> Option<S::Real>,
) -> Vec<(u32, S::Real)> {
    let found = objects.iter().filter_map(|(&key, bounds)| Some((key, rank(bounds)?)));
    let mut found: Vec<_> = found.collect();
    sort(&mut found);
    found
}

/// Sorts entries by their numbers. Entries must be given in ascending order of keys; entries with
/// equal numbers stay in this order.
pub(crate) fn sort<N: PartialOrd>(found: &mut [(u32, N)]) {
    // The sort is stable, so equal numbers stay sorted by key.
    found.sort_by(|a, b| a.1.partial_cmp(&b.1).unwrap_or(Ordering::Equal));
}

/// Visitor that receives the key of a found object, and its fraction or squared distance.
type Visitor<'a, N> = &'a mut dyn FnMut(u32, N) -> ControlFlow<u32>;

/// Asserts that `walk` visits the expected keys in order, and stops if a visitor breaks after `few`
/// calls.
fn compare_visits<N: PartialEq + Copy + Debug>(
    expected: &[(u32, N)],
    few: usize,
    query: &dyn Debug,
    walk: &dyn Fn(Visitor<'_, N>) -> ControlFlow<u32>,
) {
    let mut found = Vec::new();
    let whole = walk(&mut |key, number| {
        found.push((key, number));
        ControlFlow::Continue(())
    });
    assert_eq!(found, expected, "{query:?}");
    assert_eq!(whole, ControlFlow::Continue(()));
    let mut found = Vec::new();
    let stopped = walk(&mut |key, number| {
        found.push((key, number));
        if found.len() >= few { ControlFlow::Break(key) } else { ControlFlow::Continue(()) }
    });
    assert_eq!(found, expected[..few.min(expected.len())], "the first of {query:?}");
    assert_eq!(stopped.break_value(), (found.len() == few).then(|| expected[few - 1].0));
}

/// Runs one query and compares its result with the definition.
fn check<S: Numbers, const D: usize>(
    index: &Together<S, D>,
    objects: &Objects<S, D>,
    query: &Query<S, D>,
) {
    match query {
        Query::Region(region) => {
            let mut found = vec![7];
            index.query(*region, &mut found);
            assert_eq!(found, inside(objects, region), "{region:?}");
        }
        Query::Path(path) => {
            let expected = ranked(objects, &|bounds| path.first_touch(bounds));
            compare_visits(&expected, 2, path, &|visit| {
                index.cast(*path, |entry, fraction| {
                    assert_eq!(entry.bounds, objects[&entry.key], "the bounds of the object");
                    visit(entry.key, fraction)
                })
            });
        }
        Query::Target(bounds, target) => {
            let expected = nearest(objects, bounds, target);
            compare_visits(&expected, 3, target, &|visit| {
                index.nearest(*target, |entry, square| visit(entry.key, square))
            });
        }
    }
}

/// Asserts that `cast_many` and `nearest_many` return the first two accepted objects of each query.
/// The batches are large enough that structures may reorder their queries.
fn check_batches<S: Numbers, const D: usize>(
    index: &Together<S, D>,
    objects: &Objects<S, D>,
    queries: &[Query<S, D>],
) {
    let (mut paths, mut targets) = (Vec::new(), Vec::new());
    for query in queries {
        match *query {
            Query::Path(path) => paths.push(path),
            Query::Target(bounds, target) => targets.push((bounds, target)),
            Query::Region(_) => {}
        }
    }
    let boxes: Vec<Aabb<S, D>> = objects.values().take(80).copied().collect();
    paths.extend(boxes.iter().zip(&boxes[1..]).map(|(a, b)| Path::segment(a.min, b.max)));
    targets.extend(boxes.iter().map(|&bounds| (bounds, Target::from(bounds))));
    let accept = |key: u32| !key.is_multiple_of(3);
    let first_two = |mut found: Vec<(u32, S::Real)>| {
        found.retain(|&(key, _)| accept(key));
        found.truncate(2);
        found
    };
    let mut found = Lists::default();
    index.cast_many(&paths, 2, |entry| accept(entry.key), &mut found);
    let hits = |path: &Path<S, D>| first_two(ranked(objects, &|bounds| path.first_touch(bounds)));
    assert!(found.iter().eq(paths.iter().map(hits)), "the first hits on {paths:?}");
    let near: Vec<_> = targets
        .iter()
        .map(|(bounds, target)| first_two(nearest(objects, bounds, target)))
        .collect();
    let targets: Vec<_> = targets.into_iter().map(|(_, target)| target).collect();
    index.nearest_many(&targets, 2, |entry| accept(entry.key), &mut found);
    assert!(found.iter().eq(near), "the nearest to {targets:?}");
    index.nearest_many(&targets, 0, |_| true, &mut found);
    assert!(found.len() == targets.len() && found.items().is_empty());
}

/// Returns the keys of the objects that a region overlaps.
fn inside<S: Numbers, const D: usize>(objects: &Objects<S, D>, region: &Region<S, D>) -> Vec<u32> {
    let Some(region) = region.normalized() else { return Vec::new() };
    let found = objects.iter().filter(|(_, bounds)| region.overlaps(bounds));
    found.map(|(&key, _)| key).collect()
}

/// Compares the result of `neighbors` with the definition.
fn check_neighbors<S: Numbers, const D: usize>(
    index: &Together<S, D>,
    objects: &Objects<S, D>,
    radius: S,
) {
    let mut found = Neighbors::default();
    index.neighbors(radius, &mut found);
    assert!(found.keys().iter().eq(objects.keys()), "every object has a list");
    for (key, list) in found.iter() {
        let mut expected = inside(objects, &Region::around(objects[&key], radius));
        expected.retain(|&other| other != key);
        assert_eq!(list, expected, "of {key} within {radius}");
    }
}

/// Compares the result of `nearest_to_each` with the definition.
fn check_nearest<S: Numbers, const D: usize>(index: &Together<S, D>, objects: &Objects<S, D>) {
    let counts = [0, 1, 4];
    let found = counts.map(|count| {
        let mut found = Neighbors::default();
        index.nearest_to_each(count, &mut found);
        assert!(found.keys().iter().eq(objects.keys()), "every object has a list");
        found
    });
    for (&key, bounds) in objects {
        let mut others = nearest(objects, bounds, &(*bounds).into());
        others.retain(|&(other, _)| other != key);
        let others = || others.iter().map(|&(other, _)| other);
        for (count, found) in counts.iter().zip(&found) {
            let list = found.of(key).expect("every object has a list");
            assert!(others().take(*count).eq(list.iter().copied()), "nearest {count} to {key}");
        }
    }
}

/// Runs the queries of the seeds, `neighbors` and `nearest_to_each`, and compares their results
/// with the definition.
pub(crate) fn check_all<S: Numbers, const D: usize>(
    index: &Together<S, D>,
    objects: &Objects<S, D>,
    seeds: &[Seed<S, D>],
) {
    for seed in seeds {
        check(index, objects, &seeded_query(seed, objects));
    }
    check_neighbors(index, objects, seeds[0].2);
    check_nearest(index, objects);
}

/// Compares the results and order of queries of boxes, balls, paths, targets and neighbors with the
/// definition, both with pending objects and after `pairs`.
///
/// # Panics
/// If the law is violated.
pub fn queries_match_the_definition<S: Numbers, const D: usize>(make: fn() -> Together<S, D>) {
    let objects = by_key(0..500, boxes::<S, D>(), 0..40);
    tried(128, (objects, seeds::<S, D>(), 0usize..40), |(objects, seeds, late)| {
        let mut index = make();
        // Objects inserted after `optimize` are pending during the queries.
        for (number, (&key, &bounds)) in objects.iter().enumerate() {
            if number == late {
                index.optimize();
            }
            index.insert(key, bounds).expect("the key is free");
            if key % 5 == 0 {
                index.set_motion(key, Motion::Static).expect("the object exists");
            }
        }
        for _ in 0..2 {
            check_all(&index, &objects, &seeds);
            index.pairs(&mut Vec::new());
        }
        Ok(())
    });
}

/// Center, number of objects, spread, and random seed of a cluster.
type Cluster<S, const D: usize> = ([S; D], u32, u32, u64);

/// Returns the objects of some clusters, and one large object.
fn crowd<S: Numbers, const D: usize>(
    clusters: Vec<Cluster<S, D>>,
    thick: u32,
    giant: Aabb<S, D>,
) -> Objects<S, D> {
    let mut objects = Objects::new();
    for (center, count, spread, seed) in clusters {
        let mut random = Random::new(seed);
        for number in 0..count {
            let mut random = || S::from_f64(f64::from(random.below(spread + 1)) * 0.5);
            let min = center.map(|x| x.plus(random()).canonical());
            let min = min.map(|x| if x.is_finite() { x } else { S::ZERO });
            let max = min.map(|x| {
                let end = x.plus(S::from_f64(f64::from(thick * (number % 3))));
                if end.is_finite() { end } else { x }
            });
            objects.insert(objects.len() as u32, Aabb { min, max });
        }
    }
    objects.insert(objects.len() as u32, giant.checked().expect("the box is valid"));
    objects
}

/// Compares the results and order of queries with the definition, among up to about 1,600 objects:
/// dense, sparse and coincident.
///
/// # Panics
/// If the law is violated.
pub fn crowds_are_found_by_the_definition<S: Numbers, const D: usize>(
    make: fn() -> Together<S, D>,
) {
    let cluster = (points::<S, D>(), 1u32..400, 0u32..60, any::<u64>());
    let clusters = prop::collection::vec(cluster, 1..5);
    tried(8, (clusters, seeds::<S, D>(), boxes::<S, D>(), 0u32..2), |case| {
        let (clusters, seeds, giant, thick) = case;
        let objects = crowd(clusters, thick, giant);
        let mut index = make();
        index.extend(objects.iter().map(|(&key, &b)| (key, b))).expect("keys are free");
        index.optimize();
        let queries: Vec<Query<S, D>> =
            seeds.iter().map(|seed| seeded_query(seed, &objects)).collect();
        queries.iter().for_each(|query| check(&index, &objects, query));
        // One radius is smaller than some objects, the other larger than almost all.
        for radius in [1.0, 2.0] {
            check_neighbors(&index, &objects, S::from_f64(radius));
        }
        check_nearest(&index, &objects);
        check_batches(&index, &objects, &queries);

        // A batch of this number of regions is large enough that structures may reorder it.
        let regions: Vec<Region<S, D>> =
            objects.values().take(100).map(|&bounds| bounds.into()).collect();
        let mut found = Lists::default();
        for many in [&regions[..], &regions[..regions.len() / 3]] {
            index.query_many(many, &mut found);
            assert_eq!(found.len(), many.len());
            for (region, list) in many.iter().zip(found.iter()) {
                assert_eq!(list, inside(&objects, region));
            }
        }
        Ok(())
    });
}

/// Asserts that invalid queries find no objects, and that an infinite radius finds all objects.
///
/// # Panics
/// If the law is violated.
pub fn invalid_queries_find_nothing<S: Numbers, const D: usize>(make: fn() -> Together<S, D>) {
    let bounds = |n: u32| Aabb::point([S::from_f64(f64::from(n)); D]);
    let mut index = make();
    index.extend((0..50).map(|n| (n, bounds(n)))).expect("keys are free");
    index.optimize();
    let zero = [S::ZERO; D];
    let nothing = |query: Query<S, D>| check(&index, &Objects::new(), &query);
    let minus = S::from_f64(-1.0);
    nothing(Query::Region(Region::ball(zero, minus)));
    nothing(target(Aabb::point(zero), &|target| target.within(minus)));
    for square in [-1.0, f64::NAN] {
        let square = S::Real::from_f64(square);
        nothing(target(Aabb::point(zero), &|target| target.within_squared(square)));
    }
    nothing(target(Aabb { min: [S::MAX; D], max: [S::MIN; D] }, &|target| target));
    nothing(Query::Path(Path::sweep(Aabb { min: [S::MAX; D], max: [S::MIN; D] }, zero)));
    nothing(Query::Path(Path::segment(zero, zero).until(S::Real::from_f64(-1.0))));
    nothing(Query::Path(Path::segment(zero, zero).until(S::Real::from_f64(f64::NAN))));
    for &strange in S::forbidden() {
        let mut at = zero;
        at[D - 1] = strange;
        nothing(Query::Region(Region::point(at)));
        nothing(Query::Region(Region::ball(at, S::from_f64(1.0))));
        nothing(target(Aabb::point(at), &|target| target));
        nothing(Query::Path(Path::ray(at, zero)));
        nothing(Query::Path(Path::ray(zero, at)));
        nothing(Query::Path(Path::segment(zero, at)));
    }
    let mut found = Vec::new();
    for &radius in S::forbidden() {
        index.query(Region::ball(zero, radius), &mut found);
        let all = radius > S::ZERO;
        assert_eq!(found.len(), if all { 50 } else { 0 }, "within {radius}");
        let mut count = 0;
        index.nearest(Target::from(zero).within(radius), |_, _| count += 1);
        assert_eq!(count, found.len(), "within {radius}");
    }
}
