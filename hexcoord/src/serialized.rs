//! The serialized forms of types with derived data or limits.
//!
//! Serde converts with the `From` and `TryFrom` implementations here: derived data is recomputed,
//! and limits are checked as in the constructors.

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::hex::{Diagonal, Direction, Hex};
use crate::plane::Orientation;
use crate::{body, hex, lookup, plane};

/// A layout without its derived matrices.
#[derive(Serialize, Deserialize)]
pub(crate) struct Layout {
    orientation: Orientation,
    size: [f32; 2],
    origin: [f32; 2],
}

impl From<plane::Layout> for Layout {
    fn from(layout: plane::Layout) -> Self {
        let (orientation, size, origin) = (layout.orientation(), layout.size(), layout.origin());
        Self { orientation, size, origin }
    }
}

impl From<Layout> for plane::Layout {
    fn from(Layout { orientation, size, origin }: Layout) -> Self {
        Self::new(orientation, 1.0).with_size(size).with_origin(origin)
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
        Self::new(cell, direction)
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
        Self::new(cell, diagonal)
    }
}
