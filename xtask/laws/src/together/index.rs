//! All that a structure is asked or told, by all of them.

use broadphase_core::{
    Aabb, Backend, Entry, Flow, IndexError, Lists, Motion, Neighbors, Pair, Path, Region, Scalar,
    SpatialIndex, Target,
};

use super::Together;
use crate::face::{Face, who};
use crate::seen::Seen;

impl<S: Scalar, const D: usize> SpatialIndex<S, D> for Together<S, D> {
    type Data = u32;

    fn insert(
        &mut self,
        key: u32,
        bounds: impl Into<Aabb<S, D>>,
        data: u32,
    ) -> Result<(), IndexError> {
        let bounds = bounds.into();
        self.ask(|one| one.insert(key, bounds, data))
    }
    fn set_bounds(&mut self, key: u32, bounds: impl Into<Aabb<S, D>>) -> Result<(), IndexError> {
        let bounds = bounds.into();
        self.ask(|one| one.set_bounds(key, bounds))
    }
    fn set_bounds_many(&mut self, changes: &[(u32, Aabb<S, D>)]) -> Result<(), IndexError> {
        self.ask(|one| one.set_bounds_many(changes))
    }
    fn set_motion(&mut self, key: u32, motion: Motion) -> Result<(), IndexError> {
        self.ask(|one| one.set_motion(key, motion))
    }
    fn remove(&mut self, key: u32) -> Option<u32> {
        self.share_data();
        self.ask(|one| one.remove(key))
    }
    fn data_mut(&mut self, key: u32) -> Option<&mut u32> {
        self.share_data();
        let there = self.ask(|one| one.data_mut(key).copied());
        self.touched.extend(there.map(|_| key));
        self.all[0].data_mut(key)
    }
    fn clear(&mut self) {
        self.touched.clear();
        self.ask(|one| one.clear());
    }
    fn extend<B: Into<Aabb<S, D>>>(
        &mut self,
        objects: impl IntoIterator<Item = (u32, B, u32)>,
    ) -> Result<(), IndexError> {
        let objects = objects.into_iter().map(|(key, bounds, data)| (key, bounds.into(), data));
        let objects: Vec<_> = objects.collect();
        self.ask(|one| one.extend(&mut objects.iter().copied()))
    }

