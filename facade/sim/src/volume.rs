//! Volumes of objects: boxes, and balls and hexagons, which are tighter than their boxes.

use core::array::from_fn;

use hexphase::bounds::{DownTriangle, UpTriangle};
use hexphase::{Aabb, Ball, Bounds, BroadPhase, Hexagon, Plain, Scalar};

use crate::shape::Volume64;
use crate::space::{narrow, widen};

/// A volume that the simulator can create, store as numbers, and move.
pub(crate) trait Volume<S: Scalar, const D: usize>: Bounds<S, D> + Plain {
    fn numbers(&self) -> Volume64;
    fn of_numbers(numbers: &Volume64) -> Self;
    /// Returns a valid volume in a box or close to it; `kind` selects its shape.
    fn inside(bounds: Aabb<S, D>, kind: u64) -> Self;
    /// Returns an invalid volume, given an invalid box.
    fn invalid(bounds: Aabb<S, D>) -> Self;
    /// Takes a step with a limit, which only worlds of boxes have, and only with `std`. The error
    /// is the number of pairs.
    fn step_up_to(world: &mut BroadPhase<S, D, u32, Self>, _most: usize) -> Result<(), u64> {
        world.step();
        Ok(())
    }
}

impl<S: Scalar + Plain, const D: usize> Volume<S, D> for Aabb<S, D> {
    fn numbers(&self) -> Volume64 {
        widen(self)
    }

    fn of_numbers(numbers: &Volume64) -> Self {
        narrow(numbers)
    }

    fn inside(bounds: Self, _: u64) -> Self {
        bounds
    }

    fn invalid(bounds: Self) -> Self {
        bounds
    }

    #[cfg(feature = "std")]
    fn step_up_to(world: &mut BroadPhase<S, D, u32>, most: usize) -> Result<(), u64> {
        world.step_up_to(most).map_err(|many| many.pairs)
    }
}

impl Volume<f32, 2> for Ball {
    fn numbers(&self) -> Volume64 {
        let [x, y] = self.center.map(f64::from);
        Aabb { min: [x, y, self.radius.into()], max: [0.0; 3] }
    }

    fn of_numbers(numbers: &Volume64) -> Self {
        let [x, y, radius] = numbers.min.map(|number| number as f32);
        Self { center: [x, y], radius }
    }

    fn inside(bounds: Aabb, kind: u64) -> Self {
        let extent = |axis: usize| bounds.max[axis] - bounds.min[axis];
        let radius = if kind.is_multiple_of(2) { extent(0) } else { extent(1) } * 0.5;
        let center = from_fn(|axis| bounds.min[axis] * 0.5 + bounds.max[axis] * 0.5);
        let ball = Self { center, radius };
        if ball.checked().is_ok() { ball } else { Self { center: bounds.min, radius: 0.0 } }
    }

    fn invalid(bounds: Aabb) -> Self {
        let radius = if bounds.max.iter().all(|x| x.is_finite()) { -1.0 } else { f32::NAN };
        Self { center: bounds.min, radius }
    }
}

impl Volume<i32, 2> for Hexagon<i32> {
    fn numbers(&self) -> Volume64 {
        let UpTriangle { min_a, min_b, min_c } = self.up;
        let DownTriangle { max_a, max_b, max_c } = self.down;
        Aabb {
            min: [min_a, min_b, min_c].map(f64::from),
            max: [max_a, max_b, max_c].map(f64::from),
        }
    }

    fn of_numbers(numbers: &Volume64) -> Self {
        let [min_a, min_b, min_c] = numbers.min.map(|number| number as i32);
        let [max_a, max_b, max_c] = numbers.max.map(|number| number as i32);
        Self::new(UpTriangle { min_a, min_b, min_c }, DownTriangle { max_a, max_b, max_c })
    }

    fn inside(bounds: Aabb<i32, 2>, kind: u64) -> Self {
        let Aabb { min: [left, low], max: [right, high] } = bounds;
        let hexagon = match kind % 4 {
            0 => Self::of_aabb(&bounds),
            1 => Self::of_points([[left, low], [right, high]]),
            2 => Self::of_points([[left, high], [right, low]]),
            _ => Self::of_points([[left, low], [right, low], [left, high]]),
        };
        // Coordinates that are too large for a hexagon are replaced by 0.
        let origin = Aabb { min: [0; 2], max: [0; 2] };
        hexagon.unwrap_or_else(|_| Self::of_aabb(&origin).expect("a point is a hexagon"))
    }

    fn invalid(_: Aabb<i32, 2>) -> Self {
        Self::of_numbers(&Aabb { min: [0.0, 1.0, 0.0], max: [0.0; 3] })
    }
}

/// Returns whether the volumes of two objects, given with their home boxes, overlap in an image in
/// which their boxes overlap.
pub(crate) fn touch<S: Scalar, const D: usize, B: Volume<S, D>>(
    sides: &[S; D],
    (a, a_home): (B, Aabb<S, D>),
    (b, b_home): (B, Aabb<S, D>),
) -> bool {
    let wraps = sides.iter().any(|&side| side > S::ZERO);
    if B::IS_BOX || !wraps {
        return B::IS_BOX || a.overlaps(&b);
    }
    let covers = |home: &Aabb<S, D>| {
        let full = |axis: usize| home.max[axis].minus(home.min[axis]) >= sides[axis];
        (0..D).any(|axis| sides[axis] > S::ZERO && full(axis))
    };
    // The number of whole sides from the home box to the volume as it was given.
    let turns = |volume: &B, home: &Aabb<S, D>, axis: usize| {
        let given = volume.aabb().min[axis].to_f64();
        ((given - home.min[axis].to_f64()) / sides[axis].to_f64()).round()
    };
    let overlap_in = |image: [i32; D]| {
        let mut by = [S::ZERO; D];
        for axis in 0..D {
            let (side, low, high) = (sides[axis], &a_home, &b_home);
            let boxes_overlap = match image[axis] {
                0 => low.min[axis] <= high.max[axis] && high.min[axis] <= low.max[axis],
                1 => side > S::ZERO && low.max[axis].minus(side) >= high.min[axis],
                _ => side > S::ZERO && high.max[axis].minus(side) >= low.min[axis],
            };
            if !boxes_overlap {
                return false;
            }
            if side > S::ZERO {
                let turns = turns(&a, &a_home, axis) - turns(&b, &b_home, axis);
                let turns = turns + f64::from(image[axis]);
                by[axis] = S::from_f64(turns * side.to_f64());
                if S::INTEGER && by[axis].to_f64() != turns * side.to_f64() {
                    return true; // out of range: the boxes decide
                }
            }
        }
        let moved = if by == [S::ZERO; D] { Some(b) } else { b.translated(by) };
        moved.is_none_or(|b| a.overlaps(&b))
    };
    let image = |number: usize| from_fn(|axis| (number / 3usize.pow(axis as u32) % 3) as i32 - 1);
    let mut images = (0..3usize.pow(D as u32)).map(image);
    covers(&a_home) || covers(&b_home) || images.any(overlap_in)
}
