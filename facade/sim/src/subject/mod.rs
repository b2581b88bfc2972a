//! A world under test behind a trait object. [`Subject`] does not depend on number type and
//! dimension, so the rest of the simulator is compiled once.

mod lists;
mod search;

use alloc::collections::BTreeMap;
use core::panic::AssertUnwindSafe;
use std::panic::{catch_unwind, resume_unwind};
use std::sync::Mutex;

use hexphase::{
    Algorithm, Backend, BroadPhase, BruteForce, Error, Filter, Handle, Motion, Number, Object,
    Options, Overlap, Plain, Scalar, SnapshotError,
};

use self::search::Searches;
use crate::config::Config;
use crate::op::Kind;
use crate::shape::{New, State, Volume64};
use crate::space::narrow_point;
use crate::volume::Volume;

/// The method of a world by which bounds are changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    Each,
    Update,
    UpdateDynamic,
    ParUpdate,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Change {
    pub(crate) volume: Option<Volume64>,
    pub(crate) user: Option<u32>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Changes {
    pub(crate) by_object: BTreeMap<Handle, Change>,
    /// The update panics when it visits this object.
    pub(crate) panic_at: Option<Handle>,
}

impl Changes {
    pub(crate) fn of_bounds(moved: &[(Handle, Volume64)]) -> Self {
        let change = |&(object, volume)| (object, Change { volume: Some(volume), user: None });
        Self { by_object: moved.iter().map(change).collect(), panic_at: None }
    }

    pub(crate) fn of(&self, object: Handle) -> Change {
        self.by_object.get(&object).copied().unwrap_or_default()
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Updated {
    /// The result of the method; `None` if the planned panic happened.
    pub(crate) result: Option<Result<(), Error>>,
    /// The visited objects, ascending by handle.
    pub(crate) visited: Vec<Handle>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StepKind {
    All,
    /// Drops the pairs whose user data have a sum with this remainder modulo 4.
    Where(u32),
    /// Panics in the predicate of the step, at the pair with this index.
    Panic(usize),
    /// Fails if there are more pairs than this limit.
    UpTo(usize),
}

/// The result of a step: `None` after a planned panic, `Err` with the number of pairs if there are
/// more than the limit, and otherwise the pairs passed to the predicate.
pub(crate) type Stepped = Option<Result<Vec<Overlap<u32>>, u64>>;

/// Returns whether a step of [`StepKind::Where`] keeps a pair.
pub(crate) const fn keeps(remainder: u32, users: [u32; 2]) -> bool {
    users[0].wrapping_add(users[1]) % 4 != remainder
}

/// The payload of planned panics. `resume_unwind` raises them without calling the panic hook, so no
/// message is printed.
struct Planned;

fn panic_as_planned() -> ! {
    resume_unwind(Box::new(Planned))
}

/// Runs a closure; returns `None` if it panicked as planned.
fn unless_planned<T>(run: impl FnOnce() -> T) -> Option<T> {
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(result) => Some(result),
        Err(payload) if payload.is::<Planned>() => None,
        Err(payload) => resume_unwind(payload),
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Setting {
    Bounds(Volume64),
    Filter(Filter),
    Motion(Motion),
    Swept(bool),
    User(u32),
}

/// A world under test.
pub(crate) trait Subject: Searches + Send + Sync {
    fn insert(&mut self, new: &New) -> Result<Handle, Error>;
    fn insert_many(&mut self, new: &[New], out: &mut Vec<Handle>) -> Result<(), Error>;
    fn remove(&mut self, object: Handle) -> Option<u32>;
    fn remove_many(&mut self, objects: &[Handle]) -> Result<(), Error>;
    fn set(&mut self, object: Handle, setting: &Setting) -> Result<(), Error>;
    /// Adds a number to the user data of all objects.
    fn add_to_users(&mut self, by: u32);
    fn update(&mut self, method: Method, changes: &Changes) -> Updated;
    fn step(&mut self, kind: StepKind) -> Stepped;
    /// Returns the pairs of the last step: all, begun and ended ones.
    fn pairs(&self) -> [Vec<Overlap<u32>>; 3];
    fn swept_hits(&self) -> Vec<(Overlap<u32>, f64)>;
    /// Returns a snapshot and the state hash.
    fn snapshot(&self) -> (Vec<u8>, u64);
    fn restore(&mut self, bytes: &[u8]) -> Result<(), SnapshotError>;
    /// Replaces the world by one that is created from a snapshot, with another structure and
    /// backend.
    fn reopen(
        &mut self,
        bytes: &[u8],
        structure: Algorithm,
        backend: Backend,
    ) -> Result<(), SnapshotError>;
    fn len(&self) -> usize;
    fn contains(&self, object: Handle) -> bool;
    fn states(&self) -> Vec<State>;
    fn try_reserve(&mut self, additional: usize) -> Result<(), Error>;
    /// Runs an operation without parameters: clears, optimizes, shrinks, or copies the world.
    fn maintain(&mut self, kind: Kind);
    fn set_backend(&mut self, backend: Backend);
    fn assert_well_formed(&self);
    /// Checks that the state hash is that of the snapshot, and depends neither on changes that were
    /// undone nor on the order of changes.
    fn assert_hash_follows_state(&self);
}

struct World<S, const D: usize, B> {
    world: BroadPhase<S, D, u32, B>,
    options: Options<S, D>,
}

/// Creates an empty world with the settings of the first world (`which` = 0) or its twin (1).
pub(crate) fn create<S: Number + Plain, const D: usize, B: Volume<S, D>>(
    config: &Config,
    which: usize,
) -> Box<dyn Subject> {
    let settings = &config.settings[which];
    let sides: [S; D] = narrow_point(&config.sides);
    let mut options = Options::new()
        .algorithm(settings.structure.unwrap_or_default())
        .backend(settings.backend)
        .events(config.events)
        .capacity(settings.capacity)
        .wrap(sides);
    let cell = S::from_f64(settings.cell);
    if cell > S::ZERO {
        options = options.smallest_cell(cell);
    }
    let world: BroadPhase<S, D, u32, B> = match settings.structure {
        Some(_) => BroadPhase::with_options(options),
        None => BroadPhase::with_index(BruteForce::default(), options),
    };
    Box::new(World { world, options })
}

impl<S: Number + Plain, const D: usize, B: Volume<S, D>> Subject for World<S, D, B> {
    fn insert(&mut self, new: &New) -> Result<Handle, Error> {
        let &New { volume, user, motion, filter } = new;
        self.world
            .insert_object(Object::new(B::of_numbers(&volume), user).motion(motion).filter(filter))
    }

    fn insert_many(&mut self, new: &[New], out: &mut Vec<Handle>) -> Result<(), Error> {
        let object = |new: &New| {
            Object::new(B::of_numbers(&new.volume), new.user).motion(new.motion).filter(new.filter)
        };
        let objects: Vec<_> = new.iter().map(object).collect();
        self.world.insert_many(&objects, out)
    }

    fn remove(&mut self, object: Handle) -> Option<u32> {
        self.world.remove(object)
    }

    fn remove_many(&mut self, objects: &[Handle]) -> Result<(), Error> {
        self.world.remove_many(objects)
    }

    fn set(&mut self, object: Handle, setting: &Setting) -> Result<(), Error> {
        let world = &mut self.world;
        match *setting {
            Setting::Bounds(volume) => world.set_bounds(object, B::of_numbers(&volume)),
            Setting::Filter(filter) => world.set_filter(object, filter),
            Setting::Motion(motion) => world.set_motion(object, motion),
            Setting::Swept(swept) => world.set_swept(object, swept),
            Setting::User(user) => {
                world.user_mut(object).map(|own| *own = user).ok_or(Error::Stale { object })
            }
        }
    }

    fn add_to_users(&mut self, by: u32) {
        self.world.users_mut().for_each(|(_, user)| *user = user.wrapping_add(by));
    }

    fn update(&mut self, method: Method, changes: &Changes) -> Updated {
        let visited = Mutex::new(Vec::new());
        let change = |object: Handle, bounds: &mut B| {
            if changes.panic_at == Some(object) {
                panic_as_planned();
            }
            let change = changes.of(object);
            if let Some(volume) = &change.volume {
                *bounds = B::of_numbers(volume);
            }
            visited.lock().expect("no panic while locked").push(object);
            change
        };
        let change_both = |object: Handle, user: &mut u32, bounds: &mut B| {
            *user = change(object, bounds).user.unwrap_or(*user);
        };
        let world = &mut self.world;
        let result = unless_planned(|| match method {
            Method::ParUpdate => world.par_update(|object, _, bounds| _ = change(object, bounds)),
            Method::UpdateDynamic => world.update_dynamic(change_both),
            _ => world.update(change_both),
        });
        let mut visited = visited.into_inner().expect("no panic while locked");
        visited.sort_unstable();
        Updated { result, visited }
    }

    fn step(&mut self, kind: StepKind) -> Stepped {
        let (world, mut passed) = (&mut self.world, Vec::new());
        let done = unless_planned(|| {
            match kind {
                StepKind::UpTo(most) => return B::step_up_to(world, most),
                StepKind::All => world.step(),
                StepKind::Where(remainder) => world.step_where(|overlap| {
                    passed.push(*overlap);
                    keeps(remainder, overlap.users)
                }),
                StepKind::Panic(index) => world.step_where(|overlap| {
                    if passed.len() == index {
                        panic_as_planned();
                    }
                    passed.push(*overlap);
                    true
                }),
            }
            Ok(())
        })?;
        Some(done.map(|()| passed))
    }

    fn pairs(&self) -> [Vec<Overlap<u32>>; 3] {
        let world = &self.world;
        [world.pairs(), world.began(), world.ended()].map(lists::read)
    }

    fn swept_hits(&self) -> Vec<(Overlap<u32>, f64)> {
        let mut hits = Vec::new();
        self.world.swept_hits(self.world.pairs(), &mut hits);
        hits.iter().map(|hit| (hit.overlap, hit.fraction.to_f64())).collect()
    }

    fn snapshot(&self) -> (Vec<u8>, u64) {
        let mut bytes = Vec::new();
        let hash = self.world.snapshot_into(&mut bytes);
        (bytes, hash)
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), SnapshotError> {
        self.world.restore(bytes)
    }

    fn reopen(
        &mut self,
        bytes: &[u8],
        structure: Algorithm,
        backend: Backend,
    ) -> Result<(), SnapshotError> {
        let options = self.options.algorithm(structure).backend(backend);
        let world = BroadPhase::from_snapshot(bytes, options)?;
        (self.world, self.options) = (world, options);
        Ok(())
    }

    fn len(&self) -> usize {
        self.world.len()
    }

    fn contains(&self, object: Handle) -> bool {
        self.world.contains(object) || self.world.get(object).is_some()
    }

    fn states(&self) -> Vec<State> {
        let world = &self.world;
        let state = |(handle, object): (Handle, Object<B, u32>)| {
            let Object { bounds, user, motion, filter, swept, .. } = object;
            State { handle, volume: bounds.numbers(), user, motion, filter, swept }
        };
        let all: Vec<State> = world.objects().map(state).collect();
        assert!(world.handles().eq(all.iter().map(|state| state.handle)), "handles");
        for one in &all {
            let found = world.get(one.handle).map(|object| state((one.handle, object)));
            assert_eq!((found, world[one.handle]), (Some(*one), one.user), "an object by handle");
        }
        all
    }

    fn try_reserve(&mut self, additional: usize) -> Result<(), Error> {
        self.world.try_reserve(additional)
    }

    fn maintain(&mut self, kind: Kind) {
        match kind {
            Kind::Clear => self.world.clear(),
            Kind::Optimize => self.world.optimize(),
            Kind::Shrink => self.world.shrink_to_fit(),
            Kind::Copy => self.world = self.world.clone(),
            _ => unreachable!("{kind} has parameters"),
        }
    }

    fn set_backend(&mut self, backend: Backend) {
        self.world.set_backend(backend);
        assert_eq!(self.world.backend(), backend);
    }

    fn assert_well_formed(&self) {
        self.world.assert_well_formed();
    }

    fn assert_hash_follows_state(&self) {
        let hash = self.world.snapshot_into(&mut Vec::new());
        assert_eq!(hash, self.world.state_hash(), "hash of a snapshot");
        let same = there_and_back(&self.world, 0);
        assert_eq!(hash, same.state_hash(), "hash after changes were undone");
        let [one, other] = [&self.world, &same].map(|world| there_and_back(world, 7).state_hash());
        assert_eq!(one, other, "hash after changes in another order");
    }
}

/// Returns a copy of a world in which filter and user data of every object were changed and changed
/// back; then `by` was added to the user data.
fn there_and_back<S: Number + Plain, const D: usize, B: Volume<S, D>>(
    world: &BroadPhase<S, D, u32, B>,
    by: u32,
) -> BroadPhase<S, D, u32, B> {
    let mut changed = world.clone();
    for (handle, object) in world.objects() {
        let user = object.user.wrapping_add(by);
        *changed.user_mut(handle).expect("a live object") = !0;
        let there = changed.set_filter(handle, Filter::NONE);
        let back = changed.set_filter(handle, object.filter);
        assert_eq!([there, back], [Ok(()); 2], "changes of an object");
        *changed.user_mut(handle).expect("a live object") = user;
    }
    changed
}

/// Returns whether a query accepts an object with this user data.
pub(crate) fn accepts(parity: Option<u32>, user: u32) -> bool {
    parity.is_none_or(|parity| user % 2 == parity)
}
