//! Applies the same operations to all worlds and the model, and compares their results.

use std::sync::Mutex;

use hexphase::{
    Algorithm, Backend, BroadPhase, BruteForce, Error, Filter, Handle, Lists, Options, Overlap,
    Plain, Proxy, Region,
};
use laws::numbers::Numbers;
use laws::required::Required;
use proptest::sample::Index;

use crate::laws::model::{Model, Object};
use crate::laws::op::{New, Op, Walk, Way};
use crate::laws::tally::Tally;
use crate::laws::volume::Volume;

pub(super) type World<S, const D: usize, B> = BroadPhase<S, D, u32, B>;

/// One of the worlds under test.
pub(super) struct TestWorld<S, const D: usize, B> {
    pub(super) name: String,
    pub(super) world: World<S, D, B>,
    has_events: bool,
    /// Whether each query of the world tests all objects.
    is_brute_force: bool,
    /// Whether the pairs of the world are valid. After a restore without events there are none
    /// until the next step.
    pub(super) has_pairs: bool,
}

/// Saved state: the model, and the bytes of worlds without and with events.
type Saved<S, const D: usize, B> = (Model<S, D, B>, [Vec<u8>; 2]);

/// The model and all worlds.
pub(crate) struct Game<S, const D: usize, B> {
    pub(super) model: Model<S, D, B>,
    saved: Option<Saved<S, D, B>>,
    pub(super) players: Vec<TestWorld<S, D, B>>,
    lists: Lists<Handle>,
    pub(crate) tally: Tally,
}

/// Returns a world of each structure on each backend, and worlds with other options.
fn players<S: Numbers + Plain, const D: usize, B: Volume<S, D>>(
    sides: [S; D],
) -> Vec<TestWorld<S, D, B>> {
    let options = Options::new().wrap(sides);
    let mut players = Vec::new();
    let mut join = |name: String, world: World<S, D, B>| {
        let (has_events, is_brute_force) = (name != "no events", name.starts_with("brute"));
        players.push(TestWorld { name, world, has_events, is_brute_force, has_pairs: true });
    };
    for &algorithm in Algorithm::ALL {
        for backend in Backend::available() {
            let options = options.algorithm(algorithm).backend(backend);
            join(format!("{algorithm} on {backend}"), World::with_options(options));
        }
        let one = S::from_f64(1.0);
        let options = options.algorithm(algorithm).skin(one).smallest_cell(one).capacity(9);
        join(format!("{algorithm} with skin and cells"), World::with_options(options));
    }
    join("no events".to_owned(), World::with_options(options.events(false)));
    let foreign = World::with_index(Required(BruteForce::<S, D, Proxy>::new()), options);
    join("brute force, a supplied structure".to_owned(), foreign);
    players
}

impl<S: Numbers + Plain, const D: usize, B: Volume<S, D>> Game<S, D, B> {
    pub(crate) fn new(sides: [S; D]) -> Self {
        let (model, lists) = (Model::new(sides), Lists::default());
        Self { saved: None, model, players: players(sides), lists, tally: Tally::default() }
    }

