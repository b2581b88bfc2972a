//! Tests of two sides in one process over a bad network, and of two processes of the program.

mod program;
mod proxy;
mod sides;
