//! Path and nearest-neighbor queries.
//!
//! A path is cut into segments, the surroundings of a target into shells. For each segment or
//! shell, in order, a descent into both trees finds the nearby objects. These are tested exactly,
//! sorted, and then visited.
//!
//! A best-first traversal of the nodes was slower than descents: its queue handles nodes one by
//! one, but a descent tests eight nodes at once.

use core::ops::ControlFlow;

use broadphase_core::query::{CastSegment, CastSegments, Hit, Hits, SearchShell, SearchShells};
use broadphase_core::{Aabb, Entry, Flow, Path, Scalar, Target, instances};

use super::MortonCells;
use super::geometry::Geometry;
use super::tree::PathTest;
use super::tree_search::{Search, search_layers};

/// Maximum number of objects that a descent finds before they are tested.
const BATCH: usize = 64;

impl<S: Scalar, const D: usize, T: Copy> MortonCells<S, D, T> {
    /// Visits the objects that a path touches, front to back.
    pub(super) fn visit_path<R: Flow>(
        &self,
        path: &Path<S, D>,
        visit: &mut impl FnMut(Entry<'_, S, D, T>, S::Real) -> R,
    ) -> R {
        let Some(mut segments) = CastSegments::new(path, self.spacing, self.objects.len(), true)
        else {
            return R::CONTINUE;
        };
        let geometry = self.geometry();
        segments.each(
            |segment, hits| test_segment(geometry, segment, hits),
            |hit| self.visit_hit(hit, visit),
        )
    }

    /// Visits the objects around a target, the nearest first.
    pub(super) fn visit_nearest<R: Flow>(
        &self,
        target: Target<S, D>,
        visit: &mut impl FnMut(Entry<'_, S, D, T>, S::Real) -> R,
    ) -> R {
        let Some(mut shells) = SearchShells::new(target, self.spacing, self.objects.len()) else {
            return R::CONTINUE;
        };
        let geometry = self.geometry();
        shells
            .each(|shell, hits| test_shell(geometry, shell, hits), |hit| self.visit_hit(hit, visit))
    }

    /// Calls the visitor with the entry of one hit.
    #[inline]
    fn visit_hit<R: Flow>(
        &self,
        hit: &Hit<S>,
        visit: &mut impl FnMut(Entry<'_, S, D, T>, S::Real) -> R,
    ) -> R {
        visit(self.objects.entry(hit.slot as usize), hit.number)
    }
}

instances! {
    /// Tests the objects near a segment of a path, and adds the objects that touch it to `hits`.
    fn test_segment<S, D>(
        geometry: Geometry<'_, S, D>,
        segment: &CastSegment<'_, S, D>,
        hits: &mut Hits<S>,
    ) {
        let path = PathTest { line: segment.line(), integer: S::INTEGER };
        geometry.for_each_candidate(&segment.area(), Some(path), &mut |key, slot, bounds| {
            hits.see(key, slot, || segment.first_touch(bounds))
        });
    }

    /// Tests the objects near a shell around a target, and adds the objects inside it to `hits`.
    fn test_shell<S, D>(geometry: Geometry<'_, S, D>, shell: &SearchShell<'_, S, D>, hits: &mut Hits<S>) {
        geometry.for_each_candidate(&shell.area(), None, &mut |key, slot, bounds| {
            hits.see(key, slot, || shell.distance_squared(bounds))
        });
    }
}

impl<S: Scalar, const D: usize> Geometry<'_, S, D> {
    /// Visits key, slot and bounds of the objects that may overlap a box. If a path is given,
    /// visits only objects that may also touch the path.
    #[inline(always)]
    fn for_each_candidate(
        &self,
        area: &Aabb<S, D>,
        path: Option<PathTest<'_, D>>,
        see: &mut impl FnMut(u32, u32, &Aabb<S, D>) -> ControlFlow<()>,
    ) {
        let Self { store, keys, bounds, backend, .. } = *self;
        let (volume, buffer) = (&area.slabs(), &mut [0; BATCH][..]);
        let _ = search_layers(
            Search { store, volume, path, backend, buffer },
            &mut |slots, overlap| {
                for &slot in slots {
                    let slot = slot.cast_unsigned();
                    let bounds = &bounds[slot as usize];
                    // Objects beyond the box, such as most pending ones, must not count as seen:
                    // otherwise the search would make its shells or segments thinner.
                    if overlap || bounds.overlaps(area) {
                        see(keys[slot as usize], slot, bounds)?;
                    }
                }
                ControlFlow::Continue(())
            },
        );
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use broadphase_core::SpatialIndex;

    use super::*;

    #[test]
    fn pending_objects_beyond_the_box_are_no_candidates() {
        let mut world: MortonCells<f32, 2, ()> = MortonCells::new();
        let at = |key: u32| Aabb::point([key as f32, 0.0]);
        world.extend((0..100).map(|key| (key, at(key), ()))).expect("the keys are free");
        world.optimize();
        world.extend((100..200).map(|key| (key, at(key), ()))).expect("the keys are free");
        let mut keys = Vec::new();
        let area = Aabb::new([97.0, 0.0], [102.0, 0.0]);
        world.geometry().for_each_candidate(&area, None, &mut |key, _, _| {
            keys.push(key);
            ControlFlow::Continue(())
        });
        keys.sort_unstable();
        assert_eq!(keys, [97, 98, 99, 100, 101, 102]);
    }
}
