//! A world whose objects are moved in parallel, with events.

use hexphase::{Algorithm, BroadPhase, Filter, Handle, Motion, Options};
use peers::Answer;
use peers::world::Boxes;

/// A world, and the motion of its objects.
pub(super) struct World<const D: usize> {
    world: BroadPhase<f32, D, [f32; D]>,
    motion: peers::world::Motion,
    /// A hash of all events, so that they are read.
    seen: u64,
}

/// A world of two or three dimensions.
pub(super) trait Ticks<const D: usize> {
    fn new(boxes: &Boxes<D>) -> Self;
    fn tick(&mut self);
    fn snapshot_into(&self, out: &mut Vec<u8>);
    fn answer(&self) -> Answer;
}

macro_rules! ticks {
    ($($dimensions:literal)+) => {$(
        impl Ticks<$dimensions> for World<$dimensions> {
            fn new(boxes: &Boxes<$dimensions>) -> Self {
                let mut world = BroadPhase::with_options(Options::new().algorithm(Algorithm::Hshg));
                let object = |(_, bounds, velocity)| (bounds, velocity, Motion::Dynamic, Filter::ALL);
                let objects: Vec<_> = boxes.movers().map(object).collect();
                let put = world.insert_many(&objects, &mut Vec::new());
                put.expect("scenes have valid bounds");
                Self { world, motion: boxes.motion, seen: 0 }
            }

            fn tick(&mut self) {
                let tick = self.motion.tick();
                let moved = self.world.par_update(|_, velocity, bounds| {
                    // There are no walls, so the velocity does not change.
                    tick.advance(&mut { *velocity }, bounds);
                });
                moved.expect("scenes have valid bounds");
                self.world.step();
                for overlap in self.world.began().chain(self.world.ended()) {
                    let [a, b] = overlap.handles.map(Handle::index);
                    self.seen = self.seen.wrapping_add(u64::from(a ^ b));
                }
            }

            fn snapshot_into(&self, out: &mut Vec<u8>) {
                self.world.snapshot_into(out);
            }

            fn answer(&self) -> Answer {
                let pairs = self.world.pairs().map(|pair| pair.handles.map(Handle::index));
                Answer::of_pairs(&pairs.collect::<Vec<_>>())
            }
        }
    )+};
}

ticks!(2 3);
