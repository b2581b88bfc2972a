//! The laws of queries: what is found, and in which order, is what the definitions say of each
//! object on its own.

use core::cmp::Ordering;
use core::fmt::Debug;
use core::ops::ControlFlow;

use alloc::collections::BTreeMap;
use broadphase_core::{Aabb, Lists, Motion, Neighbors, Path, Region, Scalar, SpatialIndex, Target};
use proptest::prelude::*;

use crate::Together;
use crate::examples::{by_key, tried};
use crate::numbers::{Numbers, boxes};

/// Objects by key.
pub(crate) type Objects<S, const D: usize> = BTreeMap<u32, Aabb<S, D>>;

/// Points on a coarse lattice, or anywhere.
fn points<S: Numbers, const D: usize>() -> BoxedStrategy<[S; D]> {
    let of = |numbers: BoxedStrategy<S>| {
        prop::collection::vec(numbers, D).prop_map(|at| core::array::from_fn(|axis| at[axis]))
    };
    prop_oneof![6 => of(S::crowded()), 1 => of(S::hostile())].boxed()
}

/// A question of each sort.
#[derive(Clone, Debug)]
enum Ask<S: Scalar, const D: usize> {
    Region(Region<S, D>),
    Path(Path<S, D>),
    Target(Target<S, D>),
}

/// Where a point is of interest: anywhere, or on the border of an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot<S, const D: usize> {
    at: [S; D],
    /// Which object, and for each axis two bits: whether to take its coordinate, and which end.
    corner: Option<(prop::sample::Index, u8)>,
}

