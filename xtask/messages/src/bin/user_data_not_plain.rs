//! A snapshot of a world whose user data is not `Plain`.
//~ `Ship` cannot be stored in a snapshot
//~ --> src/bin/user_data_not_plain.rs:12:11
//~ declare a struct or an enum in `hexphase::plain! { .. }`, which implements `Plain`
use hexphase::BroadPhase;

#[derive(Clone, Copy)]
struct Ship;

fn main() {
    let world: BroadPhase<f32, 2, Ship> = BroadPhase::new();
    world.snapshot_into(&mut Vec::new());
}
