//! Benchmarks whole ticks of the scenes with goals, in the hierarchical grid and other libraries.
//!
//! The headline is measured and printed first. Each row finds every overlapping pair, in canonical
//! order:
//!
//! * `tick sorted`: moves every object by its velocity
//! * `from nothing`: clears the structure and fills it again
//! * `jump`: moves every object to a random place
//!
//! The other rows find pairs in any order, unless they are called sorted:
//!
//! * `tick`: objects are moved in batches by a kernel
//! * `tick one by one`: objects are moved by a closure per object
//! * `update`, `pairs`: the two parts of a tick, timed inside whole ticks
//! * `pairs sorted`: the second part of `tick sorted`
//!
//! Other libraries return pairs in any order, also in the headline. They are refitted or rebuilt in
//! a tick, and built for each search `from nothing` and after a `jump`.
//!
//! The result of each subject is compared after three ticks (among statics, twelve) with the pairs
//! that rstar finds in the same boxes; the number of pairs at the start is a constant. Under `cargo
//! test` small scenes are checked in this way.

#[path = "hshg/goals.rs"]
mod goals;
#[path = "hshg/headline.rs"]
mod headline;
#[path = "hshg/statics.rs"]
mod statics;

use std::time::Instant;

use broadphase_core::scenes::{Scene as Objects, SceneName};
use broadphase_core::{Backend, Pair};
use peers::world::{
    Boxes, Broccoli, Builder, FLAT_BUILDERS, Grid, Packed2, Packed3, Parry2, Parry2Kept, Parry3,
    Parry3Kept, Rstar, SOLID_BUILDERS, World, answer, answer_of,
};
use peers::{Answer, Comparison, Scene, Subject, Suite, Work, measuring};

use goals::Goal;

/// Number of ticks before the result is compared.
const TICKS: usize = 3;

/// A scene, its number of pairs at the start, and the goal for a tick.
struct Case {
    name: &'static str,
    scene: &'static str,
    pairs: u64,
    /// A small scene of the same kind, used if results are only checked. `None` if another case has
    /// this scene.
    small: Option<(&'static str, u64)>,
    goal: Goal,
}

const CASES: [Case; 10] = [
    Case {
        name: "A",
        scene: "discs:500000",
        pairs: 90_955,
        small: None,
        goal: Goal::Milliseconds(3.8),
    },
    Case {
        name: "A-mixed",
        scene: "mixed:500000",
        pairs: 495_597,
        small: Some(("mixed:10000", 9_791)),
        goal: Goal::Milliseconds(8.0),
    },
    Case {
        name: "A-3D",
        scene: "discs3:300000",
        pairs: 113_571,
        small: Some(("discs3:10000", 3_691)),
        goal: Goal::Milliseconds(4.0),
    },
    Case {
        name: "A-3D-mixed",
        scene: "mixed3:300000",
        pairs: 1_737_920,
        small: Some(("mixed3:10000", 53_839)),
        goal: Goal::Milliseconds(20.0),
    },
    Case {
        name: "B",
        scene: "discs:10000",
        pairs: 1_826,
        small: Some(("discs:10000", 1_826)),
        goal: Goal::Milliseconds(0.1),
    },
    Case {
        name: "B-tail",
        scene: "tail:10000",
        pairs: 8_733,
        small: Some(("tail:10000", 8_733)),
        goal: Goal::Milliseconds(0.2),
    },
    Case {
        name: "T10k",
        scene: "terdiman:10000",
        pairs: 11_811,
        small: Some(("terdiman:10000", 11_811)),
        goal: Goal::Megacycles(1.0),
    },
    Case {
        name: "T100k",
        scene: "terdiman:100000",
        pairs: 1_144_045,
        small: None,
        goal: Goal::Megacycles(25.0),
    },
    Case {
        name: "E",
        scene: "clustered:500000",
        pairs: 1_346_890,
        small: Some(("clustered:10000", 26_794)),
        goal: Goal::OfScene("A"),
    },
    // Use no walls. Some clusters of E extend outside the world. Walls would push these parts
    // inside in the first tick, and the scene would have 2.6 times as many pairs.
    Case {
        name: OPEN,
        scene: "clustered:500000",
        pairs: 1_346_890,
        small: Some(("clustered:10000", 26_794)),
        goal: Goal::OfScene("A"),
    },
];

const OPEN: &str = "E-open";

/// Number of ticks after which the objects of clustered scenes reverse. The goal refers to the
/// number of pairs after [`TICKS`]; without reversal, after 200 ticks, the clusters at the walls of
/// E have only 60 % of these pairs.
const CLUSTERED: u32 = 20;

impl Case {
    /// Returns the scene to measure or check, with its number of pairs.
    fn now(&self) -> Option<(&'static str, u64)> {
        if measuring() { Some((self.scene, self.pairs)) } else { self.small }
    }

