//! Periodic cells, and the reciprocal vectors by which particles are mapped onto them.

use crate::Error;
use crate::cutoff::{MAX, is_number};

/// The maximum product of the lengths of the cell vectors, divided by the volume.
const MAX_SKEW: f64 = (1 << 20) as f64;

/// A periodic cell: three vectors, and the axes along which it repeats.
///
/// The vectors of axes that are not periodic have no effect; they may be zero.
///
/// ```
/// use hexphase_periodic::Cell;
///
/// let cube = Cell::periodic([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
/// assert_eq!(cube.periodic, [true; 3]);
/// let vectors = [[4.0, 0.0, 0.0], [2.0, 3.5, 0.0], [0.0; 3]];
/// let slab = Cell { vectors, periodic: [true, true, false] };
/// assert_ne!(slab, Cell::OPEN);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// The cell vectors, one per row.
    pub vectors: [[f64; 3]; 3],
    /// Whether the cell repeats along each vector.
    pub periodic: [bool; 3],
}

impl Cell {
    /// No cell: particles in open space, which have no images.
    pub const OPEN: Self = Self { vectors: [[0.0; 3]; 3], periodic: [false; 3] };

    /// Returns a cell that repeats along all three vectors.
    #[must_use]
    pub const fn periodic(vectors: [[f64; 3]; 3]) -> Self {
        Self { vectors, periodic: [true; 3] }
    }

    /// Returns the vector to the image of a particle, by the definition of the crate.
    #[inline(always)]
    pub(crate) fn vector(&self, from: [f64; 3], to: [f64; 3], shift: [i32; 3]) -> [f64; 3] {
        let [a, b, c] = &self.vectors;
        let [s, t, u] = [f64::from(shift[0]), f64::from(shift[1]), f64::from(shift[2])];
        [
            (to[0] - from[0]) + (s * a[0] + t * b[0] + u * c[0]),
            (to[1] - from[1]) + (s * a[1] + t * b[1] + u * c[1]),
            (to[2] - from[2]) + (s * a[2] + t * b[2] + u * c[2]),
        ]
    }

    /// Returns a position moved by whole cell vectors.
    pub(crate) fn shifted(&self, position: [f64; 3], shift: [i32; 3]) -> [f64; 3] {
        self.vector([0.0; 3], position, shift)
    }

    /// Validates the cell.
    pub(crate) fn axes(&self) -> Result<Axes, Error> {
        for (row, vector) in self.vectors.iter().enumerate() {
            if let Some(column) = vector.iter().position(|&x| !is_number(x)) {
                return Err(Error::Cell { row, column });
            }
        }
        let mut lengths = [0.0; 3];
        let mut units: [Option<[f64; 3]>; 3] = [None; 3];
        for axis in 0..3 {
            if self.periodic[axis] {
                let vector = self.vectors[axis];
                lengths[axis] = length(vector);
                if lengths[axis] < 1.0 / MAX {
                    return Err(Error::SingularCell);
                }
                units[axis] = Some(vector.map(|x| x / lengths[axis]));
            }
        }
        // Other axes get unit vectors perpendicular to those of periodic axes.
        for axis in 0..3 {
            units[axis] = units[axis].or_else(|| {
                Some(match (units[(axis + 1) % 3], units[(axis + 2) % 3]) {
                    (Some(a), Some(b)) => normalized(cross(a, b)),
                    (Some(a), None) | (None, Some(a)) => perpendicular(a),
                    (None, None) => [0, 1, 2].map(|other| f64::from(u8::from(other == axis))),
                })
            });
        }
        let units = units.map(Option::unwrap_or_default);
        let volume = dot(units[0], cross(units[1], units[2]));
        if !(1.0 / MAX_SKEW..).contains(&volume.abs()) {
            return Err(Error::SingularCell);
        }
        let mut reciprocal = [[0.0; 3]; 3];
        for axis in 0..3 {
            if self.periodic[axis] {
                let normal = cross(units[(axis + 1) % 3], units[(axis + 2) % 3]);
                reciprocal[axis] = normal.map(|x| x / volume / lengths[axis]);
            }
        }
        let inverse_heights = reciprocal.map(length);
        Ok(Axes { reciprocal, lengths, inverse_heights, skew: 1.0 / volume.abs() })
    }
}

/// The geometry of a valid cell.
pub(crate) struct Axes {
    /// The product with a position is its fractional coordinate; 0 if the axis is not periodic.
    pub(crate) reciprocal: [[f64; 3]; 3],
    /// The lengths of the cell vectors; 0 if the axis is not periodic.
    pub(crate) lengths: [f64; 3],
    /// The inverse of the distance between opposite faces of the cell; 0 if not periodic.
    pub(crate) inverse_heights: [f64; 3],
    /// The product of the lengths, divided by the volume; from 1 to [`MAX_SKEW`].
    pub(crate) skew: f64,
}

impl Axes {
    /// Returns the fractional coordinates of a position; 0 on axes that are not periodic.
    pub(crate) fn fractional(&self, position: [f64; 3]) -> [f64; 3] {
        self.reciprocal.map(|reciprocal| dot(reciprocal, position))
    }
}

#[inline(always)]
pub(crate) fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(crate) fn length(vector: [f64; 3]) -> f64 {
    dot(vector, vector).sqrt()
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|axis| {
        let (next, last) = ((axis + 1) % 3, (axis + 2) % 3);
        a[next] * b[last] - a[last] * b[next]
    })
}

fn normalized(vector: [f64; 3]) -> [f64; 3] {
    let length = length(vector);
    vector.map(|x| x / length)
}

/// Returns a unit vector perpendicular to another one.
fn perpendicular(unit: [f64; 3]) -> [f64; 3] {
    let [x, y, z] = unit.map(f64::abs);
    let smallest = [x <= y && x <= z, y < x && y <= z, z < x && z < y];
    normalized(cross(unit, smallest.map(|is_smallest| f64::from(u8::from(is_smallest)))))
}
