//! A world under test behind a trait object. [`Subject`] does not depend on number type and
//! dimension, so the rest of the simulator is compiled once.

use core::ops::ControlFlow;
use core::panic::AssertUnwindSafe;
use std::panic::{catch_unwind, resume_unwind};
use std::sync::Mutex;

use hexphase::{
    Aabb, Algorithm, Backend, BroadPhase, Error, Filter, Handle, Motion, NeighborLists, Number,
    Options, Overlap, Plain, Query, Scalar, SnapshotError,
};

use crate::config::Config;
use crate::shape::{Box64, Found, New, Question, Request, Shape, State};
use crate::space::{narrow, narrow_point, path, region, target, widen};

/// The method of a world by which bounds are changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    Each,
    Many,
    Update,
    UpdateDynamic,
    ParUpdate,
    UpdateWith,
}

/// The new bounds of an update, by slot.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changes {
    pub(crate) bounds: Vec<Option<Box64>>,
    /// The update panics when it visits the object in this slot.
    pub(crate) panic_at: Option<u32>,
}

impl Changes {
    fn of(&self, object: Handle) -> Option<&Box64> {
        if self.panic_at == Some(object.index()) {
            panic_as_planned();
        }
        self.bounds.get(object.index() as usize)?.as_ref()
    }
}

/// The result of an update.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Updated {
    /// The result of the method; `None` if the planned panic happened.
    pub(crate) result: Option<Result<(), Error>>,
    /// The visited objects, ascending by handle.
    pub(crate) visited: Vec<Handle>,
}

/// A kind of step.
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

/// A world under test.
pub(crate) trait Subject: Send + Sync {
    fn insert(&mut self, new: &New) -> Result<Handle, Error>;
    fn insert_many(&mut self, new: &[New], out: &mut Vec<Handle>) -> Result<(), Error>;
    fn remove(&mut self, object: Handle) -> Option<u32>;
    fn remove_many(&mut self, objects: &[Handle]) -> Result<(), Error>;
    fn clear(&mut self);
    fn set_bounds(&mut self, object: Handle, bounds: &Box64) -> Result<(), Error>;
    fn set_bounds_many(&mut self, changes: &[(Handle, Box64)]) -> Result<(), Error>;
    fn set_filter(&mut self, object: Handle, filter: Filter) -> Result<(), Error>;
    fn set_motion(&mut self, object: Handle, motion: Motion) -> Result<(), Error>;
    fn set_swept(&mut self, object: Handle, swept: bool) -> Result<(), Error>;
    fn set_user(&mut self, object: Handle, user: u32) -> Result<(), Error>;
    fn update(&mut self, method: Method, changes: &Changes) -> Updated;
    /// Takes a step. Returns `None` after a planned panic, `Err` with the number of pairs if there
    /// are more than the limit, and otherwise the pairs passed to the predicate.
    fn step(&mut self, kind: StepKind) -> Option<Result<Vec<Overlap<u32>>, u64>>;
    fn pairs(&self) -> Vec<Overlap<u32>>;
    fn began(&self) -> Vec<Overlap<u32>>;
    fn ended(&self) -> Vec<Overlap<u32>>;
    fn swept_hits(&self) -> Vec<(Overlap<u32>, f64)>;
    fn query(&self, question: &Question) -> Found;
    /// Runs a query whose predicate panics at the first object.
    fn panic_in_query(&self, shape: &Shape);
    /// Runs all queries in three batches: regions, paths and targets. The options of the first
    /// query hold for all.
    fn query_many(&self, questions: &[Question]) -> Vec<Found>;
    fn neighbors(&self, distance: f64) -> Vec<(Handle, Vec<Handle>)>;
    fn nearest_to_each(&self, count: usize) -> Vec<(Handle, Vec<Handle>)>;
    fn overlapping(&self, object: Handle) -> Result<Vec<Handle>, Error>;
    fn pairs_within(&mut self, distance: f64, layers: [u64; 2]) -> [Vec<[Handle; 2]>; 2];
    /// Creates another world with the objects `others`. Returns their handles, and the pairs
    /// between the two worlds.
    fn pairs_with(
        &mut self,
        others: &[New],
        algorithm: Algorithm,
        distance: Option<f64>,
    ) -> (Vec<Handle>, Vec<[Handle; 2]>);
    fn snapshot(&self, out: &mut Vec<u8>) -> u64;
    fn restore(&mut self, bytes: &[u8]) -> Result<(), SnapshotError>;
    /// Replaces the world by one that is created from a snapshot, with another structure and
    /// backend.
    fn reopen(
        &mut self,
        bytes: &[u8],
        structure: Algorithm,
        backend: Backend,
    ) -> Result<(), SnapshotError>;
    fn copy(&mut self);
    fn len(&self) -> usize;
    fn contains(&self, object: Handle) -> bool;
    fn states(&self, out: &mut Vec<State>);
    fn try_reserve(&mut self, additional: usize) -> Result<(), Error>;
    fn optimize(&mut self);
    fn shrink_to_fit(&mut self);
    fn set_backend(&mut self, backend: Backend);
    fn assert_well_formed(&self);
}

