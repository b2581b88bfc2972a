//! Brute force: tests every pair of objects, eight at a time. The reference in tests of all
//! structures, and the fastest structure for a few hundred objects.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::ControlFlow;

use bounds_hexprism::{Aabb, Backend, Kernel, Keys, Lanes, Scalar, SlabPlanes, SlabVec, instances};

use crate::kernel::within::{self, Cursor, Open};
use crate::objects::{Change, Objects};
use crate::pairs::{find_by_queries, pair, sort};
use crate::query::{search_nearest, search_path};
use crate::{
    IndexError, IndexObject, IndexState, Maintenance, Motion, Pair, PairSearch, Search,
    SpatialIndex, SpatialIndexExt, Visit,
};
use crate::{Walk, insert_each, remove_each};

/// Brute force: a list of objects. Pairs and queries test all of them, eight at a time.
///
/// There are no settings and no maintenance. Pairs cost O(n²), queries O(n), changes O(1).
///
/// ```
/// # extern crate broadphase_core as hexphase;
/// use hexphase::{Aabb, BruteForce, SpatialIndexExt};
///
/// let mut world: BruteForce<f32, 3> = BruteForce::new();
/// let cube = |key: u32| Aabb::around([key as f32 * 3.0, 0.0, 0.0], [1.0, 1.0, 1.0]);
/// world.extend((0..4).map(|key| (key, cube(key))))?;
/// let mut found = Vec::new();
/// world.query(Aabb::new([1.0, 0.0, 0.0], [5.0, 0.0, 0.0]), &mut found);
/// assert_eq!(found, [0, 1, 2]);
/// # Ok::<(), hexphase::IndexError>(())
/// ```
#[derive(Clone, Debug)]
pub struct BruteForce<S = f32, const D: usize = 2> {
    objects: Objects<S, D>,
    slabs: SlabVec<D>,
    backend: Backend,
}

impl<S: Scalar, const D: usize> BruteForce<S, D> {
    /// Creates an empty structure with the fastest available backend.
    #[must_use]
    pub fn new() -> Self {
        const { bounds_hexprism::assert_compiled(D) };
        Self { objects: Objects::new(), slabs: SlabVec::new(), backend: Backend::detect() }
    }
}

impl<S: Scalar, const D: usize> Default for BruteForce<S, D> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: Scalar, const D: usize> SpatialIndex<S, D> for BruteForce<S, D> {
    fn insert_many(&mut self, objects: &[IndexObject<S, D>]) -> Result<(), IndexError> {
        insert_each(self, objects, SpatialIndexExt::try_reserve, Self::insert_one, Self::remove_one)
    }

    fn set_bounds(&mut self, key: u32, bounds: Aabb<S, D>) -> Result<(), IndexError> {
        let slot = self.objects.set_bounds(key, bounds)?;
        self.slabs.set(slot, self.objects.bounds()[slot].slabs());
        Ok(())
    }

    fn set_motion(&mut self, key: u32, motion: Motion) -> Result<(), IndexError> {
        self.objects.set_motion(key, motion).map(|_| ())
    }

    fn remove_many(&mut self, keys: &[u32]) -> Result<(), IndexError> {
        remove_each(self, keys, Self::remove_one)
    }

    fn get(&self, key: u32) -> Option<IndexObject<S, D>> {
        self.objects.get(key)
    }

    fn len(&self) -> usize {
        self.objects.len()
    }

    fn keys(&self) -> Vec<u32> {
        self.objects.keys().to_vec()
    }

    fn clear(&mut self) {
        self.objects.clear();
        self.slabs.clear();
    }

    fn walk(&mut self, walk: Walk<'_, S, D>) -> Result<(), IndexError> {
        let Self { objects, slabs, .. } = self;
        let follow = |objects: &Objects<S, D>, change| apply_change(slabs, objects, change);
        match walk {
            Walk::All(change) => objects.walk(false, change, follow),
            Walk::Dynamic(change) => objects.walk(true, change, follow),
            Walk::Parallel(change) => objects.walk(false, &mut |batch| change(batch), follow),
        }
    }

    fn find_pairs(&mut self, search: &PairSearch<'_, S>, out: &mut Vec<Pair>) {
        if search.distance.is_some() {
            return find_by_queries(self, search, out);
        }
        out.clear();
        find_overlaps(self, search, out);
    }

    fn visit(&self, search: &Search<S, D>, visit: &mut Visit<'_, S, D>) -> ControlFlow<()> {
        visit_objects(self, search, visit)
    }

    fn state(&self) -> IndexState {
        IndexState { backend: Some(self.backend), ..IndexState::default() }
    }

    fn memory_use(&self) -> usize {
        self.objects.memory_use() + self.slabs.memory_use()
    }

    fn set_backend(&mut self, backend: Backend) {
        self.backend = backend;
    }

    fn maintain(&mut self, task: Maintenance) -> Result<(), IndexError> {
        match task {
            Maintenance::Optimize => {}
            Maintenance::Reserve(additional) => {
                self.slabs.try_reserve(additional).map_err(|_| IndexError::OutOfMemory)?;
                self.objects.try_reserve(additional)?;
            }
            Maintenance::Shrink => {
                self.objects.shrink_to_fit();
                self.slabs.shrink_to_fit();
            }
        }
        Ok(())
    }

