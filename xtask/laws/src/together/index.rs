//! `SpatialIndex` for [`Together`]: each call is applied to all structures.

use broadphase_core::{
    Aabb, Backend, Entry, Flow, IndexError, Lists, Motion, Neighbors, Pair, Path, Region, Scalar,
    SpatialIndex, Target,
};

use super::Together;
use crate::dyn_index::{DynIndex, describe};

impl<S: Scalar, const D: usize> SpatialIndex<S, D> for Together<S, D> {
    type Data = u32;

    fn insert(
        &mut self,
        key: u32,
        bounds: impl Into<Aabb<S, D>>,
        data: u32,
    ) -> Result<(), IndexError> {
        let bounds = bounds.into();
        self.apply(&mut |one| one.insert(key, bounds, data))
    }
    fn set_bounds(&mut self, key: u32, bounds: impl Into<Aabb<S, D>>) -> Result<(), IndexError> {
        let bounds = bounds.into();
        self.apply(&mut |one| one.set_bounds(key, bounds))
    }
    fn set_bounds_many(&mut self, changes: &[(u32, Aabb<S, D>)]) -> Result<(), IndexError> {
        self.apply(&mut |one| one.set_bounds_many(changes))
    }
    fn insert_many(
        &mut self,
        objects: &[(u32, Aabb<S, D>, u32, Motion)],
    ) -> Result<(), IndexError> {
        self.apply(&mut |one| one.insert_many(objects))
    }
    fn remove_many(&mut self, keys: &[u32]) -> Result<(), IndexError> {
        self.copy_data();
        self.apply(&mut |one| one.remove_many(keys))
    }
    fn set_motion(&mut self, key: u32, motion: Motion) -> Result<(), IndexError> {
        self.apply(&mut |one| one.set_motion(key, motion))
    }
    fn remove(&mut self, key: u32) -> Option<u32> {
        self.copy_data();
        self.apply(&mut |one| one.remove(key))
    }
    fn data_mut(&mut self, key: u32) -> Option<&mut u32> {
        self.copy_data();
        let data = self.apply(&mut |one| one.data_mut(key).copied());
        self.stale_data.extend(data.map(|_| key));
        self.all[0].data_mut(key)
    }
    fn clear(&mut self) {
        self.stale_data.clear();
        self.apply(&mut |one| one.clear());
    }
    fn extend<B: Into<Aabb<S, D>>>(
        &mut self,
        objects: impl IntoIterator<Item = (u32, B, u32)>,
    ) -> Result<(), IndexError> {
        let objects = objects.into_iter().map(|(key, bounds, data)| (key, bounds.into(), data));
        let objects: Vec<_> = objects.collect();
        self.apply(&mut |one| one.extend(&mut objects.iter().copied()))
    }

