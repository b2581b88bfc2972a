//! The program of the target `structures`.

#![no_main]

libfuzzer_sys::fuzz_target!(
    init: fuzz::write_seeds("structures"),
    |bytes: &[u8]| fuzz::structures::run(bytes)
);
