//! Pairs found by one query per object: of two structures, and of objects within a distance.

use alloc::vec::Vec;

use bounds_hexprism::Scalar;

use super::{Pair, sort};
use crate::{Motion, Region, SpatialIndex, tasks};

/// Default implementation of [`SpatialIndex::pairs_within`]: one query per object. Each pair is
/// found by the queries of both objects; the query of the smaller key reports it.
pub(crate) fn within<S: Scalar, const D: usize, I: SpatialIndex<S, D>>(
    index: &mut I,
    distance: S,
    accept: impl Fn(&I::Data, &I::Data) -> bool + Sync,
    out: &mut Vec<Pair>,
) {
    index.optimize();
    let index: &I = index;
    out.clear();
    tasks::find(index.order(), out, |key, out| {
        let Some(own) = index.get(key) else { return };
        let is_static = index.motion(key) == Some(Motion::Static);
        index.query_unordered(Region::around(own.bounds, distance), |other| {
            let both_static = is_static && index.motion(other.key) == Some(Motion::Static);
            if key < other.key && !both_static && accept(own.data, other.data) {
                out.push([key, other.key]);
            }
        });
    });
    sort(out);
}

/// Default implementation of [`SpatialIndex::pairs_with_within`]: for each object of `index`, one
/// query of `other`.
pub(crate) fn with_within<S, const D: usize, I, O>(
    index: &I,
    other: &mut O,
    distance: S,
    accept: impl Fn(&I::Data, &O::Data) -> bool + Sync,
    out: &mut Vec<[u32; 2]>,
) where
    S: Scalar,
    I: SpatialIndex<S, D>,
    O: SpatialIndex<S, D>,
{
    other.optimize();
    let other: &O = other;
    out.clear();
    tasks::find(index.order(), out, |key, out| {
        let Some(own) = index.get(key) else { return };
        other.query_unordered(Region::around(own.bounds, distance), |theirs| {
            if accept(own.data, theirs.data) {
                out.push([key, theirs.key]);
            }
        });
    });
    sort(out);
}
