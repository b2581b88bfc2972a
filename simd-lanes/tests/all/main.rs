//! All tests in one binary, so that shared code is compiled once.

mod backend;
mod lanes;
mod names;
