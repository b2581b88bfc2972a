//! Worlds of `f64` and `i32` without the features of these names.
//~ `f64` is not a compiled number type
//~ `i32` is not a compiled number type
//~ --> src/bin/number_type_without_feature.rs:10:33
//~ --> src/bin/number_type_without_feature.rs:11:33
//~ `f64` needs `cargo add hexphase --features f64`; `i32` needs `cargo add hexphase --features i32`
use hexphase::BroadPhase;

fn main() {
    let _: BroadPhase<f64, 2> = BroadPhase::new();
    let _: BroadPhase<i32, 2> = BroadPhase::new();
}
