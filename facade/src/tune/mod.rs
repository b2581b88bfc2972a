//! Benchmarks all structures and settings on a recorded world.
//!
//! 1. Record the ticks of a world in a [`Trace`], or build one from lists of bounds.
//! 2. [`tune`] replays the trace on every structure with several settings and compares their pairs.
//! 3. The [`Report`] ranks the settings and returns the fastest as options. `hexphase tune` prints
//!    a table, an explanation and Rust code.
//!
//! Only this module reads the clock. Requires the feature `std`.
//!
//! ```
//! use hexphase::tune::{Budget, Trace, tune};
//! use hexphase::{Aabb, BroadPhase};
//!
//! let mut world: BroadPhase<f32, 2, f32> = BroadPhase::new();
//! for n in 0..500 {
//!     world.insert(Aabb::of_ball([(n % 25) as f32, (n / 25) as f32], 0.4), 0.01)?;
//! }
//! let mut trace = Trace::default();
//! for _ in 0..4 {
//!     world.update(|_, speed, bounds| *bounds = bounds.translated([*speed, 0.0]))?;
//!     world.step();
//!     trace.record(&world);
//! }
//! let report = tune(&trace, &Budget { rounds: 2, ..Budget::default() });
//! for trial in &report.trials {
//!     println!("{}: {:?} a tick", trial.algorithm, trial.tick);
//! }
//! let tuned: BroadPhase<f32, 2, f32> = BroadPhase::with_options(report.options());
//! assert!(tuned.is_empty());
//! # Ok::<(), hexphase::Error>(())
//! ```

mod profile;
mod replay;
mod report;
mod setting;
mod trace;

use alloc::vec::Vec;
use core::time::Duration;
use std::time::Instant;

use broadphase_core::{Backend, Number};

use crate::{Choice, Options};
pub use profile::Profile;
use replay::Measurements;
pub use report::{Report, Trial};
use setting::Setting;
pub use trace::Trace;

/// Limits of the work that [`tune`] does. Default: five rounds, none started after ten seconds;
/// brute force for up to 4096 objects; the fastest backend of this CPU.
///
/// ```
/// use hexphase::tune::{Budget, Trace, tune};
///
/// let budget = Budget { rounds: 3, ..Budget::default() };
/// let report = tune(&Trace::<f32, 2>::default(), &budget);
/// assert_eq!(report.rounds, 3);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Number of times that each setting is replayed; at least one replay is made.
    pub rounds: usize,
    /// Time after which no further round is started. The first round always completes.
    pub time: Duration,
    /// Maximum number of objects for which brute force is tried.
    pub brute_up_to: usize,
    /// SIMD backend of the kernels.
    pub backend: Backend,
}

impl Default for Budget {
    fn default() -> Self {
        let time = Duration::from_secs(10);
        Self { rounds: 5, time, brute_up_to: 4096, backend: Backend::detect() }
    }
}

/// Replays a trace on every compiled structure with several settings, and ranks them by time.
///
/// Settings tried:
///
/// * brute force, up to the limit of the budget;
/// * the spatial hash with its default cell size, and with half and twice that size;
/// * the grid;
/// * Morton-sorted objects.
///
/// Each replay uses a new world, which repeats the recorded changes and steps once per tick; both
/// are timed. If more than half of the objects move, all of them dynamic, or the tick was added
/// with [`Trace::push`], an update sets bounds; otherwise they are set one by one. Each round
/// replays every setting once, in rotating order. The time of a tick is its median over all rounds.
///
/// Takes the memory of one world and the time of all replays, on the threads of the current pool. A
/// trace does not contain queries, volumes other than boxes, or the closure of
/// [`BroadPhase::step_where`](crate::BroadPhase::step_where).
///
/// # Panics
/// If there is not enough memory for a world like the recorded world.
///
/// ```
/// use hexphase::Aabb;
/// use hexphase::tune::{Budget, Trace, tune};
///
/// let mut trace = Trace::default();
/// trace.push((0..20).map(|n| Aabb::of_ball([n as f32, 0.0], 0.7)))?;
/// let report = tune(&trace, &Budget { rounds: 1, ..Budget::default() });
/// assert!(report.trials.iter().all(|trial| trial.agrees));
/// # Ok::<(), hexphase::Error>(())
/// ```
#[must_use]
pub fn tune<S: Number, const D: usize>(trace: &Trace<S, D>, budget: &Budget) -> Report<S, D> {
    let begun = Instant::now();
    let mut profile = Profile::of(trace);
    let settings = Setting::candidates(trace, &profile, budget.brute_up_to);
    let mut measured: Vec<Measurements<S>> =
        settings.iter().map(|_| Measurements::default()).collect();
    let mut rounds = 0;
    while rounds == 0 || (rounds < budget.rounds && begun.elapsed() < budget.time) {
        for turn in 0..settings.len() {
            let index = (turn + rounds) % settings.len();
            let options = settings[index].options(trace).backend(budget.backend);
            measured[index].replay(trace, options);
        }
        rounds += 1;
    }
    profile.pairs = measured[0].pairs_per_tick();
    let trial = |(setting, times)| Trial::of(setting, times, &measured[0], profile.objects);
    let mut trials: Vec<_> = settings.iter().zip(&measured).map(trial).collect();
    trials.sort_by_key(|trial| (!trial.agrees, trial.tick));
    let initial = Choice::INITIAL;
    let (auto, _) = Choice::algorithm_for(&Options::<S, D>::new(), initial, profile.objects);
    let (backend, sides, events) = (budget.backend, trace.sides, trace.events);
    Report { trials, profile, rounds, backend, auto, sides, events }
}
