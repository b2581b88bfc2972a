//! Random operations on worlds.

use hexphase::{Aabb, Filter, Handle, Motion, Region, Scalar};
use laws::numbers::Numbers;
use proptest::prelude::*;
use proptest::sample::Index;

use crate::laws::model::Model;
use crate::laws::near::{NearPairs, near_in_a_crowd, near_pairs};
use crate::laws::query::{RandomQuery, queries, regions};
use crate::laws::volume::{Volume, lattice};

/// Selects a live object, or any object that ever existed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pick {
    there: bool,
    /// If set, selects one of the first four live objects, so that the same objects are changed
    /// often.
    early: bool,
    which: Index,
}

impl Pick {
    pub(crate) fn of<S: Numbers, const D: usize, B>(
        &self,
        model: &Model<S, D, B>,
    ) -> Option<Handle> {
        if self.there && !model.objects.is_empty() {
            let len = if self.early { model.objects.len().min(4) } else { model.objects.len() };
            return model.objects.keys().nth(self.which.index(len)).copied();
        }
        (!model.known.is_empty()).then(|| *self.which.get(&model.known))
    }
}

/// Generates selections, mostly of live objects.
pub(crate) fn picks() -> impl Strategy<Value = Pick> + Clone {
    (prop::bool::weighted(0.95), any::<bool>(), any::<Index>())
        .prop_map(|(there, early, which)| Pick { there, early, which })
}

/// An object to insert.
#[derive(Clone, Debug)]
pub(crate) struct New<B> {
    pub(crate) bounds: B,
    pub(crate) user: u32,
    pub(crate) motion: Motion,
    pub(crate) filter: Filter,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Way {
    All,
    Dynamic,
    Parallel,
}

/// An update of all objects. Depending on its slot, an object gets bounds from a list, moves, or
/// keeps its bounds, and may get new user data.
#[derive(Clone, Debug)]
pub(crate) struct Walk<S, const D: usize, B> {
    pub(crate) way: Way,
    seed: u32,
    by: [S; D],
    list: Vec<B>,
}

impl<S: Numbers, const D: usize, B: Volume<S, D>> Walk<S, D, B> {
    pub(crate) fn only_dynamic(&self) -> bool {
        self.way == Way::Dynamic
    }
    pub(crate) fn keeps_users(&self) -> bool {
        self.way == Way::Parallel
    }
    pub(crate) fn bounds(&self, handle: Handle, bounds: B) -> B {
        let number = (handle.index() + self.seed) as usize;
        match number % 4 {
            // Change only the first objects of a crowd: otherwise all of them would get one of the
            // few bounds in the list.
            0 if !self.list.is_empty() && number < 64 + self.seed as usize => {
                self.list[number / 4 % self.list.len()]
            }
            1 | 2 => bounds.moved(self.by),
            _ => bounds,
        }
    }
    /// Returns a number that depends on the slot and on the walk.
    pub(crate) fn number(&self, handle: Handle) -> u32 {
        handle.index() + self.seed
    }
    pub(crate) fn user(&self, handle: Handle, user: u32) -> u32 {
        let number = self.number(handle);
        if number.is_multiple_of(3) { (user + self.seed) % USERS } else { user }
    }
}

/// Number of different values of user data; small, so that some objects have equal user data.
const USERS: u32 = 16;

/// An operation on a world, or a query.
#[derive(Clone, Debug)]
pub(crate) enum Op<S: Scalar, const D: usize, B> {
    Insert(Vec<New<B>>),
    Remove(Pick),
    /// Removes an object and inserts another, which gets the freed slot or a lower free slot. If
    /// the flag is set, the new object has the bounds of the removed one.
    Replace(Pick, New<B>, bool),
    Clear,
    Move(Pick, B),
    MoveMany(Vec<(Pick, B)>),
    Filter(Pick, Filter),
    /// Sets one filter for all objects.
    FilterAll(Filter),
    Motion(Pick, Motion),
    Swept(Pick, bool),
    User(Pick, u32),
    Walk(Walk<S, D, B>),
    /// Applies the changes of a walk with `update_with`. The closure also queues commands, chosen
    /// by slot.
    UpdateWith(Walk<S, D, B>),
    InsertMany(Vec<New<B>>),
    RemoveMany(Vec<Pick>),
    Step,
    /// Takes a step that drops each pair for which u₁ + u₂ + s, modulo 4, is this number: u₁ and u₂
    /// are the user data of its two objects, s is the lower of their slots.
    StepWhere(u32),
    Backend(Index),
    Optimize,
    Query(RandomQuery<S, D>),
    /// Queries many regions, and, if a radius is given, the neighborhood of each object.
    QueryMany(Vec<Region<S, D>>, Option<S>, u64),
    /// Runs queries in batches, all with the options of the first query.
    Batch(Vec<RandomQuery<S, D>>),
    /// Finds the neighbors of all objects: within a distance, and the nearest few.
    Neighbors(S, usize),
    NearPairs(NearPairs<S, B>),
    Overlapping(Pick),
    Clone,
    /// Saves the world.
    Save,
    /// Restores the saved state, after restoring damaged bytes has failed.
    Restore(Index),
}

pub(crate) fn filters() -> impl Strategy<Value = Filter> + Clone {
    let few = [
        Filter::ALL,
        Filter::ALL,
        Filter::NONE,
        Filter::layers(1),
        Filter::layers(2).mask(1),
        Filter::layers(4).mask(6),
        Filter::layers(6).group(1),
        Filter::ALL.group(-1),
        Filter::ALL.owner(7),
        Filter::layers(2).mask(3).group(1).owner(7),
    ];
    // More different filters than the bit matrix of a world holds.
    let many = (1u32..200).prop_map(|owner| Filter::layers(u64::from(owner)).owner(owner));
    prop_oneof![6 => Just(Filter::ALL), 4 => prop::sample::select(few.to_vec()), 1 => many]
}

fn motions() -> impl Strategy<Value = Motion> + Clone {
    prop_oneof![2 => Just(Motion::Dynamic), 2 => Just(Motion::Static), 1 => Just(Motion::Sleeping)]
}

/// Generates volumes of which one in `right + 1` is invalid.
fn volumes<S: Numbers, const D: usize, B: Volume<S, D>>(right: u32) -> BoxedStrategy<B> {
    prop_oneof![right => B::some(), 1 => B::wrong()].boxed()
}

pub(crate) fn new_objects<B: core::fmt::Debug + Clone + 'static>(
    bounds: BoxedStrategy<B>,
) -> impl Strategy<Value = New<B>> + Clone {
    let motion = prop_oneof![2 => Just(Motion::Dynamic), 1 => motions()];
    (bounds, 0..USERS, motion, filters()).prop_map(|(bounds, user, motion, filter)| New {
        bounds,
        user,
        motion,
        filter,
    })
}

