//! Scene D: ten thousand moving objects among a million static ones, in one structure.

use broadphase_core::scenes::{Scene as Objects, SceneName};
use broadphase_core::{Backend, Motion, Pair, SpatialIndex, SpatialIndexExt};
use broadphase_hshg::Hshg;
use broadphase_morton::MortonCells;
use peers::world::{Boxes, answer_of};
use peers::{Answer, Scene, Suite, Work, measuring};

use super::subject;

/// Number of ticks before the result is compared: enough to fill caches of static neighbors.
const TICKS: usize = 12;

/// One structure for all objects, the static ones first.
struct Everything {
    index: Box<dyn SpatialIndex<f32, 2>>,
    /// The velocities of the movers.
    velocities: Vec<[f32; 2]>,
    motion: peers::world::Motion,
    /// The key of the first mover.
    movers: u32,
    out: Vec<Pair>,
}

impl Everything {
    fn new(mut index: Box<dyn SpatialIndex<f32, 2>>, statics: &Boxes<2>, boxes: &Boxes<2>) -> Self {
        let movers = statics.len() as u32;
        index.extend(statics.objects()).expect("scenes have valid bounds");
        for key in 0..movers {
            index.set_motion(key, Motion::Static).expect("unknown key");
        }
        let moving = boxes.objects().map(|(key, bounds)| (movers + key, bounds));
        index.extend(moving).expect("scenes have valid bounds");
        let (velocities, out) = (boxes.velocities.clone(), Vec::new());
        Self { index, velocities, motion: boxes.motion, movers, out }
    }

    /// Returns the structure one tick before its result is compared.
    fn warm(mut self) -> Self {
        (1..TICKS).for_each(|_| self.tick());
        self
    }

    fn tick(&mut self) {
        let Self { index, velocities, motion, movers, .. } = self;
        let tick = motion.tick();
        let moved = index.update_dynamic(|key, bounds| {
            tick.advance(&mut velocities[(key - *movers) as usize], bounds);
        });
        moved.expect("scenes have valid bounds");
        self.collect();
    }

    fn answer(&self) -> Answer {
        answer_of(&self.out)
    }

    fn collect(&mut self) {
        self.index.pairs_unordered(&mut self.out);
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
    let grid = || Everything::new(Box::new(Hshg::new()), &statics, &movers).warm();
    let sorted = || Everything::new(Box::new(MortonCells::new()), &statics, &movers).warm();
    // Compute the expected result with a new grid, which has no cached pairs.
    let mut later = movers.clone();
    (0..TICKS).for_each(|_| later.advance());
    let mut world = Everything::new(Box::new(Hshg::new()), &statics, &later);
    world.collect();
    let expected = world.answer();
    let mut ticks = suite.compare(scene, expected);
    let on = Backend::detect().to_string();
    ticks.ours(subject("tick", &on), sorted, Everything::tick, Everything::answer);
    ticks.ours(subject("hshg", &on), grid, Everything::tick, Everything::answer);
    let mut idle = suite.compare(scene, expected);
    let moved = || {
        let mut world = sorted();
        world.tick();
        world
    };
    idle.ours(subject("idle", &on), moved, Everything::collect, Everything::answer);
}

fn discs(name: &str, count: usize) -> Boxes<2> {
    let name: SceneName = name.parse().expect("a scene of the generators");
    let Objects::Flat(movers) = name.generate() else { unreachable!("discs are flat") };
    let mut boxes = Boxes::from(movers);
    boxes.bounds.truncate(count);
    boxes.velocities.truncate(count);
    boxes
}
