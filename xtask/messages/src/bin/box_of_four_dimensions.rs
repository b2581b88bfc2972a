//! A box of four dimensions.
//~ the number of dimensions must be 1, 2 or 3
//~ Aabb::<f32, 4>::of_ball
//~ --> src/bin/box_of_four_dimensions.rs:8:32
use hexphase::Aabb;

fn main() {
    let bounds: Aabb<f32, 4> = Aabb::of_ball([0.0; 4], 1.0);
    println!("{bounds:?}");
}
