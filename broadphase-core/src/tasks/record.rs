//! Records the times of tasks and of the serial work between them, for benchmarks that compute the
//! time on more threads than the machine has.

use alloc::vec::Vec;
use core::cell::RefCell;
use core::panic::Location;
use core::time::Duration;
use std::thread_local;
use std::time::Instant;

thread_local! {
    /// The recording in progress on this thread.
    static CURRENT: RefCell<Option<Recorder>> = const { RefCell::new(None) };
}

/// The times of one call of [`each`](super::each).
#[derive(Clone, Debug)]
pub struct Section {
    /// The caller.
    pub place: &'static Location<'static>,
    /// The time since the end of the section before.
    pub before: Duration,
    /// The time of each task, in the order in which threads take them.
    pub tasks: Vec<Duration>,
}

/// The times of a run.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The calls of [`each`](super::each) with more than one task.
    pub sections: Vec<Section>,
    /// The time since the end of the last section.
    pub rest: Duration,
}

struct Recorder {
    threads: usize,
    sections: Vec<Section>,
    /// The end of the last section.
    end: Instant,
}

/// Runs `run` as if the current pool had a number of threads: work is divided for them, and the
/// tasks run one after the other on this thread. A task is not divided again if the current pool has
/// one thread.
pub fn record(threads: usize, run: impl FnOnce()) -> Recording {
    let recorder = Recorder { threads, sections: Vec::new(), end: Instant::now() };
    CURRENT.set(Some(recorder));
    run();
    let Recorder { sections, end, .. } = CURRENT.take().expect("`each` puts the recorder back");
    Recording { sections, rest: end.elapsed() }
}

/// Returns the number of threads of the recording in progress on this thread.
pub(super) fn threads() -> Option<usize> {
    CURRENT.with_borrow(|recorder| recorder.as_ref().map(|recorder| recorder.threads))
}

/// Runs and times every task if a recording is in progress on this thread; otherwise returns `false`
/// without effect.
#[track_caller]
pub(super) fn each<T>(tasks: &mut [T], run: impl Fn(&mut T)) -> bool {
    let Some(mut recorder) = CURRENT.take() else { return false };
    let mut begin = Instant::now();
    let before = begin - recorder.end;
    let time = |task| {
        run(task);
        let end = Instant::now();
        end - core::mem::replace(&mut begin, end)
    };
    let tasks = tasks.iter_mut().map(time).collect();
    recorder.sections.push(Section { place: Location::caller(), before, tasks });
    recorder.end = Instant::now();
    CURRENT.set(Some(recorder));
    true
}
