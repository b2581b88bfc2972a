//! Lists of pairs and events: user data, pairs between layers, pairs of one object.

use alloc::collections::BTreeMap;

use hexphase::{Aabb, BroadPhase, Filter, Handle, Motion, Options, Overlap};
use proptest::prelude::*;

type World = BroadPhase<f32, 1, u32>;

/// A change of a world. Objects are given by a number, modulo the number of objects.
#[derive(Clone, Debug)]
enum Op {
    Insert(i8, u64),
    Remove(usize),
    Move(usize, i8),
    SetUser(usize),
    SetFilter(usize, u64),
    UpdateUsers,
    Step,
    Clear,
    Restore,
    Shrink,
}

fn op() -> impl Strategy<Value = Op> {
    let (at, object, layers) = (-4..4i8, 0..64usize, 1..8u64);
    prop_oneof![
        6 => (at.clone(), layers.clone()).prop_map(|(at, layers)| Op::Insert(at, layers)),
        2 => object.clone().prop_map(Op::Remove),
        2 => (object.clone(), at).prop_map(|(object, at)| Op::Move(object, at)),
        2 => object.clone().prop_map(Op::SetUser),
        1 => (object, layers).prop_map(|(object, layers)| Op::SetFilter(object, layers)),
        1 => Just(Op::UpdateUsers),
        5 => Just(Op::Step),
        1 => prop_oneof![Just(Op::Clear), Just(Op::Restore), Just(Op::Shrink)],
    ]
}

/// A world, and the last user data of all objects that ever existed.
struct Player {
    world: World,
    users: BTreeMap<Handle, u32>,
    next_user: u32,
}

impl Player {
    fn new() -> Self {
        Self { world: World::new(), users: BTreeMap::new(), next_user: 0 }
    }

    fn user(&mut self) -> u32 {
        self.next_user += 1;
        self.next_user
    }

    fn play(&mut self, op: &Op) {
        let objects: Vec<Handle> = self.world.handles().collect();
        let pick = |number: usize| objects.get(number % objects.len().max(1)).copied();
        match *op {
            Op::Insert(at, layers) => {
                let (user, filter) = (self.user(), Filter::layers(layers));
                let at = Aabb::of_ball([f32::from(at)], 0.75);
                let object = self.world.insert_with(at, user, Motion::Dynamic, filter).unwrap();
                self.users.insert(object, user);
            }
            Op::Remove(number) => _ = pick(number).map(|object| self.world.remove(object)),
            Op::Move(number, at) => {
                if let Some(object) = pick(number) {
                    let at = Aabb::of_ball([f32::from(at)], 0.75);
                    self.world.set_bounds(object, at).unwrap();
                }
            }
            Op::SetUser(number) => {
                if let Some(object) = pick(number) {
                    let user = self.user();
                    self.world.set_user(object, user).unwrap();
                    self.users.insert(object, user);
                }
            }
            Op::SetFilter(number, layers) => {
                if let Some(object) = pick(number) {
                    self.world.set_filter(object, Filter::layers(layers)).unwrap();
                }
            }
            Op::UpdateUsers => {
                for (object, user) in self.world.users_mut() {
                    *user += 1000;
                    self.users.insert(object, *user);
                }
            }
            Op::Step => self.world.step(),
            Op::Clear => self.world.clear(),
            Op::Restore => {
                let mut bytes = Vec::new();
                let hash = self.world.snapshot_into(&mut bytes);
                self.world = World::from_snapshot(&bytes, Options::new()).unwrap();
                assert_eq!(self.world.state_hash(), hash);
            }
            Op::Shrink => self.world.shrink_to_fit(),
        }
    }

    /// Returns the current, the began and the ended pairs.
    fn lists(&self) -> [Vec<Overlap<u32>>; 3] {
        [self.world.pairs(), self.world.began(), self.world.ended()].map(Iterator::collect)
    }
}

