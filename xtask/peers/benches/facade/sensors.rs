//! Benchmarks fixed sensors: steps of a world in which one object in ten is a sensor, all others
//! are static, and one object moves, far from the others.
//!
//! The sensors are sleeping objects, which form pairs with static ones. The grid reads these pairs
//! from its static cache; the other structures search for them in every step.

use broadphase_core::Pair;
use hexphase::{Aabb, Algorithm, BroadPhase, Handle, Motion, Object, Options};
use peers::world::{Boxes, Rstar, Run, answer_of, answer_of_handles};
use peers::{Answer, Scene, Subject, Suite};

/// One object in this number is a sensor.
const SENSOR_PERIOD: u32 = 10;

/// A world, and the object that moves.
struct Idle {
    world: BroadPhase<f32, 2>,
    mover: Handle,
    ticks: u32,
}

impl Idle {
    fn new(boxes: &Boxes<2>, algorithm: Algorithm) -> Self {
        let mut world = BroadPhase::with_options(Options::new().algorithm(algorithm));
        let objects: Vec<_> = boxes
            .movers()
            .map(|(key, bounds, _)| {
                let is_sensor = key.is_multiple_of(SENSOR_PERIOD);
                let motion = if is_sensor { Motion::Sleeping } else { Motion::Static };
                Object::new(bounds, ()).motion(motion)
            })
            .collect();
        world.insert_many(&objects, &mut Vec::new()).expect("scenes have valid bounds");
        let mover = world.insert(Aabb::point([-1e6, -1e6]), ()).expect("valid bounds");
        let mut idle = Self { world, mover, ticks: 0 };
        (0..3).for_each(|_| idle.tick());
        idle
    }

    fn tick(&mut self) {
        self.ticks += 1;
        let at = Aabb::point([-1e6, (self.ticks % 1000) as f32]);
        self.world.set_bounds(self.mover, at).expect("valid bounds");
        self.world.step();
    }

    fn answer(&self) -> Answer {
        answer_of_handles(self.world.pairs().map(|pair| pair.handles))
    }
}

pub(super) fn measure(suite: &mut Suite, name: &str, boxes: &Boxes<2>) {
    let mut all = Run::after(0, Rstar::new(boxes)).pairs;
    let has_sensor = |pair: &Pair| pair.iter().any(|key| key.is_multiple_of(SENSOR_PERIOD));
    all.retain(has_sensor);
    let scene = format!("{name}, sensors");
    let mut compared = suite.compare(Scene::objects(&scene, boxes.bounds.len()), answer_of(&all));
    for algorithm in [Algorithm::Hshg, Algorithm::Morton, Algorithm::Hash] {
        let name = algorithm.to_string();
        let idle = || Idle::new(boxes, algorithm);
        compared.measure(Subject::detected(&name), idle, Idle::tick, Idle::answer);
    }
}
