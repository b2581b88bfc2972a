//! Queries of a world under test, and searches for pairs.

use core::ops::ControlFlow;

use hexphase::{
    BroadPhase, Error, Handle, Hit, Lists, Neighbor, NeighborLists, Number, PairQuery, Plain,
    Query, Scalar,
};

use super::{World, accepts, panic_as_planned, unless_planned};
use crate::shape::{Found, New, PairFound, PairSearch, Question, Request};
use crate::space::{path, region, target};
use crate::subject::Subject;
use crate::volume::Volume;

/// Searches of a world under test.
pub(crate) trait Searches {
    fn query(&self, question: &Question) -> Found;
    /// Runs all queries in three batches: regions, paths and targets. The options of the first
    /// query hold for all.
    fn query_many(&self, questions: &[Question]) -> Vec<Found>;
    fn neighbors(&self, distance: f64) -> Vec<(Handle, Vec<Handle>)>;
    fn nearest_to_each(&self, count: usize) -> Vec<(Handle, Vec<Handle>)>;
    fn overlapping(&self, object: Handle) -> Result<Vec<Handle>, Error>;
    /// Returns the pairs within a distance as a list, and as they are visited, in order.
    fn pairs_within(&mut self, search: &PairSearch) -> [Vec<PairFound>; 2];
    /// Searches pairs with another world: one with the objects `others`, or a copy of this world.
    /// Returns the handles of the other objects, and the pairs as a list and as they are visited,
    /// in order.
    fn pairs_with(
        &mut self,
        others: Option<&[New]>,
        search: &PairSearch,
    ) -> (Vec<Handle>, [Vec<PairFound>; 2]);
}

impl<S: Number + Plain, const D: usize, B: Volume<S, D>> Searches for World<S, D, B> {
    fn query(&self, question: &Question) -> Found {
        let (world, shape) = (&self.world, &question.shape);
        if let Some(region) = region::<S, D>(shape) {
            return run(world, || world.query(region), question, |&object| (object, [0.0; 2]));
        }
        if let Some(path) = path::<S, D>(shape) {
            return run(world, || world.cast(path), question, of_hit);
        }
        let Some(target) = target::<S, D>(shape) else { return Vec::new() };
        let query = || {
            let query = world.nearest(target);
            if question.with_ties { query.with_ties() } else { query }
        };
        run(world, query, question, of_neighbor)
    }

    fn query_many(&self, questions: &[Question]) -> Vec<Found> {
        let Some(first) = questions.first() else { return Vec::new() };
        let regions: Vec<_> = questions.iter().filter_map(|one| region(&one.shape)).collect();
        let paths: Vec<_> = questions.iter().filter_map(|one| path(&one.shape)).collect();
        let targets: Vec<_> = questions.iter().filter_map(|one| target(&one.shape)).collect();
        let accept = |object: Handle, user: &u32| {
            accepts(first.parity, *user) && Some(object) != first.except
        };
        let mut all = Vec::new();
        let mut found = Lists::default();
        self.world.query_many(&regions).write_to(&mut found);
        let query = self.world.query_many(&regions).mask(first.mask).take(first.take);
        query.filter(accept).write_to(&mut found);
        all.extend(found.iter().map(|list| list.iter().map(|&one| (one, [0.0; 2])).collect()));
        let (query, mut found) = (self.world.cast_many(&paths), Lists::default());
        query.mask(first.mask).take(first.take).filter(accept).write_to(&mut found);
        all.extend(found.iter().map(|list| list.iter().map(of_hit).collect()));
        let (query, mut found) = (self.world.nearest_many(&targets), Lists::default());
        query.mask(first.mask).take(first.take).filter(accept).write_to(&mut found);
        all.extend(found.iter().map(|list| list.iter().map(of_neighbor).collect()));
        all
    }

    fn neighbors(&self, distance: f64) -> Vec<(Handle, Vec<Handle>)> {
        lists(|lists| self.world.neighbors(S::from_f64(distance), lists))
    }

    fn nearest_to_each(&self, count: usize) -> Vec<(Handle, Vec<Handle>)> {
        lists(|lists| self.world.nearest_to_each(count, lists))
    }

    fn overlapping(&self, object: Handle) -> Result<Vec<Handle>, Error> {
        let mut out = vec![object];
        self.world.overlapping(object, &mut out)?;
        Ok(out)
    }

    fn pairs_within(&mut self, search: &PairSearch) -> [Vec<PairFound>; 2] {
        let (distance, [a, b]) = (S::from_f64(search.distance.unwrap_or(0.0)), search.layers);
        let mut list = vec![[Handle::DANGLING; 2]];
        self.world.pairs_within(distance).between(a, b).write_to(&mut list);
        let visited = visited(self.world.pairs_within(distance).between(a, b));
        let world = &self.world;
        [list.iter().map(|&pair| (pair, pair.map(|object| world[object]))).collect(), visited]
    }

