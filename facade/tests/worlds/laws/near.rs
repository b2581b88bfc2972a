//! Pairs within a distance, and pairs of two worlds.

use hexphase::{
    Aabb, Algorithm, BroadPhase, BruteForce, Handle, Motion, Options, Plain, Region, SpatialIndex,
    Target, Torus,
};
use laws::numbers::Numbers;
use proptest::prelude::*;

use crate::laws::model::{Model, Object};
use crate::laws::op::{New, new_objects};
use crate::laws::play::Game;
use crate::laws::volume::Volume;

/// Searches for pairs in each world under test, and for pairs of such a world and one of two
/// others: a world of a few other objects, and a copy of a world under test.
#[derive(Clone, Debug)]
pub(crate) struct NearPairs<S, B> {
    /// Maximum distance. `None` stands for overlaps in searches of two worlds, and for distance 0
    /// in searches of one world.
    distance: Option<S>,
    layers: [u64; 2],
    /// Selects the structure of the world of other objects, and the copied world.
    turn: usize,
    others: Vec<New<B>>,
}

/// Generates searches: with distances of all kinds, and mostly without limits of layers.
pub(crate) fn near_pairs<S: Numbers, const D: usize, B: Volume<S, D>>()
-> BoxedStrategy<NearPairs<S, B>> {
    let invalid: Vec<S> = [S::ZERO].iter().chain(S::forbidden()).copied().collect();
    let distance = prop_oneof![
        6 => (0u8..9).prop_map(|n| Some(S::from_f64(f64::from(n) * 0.5))),
        1 => S::hostile().prop_map(Some),
        1 => prop::sample::select(invalid).prop_map(Some),
        6 => Just(None),
    ];
    let layers = || prop_oneof![2 => Just(!0), 1 => 0u64..8];
    let others = prop::collection::vec(new_objects(B::some()), 0..12);
    (distance, [layers(), layers()], 0usize..64, others)
        .prop_map(|(distance, layers, turn, others)| NearPairs { distance, layers, turn, others })
        .boxed()
}

/// Returns a search within a distance for a crowd.
pub(crate) const fn near_in_a_crowd<S, B>(distance: S) -> NearPairs<S, B> {
    NearPairs { distance: Some(distance), layers: [!0; 2], turn: 1, others: Vec::new() }
}

/// The objects of a world, ascending by handle.
type Objects<'a, S, const D: usize, B> = [(Handle, &'a Object<S, D, B>)];

/// A pair and the user data of its objects.
type Found = ([Handle; 2], [u32; 2]);

