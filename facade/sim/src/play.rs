//! Plays many seeds on several threads, and records the places of panics.

use core::any::Any;
use core::cell::RefCell;
use core::ops::Range;
use core::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::{panic, thread};

use crate::random::mix;
use crate::run::{Run, Schedule, Selection};
use crate::shrink::Shrunk;
use crate::totals::{Situations, Totals};

/// The sums of several runs.
#[derive(Clone, Debug, Default)]
pub struct Played {
    /// The number of runs without a difference.
    pub runs: u64,
    /// Counts of the runs without a difference.
    pub totals: Totals,
    /// A hash of the results of the runs without a difference, if it is selected. Independent of
    /// the order of the runs.
    pub hash: u64,
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
                let Run { totals, hash, situations, difference } = Run::new(seed, selection);
                advance();
                let mut sum = sum.lock().unwrap_or_else(PoisonError::into_inner);
                if difference.is_some() {
                    sum.failed = Some(sum.failed.map_or(seed, |lowest| lowest.min(seed)));
                    next.store(seeds.end, Ordering::Relaxed);
                } else {
                    sum.runs += 1;
                    sum.totals += totals;
                    sum.hash = sum.hash.wrapping_add(mix(seed, hash));
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
    /// # Panics
    /// If a run has a difference. The message has the line that reproduces it.
    #[must_use]
    pub fn without_difference(first: u64, count: u64) -> Self {
        let factor = std::env::var("HEXPHASE_EXAMPLES").ok();
        let factor = factor.and_then(|text| text.parse::<f64>().ok()).unwrap_or(1.0);
        let seeds = first..first + (count as f64 * factor).max(1.0) as u64;
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

thread_local! {
    /// The place in the source of the last panic on this thread, as " at FILE:LINE:COLUMN".
    static LAST: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Installs a panic hook that records the place of a panic instead of printing a message. If a
/// world panics, the text of the [`Difference`](crate::Difference) then has this place.
pub fn record_panics() {
    panic::set_hook(Box::new(|info| {
        let place = info.location().map_or(String::new(), |place| format!(" at {place}"));
        LAST.with(|last| *last.borrow_mut() = place);
    }));
}

/// Returns the message of a panic, with its place if it was recorded on this thread.
pub(crate) fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
    let place = LAST.with(|last| core::mem::take(&mut *last.borrow_mut()));
    format!("{}{place}", text.unwrap_or("without a message"))
}
