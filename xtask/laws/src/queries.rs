//! The laws of queries: the found objects and their order equal those of the definition. The
//! definition is applied to each object separately.

use core::cmp::Ordering;
use core::fmt::Debug;
use core::ops::ControlFlow;

use broadphase_core::{
    Aabb, Lists, Neighbors, Path, Region, Scalar, SpatialIndex, SpatialIndexExt, Target,
};
use proptest::prelude::*;

use crate::Together;
use crate::distances::{self, order};
use crate::examples::tried;
use crate::map::SortedMap;
use crate::near;
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

/// A query; for a target with its box.
#[derive(Clone, Debug)]
pub(crate) enum Query<S: Scalar, const D: usize> {
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
        7 if bits & 1 == 1 => Query::Target(bounds, bounds.into()),
        _ => {
            let target = Target::point(from);
            let corner = target.normalized().and_then(|it| it.distance_squared(&Aabb::point(to)));
            let limited = match sort {
                7 => target,
                8 => target.within(size),
                _ => corner.map_or(target, |square| target.within_squared(square)),
            };
            Query::Target(Aabb::point(from), limited)
        }
    }
}

/// Returns the keys and numbers of objects, sorted by rank, then by key. `rank` returns the number
/// and the rank of an object that is found.
pub(crate) fn ranked<S: Numbers, const D: usize, N, R: PartialOrd>(
    objects: &Objects<S, D>,
    rank: impl Fn(&Aabb<S, D>) -> Option<(N, R)>,
) -> Vec<(u32, N)> {
    let found = objects.iter().filter_map(|(&key, bounds)| Some((key, rank(bounds)?)));
    let mut found: Vec<_> = found.collect();
    // The sort is stable, so equal ranks stay sorted by key.
    found.sort_by(|(_, a), (_, b)| a.1.partial_cmp(&b.1).unwrap_or(Ordering::Equal));
    found.into_iter().map(|(key, (number, _))| (key, number)).collect()
}

/// Returns the objects that a query finds by definition, with their fractions or squared distances,
/// in order.
pub(crate) fn found_by<S: Numbers, const D: usize>(
    objects: &Objects<S, D>,
    query: &Query<S, D>,
) -> Vec<(u32, S::Real)> {
    match query {
        Query::Region(region) => region.normalized().map_or(Vec::new(), |region| {
            ranked(objects, |bounds| region.overlaps(bounds).then_some((S::Real::ZERO, 0)))
        }),
        Query::Path(path) => {
            ranked(objects, |bounds| path.first_touch(bounds).map(|first| (first, first)))
        }
        Query::Target(from, target) => target.normalized().map_or(Vec::new(), |target| {
            ranked(objects, |bounds| Some((target.distance_squared(bounds)?, order(from, bounds))))
        }),
    }
}