    fn pairs_with(
        &mut self,
        others: Option<&[New]>,
        search: &PairSearch,
    ) -> (Vec<Handle>, [Vec<PairFound>; 2]) {
        let options = self.options.algorithm(search.algorithm);
        let mut other = Self { world: BroadPhase::with_options(options), options };
        match others {
            Some(others) => {
                other.insert_many(others, &mut Vec::new()).expect("valid volumes");
            }
            None => other.world = self.world.clone(),
        }
        let [ours, theirs] = search.layers;
        let mut query = |sorted: bool| {
            let query = self.world.pairs_with(&mut other.world).between(ours, theirs);
            let query = match search.distance {
                Some(distance) => query.within(S::from_f64(distance)),
                None => query,
            };
            if !sorted {
                return visited(query);
            }
            let mut list = vec![[Handle::DANGLING; 2]];
            query.write_to(&mut list);
            let users = |[a, b]: [Handle; 2]| [self.world[a], other.world[b]];
            list.iter().map(|&pair| (pair, users(pair))).collect()
        };
        let found = [query(true), query(false)];
        (other.world.handles().collect(), found)
    }
}

/// Runs a search for each object. Returns the objects with the objects found.
fn lists(search: impl Fn(&mut NeighborLists)) -> Vec<(Handle, Vec<Handle>)> {
    let mut lists = NeighborLists::default();
    search(&mut lists);
    let list = |(object, others)| {
        let others = Iterator::collect::<Vec<_>>(others);
        let same = lists.of(object).is_some_and(|list| list.eq(others.iter().copied()));
        assert!(same, "list of {object}");
        (object, others)
    };
    lists.iter().map(list).collect()
}

fn visited<S: Number + Plain, const D: usize, B: Volume<S, D>>(
    query: PairQuery<'_, S, D, u32, u32, B>,
) -> Vec<PairFound> {
    let mut visited: Vec<PairFound> = Vec::new();
    query.visit(|pair, a, b| visited.push((pair, [*a, *b])));
    visited.sort_unstable();
    visited
}

fn of_hit<R: Scalar>(hit: &Hit<R>) -> (Handle, [f64; 2]) {
    (hit.object, [hit.fraction.to_f64(), 0.0])
}

fn of_neighbor<R: Scalar>(near: &Neighbor<R>) -> (Handle, [f64; 2]) {
    (near.object, [near.distance_squared.to_f64(), near.distance.to_f64()])
}

/// Runs a query with the requested method. [`Request::First`] yields at most one result;
/// [`Request::Stop`] yields a placeholder for each visited object.
fn run<'a, S, const D: usize, B, Q>(
    world: &BroadPhase<S, D, u32, B>,
    query: impl Fn() -> Query<'a, S, D, u32, B, Q>,
    question: &Question,
    result: impl Fn(&Q) -> (Handle, [f64; 2]),
) -> Found
where
    S: Number + Plain,
    B: Volume<S, D>,
    Q: hexphase::Found<S::Real>,
{
    let plain = || {
        let query = query().mask(question.mask).take(question.take);
        match question.except {
            Some(object) => query.except(object),
            None => query,
        }
    };
    let parity = question.parity;
    let query = || plain().filter(|_, user| accepts(parity, *user));
    let nothing = (Handle::from_bits(0), [0.0; 2]);
    match question.request {
        Request::List if parity.is_none() => plain().to_vec().iter().map(result).collect(),
        Request::List => query().to_vec().iter().map(result).collect(),
        Request::Reused => {
            let mut found = plain().to_vec();
            query().write_to(&mut found);
            found.iter().map(result).collect()
        }
        Request::Panic => {
            unless_planned(|| plain().filter(|_, _| panic_as_planned()).to_vec().len());
            Vec::new()
        }
        Request::First => query().first().iter().map(result).collect(),
        Request::Visit => {
            let mut found = Vec::new();
            let end = query().visit(|one, user, bounds| {
                let object = world.get(one.object()).expect("a visited object exists");
                assert_eq!((object.user, object.bounds), (*user, *bounds), "a visited object");
                found.push(result(&one));
                Ok::<(), ()>(())
            });
            assert_eq!(end, Ok(()), "the end of a visit");
            found
        }
        Request::Stop => {
            let mut visits = 0;
            let end = query().visit(|_, _, _| {
                visits += 1;
                ControlFlow::Break(7)
            });
            assert_eq!(end.is_break(), visits > 0, "the end of a visit");
            vec![nothing; visits]
        }
    }
}
