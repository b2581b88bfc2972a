//! The program as its users meet it: the real binary, its bytes and its exit status.

mod accepted;
mod bad_input;
mod generated;
mod golden;
mod ids;
mod output;
mod rounding;
mod run;
mod streams;
mod tune;
mod usage;
