//! Blocks of cells, and how large cells should be.

use broadphase_core::{Aabb, Flow, Scalar};

use crate::cell::{FAR, Grid};

/// A block of cells, both corners included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span<const D: usize> {
    pub(super) low: [i32; D],
    pub(super) high: [i32; D],
}

impl<const D: usize> Span<D> {
    /// The cells that a box touches.
    #[inline(always)]
    pub(super) fn of<S: Scalar>(grid: Grid, bounds: &Aabb<S, D>) -> Self {
        Self {
            low: bounds.min.map(|min| grid.cell(min)),
            high: bounds.max.map(|max| grid.cell(max)),
        }
    }

    /// How many cells it has, or `u64::MAX` if more.
    #[inline(always)]
    pub(super) fn count(&self) -> u64 {
        (0..D).fold(1, |count, axis| {
            let side = (i64::from(self.high[axis]) - i64::from(self.low[axis]) + 1) as u64;
            count.saturating_mul(side)
        })
    }

    #[inline(always)]
    pub(super) fn contains(&self, cell: &[i32; D]) -> bool {
        (0..D).all(|axis| (self.low[axis]..=self.high[axis]).contains(&cell[axis]))
    }

    /// Visits every cell, the last axis fastest, until the visitor stops.
    #[inline(always)]
    pub(super) fn each<R: Flow>(&self, mut visit: impl FnMut([i32; D]) -> R) -> R {
        let mut cell = self.low;
        loop {
            let answer = visit(cell);
            if answer.stops() {
                return answer;
            }
            let mut axis = D;
            loop {
                if axis == 0 {
                    return R::CONTINUE;
                }
                axis -= 1;
                if cell[axis] < self.high[axis] {
                    cell[axis] += 1;
                    break;
                }
                cell[axis] = self.low[axis];
            }
        }
    }
}

/// So many objects, the largest, do not count for the size of cells where there are `MANY`: they
/// may well be oversized, for testing everything against so few costs next to nothing.
const LARGEST: usize = 16;
const MANY: u64 = 256;

/// Twice the average extent; for points the side of a cube that holds one on average.
pub(super) fn recommend<S: Scalar, const D: usize>(
    bounds: impl IntoIterator<Item = Aabb<S, D>>,
) -> S {
    let (mut count, mut extents, mut world) = (0u64, 0.0, None::<Aabb<S, D>>);
    let mut largest = [0.0; LARGEST];
    for bounds in bounds {
        count += 1;
        let mut average = (0..D).map(|axis| extent(&bounds, axis)).sum::<f64>() / D as f64;
        for larger in &mut largest {
            if average > *larger {
                core::mem::swap(larger, &mut average);
            }
        }
        extents += average;
        world = Some(world.map_or(bounds, |world| world.union(&bounds)));
    }
    let Some(world) = world else { return S::from_f64(1.0) };
    let mut side = if count < MANY {
        2.0 * (extents + largest.iter().sum::<f64>()) / count as f64
    } else {
        2.0 * extents / (count - LARGEST as u64) as f64
    };
    if side <= 0.0 {
        // Halve the world until there are about as many cells as points.
        side = (0..D).map(|axis| extent(&world, axis)).fold(0.0, f64::max);
        let mut cells = 1u64;
        while cells < count {
            side /= 2.0;
            cells = cells.saturating_mul(1 << D);
        }
    }
    // No finer than the numbers are, no coarser than they reach, and at least 1 for integers.
    let largest = world.min.iter().chain(&world.max).fold(0.0, |m: f64, x| m.max(x.to_f64().abs()));
    let side = side.clamp(largest / FAR, S::MAX.to_f64());
    let rounded = S::from_f64(side);
    let usable = rounded > S::ZERO && (1.0 / rounded.to_f64()).is_finite();
    if usable { rounded } else { S::from_f64(1.0) }
}

fn extent<S: Scalar, const D: usize>(bounds: &Aabb<S, D>, axis: usize) -> f64 {
    bounds.max[axis].to_f64() - bounds.min[axis].to_f64()
}

#[cfg(test)]
mod tests {
    use alloc::vec;
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn a_span_has_every_cell_of_its_block_once() {
        let span = Span { low: [-1, 5, 0], high: [1, 5, 1] };
        let mut cells = Vec::new();
        span.each(|cell| cells.push(cell));
        let expected = [[-1, 5, 0], [-1, 5, 1], [0, 5, 0], [0, 5, 1], [1, 5, 0], [1, 5, 1]];
        assert_eq!(cells, expected);
        assert_eq!(span.count(), 6);
        assert!(cells.iter().all(|cell| span.contains(cell)));
        assert!(!span.contains(&[0, 4, 0]));
        let all = Span { low: [i32::MIN; 3], high: [i32::MAX; 3] };
        assert_eq!(all.count(), u64::MAX, "too many to count, not a small number");
    }

    #[test]
    fn cells_follow_the_sizes_of_objects() {
        let of = |sizes: &[f32]| {
            recommend(sizes.iter().map(|&size| Aabb::new([0.0, 0.0], [size, size])))
        };
        assert_eq!(of(&[1.0, 3.0]), 4.0, "twice the average");
        let (few, many) = (vec![2.0; 200], vec![2.0; 1000]);
        assert!(of(&[&few[..], &[1e9]].concat()) > 1e6, "every object counts");
        assert_eq!(of(&[&many[..], &[1e9]].concat()), 4.0, "but for a few among many");
        assert_eq!(of(&[&[1e9, 1e9], &many[..]].concat()), 4.0);
        assert!(of(&[&many[..], &[1e9; 20]].concat()) > 1e6, "twenty are not few");
        assert_eq!(of(&[]), 1.0);
        assert_eq!(of(&[0.0]), 1.0);
        let points = (0..100).map(|n| Aabb::point([n as f32, 0.0]));
        let side = recommend(points);
        assert!((6.0..30.0).contains(&side), "about as many cells as points, not {side}");
        assert_eq!(recommend([Aabb::point([i32::MAX]), Aabb::point([i32::MAX - 1])]), 2);
        let far = recommend([Aabb::new([f32::MAX - 1e30, 0.0], [f32::MAX, 1.0])]);
        assert!(far.is_finite() && far >= f32::MAX / FAR as f32);
    }
}
