//! A structure of four dimensions.
//~ the number of dimensions must be 1, 2 or 3
//~ BruteForce::<f32, 4>::new
//~ --> src/bin/structure_of_four_dimensions.rs:8:33
use hexphase::BruteForce;

fn main() {
    let _: BruteForce<f32, 4> = BruteForce::new();
}
