//! A box, a structure and worlds of dimensions that do not exist, and a world of one dimension
//! without the feature `one-dimension`.
//~ the number of dimensions must be 1, 2 or 3
//~ Aabb::<f32, 4>::of_ball
//~ --> src/bin/dimensions.rs:17:32
//~ BruteForce::<f32, 4>::new
//~ --> src/bin/dimensions.rs:18:33
//~ BroadPhase::<f32, 4>::new
//~ --> src/bin/dimensions.rs:19:33
//~ BroadPhase::<f32, 0>::with_options
//~ --> src/bin/dimensions.rs:20:33
//~ `cargo add hexphase --features one-dimension`
//~ --> src/bin/dimensions.rs:21:33
use hexphase::{Aabb, BroadPhase, BruteForce, Options};

fn main() {
    let bounds: Aabb<f32, 4> = Aabb::of_ball([0.0; 4], 1.0);
    let _: BruteForce<f32, 4> = BruteForce::new();
    let _: BroadPhase<f32, 4> = BroadPhase::new();
    let _: BroadPhase<f32, 0> = BroadPhase::with_options(Options::new());
    let _: BroadPhase<f32, 1> = BroadPhase::new();
    println!("{bounds:?}");
}
