//! Which structure and which settings are fastest for a world, found by trying them.
//!
//! A [`Trace`] records the ticks of a world, or is made of lists of bounds; [`tune`] replays it on
//! every structure with several settings, compares their pairs, and hands back a [`Report`]: the
//! settings ranked, what there is to say about them in words, and the options as Rust to paste.
//! Clocks are used here alone: [`Algorithm::Auto`](crate::Algorithm::Auto) never asks one.
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
//! # Ok::<(), hexphase::Error>(())
//! ```

mod explain;
mod profile;
mod replay;
mod report;
mod setting;
mod trace;

use alloc::vec::Vec;
use core::time::Duration;
use std::time::Instant;

use broadphase_core::{Backend, Number};

pub use profile::Profile;
use replay::Measured;
pub use report::{Report, Trial};
use setting::Setting;
pub use trace::Trace;

/// How much work [`tune`] may do.
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
    /// Five rounds, of which none begins after ten seconds; brute force up to 4096 objects; the
    /// best backend.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use hexphase::Backend;
    /// # use hexphase::tune::{Budget, Trace, tune};
    /// let budget = Budget::new();
    /// let report = tune(&Trace::<f32, 2>::new(), &budget);
    /// # assert!(report.rounds() >= 1);
    /// ```
    #[must_use]
    pub fn new() -> Self {
        let time = Duration::from_secs(10);
        Self { rounds: 5, time, brute: 4096, backend: Backend::detect() }
    }

    /// How many times everything is replayed; at least once.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use hexphase::Backend;
    /// # use hexphase::tune::{Budget, Trace, tune};
    /// let budget = Budget::new().rounds(3);
    /// let report = tune(&Trace::<f32, 2>::new(), &budget);
    /// # assert!(report.rounds() >= 1);
    /// ```
    #[must_use]
    pub const fn rounds(self, rounds: usize) -> Self {
        Self { rounds, ..self }
    }

    /// After how long no other round begins. The first one is finished however long it takes.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use hexphase::Backend;
    /// # use hexphase::tune::{Budget, Trace, tune};
    /// let budget = Budget::new().time(Duration::from_secs(2));
    /// let report = tune(&Trace::<f32, 2>::new(), &budget);
    /// # assert!(report.rounds() >= 1);
    /// ```
    #[must_use]
    pub const fn time(self, time: Duration) -> Self {
        Self { time, ..self }
    }

    /// Up to how many objects brute force is tried.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use hexphase::Backend;
    /// # use hexphase::tune::{Budget, Trace, tune};
    /// let budget = Budget::new().brute_up_to(500);
    /// let report = tune(&Trace::<f32, 2>::new(), &budget);
    /// # assert!(report.rounds() >= 1);
    /// ```
    #[must_use]
    pub const fn brute_up_to(self, objects: usize) -> Self {
        Self { brute: objects, ..self }
    }

    /// The lanes that kernels run with.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use hexphase::Backend;
    /// # use hexphase::tune::{Budget, Trace, tune};
    /// let budget = Budget::new().backend(Backend::SCALAR);
    /// let report = tune(&Trace::<f32, 2>::new(), &budget);
    /// # assert!(report.rounds() >= 1);
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

/// Replays a trace on every compiled structure, with several settings, and ranks them by time.
///
/// Tried are brute force, unless there are too many objects; the hash with cells as they are
/// measured, half and twice as large; the grid without skin, and where objects move with one of
/// eight and of twenty-four median steps; Morton-sorted objects. Each is a world of its own that
/// is told all that was recorded and steps once a tick; the clock runs for both, and for what
/// there is to tell bounds by: a walk over all objects where more than half of them move, one by
/// one else. In every round each is replayed once, and begins one later than in the round before.
/// What a tick takes is the median of the rounds.
///
/// Takes the memory of a world, and the time of all replays. Steps run on the threads of the
/// current pool, where there is one. A veto ([`BroadPhase::step_where`](crate::BroadPhase::step_where)),
/// volumes tighter than boxes and questions are no part of a trace.
///
/// # Panics
/// If there is no memory for a world like the recorded one.
///
/// ```
/// # use hexphase::Aabb;
/// # use hexphase::tune::{Budget, Trace, tune};
/// # let mut trace: Trace<f32, 1> = Trace::new();
/// # for tick in 0..3 {
/// #     trace.push((0..20).map(|n| Aabb::of_ball([n as f32 + tick as f32], 0.7)))?;
/// # }
/// let report = tune(&trace, &Budget::new().rounds(1));
/// assert!(report.all_agree());
/// println!("{report}");
/// # Ok::<(), hexphase::Error>(())
/// ```
#[must_use]
pub fn tune<S: Number, const D: usize>(trace: &Trace<S, D>, budget: &Budget) -> Report<S, D> {
    let begun = Instant::now();
    let mut profile = Profile::of(trace);
    let settings = Setting::all(trace, &profile, budget.brute);
    let mut measured: Vec<Measured<S>> = settings.iter().map(|_| Measured::default()).collect();
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
