//! Tests of neighbor lists.

mod cases;
mod errors;
mod golden;
mod lattices;
mod oracle;
mod random;
mod verlet;
