//! Benchmarks the hierarchical grid and other libraries.
//!
//! The headline finds every overlapping pair in canonical order:
//!
//! * `tick sorted`: moves every object by its velocity
//! * `list`: the pairs of a list of boxes (`find_pairs`)
//! * `from nothing`: fills a new structure
//! * `jump`: moves every object to a random place
//!
//! `tick` finds the pairs in any order, on every backend. Other libraries return pairs in any
//! order, also in the headline. They are refitted or rebuilt in a tick, and built for each search
//! of a list, `from nothing` and after a `jump`.
//!
//! The result of each subject is compared after three ticks with the pairs that another library
//! finds in the same boxes; the number of pairs at the start is a constant. Under `cargo test`
//! small scenes are checked in this way. Few moving objects among many static ones are in
//! `hshg/statics.rs`.

#[path = "hshg/statics.rs"]
mod statics;

use broadphase_core::Backend;
use broadphase_core::scenes::{Scene as Objects, SceneKind, SceneName};
use peers::world::{
    Boxes, Broccoli, FLAT_BUILDERS, Indexed, Packed2, Packed3, Parry2, Parry3, Rstar, Run,
    SOLID_BUILDERS, TICKS, Test, World,
};
use peers::{Comparison, Subject, Suite, measuring, pools};

/// The scenes, and the number of pairs of each at the start.
const SCENES: [(&str, u64); 9] = [
    ("discs:500000", 90_955),
    ("mixed:500000", 495_597),
    ("discs3:300000", 113_571),
    ("mixed3:300000", 1_737_920),
    ("discs:10000", 1_826),
    ("tail:10000", 8_733),
    ("terdiman:10000", 11_811),
    ("terdiman:100000", 1_144_045),
    ("clustered:500000", 1_346_890),
];

/// The scenes whose results are checked without timing.
const SMALL: [(&str, u64); 7] = [
    ("mixed:10000", 9_791),
    ("discs3:10000", 3_691),
    ("mixed3:10000", 53_839),
    ("discs:10000", 1_826),
    ("tail:10000", 8_733),
    ("terdiman:10000", 11_811),
    ("clustered:10000", 26_794),
];

/// Number of ticks after which the objects of clustered scenes reverse.
const CLUSTERED: u32 = 20;

fn main() {
    let mut suite = Suite::new("hshg");
    let pools = pools();
    for &(name, pairs) in if measuring() { &SCENES[..] } else { &SMALL[..] } {
        let scene: SceneName = name.parse().expect("a scene of the generators");
        match scene.generate() {
            Objects::Flat(movers) => {
                let mut start = Boxes::from(movers);
                if scene.kind == SceneKind::Clustered {
                    // Some clusters extend outside the world. Walls would push these parts inside
                    // in the first tick, and the scene would have 2.6 times as many pairs.
                    start.motion = start.motion.without_walls().turning_after(CLUSTERED);
                }
                assert_eq!(FLAT_BUILDERS[0].answer(&start).pairs, pairs, "{name} at the start");
                let test = Test::new(name, start, &pools[..1], &FLAT_BUILDERS);
                let start = &test.start;
                let mut ticks = ours(&test, &mut suite);
                theirs(&mut ticks, "parry2d", || Parry2::new(start));
                theirs(&mut ticks, "parry2d kept", || Parry2::new(start).only_refitted());
                theirs(&mut ticks, "broccoli", || Broccoli::new(start));
                theirs(&mut ticks, "packed_spatial_index", || Packed2::new(start));
                theirs(&mut ticks, "rstar", || Rstar::new(start));
                test.builds(&mut suite);
            }
            Objects::Solid(movers) => {
                let start = Boxes::from(movers);
                assert_eq!(SOLID_BUILDERS[0].answer(&start).pairs, pairs, "{name} at the start");
                let test = Test::new(name, start, &pools[..1], &SOLID_BUILDERS);
                let start = &test.start;
                let mut ticks = ours(&test, &mut suite);
                theirs(&mut ticks, "parry3d", || Parry3::new(start));
                theirs(&mut ticks, "parry3d kept", || Parry3::new(start).only_refitted());
                theirs(&mut ticks, "packed_spatial_index", || Packed3::new(start));
                theirs(&mut ticks, "rstar", || Rstar::new(start));
                test.builds(&mut suite);
            }
        }
    }
    statics::measure(&mut suite);
    suite.finish();
}

/// Measures our ticks.
fn ours<'s, const D: usize>(test: &Test<'_, D>, suite: &'s mut Suite) -> Comparison<'s> {
    let mut ticks = suite.compare(test.scene, test.expected);
    test.sorted_ticks(&mut ticks);
    for backend in Backend::available() {
        let warm = || Run::after(TICKS - 1, Indexed::grid(&test.start).on(backend));
        ticks.measure(Subject::on(backend, "tick"), warm, Run::tick, Run::answer);
    }
    ticks
}

/// Measures ticks of another library.
fn theirs<const D: usize, W: World<D>>(
    ticks: &mut Comparison<'_>,
    name: &str,
    make: impl Fn() -> W,
) {
    ticks.peer(name, || Run::after(TICKS - 1, make()), Run::tick, Run::answer);
}