    fn motion(&self, key: u32) -> Option<Motion> {
        self.tell(|one| one.motion(key))
    }
    fn get(&self, key: u32) -> Option<Entry<'_, S, D, u32>> {
        let (first, others) = self.parts();
        others.for_each(|(other, _)| self.check_entry(key, other.get(key)));
        first.get(key)
    }
    fn len(&self) -> usize {
        self.tell(|one| one.len())
    }
    fn is_empty(&self) -> bool {
        self.tell(|one| one.is_empty())
    }
    /// That of the first.
    fn order(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        let (first, others) = self.parts();
        for (other, number) in others {
            let [mut ours, mut theirs] =
                [first, other].map(|one| one.order().collect::<Vec<u32>>());
            if !self.alike {
                ours.sort_unstable();
                theirs.sort_unstable();
            }
            assert_eq!(theirs, ours, "{}: storage", who(number, other));
        }
        first.order()
    }

    fn retain(
        &mut self,
        keep: impl FnMut(u32, &mut u32, &mut Aabb<S, D>) -> bool,
    ) -> Result<(), IndexError> {
        self.walk(keep, |one, keep| one.retain(keep))
    }
    fn update(
        &mut self,
        change: impl FnMut(u32, &mut u32, &mut Aabb<S, D>),
    ) -> Result<(), IndexError> {
        self.walk(change, |one, change| one.update(change))
    }
    fn update_dynamic(
        &mut self,
        change: impl FnMut(u32, &mut u32, &mut Aabb<S, D>),
    ) -> Result<(), IndexError> {
        self.walk(change, |one, change| one.update_dynamic(change))
    }
    fn par_update(
        &mut self,
        change: impl Fn(u32, &mut u32, &mut Aabb<S, D>) + Sync,
    ) -> Result<(), IndexError> {
        self.share_data();
        self.ask(|one| one.par_update(&change))
    }
    /// Where storage differs the others take over the keys of the first.
    fn renumber(&mut self, old: &mut Vec<u32>) {
        self.share_data();
        let alike = self.alike;
        let (first, others) = self.all.split_first_mut().expect("there is one");
        let dirty = old.clone();
        first.renumber(old);
        for (other, number) in others.iter_mut().zip(1..) {
            let who = who(number, &**other);
            let (before, mut theirs) = (other.boxed_clone(), dirty.clone());
            other.renumber(&mut theirs);
            assert!(other.order().eq(0..theirs.len() as u32), "{who}: keys ascend in storage");
            let told = |one: &dyn Face<S, D>, key| {
                one.get(key).map(|entry| (entry.bounds, *entry.data, one.motion(key)))
            };
            for (new, &key) in (0..).zip(&theirs) {
                let [old, new] = [told(&*before, key), told(&**other, new)];
                assert!(old.is_some() && old == new, "{who}: object {key}");
            }
            if alike {
                assert_eq!(theirs, *old, "{who}: storage");
                continue;
            }
            let [mut all, mut ours] = [theirs, old.clone()];
            all.sort_unstable();
            ours.sort_unstable();
            assert_eq!(all, ours, "{who}: all are renumbered");
            other.clear();
            for (new, &key) in (0..).zip(&*old) {
                let (bounds, data, motion) = told(&*before, key).expect("it was there");
                other.insert(new, bounds, data).expect("it was there");
                other.set_motion(new, motion.unwrap_or_default()).expect("it is there");
            }
        }
    }

    fn pairs_unordered<R: Flow>(
        &mut self,
        mut visit: impl FnMut(Entry<'_, S, D, u32>, Entry<'_, S, D, u32>) -> R,
    ) -> R {
        self.share_data();
        let (first, others) = self.all.split_first_mut().expect("there is one");
        let mut seen = Seen::new();
        let told = first.pairs_unordered(&mut |a, b| seen.is([a.key, b.key], visit(a, b)));
        seen.check(told, "the first");
        for (other, number) in others.iter_mut().zip(1..) {
            let (mut found, who) = (Vec::new(), who(number, &**other));
            let see = &mut |a: Entry<'_, S, D, u32>, b: Entry<'_, S, D, u32>| {
                assert!(a.key < b.key, "{who}: the smaller key comes first");
                for one in [a, b] {
                    let ours = first.get(one.key).map(|entry| (entry.bounds, *entry.data));
                    assert_eq!(ours, Some((one.bounds, *one.data)), "{who}: {}", one.key);
                }
                seen.again(&mut found, [a.key, b.key])
            };
            let told = other.pairs_unordered(see);
            seen.check_set(found, told, &who);
        }
        seen.answer()
    }
    fn pairs_unordered_into(&mut self, out: &mut Vec<Pair>) {
        self.write(out, |one, out| {
            one.pairs_unordered_into(out);
            out.sort_unstable();
        });
    }
    fn pairs(&mut self, out: &mut Vec<Pair>) {
        self.write(out, |one, out| one.pairs(out));
    }
    fn pairs_where(&mut self, accept: impl Fn(&u32, &u32) -> bool + Sync, out: &mut Vec<Pair>) {
        self.write(out, |one, out| one.pairs_where(&accept, out));
    }
    fn pairs_of(
        &mut self,
        keys: &[u32],
        accept: impl Fn(&u32, &u32) -> bool + Sync,
        out: &mut Vec<Pair>,
    ) {
        self.write(out, |one, out| one.pairs_of(keys, &accept, out));
    }

    fn query_unordered<R: Flow>(
        &self,
        region: impl Into<Region<S, D>>,
        mut visit: impl FnMut(Entry<'_, S, D, u32>) -> R,
    ) -> R {
        let region = region.into();
        let (first, others) = self.parts();
        let mut seen = Seen::new();
        let told = first.query_unordered(region, &mut |entry| seen.is(entry.key, visit(entry)));
        seen.check(told, "the first");
        for (other, number) in others {
            let mut found = Vec::new();
            let told = other.query_unordered(region, &mut |one| {
                self.check_entry(one.key, Some(one));
                seen.again(&mut found, one.key)
            });
            seen.check_set(found, told, &who(number, other));
        }
        seen.answer()
    }
    fn cast<R: Flow>(
        &self,
        path: Path<S, D>,
        mut visit: impl FnMut(Entry<'_, S, D, u32>, S::Real) -> R,
    ) -> R {
        let (first, others) = self.parts();
        let mut seen = Seen::new();
        let told = first.cast(path, &mut |one, at| seen.is((one.key, at), visit(one, at)));
        seen.check(told, "the first");
        for (other, number) in others {
            let mut found = Vec::new();
            let told = other.cast(path, &mut |one, at| {
                self.check_entry(one.key, Some(one));
                seen.again(&mut found, (one.key, at))
            });
            seen.check_list(&found, told, &who(number, other));
        }
        seen.answer()
    }
    fn nearest<R: Flow>(
        &self,
        target: impl Into<Target<S, D>>,
        mut visit: impl FnMut(Entry<'_, S, D, u32>, S::Real) -> R,
    ) -> R {
        let target = target.into();
        let (first, others) = self.parts();
        let mut seen = Seen::new();
        let told = first.nearest(target, &mut |one, at| seen.is((one.key, at), visit(one, at)));
        seen.check(told, "the first");
        for (other, number) in others {
            let mut found = Vec::new();
            let told = other.nearest(target, &mut |one, at| {
                self.check_entry(one.key, Some(one));
                seen.again(&mut found, (one.key, at))
            });
            seen.check_list(&found, told, &who(number, other));
        }
        seen.answer()
    }
    fn query(&self, region: impl Into<Region<S, D>>, out: &mut Vec<u32>) {
        let region = region.into();
        self.find(out, |one, out| one.query(region, out));
    }
    fn query_many(&self, regions: &[Region<S, D>], out: &mut Lists) {
        self.find(out, |one, out| one.query_many(regions, out));
    }
    fn neighbors(&self, radius: S, out: &mut Neighbors) {
        self.find(out, |one, out| one.neighbors(radius, out));
    }
    fn nearest_to_each(&self, count: usize, out: &mut Neighbors) {
        self.find(out, |one, out| one.nearest_to_each(count, out));
    }

    /// That of the first.
    fn spacing(&self) -> Option<f64> {
        self.all[0].spacing()
    }
    /// Where they are, if all are on the same.
    fn backend(&self) -> Option<Backend> {
        let on = self.all[0].backend();
        on.filter(|_| self.all.iter().all(|one| one.backend() == on))
    }
    fn set_backend(&mut self, backend: Backend) {
        self.ask(|one| one.set_backend(backend));
    }
    fn try_reserve(&mut self, additional: usize) -> Result<(), IndexError> {
        self.ask(|one| one.try_reserve(additional))
    }
    fn shrink_to_fit(&mut self) {
        self.touched.shrink_to_fit();
        self.ask(|one| one.shrink_to_fit());
    }
    fn memory_use(&self) -> usize {
        self.all.capacity() * size_of::<Box<dyn Face<S, D>>>()
            + self.touched.capacity() * size_of::<u32>()
            + self.all.iter().map(|one| size_of_val(&**one) + one.memory_use()).sum::<usize>()
    }
    fn optimize(&mut self) {
        self.ask(|one| one.optimize());
    }
    fn assert_well_formed(&self) {
        self.all.iter().for_each(|one| one.assert_well_formed());
    }
}
