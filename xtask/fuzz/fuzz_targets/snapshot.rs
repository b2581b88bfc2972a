//! The program of the target `snapshot`.

#![no_main]

libfuzzer_sys::fuzz_target!(
    init: fuzz::write_seeds("snapshot"),
    |bytes: &[u8]| fuzz::snapshot::run(bytes)
);
