//! End-to-end tests of the binary: its output and exit status.
//!
//! The tests of `sim` need the feature `sim`.

mod bad_input;
mod distances;
mod fleet;
mod generated;
mod golden;
mod info;
mod join;
mod manners;
mod memory;
mod neighbors;
mod odd_files;
mod oracle;
mod output;
mod query;
mod render;
mod run;
mod seam;
#[cfg(feature = "sim")]
mod sim;
mod tune;
