//! The hierarchical grid: whole ticks of the scenes that have goals, beside other libraries.
//!
//! A tick gives every object its next position and ends with every overlapping pair in a reused
//! buffer, in any order; `tick sorted` ends with them in canonical order. Ours moves objects in
//! batches by a kernel; `tick one by one` calls a closure for each. `update` and `pairs` are
//! the parts of a tick, and `pairs sorted` is the other one's second part, each timed inside whole
//! ticks. `from nothing` clears the structure and fills it again, which is what box pruning does.
//! `tick within skin` is a tick where objects may move a little before they are sorted and swept
//! again: the mean of many, so that it has its share of those in which they are.
//!
//! Every subject has done three ticks (among statics, twelve) when its answer is compared with what
//! rstar finds in the same boxes; how many pairs there are at the start is known. As a test
//! (`cargo test`) the same is done with small scenes.

#[path = "hshg/goals.rs"]
mod goals;
#[path = "hshg/queries.rs"]
mod queries;
#[path = "hshg/statics.rs"]
mod statics;
#[path = "hshg/threads.rs"]
mod threads;

use std::time::Instant;

use broadphase_core::scenes::{Scene as Objects, SceneName};
use broadphase_core::{Backend, Pair};
use peers::world::{
    Boxes, Broccoli, Grid, Motion, Parry2, Parry2Kept, Parry3, Parry3Kept, Rstar, World, answer,
    answer_of,
};
use peers::{Answer, Comparison, Scene, Subject, Suite, Work, measuring};

use goals::Goal;

/// Ticks before the answer is compared.
const TICKS: usize = 3;
/// The name of a tick within a skin.
const WITHIN_SKIN: &str = "tick within skin";
/// So many ticks within a skin are one measurement.
const ROUND: usize = 48;

/// A scene with its pairs at the start, and what a tick is to take.
struct Case {
    name: &'static str,
    scene: &'static str,
    pairs: u64,
    /// The same kind of scene, small: to be checked only. None if another case has it.
    small: Option<(&'static str, u64)>,
    goal: Goal,
    /// A skin that pays, where one does: objects move by up to 0.5 on each axis.
    skin: Option<f32>,
}

const CASES: [Case; 10] = [
    Case {
        name: "A",
        scene: "discs:500000",
        pairs: 90_955,
        small: None,
        goal: Goal::Milliseconds(3.8),
        skin: Some(8.0),
    },
    Case {
        name: "A-mixed",
        scene: "mixed:500000",
        pairs: 495_597,
        small: Some(("mixed:10000", 9_791)),
        goal: Goal::Milliseconds(8.0),
        skin: Some(4.0),
    },
    Case {
        name: "A-3D",
        scene: "discs3:300000",
        pairs: 113_571,
        small: Some(("discs3:10000", 3_691)),
        goal: Goal::Milliseconds(4.0),
        skin: Some(6.0),
    },
    Case {
        name: "A-3D-mixed",
        scene: "mixed3:300000",
        pairs: 1_737_920,
        small: Some(("mixed3:10000", 53_839)),
        goal: Goal::Milliseconds(20.0),
        skin: Some(6.0),
    },
    Case {
        name: "B",
        scene: "discs:10000",
        pairs: 1_826,
        small: Some(("discs:10000", 1_826)),
        goal: Goal::Milliseconds(0.1),
        skin: None,
    },
    Case {
        name: "B-tail",
        scene: "tail:10000",
        pairs: 8_733,
        small: Some(("tail:10000", 8_733)),
        goal: Goal::Milliseconds(0.2),
        skin: None,
    },
    Case {
        name: "T10k",
        scene: "terdiman:10000",
        pairs: 11_811,
        small: Some(("terdiman:10000", 11_811)),
        goal: Goal::Megacycles(1.0),
        skin: None,
    },
    Case {
        name: "T100k",
        scene: "terdiman:100000",
        pairs: 1_144_045,
        small: None,
        goal: Goal::Megacycles(25.0),
        skin: None,
    },
    Case {
        name: "E",
        scene: "clustered:500000",
        pairs: 1_346_890,
        small: Some(("clustered:10000", 26_794)),
        goal: Goal::OfScene("A"),
        skin: None,
    },
    // Without walls. The first tick of E pushes what its clusters have outside the world against
    // the walls, where it makes 2.6 times as many pairs as the scene had.
    Case {
        name: OPEN,
        scene: "clustered:500000",
        pairs: 1_346_890,
        small: Some(("clustered:10000", 26_794)),
        goal: Goal::OfScene("A"),
        skin: None,
    },
];

const OPEN: &str = "E-open";

/// Clusters turn around after so many ticks: after 200 those against the walls of E have 0.6 times as
/// many pairs, and the goal is for those there are after [`TICKS`].
const CLUSTERED: u32 = 20;

impl Case {
    /// What is measured or checked, with its pairs.
    fn now(&self) -> Option<(&'static str, u64)> {
        if measuring() { Some((self.scene, self.pairs)) } else { self.small }
    }

