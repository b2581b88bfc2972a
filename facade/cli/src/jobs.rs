//! Runs jobs on several threads.

use rayon::prelude::*;

/// A job. It is boxed, so that the code that distributes jobs among threads is compiled once.
pub(crate) type Job<'a> = Box<dyn FnOnce() + Send + 'a>;

/// Runs jobs on the threads of the current pool, and returns when all jobs have ended.
pub(crate) fn run_all(jobs: Vec<Job<'_>>) {
    jobs.into_par_iter().for_each(|job| job());
}
