//! Plays a schedule on two worlds and on the oracle, and compares their states after each
//! operation.

mod changes;
mod queries;
mod refusals;
mod saving;
mod steps;
mod updates;

use core::fmt;
use core::panic::AssertUnwindSafe;
use std::panic::catch_unwind;

use hexphase::Handle;

use crate::config::{Config, structure_name};
use crate::objects::Maker;
use crate::op::{Kind, Op};
use crate::oracle::Oracle;
use crate::panics;
use crate::planted::Planted;
use crate::pools;
use crate::ranges::Ranges;
use crate::shape::State;
use crate::situations::Situations;
use crate::subject::Subject;
use crate::totals::Totals;

/// A difference between a world and the expected state.
///
/// ```
/// let run = hexphase_sim::Run::new(7, &Default::default());
/// assert!(run.difference.is_none());
/// ```
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

impl Side {
    /// Runs a closure on the thread pool of the world.
    fn run<R: Send>(&mut self, act: impl FnOnce(&mut dyn Subject) -> R + Send) -> R {
        let subject = &mut *self.subject;
        pools::run(self.threads, || act(subject))
    }
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
    /// Handles of removed objects.
    gone: Vec<Handle>,
    tick: usize,
    pub(crate) totals: Totals,
    pub(crate) situations: Situations,
    planted: Option<Planted>,
    /// Scratch buffers: states of objects, and bytes of snapshots.
    states: Vec<State>,
    bytes: Vec<u8>,
}

impl<'a> Simulation<'a> {
    pub(crate) fn new(
        config: &'a Config,
        objects: Option<&'a Ranges>,
        planted: Option<Planted>,
    ) -> Self {
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
            objects,
            sides,
            oracle: Oracle::new(config),
            saved: None,
            gone: Vec::new(),
            tick: 0,
            totals: Totals::default(),
            situations: Situations::default(),
            planted,
            states: Vec::new(),
            bytes: Vec::new(),
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
            Err(payload) => (None, format!("panic: {}", panics::message(&*payload))),
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
            Kind::SetFilters { share } => self.set_filters(op, share),
            Kind::SetMotion { share } => self.set_motion(op, share),
            Kind::SetSwept { share } => self.set_swept(op, share),
            Kind::SetUsers { share } => self.set_users(op, share),
            Kind::Step => self.step(),
            Kind::StepWhere => self.step_where(op),
            Kind::StepUpTo => self.step_up_to(op),
            Kind::PanicInStep => self.panic_in_step(op),
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
            Kind::Optimize => self.maintain(|subject| subject.optimize()),
            Kind::Shrink => self.maintain(|subject| subject.shrink_to_fit()),
            Kind::Copy => self.maintain(|subject| subject.copy()),
            Kind::SetBackend => self.set_backend(op),
        }
    }

    /// Calls a method that must not change any result on both worlds.
    fn maintain(&mut self, act: impl Fn(&mut dyn Subject) + Sync) -> Result<(), Wrong> {
        for side in &mut self.sides {
            side.run(|subject| act(subject));
        }
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

    /// Returns whether an object is among the selected ones.
    fn takes_part(&self, id: u32) -> bool {
        self.objects.is_none_or(|objects| objects.contains(id))
    }

    /// Runs a call on both worlds and compares each result with the expected one.
    fn each<T: PartialEq + fmt::Debug + Send>(
        &mut self,
        subject_of: &str,
        expected: &T,
        act: impl Fn(&mut dyn Subject) -> T + Sync,
    ) -> Result<(), Wrong> {
        for which in 0..2 {
            let found = self.sides[which].run(|subject| act(subject));
            self.totals.comparisons += 1;
            if found != *expected {
                return Err((which, format!("{subject_of}: {found:?} instead of {expected:?}")));
            }
        }
        Ok(())
    }

    /// Compares two lists. The error has the first index at which they differ.
    fn compare<T: PartialEq + fmt::Debug>(
        &mut self,
        which: usize,
        subject_of: &str,
        found: &[T],
        expected: &[T],
    ) -> Result<(), Wrong> {
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
            let mut states = core::mem::take(&mut self.states);
            self.sides[which].subject.states(&mut states);
            self.compare(which, "state", &states, &expected)?;
            self.states = states;
            let len = self.sides[which].subject.len();
            self.compare(which, "number of objects", &[len], &[self.oracle.len()])?;
            for handle in self.gone.iter().rev().take(4) {
                let exists = self.sides[which].subject.contains(*handle);
                if exists != self.oracle.by_handle(*handle).is_some() {
                    return Err((which, format!("{handle} exists: {exists}")));
                }
            }
        }
        let random = &mut op.random(u32::MAX);
        let is_step = matches!(op.kind, Kind::Step | Kind::StepWhere | Kind::StepUpTo);
        let is_restore = matches!(op.kind, Kind::Restore | Kind::Reopen | Kind::PanicInStep);
        if is_step || is_restore || random.chance(25) {
            self.check_pairs()?;
        }
        let Self { sides, bytes, .. } = self;
        let [first, second] =
            sides.each_mut().map(|side| side.run(|subject| subject.snapshot(bytes)));
        self.compare(1, "state hash", &[second], &[first])?;
        if self.oracle.len() < 600 && random.chance(40) {
            for side in &self.sides {
                side.subject.assert_well_formed();
            }
        }
        Ok(())
    }
}
