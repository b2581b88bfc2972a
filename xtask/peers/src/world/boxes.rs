//! The boxes of a scene and their motion, identical for all structures.

use broadphase_core::Aabb;
use broadphase_core::scenes::{Movers, Scene, SceneName};

/// Boxes with velocities; object `i` has the key `i`.
#[derive(Clone, Debug)]
pub struct Boxes<const D: usize> {
    /// The current bounds.
    pub bounds: Vec<Aabb<f32, D>>,
    /// The displacement of each object per tick.
    pub velocities: Vec<[f32; D]>,
    /// The state of motion that all objects share.
    pub motion: Motion,
}

/// Default number of ticks after which all objects reverse their direction. Because of the
/// reversal, a scene keeps its density in a long measurement.
const TICKS_PER_DIRECTION: u32 = 200;

/// Walls that no object reaches.
const NO_WALLS: [f32; 2] = [-1e6, 1e6];

/// The state of motion shared by all objects.
#[derive(Clone, Copy, Debug)]
pub struct Motion {
    walls: [f32; 2],
    /// The range of the places that objects jump to.
    places: [f32; 2],
    ticks_per_direction: u32,
    ticks: u32,
}

impl Motion {
    /// Creates the motion before the first tick. The walls are the ends of the world on every axis.
    pub const fn between(walls: [f32; 2]) -> Self {
        Self { walls, places: walls, ticks_per_direction: TICKS_PER_DIRECTION, ticks: 0 }
    }

    /// Removes the walls. Jumps lead to places between the former walls.
    pub const fn without_walls(self) -> Self {
        Self { walls: NO_WALLS, ..self }
    }

    /// Returns whether there are walls, which reverse velocities.
    pub fn has_walls(&self) -> bool {
        self.walls != NO_WALLS
    }

    /// Sets the number of ticks after which all objects reverse their direction. With a small
    /// number, the number of pairs is nearly constant: slow structures, which complete fewer ticks,
    /// then find about as many pairs per tick as fast ones.
    pub const fn turning_after(self, ticks: u32) -> Self {
        assert!(ticks > 0, "the number of ticks must be positive");
        Self { ticks_per_direction: ticks, ..self }
    }

    /// Returns the next tick, to be applied to every object.
    pub fn tick(&mut self) -> Tick {
        let forth = (self.ticks / self.ticks_per_direction).is_multiple_of(2);
        self.ticks += 1;
        Tick { walls: self.walls, direction: if forth { 1.0 } else { -1.0 } }
    }

    /// Returns the next tick, in which every object jumps to a random place.
    pub fn jump(&mut self) -> Jump {
        self.ticks += 1;
        Jump { places: self.places, tick: self.ticks }
    }
}

/// The parameters of one tick, equal for all objects.
#[derive(Clone, Copy, Debug)]
pub struct Tick {
    walls: [f32; 2],
    direction: f32,
}

impl Tick {
    /// Moves one object by its velocity. On an axis on which the center leaves the world, the
    /// center is clamped and the velocity is reversed. The code is branch-free.
    ///
    /// This equals a tick of the scene except for rounding: the scene moves the center of an
    /// object; structures store only boxes, so here the box is moved.
    #[inline(always)]
    pub fn advance<const D: usize>(self, velocity: &mut [f32; D], bounds: &mut Aabb<f32, D>) {
        let [low, high] = self.walls;
        let corners = bounds.min.iter_mut().zip(&mut bounds.max);
        for ((min, max), velocity) in corners.zip(velocity) {
            let begin = *min + *velocity * self.direction;
            let end = *max + *velocity * self.direction;
            let middle = (begin + end) * 0.5;
            let inside = if middle < low { low } else { middle };
            let inside = if inside > high { high } else { inside };
            *velocity = if inside == middle { *velocity } else { -*velocity };
            *min = begin + (inside - middle);
            *max = end + (inside - middle);
        }
    }
}

/// The parameters of one tick in which all objects jump.
///
/// The place of an object depends only on its key and the number of the tick, so that all
/// structures contain the same boxes, whatever their storage order.
#[derive(Clone, Copy, Debug)]
pub struct Jump {
    places: [f32; 2],
    tick: u32,
}

impl Jump {
    /// Returns the new center of an object on one axis, uniform in the range of places.
    #[inline(always)]
    fn place(self, key: u32, axis: usize) -> f32 {
        // The finalizer of MurmurHash3, which compilers vectorize.
        let mut hash = key ^ self.tick.wrapping_mul(0x9E37_79B9) ^ (axis as u32) << 29;
        hash = (hash ^ hash >> 16).wrapping_mul(0x85EB_CA6B);
        hash = (hash ^ hash >> 13).wrapping_mul(0xC2B2_AE35);
        hash ^= hash >> 16;
        let [low, high] = self.places;
        low + (hash >> 8) as f32 * ((high - low) / 16_777_216.0)
    }

