//! A path of three dimensions in a world of two.
//~ --> src/bin/path_of_another_dimension.rs:9:16
//~ expected `2`, found `3`
use hexphase::{BroadPhase, Path};

fn main() {
    let world: BroadPhase<f32, 2> = BroadPhase::new();
    let (from, to) = ([0.0, 0.0, 0.0], [1.0, 0.0, 0.0]);
    world.cast(Path::segment(from, to)).first();
}
