//! The program of the target `world`.

#![no_main]

libfuzzer_sys::fuzz_target!(
    init: fuzz::write_seeds("world"),
    |bytes: &[u8]| fuzz::world::run(bytes)
);
