//! The kinds of searches that a structure answers.

use core::ops::ControlFlow;

use bounds_hexprism::{Measure, Scalar};

use super::{Path, Region, Target};
use crate::Entry;

/// A search in space, and the order in which the objects that it finds are visited.
///
/// A structure implements the kinds for which it has a faster way, at least regions, and passes all
/// others to [`visit_by_regions`](crate::query::visit_by_regions).
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Search<S: Scalar = f32, const D: usize = 2> {
    /// Every object that overlaps a region, in any order; the visitor's number is 0. The region may
    /// be infinite; an inverted or NaN region overlaps nothing.
    Region(Region<S, D>),
    /// Every object that a path touches, ascending by the fraction of first contact, which is the
    /// visitor's number, then by key. A path with a NaN or infinite number touches nothing.
    Path(Path<S, D>),
    /// The objects ascending by squared distance, which is the visitor's number, then by key.
    ///
    /// Even if squares overflow or underflow, objects are in order: squares of scaled distances are
    /// compared then. Distances with equal rounded squares count as equal. A target with a NaN or
    /// infinite number finds nothing. See [`Target::within`] for limits.
    Nearest(Target<S, D>),
}

impl<S: Scalar, const D: usize> From<Region<S, D>> for Search<S, D> {
    fn from(region: Region<S, D>) -> Self {
        Self::Region(region)
    }
}

/// Receives objects, each with the number of its [`Search`], until it returns `Break`.
pub type Visit<'a, S, const D: usize> =
    dyn FnMut(Entry<S, D>, <S as Measure>::Real) -> ControlFlow<()> + 'a;

/// The neighbors of each object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Near<S = f32> {
    /// All other objects within a radius, ascending by key.
    Within(S),
    /// This many nearest other objects, or all if there are fewer, ascending by distance, then key.
    Nearest(usize),
}
