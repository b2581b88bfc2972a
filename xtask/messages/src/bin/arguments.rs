//! Boxes, points and paths of another dimension or number type than the world, and a point in place
//! of a box.
//~ `Aabb<{float}, 3>` cannot be the bounds of an object in a world of 2 dimensions of `f32`
//~ --> src/bin/arguments.rs:17:18
//~ boxes, points and vectors need 2 numbers of type `f32`
//~ `[{float}; 2]` cannot be the bounds of an object in a world of 2 dimensions of `f32`
//~ --> src/bin/arguments.rs:18:18
//~ expected `Aabb`, or a type that converts into it
//~ `[{float}; 3]` is not a region, a target or a point of a world of 2 dimensions of `f32`
//~ --> src/bin/arguments.rs:19:17
//~ `[f64; 2]` is not a region, a target or a point of a world of 2 dimensions of `f32`
//~ --> src/bin/arguments.rs:20:19
use hexphase::{Aabb, BroadPhase};

fn main() {
    let mut world: BroadPhase<f32, 2> = BroadPhase::new();
    world.insert(Aabb::of_ball([0.0, 0.0, 0.0], 1.0), ()).unwrap();
    world.insert([0.0, 0.0], ()).unwrap();
    world.query([0.0, 0.0, 0.0]).first();
    world.nearest([0.0f64, 0.0]).first();
}