    fn motion(&self, key: u32) -> Option<Motion> {
        self.read(&|one| one.motion(key))
    }
    fn get(&self, key: u32) -> Option<Entry<'_, S, D, u32>> {
        let (first, others) = self.first_and_others();
        others.for_each(|(other, _)| self.check_entry(key, other.get(key)));
        first.get(key)
    }
    fn len(&self) -> usize {
        self.read(&|one| one.len())
    }
    fn is_empty(&self) -> bool {
        self.read(&|one| one.is_empty())
    }
    /// Returns the order of the first structure. Asserts that the others store the same keys. If
    /// they differ only in their backends, the order must be equal, too.
    fn order(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        let (first, others) = self.first_and_others();
        for (other, number) in others {
            let [mut ours, mut theirs] =
                [first, other].map(|one| one.order().collect::<Vec<u32>>());
            if !self.same_order {
                ours.sort_unstable();
                theirs.sort_unstable();
            }
            assert_eq!(theirs, ours, "{}: storage", describe(number, other));
        }
        first.order()
    }

    fn retain(
        &mut self,
        mut keep: impl FnMut(u32, &mut u32, &mut Aabb<S, D>) -> bool,
    ) -> Result<(), IndexError> {
        self.walk(&mut keep, &|one, keep| one.retain(keep))
    }
    fn update(
        &mut self,
        mut change: impl FnMut(u32, &mut u32, &mut Aabb<S, D>),
    ) -> Result<(), IndexError> {
        self.walk(&mut change, &|one, change| one.update(change))
    }
    fn update_dynamic(
        &mut self,
        mut change: impl FnMut(u32, &mut u32, &mut Aabb<S, D>),
    ) -> Result<(), IndexError> {
        self.walk(&mut change, &|one, change| one.update_dynamic(change))
    }
    fn par_update(
        &mut self,
        change: impl Fn(u32, &mut u32, &mut Aabb<S, D>) + Sync,
    ) -> Result<(), IndexError> {
        self.copy_data();
        self.apply(&mut |one| one.par_update(&change))
    }
    fn pairs_unordered<R: Flow>(
        &mut self,
        mut visit: impl FnMut(Entry<'_, S, D, u32>, Entry<'_, S, D, u32>) -> R,
    ) -> R {
        let mut result = R::CONTINUE;
        self.visit_pairs(&mut |a, b| {
            result = visit(a, b);
            result.stops()
        });
        result
    }
    fn pairs_unordered_into(&mut self, out: &mut Vec<Pair>) {
        self.apply_into(out, &mut |one, out| {
            one.pairs_unordered_into(out);
            out.sort_unstable();
        });
    }
    fn pairs(&mut self, out: &mut Vec<Pair>) {
        self.apply_into(out, &mut |one, out| one.pairs(out));
    }
    fn pairs_where(&mut self, accept: impl Fn(&u32, &u32) -> bool + Sync, out: &mut Vec<Pair>) {
        self.apply_into(out, &mut |one, out| one.pairs_where(&accept, out));
    }
    fn pairs_within(
        &mut self,
        distance: S,
        accept: impl Fn(&u32, &u32) -> bool + Sync,
        out: &mut Vec<Pair>,
    ) {
        self.apply_into(out, &mut |one, out| one.pairs_within(distance, &accept, out));
    }

    fn query_unordered<R: Flow>(
        &self,
        region: impl Into<Region<S, D>>,
        mut visit: impl FnMut(Entry<'_, S, D, u32>) -> R,
    ) -> R {
        let mut result = R::CONTINUE;
        self.visit_region(region.into(), &mut |entry| {
            result = visit(entry);
            result.stops()
        });
        result
    }
    fn cast<R: Flow>(
        &self,
        path: Path<S, D>,
        mut visit: impl FnMut(Entry<'_, S, D, u32>, S::Real) -> R,
    ) -> R {
        let mut result = R::CONTINUE;
        self.visit_ranked(&|one, visit| one.cast(path, visit), &mut |entry, fraction| {
            result = visit(entry, fraction);
            result.stops()
        });
        result
    }
    fn nearest<R: Flow>(
        &self,
        target: impl Into<Target<S, D>>,
        mut visit: impl FnMut(Entry<'_, S, D, u32>, S::Real) -> R,
    ) -> R {
        let target = target.into();
        let mut result = R::CONTINUE;
        self.visit_ranked(&|one, visit| one.nearest(target, visit), &mut |entry, square| {
            result = visit(entry, square);
            result.stops()
        });
        result
    }
    fn query(&self, region: impl Into<Region<S, D>>, out: &mut Vec<u32>) {
        let region = region.into();
        self.read_into(out, &|one, out| one.query(region, out));
    }
    fn query_many(&self, regions: &[Region<S, D>], out: &mut Lists) {
        self.read_into(out, &|one, out| one.query_many(regions, out));
    }
    fn cast_many(
        &self,
        paths: &[Path<S, D>],
        most: usize,
        accept: impl Fn(Entry<'_, S, D, u32>) -> bool + Sync,
        out: &mut Lists<(u32, S::Real)>,
    ) {
        *out = self.read(&|one| one.cast_many(paths, most, &accept));
    }
    fn nearest_many(
        &self,
        targets: &[Target<S, D>],
        most: usize,
        accept: impl Fn(Entry<'_, S, D, u32>) -> bool + Sync,
        out: &mut Lists<(u32, S::Real)>,
    ) {
        *out = self.read(&|one| one.nearest_many(targets, most, &accept));
    }
    fn neighbors(&self, radius: S, out: &mut Neighbors) {
        self.read_into(out, &|one, out| one.neighbors(radius, out));
    }
    fn nearest_to_each(&self, count: usize, out: &mut Neighbors) {
        self.read_into(out, &|one, out| one.nearest_to_each(count, out));
    }

    /// Returns the spacing of the first structure.
    fn spacing(&self) -> Option<f64> {
        self.all[0].spacing()
    }
    /// Returns the common backend; `None` if the backends differ.
    fn backend(&self) -> Option<Backend> {
        let on = self.all[0].backend();
        on.filter(|_| self.all.iter().all(|one| one.backend() == on))
    }
    fn set_backend(&mut self, backend: Backend) {
        self.apply(&mut |one| one.set_backend(backend));
    }
    fn try_reserve(&mut self, additional: usize) -> Result<(), IndexError> {
        self.apply(&mut |one| one.try_reserve(additional))
    }
    fn shrink_to_fit(&mut self) {
        self.stale_data.shrink_to_fit();
        self.apply(&mut |one| one.shrink_to_fit());
    }
    fn memory_use(&self) -> usize {
        self.all.capacity() * size_of::<Box<dyn DynIndex<S, D>>>()
            + self.stale_data.capacity() * size_of::<u32>()
            + self.all.iter().map(|one| size_of_val(&**one) + one.memory_use()).sum::<usize>()
    }
    fn optimize(&mut self) {
        self.apply(&mut |one| one.optimize());
    }
    fn assert_well_formed(&self) {
        self.all.iter().for_each(|one| one.assert_well_formed());
    }
}
