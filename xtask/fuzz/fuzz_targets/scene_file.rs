//! The program of the target `scene_file`.

#![no_main]

libfuzzer_sys::fuzz_target!(
    init: fuzz::write_seeds("scene_file"),
    |bytes: &[u8]| fuzz::scene_file::run(bytes)
);
