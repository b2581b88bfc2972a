//! Region queries and ray casts.
//!
//! 1. Convert the region, or a segment of the path, to a box.
//! 2. Visit all objects that may overlap the box: the objects of the bins that the box reaches, and
//!    the oversized objects, eight at a time ([`overlap`], [`bins`]).
//! 3. Test each of these objects with the exact region or path. A cast handles the path segment by
//!    segment, front to back, and visits the sorted hits of each. A visitor that stops saves the
//!    remaining segments.

pub(crate) mod bins;
pub(crate) mod overlap;
pub(crate) mod pages;
pub(crate) mod strip;

use broadphase_core::query::{CastSegment, CastSegments, Hits};
use broadphase_core::{Aabb, Entry, Flow, Keys, LANES, Path, Region, Scalar, Slabs};

use crate::hash::SpatialHash;
use pages::ObjectId;

/// Estimated distance between objects, in cell sides.
const CELLS_PER_SPACING: f64 = 2.0;

impl<S: Scalar, const D: usize, T: Copy> SpatialHash<S, D, T> {
    /// Visits the objects that overlap a region.
    pub(crate) fn query_region<R: Flow>(
        &self,
        region: &Region<S, D>,
        visit: &mut impl FnMut(Entry<'_, S, D, T>) -> R,
    ) -> R {
        let reach = region.reach();
        // Whether the test of key bounds is exact, so that no further test is needed.
        let is_exact = S::EXACT_KEYS && region.is_box();
        let check = |id: ObjectId, _| {
            let entry = self.entry_of(id);
            if is_exact || region.overlaps(&entry.bounds) { visit(entry) } else { R::CONTINUE }
        };
        self.cells.overlapping(self.backend, &reach, None, self.objects.keys(), check).0
    }

    /// Returns the entry of an object. The key comes from the page, so the parts of the object that
    /// the visitor does not use are not read from memory.
    #[inline(always)]
    fn entry_of(&self, ObjectId { slot, key }: ObjectId) -> Entry<'_, S, D, T> {
        Entry { key, ..self.objects.entry(slot as usize) }
    }

    /// Visits the objects that a path touches, front to back.
    pub(crate) fn cast_path<R: Flow>(
        &self,
        path: &Path<S, D>,
        visit: &mut impl FnMut(Entry<'_, S, D, T>, S::Real) -> R,
    ) -> R {
        let spacing = CELLS_PER_SPACING * self.cell.to_f64();
        let Some(mut segments) = CastSegments::new(path, Some(spacing), self.objects.len(), false)
        else {
            return R::CONTINUE;
        };
        segments.each(
            |segment, hits| self.collect_hits(segment, hits),
            |hit| visit(self.entry_of(ObjectId { slot: hit.slot, key: hit.key }), hit.number),
        )
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
        let (area, keys) = (segment.area(), self.objects.keys());
        let (_, eights) = self.cells.overlapping(self.backend, &area, Some(segment), keys, check);
        hits.look(eights * LANES);
    }
}
