//! Plays the seeds of all targets without a fuzzer, also damaged, and checks that targets find
//! faults.

use fuzz::TARGETS;

#[test]
fn seeds_and_damaged_seeds_have_no_fault() {
    for (name, run, seeds) in TARGETS {
        let seeds = seeds();
        assert!((3..40).contains(&seeds.len()), "{name}: {} seeds", seeds.len());
        for (number, mut seed) in seeds.into_iter().enumerate() {
            run(&seed);
            for place in [0, 1, seed.len() / 3, seed.len() / 2] {
                if let Some(byte) = seed.get_mut(place) {
                    *byte ^= 1 << (number % 8);
                    run(&seed);
                }
            }
            run(&seed[..seed.len() / 2]);
        }
        run(&[]);
    }
}

#[test]
fn each_target_has_a_program() {
    let manifest = include_str!("../Cargo.toml");
    let programs = manifest.matches("[[bin]]").count();
    assert_eq!(programs, TARGETS.len());
    for (name, ..) in TARGETS {
        assert!(manifest.contains(&format!("path = \"fuzz_targets/{name}.rs\"")), "{name}");
    }
}
