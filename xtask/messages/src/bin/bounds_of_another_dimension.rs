//! A box of three dimensions in a world of two.
//~ `Aabb<{float}, 3>` cannot be the bounds of an object in a world of 2 dimensions of `f32`
//~ --> src/bin/bounds_of_another_dimension.rs:9:18
//~ boxes, points and vectors need 2 numbers of type `f32`
use hexphase::{Aabb, BroadPhase};

fn main() {
    let mut world: BroadPhase<f32, 2> = BroadPhase::new();
    world.insert(Aabb::of_ball([0.0, 0.0, 0.0], 1.0), ()).unwrap();
}
