//! Scene D: ten thousand moving objects among a million static ones.
//!
//! The static objects are the scene `discs:1000000`. The movers are the first objects of the scene
//! with another seed. The result is the pairs of two movers, and of a mover and a static object.

use std::time::Instant;

use broadphase_core::scenes::{Scene as Objects, SceneName};
use broadphase_core::{Backend, Pair, SpatialIndex, SpatialIndexExt};
use broadphase_hshg::Hshg;
use peers::world::{Boxes, Motion, Parry2, Rstar, World, answer_of};
use peers::{Answer, Scene, Suite, Work, measuring};

use super::subject;

/// The scene's name in the rows.
pub(super) const SCENE: &str = "discs:1000000+10000";
/// Number of ticks before the result is compared: enough to fill caches of static neighbors.
const TICKS: usize = 12;

/// Returns the scene's name in the rows, and the numbers of static and moving objects.
fn sizes() -> (&'static str, u32, usize) {
    if measuring() { (SCENE, 1_000_000, 10_000) } else { ("discs:20000+1000", 20_000, 1_000) }
}

pub(super) fn measure(suite: &mut Suite) {
    let (name, rest, move_) = sizes();
    let statics = discs(&format!("discs:{rest}"), rest as usize);
    let movers = discs(&format!("discs:{rest}:2"), move_);
    let n = statics.len() + movers.len();
    let scene = Scene { name, n, work: Work::Objects(n as u64) };

    let mut later = movers.clone();
    (0..TICKS).for_each(|_| later.advance());
    let mut expected = Trees::new(&statics, &later).found();
    let mut ticks = suite.compare(scene, answer(&mut expected));
    let backend = Backend::detect();
    let on = backend.to_string();
    let ours = || warm(Grids::new(&statics, &movers));
    ticks.ours(subject("tick", &on), ours, Grids::tick, |world| answer(&mut world.found.clone()));
    ticks.part(
        subject("pairs", &on),
        || warm(Grids::new(&statics, &movers)),
        |world| {
            world.advance();
            let start = Instant::now();
            world.collect();
            start.elapsed()
        },
        |world| answer(&mut world.found.clone()),
    );
    ticks.peer(
        "parry2d",
        || warm(Hierarchies::new(&statics, &movers)),
        Hierarchies::tick,
        |world| answer(&mut world.found.clone()),
    );
    ticks.peer(
        "rstar",
        || warm(Trees::new(&statics, &movers)),
        Trees::tick,
        |world| answer(&mut world.found.clone()),
    );

    // No object moves in these rows: the movers stay where the first comparison left them.
    let mut idle = suite.compare(scene, answer(&mut expected));
    idle.ours(
        subject("idle", &on),
        || {
            let mut world = warm(Grids::new(&statics, &movers));
            world.tick();
            world
        },
        Grids::collect,
        |world| answer(&mut world.found.clone()),
    );
}

fn discs(name: &str, count: usize) -> Boxes<2> {
    let name: SceneName = name.parse().expect("a scene of the generators");
    let Objects::Flat(movers) = name.generate() else { unreachable!("discs are flat") };
    let mut boxes = Boxes::from(movers);
    boxes.bounds.truncate(count);
    boxes.velocities.truncate(count);
    boxes
}

/// Pairs of movers, and pairs of a mover and a static object.
#[derive(Clone, Default)]
struct Found {
    moving: Vec<Pair>,
    mixed: Vec<[u32; 2]>,
}

fn answer(found: &mut Found) -> Answer {
    found.mixed.sort_unstable();
    let (moving, mixed) = (answer_of(&found.moving), Answer::of_pairs(&found.mixed));
    Answer::new(moving.pairs + mixed.pairs, [moving.digest, mixed.digest])
}

trait Ticks {
    fn tick(&mut self);
}

/// Returns the world one tick before its result is compared.
fn warm<W: Ticks>(mut world: W) -> W {
    (1..TICKS).for_each(|_| world.tick());
    world
}

/// Our grid: one structure for all objects, the static ones first.
struct Grids {
    hshg: Hshg<f32, 2>,
    /// The velocities of the movers.
    velocities: Vec<[f32; 2]>,
    motion: Motion,
    /// The key of the first mover.
    movers: u32,
    pairs: Vec<Pair>,
    found: Found,
}

impl Grids {
    fn new(statics: &Boxes<2>, movers: &Boxes<2>) -> Self {
        let mut hshg = Hshg::new();
        hshg.extend(statics.objects()).expect("scenes have valid bounds");
        let first = statics.len() as u32;
        for key in 0..first {
            hshg.set_motion(key, broadphase_core::Motion::Static).expect("unknown key");
        }
        for (key, bounds) in movers.objects() {
            hshg.insert(first + key, bounds).expect("scenes have valid bounds");
        }
        let (velocities, motion) = (movers.velocities.clone(), movers.motion);
        let (pairs, found) = Default::default();
        Self { hshg, velocities, motion, movers: first, pairs, found }
    }

    fn advance(&mut self) {
        let Self { hshg, velocities, motion, movers, .. } = self;
        let tick = motion.tick();
        let moved = hshg.update_dynamic(|key, bounds| {
            tick.advance(&mut velocities[(key - *movers) as usize], bounds);
        });
        moved.expect("scenes have valid bounds");
    }

    fn collect(&mut self) {
        let Found { moving, mixed } = &mut self.found;
        moving.clear();
        mixed.clear();
        let first = self.movers;
        self.hshg.pairs_unordered(&mut self.pairs);
        for &[a, b] in &self.pairs {
            if a < first {
                mixed.push([b - first, a]);
            } else {
                moving.push([a - first, b - first]);
            }
        }
    }
}

impl Ticks for Grids {
    fn tick(&mut self) {
        self.advance();
        self.collect();
    }
}

/// parry2d: one tree for static objects, one for movers.
struct Hierarchies {
    statics: Parry2,
    movers: Parry2,
    found: Found,
}

impl Hierarchies {
    fn new(statics: &Boxes<2>, movers: &Boxes<2>) -> Self {
        let found = Found::default();
        Self { statics: Parry2::new(statics), movers: Parry2::new(movers), found }
    }
}

impl Ticks for Hierarchies {
    fn tick(&mut self) {
        self.movers.advance();
        self.movers.collect(&mut self.found.moving);
        self.movers.collect_with(&self.statics, &mut self.found.mixed);
    }
}

/// rstar: one tree for static objects, one for movers.
struct Trees {
    statics: Rstar<2>,
    movers: Rstar<2>,
    found: Found,
}

impl Trees {
    fn new(statics: &Boxes<2>, movers: &Boxes<2>) -> Self {
        Self { statics: Rstar::new(statics), movers: Rstar::new(movers), found: Found::default() }
    }

    /// Returns the pairs at the start.
    fn found(mut self) -> Found {
        self.collect();
        self.found
    }

    fn collect(&mut self) {
        self.movers.collect(&mut self.found.moving);
        self.movers.collect_with(&self.statics, &mut self.found.mixed);
    }
}

impl Ticks for Trees {
    fn tick(&mut self) {
        self.movers.advance();
        self.collect();
    }
}
