//! Laws of worlds: random operations on worlds of every structure, backend and number of threads
//! must give the results of a reference model.

mod bulk;
mod model;
mod near;
mod op;
mod play;
pub(crate) mod query;
mod swept;
mod tally;
#[cfg(all(feature = "hash", feature = "hshg", feature = "morton", feature = "rayon"))]
mod tighter;
mod volume;

use core::cell::RefCell;

use hexphase::{Aabb, Plain};
use laws::examples::tried_until;
use laws::numbers::Numbers;
use proptest::prelude::*;

use op::{Op, crowds, mixed_crowds, ops};
use play::Game;
use tally::Tally;
use volume::Volume;

/// Whether all structures and multithreading are compiled. If not, fewer cases are tried.
const WHOLE: bool =
    cfg!(all(feature = "hash", feature = "hshg", feature = "morton", feature = "rayon"));

/// Situations that must occur in every run, at least once per sixteen sequences on average.
const COMMON: [&str; 27] = [
    "a sleeping and a static object",
    "contacts ignored",
    "failed insertions of many",
    "failed removals of many",
    "inserted at once",
    "limited results",
    "began",
    "both static",
    "ended",
    "ended and began in the same slots",
    "ended by a filter",
    "ended with a removal",
    "filtered",
    "found in many regions",
    "found in regions",
    "hits of swept objects",
    "hits",
    "invalid",
    "near pairs",
    "neighbors",
    "pairs beside a path",
    "pairs of two worlds",
    "removed at once",
    "restored",
    "stale",
    "steps with a predicate",
    "updates with commands",
];

/// Plays sequences on one thread and on two, until every situation in `what` has occurred `often`
/// times per sequence.
fn plays<S: Numbers + Plain, const D: usize, B: Volume<S, D>>(
    cases: u32,
    sides: [S; D],
    sequences: BoxedStrategy<Vec<Op<S, D, B>>>,
    (often, what): (f64, &[&str]),
) {
    let threads = if WHOLE { 1..=2 } else { 1..=1 };
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let pools: Vec<rayon::ThreadPool> = threads.map(pool).collect();
    let total = RefCell::new(Tally::default());
    let law = |sequence: Vec<Op<S, D, B>>| {
        for pool in &pools {
            let mut game = Game::<S, D, B>::new(sides);
            pool.install(|| sequence.iter().for_each(|op| game.play(op)));
            total.borrow_mut().append(&game.tally);
        }
        Ok(())
    };
    tried_until(cases, sequences, law, |tried| {
        println!("{tried} sequences: {:?}", total.borrow());
        total.borrow().missing((f64::from(tried) * often) as usize, what)
    });
}

fn law<S: Numbers + Plain, const D: usize, B: Volume<S, D>>(sides: [S; D], rare: &[&str]) {
    let cases = if WHOLE { 256 } else { 64 };
    plays::<S, D, B>(cases, sides, ops(), (1.0 / 16.0, &[&COMMON, rare].concat()));
}

/// Runs [`law`] in a world that wraps, with fewer sequences, because another test covers these type
/// parameters.
#[cfg(all(feature = "hash", feature = "hshg", feature = "morton", feature = "rayon"))]
fn law_of_sides<S: Numbers + Plain, const D: usize, B: Volume<S, D>>(sides: [S; D], rare: &[&str]) {
    let mut what = [&COMMON, rare].concat();
    if sides.iter().any(|side| side.to_f64() * 4.0 % 1.0 != 0.0) {
        // The model of swept hits is exact only if sides are multiples of a quarter.
        what.retain(|&name| !["hits of swept objects", "pairs beside a path"].contains(&name));
    }
    plays::<S, D, B>(64, sides, ops(), (1.0 / 16.0, &what));
}

#[test]
fn boxes_in_the_plane_obey_the_laws() {
    law::<f32, 2, Aabb>([0.0; 2], &["overlap on the path or across the seam"]);
}

#[test]
fn thousands_of_boxes_in_the_plane_obey_the_laws() {
    for (cases, count) in if WHOLE { [(4, 600), (1, 9000)] } else { [(8, 300), (4, 700)] } {
        let some = ["began", "ended", "filtered", "found in many regions"];
        plays::<f32, 2, Aabb>(cases, [0.0; 2], crowds(count), (8.0, &some));
    }
}

#[test]
fn crowds_of_mixed_filters_obey_the_laws() {
    for sides in [[0.0; 2], [16.0, 0.0]] {
        let some = ["began", "ended", "both static", "filtered", "restored"];
        plays::<f32, 2, Aabb>(4, sides, mixed_crowds(400), (1.0, &some));
    }
}

#[cfg(all(feature = "hash", feature = "hshg", feature = "morton", feature = "rayon"))]
mod whole {
    use hexphase::{Aabb, Ball, Hexagon};

    use super::{law, law_of_sides};

    const WAY: &str = "overlap on the path or across the seam";

    #[test]
    fn integer_boxes_in_space_obey_the_laws() {
        law::<i32, 3, Aabb<i32, 3>>([0; 3], &[WAY]);
    }

    #[test]
    fn intervals_of_f64_obey_the_laws() {
        law::<f64, 1, Aabb<f64, 1>>([0.0], &[WAY]);
    }

    #[test]
    fn hexagons_obey_the_laws() {
        law::<i32, 2, Hexagon<i32>>([0; 2], &[WAY, "only boxes overlap"]);
    }

    #[test]
    fn discs_obey_the_laws() {
        law::<f32, 2, Ball>([0.0; 2], &[WAY, "only boxes overlap"]);
    }

    #[test]
    fn a_wrapping_world_obeys_the_laws() {
        law::<f32, 2, Aabb>([16.0, 8.0], &[WAY]);
    }

    #[test]
    fn a_world_that_wraps_on_one_axis_obeys_the_laws() {
        law::<f32, 2, Aabb>([0.0, 16.0], &[WAY]);
    }

    #[test]
    fn sides_with_all_digits_obey_the_laws() {
        law_of_sides::<f32, 2, Aabb>([13.7, 22.0 / 3.0], &[WAY]);
        law_of_sides::<f64, 1, Aabb<f64, 1>>([13.7], &[WAY]);
    }

    #[test]
    fn integer_sides_obey_the_laws() {
        law_of_sides::<i32, 3, Aabb<i32, 3>>([11, 0, 12], &[WAY]);
    }

    #[test]
    fn hexagons_in_a_wrapping_world_obey_the_laws() {
        law_of_sides::<i32, 2, Hexagon<i32>>([18, 11], &[WAY, "only boxes overlap"]);
    }

    #[test]
    fn discs_in_a_wrapping_world_obey_the_laws() {
        law_of_sides::<f32, 2, Ball>([13.7, 0.0], &[WAY, "only boxes overlap"]);
    }
}
