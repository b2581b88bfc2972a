//! Searches that grow: along a path piece by piece, and around a target ring by ring.
//!
//! Both ask for boxes and decide exactly what is found there, so they are right for every
//! structure, and fast where its box queries are. A box is as large as pays: it grows where there
//! is little and shrinks where there is much.

use bounds_hexprism::{Flow, Scalar};

use super::hits::Hit;
use super::path::Path;
use super::pieces::Pieces;
use super::rings::Rings;
use super::target::Target;
use crate::{Entry, SpatialIndex};

/// Shows what was found.
#[inline]
pub(crate) fn show<S: Scalar, const D: usize, I: SpatialIndex<S, D>, R: Flow>(
    index: &I,
    hit: &Hit<S>,
    visit: &mut impl FnMut(Entry<'_, S, D, I::Data>, S::Real) -> R,
) -> R {
    match index.get(hit.key) {
        Some(entry) => visit(entry, hit.number),
        None => R::CONTINUE,
    }
}

/// Visits what a path touches, ascending by fraction, then by key.
pub(crate) fn cast<S: Scalar, const D: usize, I: SpatialIndex<S, D>, R: Flow>(
    index: &I,
    path: &Path<S, D>,
    mut visit: impl FnMut(Entry<'_, S, D, I::Data>, S::Real) -> R,
) -> R {
    let Some(mut pieces) = Pieces::new(path, index.spacing(), index.len(), true) else {
        return R::CONTINUE;
    };
    pieces.each(
        |piece, hits| {
            // A copy, which calls for each object need not read again.
            let piece = *piece;
            let _ = index.query_unordered(piece.area(), |entry| {
                hits.see(entry.key, 0, || piece.first_touch(&entry.bounds))
            });
        },
        |hit| show(index, hit, &mut visit),
    )
}

/// Visits what is near, ascending by squared distance, then by key.
pub(crate) fn nearest<S: Scalar, const D: usize, I: SpatialIndex<S, D>, R: Flow>(
    index: &I,
    target: Target<S, D>,
    mut visit: impl FnMut(Entry<'_, S, D, I::Data>, S::Real) -> R,
) -> R {
    let Some(mut rings) = Rings::new(target, index.spacing(), index.len()) else {
        return R::CONTINUE;
    };
    rings.each(
        |ring, hits| {
            let ring = *ring;
            let _ = index.query_unordered(ring.area(), |entry| {
                hits.see(entry.key, 0, || ring.distance_squared(&entry.bounds))
            });
        },
        |hit| show(index, hit, &mut visit),
    )
}