fn walks<S: Numbers, const D: usize, B: Volume<S, D>>() -> impl Strategy<Value = Walk<S, D, B>> {
    let way = prop::sample::select(vec![Way::All, Way::Dynamic, Way::Parallel]);
    (way, 0u32..1000, lattice(), prop::collection::vec(volumes(30), 0..6))
        .prop_map(|(way, seed, by, list)| Walk { way, seed, by, list })
}

/// Generates a few objects and many operations.
pub(crate) fn ops<S, const D: usize, B>() -> BoxedStrategy<Vec<Op<S, D, B>>>
where
    S: Numbers,
    B: Volume<S, D>,
{
    let begin = prop::collection::vec(new_objects(volumes(30)), 0..32).prop_map(Op::Insert);
    (begin, prop::collection::vec(op(), 1..100))
        .prop_map(|(begin, rest)| [begin].into_iter().chain(rest).collect())
        .boxed()
}

/// Generates `count` objects, enough that worlds replace brute force and use several threads. Each
/// has a few neighbors, which are queried. In the end all objects are removed.
pub(crate) fn crowds(count: usize) -> BoxedStrategy<Vec<Op<f32, 2, Aabb>>> {
    let side = (count as f32).sqrt() * 4.0;
    let bounds = ([0.0..side, 0.0..side], [0.0f32..3.0, 0.0f32..3.0])
        .prop_map(|([x, y], [a, b])| Aabb { min: [x, y], max: [x + a, y + b] });
    let crowd = prop::collection::vec(new_objects(bounds.boxed()), count).prop_map(Op::Insert);
    let around = (0.0f32..2.0).prop_map(|radius| Op::QueryMany(Vec::new(), Some(radius), !0));
    let walk = || walks().prop_map(Op::Walk);
    let rest = || prop::collection::vec(op(), 2);
    let batch = prop::collection::vec(queries(), 200).prop_map(Op::Batch);
    (crowd, walk(), rest(), (around, batch), walk(), rest())
        .prop_map(|(crowd, walk, some, (around, batch), other, rest)| {
            let near = Op::Neighbors(1.0, 2);
            let pairs = Op::NearPairs(near_in_a_crowd(1.5));
            let begin = [crowd, Op::Step, around, batch, near, pairs, walk, Op::Step];
            let begin = begin.into_iter().chain(some);
            let middle = [Op::Save, other, Op::Step].into_iter().chain(rest);
            begin.chain(middle).chain([Op::Step, Op::Clear, Op::Step]).collect()
        })
        .boxed()
}

