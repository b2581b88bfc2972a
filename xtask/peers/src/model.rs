//! A model of the time that work takes on more threads than the machine has.
//!
//! 1. Run the work on one thread, divided as for `P` threads, and record the time of each task and
//!    of the serial work between the sections with tasks ([`record`]).
//! 2. Assign the tasks of a section in their order, each to the thread that is idle first, as
//!    threads do. The section takes until the last thread is idle, but at least the sum of its
//!    tasks divided by the number of threads whose demand the memory can satisfy.
//! 3. Add the serial work.
//!
//! The model has no costs for starting threads and for tasks that compete for caches.

use core::fmt::Write as _;
use core::time::Duration;
use std::collections::HashMap;
use std::env;
use std::time::Instant;

use broadphase_core::tasks::record::{Recording, Section, record};
use rayon::ThreadPool;

/// Number of recorded runs; the one with the median time counts.
const RUNS: usize = 15;
/// Minimum share of the time of serial work that is printed with its place.
const PRINTED: f64 = 0.01;

/// The threads of a model, of `HEXPHASE_BENCH_MODEL`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Model {
    threads: usize,
    /// The number of threads that use all of the memory's bandwidth, of
    /// `HEXPHASE_BENCH_BANDWIDTH`; unlimited by default.
    bandwidth: f64,
}

/// Times of the same work, in seconds.
#[derive(Debug)]
pub(crate) struct Modelled {
    /// The threads of the model.
    pub(crate) threads: usize,
    /// On one thread, undivided.
    pub(crate) one: f64,
    /// On the threads of the model.
    pub(crate) time: f64,
    /// On two threads, measured and by the model.
    two: [f64; 2],
    /// Places of serial work and their shares of `time`, the largest first.
    serial: Vec<(String, f64)>,
}

impl Model {
    /// Returns the model that the environment selects.
    pub(crate) fn requested() -> Option<Self> {
        let number = |name| env::var(name).ok().map(|text| text.parse::<f64>().expect("a number"));
        let threads = number("HEXPHASE_BENCH_MODEL")? as usize;
        Some(Self { threads, bandwidth: number("HEXPHASE_BENCH_BANDWIDTH").unwrap_or(f64::MAX) })
    }

    /// Computes the time of a run, and measures it in a pool of two threads.
    pub(crate) fn time(self, two: &ThreadPool, mut run: impl FnMut() + Send) -> Modelled {
        let mut recorded = |threads, model: Self| {
            let runs = (0..RUNS).map(|_| {
                let recording = record(threads, &mut run);
                (model.on(&recording), recording)
            });
            median(runs.collect(), |run| run.0)
        };
        let (one, _) = recorded(1, self);
        let (time, recording) = recorded(self.threads, self);
        let (modelled, _) = recorded(2, Self { threads: 2, ..self });
        let measured = (0..RUNS).map(|_| {
            let start = Instant::now();
            two.install(&mut run);
            start.elapsed().as_secs_f64()
        });
        let measured = median(measured.collect(), |&time| time);
        let serial = shares(&recording, time);
        Modelled { threads: self.threads, one, time, two: [measured, modelled], serial }
    }

    /// Returns the time of a recorded run.
    fn on(self, Recording { sections, rest }: &Recording) -> f64 {
        let sections =
            sections.iter().map(|section| section.before.as_secs_f64() + self.section(section));
        sections.sum::<f64>() + rest.as_secs_f64()
    }

    /// Returns the time of the tasks of a section.
    fn section(self, section: &Section) -> f64 {
        let mut busy = vec![Duration::ZERO; self.threads];
        for &task in &section.tasks {
            *busy.iter_mut().min().expect("a thread") += task;
        }
        let sum: Duration = section.tasks.iter().sum();
        let last = busy.into_iter().max().unwrap_or_default().as_secs_f64();
        last.max(sum.as_secs_f64() / self.bandwidth)
    }
}

fn median<T>(mut runs: Vec<T>, time: impl Fn(&T) -> f64) -> T {
    runs.sort_by(|a, b| time(a).total_cmp(&time(b)));
    runs.swap_remove(runs.len() / 2)
}

/// Returns the places of serial work, and their shares of a time.
fn shares(Recording { sections, rest }: &Recording, time: f64) -> Vec<(String, f64)> {
    let mut shares = HashMap::from([("the end".to_owned(), rest.as_secs_f64())]);
    for Section { place, before, .. } in sections {
        let file = place.file().rsplit_once("src/").map_or(place.file(), |(_, file)| file);
        let place = format!("{file}:{}", place.line());
        *shares.entry(place).or_default() += before.as_secs_f64();
    }
    let mut shares: Vec<_> =
        shares.into_iter().map(|(place, spent)| (place, spent / time)).collect();
    shares.sort_by(|a, b| b.1.total_cmp(&a.1));
    shares
}

impl Modelled {
    /// Returns a line about the model beside measurements, and a line about serial work.
    pub(crate) fn details(&self) -> String {
        let [measured, modelled] = self.two;
        let mut text = format!(
            "#   speed-up {:.1} on {} threads by the model; on 2 {:.2} measured, {:.2} by the model\n\
             #   serial before:",
            self.one / self.time,
            self.threads,
            self.one / measured,
            self.one / modelled,
        );
        for (place, share) in self.serial.iter().filter(|&&(_, share)| share >= PRINTED) {
            let _ = write!(text, " {place} {:.0} %,", share * 100.0);
        }
        let total: f64 = self.serial.iter().map(|&(_, share)| share).sum();
        let _ = write!(text, " together {:.0} %", total * 100.0);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::{Duration, Model, Recording, Section};
    use core::panic::Location;

    #[test]
    fn tasks_run_in_their_order_on_idle_threads() {
        let seconds = |list: &[u64]| list.iter().map(|&time| Duration::from_secs(time)).collect();
        let section =
            |tasks| Section { place: Location::caller(), before: Duration::from_secs(1), tasks };
        let sections = vec![section(seconds(&[1, 2, 3, 4])), section(seconds(&[6, 6]))];
        let recording = Recording { sections, rest: Duration::from_secs(2) };
        let on = |threads, bandwidth| Model { threads, bandwidth }.on(&recording);
        assert_eq!(on(1, 9.0), 4.0 + 10.0 + 12.0);
        assert_eq!(on(2, 9.0), 4.0 + 6.0 + 6.0);
        assert_eq!(on(4, 9.0), 4.0 + 4.0 + 6.0);
        assert_eq!(on(4, 2.0), 4.0 + 5.0 + 6.0);
    }
}
