//! Region queries, ray casts and searches for nearest objects.
//!
//! 1. Convert the region, a segment of the path or a shell around the target to a box.
//! 2. Visit the objects of the bins that the box reaches and that may overlap the box, eight at a
//!    time ([`overlap`]).
//! 3. Test each of these objects exactly. A cast handles the path segment by segment, front to
//!    back, and visits the sorted hits of each; a search for nearest objects handles shells, inside
//!    out. A visitor that stops saves the remaining steps.

mod overlap;
pub(crate) mod strip;

use alloc::vec::Vec;
use core::ops::ControlFlow;

use broadphase_core::query::{
    CastSegment, Hit, Hits, search_nearest, search_path, visit_by_regions,
};
use broadphase_core::{
    Aabb, Entry, Flow, Keys, LANES, Region, Scalar, Search, Slabs, Visit, instances,
};

use crate::hash::SpatialHash;
use crate::hash::bins::pages::ObjectId;

/// Estimated distance between objects, in cell sides.
const CELLS_PER_SPACING: f64 = 2.0;

instances! {
    pub(crate) fn visit<S, D>(
        hash: &SpatialHash<S, D>,
        search: &Search<S, D>,
        visitor: &mut Visit<'_, S, D>,
    ) -> ControlFlow<()> {
        let (spacing, objects) = (hash.cell.to_f64(), hash.objects.len());
        match search {
            Search::Region(region) => {
                hash.query_region(region, |id, bounds| {
                    visitor(Entry { key: id.key, bounds: *bounds }, S::Real::ZERO)
                })
            }
            Search::Path(path) => search_path(
                path,
                Some(CELLS_PER_SPACING * spacing),
                objects,
                false,
                &mut |segment, hits| hash.collect_hits(segment, hits),
                &mut |hit| visitor(hash.entry_of(hit), hit.number),
            ),
            Search::Nearest(target) => search_nearest(
                target,
                Some(spacing),
                objects,
                &mut |shell, hits| {
                    // A copy: the loop need not reload the shell for each object.
                    let shell = *shell;
                    let _ = hash.query_region(&shell.area().into(), |id, bounds| {
                        hits.see(id.key, id.slot, || shell.distance_squared(bounds))
                    });
                },
                &mut |hit| visitor(hash.entry_of(hit), hit.number),
            ),
            other => visit_by_regions(hash, other, visitor),
        }
    }

    /// Writes the keys of the objects that overlap a region to `out`, ascending.
    pub(crate) fn find_keys<S, D>(
        hash: &SpatialHash<S, D>,
        region: &Region<S, D>,
        out: &mut Vec<u32>,
    ) {
        out.clear();
        hash.query_region(region, |id, _| out.push(id.key));
        out.sort_unstable();
    }
}

impl<S: Scalar, const D: usize> SpatialHash<S, D> {
    /// Visits the ids and bounds of the objects that overlap a region.
    #[inline]
    fn query_region<R: Flow>(
        &self,
        region: &Region<S, D>,
        mut visit: impl FnMut(ObjectId, &Aabb<S, D>) -> R,
    ) -> R {
        let Some(region) = region.normalized() else { return R::CONTINUE };
        // Whether the test of key bounds is exact.
        let is_exact = S::EXACT_KEYS && region.is_box();
        let bounds = self.objects.bounds();
        let check = |id: ObjectId, _| {
            let bounds = &bounds[id.slot as usize];
            if is_exact || region.overlaps(bounds) { visit(id, bounds) } else { R::CONTINUE }
        };
        self.bins.overlapping(self.backend, &region.reach(), None, check).0
    }

    #[inline]
    fn entry_of(&self, hit: &Hit<S>) -> Entry<S, D> {
        Entry { key: hit.key, bounds: self.objects.bounds()[hit.slot as usize] }
    }

    /// Adds to `hits` the objects that a segment of a path touches.
    #[inline]
    fn collect_hits(&self, segment: &CastSegment<'_, S, D>, hits: &mut Hits<S>) {
        let check = |ObjectId { slot, key }, slabs: Slabs<D>| {
            let bounds = if S::EXACT_KEYS {
                let mut bounds = Aabb { min: [S::ZERO; D], max: [S::ZERO; D] };
                for axis in 0..D {
                    bounds.min[axis] = S::from_key(slabs.min[axis]);
                    bounds.max[axis] = S::from_key(slabs.max[axis]);
                }
                bounds
            } else {
                self.objects.bounds()[slot as usize]
            };
            hits.see(key, slot, || segment.first_touch(&bounds))
        };
        let area = segment.area();
        let (_, eights) = self.bins.overlapping(self.backend, &area, Some(segment), check);
        hits.look(eights * LANES);
    }
}
