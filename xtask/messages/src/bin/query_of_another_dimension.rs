//! A query with a point of three dimensions in a world of two.
//~ `[{float}; 3]` is not a region, a target or a point of a world of 2 dimensions of `f32`
//~ --> src/bin/query_of_another_dimension.rs:9:17
//~ boxes, points and vectors need 2 numbers of type `f32`
use hexphase::BroadPhase;

fn main() {
    let world: BroadPhase<f32, 2> = BroadPhase::new();
    world.query([0.0, 0.0, 0.0]).count();
}
