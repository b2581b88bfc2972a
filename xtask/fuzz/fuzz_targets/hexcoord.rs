//! The program of the target `hexcoord`.

#![no_main]

libfuzzer_sys::fuzz_target!(
    init: fuzz::write_seeds("hexcoord"),
    |bytes: &[u8]| fuzz::hexcoord::run(bytes)
);
