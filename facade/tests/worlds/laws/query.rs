//! Queries, with expected results by definition: every object is tested on its own.

use core::array::from_fn;
use core::fmt::Debug;
use core::ops::ControlFlow;

use hexphase::{
    Aabb, Found, Handle, Hit, Neighbor, Path, Query, Region, Scalar, SpatialIndex, Target,
};
use laws::distances::order;
use laws::numbers::{Numbers, boxes};
use proptest::prelude::*;

use crate::laws::model::Model;
use crate::laws::op::{Pick, picks};
use crate::laws::tally::Tally;
use crate::laws::volume::{Volume, lattice};

/// A point anywhere, or at a corner of an object.
#[derive(Clone, Copy, Debug)]
struct Spot<S, const D: usize> {
    at: [S; D],
    /// The object, and two bits per axis: whether to use a coordinate of the object, and from which
    /// end.
    corner: Option<(Pick, u8)>,
}

impl<S: Numbers, const D: usize> Spot<S, D> {
    fn of<B>(&self, model: &Model<S, D, B>) -> [S; D] {
        let corner = self.corner.and_then(|(pick, ends)| {
            let object = pick.of(model)?;
            Some((model.objects.get(&object)?.at, ends))
        });
        let Some((bounds, ends)) = corner else { return self.at };
        from_fn(|axis| match ends >> (2 * axis) & 3 {
            0 => self.at[axis],
            1 => bounds.max[axis],
            _ => bounds.min[axis],
        })
    }
}

/// Checks the queries of each kind as a batch in a world, with the options of the first query.
pub(crate) fn check_batch<S: Numbers, const D: usize, B: Volume<S, D>>(
    queries: &[ResolvedQuery<S, D>],
    model: &Model<S, D, B>,
    worlds: &[(&hexphase::BroadPhase<S, D, u32, B>, &str)],
) {
    let ResolvedQuery { mask, except, users, take, .. } = queries[0];
    let (mut regions, mut paths, mut targets) = (Vec::new(), Vec::new(), Vec::new());
    let (mut inside, mut hits, mut near) = (Vec::new(), Vec::new(), Vec::new());
    for query in queries {
        let options = ResolvedQuery { mask, except, users, take, with_ties: false, ..*query };
        let answer = options.answer(model);
        match query.kind {
            QueryKind::Region(region) => {
                regions.push(region);
                inside.push(answer.into_iter().map(|found| found.0).collect::<Vec<_>>());
            }
            QueryKind::Path(path) => {
                paths.push(path);
                let hit = |(object, fraction)| Hit { object, fraction };
                hits.push(answer.into_iter().map(hit).collect::<Vec<_>>());
            }
            QueryKind::Target(bounds) => {
                targets.push(query.target(bounds));
                near.push(neighbors(model, bounds, &answer));
            }
        }
    }
    let accept = |_: Handle, user: &u32| users.is_none_or(|users| user % 2 == users);
    let nothing = Handle::DANGLING;
    for (world, name) in worlds {
        let found = world.query_many(&regions).mask(mask).take(take).filter(accept);
        let found = found.except(except.unwrap_or(nothing)).to_lists();
        assert!(found.iter().eq(inside.iter()), "{regions:?} of {name}");
        let found = world.cast_many(&paths).mask(mask).take(take).filter(accept);
        let found = found.except(except.unwrap_or(nothing)).to_lists();
        assert!(found.iter().eq(hits.iter()), "{paths:?} of {name}");
        let found = world.nearest_many(&targets).mask(mask).take(take).filter(accept);
        let found = found.except(except.unwrap_or(nothing)).to_lists();
        assert!(found.iter().eq(near.iter()), "{targets:?} of {name}");
    }
}

/// Returns the results of a search for the nearest objects, with their distances.
fn neighbors<S: Numbers, const D: usize, B: Volume<S, D>>(
    model: &Model<S, D, B>,
    target: Aabb<S, D>,
    answer: &[(Handle, S::Real)],
) -> Vec<Neighbor<S::Real>> {
    let torus = model.wrapped();
    let near = |&(object, distance_squared)| {
        let at = &model.objects[&object].at;
        let home = torus.as_ref().map(|torus| torus.reduced(target).expect("a valid target"));
        let sides = torus.as_ref().map_or([S::ZERO; D], |torus| torus.world());
        let distance = S::length(nearest_gaps(sides, &home.unwrap_or(target), at));
        Neighbor { object, distance, distance_squared }
    };
    answer.iter().map(near).collect()
}

