//! A point of `f64` in a world of `f32`.
//~ `[f64; 2]` is not a region, a target or a point of a world of 2 dimensions of `f32`
//~ --> src/bin/query_with_another_number_type.rs:9:19
//~ boxes, points and vectors need 2 numbers of type `f32`
use hexphase::BroadPhase;

fn main() {
    let world: BroadPhase<f32, 2> = BroadPhase::new();
    world.nearest([0.0f64, 0.0]).first();
}
