//! A world of four dimensions.
//~ the number of dimensions must be 1, 2 or 3
//~ BroadPhase::<f32, 4>::new
//~ --> src/bin/world_of_four_dimensions.rs:8:33
use hexphase::BroadPhase;

fn main() {
    let _: BroadPhase<f32, 4> = BroadPhase::new();
}
