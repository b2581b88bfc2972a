//! A point in place of a box.
//~ `[{float}; 2]` cannot be the bounds of an object in a world of 2 dimensions of `f32`
//~ --> src/bin/point_as_bounds.rs:9:18
//~ expected `Aabb`, or a type that converts into it
use hexphase::BroadPhase;

fn main() {
    let mut world: BroadPhase<f32, 2> = BroadPhase::new();
    world.insert([0.0, 0.0], ()).unwrap();
}
