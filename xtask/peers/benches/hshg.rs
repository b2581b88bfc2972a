//! Benchmarks the hierarchical grid and other libraries.
//!
//! The headline finds every overlapping pair in canonical order:
//!
//! * `tick sorted`: moves every object by its velocity
//! * `from nothing`: clears the structure and fills it again
//! * `jump`: moves every object to a random place
//!
//! `tick` finds the pairs in any order, on every backend. Other libraries return pairs in any
//! order, also in the headline. They are refitted or rebuilt in a tick, and built for each search
//! `from nothing` and after a `jump`.
//!
//! The result of each subject is compared after three ticks with the pairs that rstar finds in the
//! same boxes; the number of pairs at the start is a constant. Under `cargo test` small scenes are
//! checked in this way. Few moving objects among many static ones are in `hshg/statics.rs`.

#[path = "hshg/statics.rs"]
mod statics;

use broadphase_core::Backend;
use broadphase_core::scenes::{Scene as Objects, SceneKind, SceneName};
use peers::world::{
    Boxes, Broccoli, Builder, FLAT_BUILDERS, Indexed, Packed2, Packed3, Parry2, Parry3, Rstar, Run,
    SOLID_BUILDERS, World, answer_of,
};
use peers::{Answer, Comparison, Scene, Subject, Suite, measuring};

/// Number of ticks before the result is compared.
const TICKS: usize = 3;

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
                Test::new(name, start, pairs, &FLAT_BUILDERS).measure(&mut suite, |ticks, test| {
                    test.theirs(ticks, "parry2d", Parry2::new);
                    test.theirs(ticks, "parry2d kept", |start| Parry2::new(start).only_refitted());
                    test.theirs(ticks, "broccoli", Broccoli::new);
                    test.theirs(ticks, "packed_spatial_index", Packed2::new);
                });
            }
            Objects::Solid(movers) => {
                let test = Test::new(name, movers.into(), pairs, &SOLID_BUILDERS);
                test.measure(&mut suite, |ticks, test| {
                    test.theirs(ticks, "parry3d", Parry3::new);
                    test.theirs(ticks, "parry3d kept", |start| Parry3::new(start).only_refitted());
                    test.theirs(ticks, "packed_spatial_index", Packed3::new);
                });
            }
        }
    }
    statics::measure(&mut suite);
    suite.finish();
}

/// A scene and its expected result.
struct Test<'a, const D: usize> {
    scene: Scene<'a>,
    start: Boxes<D>,
    /// The boxes when the result is compared.
    later: Boxes<D>,
    expected: Answer,
    builders: Vec<&'static Builder<D>>,
}

impl<'a, const D: usize> Test<'a, D> {
    fn new(name: &'a str, start: Boxes<D>, pairs: u64, builders: &'static [Builder<D>]) -> Self {
        let found = Run::after(0, Rstar::new(&start)).answer().pairs;
        assert_eq!(found, pairs, "number of pairs of {name} at the start");
        let later = start.after(TICKS);
        Self {
            scene: Scene::objects(name, start.len()),
            expected: Run::after(0, Rstar::new(&later)).answer(),
            start,
            later,
            builders: builders.iter().filter(|builder| !builder.parallel).collect(),
        }
    }

    /// Measures all rows. `peers` measures the ticks of other libraries.
    fn measure(&self, suite: &mut Suite, peers: impl FnOnce(&mut Comparison<'_>, &Self)) {
        let mut ticks = suite.compare(self.scene, self.expected);
        ticks.ours(
            Subject::detected("tick sorted"),
            || Run::after(TICKS - 1, Indexed::grid(&self.start)),
            |run| {
                run.world.advance();
                run.world.collect_sorted(&mut run.pairs);
            },
            |run| Answer::of_pairs(&run.pairs),
        );
        for backend in Backend::available() {
            ticks.ours(
                Subject::on(backend, "tick"),
                || Run::after(TICKS - 1, Indexed::grid(&self.start).on(backend)),
                Run::tick,
                Run::answer,
            );
        }
        peers(&mut ticks, self);
        self.theirs(&mut ticks, "rstar", Rstar::new);
        self.builds(suite);
        self.jumps(suite);
    }

    /// Measures whole ticks of another library.
    fn theirs<W: World<D>>(
        &self,
        ticks: &mut Comparison<'_>,
        name: &str,
        make: impl Fn(&Boxes<D>) -> W,
    ) {
        let state = || Run::after(TICKS - 1, make(&self.start));
        ticks.peer(name, state, Run::tick, Run::answer);
    }

    fn builds(&self, suite: &mut Suite) {
        let mut built = suite.compare(self.scene, self.expected);
        built.ours(
            Subject::detected("from nothing"),
            || Run::after(0, Indexed::grid(&self.start)),
            |run| {
                run.world.refill(&self.later);
                run.world.collect_sorted(&mut run.pairs);
            },
            |run| Answer::of_pairs(&run.pairs),
        );
        for Builder { name, find_pairs, .. } in &self.builders {
            let name = format!("{name}, from nothing");
            let build = |out: &mut _| find_pairs(&self.later, out);
            built.peer(&name, Vec::new, build, |out| answer_of(out));
        }
    }

    fn jumps(&self, suite: &mut Suite) {
        let mut pairs = Vec::new();
        (self.builders[0].find_pairs)(&self.start.after_jumps(TICKS), &mut pairs);
        let mut jumps = suite.compare(self.scene, answer_of(&pairs));
        let jump = |run: &mut Run<Indexed<D>>| {
            run.world.jump();
            run.world.collect_sorted(&mut run.pairs);
        };
        jumps.ours(
            Subject::detected("jump"),
            || {
                let mut run = Run { world: Indexed::grid(&self.start), pairs: Vec::new() };
                (1..TICKS).for_each(|_| jump(&mut run));
                run
            },
            jump,
            |run| Answer::of_pairs(&run.pairs),
        );
        for Builder { name, find_pairs, .. } in &self.builders {
            jumps.peer(
                &format!("{name}, jump"),
                || (self.start.after_jumps(TICKS - 1), Vec::new()),
                |(boxes, out)| {
                    boxes.jump();
                    find_pairs(boxes, out);
                },
                |(_, out)| answer_of(out),
            );
        }
    }
}
