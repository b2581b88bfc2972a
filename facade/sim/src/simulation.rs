//! Plays a schedule on two worlds and on the oracle, and compares their states after each
//! operation.

mod changes;
mod queries;
mod refusals;
mod saving;
mod steps;

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use core::fmt;
use core::panic::AssertUnwindSafe;
use std::panic::catch_unwind;
use std::sync::{Mutex, PoisonError};

use hexphase::Handle;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::config::{Config, structure_name};
use crate::hash::Digest;
use crate::objects::Maker;
use crate::op::{Kind, Op};
use crate::oracle::Oracle;
use crate::play::message;
use crate::ranges::Ranges;
use crate::run::Selection;
use crate::shape::State;
use crate::subject::Subject;
use crate::totals::{Situations, Totals};

/// A difference between a world and the expected state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Index of the operation in the schedule.
    pub operation: usize,
    /// The operation as text.
    pub kind: String,
    /// Number of steps taken before the operation.
    pub tick: usize,
    /// The world with the difference: its structure, backend and number of threads.
    pub world: String,
    /// The value found and the expected value, with the object or pair.
    pub found: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { operation, kind, tick, world, found } = self;
        write!(f, "operation {operation} ({kind}) in tick {tick}, {world}: {found}")
    }
}

/// A difference without its operation: the index of the world, and the values.
type Wrong = (usize, String);

/// A world under test and the threads it runs on.
struct Side {
    name: String,
    subject: Box<dyn Subject>,
    threads: usize,
}

/// One pool for each number of threads.
static POOLS: Mutex<BTreeMap<usize, Arc<ThreadPool>>> = Mutex::new(BTreeMap::new());

/// Runs a closure in the pool with this number of threads; on the current thread if it is 1 or if
/// the target has no threads.
fn run<R: Send>(threads: usize, act: impl FnOnce() -> R + Send) -> R {
    if threads == 1 || cfg!(target_family = "wasm") {
        return act();
    }
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let pool = pools.entry(threads).or_insert_with(|| {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        Arc::new(pool.expect("the system can start the threads of a pool"))
    });
    let pool = Arc::clone(pool);
    drop(pools);
    pool.install(act)
}

/// A saved state: the oracle, and the snapshot, which is equal in both worlds.
struct Saved {
    oracle: Oracle,
    bytes: Vec<u8>,
}

/// Two worlds and the oracle, while a schedule is played.
pub(crate) struct Simulation<'a> {
    config: &'a Config,
    maker: Maker<'a>,
    objects: Option<&'a Ranges>,
    sides: [Side; 2],
    oracle: Oracle,
    saved: Option<Saved>,
    gone: Vec<Handle>,
    tick: usize,
    pub(crate) totals: Totals,
    /// The hash of the results of both worlds, if it is selected.
    pub(crate) hash: Option<u64>,
    pub(crate) situations: Situations,
    planted: bool,
}

impl<'a> Simulation<'a> {
    pub(crate) fn new(config: &'a Config, selection: &'a Selection) -> Self {
        let space = config.space();
        let sides = [0, 1].map(|which| {
            let settings = &config.settings[which];
            let title = ["the world", "its twin"][which];
            let (structure, backend) = (structure_name(settings.structure), settings.backend);
            let name = format!("{title} ({structure}, {backend}, {} threads)", settings.threads);
            Side { name, subject: space.world(config, which), threads: settings.threads }
        });
        Self {
            config,
            maker: Maker { config, space },
            objects: selection.objects.as_ref(),
            sides,
            oracle: Oracle::new(config),
            saved: None,
            gone: Vec::new(),
            tick: 0,
            totals: Totals::default(),
            hash: selection.hash.then_some(0),
            situations: Situations::default(),
            planted: selection.planted,
        }
    }

    /// Plays an operation and compares all states. A panic of a world counts as a difference.
    pub(crate) fn play(&mut self, index: usize, op: &Op) -> Result<(), Difference> {
        let played = catch_unwind(AssertUnwindSafe(|| {
            self.apply(op)?;
            self.check(op)
        }));
        let (which, found) = match played {
            Ok(Ok(())) => return Ok(()),
            Ok(Err((which, found))) => (Some(which), found),
            Err(payload) => (None, format!("panic: {}", message(&*payload))),
        };
        let world = which.map_or("one of the worlds", |which| &self.sides[which].name).to_owned();
        let (kind, tick) = (op.kind.to_string(), self.tick);
        Err(Difference { operation: index, kind, tick, world, found })
    }

