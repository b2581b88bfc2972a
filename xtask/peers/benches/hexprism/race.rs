//! Timing that is robust against a noisy machine: all runners take turns, and the fastest turn of
//! each runner counts.
//!
//! Criterion measures one subject after the other, and a shared machine may become half as fast
//! from one minute to the next. Disturbances can only make a turn slower, so the fastest turn is
//! the best estimate.

use core::time::Duration;
use std::time::Instant;

use bounds_hexprism::{Backend, Batch, Batched};

/// A batch with its queries, for any kind of volume.
pub(crate) trait Runner {
    /// Runs one query after the other; returns the number of volumes found.
    fn one_by_one(&mut self, backend: Backend) -> usize;
    /// Runs all queries together; returns the number of volumes found.
    fn together(&mut self, backend: Backend) -> usize;
}

pub(crate) struct Asking<V: Batched> {
    pub(crate) batch: Batch<V>,
    pub(crate) one_by_one: Vec<V>,
    pub(crate) together: Vec<V>,
}

impl<V: Batched> Runner for Asking<V> {
    fn one_by_one(&mut self, backend: Backend) -> usize {
        self.batch.set_backend(backend);
        self.one_by_one.iter().map(|query| self.batch.count(query)).sum()
    }

    fn together(&mut self, backend: Backend) -> usize {
        self.batch.set_backend(backend);
        self.batch.count_many(&self.together).iter().sum()
    }
}

/// The best times of one runner.
#[derive(Clone, Debug)]
pub(crate) struct Best {
    /// The time with one call per query, on each backend.
    pub(crate) one_by_one: Vec<Duration>,
    /// The time with one call for all queries, on the fastest backend.
    pub(crate) together: Duration,
}

/// Lets all runners take turns for about this duration, and returns the best times of each runner.
pub(crate) fn race(runners: &mut [Box<dyn Runner>], time: Duration) -> Vec<Best> {
    let backends: Vec<Backend> = Backend::available().collect();
    let never = Best { one_by_one: vec![Duration::MAX; backends.len()], together: Duration::MAX };
    let mut best = vec![never; runners.len()];
    let start = Instant::now();
    let timed = |best: &mut Duration, run: &mut dyn FnMut() -> usize| {
        let start = Instant::now();
        core::hint::black_box(run());
        *best = start.elapsed().min(*best);
    };
    while start.elapsed() < time {
        for (runner, best) in runners.iter_mut().zip(&mut best) {
            for (&backend, best) in backends.iter().zip(&mut best.one_by_one) {
                timed(best, &mut || runner.one_by_one(backend));
            }
            timed(&mut best.together, &mut || runner.together(Backend::detect()));
        }
    }
    best
}
