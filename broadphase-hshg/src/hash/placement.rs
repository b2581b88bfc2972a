//! In which cells an object is.

/// In which cells a [`SpatialHash`](crate::SpatialHash) keeps an object. No answer depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Placement {
    /// In every cell it touches, as the article has it: for objects of different sizes. One that
    /// touches more than 8 cells an axis, on average, is oversized.
    #[default]
    EveryCell,
    /// In the first cell it touches alone, and its neighbours look for it there: for points, and
    /// for objects of about one size with cells four times as large. There is one entry to keep
    /// for each, and less to do when it moves. One that touches more than two cells on an axis is
    /// oversized.
    FirstCell,
}
