//! The benchmark harness. Each measurement checks its result, and other libraries do the same work
//! in the same run.
//!
//! A suite is one file in `benches/`, run by `cargo xtask bench SUITE [--json FILE]`:
//!
//! ```
//! use peers::{Answer, Scene, Subject, Suite, Work};
//!
//! let mut suite = Suite::new("sums");
//! let n = 1_000;
//! let numbers: Vec<u64> = (0..n as u64).collect();
//! // Everything measured in one comparison does the same work and must give the same answer.
//! let scene = Scene { name: "ascending", n, work: Work::Tests(n as u64) };
//! let mut comparison = suite.compare(scene, Answer::new(0, [499_500]));
//! comparison.measure(
//!     Subject { name: "fold", backend: "scalar", threads: 1 },
//!     || (&numbers, 0),                                            // made once, never timed
//!     |(numbers, sum)| *sum = numbers.iter().fold(0, |a, b| a + b), // timed
//!     |(_, sum)| Answer::new(0, [*sum]),                           // read after the first run
//! );
//! comparison.peer("std", || 0, |sum| *sum = numbers.iter().sum(), |sum| Answer::new(0, [*sum]));
//! suite.finish();
//! ```
//!
//! * The first run is not timed. Its result is compared with the expected one; a difference panics,
//!   as every other error does: an invalid scene, a measurement of the same name, a missing file.
//!   `cargo xtask bench SUITE -- --test` and `cargo test` do only this.
//! * The numbers are criterion's medians. A filter (`-- hash`) limits what is measured and
//!   reported.
//! * [`world`] has scenes of moving objects, in our structures and in other libraries; [`cube`] has
//!   points and k-d trees.
//! * [`Suite::finish`] prints a table. If the environment variable
//!   `HEXPHASE_BENCH_JSON` names a file, it also writes them there as a JSON array.
//! * A suite is one program. Built by `cargo bench -p peers --bench SUITE --no-run`, it can be
//!   copied to another machine and started with the argument `--bench`.

#![forbid(unsafe_code)]

mod answer;
pub mod cube;
mod estimate;
mod model;
mod row;
mod suite;
pub mod world;

pub use answer::Answer;
pub use suite::{Comparison, Scene, Subject, Suite, Work, measuring, pools, scenes};
