//! The program of the target `packets`.

#![no_main]

libfuzzer_sys::fuzz_target!(
    init: fuzz::write_seeds("packets"),
    |bytes: &[u8]| fuzz::packets::run(bytes)
);