/// Returns the keys of the objects that a query finds by definition, in order.
fn keys_by<S: Numbers, const D: usize>(
    objects: &Objects<S, D>,
    query: &Query<S, D>,
) -> impl Iterator<Item = u32> + use<S, D> {
    found_by(objects, query).into_iter().map(|(key, _)| key)
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
pub(crate) fn check<S: Numbers, const D: usize>(
    index: &Together<S, D>,
    objects: &Objects<S, D>,
    query: &Query<S, D>,
) {
    let expected = found_by(objects, query);
    match *query {
        Query::Region(region) => {
            let mut found = vec![7];
            index.query(region, &mut found);
            assert!(expected.iter().map(|one| &one.0).eq(&found), "{found:?} in {region:?}");
        }
        Query::Path(path) => compare_visits(&expected, 2, query, &|visit| {
            index.cast(path, |entry, fraction| {
                assert_eq!(entry.bounds, objects[&entry.key], "the bounds of the object");
                visit(entry.key, fraction)
            })
        }),
        Query::Target(_, target) => compare_visits(&expected, 3, query, &|visit| {
            index.nearest(target, |entry, square| visit(entry.key, square))
        }),
    }
}

/// Asserts that `cast_many` and `nearest_many` return the first two accepted objects of each query.
/// The batches are large enough that structures may reorder their queries.
fn check_batches<S: Numbers, const D: usize>(
    index: &Together<S, D>,
    objects: &Objects<S, D>,
    queries: &[Query<S, D>],
) {
    let boxes: Vec<Aabb<S, D>> = objects.values().take(80).copied().collect();
    let mut queries = queries.to_vec();
    let segment = |(a, b): (&Aabb<S, D>, &Aabb<S, D>)| Query::Path(Path::segment(a.min, b.max));
    queries.extend(boxes.iter().zip(&boxes[1..]).map(segment));
    queries.extend(boxes.iter().map(|&bounds| Query::Target(bounds, bounds.into())));
    let (mut paths, mut targets) = (Vec::new(), Vec::new());
    let (mut hits, mut near) = (Vec::new(), Vec::new());
    let accept = |key: u32| !key.is_multiple_of(3);
    for query in &queries {
        let mut first_two = found_by(objects, query);
        first_two.retain(|&(key, _)| accept(key));
        first_two.truncate(2);
        match *query {
            Query::Path(path) => {
                paths.push(path);
                hits.push(first_two);
            }
            Query::Target(_, target) => {
                targets.push(target);
                near.push(first_two);
            }
            Query::Region(_) => {}
        }
    }
    let mut found = Lists::default();
    index.cast_many(&paths, 2, |entry| accept(entry.key), &mut found);
    assert!(found.iter().eq(hits), "the first hits on {paths:?}");
    index.nearest_many(&targets, 2, |entry| accept(entry.key), &mut found);
    assert!(found.iter().eq(near), "the nearest to {targets:?}");
    index.nearest_many(&targets, 0, |_| true, &mut found);
    assert!(found.len() == targets.len() && found.items().is_empty());
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
        let region = Query::Region(Region::around(objects[&key], radius));
        let expected = keys_by(objects, &region).filter(|&other| other != key);
        assert!(expected.eq(list.iter().copied()), "{list:?} of {key} within {radius}");
    }
}

