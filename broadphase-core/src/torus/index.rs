//! [`SpatialIndex`] of a torus: forwards to the wrapped structure, after moving boxes home.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::ControlFlow;
#[cfg(feature = "rayon")]
use std::sync::PoisonError;

use bounds_hexprism::{Aabb, Backend, Scalar, instances};

use super::images::Images;
#[cfg(feature = "rayon")]
use super::raise;
use super::seams::Seams;
use super::{Torus, cast, move_home, nearest};
use crate::pairs::{Pair, PairSearch};
use crate::query::{Near, Neighbors, Region, Search, Visit, find_neighbors_by_visits};
use crate::{
    IndexError, IndexObject, IndexState, Maintenance, Motion, SpatialIndex, SpatialIndexExt, Walk,
    WalkBatch,
};

impl<S: Scalar, const D: usize> SpatialIndex<S, D> for Torus<S, D> {
    fn insert_many(&mut self, objects: &[IndexObject<S, D>]) -> Result<(), IndexError> {
        self.has_statics |= objects.iter().any(|object| object.motion == Motion::Static);
        if let &[IndexObject { key, mut bounds, motion }] = objects {
            // Inserting a single object does not allocate here.
            move_home(&self.world, &mut self.far, &mut bounds);
            return self.inner.insert_many(&[IndexObject { key, bounds, motion }]);
        }
        let mut moved = Vec::new();
        moved.try_reserve(objects.len()).map_err(|_| IndexError::OutOfMemory)?;
        moved.extend_from_slice(objects);
        moved.iter_mut().for_each(|one| move_home(&self.world, &mut self.far, &mut one.bounds));
        self.inner.insert_many(&moved)
    }

    fn set_bounds(&mut self, key: u32, mut bounds: Aabb<S, D>) -> Result<(), IndexError> {
        move_home(&self.world, &mut self.far, &mut bounds);
        self.inner.set_bounds(key, bounds)
    }

    fn set_motion(&mut self, key: u32, motion: Motion) -> Result<(), IndexError> {
        self.has_statics |= motion == Motion::Static;
        self.inner.set_motion(key, motion)
    }

    fn remove_many(&mut self, keys: &[u32]) -> Result<(), IndexError> {
        self.inner.remove_many(keys)
    }

    fn get(&self, key: u32) -> Option<IndexObject<S, D>> {
        self.inner.get(key)
    }

    fn bounds_of(&self, keys: &[u32], out: &mut [[[S; D]; 2]]) {
        self.inner.bounds_of(keys, out);
    }

    fn len(&self) -> usize {
        self.inner.len()
    }

    fn keys(&self) -> Vec<u32> {
        self.inner.keys()
    }

    fn clear(&mut self) {
        self.inner.clear();
        self.far = [S::ZERO; D];
        self.has_statics = false;
    }

    fn walk(&mut self, objects: Walk<'_, S, D>) -> Result<(), IndexError> {
        walk(self, objects)
    }

    fn find_pairs(&mut self, search: &PairSearch<'_, S>, out: &mut Vec<Pair>) {
        find_pairs(self, search, out);
    }

    fn visit(&self, search: &Search<S, D>, visitor: &mut Visit<'_, S, D>) -> ControlFlow<()> {
        visit(self, search, visitor)
    }

    fn find_neighbors(&self, near: Near<S>, out: &mut Neighbors) {
        find_neighbors(self, near, out);
    }

    fn state(&self) -> IndexState {
        self.inner.state()
    }

    fn memory_use(&self) -> usize {
        size_of_val(&*self.inner)
            + self.inner.memory_use()
            + self.across.capacity() * size_of::<Pair>()
    }

    fn set_backend(&mut self, backend: Backend) {
        self.inner.set_backend(backend);
    }

    fn maintain(&mut self, task: Maintenance) -> Result<(), IndexError> {
        if task == Maintenance::Shrink {
            self.across = Vec::new();
        }
        self.inner.maintain(task)
    }

    fn assert_well_formed(&self) {
        self.inner.assert_well_formed();
        for object in self.keys().into_iter().filter_map(|key| self.inner.get(key)) {
            let home = self.world.reduce(object.bounds);
            assert_eq!(home, Some(object.bounds), "stored bounds are home");
            for axis in (0..D).filter(|&axis| self.world.side(axis).is_some()) {
                assert!(object.bounds.max[axis] <= self.far[axis], "`far` bounds all ends");
            }
        }
    }