    /// Applies an operation to the model and every world, and compares all results.
    pub(crate) fn play(&mut self, op: &Op<S, D, B>) {
        match op {
            Op::Insert(all) => all.iter().for_each(|new| self.insert(new)),
            Op::Remove(pick) => self.with(pick.of(&self.model), Self::remove),
            Op::Replace(pick, new, same) => {
                let object = pick.of(&self.model);
                let old = object.and_then(|object| self.model.objects.get(&object)).copied();
                self.with(object, Self::remove);
                let bounds = old.filter(|_| *same).map_or(new.bounds, |old| old.bounds);
                self.insert(&New { bounds, ..new.clone() });
            }
            Op::Clear => {
                for object in self.model.objects.keys().copied().collect::<Vec<_>>() {
                    self.model.remove(object);
                }
                self.players.iter_mut().for_each(|player| player.world.clear());
            }
            Op::Move(pick, bounds) => self.with(pick.of(&self.model), |game, object| {
                let expected = game.model.set_bounds_many(&[(object, *bounds)]);
                game.each(expected, |world| world.set_bounds(object, *bounds));
            }),
            Op::MoveMany(changes) => {
                let resolved = changes.iter().map(|(pick, b)| Some((pick.of(&self.model)?, *b)));
                let changes: Vec<(Handle, B)> = resolved.flatten().collect();
                let expected = self.model.set_bounds_many(&changes);
                self.each(expected, |world| world.set_bounds_many(&changes));
            }
            Op::Filter(pick, filter) => {
                self.with(pick.of(&self.model), |game, object| game.refilter(object, *filter));
            }
            Op::FilterAll(filter) => {
                let all: Vec<Handle> = self.model.objects.keys().copied().collect();
                all.into_iter().for_each(|object| self.refilter(object, *filter));
            }
            Op::Motion(pick, motion) => self.with(pick.of(&self.model), |game, object| {
                let expected = game.model.change(object, |object| object.motion = *motion);
                game.each(expected, |world| world.set_motion(object, *motion));
            }),
            Op::Swept(pick, swept) => self.with(pick.of(&self.model), |game, object| {
                let expected = game.model.change(object, |object| {
                    object.was = swept.then(|| object.was.unwrap_or(object.at));
                    object.path = object.path.filter(|_| *swept);
                });
                game.each(expected, |world| world.set_swept(object, *swept));
            }),
            Op::User(pick, user) => self.with(pick.of(&self.model), |game, object| {
                let expected = game.model.change(object, |object| object.user = *user);
                game.each(expected, |world| world.set_user(object, *user));
            }),
            Op::Walk(walk) => self.walk(walk),
            Op::UpdateWith(walk) => self.update_with(walk),
            Op::InsertMany(objects) => self.insert_many(objects),
            Op::RemoveMany(picks) => self.remove_many(picks),
            Op::Step => {
                self.model.step(|_| true, &mut self.tally);
                for player in &mut self.players {
                    player.world.step();
                    player.has_pairs = true;
                }
                self.tally.count("steps");
            }
            Op::StepWhere(remainder) => self.step_where(|overlap| {
                let sum = overlap.users.iter().sum::<u32>() + overlap.handles[0].index();
                sum % 4 != *remainder
            }),
            Op::Backend(which) => {
                let backends: Vec<Backend> = Backend::available().collect();
                for (number, player) in self.players.iter_mut().enumerate() {
                    let backend = backends[(which.index(backends.len()) + number) % backends.len()];
                    player.world.set_backend(backend);
                    assert_eq!(player.world.backend(), backend);
                }
            }
            Op::Optimize => {
                for player in &mut self.players {
                    player.world.optimize();
                    player.world.shrink_to_fit();
                }
            }
            Op::Query(query) => {
                let resolved = query.of(&self.model);
                let answer = resolved.answer(&self.model);
                resolved.count_events(answer.len(), &mut self.tally);
                self.tally.add("contacts ignored", resolved.ignored(&self.model));
                for player in &self.players {
                    resolved.check(&self.model, &player.world, &answer, &player.name);
                }
            }
            Op::QueryMany(regions, radius, layers) => self.query_many(regions, *radius, *layers),
            Op::Batch(queries) => self.batch(queries),
            Op::Neighbors(distance, count) => self.neighbors(*distance, *count),
            Op::NearPairs(search) => self.near_pairs(search),
            Op::Overlapping(pick) => self.with(pick.of(&self.model), |game, object| {
                let expected = game.model.overlapping(object, &mut game.tally);
                let mut out = vec![object];
                game.each(expected, |world| {
                    world.overlapping(object, &mut out)?;
                    Ok(out.clone())
                });
            }),
            Op::Clone => {
                for player in &mut self.players {
                    player.world = player.world.clone();
                }
            }
            Op::Save => self.save(),
            Op::Restore(place) => self.restore(place),
        }
        self.check(op);
        self.check_swept_hits();
    }

    fn with(&mut self, object: Option<Handle>, act: impl FnOnce(&mut Self, Handle)) {
        if let Some(object) = object {
            act(self, object);
        }
    }

    /// Applies an operation to every world; all must return the same result.
    pub(super) fn each<T: PartialEq + core::fmt::Debug>(
        &mut self,
        expected: Result<T, Error>,
        mut act: impl FnMut(&mut World<S, D, B>) -> Result<T, Error>,
    ) {
        self.tally.count_if(matches!(expected, Err(Error::Stale { .. })), "stale");
        self.tally.count_if(matches!(expected, Err(Error::InvalidBounds { .. })), "invalid");
        for player in &mut self.players {
            assert_eq!(act(&mut player.world), expected, "{}", player.name);
        }
    }

    fn insert(&mut self, new: &New<B>) {
        let &New { bounds, user, motion, filter } = new;
        let at = self.model.place(&bounds);
        let expected = at.map_err(|why| Error::InvalidBounds { object: None, why });
        let (slot, generation) = self.model.next();
        let mut handle = None;
        self.each(expected.map(|_| (slot, generation)), |world| {
            let inserted = world.insert_with(bounds, user, motion, filter)?;
            handle = Some(inserted);
            Ok((inserted.index(), inserted.generation()))
        });
        if let (Some(handle), Ok(at)) = (handle, at) {
            let bounds = bounds.stored(at);
            let object = Object { bounds, at, user, filter, motion, was: None, path: None };
            self.model.insert(handle, object);
        }
    }

