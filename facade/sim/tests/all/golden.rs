//! One hash for the results of 64 schedules, on every machine and backend.

use hexphase_sim::{Played, Schedule, Selection};

/// `hexphase sim --runs 64 --hash` prints the hash.
const RUNS: u64 = 64;

#[test]
fn schedules_have_all_number_types_dimensions_and_structures() {
    let text = |seed| Schedule::new(seed, &Selection::default()).to_string();
    let text: String = (0..RUNS).map(text).collect();
    for number in ["f32", "f64", "i32"] {
        for dimensions in 1..=3 {
            let kind = format!(": {number}, {dimensions} dimensions");
            assert!(text.contains(&kind), "no schedule has {kind}");
        }
    }
    for structure in ["None", "Some(Auto)", "Some(Brute)", "Some(Hash)", "Some(Hshg)"] {
        assert!(text.contains(&format!("structure: {structure}")), "{structure}");
    }
    assert!(text.contains("structure: Some(Morton)"));
}

/// Without `std` there are no steps with a limit, so other results.
#[cfg(feature = "std")]
#[test]
fn results_have_one_hash() {
    let selection = Selection { hash: true, ..Selection::default() };
    // WebAssembly has no threads.
    for jobs in [1, if cfg!(target_family = "wasm") { 1 } else { 3 }] {
        let played = Played::new(0..RUNS, &selection, jobs, || ());
        assert_eq!((played.runs, played.failed), (RUNS, None));
        println!("HASH {:016x}", played.hash);
        assert_eq!(played.hash, 0x5600_55db_fe20_4990, "{:#018x}, {jobs} jobs", played.hash);
    }
}