proptest! {
    /// User data are those of now, or the last ones of a removed object, in all three lists.
    #[test]
    fn users_are_current_or_the_last(ops in prop::collection::vec(op(), 1..60)) {
        let mut player = Player::new();
        for op in &ops {
            player.play(op);
            for (list, name) in player.lists().iter().zip(["pairs", "began", "ended"]) {
                for overlap in list {
                    let expected = overlap.handles.map(|object| player.users[&object]);
                    prop_assert_eq!(overlap.users, expected, "{} after {:?}", name, op);
                }
            }
            let visited = |list: hexphase::Overlaps<'_, u32>| {
                let mut all = Vec::new();
                list.visit(|handles, users| all.push((handles, users.map(|&user| user))));
                all
            };
            let world = &player.world;
            let lists = [world.pairs(), world.began(), world.ended()].map(visited);
            let expected = player.lists().map(|list| {
                list.iter().map(|overlap| (overlap.handles, overlap.users)).collect::<Vec<_>>()
            });
            prop_assert_eq!(lists, expected);
        }
    }

    /// Pairs between layers and pairs of one object are those of the whole list, in the stated
    /// order.
    #[test]
    fn pairs_between_layers_and_of_one_object(ops in prop::collection::vec(op(), 1..60)) {
        let mut player = Player::new();
        for op in &ops {
            player.play(op);
            let world = &player.world;
            let lists = [world.pairs(), world.began(), world.ended()];
            for (list, all) in lists.into_iter().zip(player.lists()) {
                for [first, second] in [[1, 2], [2, 1], [3, 4], [6, 6], [5, 7], [0, 1]] {
                    let found: Vec<_> = list.clone().between(first, second).collect();
                    prop_assert_eq!(found, between(&all, first, second));
                }
                for &object in player.users.keys() {
                    let found: Vec<_> = list.clone().of(object).collect();
                    prop_assert_eq!(found, of_object(&all, object), "of {}", object);
                }
                for skipped in 0..all.len() + 2 {
                    let mut rest = list.clone();
                    prop_assert_eq!(rest.nth(skipped), all.get(skipped).copied());
                    prop_assert!(rest.eq(all.iter().skip(skipped + 1).copied()));
                }
            }
        }
    }
}

fn swapped(overlap: &Overlap<u32>) -> Overlap<u32> {
    let mut overlap = *overlap;
    overlap.handles.reverse();
    overlap.users.reverse();
    overlap.filters.reverse();
    overlap
}

fn between(all: &[Overlap<u32>], first: u64, second: u64) -> Vec<Overlap<u32>> {
    let mut found = Vec::new();
    for overlap in all {
        let both = [*overlap, swapped(overlap)];
        let is_in = |o: &&Overlap<u32>| {
            (o.filters[0].layers & first != 0) && (o.filters[1].layers & second != 0)
        };
        found.extend(both.iter().find(is_in));
    }
    found
}

fn of_object(all: &[Overlap<u32>], object: Handle) -> Vec<Overlap<u32>> {
    let both = all.iter().flat_map(|overlap| [*overlap, swapped(overlap)]);
    let mut found: Vec<_> = both.filter(|overlap| overlap.handles[0] == object).collect();
    found.sort_by_key(|overlap| overlap.handles[1]);
    found
}

#[test]
fn swept_hits_do_not_depend_on_the_order_of_objects() {
    let options = Options::new().wrap([10.0]);
    let mut world: BroadPhase<f32, 1, u32> = BroadPhase::with_options(options);
    for user in 0..40u32 {
        let at = Aabb::of_ball([user as f32 * 0.37], 0.11);
        let filter = Filter::layers(1 << (user % 2));
        let object = world.insert_with(at, user, Motion::Dynamic, filter).unwrap();
        world.set_swept(object, user % 3 != 0).unwrap();
    }
    world.step();
    world.update(|_, user, at| *at = at.translated([(*user % 7) as f32 * 0.3 - 0.7])).unwrap();
    world.step();
    let (mut hits, mut swapped) = (Vec::new(), Vec::new());
    world.swept_hits(world.pairs().between(1, 2), &mut hits);
    world.swept_hits(world.pairs().between(2, 1), &mut swapped);
    assert!(hits.len() > 20 && hits.iter().any(|hit| hit.fraction > 0.0));
    assert_eq!(hits, swapped);
}

#[test]
fn ended_pairs_have_user_data_set_after_the_step() {
    let mut world: BroadPhase<f32, 1, &str> = BroadPhase::new();
    let [a, b] = ["a", "b"].map(|user| world.insert(Aabb::point([0.0]), user).unwrap());
    world.step();
    world.set_user(a, "A").unwrap();
    let users = |world: &BroadPhase<f32, 1, &'static str>| {
        [world.pairs(), world.began(), world.ended()].map(|list| list.map(|o| o.users).next())
    };
    assert_eq!(users(&world), [Some(["A", "b"]), Some(["A", "b"]), None]);
    world.remove(a);
    world.step();
    assert_eq!(users(&world), [None, None, Some(["A", "b"])]);
    world.set_user(b, "B").unwrap();
    assert_eq!(users(&world), [None, None, Some(["A", "B"])]);
    world.remove(b);
    world.insert(Aabb::point([0.0]), "c").unwrap();
    assert_eq!(users(&world), [None, None, Some(["A", "B"])]);
    world.step();
    assert_eq!(users(&world), [None; 3]);
}