    fn boxed_clone(&self) -> Box<dyn SpatialIndex<S, D>> {
        Box::new(self.clone())
    }
}

instances! {
    fn walk<S, D>(torus: &mut Torus<S, D>, objects: Walk<'_, S, D>) -> Result<(), IndexError> {
        let Torus { inner, world, far, .. } = torus;
        let mut move_home = |bounds: &mut Aabb<S, D>| move_home(world, far, bounds);
        match objects {
            Walk::All(change) => {
                inner.walk(Walk::All(&mut |batch| change_and_move(batch, change, &mut move_home)))
            }
            Walk::Dynamic(change) => inner
                .walk(Walk::Dynamic(&mut |batch| change_and_move(batch, change, &mut move_home))),
            #[cfg(feature = "rayon")]
            Walk::Parallel(change) => {
                let before = *far;
                let farthest = std::sync::Mutex::new(far);
                let move_home = |bounds: &mut Aabb<S, D>| {
                    let mut far = before;
                    super::move_home(world, &mut far, bounds);
                    // Few objects end beyond all others, so threads seldom wait.
                    if far != before {
                        let farthest = farthest.lock();
                        raise(&mut farthest.unwrap_or_else(PoisonError::into_inner), far);
                    }
                };
                inner.walk(Walk::Parallel(&|batch| {
                    change_and_move(batch, &mut |batch| change(batch), &mut { move_home });
                }))
            }
            #[cfg(not(feature = "rayon"))]
            Walk::Parallel(change) => inner.walk(Walk::All(&mut |batch| {
                change_and_move(batch, &mut |batch| change(batch), &mut move_home);
            })),
        }
    }

    fn find_pairs<S, D>(torus: &mut Torus<S, D>, search: &PairSearch<'_, S>, out: &mut Vec<Pair>) {
        torus.find_all_pairs(search, out);
    }

    fn visit<S, D>(
        torus: &Torus<S, D>,
        search: &Search<S, D>,
        visitor: &mut Visit<'_, S, D>,
    ) -> ControlFlow<()> {
        match search {
            Search::Path(path) => cast::cast(torus, path, visitor),
            Search::Nearest(target) => nearest::nearest(torus, *target, visitor),
            Search::Region(region) => {
                let Some(region) = region.normalized() else { return ControlFlow::Continue(()) };
                let Some(home) = torus.world.reduce(region.bounds()) else {
                    return ControlFlow::Continue(());
                };
                let region = Region::around(home, region.radius());
                let images = Images::new(&torus.world, &region.reach(), &torus.far);
                if images.is_single() {
                    return torus.inner.visit(&region.into(), visitor);
                }
                torus.visit_images(&images, 0, |entry| {
                    if torus.world.within(&region, &entry.bounds) {
                        visitor(entry, S::Real::ZERO)
                    } else {
                        ControlFlow::Continue(())
                    }
                })
            }
        }
    }

    fn find_neighbors<S, D>(torus: &Torus<S, D>, near: Near<S>, out: &mut Neighbors) {
        match near {
            Near::Nearest(count) => nearest::nearest_to_each(torus, count, out),
            Near::Within(radius) => {
                let Some(seams) = Seams::new(&torus.world, radius).if_short() else {
                    return find_neighbors_by_visits(torus, near, out);
                };
                torus.inner.neighbors(radius, out);
                let mut across = Vec::new();
                torus.pairs_across(seams, &mut across);
                out.insert_pairs(across);
            }
        }
    }
}

/// Passes a batch to a closure, then moves home the objects it has processed, even if it panics.
fn change_and_move<S, const D: usize>(
    batch: &mut WalkBatch<'_, S, D>,
    change: &mut dyn FnMut(&mut WalkBatch<'_, S, D>),
    move_home: &mut dyn FnMut(&mut Aabb<S, D>),
) {
    struct MoveHome<'a, 'b, S, const D: usize> {
        batch: &'a mut WalkBatch<'b, S, D>,
        move_home: &'a mut dyn FnMut(&mut Aabb<S, D>),
    }

    impl<S, const D: usize> Drop for MoveHome<'_, '_, S, D> {
        fn drop(&mut self) {
            self.batch.each_done(&mut *self.move_home);
        }
    }

    change(MoveHome { batch, move_home }.batch);
}
