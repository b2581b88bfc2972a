//! The placement setting of a spatial hash.

/// In which cells a [`SpatialHash`](crate::SpatialHash) stores an object. Results do not depend on
/// it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Placement {
    /// In every cell the object touches, as in the article. For objects of different sizes. An
    /// object that touches more than 8 cells an axis, on average, is oversized.
    #[default]
    EveryCell,
    /// Only in the first cell the object touches; searches also look into the neighboring cells.
    /// For points, and for objects of about one size with cells four times as large. Each object
    /// has a single entry, so moving it is cheaper. While at least half of the cells have a mover,
    /// pairs are found by sweeping rows of cells, eight objects at a time. An object that touches
    /// more than two cells on an axis, or is more than 2^30 cells from the origin, is oversized.
    FirstCell,
}