    /// Moves one object to its place. The size does not change, except for rounding.
    #[inline(always)]
    pub fn advance<const D: usize>(self, key: u32, bounds: &mut Aabb<f32, D>) {
        for axis in 0..D {
            let center = self.place(key, axis);
            let half = (bounds.max[axis] - bounds.min[axis]) * 0.5;
            bounds.min[axis] = center - half;
            bounds.max[axis] = center + half;
        }
    }
}

impl Boxes<2> {
    /// Generates the scene of this name.
    pub fn flat(name: &str) -> Self {
        let scene: SceneName = name.parse().unwrap_or_else(|why| panic!("{name}: {why}"));
        let Scene::Flat(movers) = scene.generate() else { panic!("{name} is three-dimensional") };
        movers.into()
    }
}

impl<const D: usize> Boxes<D> {
    /// Returns the boxes after a number of ticks.
    pub fn after(&self, ticks: usize) -> Self {
        let mut later = self.clone();
        (0..ticks).for_each(|_| later.advance());
        later
    }

    /// Returns the boxes after a number of ticks in which all objects jump.
    pub fn after_jumps(&self, ticks: usize) -> Self {
        let mut later = self.clone();
        (0..ticks).for_each(|_| later.jump());
        later
    }

    /// Returns these objects only, with new keys.
    pub fn select(&self, which: impl Fn(usize) -> bool) -> Self {
        let selected = || (0..self.bounds.len()).filter(|&index| which(index));
        Self {
            bounds: selected().map(|index| self.bounds[index]).collect(),
            velocities: selected().map(|index| self.velocities[index]).collect(),
            motion: self.motion,
        }
    }

    /// Moves all objects by one tick.
    pub fn advance(&mut self) {
        let tick = self.motion.tick();
        for (bounds, velocity) in self.bounds.iter_mut().zip(&mut self.velocities) {
            tick.advance(velocity, bounds);
        }
    }

    /// Moves every object to a random place.
    pub fn jump(&mut self) {
        let jump = self.motion.jump();
        for (key, bounds) in (0..).zip(&mut self.bounds) {
            jump.advance(key, bounds);
        }
    }

    /// Returns keys and bounds.
    pub fn objects(&self) -> impl ExactSizeIterator<Item = (u32, Aabb<f32, D>)> + '_ {
        (0..self.bounds.len()).map(|i| (i as u32, self.bounds[i]))
    }

    /// Returns keys, bounds and velocities.
    pub fn movers(&self) -> impl ExactSizeIterator<Item = (u32, Aabb<f32, D>, [f32; D])> + '_ {
        (0..self.bounds.len()).map(|i| (i as u32, self.bounds[i], self.velocities[i]))
    }
}

impl<const D: usize> From<Movers<D>> for Boxes<D> {
    fn from(movers: Movers<D>) -> Self {
        Self {
            bounds: movers.all_bounds().collect(),
            motion: Motion::between(movers.world),
            velocities: movers.velocities,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Boxes, TICKS_PER_DIRECTION};
    use broadphase_core::scenes::{Scene, SceneName};

    #[test]
    fn boxes_move_like_scenes_up_to_rounding() {
        let name: SceneName = "mixed:300".parse().expect("a scene");
        let Scene::Flat(mut movers) = name.generate() else { panic!("{name} is solid") };
        let start = Boxes::from(movers.clone());
        // Advance until some objects hit a wall.
        let boxes = start.after(TICKS_PER_DIRECTION as usize);
        (0..TICKS_PER_DIRECTION).for_each(|_| movers.tick());
        for (now, bounds) in boxes.bounds.iter().zip(movers.all_bounds()) {
            let off = |axis: usize| (bounds.min[axis] - now.min[axis]).abs();
            assert!(off(0) < 0.1 && off(1) < 0.1, "{now:?} instead of {bounds:?}");
        }
        assert_ne!(boxes.velocities, start.velocities, "no object has hit a wall");
    }

    #[test]
    fn jumps_spread_objects_between_the_walls() {
        let once = Boxes::flat("mixed:3000").after_jumps(1);
        assert_ne!(once.bounds, once.after_jumps(1).bounds, "the second jump leads elsewhere");
        let [low, high] = once.motion.walls;
        for axis in 0..2 {
            let centers = || once.bounds.iter().map(|b| (b.min[axis] + b.max[axis]) * 0.5);
            assert!(centers().all(|middle| (low - 0.1..=high + 0.1).contains(&middle)));
            let left = centers().filter(|&middle| middle < (low + high) * 0.5).count();
            assert!((1_350..1_650).contains(&left), "{left} of 3000 in the lower half");
        }
    }

    #[test]
    fn objects_return_to_their_start() {
        let mut start = Boxes::flat("clustered:300");
        start.motion = start.motion.without_walls().turning_after(7);
        for (ticks, distances) in [(7, 2.8..1e3), (14, 0.0..0.1)] {
            let later = start.after(ticks);
            let both = later.bounds.iter().zip(&start.bounds);
            let farthest =
                both.fold(0.0f32, |far, (now, then)| far.max((now.min[0] - then.min[0]).abs()));
            assert!(distances.contains(&farthest), "{farthest} after {ticks} ticks");
        }
    }
}
