//! Edges and corners of cells. All cells of an edge or a corner create the same value.
//!
//! An edge is shared by two cells, a corner by three. Both are stored as the least of these cells
//! (smallest q, then smallest r), and a direction or diagonal from that cell. The least cell is on
//! the left. So an edge is the E, SE or NE side of its least cell, and a corner is the ESE or ENE
//! corner:
//!
//! ```text
//!            / \  NE            Three edges and two corners per cell. Pointy cells, y
//!          /     \             downwards; flat cells are the same grid turned by 30°.
//!        /         \  ENE
//!       |           |
//!       |   cell    |  E
//!       |           |
//!        \         /  ESE
//!          \     /
//!            \ /  SE
//! ```

use super::{Diagonal, Direction, Hex};

/// An edge between two adjacent cells.
///
/// Both cells create equal values. Edges are ordered by their first cell, then by direction. Use
/// them as keys of maps for walls, rivers or borders. See
/// [parts](https://www.redblobgames.com/grids/parts/).
///
/// ```
/// use hexcoord::{Direction, Edge, hex};
///
/// let edge = hex(2, 0).edge(Direction::W);
/// assert_eq!(edge, hex(1, 0).edge(Direction::E));
/// assert_eq!(edge.cells(), [hex(1, 0), hex(2, 0)]);
/// assert_eq!(Edge::between(hex(2, 0), hex(1, 0)), Some(edge));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(from = "crate::serialized::Edge")
)]
pub struct Edge {
    cell: Hex,
    direction: Direction,
}

impl Edge {
    /// Returns the edge between two neighbors; `None` if the cells are not neighbors.
    #[must_use]
    pub fn between(first: Hex, second: Hex) -> Option<Self> {
        let mut directions = Direction::ALL.into_iter();
        let direction = directions.find(|&direction| first + direction == second)?;
        Some(first.edge(direction))
    }

    /// Returns the direction from the first cell to the second: E, SE or NE.
    #[inline]
    #[must_use]
    pub const fn direction(self) -> Direction {
        self.direction
    }

    /// Returns the two cells of the edge, in ascending order except where coordinates wrap.
    #[inline]
    #[must_use]
    pub fn cells(self) -> [Hex; 2] {
        [self.cell, self.cell + self.direction]
    }

    /// Returns the corners at the ends, ordered around the first cell from axis a towards axis b.
    ///
    /// ```
    /// use hexcoord::{Diagonal, Direction, hex};
    ///
    /// let [first, second] = hex(0, 0).edge(Direction::E).corners();
    /// assert_eq!(first, hex(0, 0).corner(Diagonal::ENE));
    /// assert_eq!(second, hex(0, 0).corner(Diagonal::ESE));
    /// ```
    #[must_use]
    pub fn corners(self) -> [Corner; 2] {
        let after = self.direction as usize;
        [(after + 5) % 6, after].map(|index| self.cell.corner(Diagonal::ALL[index]))
    }
}

/// A corner, shared by three cells.
///
/// The three cells create equal values. Corners are ordered by their first cell, then by diagonal.
/// See [parts](https://www.redblobgames.com/grids/parts/).
///
/// ```
/// use hexcoord::{Diagonal, hex};
///
/// let corner = hex(0, 0).corner(Diagonal::ESE);
/// assert_eq!(corner, hex(1, 0).corner(Diagonal::WSW));
/// assert_eq!(corner, hex(0, 1).corner(Diagonal::N));
/// assert_eq!(corner.cells(), [hex(0, 0), hex(0, 1), hex(1, 0)]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(from = "crate::serialized::Corner")
)]
pub struct Corner {
    cell: Hex,
    diagonal: Diagonal,
}

impl Corner {
    /// Returns the diagonal from the center of the first cell through the corner: ESE or ENE.
    #[inline]
    #[must_use]
    pub const fn diagonal(self) -> Diagonal {
        self.diagonal
    }

    const fn inner_direction(self) -> Direction {
        match self.diagonal {
            Diagonal::ESE => Direction::SE,
            _ => Direction::NE,
        }
    }

    /// Returns the three cells at the corner, in ascending order except where coordinates wrap.
    #[inline]
    #[must_use]
    pub fn cells(self) -> [Hex; 3] {
        [self.cell, self.cell + self.inner_direction(), self.cell + Direction::E]
    }

    /// Returns the three edges at the corner, in ascending order except where coordinates wrap.
    #[must_use]
    pub fn edges(self) -> [Edge; 3] {
        let ([first, second, _], inner) = (self.cells(), self.inner_direction());
        let opposite = match inner {
            Direction::SE => Direction::NE,
            _ => Direction::SE,
        };
        [first.edge(Direction::E), first.edge(inner), second.edge(opposite)]
    }
}

impl Hex {
    /// Returns the edge between this cell and its neighbor in a direction.
    #[inline]
    #[must_use]
    pub fn edge(self, direction: Direction) -> Edge {
        match direction {
            Direction::E | Direction::SE | Direction::NE => Edge { cell: self, direction },
            _ => Edge { cell: self + direction, direction: -direction },
        }
    }

    /// Returns the six edges in the order of [`Direction::ALL`].
    ///
    /// ```
    /// use hexcoord::{Hex, hex};
    ///
    /// // The border of an area: the edges with one cell outside the area.
    /// let area: Vec<Hex> = hex(0, 0).range(1).collect();
    /// let edges = area.iter().flat_map(|cell| cell.edges());
    /// let border = edges.filter(|edge| edge.cells().iter().any(|cell| !area.contains(cell)));
    /// assert_eq!(border.count(), 18);
    /// ```
    #[must_use]
    pub fn edges(self) -> [Edge; 6] {
        Direction::ALL.map(|direction| self.edge(direction))
    }

    /// Returns the corner through which a diagonal leaves this cell.
    #[inline]
    #[must_use]
    pub fn corner(self, diagonal: Diagonal) -> Corner {
        // Direction to the least of the three cells, and diagonal from there.
        let (to_least, diagonal) = match diagonal {
            Diagonal::ESE | Diagonal::ENE => return Corner { cell: self, diagonal },
            Diagonal::S => (Direction::SW, Diagonal::ENE),
            Diagonal::WSW => (Direction::W, Diagonal::ESE),
            Diagonal::WNW => (Direction::W, Diagonal::ENE),
            Diagonal::N => (Direction::NW, Diagonal::ESE),
        };
        Corner { cell: self + to_least, diagonal }
    }

    /// Returns the six corners in the order of [`Diagonal::ALL`].
    #[must_use]
    pub fn corners(self) -> [Corner; 6] {
        Diagonal::ALL.map(|diagonal| self.corner(diagonal))
    }
}
