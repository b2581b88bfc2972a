//! Jobs on several threads.

use rayon::prelude::*;

/// A job. Boxed, so that the code that distributes jobs among threads is compiled once.
pub(crate) type Job<'a> = Box<dyn FnOnce() + Send + 'a>;

/// Runs jobs on the threads of the current pool, and returns when all have ended.
pub(crate) fn run_all(jobs: Vec<Job<'_>>) {
    jobs.into_par_iter().for_each(|job| job());
}
