//! The kinds of queries, and the queries themselves.

use broadphase_core::torus::World;
use hexphase::{Aabb, Number, Path, Region};

/// The kinds of queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ShapeKind {
    Box,
    Point,
    Ball,
    Segment,
    Ray,
    /// The objects nearest to a point or box. This kind has no option; it exists only in files.
    Nearest,
}

/// The kinds that have an option: each with its name there and in files, the placeholder for its
/// value in two dimensions, and its help.
pub(super) const OPTIONS: [(ShapeKind, &str, &str, &str); 5] = [
    (
        ShapeKind::Box,
        "box",
        "X,Y,X,Y",
        "Find objects that overlap a box: its minimum and its maximum; repeatable",
    ),
    (ShapeKind::Point, "point", "X,Y", "Find objects that contain a point; repeatable"),
    (
        ShapeKind::Ball,
        "ball",
        "X,Y,R",
        "Find objects that overlap a disc or ball: center and radius; repeatable",
    ),
    (
        ShapeKind::Segment,
        "segment",
        "X,Y,X,Y",
        "Find objects on the line between two points; repeatable",
    ),
    (
        ShapeKind::Ray,
        "ray",
        "X,Y,DX,DY",
        "Find objects on the line from a point in a direction; repeatable",
    ),
];
/// The name of [`ShapeKind::Nearest`] in files.
const NEAREST: &str = "nearest";

impl ShapeKind {
    /// Returns the kind whose name in a file is `name`.
    pub(super) fn named(name: &str) -> Option<Self> {
        let option = OPTIONS.iter().find(|option| option.1 == name).map(|option| option.0);
        option.or((name == NEAREST).then_some(Self::Nearest))
    }

    /// Returns the name of the kind.
    pub(super) fn name(self) -> &'static str {
        OPTIONS.iter().find(|option| option.0 == self).map_or(NEAREST, |option| option.1)
    }

    /// Returns the two numbers of coordinates that are allowed; they are equal for most kinds.
    pub(super) const fn lengths(self, dimensions: usize) -> [usize; 2] {
        match self {
            Self::Box | Self::Segment | Self::Ray => [2 * dimensions; 2],
            Self::Point => [dimensions; 2],
            Self::Ball => [dimensions + 1; 2],
            Self::Nearest => [dimensions + 1, 2 * dimensions + 1],
        }
    }
}

/// A query.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape<S: Number, const D: usize> {
    Region(Region<S, D>),
    Path(Path<S, D>),
    /// A box that is home, and the number of objects nearest to it to find.
    Nearest(Aabb<S, D>, usize),
}

impl<S: Number, const D: usize> Shape<S, D> {
    /// Returns the query of a kind, given its coordinates, whose number must be right. If `nearest`
    /// is set, boxes and points are targets, and this number of nearest objects is found.
    ///
    /// # Errors
    /// If a minimum is above its maximum or a radius is negative.
    pub(super) fn new(
        kind: ShapeKind,
        numbers: &[S],
        sides: [S; D],
        nearest: Option<u32>,
    ) -> Result<Self, String> {
        let point = |from: usize| -> [S; D] { core::array::from_fn(|axis| numbers[from + axis]) };
        let first = point(0);
        let bounds = || {
            let mut bounds = Aabb { min: first, max: point(D) };
            for (axis, side) in sides.into_iter().enumerate() {
                let (min, max) = (bounds.min[axis], bounds.max[axis]);
                if min > max {
                    // The box is across a seam.
                    bounds.max[axis] = max.plus(side);
                }
                if min > bounds.max[axis] {
                    return Err(format!("the minimum {min} is above the maximum {max}"));
                }
            }
            Ok(bounds)
        };
        Ok(match (kind, nearest) {
            (ShapeKind::Box, None) => Self::Region(bounds()?.into()),
            (ShapeKind::Point, None) => Self::Region(Region::point(first)),
            (ShapeKind::Ball, _) => {
                let radius = numbers[D];
                if radius < S::ZERO {
                    return Err(format!("the radius {radius} is negative"));
                }
                Self::Region(Region::ball(first, radius))
            }
            (ShapeKind::Segment, _) => Self::Path(Path::segment(first, point(D))),
            (ShapeKind::Ray, _) => Self::Path(Path::ray(first, point(D))),
            (_, count) => {
                let bounds = if numbers.len() > D { bounds()? } else { Aabb::point(first) };
                let home = World::of_valid(sides).reduced(bounds).map_err(|why| why.to_string())?;
                Self::Nearest(home, count.unwrap_or(1) as usize)
            }
        })
    }
}
