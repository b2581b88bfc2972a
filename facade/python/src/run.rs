//! Runs searches without the interpreter lock.
//!
//! A search owns its boxes and runs on a thread of a pool. The calling thread waits for the result
//! and handles signals at short intervals. After a signal such as Ctrl+C it returns at once; the
//! search unwinds at its next call of [`Cancel::check`], and its result is dropped.

use core::any::Any;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use core::time::Duration;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// The time between two checks for signals.
const INTERVAL: Duration = Duration::from_millis(50);

/// The payload with which a cancelled search unwinds.
struct Cancelled;

/// Whether the result of a search is no longer needed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Unwinds if the search is cancelled.
    pub(crate) fn check(&self) {
        if self.0.load(Relaxed) {
            resume_unwind(Box::new(Cancelled));
        }
    }
}

/// Threads for searches.
pub(crate) type Pool = Arc<ThreadPool>;

/// Returns a pool with this number of threads, by default one for each core.
///
/// Pools are kept, except those with one thread: callers with several threads of their own would
/// wait for each other. A process that was forked has none of the threads, and makes its own.
pub(crate) fn pool(threads: Option<usize>) -> PyResult<Pool> {
    static POOLS: Mutex<BTreeMap<(u32, usize), Pool>> = Mutex::new(BTreeMap::new());
    if threads == Some(0) {
        return Err(PyValueError::new_err("threads must be at least 1"));
    }
    let threads = threads.unwrap_or(0);
    let build = || {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        pool.map(Arc::new).map_err(|why| PyOSError::new_err(format!("threads: {why}")))
    };
    if threads == 1 {
        return build();
    }
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (std::process::id(), threads);
    if let Some(pool) = pools.get(&key) {
        return Ok(pool.clone());
    }
    Ok(pools.entry(key).or_insert(build()?).clone())
}

/// Runs a search on a pool and waits for its result, without the interpreter lock.
///
/// # Errors
/// If a signal handler raises an exception, such as `KeyboardInterrupt`.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    pool: &Pool,
    search: impl FnOnce(&Cancel) -> T + Send + 'static,
) -> PyResult<T> {
    let cancel = Cancel::default();
    let (send, mut receive) = channel();
    let theirs = cancel.clone();
    pool.spawn(move || {
        let result = catch_unwind(AssertUnwindSafe(|| search(&theirs)));
        // The receiver is gone after a signal.
        let _ = send.send(result);
    });
    loop {
        let result;
        (result, receive) = py.detach(move || (receive.recv_timeout(INTERVAL), receive));
        match result {
            Ok(Ok(found)) => return Ok(found),
            Ok(Err(panic)) => resume_unwind(panic),
            Err(RecvTimeoutError::Timeout) => py.check_signals().inspect_err(|_| {
                cancel.0.store(true, Relaxed);
            })?,
            Err(RecvTimeoutError::Disconnected) => unreachable!("the search sends its result"),
        }
    }
}

/// The payload with which a search unwinds that has found more than it may.
struct TooMany;

/// Runs a search that may call [`stop`]; `None` if it does.
pub(crate) fn until_stopped<T>(search: impl FnOnce() -> T) -> Option<T> {
    let is_stop = |panic: &Box<dyn Any + Send>| panic.is::<TooMany>();
    match catch_unwind(AssertUnwindSafe(search)) {
        Ok(found) => Some(found),
        Err(panic) if is_stop(&panic) => None,
        Err(panic) => resume_unwind(panic),
    }
}

/// Unwinds to [`until_stopped`].
pub(crate) fn stop() -> ! {
    resume_unwind(Box::new(TooMany))
}