    fn assert_well_formed(&self) {
        self.objects.assert_well_formed();
        assert_eq!(self.slabs.len(), self.objects.len(), "numbers of slabs and objects are equal");
        for (slot, bounds) in self.objects.bounds().iter().enumerate() {
            assert_eq!(self.slabs.get(slot), bounds.slabs(), "slabs agree with the bounds");
        }
    }

    fn boxed_clone(&self) -> Box<dyn SpatialIndex<S, D>> {
        Box::new(self.clone())
    }
}

impl<S: Scalar, const D: usize> BruteForce<S, D> {
    fn insert_one(&mut self, object: &IndexObject<S, D>) -> Result<(), IndexError> {
        self.slabs.try_reserve(1).map_err(|_| IndexError::OutOfMemory)?;
        let slot = self.objects.insert(object)?;
        self.slabs.push(self.objects.bounds()[slot].slabs());
        Ok(())
    }

    fn remove_one(&mut self, key: u32) {
        if let Some(slot) = self.objects.slot(key) {
            self.slabs.swap_remove(slot);
            self.objects.swap_remove(slot);
        }
    }
}

instances! {
    fn find_overlaps<S, D>(
        index: &BruteForce<S, D>,
        search: &PairSearch<'_, S>,
        out: &mut Vec<Pair>,
    ) {
        let BruteForce { objects, slabs, backend } = index;
        let (keys, bounds, motions) = (objects.keys(), objects.bounds(), objects.motions());
        let mut hits = [[0; 2]; 512];
        let mut cursor = Cursor::default();
        while cursor.row < slabs.len() {
            let (planes, len, from) = (slabs.planes(), slabs.len(), out.len());
            let kernel = AllPairs { planes, len, cursor: &mut cursor, hits: &mut hits };
            let filled = backend.dispatch(kernel);
            for [a, b] in hits[..filled].iter().map(|hit| hit.map(|slot| slot as usize)) {
                let overlap = S::EXACT_KEYS || bounds[a].overlaps(&bounds[b]);
                if overlap && !motions.keep_apart(a, b) {
                    out.push(pair(keys[a], keys[b]));
                }
            }
            search.keep_accepted(out, from);
        }
        if search.sorted {
            sort(out);
        }
    }

    fn visit_objects<S, D>(
        index: &BruteForce<S, D>,
        search: &Search<S, D>,
        visit: &mut Visit<'_, S, D>,
    ) -> ControlFlow<()> {
        let BruteForce { objects, slabs, backend } = index;
        let (keys, bounds) = (objects.keys(), objects.bounds());
        match search {
            Search::Region(region) => {
                let Some(region) = region.normalized() else { return ControlFlow::Continue(()) };
                let decided = S::EXACT_KEYS && region.is_box();
                slabs.query(*backend, &region.reach().slabs(), |slot| {
                    if decided || region.overlaps(&bounds[slot]) {
                        visit(objects.entry(slot), S::Real::ZERO)
                    } else {
                        ControlFlow::Continue(())
                    }
                })
            }
            Search::Path(path) => search_path(
                path,
                None,
                objects.len(),
                true,
                &mut |segment, hits| {
                    let _ = slabs.query(*backend, &segment.area().slabs(), |slot| {
                        hits.see(keys[slot], slot as u32, || segment.first_touch(&bounds[slot]))
                    });
                },
                &mut |hit| visit(objects.entry(hit.slot as usize), hit.number),
            ),
            Search::Nearest(target) => search_nearest(
                target,
                None,
                objects.len(),
                &mut |shell, hits| {
                    let _ = slabs.query(*backend, &shell.area().slabs(), |slot| {
                        let square = || shell.distance_squared(&bounds[slot]);
                        hits.see(keys[slot], slot as u32, square)
                    });
                },
                &mut |hit| visit(objects.entry(hit.slot as usize), hit.number),
            ),
        }
    }
}

/// Applies a change made in `objects` to `slabs`, the bounds as integer keys by slot.
#[inline(always)]
fn apply_change<S: Scalar, const D: usize>(
    slabs: &mut SlabVec<D>,
    objects: &Objects<S, D>,
    change: Change,
) {
    match change {
        Change::Bounds { slot } => slabs.set(slot, objects.bounds()[slot].slabs()),
        Change::Removal { slot } => {
            slabs.swap_remove(slot);
        }
    }
}

/// Kernel: continues the loop over all pairs of slots from `cursor` until all are done or `hits`
/// has no room for eight more. Returns the number of hits written.
struct AllPairs<'a, const D: usize> {
    planes: SlabPlanes<'a, D>,
    len: usize,
    cursor: &'a mut Cursor,
    hits: &'a mut [[u32; 2]],
}

impl<const D: usize> Kernel for AllPairs<'_, D> {
    type Output = usize;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> usize {
        within::pairs(lanes, &self.planes, self.len, Open, self.cursor, self.hits, 0)
    }
}