/// Returns the gaps between two home boxes, one of which may be moved down by one side.
pub(crate) fn nearest_gaps<S: Scalar, const D: usize>(
    sides: [S; D],
    a: &Aabb<S, D>,
    b: &Aabb<S, D>,
) -> [S::Gap; D] {
    from_fn(|axis| {
        let side = sides[axis];
        let images = [[S::ZERO; 2], [side, S::ZERO], [S::ZERO, side]].map(|[down, other_down]| {
            let [low, high] = [a.min[axis].minus(down), a.max[axis].minus(down)];
            let [min, max] = [b.min[axis].minus(other_down), b.max[axis].minus(other_down)];
            let (above, below) = (S::gap(high, min), S::gap(max, low));
            if above > below { above } else { below }
        });
        images.into_iter().reduce(|x, y| if y < x { y } else { x }).expect("three images")
    })
}

/// The parameters of a query.
#[derive(Clone, Debug)]
pub(crate) struct RandomQuery<S: Scalar, const D: usize> {
    from: Spot<S, D>,
    to: Spot<S, D>,
    bounds: Aabb<S, D>,
    size: S,
    sort: u8,
    ignores_contacts: bool,
    mask: u64,
    except: Option<Pick>,
    /// Restricts the query to objects whose user data have this remainder modulo 2.
    users: Option<u32>,
    take: Option<usize>,
    with_ties: bool,
    within: Option<S>,
    /// Object whose squared distance from the target is the maximum squared distance of results.
    within_squared: Option<Pick>,
}

#[derive(Clone, Copy, Debug)]
enum QueryKind<S: Scalar, const D: usize> {
    Region(Region<S, D>),
    Path(Path<S, D>),
    Target(Aabb<S, D>),
}

/// Generates points that overlap objects, far points, and a few invalid ones.
fn points<S: Numbers, const D: usize>() -> BoxedStrategy<[S; D]> {
    let anywhere = prop::collection::vec(S::hostile(), D).prop_map(|at| from_fn(|axis| at[axis]));
    let bad = match S::forbidden() {
        [] => lattice().boxed(),
        bad => (prop::sample::select(bad.to_vec()), lattice(), 0..D)
            .prop_map(|(bad, mut at, axis)| {
                at[axis] = bad;
                at
            })
            .boxed(),
    };
    prop_oneof![20 => lattice(), 3 => anywhere, 1 => bad].boxed()
}

fn spots<S: Numbers, const D: usize>() -> BoxedStrategy<Spot<S, D>> {
    let corner = prop::option::of((picks(), any::<u8>()));
    (points(), corner).prop_map(|(at, corner)| Spot { at, corner }).boxed()
}

fn sizes<S: Numbers>() -> BoxedStrategy<S> {
    prop_oneof![6 => S::crowded(), 1 => S::hostile()].boxed()
}

/// Generates boxes, points and balls.
pub(crate) fn regions<S: Numbers, const D: usize>() -> BoxedStrategy<Region<S, D>> {
    let boxes = prop_oneof![
        boxes(),
        (points(), points()).prop_map(|(min, max)| Aabb { min, max }),
        points().prop_map(Aabb::point),
    ];
    let size = prop_oneof![Just(S::ZERO), sizes()];
    (boxes, size).prop_map(|(bounds, radius)| Region::around(bounds, radius)).boxed()
}

pub(crate) fn queries<S: Numbers, const D: usize>() -> BoxedStrategy<RandomQuery<S, D>> {
    let options = (
        prop_oneof![3 => Just(!0), 1 => Just(0), 4 => 1u64..8],
        prop::option::of(picks()),
        prop::option::of(0u32..2),
        (prop::option::of(0usize..4), any::<bool>()),
        (prop::option::of(sizes()), prop::option::of(picks())),
        any::<bool>(),
    );
    (spots(), spots(), boxes(), sizes(), 0u8..9, options)
        .prop_map(|(from, to, bounds, size, sort, options)| {
            let (
                mask,
                except,
                users,
                (take, with_ties),
                (within, within_squared),
                ignores_contacts,
            ) = options;
            RandomQuery {
                from,
                to,
                bounds,
                size,
                sort,
                ignores_contacts,
                mask,
                except,
                users,
                take,
                with_ties,
                within,
                within_squared,
            }
        })
        .boxed()
}

/// A query, resolved against a model.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ResolvedQuery<S: Scalar, const D: usize> {
    kind: QueryKind<S, D>,
    /// For a cast that ignores some contacts: its path without this option.
    with_contacts: Option<Path<S, D>>,
    mask: u64,
    except: Option<Handle>,
    users: Option<u32>,
    take: usize,
    with_ties: bool,
    within: Option<S>,
    within_squared: Option<S::Real>,
}

