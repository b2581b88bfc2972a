//! A world of a type that is none of the three.
//~ `u32` is not a compiled number type
//~ --> src/bin/world_of_another_number_type.rs:8:33
//~ there are no other number types
use hexphase::BroadPhase;

fn main() {
    let _: BroadPhase<u32, 2> = BroadPhase::new();
}
