//! The serialized forms of types with derived data or limits.
//!
//! Serde converts with the `From` and `TryFrom` here, which recompute derived data and check
//! limits.

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::hex::{Diagonal, Direction, Hex};
use crate::plane::{Float, InvalidLayout, Orientation};
use crate::{body, hex, lookup, plane};

/// A layout without its derived matrices, before its numbers are checked.
#[derive(Serialize, Deserialize)]
pub(crate) struct Layout<F> {
    orientation: Orientation,
    size: [F; 2],
    origin: [F; 2],
}

impl<F: Float> From<plane::Layout<F>> for Layout<F> {
    fn from(layout: plane::Layout<F>) -> Self {
        let (orientation, size, origin) = (layout.orientation(), layout.size(), layout.origin());
        Self { orientation, size, origin }
    }
}

impl<F: Float> TryFrom<Layout<F>> for plane::Layout<F> {
    type Error = InvalidLayout;

    fn try_from(layout: Layout<F>) -> Result<Self, InvalidLayout> {
        Self::try_new(layout.orientation, layout.size, layout.origin)
    }
}

/// A grid before its shift is checked.
#[derive(Deserialize)]
pub(crate) struct Grid {
    shift: u32,
}

impl TryFrom<Grid> for lookup::Grid {
    type Error = &'static str;

    fn try_from(Grid { shift }: Grid) -> Result<Self, &'static str> {
        if shift <= Self::MAX_SHIFT { Ok(Self::new(shift)) } else { Err(Self::TOO_LARGE) }
    }
}

/// A body as a list of cells, in any order and possibly with duplicates.
#[derive(Serialize, Deserialize)]
pub(crate) struct HexBody {
    grid: lookup::Grid,
    cells: Vec<Hex>,
}

impl From<body::HexBody> for HexBody {
    fn from(body: body::HexBody) -> Self {
        Self { grid: body.grid(), cells: body.cells().collect() }
    }
}

impl TryFrom<HexBody> for body::HexBody {
    type Error = body::OutOfReach;

    fn try_from(HexBody { grid, cells }: HexBody) -> Result<Self, body::OutOfReach> {
        let mut body = Self::with_grid(grid);
        for cell in cells {
            body.try_insert(cell)?;
        }
        Ok(body)
    }
}

/// An edge as a side of one of its two cells; converted to a side of the least cell.
#[derive(Deserialize)]
pub(crate) struct Edge {
    cell: Hex,
    direction: Direction,
}

impl From<Edge> for hex::Edge {
    fn from(Edge { cell, direction }: Edge) -> Self {
        cell.edge(direction)
    }
}

/// A corner of one of its three cells; converted to a corner of the least cell.
#[derive(Deserialize)]
pub(crate) struct Corner {
    cell: Hex,
    diagonal: Diagonal,
}

impl From<Corner> for hex::Corner {
    fn from(Corner { cell, diagonal }: Corner) -> Self {
        cell.corner(diagonal)
    }
}