    /// The name in the rows.
    fn label(&self, scene: &str) -> String {
        if self.name == OPEN { format!("{scene} open") } else { scene.to_owned() }
    }
}

fn main() {
    let mut suite = Suite::new("hshg");
    for case in &CASES {
        let Some((scene, pairs)) = case.now() else { continue };
        let name: SceneName = scene.parse().expect("a scene of the generators");
        let label = case.label(scene);
        match name.generate() {
            Objects::Flat(movers) => {
                let mut boxes = Boxes::from(movers);
                if case.name == OPEN {
                    boxes.motion = Motion::between([-1e6, 1e6]);
                }
                if matches!(case.goal, Goal::OfScene(_)) {
                    boxes.motion = boxes.motion.turning_after(CLUSTERED);
                }
                let test = Test::new(&label, boxes, pairs, case.skin);
                let mut ticks = test.compare(&mut suite);
                test.ours(&mut ticks);
                test.theirs::<Parry2>(&mut ticks, "parry2d");
                test.theirs::<Parry2Kept>(&mut ticks, "parry2d kept");
                test.theirs::<Broccoli>(&mut ticks, "broccoli");
                test.theirs::<Rstar<2>>(&mut ticks, "rstar");
                test.parts(&mut suite);
                test.within_skin(&mut suite);
            }
            Objects::Solid(movers) => {
                let test = Test::new(&label, movers.into(), pairs, case.skin);
                let mut ticks = test.compare(&mut suite);
                test.ours(&mut ticks);
                test.theirs::<Parry3>(&mut ticks, "parry3d");
                test.theirs::<Parry3Kept>(&mut ticks, "parry3d kept");
                test.theirs::<Rstar<3>>(&mut ticks, "rstar");
                test.parts(&mut suite);
                test.within_skin(&mut suite);
            }
        }
    }
    statics::measure(&mut suite);
    queries::measure(&mut suite);
    threads::measure(&mut suite);
    let rows = suite.rows();
    suite.finish();
    goals::print(&rows, &CASES);
}

/// A scene and what must be found in it.
struct Test<'a, const D: usize> {
    name: &'a str,
    start: Boxes<D>,
    pairs: u64,
    skin: Option<f32>,
    expected: Answer,
}

impl<'a, const D: usize> Test<'a, D> {
    fn new(name: &'a str, start: Boxes<D>, pairs: u64, skin: Option<f32>) -> Self {
        let mut later = start.clone();
        (0..TICKS).for_each(|_| later.advance());
        let expected = answer(&mut Rstar::new(&later));
        Self { name, start, pairs, skin, expected }
    }

    fn compare<'s>(&self, suite: &'s mut Suite) -> Comparison<'s> {
        let n = self.start.len();
        let scene = Scene { name: self.name, n, work: Work::Objects(n as u64) };
        suite.compare(scene, self.expected)
    }

    /// A world one tick before its answer is compared.
    fn state<W: World<D>>(&self, mut world: W) -> (W, Vec<Pair>) {
        let mut out = Vec::new();
        world.collect(&mut out);
        assert_eq!(out.len() as u64, self.pairs, "pairs of {} before anything moves", self.name);
        for _ in 1..TICKS {
            world.advance();
            world.collect(&mut out);
        }
        (world, out)
    }

    fn grid(&self, backend: Backend) -> (Grid<D>, Vec<Pair>) {
        self.state(Grid::new(&self.start).on(backend))
    }

    /// Whole ticks on every backend.
    fn ours(&self, ticks: &mut Comparison<'_>) {
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
        ticks.ours(
            subject("tick sorted", &backend.to_string()),
            || self.grid(backend),
            |(world, out)| {
                world.advance();
                world.collect_sorted(out);
            },
            |(_, out)| Answer::of_pairs(out),
        );
    }

    /// Whole ticks of another library.
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

    /// What a tick of ours is made of, and a start from nothing.
    fn parts(&self, suite: &mut Suite) {
        let backend = Backend::detect();
        let on = backend.to_string();
        let mut parts = self.compare(suite);
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
        let mut later = self.start.clone();
        (0..TICKS).for_each(|_| later.advance());
        parts.ours(
            subject("from nothing", &on),
            || self.grid(backend),
            |(world, out)| {
                world.refill(&later);
                world.collect(out);
            },
            |(_, out)| answer_of(out),
        );
    }

    /// Ticks within a skin, many at a time.
    fn within_skin(&self, suite: &mut Suite) {
        let Some(skin) = self.skin else { return };
        let mut later = self.start.clone();
        (1..TICKS + ROUND).for_each(|_| later.advance());
        let n = self.start.len();
        let scene = Scene { name: self.name, n, work: Work::Objects((n * ROUND) as u64) };
        let mut rounds = suite.compare(scene, answer(&mut Rstar::new(&later)));
        rounds.ours(
            subject(WITHIN_SKIN, &Backend::detect().to_string()),
            || self.state(Grid::new(&self.start).with_skin(skin)),
            |(world, out)| {
                for _ in 0..ROUND {
                    world.advance();
                    world.collect(out);
                }
            },
            |(_, out)| answer_of(out),
        );
    }
}

const fn subject<'a>(name: &'a str, backend: &'a str) -> Subject<'a> {
    Subject { name, backend, threads: 1 }
}
