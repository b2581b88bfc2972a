//! Casts and nearest objects by box queries: segment by segment, or shell by shell.
//!
//! Box queries find candidates and the exact test decides: results are right for every structure.
//! Boxes are larger where there are few objects.

use core::ops::ControlFlow;

use bounds_hexprism::{Aabb, Scalar};

use super::cast_segments::search_path;
use super::search_shells::search_nearest;
use super::{Search, Visit};
use crate::{Entry, SpatialIndex};

/// Returns the object with this key, which must be in use. Faster than `get`, which finds the
/// motion class, too.
#[inline]
pub(crate) fn entry<S: Scalar, const D: usize, I: SpatialIndex<S, D> + ?Sized>(
    index: &I,
    key: u32,
) -> Entry<S, D> {
    let mut bounds = [[[S::ZERO; D]; 2]];
    index.bounds_of(&[key], &mut bounds);
    let [[min, max]] = bounds;
    Entry { key, bounds: Aabb { min, max } }
}

/// Implements [`SpatialIndex::visit`] for paths and targets by visits of regions.
///
/// # Panics
/// If the search is a region.
pub fn visit_by_regions<S: Scalar, const D: usize, I: SpatialIndex<S, D> + ?Sized>(
    index: &I,
    search: &Search<S, D>,
    visit: &mut Visit<'_, S, D>,
) -> ControlFlow<()> {
    let spacing = index.state().spacing;
    match search {
        Search::Region(_) => panic!("a structure must find the objects of a region itself"),
        Search::Path(path) => search_path(
            path,
            spacing,
            index.len(),
            true,
            &mut |segment, hits| {
                // A copy: the loop need not reload the segment for each object.
                let segment = *segment;
                let _ = index.visit(&Search::Region(segment.area().into()), &mut |entry, _| {
                    hits.see(entry.key, 0, || segment.first_touch(&entry.bounds))
                });
            },
            &mut |hit| visit(entry(index, hit.key), hit.number),
        ),
        Search::Nearest(target) => search_nearest(
            target,
            spacing,
            index.len(),
            &mut |shell, hits| {
                let shell = *shell;
                let _ = index.visit(&Search::Region(shell.area().into()), &mut |entry, _| {
                    hits.see(entry.key, 0, || shell.distance_squared(&entry.bounds))
                });
            },
            &mut |hit| visit(entry(index, hit.key), hit.number),
        ),
    }
}