    /// Returns the name of the scene in the rows.
    fn label(&self, scene: &str) -> String {
        if self.name == OPEN { format!("{scene} open") } else { scene.to_owned() }
    }
}

fn main() {
    let mut suite = Suite::new("hshg");
    let mut tests: Vec<AnyTest> = CASES.iter().filter_map(Case::test).collect();
    for test in &mut tests {
        match test {
            AnyTest::Flat(test) => {
                test.headline(&mut suite, |ticks, test| {
                    test.theirs::<Parry2>(ticks, "parry2d");
                    test.theirs::<Parry2Kept>(ticks, "parry2d kept");
                    test.theirs::<Broccoli>(ticks, "broccoli");
                    test.theirs::<Packed2>(ticks, "packed_spatial_index");
                    test.theirs::<Rstar<2>>(ticks, "rstar");
                });
            }
            AnyTest::Solid(test) => {
                test.headline(&mut suite, |ticks, test| {
                    test.theirs::<Parry3>(ticks, "parry3d");
                    test.theirs::<Parry3Kept>(ticks, "parry3d kept");
                    test.theirs::<Packed3>(ticks, "packed_spatial_index");
                    test.theirs::<Rstar<3>>(ticks, "rstar");
                });
            }
        }
    }
    for test in &tests {
        match test {
            AnyTest::Flat(test) => test.bare(&mut suite),
            AnyTest::Solid(test) => test.bare(&mut suite),
        }
    }
    statics::measure(&mut suite);
    let rows = suite.rows();
    suite.finish();
    headline::print(&rows, &CASES);
    goals::print(&rows, &CASES);
}

/// The test of a case.
enum AnyTest {
    Flat(Test<2>),
    Solid(Test<3>),
}

impl Case {
    /// Returns the test of the scene to measure or check.
    fn test(&self) -> Option<AnyTest> {
        let (scene, pairs) = self.now()?;
        let name: SceneName = scene.parse().expect("a scene of the generators");
        Some(match name.generate() {
            Objects::Flat(movers) => {
                let mut boxes = Boxes::from(movers);
                if self.name == OPEN {
                    boxes.motion = boxes.motion.without_walls();
                }
                if matches!(self.goal, Goal::OfScene(_)) {
                    boxes.motion = boxes.motion.turning_after(CLUSTERED);
                }
                AnyTest::Flat(Test::new(self, scene, boxes, pairs, &FLAT_BUILDERS))
            }
            Objects::Solid(movers) => {
                AnyTest::Solid(Test::new(self, scene, movers.into(), pairs, &SOLID_BUILDERS))
            }
        })
    }
}

/// A scene and its expected result.
struct Test<const D: usize> {
    name: String,
    start: Boxes<D>,
    pairs: u64,
    expected: Answer,
    builders: &'static [Builder<D>],
    /// The number of the comparison of whole ticks.
    ticks: usize,
}

impl<const D: usize> Test<D> {
    fn new(
        case: &Case,
        scene: &str,
        start: Boxes<D>,
        pairs: u64,
        builders: &'static [Builder<D>],
    ) -> Self {
        let mut later = start.clone();
        (0..TICKS).for_each(|_| later.advance());
        let expected = answer(&mut Rstar::new(&later));
        let name = case.label(scene);
        Self { name, start, pairs, expected, builders, ticks: 0 }
    }

    fn scene(&self) -> Scene<'_> {
        let n = self.start.len();
        Scene { name: &self.name, n, work: Work::Objects(n as u64) }
    }

    /// Returns the world one tick before its result is compared.
    fn state<W: World<D>>(&self, mut world: W) -> (W, Vec<Pair>) {
        let mut out = Vec::new();
        world.collect(&mut out);
        assert_eq!(out.len() as u64, self.pairs, "number of pairs of {} at the start", self.name);
        for _ in 1..TICKS {
            world.advance();
            world.collect(&mut out);
        }
        (world, out)
    }

    fn grid(&self, backend: Backend) -> (Grid<D>, Vec<Pair>) {
        self.state(Grid::new(&self.start).on(backend))
    }

    /// Measures the rows that are not in the headline.
    fn bare(&self, suite: &mut Suite) {
        self.ticks(&mut suite.resume(self.ticks, self.scene(), self.expected));
        self.parts(suite);
    }

    /// Measures whole ticks on every backend, with pairs in any order.
    fn ticks(&self, ticks: &mut Comparison<'_>) {
        for backend in Backend::available() {
            ticks.ours(
                subject("tick", &backend.to_string()),
                || self.grid(backend),
                |(world, out)| {
                    world.advance();
                    world.collect(out);
                },
                |(_, out)| answer_of(out),
            );
        }
        let backend = Backend::detect();
        ticks.ours(
            subject("tick one by one", &backend.to_string()),
            || self.grid(backend),
            |(world, out)| {
                world.advance_one_by_one();
                world.collect(out);
            },
            |(_, out)| answer_of(out),
        );
    }

    /// Measures whole ticks of another library.
    fn theirs<W: World<D>>(&self, ticks: &mut Comparison<'_>, name: &str) {
        ticks.peer(
            name,
            || self.state(W::new(&self.start)),
            |(world, out)| {
                world.advance();
                world.collect(out);
            },
            |(_, out)| answer_of(out),
        );
    }

    /// Measures the parts of a tick.
    fn parts(&self, suite: &mut Suite) {
        let backend = Backend::detect();
        let on = backend.to_string();
        let mut parts = suite.compare(self.scene(), self.expected);
        parts.part(
            subject("update", &on),
            || self.grid(backend),
            |(world, out)| {
                let start = Instant::now();
                world.advance();
                let took = start.elapsed();
                world.collect(out);
                took
            },
            |(_, out)| answer_of(out),
        );
        parts.part(
            subject("pairs", &on),
            || self.grid(backend),
            |(world, out)| {
                world.advance();
                let start = Instant::now();
                world.collect(out);
                start.elapsed()
            },
            |(_, out)| answer_of(out),
        );
        parts.part(
            subject("pairs sorted", &on),
            || self.grid(backend),
            |(world, out)| {
                world.advance();
                let start = Instant::now();
                world.collect_sorted(out);
                start.elapsed()
            },
            |(_, out)| Answer::of_pairs(out),
        );
    }
}

const fn subject<'a>(name: &'a str, backend: &'a str) -> Subject<'a> {
    Subject { name, backend, threads: 1 }
}
