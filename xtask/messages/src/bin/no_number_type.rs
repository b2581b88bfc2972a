//! Coordinates of a type that is none of the three.
//~ `u64` is not a number type of coordinates
//~ --> src/bin/no_number_type.rs:11:12
//~ expected `f32`, `f64` or `i32`
use hexphase::Scalar;

fn main() {
    fn zero<S: Scalar>() -> S {
        S::ZERO
    }
    zero::<u64>();
}
