//! A world of one dimension without the feature `one-dimension`.
//~ `cargo add hexphase --features one-dimension`
//~ BroadPhase::<f32, 1>::new
//~ --> src/bin/world_of_one_dimension.rs:8:33
use hexphase::BroadPhase;

fn main() {
    let _: BroadPhase<f32, 1> = BroadPhase::new();
}
