//! The boxes of a scene and how they move, the same for every structure.

use broadphase_core::Aabb;
use broadphase_core::scenes::Movers;

/// Boxes with velocities; object `i` has the key `i`.
#[derive(Clone, Debug)]
pub struct Boxes<const D: usize> {
    /// Where they are.
    pub bounds: Vec<Aabb<f32, D>>,
    /// How far each moves in a tick.
    pub velocities: Vec<[f32; D]>,
    /// How they move.
    pub motion: Motion,
}

/// After so many ticks everything turns around, unless another number is given: so that nothing
/// dissolves however long a measurement takes.
const THERE: u32 = 200;

/// What all objects' motion has in common.
#[derive(Clone, Copy, Debug)]
pub struct Motion {
    walls: [f32; 2],
    there: u32,
    ticks: u32,
}

impl Motion {
    /// In a world between these two coordinates, on every axis; nothing has moved yet.
    #[must_use]
    pub const fn between(walls: [f32; 2]) -> Self {
        Self { walls, there: THERE, ticks: 0 }
    }

    /// The same, but everything turns around after so many ticks: where what is found changes
    /// quickly, so that who is slow, and does fewer ticks, finds about as much as who is fast.
    ///
    /// # Panics
    /// If that is 0.
    #[must_use]
    pub const fn turning_after(self, ticks: u32) -> Self {
        assert!(ticks > 0, "there is no way back from nowhere");
        Self { there: ticks, ..self }
    }

    /// The next tick, to be applied to every object.
    #[must_use]
    pub fn tick(&mut self) -> Tick {
        let forth = (self.ticks / self.there).is_multiple_of(2);
        self.ticks += 1;
        Tick { walls: self.walls, direction: if forth { 1.0 } else { -1.0 } }
    }
}

/// One tick.
#[derive(Clone, Copy, Debug)]
pub struct Tick {
    walls: [f32; 2],
    direction: f32,
}

impl Tick {
    /// Moves one object: its position changes by its velocity; where it leaves the world the
    /// velocity changes its sign and the position is clamped.
    ///
    /// Structures know boxes alone, so it is the box that moves, and its middle that the walls
    /// stop: this is the tick of the scenes but for how it rounds.
    #[inline(always)]
    pub fn advance<const D: usize>(self, velocity: &mut [f32; D], bounds: &mut Aabb<f32, D>) {
        let [low, high] = self.walls;
        let corners = bounds.min.iter_mut().zip(&mut bounds.max);
        for ((min, max), velocity) in corners.zip(velocity) {
            *min += *velocity * self.direction;
            *max += *velocity * self.direction;
            let middle = (*min + *max) * 0.5;
            if middle < low || middle > high {
                *velocity = -*velocity;
                let back = if middle < low { low - middle } else { high - middle };
                *min += back;
                *max += back;
            }
        }
    }
}

impl Tick {
    /// Moves many objects, as [`advance`](Self::advance) moves each of them, without branches.
    ///
    /// # Panics
    /// If the slices are not of one length.
    #[inline(always)]
    pub fn advance_all<const D: usize>(
        self,
        velocities: &mut [[f32; D]],
        min: [&mut [f32]; D],
        max: [&mut [f32]; D],
    ) {
        let [low, high] = self.walls;
        let len = velocities.len();
        let (min, max) = (min.map(|min| &mut min[..len]), max.map(|max| &mut max[..len]));
        for object in 0..len {
            for axis in 0..D {
                let velocity = velocities[object][axis];
                let begin = min[axis][object] + velocity * self.direction;
                let end = max[axis][object] + velocity * self.direction;
                let middle = (begin + end) * 0.5;
                let inside = if middle < low { low } else { middle };
                let inside = if inside > high { high } else { inside };
                velocities[object][axis] = if inside == middle { velocity } else { -velocity };
                min[axis][object] = begin + (inside - middle);
                max[axis][object] = end + (inside - middle);
            }
        }
    }
}

