//! The boxes of a scene and their motion, identical for all structures.

use broadphase_core::Aabb;
use broadphase_core::scenes::Movers;

use super::Jump;

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
    #[must_use]
    pub const fn between(walls: [f32; 2]) -> Self {
        Self { walls, places: walls, ticks_per_direction: TICKS_PER_DIRECTION, ticks: 0 }
    }

    /// Removes the walls. Jumps lead to places between the former walls.
    #[must_use]
    pub const fn without_walls(self) -> Self {
        Self { walls: NO_WALLS, ..self }
    }

    /// Returns whether there are walls, which reverse velocities.
    #[must_use]
    pub fn has_walls(&self) -> bool {
        self.walls != NO_WALLS
    }

    /// Sets the number of ticks after which all objects reverse their direction. With a small
    /// number, the number of pairs is nearly constant: slow structures, which complete fewer ticks,
    /// then find about as many pairs per tick as fast ones.
    ///
    /// # Panics
    /// Panics if the number is 0.
    #[must_use]
    pub const fn turning_after(self, ticks: u32) -> Self {
        assert!(ticks > 0, "the number of ticks must be positive");
        Self { ticks_per_direction: ticks, ..self }
    }

    /// Returns the next tick, to be applied to every object.
    #[must_use]
    pub fn tick(&mut self) -> Tick {
        let forth = (self.ticks / self.ticks_per_direction).is_multiple_of(2);
        self.ticks += 1;
        Tick { walls: self.walls, direction: if forth { 1.0 } else { -1.0 } }
    }

    /// Returns the next tick, in which every object jumps to a random place.
    #[must_use]
    pub fn jump(&mut self) -> Jump {
        self.ticks += 1;
        Jump::new(self.places, self.ticks)
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

impl<const D: usize> Boxes<D> {
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

    /// Returns the number of objects.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.bounds.len()
    }

    /// Returns whether there are no objects.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.bounds.is_empty()
    }

    /// Returns keys and bounds.
    pub fn objects(&self) -> impl ExactSizeIterator<Item = (u32, Aabb<f32, D>)> + '_ {
        (0..self.len()).map(|i| (i as u32, self.bounds[i]))
    }

    /// Returns keys, bounds and velocities.
    pub fn movers(&self) -> impl ExactSizeIterator<Item = (u32, Aabb<f32, D>, [f32; D])> + '_ {
        (0..self.len()).map(|i| (i as u32, self.bounds[i], self.velocities[i]))
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
    use super::{Aabb, Boxes, Motion, TICKS_PER_DIRECTION};
    use broadphase_core::scenes::{Scene, SceneName};

    #[test]
    fn boxes_move_like_scenes_up_to_rounding() {
        let name: SceneName = "mixed:300".parse().expect("a scene");
        let Scene::Flat(mut movers) = name.generate() else {
            panic!("{name} is three-dimensional")
        };
        let start = Boxes::from(movers.clone());
        let mut boxes = start.clone();
        // Advance until some objects hit a wall.
        for _ in 0..TICKS_PER_DIRECTION {
            movers.tick();
            boxes.advance();
        }
        for (object, bounds) in movers.all_bounds().enumerate() {
            for axis in 0..2 {
                let off = bounds.min[axis] - boxes.bounds[object].min[axis];
                assert!(off.abs() < 0.1, "object {object} deviates by {off}");
            }
        }
        assert_ne!(boxes.velocities, start.velocities, "no object has hit a wall");
    }

    #[test]
    fn jumps_spread_objects_between_the_walls_and_keep_sizes() {
        let name: SceneName = "mixed:3000".parse().expect("a scene");
        let Scene::Flat(movers) = name.generate() else { panic!("{name} is three-dimensional") };
        let [low, high] = movers.world;
        let start = Boxes::from(movers);
        let mut boxes = start.clone();
        boxes.jump();
        let once = boxes.clone();
        boxes.jump();
        assert_ne!(once.bounds, boxes.bounds, "the second jump leads elsewhere");
        for axis in 0..2 {
            let centers = boxes.bounds.iter().map(|b| (b.min[axis] + b.max[axis]) * 0.5);
            let inside = |middle: &f32| (low - 0.1..=high + 0.1).contains(middle);
            assert!(centers.clone().all(|middle| inside(&middle)));
            let left = centers.filter(|&middle| middle < (low + high) * 0.5).count();
            assert!((1_350..1_650).contains(&left), "{left} of 3000 in the lower half");
        }
        for (then, now) in start.bounds.iter().zip(&boxes.bounds) {
            let size = |bounds: &Aabb<f32, 2>| bounds.max[0] - bounds.min[0];
            assert!((size(then) - size(now)).abs() < 0.1);
        }
    }

    #[test]
    fn objects_return_to_their_start() {
        let name: SceneName = "clustered:300".parse().expect("a scene");
        let Scene::Flat(movers) = name.generate() else { panic!("{name} is three-dimensional") };
        let wide = Motion::between(movers.world).without_walls();
        for (motion, ticks_per_direction) in
            [(wide, TICKS_PER_DIRECTION), (wide.turning_after(7), 7)]
        {
            let start = Boxes { motion, ..Boxes::from(movers.clone()) };
            let mut boxes = start.clone();
            let farthest = |boxes: &Boxes<2>| {
                let both = boxes.bounds.iter().zip(&start.bounds);
                both.fold(0.0, |far: f32, (now, then)| far.max((now.min[0] - then.min[0]).abs()))
            };
            (0..ticks_per_direction).for_each(|_| boxes.advance());
            assert!(farthest(&boxes) > 0.4 * ticks_per_direction as f32);
            (0..ticks_per_direction).for_each(|_| boxes.advance());
            assert!(farthest(&boxes) < 0.1);
        }
    }
}