impl<S: Numbers, const D: usize> RandomQuery<S, D> {
    pub(crate) fn of<B: Volume<S, D>>(&self, model: &Model<S, D, B>) -> ResolvedQuery<S, D> {
        let Self { bounds, size, mask, users, with_ties, within, within_squared, .. } = *self;
        let (from, to) = (self.from.of(model), self.to.of(model));
        let quarters = f64::from(size.to_f64() as i8);
        let kind = match self.sort {
            0 => QueryKind::Region(bounds.into()),
            1 => QueryKind::Region(from.into()),
            2 => QueryKind::Region(Region::around(bounds, size)),
            3 => QueryKind::Path(Path::segment(from, to)),
            4 => QueryKind::Path(Path::sweep(bounds, to)),
            5 => QueryKind::Path(Path::ray(from, to).until(S::Real::from_f64(quarters * 0.25))),
            // Generate infinite paths only if the world does not wrap.
            6 if model.wrapped().is_none() => QueryKind::Path(Path::ray(from, to)),
            6 | 7 => QueryKind::Target(bounds),
            _ => QueryKind::Target(Aabb::point(from)),
        };
        let (kind, with_contacts) = match kind {
            QueryKind::Path(path) if self.ignores_contacts => {
                (QueryKind::Path(path.ignoring_contacts()), Some(path))
            }
            kind => (kind, None),
        };
        let except = self.except.and_then(|pick| pick.of(model));
        let take = self.take.unwrap_or(usize::MAX);
        let mut query = ResolvedQuery {
            kind,
            with_contacts,
            mask,
            except,
            users,
            take,
            with_ties: false,
            within: None,
            within_squared: None,
        };
        if let QueryKind::Target(bounds) = kind {
            let object = within_squared.and_then(|pick| model.objects.get(&pick.of(model)?));
            query.within_squared = object
                .and_then(|object| Target::from(bounds).normalized()?.distance_squared(&object.at));
            (query.with_ties, query.within) = (with_ties, within);
        }
        query
    }
}

impl<S: Numbers, const D: usize> ResolvedQuery<S, D> {
    /// Returns the expected results, in the documented order.
    pub(crate) fn answer<B: Volume<S, D>>(&self, model: &Model<S, D, B>) -> Vec<(Handle, S::Real)> {
        let Self { except, mask, users, take, .. } = *self;
        let mut found = self.all(model);
        found.retain(|(handle, _)| {
            let object = &model.objects[handle];
            let wanted = users.is_none_or(|users| object.user % 2 == users);
            Some(*handle) != except && object.filter.layers & mask != 0 && wanted
        });
        let rest = found.split_off(take.min(found.len()));
        if let Some(&(_, last)) = found.last().filter(|_| self.with_ties) {
            found.extend(rest.into_iter().take_while(|&(_, at)| at == last));
        }
        found
    }

    /// Returns the number of objects that the path of a cast touches and ignores.
    pub(crate) fn ignored<B: Volume<S, D>>(&self, model: &Model<S, D, B>) -> usize {
        let Some(path) = self.with_contacts else { return 0 };
        let all = Self { kind: QueryKind::Path(path), ..*self };
        all.all(model).len() - self.all(model).len()
    }

    /// Returns a target with the limits of the query.
    fn target(&self, bounds: Aabb<S, D>) -> Target<S, D> {
        let mut target = Target::from(bounds);
        target = self.within.map_or(target, |within| target.within(within));
        self.within_squared.map_or(target, |square| target.within_squared(square))
    }

    /// Returns all results in the documented order, before mask, exclusion, user data and the
    /// number of results are applied.
    fn all<B: Volume<S, D>>(&self, model: &Model<S, D, B>) -> Vec<(Handle, S::Real)> {
        let nowhere = S::Real::from_f64(0.0);
        let mut found = Vec::new();
        let Some(torus) = model.wrapped() else {
            let at = |at: &Aabb<S, D>| match self.kind {
                QueryKind::Region(region) => {
                    region.normalized()?.overlaps(at).then_some((nowhere, [nowhere; 2]))
                }
                QueryKind::Path(path) => path.first_touch(at).map(|first| (first, [first; 2])),
                QueryKind::Target(bounds) => {
                    let square = self.target(bounds).normalized()?.distance_squared(at)?;
                    Some((square, order(&bounds, at)))
                }
            };
            let all = model.objects.iter();
            found.extend(all.filter_map(|(&handle, object)| Some((handle, at(&object.at)?))));
            // Handles ascend, and the sort is stable.
            found.sort_by(|(_, a), (_, b)| a.1.partial_cmp(&b.1).expect("numbers"));
            return found.into_iter().map(|(handle, (at, _))| (handle, at)).collect();
        };
        let mut found = Vec::new();
        match self.kind {
            QueryKind::Region(region) => {
                torus.query_unordered(region, |entry| found.push((entry.key, nowhere)));
                found.sort_by_key(|&(key, _)| key);
            }
            QueryKind::Path(path) => torus.cast(path, |entry, at| found.push((entry.key, at))),
            QueryKind::Target(bounds) => {
                torus.nearest(self.target(bounds), |entry, at| found.push((entry.key, at)));
            }
        }
        let handle = |slot| model.objects.keys().find(|handle| handle.index() == slot).copied();
        found.into_iter().filter_map(|(slot, at)| Some((handle(slot)?, at))).collect()
    }