/// Compares the result of `nearest_to_each` with the definition.
pub(crate) fn check_nearest<S: Numbers, const D: usize>(
    index: &Together<S, D>,
    objects: &Objects<S, D>,
) {
    let nearest = |(&key, &bounds): (&u32, &Aabb<S, D>)| {
        let others = keys_by(objects, &Query::Target(bounds, bounds.into()));
        (key, others.filter(|&other| other != key).collect())
    };
    let all: Vec<(u32, Vec<u32>)> = objects.iter().map(nearest).collect();
    for count in [0, 1, 4] {
        let mut found = Neighbors::default();
        index.nearest_to_each(count, &mut found);
        assert!(found.keys().iter().eq(objects.keys()), "every object has a list");
        for (key, others) in &all {
            let list = found.of(*key).expect("every object has a list");
            assert_eq!(list, &others[..count.min(others.len())], "nearest {count} to {key}");
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

/// Objects of two structures, and distances; `true` if all of them have one magnitude.
pub(crate) type Example<S, const D: usize> = (Vec<Aabb<S, D>>, Vec<Aabb<S, D>>, Vec<S>, bool);

/// Compares the results and order of queries of boxes, balls, paths, targets and neighbors, of
/// pairs with a filter, within a distance, and of two structures with the definition, before and
/// after objects have moved. In one of three examples, coordinates and distances have one of all
/// magnitudes; then objects must be in order of distance, and limits of distances and of squares
/// include the right objects.
pub fn queries_match_the_definition<S: Numbers, const D: usize>(make: fn() -> Together<S, D>) {
    let examples = prop_oneof![2 => near::examples::<S, D>(), 1 => distances::examples::<S, D>()];
    tried(96, (examples, seeds::<S, D>(), 0u32..40), |(example, seeds, late)| {
        let (mut ours, theirs, distances, has_scale) = example;
        let (mut index, mut other) = (make(), make());
        near::fill(&mut index, &ours, late);
        near::fill(&mut other, &theirs, late);
        for (round, distance) in (0..).zip(distances) {
            let objects = (0..).zip(ours.iter().copied()).collect();
            check_all(&index, &objects, &seeds);
            for &from in theirs.iter().take(if has_scale { 4 } else { 0 }) {
                distances::check_target(&index, &objects, from, distance);
            }
            near::check([&mut index, &mut other], [&ours, &theirs], distance);
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

/// Center, number of objects, spread, and random seed of a cluster.
type Cluster<S, const D: usize> = ([S; D], u32, u32, u64);

/// Returns the objects of some clusters, and one large object.
fn crowd<S: Numbers, const D: usize>(
    clusters: Vec<Cluster<S, D>>,
    thick: u32,
    giant: Aabb<S, D>,
) -> Objects<S, D> {
    let mut objects = Objects::default();
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
pub fn crowds_are_found_by_the_definition<S: Numbers, const D: usize>(
    make: fn() -> Together<S, D>,
) {
    let cluster = (points::<S, D>(), 1u32..400, 0u32..60, any::<u64>());
    let clusters = prop::collection::vec(cluster, 1..5);
    let distance = prop_oneof![3 => 1u32..6, 1 => 6u32..60];
    tried(8, (clusters, seeds::<S, D>(), boxes::<S, D>(), 0u32..2, distance), |case| {
        let (clusters, seeds, giant, thick, distance) = case;
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
                let expected = keys_by(&objects, &Query::Region(*region));
                assert!(expected.eq(list.iter().copied()), "{list:?} in {region:?}");
            }
        }
        near::check_crowds(make, &objects, S::from_f64(f64::from(distance)));
        Ok(())
    });
}

/// Asserts that invalid queries find no objects, and that an infinite radius finds all objects.
pub fn invalid_queries_find_nothing<S: Numbers, const D: usize>(make: fn() -> Together<S, D>) {
    let bounds = |n: u32| Aabb::point([S::from_f64(f64::from(n)); D]);
    let mut index = make();
    index.extend((0..50).map(|n| (n, bounds(n)))).expect("keys are free");
    index.optimize();
    let zero = [S::ZERO; D];
    let nothing = |query: Query<S, D>| check(&index, &Objects::default(), &query);
    let near = |target: Target<S, D>| nothing(Query::Target(Aabb::point(zero), target));
    let minus = S::from_f64(-1.0);
    nothing(Query::Region(Region::ball(zero, minus)));
    near(Target::point(zero).within(minus));
    for square in [-1.0, f64::NAN] {
        near(Target::point(zero).within_squared(S::Real::from_f64(square)));
    }
    near(Aabb { min: [S::MAX; D], max: [S::MIN; D] }.into());
    nothing(Query::Path(Path::sweep(Aabb { min: [S::MAX; D], max: [S::MIN; D] }, zero)));
    nothing(Query::Path(Path::segment(zero, zero).until(S::Real::from_f64(-1.0))));
    nothing(Query::Path(Path::segment(zero, zero).until(S::Real::from_f64(f64::NAN))));
    for &strange in S::FORBIDDEN {
        let mut at = zero;
        at[D - 1] = strange;
        nothing(Query::Region(Region::point(at)));
        nothing(Query::Region(Region::ball(at, S::from_f64(1.0))));
        near(Target::point(at));
        nothing(Query::Path(Path::ray(at, zero)));
        nothing(Query::Path(Path::ray(zero, at)));
        nothing(Query::Path(Path::segment(zero, at)));
    }
    let mut found = Vec::new();
    for &radius in S::FORBIDDEN {
        index.query(Region::ball(zero, radius), &mut found);
        let all = radius > S::ZERO;
        assert_eq!(found.len(), if all { 50 } else { 0 }, "within {radius}");
        let mut count = 0;
        index.nearest(Target::from(zero).within(radius), |_, _| count += 1);
        assert_eq!(count, found.len(), "within {radius}");
    }
}