impl<S: Numbers, const D: usize> Spot<S, D> {
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

fn spots<S: Numbers, const D: usize>() -> BoxedStrategy<Spot<S, D>> {
    let corner = prop::option::of((any::<prop::sample::Index>(), any::<u8>()));
    (points(), corner).prop_map(|(at, corner)| Spot { at, corner }).boxed()
}

/// What makes questions of objects: two spots, a size, and which sort.
pub(crate) type Seed<S, const D: usize> = (Spot<S, D>, Spot<S, D>, S, Aabb<S, D>, u8, u8);

pub(crate) fn seeds<S: Numbers, const D: usize>() -> impl Strategy<Value = Vec<Seed<S, D>>> {
    let size = prop_oneof![5 => S::crowded(), 1 => S::hostile()];
    let seed = (spots(), spots(), size, boxes::<S, D>(), any::<u8>(), 0u8..9);
    prop::collection::vec(seed, 12)
}

fn ask<S: Numbers, const D: usize>(seed: &Seed<S, D>, objects: &Objects<S, D>) -> Ask<S, D> {
    let (from, to, size, bounds, bits, sort) = *seed;
    let (from, to) = (from.resolve(objects), to.resolve(objects));
    // Half of the ways run along some axes only, or nowhere.
    let straight = |axis: usize| if bits >> axis & 1 == 1 && bits & 8 == 0 { from } else { to };
    let to = core::array::from_fn(|axis| straight(axis)[axis]);
    let until = S::Real::from_f64(f64::from(bits >> 4) * 0.125);
    match sort {
        0 => Ask::Region(Region::ball(from, size)),
        1 => Ask::Region(Region::around(bounds, size)),
        2 => Ask::Region(if bits & 1 == 0 { bounds.into() } else { from.into() }),
        3 => Ask::Path(Path::segment(from, to)),
        4 => Ask::Path(Path::ray(from, to)),
        5 => Ask::Path(Path::sweep(bounds, to)),
        6 => Ask::Path(Path::ray(from, to).until(until)),
        7 => Ask::Target(if bits & 1 == 0 { from.into() } else { bounds.into() }),
        _ => Ask::Target(Target::from(from).within(size)),
    }
}

/// What the definition gives of each object, in the order of the numbers, then of the keys.
fn ranked<S: Numbers, const D: usize>(
    objects: &Objects<S, D>,
    rank: &dyn Fn(&Aabb<S, D>) -> Option<S::Real>,
) -> Vec<(u32, S::Real)> {
    let found = objects.iter().filter_map(|(&key, bounds)| Some((key, rank(bounds)?)));
    let mut found: Vec<_> = found.collect();
    sort(&mut found);
    found
}

/// Puts what has keys that ascend in the order of its numbers.
pub(crate) fn sort<N: PartialOrd>(found: &mut [(u32, N)]) {
    // The sort is stable.
    found.sort_by(|a, b| a.1.partial_cmp(&b.1).unwrap_or(Ordering::Equal));
}

/// Sees a key and its number.
type Visitor<'a, N> = &'a mut dyn FnMut(u32, N) -> ControlFlow<u32>;

/// Compares the whole answer, and what a visitor sees that stops early.
fn compare<N: PartialEq + Copy + Debug>(
    expected: &[(u32, N)],
    few: usize,
    what: &dyn Debug,
    walk: &dyn Fn(Visitor<'_, N>) -> ControlFlow<u32>,
) {
    let mut found = Vec::new();
    let whole = walk(&mut |key, number| {
        found.push((key, number));
        ControlFlow::Continue(())
    });
    assert_eq!(found, expected, "{what:?}");
    assert_eq!(whole, ControlFlow::Continue(()));
    let mut found = Vec::new();
    let stopped = walk(&mut |key, number| {
        found.push((key, number));
        if found.len() >= few { ControlFlow::Break(key) } else { ControlFlow::Continue(()) }
    });
    assert_eq!(found, expected[..few.min(expected.len())], "the first of {what:?}");
    assert_eq!(stopped.break_value(), (found.len() == few).then(|| expected[few - 1].0));
}

/// Asks one question.
fn check<S: Numbers, const D: usize>(
    index: &Together<S, D>,
    objects: &Objects<S, D>,
    ask: &Ask<S, D>,
) {
    match ask {
        Ask::Region(region) => {
            let mut found = vec![7];
            index.query(*region, &mut found);
            assert_eq!(found, inside(objects, region), "{region:?}");
        }
        Ask::Path(path) => {
            let expected = ranked(objects, &|bounds| path.first_touch(bounds));
            compare(&expected, 2, path, &|visit| {
                index.cast(*path, |entry, fraction| {
                    assert_eq!(entry.bounds, objects[&entry.key], "the object itself");
                    visit(entry.key, fraction)
                })
            });
        }
        Ask::Target(target) => {
            let asked = target.askable();
            let expected = ranked(objects, &|bounds| asked?.distance_squared(bounds));
            compare(&expected, 3, target, &|visit| {
                index.nearest(*target, |entry, square| visit(entry.key, square))
            });
        }
    }
}

/// The keys of what a region overlaps.
fn inside<S: Numbers, const D: usize>(objects: &Objects<S, D>, region: &Region<S, D>) -> Vec<u32> {
    let Some(region) = region.askable() else { return Vec::new() };
    let found = objects.iter().filter(|(_, bounds)| region.overlaps(bounds));
    found.map(|(&key, _)| key).collect()
}

/// Asks for the neighbours of all.
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

/// Asks for those nearest to each.
fn check_nearest<S: Numbers, const D: usize>(index: &Together<S, D>, objects: &Objects<S, D>) {
    let mut found = Neighbors::default();
    for count in [0, 1, 4] {
        index.nearest_to_each(count, &mut found);
        assert!(found.keys().iter().eq(objects.keys()), "every object has a list");
        for (key, list) in found.iter() {
            let target = Target::from(objects[&key]);
            let nearest = ranked(objects, &|bounds| target.distance_squared(bounds));
            let others = nearest.iter().map(|&(other, _)| other).filter(|&other| other != key);
            assert!(others.take(count).eq(list.iter().copied()), "the nearest {count} to {key}");
        }
    }
}

/// Asks the questions that seeds make, and for the neighbours of all.
pub(crate) fn check_all<S: Numbers, const D: usize>(
    index: &Together<S, D>,
    objects: &Objects<S, D>,
    seeds: &[Seed<S, D>],
) {
    for seed in seeds {
        check(index, objects, &ask(seed, objects));
    }
    check_neighbors(index, objects, seeds[0].2);
    check_nearest(index, objects);
}

/// Boxes, balls, paths, targets, neighbours and batches: what is found, and in which order, is
/// what the definition says of each object; before anything was refreshed, and after.
///
/// # Panics
/// If not.
pub fn questions_are_answered_by_the_definition<S: Numbers, const D: usize>(
    make: fn() -> Together<S, D>,
) {
    let objects = by_key(0..500, boxes::<S, D>(), 0..40);
    tried(128, (objects, seeds::<S, D>(), 0usize..40), |(objects, seeds, late)| {
        let mut index = make();
        // Some wait when questions are asked.
        for (number, (&key, &bounds)) in objects.iter().enumerate() {
            if number == late {
                index.optimize();
            }
            index.insert(key, bounds, key).expect("the key is free");
            if key % 5 == 0 {
                index.set_motion(key, Motion::Static).expect("it is there");
            }
        }
        for _ in 0..2 {
            check_all(&index, &objects, &seeds);
            index.pairs(&mut Vec::new());
        }
        Ok(())
    });
}

/// Where a cluster is, how many it has, how far apart they are, and where its numbers begin.
type Cluster<S, const D: usize> = ([S; D], u32, u32, u64);

/// All objects of some clusters, and one more.
fn crowd<S: Numbers, const D: usize>(
    clusters: Vec<Cluster<S, D>>,
    thick: u32,
    giant: Aabb<S, D>,
) -> Objects<S, D> {
    let mut objects = Objects::new();
    for (center, count, spread, mut state) in clusters {
        for number in 0..count {
            let mut random = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                S::from_f64(f64::from((state >> 40) as u32 % (spread + 1)) * 0.5)
            };
            let min = center.map(|x| x.plus(random()).canonical());
            let min = min.map(|x| if x.is_finite() { x } else { S::ZERO });
            let max = min.map(|x| {
                let end = x.plus(S::from_f64(f64::from(thick * (number % 3))));
                if end.is_finite() { end } else { x }
            });
            objects.insert(objects.len() as u32, Aabb { min, max });
        }
    }
    objects.insert(objects.len() as u32, giant.checked().expect("it is valid"));
    objects
}

/// The same of crowds: some thousand objects, close together, far apart and on top of each other.
///
/// # Panics
/// If not.
pub fn crowds_are_found_by_the_definition<S: Numbers, const D: usize>(
    make: fn() -> Together<S, D>,
) {
    let cluster = (points::<S, D>(), 1u32..400, 0u32..60, any::<u64>());
    let clusters = prop::collection::vec(cluster, 1..5);
    tried(8, (clusters, seeds::<S, D>(), boxes::<S, D>(), 0u32..2), |case| {
        let (clusters, seeds, giant, thick) = case;
        let objects = crowd(clusters, thick, giant);
        let mut index = make();
        index.extend(objects.iter().map(|(&key, &b)| (key, b, key))).expect("keys are free");
        index.optimize();
        let asks: Vec<_> = seeds.iter().map(|seed| ask(seed, &objects)).collect();
        asks.iter().for_each(|ask| check(&index, &objects, ask));
        // Smaller than some objects, and larger than nearly all.
        for radius in [1.0, 2.0] {
            check_neighbors(&index, &objects, S::from_f64(radius));
        }
        check_nearest(&index, &objects);

        // Many regions at once; enough of them to be asked in another order.
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

/// Questions with numbers that no object may have are answered with nothing, or with everything.
///
/// # Panics
/// If not.
pub fn strange_questions_find_nothing<S: Numbers, const D: usize>(make: fn() -> Together<S, D>) {
    let bounds = |n: u32| Aabb::point([S::from_f64(f64::from(n)); D]);
    let mut index = make();
    index.extend((0..50).map(|n| (n, bounds(n), n))).expect("keys are free");
    index.optimize();
    let zero = [S::ZERO; D];
    let nothing = |ask: Ask<S, D>| check(&index, &Objects::new(), &ask);
    let minus = S::from_f64(-1.0);
    nothing(Ask::Region(Region::ball(zero, minus)));
    nothing(Ask::Target(Target::from(zero).within(minus)));
    nothing(Ask::Target(Aabb { min: [S::MAX; D], max: [S::MIN; D] }.into()));
    nothing(Ask::Path(Path::sweep(Aabb { min: [S::MAX; D], max: [S::MIN; D] }, zero)));
    nothing(Ask::Path(Path::segment(zero, zero).until(S::Real::from_f64(-1.0))));
    nothing(Ask::Path(Path::segment(zero, zero).until(S::Real::from_f64(f64::NAN))));
    for &strange in S::forbidden() {
        let mut at = zero;
        at[D - 1] = strange;
        nothing(Ask::Region(Region::point(at)));
        nothing(Ask::Region(Region::ball(at, S::from_f64(1.0))));
        nothing(Ask::Target(at.into()));
        nothing(Ask::Path(Path::ray(at, zero)));
        nothing(Ask::Path(Path::ray(zero, at)));
        nothing(Ask::Path(Path::segment(zero, at)));
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
