//! A deterministic simulator of hostile use of worlds.
//!
//! A seed determines a configuration and a schedule. The configuration has the number type, the
//! dimension, the sides of the world, the distribution of objects, and two lists of settings:
//! structure, backend, number of threads, skin and cell size. The schedule has operations: objects
//! are inserted, moved and removed, filters and motion classes change, steps and queries run,
//! snapshots are saved, restored into worlds with another structure, and damaged; closures panic,
//! invalid calls and too large allocations are refused.
//!
//! The algorithm:
//!
//! 1. Expand the seed. All choices for an object in an operation depend on the seed, the index of
//!    the operation and the number of the object only, so operations and objects can be left out
//!    without an effect on the others.
//! 2. Apply each operation to two worlds, which differ in their settings, and to the oracle, a list
//!    of objects and pairs.
//! 3. After each operation compare the states of all objects, the results, and the state hashes of
//!    both worlds; after each step also pairs and events. The oracle tests each pair of objects.
//!    Numbers that depend on rounding (distances, fractions) are computed by the public functions
//!    of single paths, regions and targets. Hits of swept objects are compared between the worlds.
//! 4. If something differs, leave out operations and objects as long as a difference remains, and
//!    simplify the settings ([`Shrunk`]).
//!
//! Coordinates are `f64`, which represents the numbers of all worlds exactly; only the adapter of a
//! world is compiled for each number type and dimension. A step of 200 objects takes about 100
//! microseconds, comparisons included.
//!
//! ```
//! use hexphase_sim::{Pools, Run, Selection, Totals};
//!
//! let (mut pools, mut totals) = (Pools::default(), Totals::default());
//! for seed in 0..5 {
//!     let run = Run::new(seed, &Selection::default(), &mut pools)?;
//!     assert!(run.difference.is_none(), "seed {seed}: {}", run.difference.unwrap());
//!     totals += run.totals;
//! }
//! assert!(totals.operations > 100);
//! # Ok::<(), String>(())
//! ```

#![forbid(unsafe_code)]

extern crate alloc;

mod config;
mod objects;
mod op;
mod oracle;
mod overlaps;
mod panics;
mod planted;
mod pools;
mod random;
mod ranges;
mod run;
mod shape;
mod shrink;
mod simulation;
mod space;
mod subject;
mod totals;

pub use panics::record_panics;
#[doc(hidden)]
pub use planted::Planted;
pub use pools::Pools;
pub use ranges::Ranges;
pub use run::{Run, Schedule, Selection};
pub use shrink::Shrunk;
pub use simulation::Difference;
pub use totals::Totals;
