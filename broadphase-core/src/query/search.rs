//! Default implementations of `cast` and `nearest`, by box queries: segment by segment along a
//! path, shell by shell around a target.
//!
//! The box queries find candidates and the exact test decides, so results are right for every
//! structure; the speed depends on its box queries. Boxes are larger where there are few objects,
//! smaller where there are many.

use bounds_hexprism::{Flow, Scalar};

use super::cast_segments::CastSegments;
use super::hits::Hit;
use super::path::Path;
use super::search_shells::SearchShells;
use super::target::Target;
use crate::{Entry, SpatialIndex};

/// Passes the object of a hit to the visitor, if the structure has it.
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

/// Default implementation of [`SpatialIndex::cast`]: visits the objects that a path touches,
/// ascending by fraction, then by key.
pub(crate) fn cast<S: Scalar, const D: usize, I: SpatialIndex<S, D>, R: Flow>(
    index: &I,
    path: &Path<S, D>,
    mut visit: impl FnMut(Entry<'_, S, D, I::Data>, S::Real) -> R,
) -> R {
    let Some(mut segments) = CastSegments::new(path, index.spacing(), index.len(), true) else {
        return R::CONTINUE;
    };
    segments.each(
        |segment, hits| {
            // The segment is copied, so that the test of each object need not reload it.
            let segment = *segment;
            let _ = index.query_unordered(segment.area(), |entry| {
                hits.see(entry.key, 0, || segment.first_touch(&entry.bounds))
            });
        },
        |hit| show(index, hit, &mut visit),
    )
}

/// Default implementation of [`SpatialIndex::nearest`]: visits the objects within the limit of a
/// target, ascending by squared distance, then by key.
pub(crate) fn nearest<S: Scalar, const D: usize, I: SpatialIndex<S, D>, R: Flow>(
    index: &I,
    target: Target<S, D>,
    mut visit: impl FnMut(Entry<'_, S, D, I::Data>, S::Real) -> R,
) -> R {
    let Some(mut shells) = SearchShells::new(target, index.spacing(), index.len()) else {
        return R::CONTINUE;
    };
    shells.each(
        |shell, hits| {
            let shell = *shell;
            let _ = index.query_unordered(shell.area(), |entry| {
                hits.see(entry.key, 0, || shell.distance_squared(&entry.bounds))
            });
        },
        |hit| show(index, hit, &mut visit),
    )
}
