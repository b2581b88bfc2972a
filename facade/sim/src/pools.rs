//! Pools of threads, created when they are needed.

use alloc::collections::BTreeMap;

use rayon::{ThreadPool, ThreadPoolBuilder};

/// Thread pools of one simulating thread, one pool for each number of threads, created on first
/// use.
///
/// ```
/// let mut pools = hexphase_sim::Pools::default();
/// let run = hexphase_sim::Run::new(3, &Default::default(), &mut pools)?;
/// assert!(run.difference.is_none());
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Default)]
pub struct Pools(BTreeMap<usize, ThreadPool>);

impl Pools {
    /// Returns the pool with this number of threads.
    pub(crate) fn get(&mut self, threads: usize) -> &ThreadPool {
        self.0.entry(threads).or_insert_with(|| {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build();
            pool.expect("the system can start the threads of a pool")
        })
    }
}
