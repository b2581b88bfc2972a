//! In which cells an object is.

/// In which cells a [`SpatialHash`](crate::SpatialHash) keeps an object. No answer depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Placement {
    /// In every cell it touches, as the article has it: for objects of different sizes. One that
    /// touches more than 8 cells an axis, on average, is oversized.
    #[default]
    EveryCell,
    /// In the first cell it touches alone, and its neighbours look for it there: for points, and
    /// for objects of about one size with cells four times as oversized. There is one entry to keep
    /// for each, and less to do when it moves; and while most objects are not static, pairs are
    /// found by sweeping rows of cells, eight objects at a time. One that touches more than two
    /// cells on an axis, or is more than 2^30 cells from the origin, is oversized.
    FirstCell,
}
