//! A world as lines, for any engine to draw.

use alloc::vec::Vec;

use bounds_hexprism::Bounds;
use broadphase_core::{Aabb, Motion, Scalar};

use super::BroadPhase;
use super::swept::nearest_image;

/// A line to be drawn, from one point to another.
///
/// ```
/// # use hexphase::{Aabb, BroadPhase, Line, LineKind, Motion};
/// let mut world: BroadPhase<i32, 2> = BroadPhase::new();
/// world.insert(Aabb::new([0, 0], [4, 2]), ())?;
/// let mut lines: Vec<Line<i32, 2>> = Vec::new();
/// world.debug_lines(|line| lines.push(line));
/// let edges = lines.iter().filter(|line| line.kind == LineKind::Bounds(Motion::Dynamic));
/// assert_eq!(edges.count(), 4);
/// # Ok::<(), hexphase::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line<S = f32, const D: usize = 2> {
    /// Where it begins, and where it ends.
    pub ends: [[S; D]; 2],
    /// What it is a part of.
    pub kind: LineKind,
}

/// What a [`Line`] is a part of; colours may follow it.
///
/// ```
/// # use hexphase::{Aabb, BroadPhase, Line, LineKind, Motion};
/// let mut world: BroadPhase<i32, 2> = BroadPhase::new();
/// world.insert(Aabb::new([0, 0], [4, 2]), ())?;
/// let mut lines: Vec<Line<i32, 2>> = Vec::new();
/// world.debug_lines(|line| lines.push(line));
/// let edges = lines.iter().filter(|line| line.kind == LineKind::Bounds(Motion::Dynamic));
/// assert_eq!(edges.count(), 4);
/// # Ok::<(), hexphase::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LineKind {
    /// An edge of the box around an object that moves like this.
    Bounds(Motion),
    /// An edge of a cell that holds something.
    Cell {
        /// The level of the cell; 0 has the smallest.
        level: u32,
    },
    /// From the centre of one object of a pair to that of the other.
    Pair,
}

impl<S: Scalar, const D: usize, U: Copy + Send + Sync, B: Bounds<S, D>> BroadPhase<S, D, U, B> {
    /// Draws the world as lines: the boxes of all objects as they are now, ascending by handle;
    /// then the cells of the structure, level by level; then the pairs of the last step whose
    /// objects are still there.
    ///
    /// A box has 1, 4 or 12 edges, in one, two or three dimensions. Cells are drawn once each, so
    /// what neighbours share comes twice; brute force has none, and those of Morton-sorted objects
    /// are clusters of eight, and of eight of these. In a world that wraps boxes are drawn where they are stored, with `min` at home, and a pair goes
    /// to the nearest image of its other object. Which cells there are is no part of any answer.
    /// Takes time and memory for every object.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase, LineKind, Motion};
    ///
    /// let mut world: BroadPhase = BroadPhase::new();
    /// world.insert(Aabb::new([0.0, 0.0], [2.0, 2.0]), ())?;
    /// world.insert(Aabb::new([1.0, 0.0], [5.0, 4.0]), ())?;
    /// world.step();
    /// let mut lines = Vec::new();
    /// world.debug_lines(|line| lines.push(line));
    /// assert_eq!(lines.len(), 4 + 4 + 1);
    /// assert_eq!(lines[0].ends, [[0.0, 0.0], [2.0, 0.0]]);
    /// assert_eq!(lines[0].kind, LineKind::Bounds(Motion::Dynamic));
    /// assert_eq!(lines[8].ends, [[1.0, 1.0], [3.0, 2.0]]);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn debug_lines(&self, mut draw: impl FnMut(Line<S, D>)) {
        for object in self.handles() {
            if let Some(body) = self.structure.get(object.index()) {
                edges(&body.bounds, LineKind::Bounds(body.motion), &mut draw);
            }
        }
        let mut cells = Vec::new();
        self.structure.cells(&mut |level, cell| cells.push((level, cell)));
        // A structure of the user's own may show them in any order.
        cells.sort_by_key(|&(level, _)| level);
        for (level, cell) in cells {
            edges(&cell, LineKind::Cell { level }, &mut draw);
        }
        for overlap in self.pairs() {
            if overlap.handles.iter().any(|&object| self.slots.get(object).is_none()) {
                continue;
            }
            let [Some(a), Some(b)] = overlap.handles.map(|object| {
                let body = self.structure.get(object.index());
                body.map(|body| body.bounds)
            }) else {
                continue;
            };
            let b = nearest_image(b, &a, &self.options.sides);
            draw(Line { ends: [a.center(), b.center()], kind: LineKind::Pair });
        }
    }
}

/// Draws the edges of a box: those along the first axis, then those along the second, and so on.
fn edges<S: Scalar, const D: usize>(
    bounds: &Aabb<S, D>,
    kind: LineKind,
    draw: &mut impl FnMut(Line<S, D>),
) {
    for along in 0..D {
        for corner in (0..1 << D).filter(|corner| corner >> along & 1 == 0) {
            let end = |corner: usize| {
                core::array::from_fn(|axis| {
                    if corner >> axis & 1 == 0 { bounds.min[axis] } else { bounds.max[axis] }
                })
            };
            draw(Line { ends: [end(corner), end(corner | 1 << along)], kind });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn<const D: usize>(bounds: Aabb<i32, D>) -> Vec<[[i32; D]; 2]> {
        let mut lines = Vec::new();
        let kind = LineKind::Cell { level: 0 };
        edges(&bounds, kind, &mut |line| lines.push(line.ends));
        lines
    }

    #[test]
    fn boxes_have_as_many_edges_as_geometry_says() {
        assert_eq!(drawn(Aabb::new([1], [5])), [[[1], [5]]]);
        let flat = [[[1, 2], [5, 2]], [[1, 4], [5, 4]], [[1, 2], [1, 4]], [[5, 2], [5, 4]]];
        assert_eq!(drawn(Aabb::new([1, 2], [5, 4])), flat);
        let mut solid = drawn(Aabb::new([0, 0, 0], [1, 2, 3]));
        assert_eq!(solid.len(), 12);
        let length = |[a, b]: [[i32; 3]; 2]| (0..3).map(|axis| b[axis] - a[axis]).sum::<i32>();
        assert_eq!(solid.iter().map(|&line| length(line)).sum::<i32>(), 4 * (1 + 2 + 3));
        solid.sort_unstable();
        solid.dedup();
        assert_eq!(solid.len(), 12, "each comes once");
    }
}