/// Returns the pairs that a search must find, in one world if `same`, otherwise of two worlds.
fn expected<S: Numbers, const D: usize, B: Volume<S, D>>(
    torus: Option<&Torus<BruteForce<S, D>, S, D>>,
    [ours, theirs]: [&Objects<'_, S, D, B>; 2],
    (distance, layers): (Option<S>, [u64; 2]),
    same: bool,
) -> Vec<Found> {
    let mut wrapped = torus.cloned();
    if let Some(torus) = &mut wrapped {
        torus.clear();
        for (handle, object) in theirs {
            let put = torus.insert(handle.index(), object.at, ());
            put.expect("valid box");
        }
    }
    let mut pairs = Vec::new();
    for (place, &(a, own)) in ours.iter().enumerate() {
        let far = distance.unwrap_or(S::ZERO);
        let target = Target::from(own.at).within(far).normalized();
        let mut keys = Vec::new();
        if let Some(torus) = &wrapped {
            let region = Region::around(own.at, far);
            torus.query(region, &mut keys);
        }
        let near = |b: Handle, at: &Aabb<S, D>| match &wrapped {
            Some(_) => keys.binary_search(&b.index()).is_ok(),
            None => target.is_some_and(|target| target.distance_squared(at).is_some()),
        };
        for &(b, other) in theirs.iter().skip(if same { place + 1 } else { 0 }) {
            let moves = own.motion != Motion::Static || other.motion != Motion::Static;
            // Skips most pairs of a crowd: those whose gap exceeds the distance by more than the
            // rounding error.
            let gap = |a: &Aabb<S, D>, b: &Aabb<S, D>| b.min[0].to_f64() - a.max[0].to_f64();
            let reach = far.to_f64() * (1.0 + 1e-6);
            let apart = gap(&own.at, &other.at) > reach || gap(&other.at, &own.at) > reach;
            if apart && wrapped.is_none() {
                continue;
            }
            let in_layers = |a: &Object<S, D, B>, b: &Object<S, D, B>| {
                a.filter.layers & layers[0] != 0 && b.filter.layers & layers[1] != 0
            };
            let all = layers == [!0; 2];
            let chosen = all || in_layers(own, other) || same && in_layers(other, own);
            let touch = distance.is_some() || Model::volumes_touch(torus, own, other);
            let accepted = (moves || !same) && chosen && touch && own.filter.accepts(&other.filter);
            if accepted && near(b, &other.at) {
                pairs.push(([a, b], [own.user, other.user]));
            }
        }
    }
    pairs
}

impl<S: Numbers + Plain, const D: usize, B: Volume<S, D>> Game<S, D, B> {
    /// Runs a search for pairs in each world, and of each world with two others.
    pub(super) fn near_pairs(&mut self, search: &NearPairs<S, B>) {
        let Self { model, players, tally, .. } = self;
        let &NearPairs { distance, layers, turn, ref others } = search;
        let torus = model.wrapped();
        let objects: Vec<_> =
            model.objects.iter().map(|(&handle, object)| (handle, object)).collect();
        let all = [&objects[..], &objects];
        let of_one = expected(torus.as_ref(), all, (distance.or(Some(S::ZERO)), layers), true);
        let of_copy = expected(torus.as_ref(), all, (distance, layers), false);

        // The other objects get the same handles in every new world.
        let options = Options::new().wrap(torus.as_ref().map_or([S::ZERO; D], Torus::world));
        let fill = |algorithm: Algorithm| {
            let mut world: BroadPhase<S, D, u64, B> =
                BroadPhase::with_options(options.algorithm(algorithm));
            let mut handles = Vec::new();
            for (place, new) in others.iter().enumerate() {
                let user = u64::from(new.user) << 32;
                if let Ok(handle) = world.insert_with(new.bounds, user, new.motion, new.filter) {
                    handles.push((handle, place));
                }
            }
            (world, handles)
        };
        let mut other_model = Vec::new();
        for (handle, place) in fill(Algorithm::Brute).1 {
            let New { bounds, user, motion, filter } = others[place];
            let at = model.place(&bounds).expect("the world accepts the box");
            let bounds = bounds.stored(at);
            other_model
                .push((handle, Object { bounds, at, user, filter, motion, was: None, path: None }));
        }
        let other_objects: Vec<_> =
            other_model.iter().map(|(handle, object)| (*handle, object)).collect();
        let sides = [&objects[..], &other_objects];
        let of_two = expected(torus.as_ref(), sides, (distance, layers), false);
        tally.add("near pairs", of_one.len());
        tally.add("pairs of two worlds", of_two.len());

        let handles = |pairs: &[Found]| pairs.iter().map(|pair| pair.0).collect::<Vec<_>>();
        let odd_of_two = with_odd_sum(&of_two);
        let mut out = vec![];
        // Searches that compare each object of a crowd with all others are slow: test one world in
        // five.
        let every = if objects.len() > 1000 { 5 } else { 1 };
        for number in (turn % every..players.len()).step_by(every) {
            let mut copy = players[(number + turn) % players.len()].world.clone();
            let player = &mut players[number];
            let (world, name) = (&mut player.world, &player.name);

            let far = distance.unwrap_or(S::ZERO);
            let [ours, theirs] = layers;
            world.pairs_within(far).between(ours, theirs).write_to(&mut out);
            assert_eq!(out, handles(&of_one), "{search:?} in {name}");
            let mut found: Vec<Found> = Vec::new();
            let visit = |pair: [Handle; 2], &a: &u32, &b: &u32| found.push((pair, [a, b]));
            world.pairs_within(far).between(ours, theirs).visit(visit);
            found.sort_unstable();
            assert_eq!(found, of_one, "{search:?} in {name}, visited");

            let algorithm = Algorithm::ALL[(number + turn) % Algorithm::ALL.len()];
            let (mut other, _) = fill(algorithm);
            let query = world.pairs_with(&mut other).between(ours, theirs);
            let query = if let Some(distance) = distance { query.within(distance) } else { query };
            let odd = query.filter(|_, a, b| (u64::from(*a) + (b >> 32)) % 2 == 1);
            odd.write_to(&mut out);
            assert_eq!(out, odd_of_two, "{search:?} with {algorithm}: odd pairs of {name}");
            let mut found: Vec<Found> = Vec::new();
            let visit = |pair: [Handle; 2], &a: &u32, &b: &u64| {
                found.push((pair, [a, (b >> 32) as u32]));
            };
            let query = world.pairs_with(&mut other).between(ours, theirs);
            match distance {
                Some(distance) => query.within(distance).visit(visit),
                None => query.visit(visit),
            }
            found.sort_unstable();
            assert_eq!(found, of_two, "{search:?} with {algorithm}: {name}, visited");

            let query = world.pairs_with(&mut copy).between(ours, theirs);
            let query = if let Some(distance) = distance { query.within(distance) } else { query };
            query.write_to(&mut out);
            assert_eq!(out, handles(&of_copy), "{search:?} with a copy in {name}");
        }
    }
}

/// Returns the handles of the pairs whose sum of user data is odd.
fn with_odd_sum(pairs: &[Found]) -> Vec<[Handle; 2]> {
    pairs.iter().filter(|(_, [a, b])| (a + b) % 2 == 1).map(|pair| pair.0).collect()
}
