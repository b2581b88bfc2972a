//! User data that is not `Copy`.
//~ `String` cannot be the user data of a world: it must be `Copy + Send + Sync`. Keep other
//~ other values in a `Vec` of the program, at index `handle.index()`
//~ --> src/bin/user_data_that_is_not_copy.rs:11:41
//~ `Vec<u8>` cannot be the user data of a world
//~ --> src/bin/user_data_that_is_not_copy.rs:12:5
//~ required by this bound in `BroadPhase::<S, D, U, B>::new`
use hexphase::BroadPhase;

fn main() {
    let _: BroadPhase<f32, 2, String> = BroadPhase::new();
    BroadPhase::<f32, 2, Vec<u8>>::new();
}
