//! Laws of worlds: after any sequence of operations, worlds of every structure, backend and number
//! of threads return the results of brute force. The simulator (`facade/sim`) generates, plays and
//! shrinks the sequences.

use hexphase_sim::Played;

/// Whether all structures and multithreading are compiled. If not, fewer sequences are played.
const WHOLE: bool =
    cfg!(all(feature = "hash", feature = "hshg", feature = "morton", feature = "rayon"));

/// Situations that must occur in every run, at least once per sixteen sequences on average.
const COMMON: [&str; 27] = [
    "a sleeping and a static object",
    "began",
    "both static",
    "contacts ignored",
    "ended",
    "ended and began in the same slots",
    "ended by a filter",
    "ended with a removal",
    "failed insertions of many",
    "failed removals of many",
    "filtered",
    "found in many regions",
    "found in regions",
    "hits",
    "hits of swept objects",
    "inserted at once",
    "limited results",
    "near pairs",
    "neighbors",
    "only boxes overlap",
    "overlap on the path or across the seam",
    "pairs beside a path",
    "pairs of two worlds",
    "removed at once",
    "restored",
    "steps with a predicate",
    "updates with invalid bounds",
];

#[test]
fn worlds_obey_the_laws() {
    let seeds = if WHOLE { 2500 } else { 200 };
    let played = Played::without_difference(0, seeds);
    for what in COMMON {
        let count = played.situations.count(what);
        let runs = played.runs;
        assert!(count >= runs / 16, "{what}: {count} times in {runs} sequences");
    }
}
