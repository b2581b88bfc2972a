//! The implementation of `SpatialIndex` for `MortonCells`.

use alloc::vec::Vec;
use core::ops::ControlFlow;

use broadphase_core::kernel::rank::Sort;
use broadphase_core::objects::Change;
use broadphase_core::{
    Aabb, Backend, Entry, Flow, IndexError, Motion, Neighbors, Pair, Path, Region, Scalar,
    SearchStats, SpatialIndex, Target, pairs, query,
};

use super::MortonCells;
use super::pair_state::PairState;
use super::pairs::visit_pairs;
use super::parallel::find_pairs;
use super::region_query::typical_spacing;

impl<S: Scalar, const D: usize, T: Copy + Send + Sync + 'static> SpatialIndex<S, D>
    for MortonCells<S, D, T>
{
    type Data = T;

    fn insert(
        &mut self,
        key: u32,
        bounds: impl Into<Aabb<S, D>>,
        data: T,
    ) -> Result<(), IndexError> {
        self.insert_with(key, bounds, data, Motion::Dynamic)
    }

    fn insert_with(
        &mut self,
        key: u32,
        bounds: impl Into<Aabb<S, D>>,
        data: T,
        motion: Motion,
    ) -> Result<(), IndexError> {
        self.store.try_reserve(1)?;
        self.objects.insert_with(key, bounds.into(), data, motion)?;
        self.store.push_new();
        Ok(())
    }

    fn set_bounds(&mut self, key: u32, bounds: impl Into<Aabb<S, D>>) -> Result<(), IndexError> {
        let slot = self.objects.set_bounds(key, bounds.into())?;
        if self.store.outgrown_layer(slot, || self.objects.bounds()[slot].slabs()) != 0 {
            self.store.push_pending(slot);
        }
        Ok(())
    }

    fn set_motion(&mut self, key: u32, motion: Motion) -> Result<(), IndexError> {
        let before = self.objects.motion(key);
        let slot = self.objects.set_motion(key, motion)?;
        if (before == Some(Motion::Static)) != (motion == Motion::Static) {
            self.store.push_pending(slot);
        }
        Ok(())
    }

    fn motion(&self, key: u32) -> Option<Motion> {
        self.objects.motion(key)
    }

    fn remove(&mut self, key: u32) -> Option<T> {
        let slot = self.objects.slot(key)?;
        self.store.remove(slot);
        Some(self.objects.swap_remove(slot).data)
    }

    fn get(&self, key: u32) -> Option<Entry<'_, S, D, T>> {
        self.objects.slot(key).map(|slot| self.objects.entry(slot))
    }

    fn data_mut(&mut self, key: u32) -> Option<&mut T> {
        let slot = self.objects.slot(key)?;
        Some(&mut self.objects.data_mut()[slot])
    }

    fn len(&self) -> usize {
        self.objects.len()
    }

    fn clear(&mut self) {
        self.objects.clear();
        self.store.clear();
        self.spacing = None;
    }

    fn retain(
        &mut self,
        keep: impl FnMut(u32, &mut T, &mut Aabb<S, D>) -> bool,
    ) -> Result<(), IndexError> {
        let store = &mut self.store;
        let answer = self.objects.retain(keep, |objects, change| match change {
            Change::Bounds { slot } => store.record_change(slot, || objects.bounds()[slot].slabs()),
            Change::Removal { slot } => store.remove(slot),
        });
        self.refresh();
        answer
    }

    fn par_update(
        &mut self,
        change: impl Fn(u32, &mut T, &mut Aabb<S, D>) + Sync,
    ) -> Result<(), IndexError> {
        self.update_parallel(change)
    }

    fn update_dynamic(
        &mut self,
        change: impl FnMut(u32, &mut T, &mut Aabb<S, D>),
    ) -> Result<(), IndexError> {
        let store = &mut self.store;
        let answer = self.objects.update_dynamic(change, |objects, change| match change {
            Change::Bounds { slot } => store.record_change(slot, || objects.bounds()[slot].slabs()),
            Change::Removal { slot } => store.remove(slot),
        });
        self.refresh();
        answer
    }

    fn order(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        self.objects.keys().iter().copied()
    }

    fn memory_use(&self) -> usize {
        self.objects.memory_use() + self.store.memory_use() + self.pair_state.memory_use()
    }

    fn pairs_unordered_into(&mut self, out: &mut Vec<Pair>) {
        let (_, geometry, pair_state) = self.refresh_for_pairs();
        find_pairs(geometry, pair_state, None, out);
    }

    fn pairs_where(&mut self, accept: impl Fn(&T, &T) -> bool + Sync, out: &mut Vec<Pair>) {
        let (objects, geometry, pair_state) = self.refresh_for_pairs();
        let emit = |met: &[[u32; 2]], found: &mut Vec<Pair>| {
            for &[a, b] in met {
                let [a, b] = objects.entries(a as usize, b as usize);
                if accept(a.data, b.data) {
                    found.push([a.key, b.key]);
                }
            }
        };
        find_pairs(geometry, pair_state, Some(&emit), out);
        pairs::sort(out);
    }

    fn pairs_unordered<R: Flow>(
        &mut self,
        mut visit: impl FnMut(Entry<'_, S, D, T>, Entry<'_, S, D, T>) -> R,
    ) -> R {
        let (objects, geometry, pair_state) = self.refresh_for_pairs();
        let mut last = R::CONTINUE;
        visit_pairs(geometry, pair_state, &mut |met| {
            for &[a, b] in met {
                let [a, b] = objects.entries(a as usize, b as usize);
                let answer = visit(a, b);
                if answer.stops() {
                    last = answer;
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        });
        last
    }

    fn query_unordered<R: Flow>(
        &self,
        region: impl Into<Region<S, D>>,
        mut visit: impl FnMut(Entry<'_, S, D, T>) -> R,
    ) -> R {
        let Some(region) = region.into().normalized() else { return R::CONTINUE };
        self.visit_region(&region, &mut visit)
    }

    fn query(&self, region: impl Into<Region<S, D>>, out: &mut Vec<u32>) {
        out.clear();
        self.query_unordered(region, |entry| out.push(entry.key));
        if out.len() > 1 {
            sort(self.backend, out);
        }
    }

    fn cast<R: Flow>(
        &self,
        path: Path<S, D>,
        mut visit: impl FnMut(Entry<'_, S, D, T>, S::Real) -> R,
    ) -> R {
        self.visit_path(&path, &mut visit)
    }

    fn nearest<R: Flow>(
        &self,
        target: impl Into<Target<S, D>>,
        mut visit: impl FnMut(Entry<'_, S, D, T>, S::Real) -> R,
    ) -> R {
        self.visit_nearest(target.into(), &mut visit)
    }

    fn neighbors(&self, radius: S, out: &mut Neighbors) {
        if !query::neighbors_in_strips(self, self.backend, self.all_bounds(), radius, out) {
            query::neighbors(self, radius, out);
        }
    }

    fn nearest_to_each(&self, count: usize, out: &mut Neighbors) {
        query::nearest_to_each_in_tree(self, self.backend, self.all_bounds(), count, out);
    }

    fn pending(&self) -> usize {
        self.store.pending.len()
    }

    fn spacing(&self) -> Option<f64> {
        self.spacing
    }

    /// Visits the nodes of the trees, with their level and box. Nodes of level 0 are clusters of
    /// eight objects, nodes of level 1 are groups of eight clusters, and so on.
    ///
    /// The box of a node encloses its objects, enlarged by the margin. Pending objects are in no
    /// node.
    ///
    /// ```
    /// use broadphase_morton::{Aabb, MortonCells, SpatialIndex};
    ///
    /// let mut world: MortonCells<i32, 1> = MortonCells::new();
    /// world.extend((0..9).map(|n| (n, Aabb::point([n as i32]), ())))?;
    /// world.optimize();
    /// let mut cells = Vec::new();
    /// world.cells(|level, cell| cells.push((level, cell)));
    /// assert_eq!(cells, [(0, Aabb::new([0], [7])), (0, Aabb::point([8]))]);
    /// # Ok::<(), broadphase_morton::IndexError>(())
    /// ```
    fn cells<R: Flow>(&self, visit: impl FnMut(u32, Aabb<S, D>) -> R) -> R {
        self.visit_nodes(visit)
    }

    fn set_backend(&mut self, backend: Backend) {
        self.backend = backend;
    }

    fn backend(&self) -> Option<Backend> {
        Some(self.backend)
    }

    fn try_reserve(&mut self, additional: usize) -> Result<(), IndexError> {
        self.store.try_reserve(additional)?;
        self.objects.try_reserve(additional)
    }

    fn shrink_to_fit(&mut self) {
        self.refresh();
        self.objects.shrink_to_fit();
        self.store.shrink_to_fit();
        self.pair_state = PairState::new();
    }

    fn optimize(&mut self) {
        self.refresh();
    }

    fn search_stats(&self) -> Option<SearchStats> {
        let PairState { tests, hits, .. } = self.pair_state;
        (tests > 0).then_some(SearchStats { tests, hits })
    }

    fn assert_well_formed(&self) {
        self.objects.assert_well_formed();
        self.store.assert_well_formed(&self.objects);
    }
}

/// Sorts the keys that a query has found.
#[inline(never)]
fn sort(backend: Backend, keys: &mut Vec<u32>) {
    backend.dispatch(Sort(keys));
}

impl<S: Scalar, const D: usize, T: Copy> MortonCells<S, D, T> {
    /// Sorts changed objects into the layers and rebuilds the trees, if anything has changed.
    pub(super) fn refresh(&mut self) {
        if self.store.refresh(&mut self.objects, self.margin, self.backend) {
            self.spacing = typical_spacing(self.geometry());
        }
    }
}

impl<S: Scalar, const D: usize, T: Copy> MortonCells<S, D, T> {
    /// Returns the keys and bounds of all objects.
    fn all_bounds(&self) -> Vec<(u32, Aabb<S, D>)> {
        self.objects.keys().iter().copied().zip(self.objects.bounds().iter().copied()).collect()
    }
}
