//! Debug drawing: lines, and the edges of boxes.

use broadphase_core::{Aabb, Motion, Scalar};

/// A line to draw, from one point to another.
///
/// ```
/// use hexphase::{Aabb, BroadPhase, Line};
///
/// let mut world: BroadPhase = BroadPhase::new();
/// world.insert(Aabb::new([0.0, 0.0], [4.0, 2.0]), ())?;
/// let mut lines: Vec<Line> = Vec::new();
/// world.debug_lines(|line| lines.push(line));
/// assert_eq!(lines[0].ends, [[0.0, 0.0], [4.0, 0.0]]);
/// # Ok::<(), hexphase::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line<S = f32, const D: usize = 2> {
    /// The two end points.
    pub ends: [[S; D]; 2],
    /// The item that the line belongs to.
    pub kind: LineKind,
}

/// The item that a [`Line`] belongs to, for example to choose its color.
///
/// ```
/// use hexphase::{Aabb, BroadPhase, LineKind, Motion};
///
/// let mut world: BroadPhase = BroadPhase::new();
/// world.insert(Aabb::new([0.0, 0.0], [4.0, 2.0]), ())?;
/// let mut edges = 0;
/// world.debug_lines(|line| {
///     edges += u32::from(line.kind == LineKind::Bounds(Motion::Dynamic));
/// });
/// assert_eq!(edges, 4);
/// # Ok::<(), hexphase::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LineKind {
    /// An edge of the box around an object of this motion class.
    Bounds(Motion),
    /// An edge of a cell that contains objects.
    Cell {
        /// Level of the cell; level 0 has the smallest cells.
        level: u32,
    },
    /// The connection between the centers of two objects of a pair.
    Pair,
}

/// Draws the edges of a box: first those along axis 0, then those along axis 1, and so on.
pub(super) fn edges<S: Scalar, const D: usize>(
    bounds: &Aabb<S, D>,
    kind: LineKind,
    draw: &mut dyn FnMut(Line<S, D>),
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
    use alloc::vec::Vec;

    use super::*;

    fn drawn<const D: usize>(bounds: Aabb<i32, D>) -> Vec<[[i32; D]; 2]> {
        let mut lines = Vec::new();
        let kind = LineKind::Cell { level: 0 };
        edges(&bounds, kind, &mut |line| lines.push(line.ends));
        lines
    }

    #[test]
    fn boxes_have_the_right_edges() {
        assert_eq!(drawn(Aabb::new([1], [5])), [[[1], [5]]]);
        let flat = [[[1, 2], [5, 2]], [[1, 4], [5, 4]], [[1, 2], [1, 4]], [[5, 2], [5, 4]]];
        assert_eq!(drawn(Aabb::new([1, 2], [5, 4])), flat);
        let mut solid = drawn(Aabb::new([0, 0, 0], [1, 2, 3]));
        assert_eq!(solid.len(), 12);
        let length = |[a, b]: [[i32; 3]; 2]| (0..3).map(|axis| b[axis] - a[axis]).sum::<i32>();
        assert_eq!(solid.iter().map(|&line| length(line)).sum::<i32>(), 4 * (1 + 2 + 3));
        solid.sort_unstable();
        solid.dedup();
        assert_eq!(solid.len(), 12, "an edge was drawn twice");
    }
}