/// Generates `count` objects at one place. The filters of 19 in 20 refuse each other, so that steps
/// skip their overlaps. Some operations on the objects follow.
pub(crate) fn mixed_crowds(count: usize) -> BoxedStrategy<Vec<Op<f32, 2, Aabb>>> {
    let bounds = ([0.0f32..8.0, 0.0f32..8.0], [0.0f32..8.0, 0.0f32..8.0])
        .prop_map(|([x, y], [a, b])| Aabb { min: [x, y], max: [x + a, y + b] });
    let objects = prop::collection::vec(new_objects(bounds.boxed()), count);
    let crowd = (objects, 0..4).prop_map(|(mut objects, kind)| {
        for (number, object) in (0..).zip(&mut objects).filter(|(number, _)| number % 20 != 0) {
            object.filter = match kind {
                0 => Filter::ALL.owner(7),
                1 => Filter::ALL.group(-1),
                2 => Filter::layers(2).mask(1).owner(number % 9),
                _ => Filter::layers(1 << (number % 3)).mask(8).group(-(number as i32 % 2)),
            };
        }
        Op::Insert(objects)
    });
    let walk = || walks().prop_map(Op::Walk);
    let rest = || prop::collection::vec(op(), 4);
    (crowd, walk(), rest(), walk(), rest(), any::<Index>())
        .prop_map(|(crowd, walk, some, other, rest, place)| {
            let begin = [crowd, Op::Step, Op::Step, walk, Op::Step, Op::Save].into_iter();
            let middle = some.into_iter().chain([Op::Step, other, Op::Step]).chain(rest);
            begin.chain(middle).chain([Op::Step, Op::Restore(place), Op::Step]).collect()
        })
        .boxed()
}

/// Generates one operation.
pub(crate) fn op<S: Numbers, const D: usize, B: Volume<S, D>>() -> BoxedStrategy<Op<S, D, B>> {
    let one = new_objects(volumes(12));
    let many = || prop::collection::vec((picks(), volumes(30)), 0..6);
    let few = prop::collection::vec(regions(), 0..4);
    let radius = prop::option::of(S::crowded());
    let layers = prop_oneof![Just(!0), 1u64..8];
    let objects = prop_oneof![
        8 => prop::collection::vec(one.clone(), 1..3).prop_map(Op::Insert),
        6 => picks().prop_map(Op::Remove),
        10 => (picks(), one, any::<bool>()).prop_map(|(pick, new, same)| Op::Replace(pick, new, same)),
        2 => filters().prop_map(Op::FilterAll),
        12 => (picks(), volumes(12)).prop_map(|(pick, bounds)| Op::Move(pick, bounds)),
        4 => many().prop_map(Op::MoveMany),
        6 => (picks(), filters()).prop_map(|(pick, filter)| Op::Filter(pick, filter)),
        3 => (picks(), motions()).prop_map(|(pick, motion)| Op::Motion(pick, motion)),
        5 => (picks(), prop::bool::weighted(0.7)).prop_map(|(pick, swept)| Op::Swept(pick, swept)),
        4 => (picks(), 0..USERS).prop_map(|(pick, user)| Op::User(pick, user)),
        6 => walks().prop_map(Op::Walk),
        3 => walks().prop_map(Op::UpdateWith),
        6 => prop::collection::vec(new_objects(volumes(16)), 0..5).prop_map(Op::InsertMany),
        5 => prop::collection::vec(picks(), 0..4).prop_map(Op::RemoveMany),
    ];
    let world = prop_oneof![
        16 => Just(Op::Step),
        4 => (0u32..4).prop_map(Op::StepWhere),
        2 => any::<Index>().prop_map(Op::Backend),
        2 => Just(Op::Optimize),
        8 => queries().prop_map(Op::Query),
        2 => (few, radius, layers).prop_map(|(few, radius, layers)| Op::QueryMany(few, radius, layers)),
        3 => prop::collection::vec(queries(), 1..6).prop_map(Op::Batch),
        2 => (S::crowded(), 0usize..4).prop_map(|(distance, count)| Op::Neighbors(distance, count)),
        3 => near_pairs().prop_map(Op::NearPairs),
        4 => picks().prop_map(Op::Overlapping),
        1 => Just(Op::Clone),
        3 => Just(Op::Save),
        2 => any::<Index>().prop_map(Op::Restore),
        1 => Just(Op::Clear),
    ];
    prop_oneof![11 => objects, 9 => world].boxed()
}