    fn remove(&mut self, object: Handle) {
        let expected = self.model.remove(object);
        self.each(Ok(expected), |world| Ok(world.remove(object)));
    }

    fn refilter(&mut self, object: Handle, filter: Filter) {
        let expected = self.model.change(object, |object| object.filter = filter);
        self.each(expected, |world| world.set_filter(object, filter));
    }

    fn walk(&mut self, walk: &Walk<S, D, B>) {
        let expected = self.model.walk(walk);
        self.tally.count_if(expected.0.is_err(), "walks with invalid bounds");
        let expected = Ok(expected);
        self.each(expected, |world| {
            let seen = Mutex::new(Vec::new());
            let mut serial = |handle: Handle, user: &mut u32, bounds: &mut B| {
                seen.lock().expect("no panic").push(handle);
                *user = walk.user(handle, *user);
                *bounds = walk.bounds(handle, *bounds);
            };
            let result = match walk.way {
                Way::All => world.update(&mut serial),
                Way::Dynamic => world.update_dynamic(&mut serial),
                Way::Parallel => world.par_update(|handle, _, bounds| {
                    seen.lock().expect("no panic").push(handle);
                    *bounds = walk.bounds(handle, *bounds);
                }),
            };
            let mut seen = seen.into_inner().expect("no panic");
            seen.sort_unstable();
            Ok((result, seen))
        });
    }

    fn step_where(&mut self, accept: impl Fn(&Overlap<u32>) -> bool) {
        let expected = self.model.step(&accept, &mut self.tally);
        for player in &mut self.players {
            let mut passed = Vec::new();
            player.world.step_where(|overlap| {
                passed.push(*overlap);
                accept(overlap)
            });
            player.has_pairs = true;
            assert_eq!(
                passed, expected,
                "pairs passed to the closure by {}, in order",
                player.name
            );
        }
        self.tally.count("steps with a predicate");
    }

    /// Writes a snapshot of every world; worlds of equal state must write equal bytes.
    fn save(&mut self) {
        let (mut saved, mut bytes) = ([const { Vec::new() }; 2], Vec::new());
        for TestWorld { name, world, has_events, .. } in &self.players {
            let hash = world.snapshot_into(&mut bytes);
            assert_eq!(hash, world.state_hash(), "{name}");
            let saved = &mut saved[usize::from(*has_events)];
            if saved.is_empty() {
                saved.clone_from(&bytes);
            }
            assert_eq!(*saved, bytes, "snapshot of {name}");
            let same = there_and_back(world, false);
            assert_eq!(same.state_hash(), hash, "{name} after changes were undone");
            let (one, other) = (there_and_back(world, true), there_and_back(&same, true));
            assert_eq!(one.state_hash(), other.state_hash(), "{name} changed in another order");
        }
        self.saved = Some((self.model.without_events(), saved));
    }

    /// Restores every world, after checking that damaged bytes are rejected without effect.
    fn restore(&mut self, damage: &Index) {
        let Some((model, saved)) = &self.saved else { return };
        let [silent, telling] = saved;
        for TestWorld { name, world, has_events, has_pairs, .. } in &mut self.players {
            let saved = if *has_events { telling } else { silent };
            let mut damaged = saved.clone();
            *damage.get_mut(&mut damaged) ^= 16;
            let (before, end) = (world.state_hash(), damage.index(saved.len()));
            assert!(world.restore(&damaged).is_err(), "{name}");
            assert!(world.restore(&saved[..end]).is_err(), "{name}");
            assert_eq!(world.state_hash(), before, "{name}");
            world.restore(saved).expect("snapshot of a world of this kind");
            let options = Options::new().backend(Backend::SCALAR);
            let another = World::<S, D, B>::from_snapshot(saved, options).expect("valid snapshot");
            assert_eq!(another.state_hash(), world.state_hash(), "a new world like {name}");
            *has_pairs = *has_events;
        }
        self.model = model.clone();
        self.tally.count("restored");
    }

