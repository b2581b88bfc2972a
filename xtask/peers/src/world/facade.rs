//! A world of the facade whose events are read.

use hexphase::{Algorithm, BroadPhase, Handle, Object, Options};

use super::Boxes;
use crate::Answer;

/// A world on the grid, and the motion of its objects.
#[derive(Debug)]
pub struct Facade {
    /// The world; user data are velocities.
    pub world: BroadPhase<f32, 2, [f32; 2]>,
    motion: super::Motion,
    /// A hash of all events, so that they are read.
    seen: u64,
}

impl Facade {
    /// Creates a world with these objects; `events` sets whether steps compare pairs.
    pub fn new(boxes: &Boxes<2>, events: bool) -> Self {
        let world = BroadPhase::with_options(Self::options().events(events));
        let mut facade = Self { world, motion: boxes.motion, seen: 0 };
        facade.insert(boxes);
        facade
    }

    /// Returns the options of the world.
    pub fn options() -> Options<f32, 2> {
        Options::new().algorithm(Algorithm::Hshg)
    }

    /// Inserts objects in one call.
    pub fn insert(&mut self, boxes: &Boxes<2>) {
        let object = |(_, bounds, velocity)| Object::new(bounds, velocity);
        let objects: Vec<_> = boxes.movers().map(object).collect();
        let put = self.world.insert_many(&objects, &mut Vec::new());
        put.expect("scenes have valid bounds");
    }

    /// Moves every object.
    pub fn advance(&mut self) {
        let tick = self.motion.tick();
        let moved = if self.motion.has_walls() {
            self.world.update(|_, velocity, bounds| tick.advance(velocity, bounds))
        } else {
            // Without walls the velocity does not change.
            self.world.par_update(|_, velocity, bounds| tick.advance(&mut { *velocity }, bounds))
        };
        moved.expect("scenes have valid bounds");
    }

    /// Moves every object and takes a step.
    pub fn tick(&mut self) {
        self.advance();
        self.step();
    }

    /// Moves every object to a random place and takes a step.
    pub fn jump(&mut self) {
        let jump = self.motion.jump();
        let moved = self.world.update(|handle, _, bounds| jump.advance(handle.index(), bounds));
        moved.expect("jumps have valid bounds");
        self.step();
    }

    /// Takes a step and reads its events.
    pub fn step(&mut self) {
        self.world.step();
        for overlap in self.world.began().chain(self.world.ended()) {
            let [a, b] = overlap.handles.map(Handle::index);
            self.seen = self.seen.wrapping_add(u64::from(a ^ b));
        }
    }

    /// Returns the world after a number of ticks.
    pub fn after(mut self, ticks: usize) -> Self {
        (0..ticks).for_each(|_| self.tick());
        self
    }

    /// Returns the answer for the pairs of the last step.
    pub fn answer(&self) -> Answer {
        answer_of_handles(self.world.pairs().map(|pair| pair.handles))
    }
}

/// Returns the answer for pairs of handles, in this order.
pub fn answer_of_handles(pairs: impl Iterator<Item = [Handle; 2]>) -> Answer {
    Answer::of_pairs(&pairs.map(|pair| pair.map(Handle::index)).collect::<Vec<_>>())
}