impl<const D: usize> Boxes<D> {
    /// A tick of all objects.
    pub fn advance(&mut self) {
        let tick = self.motion.tick();
        for (bounds, velocity) in self.bounds.iter_mut().zip(&mut self.velocities) {
            tick.advance(velocity, bounds);
        }
    }

    /// How many there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.bounds.len()
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.bounds.is_empty()
    }

    /// Keys and bounds, without data.
    pub fn objects(&self) -> impl ExactSizeIterator<Item = (u32, Aabb<f32, D>, ())> + '_ {
        (0..self.len()).map(|i| (i as u32, self.bounds[i], ()))
    }

    /// Keys and bounds, with velocities as data.
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
    use super::{Aabb, Boxes, Motion, THERE};
    use broadphase_core::scenes::{Scene, SceneName};

    #[test]
    fn boxes_move_as_scenes_do_but_for_rounding() {
        let name: SceneName = "mixed:300".parse().expect("a scene");
        let Scene::Flat(mut movers) = name.generate() else { panic!("{name} is solid") };
        let start = Boxes::from(movers.clone());
        let mut boxes = start.clone();
        // Enough for some to turn around.
        for _ in 0..THERE {
            movers.tick();
            boxes.advance();
        }
        for (object, bounds) in movers.all_bounds().enumerate() {
            for axis in 0..2 {
                let off = bounds.min[axis] - boxes.bounds[object].min[axis];
                assert!(off.abs() < 0.1, "object {object} is {off} off");
            }
        }
        assert_ne!(boxes.velocities, start.velocities, "some have met a wall");
    }

    #[test]
    fn many_boxes_move_as_each_does() {
        let name: SceneName = "mixed:300".parse().expect("a scene");
        let Scene::Flat(movers) = name.generate() else { panic!("{name} is solid") };
        let mut boxes = Boxes::from(movers);
        let mut min = [0, 1].map(|axis| boxes.bounds.iter().map(|b| b.min[axis]).collect());
        let mut max = [0, 1].map(|axis| boxes.bounds.iter().map(|b| b.max[axis]).collect());
        let (mut velocities, mut motion) = (boxes.velocities.clone(), boxes.motion);
        for _ in 0..THERE {
            boxes.advance();
            let (min, max) = (min.each_mut().map(Vec::as_mut_slice), max.each_mut());
            motion.tick().advance_all(&mut velocities, min, max.map(Vec::as_mut_slice));
        }
        for axis in 0..2 {
            let of = |end: fn(&Aabb<f32, 2>) -> [f32; 2]| {
                boxes.bounds.iter().map(|bounds| end(bounds)[axis]).collect::<Vec<f32>>()
            };
            assert_eq!(min[axis], of(|bounds| bounds.min));
            assert_eq!(max[axis], of(|bounds| bounds.max));
        }
        assert_eq!(velocities, boxes.velocities);
    }

    #[test]
    fn everything_is_back_after_a_while() {
        let name: SceneName = "clustered:300".parse().expect("a scene");
        let Scene::Flat(movers) = name.generate() else { panic!("{name} is solid") };
        let wide = Motion::between([-1e6, 1e6]);
        for (motion, there) in [(wide, THERE), (wide.turning_after(7), 7)] {
            let start = Boxes { motion, ..Boxes::from(movers.clone()) };
            let mut boxes = start.clone();
            let farthest = |boxes: &Boxes<2>| {
                let both = boxes.bounds.iter().zip(&start.bounds);
                both.fold(0.0, |far: f32, (now, then)| far.max((now.min[0] - then.min[0]).abs()))
            };
            (0..there).for_each(|_| boxes.advance());
            assert!(farthest(&boxes) > 0.4 * there as f32);
            (0..there).for_each(|_| boxes.advance());
            assert!(farthest(&boxes) < 0.1);
        }
    }
}
