//! End-to-end tests of the binary: its output and exit status.

mod accepted;
mod bad_input;
mod fleet;
mod generated;
mod golden;
mod ids;
mod memory;
mod output;
mod rounding;
mod run;
mod streams;
mod tune;
mod usage;
#[cfg(feature = "wire")]
mod wire;
