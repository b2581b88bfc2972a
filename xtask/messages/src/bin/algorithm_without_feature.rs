//! An algorithm whose feature is not enabled.
//~ use of deprecated associated constant `Algorithm::Morton`: needs
//~ evaluation panicked: needs the feature `morton`: `cargo add hexphase --features morton`
//~ --> src/bin/algorithm_without_feature.rs:9:59
use hexphase::{Algorithm, BroadPhase, Options};

fn main() {
    let _: BroadPhase<f32, 2> =
        BroadPhase::with_options(Options::new().algorithm(Algorithm::Morton));
}
