//! Benchmarks worlds: whole ticks with every object moving, snapshots, and pairs of two worlds.
//!
//! In the first rows every overlapping pair is found in canonical order and compared with the pairs
//! of the step before, and each event is read:
//!
//! * `world, events`: a tick that moves every object by its velocity
//! * `world, from nothing`: a new world, insertion of all objects in one call, and a step
//! * `world, jump`: a tick that moves every object to a random place
//! * `world, bare`: a tick of a world without events
//! * `snapshot`, `restore`: saving and restoring a world; each restore switches between the current
//!   state and the state of four ticks earlier
//! * `sensors`: steps of a world at rest, with sensors among static objects
//!
//! Pairs of two worlds and pairs within a distance are in `facade/pairs.rs`.
//!
//! The pairs of each subject are compared three ticks after the start of the scene.

#[path = "facade/pairs.rs"]
mod pairs;
#[path = "facade/sensors.rs"]
mod sensors;

use hexphase::BroadPhase;
use peers::world::{Boxes, Facade, Rstar, Run};
use peers::{Scene, Subject, Suite, measuring};

/// Number of the tick whose pairs are compared with the expected pairs.
const TICKS: usize = 3;

fn main() {
    let mut suite = Suite::new("facade");
    let scenes: &[&str] =
        if measuring() { &["discs:10000", "tail:10000", "discs:500000"] } else { &["discs:1000"] };
    for name in scenes {
        let boxes = Boxes::flat(name);
        ticks(&mut suite, name, &boxes);
        sensors::measure(&mut suite, name, &boxes);
        pairs::measure(&mut suite, name, &boxes);
    }
    suite.finish();
}

fn ticks(suite: &mut Suite, name: &str, boxes: &Boxes<2>) {
    let scene = Scene::objects(name, boxes.bounds.len());
    let later = boxes.after(TICKS);
    let mut compared = suite.compare(scene, Run::after(0, Rstar::new(&later)).answer());
    let started = |events| Facade::new(boxes, events).after(TICKS - 1);
    let events = || started(true);
    compared.measure(Subject::detected("world, events"), events, Facade::tick, Facade::answer);
    compared.measure(
        Subject::detected("world, from nothing"),
        || started(true),
        |facade| {
            facade.world = BroadPhase::with_options(Facade::options());
            facade.insert(&later);
            facade.step();
        },
        Facade::answer,
    );
    let bare = || started(false);
    compared.measure(Subject::detected("world, bare"), bare, Facade::tick, Facade::answer);
    compared.measure(
        Subject::detected("snapshot"),
        || (started(true).after(1), Vec::new()),
        |(facade, out)| facade.world.snapshot_into(out),
        |(facade, _)| facade.answer(),
    );
    compared.measure(
        Subject::detected("restore"),
        || {
            let facade = started(true).after(1);
            let (mut late, mut early) = (Vec::new(), Vec::new());
            facade.world.snapshot_into(&mut early);
            let facade = facade.after(4);
            facade.world.snapshot_into(&mut late);
            (facade, [late, early])
        },
        |(facade, saved)| {
            facade.world.restore(&saved[1]).expect("a valid snapshot");
            saved.swap(0, 1);
        },
        |(facade, _)| facade.answer(),
    );

    let jumped = Run::after(0, Rstar::new(&boxes.after_jumps(TICKS))).answer();
    let mut compared = suite.compare(scene, jumped);
    let jumping = || {
        let mut facade = Facade::new(boxes, true);
        (1..TICKS).for_each(|_| facade.jump());
        facade
    };
    compared.measure(Subject::detected("world, jump"), jumping, Facade::jump, Facade::answer);
}