struct World<S, const D: usize> {
    world: BroadPhase<S, D, u32>,
    options: Options<S, D>,
}

/// Creates an empty world with the settings of the first world (`which` = 0) or its twin (1).
pub(crate) fn create<S: Number + Plain, const D: usize>(
    config: &Config,
    which: usize,
) -> Box<dyn Subject> {
    let settings = &config.settings[which];
    let sides: [S; D] = narrow_point(&config.sides);
    let mut options = Options::new()
        .algorithm(settings.structure)
        .backend(settings.backend)
        .events(config.events)
        .capacity(settings.capacity)
        .skin(S::from_f64(settings.skin))
        .wrap(sides);
    let cell = S::from_f64(settings.cell);
    if cell > S::ZERO {
        options = options.smallest_cell(cell);
    }
    Box::new(World { world: BroadPhase::with_options(options), options })
}

fn handles(lists: &NeighborLists) -> Vec<(Handle, Vec<Handle>)> {
    lists.iter().map(|(object, others)| (object, others.collect())).collect()
}

impl<S: Number + Plain, const D: usize> Subject for World<S, D> {
    fn insert(&mut self, new: &New) -> Result<Handle, Error> {
        let &New { bounds, user, motion, filter } = new;
        self.world.insert_with(narrow::<S, D>(&bounds), user, motion, filter)
    }

    fn insert_many(&mut self, new: &[New], out: &mut Vec<Handle>) -> Result<(), Error> {
        let object = |new: &New| (narrow::<S, D>(&new.bounds), new.user, new.motion, new.filter);
        let objects: Vec<_> = new.iter().map(object).collect();
        self.world.insert_many(&objects, out)
    }

    fn remove(&mut self, object: Handle) -> Option<u32> {
        self.world.remove(object)
    }

    fn remove_many(&mut self, objects: &[Handle]) -> Result<(), Error> {
        self.world.remove_many(objects)
    }

    fn clear(&mut self) {
        self.world.clear();
    }

    fn set_bounds(&mut self, object: Handle, bounds: &Box64) -> Result<(), Error> {
        self.world.set_bounds(object, narrow::<S, D>(bounds))
    }

    fn set_bounds_many(&mut self, changes: &[(Handle, Box64)]) -> Result<(), Error> {
        let changes: Vec<_> =
            changes.iter().map(|(object, bounds)| (*object, narrow::<S, D>(bounds))).collect();
        self.world.set_bounds_many(&changes)
    }

    fn set_filter(&mut self, object: Handle, filter: Filter) -> Result<(), Error> {
        self.world.set_filter(object, filter)
    }

    fn set_motion(&mut self, object: Handle, motion: Motion) -> Result<(), Error> {
        self.world.set_motion(object, motion)
    }

    fn set_swept(&mut self, object: Handle, swept: bool) -> Result<(), Error> {
        self.world.set_swept(object, swept)
    }

    fn set_user(&mut self, object: Handle, user: u32) -> Result<(), Error> {
        self.world.set_user(object, user)
    }

