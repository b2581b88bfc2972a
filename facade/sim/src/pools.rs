//! Pools of threads, created when they are needed.

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use std::sync::{Mutex, PoisonError};

use rayon::{ThreadPool, ThreadPoolBuilder};

/// One pool for each number of threads.
static POOLS: Mutex<BTreeMap<usize, Arc<ThreadPool>>> = Mutex::new(BTreeMap::new());

/// Runs a closure in the pool with this number of threads; on the current thread if it is 1.
pub(crate) fn run<R: Send>(threads: usize, act: impl FnOnce() -> R + Send) -> R {
    if threads == 1 {
        return act();
    }
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let pool = pools.entry(threads).or_insert_with(|| {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        Arc::new(pool.expect("the system can start the threads of a pool"))
    });
    let pool = Arc::clone(pool);
    drop(pools);
    pool.install(act)
}