    fn query_many(&mut self, regions: &[Region<S, D>], radius: Option<S>, layers: u64) {
        let Self { model, players, lists, tally, .. } = self;
        let mut regions = regions.to_vec();
        if let Some(radius) = radius {
            let around = |object: &Object<S, D, B>| Region::around(object.at, radius);
            regions.extend(model.objects.values().map(around));
        }
        let expected = model.inside_each(&regions, layers);
        tally.add("found in many regions", expected.len());
        for player in searched(players) {
            player.world.query_many(&regions).mask(layers).write_to(lists);
            assert_eq!(lists.len(), regions.len());
            let found = lists
                .iter()
                .enumerate()
                .flat_map(|(region, list)| list.iter().map(move |&handle| (region, handle)));
            assert!(found.eq(expected.iter().copied()), "{}", player.name);
        }
    }

    /// Compares the complete state of all worlds with the model.
    fn check(&self, op: &Op<S, D, B>) {
        let model = &self.model;
        let (pairs, began) = (model.pairs(), model.began());
        let mut sorted = pairs.clone();
        sorted.iter_mut().for_each(by_users);
        sorted.sort_by_key(|overlap| {
            let [a, b] = [0, 1].map(|which| (overlap.users[which], overlap.handles[which]));
            (a, b)
        });
        for TestWorld { name, world, has_events, has_pairs, .. } in &self.players {
            let pairs = if *has_pairs { &pairs[..] } else { &[] };
            let sorted = if *has_pairs { &sorted[..] } else { &[] };
            assert_eq!(world.len(), model.objects.len(), "{name} after {op:?}");
            assert!(world.pairs().eq(pairs.iter().copied()), "pairs of {name} after {op:?}");
            let events = |all: &[Overlap<u32>]| if *has_events { all.to_vec() } else { vec![] };
            let (begun, ended): (Vec<_>, Vec<_>) =
                (world.began().collect(), world.ended().collect());
            assert_eq!(begun, events(&began), "began in {name} after {op:?}");
            assert_eq!(ended, events(&model.ended()), "ended in {name} after {op:?}");
            let mut users = Vec::new();
            world.pairs().by_key(|&user| user.into(), &mut users);
            assert_eq!(users, sorted, "pairs of {name} by key");
            self.check_objects(world, name);
            world.assert_well_formed();
        }
    }

    fn check_objects(&self, world: &World<S, D, B>, name: &str) {
        assert!(world.handles().eq(self.model.objects.keys().copied()), "objects of {name}");
        for (&handle, object) in &self.model.objects {
            let found = world.get(handle).expect("live object");
            let theirs = (found.bounds, found.user, found.filter, found.motion, found.swept);
            let Object { bounds, user, filter, motion, was, .. } = *object;
            assert_eq!(theirs, (bounds, user, filter, motion, was.is_some()), "{handle} of {name}");
            assert_eq!(world[handle], user);
        }
        let all = world.objects().map(|(handle, object)| (handle, object.user, object.bounds));
        let expected = self.model.objects.iter();
        assert!(all.eq(expected.map(|(&handle, object)| (handle, object.user, object.bounds))));
        let gone = |handle: &&Handle| !self.model.objects.contains_key(handle);
        for &handle in self.model.known.iter().filter(gone).rev().take(4) {
            assert_eq!(world.get(handle), None, "{handle} of {name} should be removed");
            assert!(!world.contains(handle));
        }
    }
}

/// Returns a copy of a world in which filter and user data of every object were changed and changed
/// back. If `users` is set, the user data end up different.
fn there_and_back<S: Numbers + Plain, const D: usize, B: Volume<S, D>>(
    world: &World<S, D, B>,
    users: bool,
) -> World<S, D, B> {
    let mut changed = world.clone();
    for handle in world.handles() {
        let object = world.get(handle).expect("live object");
        changed.set_user(handle, 1000).expect("live object");
        changed.set_filter(handle, Filter::NONE).expect("live object");
        changed.set_filter(handle, object.filter).expect("live object");
        let user = if users { object.user + 7 } else { object.user };
        changed.set_user(handle, user).expect("live object");
    }
    changed
}

/// Returns the worlds in which a query for each object is tested. For a crowd these are only two of
/// those with brute force, where such queries take time quadratic in the number of objects.
pub(super) fn searched<S: Numbers + Plain, const D: usize, B: Volume<S, D>>(
    players: &[TestWorld<S, D, B>],
) -> impl Iterator<Item = &TestWorld<S, D, B>> {
    let mut slow = 0;
    players.iter().filter(move |player| {
        slow += u32::from(player.is_brute_force);
        !player.is_brute_force || slow <= 2 || player.world.len() <= 1000
    })
}

/// Orders the objects of a pair by user data, then by slot.
fn by_users(overlap: &mut Overlap<u32>) {
    if overlap.users[1] < overlap.users[0] {
        overlap.users.reverse();
        overlap.handles.reverse();
        overlap.filters.reverse();
    }
}
