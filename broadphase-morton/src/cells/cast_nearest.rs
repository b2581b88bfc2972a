//! Path and nearest-neighbor queries.
//!
//! A path is cut into segments, the surroundings of a target into shells. For each, in order, a
//! descent into both trees finds the nearby objects, which are tested exactly, sorted and visited.
//!
//! Rejected: a best-first traversal, whose queue handles nodes one by one.

use core::ops::ControlFlow;

use broadphase_core::query::{search_nearest, search_path};
use broadphase_core::{Aabb, Path, Scalar, Target, Visit};

use super::SortedObjects;
use super::tree::PathTest;
use super::tree_search::{LayerSearch, search_layers};

/// Maximum number of objects that a descent finds before they are tested.
const BATCH: usize = 64;

impl<S: Scalar, const D: usize> SortedObjects<S, D> {
    /// Visits the objects that a path touches, front to back.
    pub(super) fn visit_path(
        &self,
        path: &Path<S, D>,
        visit: &mut Visit<'_, S, D>,
    ) -> ControlFlow<()> {
        search_path(
            path,
            self.spacing,
            self.objects.len(),
            true,
            &mut |segment, hits| {
                let path = PathTest { line: segment.line(), integer: S::INTEGER };
                self.for_each_candidate(&segment.area(), Some(path), &mut |key, slot, bounds| {
                    hits.see(key, slot, || segment.first_touch(bounds))
                });
            },
            &mut |hit| visit(self.objects.entry(hit.slot as usize), hit.number),
        )
    }

    /// Visits the objects around a target, the nearest first.
    pub(super) fn visit_nearest(
        &self,
        target: &Target<S, D>,
        visit: &mut Visit<'_, S, D>,
    ) -> ControlFlow<()> {
        search_nearest(
            target,
            self.spacing,
            self.objects.len(),
            &mut |shell, hits| {
                self.for_each_candidate(&shell.area(), None, &mut |key, slot, bounds| {
                    hits.see(key, slot, || shell.distance_squared(bounds))
                });
            },
            &mut |hit| visit(self.objects.entry(hit.slot as usize), hit.number),
        )
    }

    /// Visits key, slot and bounds of the objects that may overlap a box and, if given, touch a
    /// path.
    #[inline(always)]
    fn for_each_candidate(
        &self,
        area: &Aabb<S, D>,
        path: Option<PathTest<'_, D>>,
        see: &mut impl FnMut(u32, u32, &Aabb<S, D>) -> ControlFlow<()>,
    ) {
        let (keys, bounds) = (self.objects.keys(), self.objects.bounds());
        let (store, backend) = (&self.store, self.backend);
        let (volume, buffer) = (&area.slabs(), &mut [0; BATCH][..]);
        let _ = search_layers(
            LayerSearch { store, volume, path, backend, buffer },
            &mut |slots, overlap| {
                for &slot in slots {
                    let slot = slot.cast_unsigned();
                    let bounds = &bounds[slot as usize];
                    // Objects beyond the box, such as most pending ones, are not counted: a high
                    // count would make shells or segments thinner.
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

    use broadphase_core::SpatialIndexExt;

    use super::*;
    use crate::MortonCells;

    #[test]
    fn pending_objects_beyond_the_box_are_no_candidates() {
        let mut world: MortonCells<f32, 2> = MortonCells::new();
        let at = |key: u32| Aabb::point([key as f32, 0.0]);
        world.extend((0..100).map(|key| (key, at(key)))).expect("the keys are free");
        world.optimize();
        world.extend((100..200).map(|key| (key, at(key)))).expect("the keys are free");
        let mut keys = Vec::new();
        let area = Aabb::new([97.0, 0.0], [102.0, 0.0]);
        world.sorted.for_each_candidate(&area, None, &mut |key, _, _| {
            keys.push(key);
            ControlFlow::Continue(())
        });
        keys.sort_unstable();
        assert_eq!(keys, [97, 98, 99, 100, 101, 102]);
    }
}