    fn apply(&mut self, op: &Op) -> Result<(), Wrong> {
        match op.kind {
            Kind::Insert { share, at_once } => self.insert(op, share, at_once),
            Kind::Move { share, movement, method } => {
                self.move_objects(op, share, movement, method)
            }
            Kind::Remove { share, at_once } => self.remove(op, share, at_once),
            Kind::Replace { share } => self.replace(op, share),
            Kind::Clear => self.clear(),
            Kind::SetFilters { share }
            | Kind::SetMotion { share }
            | Kind::SetSwept { share }
            | Kind::SetUsers { share } => self.set(op, share),
            Kind::Step | Kind::StepWhere | Kind::StepUpTo | Kind::PanicInStep => self.step(op),
            Kind::Query { count } => self.query(op, count),
            Kind::QueryMany { count } => self.query_many(op, count),
            Kind::Neighbors => self.neighbors(op),
            Kind::NearestToEach => self.nearest_to_each(op),
            Kind::Overlapping => self.overlapping(op),
            Kind::PairsWithin => self.pairs_within(op),
            Kind::PairsWith => self.pairs_with(op),
            Kind::Snapshot => self.snapshot(),
            Kind::Restore => self.restore(),
            Kind::Reopen => self.reopen(op),
            Kind::Damage => self.damage(op),
            Kind::PanicInUpdate => self.panic_in_update(op),
            Kind::PanicInQuery => self.panic_in_query(op),
            Kind::Refuse => self.refuse(op),
            Kind::Exhaust => self.exhaust(op),
            Kind::Optimize | Kind::Shrink | Kind::Copy => self.maintain(op.kind),
            Kind::SetBackend => self.set_backend(op),
        }
    }

    fn maintain(&mut self, kind: Kind) -> Result<(), Wrong> {
        self.both(|subject| subject.maintain(kind));
        self.totals.operations += 1;
        Ok(())
    }

    fn set_backend(&mut self, op: &Op) -> Result<(), Wrong> {
        let random = &mut op.random(0);
        let backends: Vec<_> = hexphase::Backend::available().collect();
        for side in &mut self.sides {
            side.subject.set_backend(random.pick(&backends));
        }
        self.totals.operations += 1;
        Ok(())
    }

    fn both<T: Send>(&mut self, act: impl Fn(&mut dyn Subject) -> T + Sync) -> [T; 2] {
        self.sides.each_mut().map(|side| run(side.threads, || act(&mut *side.subject)))
    }

    /// Runs a call on both worlds and compares each result with the expected one.
    fn each<T: PartialEq + Digest + Send>(
        &mut self,
        subject_of: &str,
        expected: &T,
        act: impl Fn(&mut dyn Subject) -> T + Sync,
    ) -> Result<(), Wrong> {
        let mut found = self.both(act).into_iter().enumerate();
        found.try_for_each(|(which, found)| self.compare(which, subject_of, &[&found], &[expected]))
    }

    /// Adds results to the hash, if there is one.
    fn digest<T: Digest + ?Sized>(&mut self, found: &T) {
        if let Some(hash) = &mut self.hash {
            found.digest(hash);
        }
    }

    /// Adds a list to the hash and compares it with another. The error has the first index at which
    /// they differ.
    fn compare<T: PartialEq + Digest>(
        &mut self,
        which: usize,
        subject_of: &str,
        found: &[T],
        expected: &[T],
    ) -> Result<(), Wrong> {
        self.digest(found);
        let len = found.len().max(expected.len());
        self.totals.comparisons += len.max(1) as u64;
        let Some(first) = (0..len).find(|&index| found.get(index) != expected.get(index)) else {
            return Ok(());
        };
        let show = |item: Option<&T>| item.map_or("none".to_owned(), |item| format!("{item:?}"));
        let (found, expected) = (show(found.get(first)), show(expected.get(first)));
        Err((which, format!("{subject_of} at index {first}: {found} instead of {expected}")))
    }

    /// Compares the states of all objects and the state hashes; after steps and restores, and for a
    /// quarter of the other operations, also pairs, events and hits of swept objects.
    fn check(&mut self, op: &Op) -> Result<(), Wrong> {
        let expected: Vec<State> = self.oracle.states().collect();
        for which in 0..2 {
            let subject = &self.sides[which].subject;
            let (states, len) = (subject.states(), subject.len());
            let mut recent = self.gone.iter().rev().take(4);
            let wrong = recent.find(|&&handle| {
                subject.contains(handle) != self.oracle.by_handle(handle).is_some()
            });
            if let Some(handle) = wrong {
                return Err((which, format!("whether {handle} exists")));
            }
            self.compare(which, "state", &states, &expected)?;
            self.compare(which, "number of objects", &[len], &[self.oracle.len()])?;
        }
        let random = &mut op.random(u32::MAX);
        let is_step = matches!(op.kind, Kind::Step | Kind::StepWhere | Kind::StepUpTo);
        let is_restore = matches!(op.kind, Kind::Restore | Kind::Reopen | Kind::PanicInStep);
        if is_step || is_restore || random.chance(25) {
            self.check_pairs()?;
        }
        let [first, second] = self.both(|subject| subject.snapshot().1);
        self.compare(1, "state hash", &[second], &[first])?;
        if self.oracle.len() < 600 && random.chance(40) {
            for side in &self.sides {
                side.subject.assert_well_formed();
            }
        }
        Ok(())
    }
}
