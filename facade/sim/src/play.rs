//! Plays many seeds on several threads.

use core::ops::Range;
use core::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::run::{Run, Schedule, Selection};
use crate::shrink::Shrunk;
use crate::situations::Situations;
use crate::totals::Totals;

/// The sums of several runs.
///
/// ```
/// use hexphase_sim::{Played, Selection};
///
/// let played = Played::new(0..5, &Selection::default(), 2, || ());
/// assert!(played.failed.is_none() && played.totals.operations > 100);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Played {
    /// Counts of the runs without a difference.
    pub totals: Totals,
    /// Situations of the runs without a difference.
    pub situations: Situations,
    /// The lowest seed with a difference. After a difference, no further seed is begun.
    pub failed: Option<u64>,
}

impl Played {
    /// Plays the schedules of the seeds, `jobs` at a time. `advance` is called after each run.
    pub fn new(
        seeds: Range<u64>,
        selection: &Selection,
        jobs: u64,
        advance: impl Fn() + Sync,
    ) -> Self {
        let next = AtomicU64::new(seeds.start);
        let sum = Mutex::new(Self::default());
        let work = || {
            loop {
                let seed = next.fetch_add(1, Ordering::Relaxed);
                if seed >= seeds.end {
                    break;
                }
                let Run { totals, situations, difference } = Run::new(seed, selection);
                advance();
                let mut sum = sum.lock().unwrap_or_else(PoisonError::into_inner);
                if difference.is_some() {
                    sum.failed = Some(sum.failed.map_or(seed, |lowest| lowest.min(seed)));
                    next.store(seeds.end, Ordering::Relaxed);
                } else {
                    sum.totals += totals;
                    sum.situations += situations;
                }
            }
        };
        thread::scope(|scope| {
            for _ in 1..jobs.min(seeds.end.saturating_sub(seeds.start)) {
                scope.spawn(work);
            }
            work();
        });
        sum.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Plays `count` seeds on all cores, for tests. The environment variable `HEXPHASE_EXAMPLES`
    /// multiplies the number of seeds.
    ///
    /// ```
    /// assert!(hexphase_sim::Played::without_difference(0, 3).totals.steps > 0);
    /// ```
    ///
    /// # Panics
    /// If a run has a difference. The message has the line that reproduces it.
    #[must_use]
    pub fn without_difference(first: u64, count: u64) -> Self {
        let factor = std::env::var("HEXPHASE_EXAMPLES").ok().and_then(|text| text.parse().ok());
        let seeds = first..first + count * factor.unwrap_or(1);
        let (all, cores) = (Selection::default(), thread::available_parallelism());
        let jobs = cores.map_or(1, |cores| cores.get() as u64);
        let played = Self::new(seeds, &all, jobs, || ());
        if let Some(seed) = played.failed {
            let shrunk = Shrunk::new(seed, &all).expect("a difference");
            let Shrunk { selection, difference, .. } = shrunk;
            let schedule = Schedule::new(seed, &selection);
            let line = format!("cargo run --release --features sim -- sim {seed}{selection}");
            panic!("{schedule}{line}: {difference}");
        }
        println!("{played:?}");
        played
    }
}
