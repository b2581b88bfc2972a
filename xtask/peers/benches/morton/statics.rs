//! Scene D: ten thousand moving objects among a million static ones, in one structure.

use broadphase_core::scenes::{Scene as Objects, SceneName};
use broadphase_core::{Backend, Motion, Pair, SpatialIndex};
use broadphase_hshg::Hshg;
use broadphase_morton::MortonCells;
use peers::world::{Boxes, Tick, answer_of};
use peers::{Answer, Scene, Suite, Work, measuring};

use super::{TICKS_PER_MEASUREMENT, subject};

/// Number of ticks before the result is compared: enough to fill caches of static neighbors.
const TICKS: usize = 12;
/// The skin: the distance that movers travel in fourteen ticks. Static objects have no skin.
const SKIN: f32 = 14.0;

/// A structure with its fastest method of moving the dynamic objects.
trait Walk: SpatialIndex<f32, 2, Data = [f32; 2]> {
    fn walk(&mut self, tick: Tick);
}

impl Walk for Hshg<f32, 2, [f32; 2]> {
    fn walk(&mut self, tick: Tick) {
        let moved =
            self.update_dynamic_batches(|batch| tick.advance_all(batch.data, batch.min, batch.max));
        moved.expect("scenes have valid bounds");
    }
}

impl Walk for MortonCells<f32, 2, [f32; 2]> {
    fn walk(&mut self, tick: Tick) {
        let moved = self.update_dynamic(|_, velocity, bounds| tick.advance(velocity, bounds));
        moved.expect("scenes have valid bounds");
    }
}

/// One structure for all objects, the static ones first.
struct Everything<I> {
    index: I,
    motion: peers::world::Motion,
    out: Vec<Pair>,
}

impl<I: Walk> Everything<I> {
    fn new(mut index: I, statics: &Boxes<2>, movers: &Boxes<2>) -> Self {
        let rest = statics.len() as u32;
        index.extend(statics.movers()).expect("scenes have valid bounds");
        for key in 0..rest {
            index.set_motion(key, Motion::Static).expect("unknown key");
        }
        let moving = movers.movers().map(|(key, bounds, velocity)| (rest + key, bounds, velocity));
        index.extend(moving).expect("scenes have valid bounds");
        Self { index, motion: movers.motion, out: Vec::new() }
    }

    /// Returns the structure one tick before its result is compared.
    fn warm(mut self) -> Self {
        (1..TICKS).for_each(|_| self.tick());
        self
    }

    fn tick(&mut self) {
        let tick = self.motion.tick();
        self.index.walk(tick);
        self.collect();
    }

    fn answer(&self) -> Answer {
        answer_of(&self.out)
    }

    fn ticks(&mut self) {
        (0..TICKS_PER_MEASUREMENT).for_each(|_| self.tick());
    }

    fn collect(&mut self) {
        self.index.pairs_unordered_into(&mut self.out);
    }
}

pub(super) fn measure(suite: &mut Suite) {
    let (name, rest, move_) = if measuring() {
        ("discs:1000000+10000", 1_000_000, 10_000)
    } else {
        ("discs:20000+1000", 20_000, 1_000)
    };
    let statics = discs(&format!("discs:{rest}"), rest);
    let movers = discs(&format!("discs:{rest}:2"), move_);
    let n = rest + move_;
    let scene = Scene { name, n, work: Work::Objects(n as u64) };
    let grid = |skin| {
        let mut index = Hshg::new();
        index.set_skin(skin);
        Everything::new(index, &statics, &movers).warm()
    };
    let sorted = |skin| {
        let mut index = MortonCells::new();
        index.set_skin(skin);
        Everything::new(index, &statics, &movers).warm()
    };
    let mut later = movers.clone();
    // Compute the expected result with a new grid, which has no cached pairs.
    let mut answer_after = |ticks: usize| {
        (0..ticks).for_each(|_| later.advance());
        let mut world = Everything::new(Hshg::new(), &statics, &later);
        world.collect();
        world.answer()
    };
    let expected = answer_after(TICKS);
    let mut ticks = suite.compare(scene, expected);
    let on = Backend::detect().to_string();
    ticks.ours(subject("tick", &on), || sorted(0.0), Everything::tick, Everything::answer);
    ticks.ours(subject("hshg", &on), || grid(0.0), Everything::tick, Everything::answer);
    let mut idle = suite.compare(scene, expected);
    let moved = || {
        let mut world = sorted(0.0);
        world.tick();
        world
    };
    idle.ours(subject("idle", &on), moved, Everything::collect, Everything::answer);

    let many = Scene { work: Work::Objects((n * TICKS_PER_MEASUREMENT) as u64), ..scene };
    let mut rounds = suite.compare(many, answer_after(TICKS_PER_MEASUREMENT - 1));
    let within = "tick within skin";
    rounds.ours(subject(within, &on), || sorted(SKIN), Everything::ticks, Everything::answer);
    let within = "hshg within skin";
    rounds.ours(subject(within, &on), || grid(SKIN), Everything::ticks, Everything::answer);
}

fn discs(name: &str, count: usize) -> Boxes<2> {
    let name: SceneName = name.parse().expect("a scene of the generators");
    let Objects::Flat(movers) = name.generate() else { unreachable!("discs are flat") };
    let mut boxes = Boxes::from(movers);
    boxes.bounds.truncate(count);
    boxes.velocities.truncate(count);
    boxes
}
