//! A world of no dimension.
//~ the number of dimensions must be 1, 2 or 3
//~ BroadPhase::<f32, 0>::with_options
//~ --> src/bin/world_of_no_dimension.rs:8:33
use hexphase::{BroadPhase, Options};

fn main() {
    let _: BroadPhase<f32, 0> = BroadPhase::with_options(Options::new());
}