    fn update(&mut self, method: Method, changes: &Changes) -> Updated {
        let visited = Mutex::new(Vec::new());
        let change = |object: Handle, bounds: &mut Aabb<S, D>| {
            if let Some(new) = changes.of(object) {
                *bounds = narrow(new);
            }
            visited.lock().expect("no panic while locked").push(object);
        };
        let world = &mut self.world;
        let result = unless_planned(|| match method {
            Method::ParUpdate => world.par_update(|object, _, bounds| change(object, bounds)),
            Method::UpdateDynamic => {
                world.update_dynamic(|object, _, bounds| change(object, bounds))
            }
            Method::UpdateWith => world.update_with(|_, object, _, bounds, commands| {
                let mut moved = *bounds;
                change(object, &mut moved);
                if object.index() % 2 == 0 {
                    *bounds = moved;
                } else {
                    commands.set_bounds(object, moved);
                }
            }),
            _ => world.update(|object, _, bounds| change(object, bounds)),
        });
        let mut visited = visited.into_inner().expect("no panic while locked");
        visited.sort_unstable();
        Updated { result, visited }
    }

    fn step(&mut self, kind: StepKind) -> Option<Result<Vec<Overlap<u32>>, u64>> {
        let (world, mut passed) = (&mut self.world, Vec::new());
        let done = unless_planned(|| {
            match kind {
                StepKind::UpTo(most) => return world.step_up_to(most).map_err(|many| many.pairs),
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

    fn pairs(&self) -> Vec<Overlap<u32>> {
        self.world.pairs().collect()
    }

    fn began(&self) -> Vec<Overlap<u32>> {
        self.world.began().collect()
    }

    fn ended(&self) -> Vec<Overlap<u32>> {
        self.world.ended().collect()
    }

    fn swept_hits(&self) -> Vec<(Overlap<u32>, f64)> {
        let mut hits = Vec::new();
        self.world.swept_hits(self.world.pairs(), &mut hits);
        hits.iter().map(|hit| (hit.overlap, hit.fraction.to_f64())).collect()
    }

    fn query(&self, question: &Question) -> Found {
        let shape = &question.shape;
        if let Some(region) = region::<S, D>(shape) {
            return run(self.world.query(region), question, |&object| (object, 0.0));
        }
        if let Some(path) = path::<S, D>(shape) {
            let found = |hit: &hexphase::Hit<S::Real>| (hit.object, hit.fraction.to_f64());
            return run(self.world.cast(path), question, found);
        }
        let Some(target) = target::<S, D>(shape) else { return Vec::new() };
        let query = self.world.nearest(target);
        let query = if question.with_ties { query.with_ties() } else { query };
        run(query, question, |near| (near.object, near.distance_squared.to_f64()))
    }

    fn panic_in_query(&self, shape: &Shape) {
        let all = |_: Handle, _: &u32| panic_as_planned();
        if let Some(region) = region::<S, D>(shape) {
            unless_planned(|| self.world.query(region).filter(all).count());
        } else if let Some(path) = path::<S, D>(shape) {
            unless_planned(|| self.world.cast(path).filter(all).count());
        } else if let Some(target) = target::<S, D>(shape) {
            unless_planned(|| self.world.nearest(target).filter(all).count());
        }
    }

    fn query_many(&self, questions: &[Question]) -> Vec<Found> {
        let Some(first) = questions.first() else { return Vec::new() };
        let regions: Vec<_> = questions.iter().filter_map(|one| region(&one.shape)).collect();
        let paths: Vec<_> = questions.iter().filter_map(|one| path(&one.shape)).collect();
        let targets: Vec<_> = questions.iter().filter_map(|one| target(&one.shape)).collect();
        let accept = |_: Handle, user: &u32| accepts(first.parity, *user);
        let except = first.except.unwrap_or(Handle::DANGLING);
        let (mask, take, mut all) = (first.mask, first.take, Vec::new());
        let found = self.world.query_many(&regions).mask(mask).take(take).filter(accept);
        let found = found.except(except).to_lists();
        all.extend(found.iter().map(|list| list.iter().map(|&object| (object, 0.0)).collect()));
        let found = self.world.cast_many(&paths).mask(mask).take(take).filter(accept);
        let found = found.except(except).to_lists();
        let hit = |hit: &hexphase::Hit<S::Real>| (hit.object, hit.fraction.to_f64());
        all.extend(found.iter().map(|list| list.iter().map(hit).collect()));
        let found = self.world.nearest_many(&targets).mask(mask).take(take).filter(accept);
        let found = found.except(except).to_lists();
        let near =
            |near: &hexphase::Neighbor<S::Real>| (near.object, near.distance_squared.to_f64());
        all.extend(found.iter().map(|list| list.iter().map(near).collect()));
        all
    }

    fn neighbors(&self, distance: f64) -> Vec<(Handle, Vec<Handle>)> {
        let mut lists = NeighborLists::default();
        self.world.neighbors(S::from_f64(distance), &mut lists);
        handles(&lists)
    }

    fn nearest_to_each(&self, count: usize) -> Vec<(Handle, Vec<Handle>)> {
        let mut lists = NeighborLists::default();
        self.world.nearest_to_each(count, &mut lists);
        handles(&lists)
    }

    fn overlapping(&self, object: Handle) -> Result<Vec<Handle>, Error> {
        let mut out = Vec::new();
        self.world.overlapping(object, &mut out)?;
        Ok(out)
    }

    fn pairs_within(&mut self, distance: f64, [a, b]: [u64; 2]) -> [Vec<[Handle; 2]>; 2] {
        let distance = S::from_f64(distance);
        let list = self.world.pairs_within(distance).between(a, b).to_vec();
        let mut visited = Vec::new();
        let query = self.world.pairs_within(distance).between(a, b);
        query.visit(|pair, _, _| visited.push(pair));
        visited.sort_unstable();
        [list, visited]
    }

    fn pairs_with(
        &mut self,
        others: &[New],
        algorithm: Algorithm,
        distance: Option<f64>,
    ) -> (Vec<Handle>, Vec<[Handle; 2]>) {
        let mut other = World {
            world: BroadPhase::with_options(self.options.algorithm(algorithm)),
            options: self.options,
        };
        let mut handles = Vec::new();
        other.insert_many(others, &mut handles).expect("valid boxes");
        let query = self.world.pairs_with(&mut other.world);
        let query = match distance {
            Some(distance) => query.within(S::from_f64(distance)),
            None => query,
        };
        (handles, query.to_vec())
    }

    fn snapshot(&self, out: &mut Vec<u8>) -> u64 {
        self.world.snapshot_into(out)
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

    fn copy(&mut self) {
        self.world = self.world.clone();
    }

    fn len(&self) -> usize {
        self.world.len()
    }

    fn contains(&self, object: Handle) -> bool {
        self.world.contains(object) || self.world.get(object).is_some()
    }

    fn states(&self, out: &mut Vec<State>) {
        out.clear();
        out.extend(self.world.objects().map(|(handle, object)| {
            let hexphase::Object { user, motion, filter, swept, .. } = object;
            State { handle, bounds: widen(&object.bounds), user, motion, filter, swept }
        }));
    }

    fn try_reserve(&mut self, additional: usize) -> Result<(), Error> {
        self.world.try_reserve(additional)
    }

    fn optimize(&mut self) {
        self.world.optimize();
    }

    fn shrink_to_fit(&mut self) {
        self.world.shrink_to_fit();
    }

    fn set_backend(&mut self, backend: Backend) {
        self.world.set_backend(backend);
    }

    fn assert_well_formed(&self) {
        self.world.assert_well_formed();
    }
}

/// Returns whether a query accepts an object with this user data.
pub(crate) fn accepts(parity: Option<u32>, user: u32) -> bool {
    parity.is_none_or(|parity| user % 2 == parity)
}

/// Runs a query with the requested method. [`Request::First`] yields at most one result;
/// [`Request::Count`] yields a placeholder for each counted object.
fn run<S, const D: usize, Q>(
    query: Query<'_, S, D, u32, Aabb<S, D>, Q>,
    question: &Question,
    result: impl Fn(&Q) -> (Handle, f64),
) -> Found
where
    S: Number,
    Q: hexphase::Found<S::Real>,
{
    let query = query.mask(question.mask).take(question.take);
    let query = match question.except {
        Some(object) => query.except(object),
        None => query,
    };
    let parity = question.parity;
    let query = query.filter(|_, user| accepts(parity, *user));
    match question.request {
        Request::List => query.to_vec().iter().map(result).collect(),
        Request::First => query.first().iter().map(result).collect(),
        Request::Count => vec![(Handle::from_bits(0), 0.0); query.count()],
        Request::Visit => {
            let (mut found, most) = (Vec::new(), question.take);
            let _ = query.visit(|one, _, _| {
                found.push(result(&one));
                if found.len() > most.saturating_add(1 << 20) {
                    return ControlFlow::Break(one.object());
                }
                ControlFlow::Continue(())
            });
            found
        }
    }
}
