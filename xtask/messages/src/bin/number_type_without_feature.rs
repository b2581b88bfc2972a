//! A world of `f64` without the feature of that name.
//~ `f64` is not a compiled number type
//~ --> src/bin/number_type_without_feature.rs:8:33
//~ `cargo add hexphase --features f64`
use hexphase::BroadPhase;

fn main() {
    let _: BroadPhase<f64, 2> = BroadPhase::new();
}
