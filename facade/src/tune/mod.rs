//! Benchmarks all structures and settings on a recorded world.
//!
//! 1. Record the ticks of a world in a [`Trace`], or build one from lists of bounds.
//! 2. [`tune`] replays the trace on every structure with several settings and compares their pairs.
//! 3. The [`Report`] ranks the settings and returns the fastest as options. `Display` writes a
//!    table, fastest first. The command `hexphase tune` also prints an explanation and Rust code.
//!
//! Only this module reads the clock; [`Algorithm::Auto`](crate::Algorithm::Auto) never does.
//! Requires the feature `std`.
//!
//! ```
//! use hexphase::tune::{Budget, Trace, tune};
//! use hexphase::{Aabb, BroadPhase};
//!
//! let mut world: BroadPhase<f32, 2, f32> = BroadPhase::new();
//! for n in 0..500 {
//!     world.insert(Aabb::of_ball([(n % 25) as f32, (n / 25) as f32], 0.4), 0.01)?;
//! }
//! let mut trace = Trace::new();
//! for _ in 0..4 {
//!     world.update(|_, speed, bounds| *bounds = bounds.translated([*speed, 0.0]))?;
//!     world.step();
//!     trace.record(&world);
//! }
//! let report = tune(&trace, &Budget::new().rounds(2));
//! assert!(report.all_agree());
//! println!("{report}");
//! let tuned: BroadPhase<f32, 2, f32> = BroadPhase::with_options(report.options());
//! assert!(tuned.is_empty());
//! # Ok::<(), hexphase::Error>(())
//! ```

mod profile;
mod replay;
mod report;
mod setting;
mod steps;
mod trace;

use alloc::vec::Vec;
use core::time::Duration;
use std::time::Instant;

use broadphase_core::{Backend, Number};

pub use profile::Profile;
use replay::Measurements;
#[doc(hidden)]
pub use report::readable;
pub use report::{Report, Trial};
use setting::Setting;
pub use trace::Trace;

/// Limits of the work that [`tune`] does.
///
/// ```
/// use hexphase::tune::Budget;
///
/// let budget = Budget::new().rounds(3).brute_up_to(500);
/// println!("{budget:?}");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    rounds: usize,
    time: Duration,
    brute: usize,
    backend: Backend,
}

impl Budget {
    /// Creates the default budget: five rounds, none started after ten seconds; brute force for up
    /// to 4096 objects; the fastest backend that this CPU can run.
    ///
    /// ```
    /// use hexphase::tune::{Budget, Trace, tune};
    ///
    /// let report = tune(&Trace::<f32, 2>::new(), &Budget::new());
    /// assert!(report.rounds() >= 1);
    /// ```
    #[must_use]
    pub fn new() -> Self {
        let time = Duration::from_secs(10);
        Self { rounds: 5, time, brute: 4096, backend: Backend::detect() }
    }

    /// Sets the number of times that each setting is replayed. Default: 5. At least one replay is
    /// made.
    ///
    /// ```
    /// use hexphase::tune::{Budget, Trace, tune};
    ///
    /// let report = tune(&Trace::<f32, 2>::new(), &Budget::new().rounds(3));
    /// assert_eq!(report.rounds(), 3);
    /// ```
    #[must_use]
    pub const fn rounds(self, rounds: usize) -> Self {
        Self { rounds, ..self }
    }

    /// Sets the time after which no further round is started. Default: 10 seconds. The first round
    /// always completes.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use hexphase::tune::{Budget, Trace, tune};
    ///
    /// let budget = Budget::new().time(Duration::from_secs(2));
    /// let report = tune(&Trace::<f32, 2>::new(), &budget);
    /// assert!(report.rounds() >= 1);
    /// ```
    #[must_use]
    pub const fn time(self, time: Duration) -> Self {
        Self { time, ..self }
    }

    /// Sets the maximum number of objects for which brute force is tried. Default: 4096.
    ///
    /// ```
    /// use hexphase::tune::{Budget, Trace, tune};
    ///
    /// let budget = Budget::new().brute_up_to(500);
    /// let report = tune(&Trace::<f32, 2>::new(), &budget);
    /// assert!(report.rounds() >= 1);
    /// ```
    #[must_use]
    pub const fn brute_up_to(self, objects: usize) -> Self {
        Self { brute: objects, ..self }
    }

    /// Sets the SIMD backend of the kernels. Default: the fastest backend that this CPU can run.
    ///
    /// ```
    /// use hexphase::Backend;
    /// use hexphase::tune::{Budget, Trace, tune};
    ///
    /// let budget = Budget::new().backend(Backend::SCALAR);
    /// let report = tune(&Trace::<f32, 2>::new(), &budget);
    /// assert_eq!(report.backend(), Backend::SCALAR);
    /// ```
    #[must_use]
    pub const fn backend(self, backend: Backend) -> Self {
        Self { backend, ..self }
    }
}

impl Default for Budget {
    fn default() -> Self {
        Self::new()
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
/// Each replay uses a new world, which repeats the recorded changes and steps once per tick. The
/// measured time includes the changes and the step. If more than half of the objects move, or the
/// tick was added with [`Trace::push`], an update of all objects sets bounds; otherwise they are
/// set one by one. Each round replays every setting once; the order rotates from round to round.
/// The time of a tick is its median over all rounds.
///
/// Takes the memory of one world and the time of all replays. Steps run on the threads of the
/// current pool with feature `rayon`. A trace does not contain queries, volumes other than boxes,
/// or the closure of [`BroadPhase::step_where`](crate::BroadPhase::step_where).
///
/// # Panics
/// If there is not enough memory for a world like the recorded world.
///
/// ```
/// use hexphase::Aabb;
/// use hexphase::tune::{Budget, Trace, tune};
///
/// let mut trace = Trace::new();
/// trace.push((0..20).map(|n| Aabb::of_ball([n as f32, 0.0], 0.7)))?;
/// let report = tune(&trace, &Budget::new().rounds(1));
/// assert!(report.all_agree());
/// println!("{report}");
/// # Ok::<(), hexphase::Error>(())
/// ```
#[must_use]
pub fn tune<S: Number, const D: usize>(trace: &Trace<S, D>, budget: &Budget) -> Report<S, D> {
    let begun = Instant::now();
    let mut profile = Profile::of(trace);
    let settings = Setting::candidates(trace, &profile, budget.brute);
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
    let trials = settings.iter().zip(&measured);
    let mut trials: Vec<_> =
        trials.map(|(setting, times)| Trial::of(setting, times, &measured[0])).collect();
    trials.sort_by_key(|trial| (!trial.agrees, trial.tick));
    Report::new(trials, profile, rounds, budget.backend, trace)
}