    /// Runs the query in a world and compares its results.
    pub(crate) fn check<B: Volume<S, D>>(
        &self,
        model: &Model<S, D, B>,
        world: &hexphase::BroadPhase<S, D, u32, B>,
        answer: &[(Handle, S::Real)],
        name: &str,
    ) {
        let Self { users, .. } = *self;
        let accept = move |_: Handle, user: &u32| users.is_none_or(|users| user % 2 == users);
        match self.kind {
            QueryKind::Region(region) => {
                let expected: Vec<Handle> = answer.iter().map(|found| found.0).collect();
                self.compare(world, || world.query(region), accept, &expected, name);
            }
            QueryKind::Path(path) => {
                let hit = |&(object, fraction)| Hit { object, fraction };
                let expected: Vec<Hit<S::Real>> = answer.iter().map(hit).collect();
                self.compare(world, || world.cast(path), accept, &expected, name);
            }
            QueryKind::Target(bounds) => {
                let expected = neighbors(model, bounds, answer);
                let query = || {
                    let mut query = world.nearest(bounds);
                    query = if self.with_ties { query.with_ties() } else { query };
                    query = match self.within {
                        Some(within) => query.within(within),
                        None => query,
                    };
                    match self.within_squared {
                        Some(square) => query.within_squared(square),
                        None => query,
                    }
                };
                self.compare(world, query, accept, &expected, name);
            }
        }
    }

    fn compare<'a, B: Volume<S, D>, Q: Found<S::Real> + PartialEq + Debug>(
        &self,
        world: &hexphase::BroadPhase<S, D, u32, B>,
        query: impl Fn() -> Query<'a, S, D, u32, B, Q>,
        accept: impl Fn(Handle, &u32) -> bool + Copy,
        expected: &[Q],
        name: &str,
    ) {
        let query = || {
            let query = query().mask(self.mask).take(self.take);
            match self.except {
                Some(object) => query.except(object),
                None => query,
            }
        };
        let filtered = || query().filter(accept);
        let mut found = filtered().to_vec();
        assert_eq!(found, expected, "{self:?} of {name}");
        filtered().write_to(&mut found);
        assert_eq!(found, expected, "{self:?} of {name} again, into a used buffer");
        assert_eq!(filtered().count(), expected.len(), "count of {self:?} of {name}");
        assert_eq!(filtered().first(), expected.first().copied(), "first of {self:?} of {name}");
        let (mut seen, mut visits) = (Vec::new(), 0);
        let answer = filtered().visit(|found, user, bounds| {
            let object = world.get(found.object()).expect("live object");
            assert_eq!((object.user, object.bounds), (*user, *bounds), "{self:?} of {name}");
            seen.push(found);
            Ok::<(), ()>(())
        });
        assert_eq!((seen.len(), answer), (expected.len(), Ok(())), "visits of {self:?} of {name}");
        if matches!(self.kind, QueryKind::Region(_)) {
            seen.sort_unstable_by_key(Q::object);
        }
        // It is unspecified which objects of a region a limited visitor receives.
        if self.take == usize::MAX || !matches!(self.kind, QueryKind::Region(_)) {
            assert_eq!(seen, expected, "visits of {self:?} of {name}");
        }
        let stopped = filtered().visit(|_, _, _| {
            visits += 1;
            ControlFlow::Break(7)
        });
        assert_eq!((visits, stopped.is_break()), (expected.len().min(1), !expected.is_empty()));
        if self.users.is_none() {
            assert_eq!(query().to_vec(), expected, "{self:?} of {name}, without user filter");
        }
    }

    /// Adds the number of results of this query to `tally`.
    pub(crate) fn count_events(&self, found: usize, tally: &mut Tally) {
        let what = match self.kind {
            QueryKind::Region(_) => "found in regions",
            QueryKind::Path(_) => "hits",
            QueryKind::Target(_) => "neighbors",
        };
        tally.add(what, found);
        tally.count_if(found == self.take && found > 0, "limited results");
    }
}
