//! A world of one dimension without the feature `one-dimension`.
//~ enable the feature `one-dimension`
//~ BroadPhase::<f32, 1>
use hexphase::BroadPhase;

fn main() {
    let _: BroadPhase<f32, 1> = BroadPhase::new();
}
