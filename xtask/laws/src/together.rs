//! Structures side by side: they are told the same and must answer the same.

use core::fmt::{self, Debug};

use alloc::collections::BTreeMap;
use broadphase_core::{
    Aabb, Backend, Entry, Flow, IndexError, Lists, Motion, Neighbors, Pair, Path, Region, Scalar,
    SpatialIndex, Target,
};

use crate::face::{Change, Face};
use crate::seen::Seen;

/// The same objects in structures of any types.
///
/// Whoever asks sees what the first of them finds, in its order. The others must find the same and
/// stop as early, or it panics; where there is no order they may have another.
pub struct Together<S: Scalar, const D: usize> {
    all: Vec<Box<dyn Face<S, D>>>,
    /// The keys of data that may be known to the first alone.
    touched: Vec<u32>,
}

impl<S: Scalar, const D: usize> Together<S, D> {
    /// One structure alone.
    #[must_use]
    pub fn one(index: impl SpatialIndex<S, D, Data = u32> + 'static) -> Self {
        Self { all: vec![Box::new(index)], touched: Vec::new() }
    }

    /// A structure on each backend there is; alone, if it is on none, or on several.
    ///
    /// # Panics
    /// If it is not where it was put.
    #[must_use]
    pub fn on_each_backend(index: impl SpatialIndex<S, D, Data = u32> + 'static) -> Self {
        if index.backend().is_none() {
            return Self::one(index);
        }
        let on = |backend| {
            let mut index = index.clone();
            index.set_backend(backend);
            assert_eq!(index.backend(), Some(backend), "where it was put");
            Self::one(index)
        };
        Self::of(Backend::available().map(on))
    }

    /// All that are in any of these.
    #[must_use]
    pub fn of(some: impl IntoIterator<Item = Self>) -> Self {
        let mut all: Vec<_> = some.into_iter().flat_map(|some| some.all).collect();
        all.shrink_to_fit();
        Self { all, touched: Vec::new() }
    }

    /// Each on the next backend, the first on one of them by its number.
    #[must_use]
    pub fn on_backends_in_turn(mut self, first: usize) -> Self {
        let backends: Vec<Backend> = Backend::available().collect();
        let turns = backends.iter().cycle().skip(first);
        self.all.iter_mut().zip(turns).for_each(|(one, &backend)| one.set_backend(backend));
        self
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.all.len()
    }

    /// What [`pairs_with`](SpatialIndex::pairs_with) finds.
    ///
    /// # Panics
    /// If it does not find the same in each.
    pub fn pairs_with_any(
        &mut self,
        other: &mut Self,
        accept: impl Fn(&u32, &u32) -> bool + Sync,
        out: &mut Vec<[u32; 2]>,
    ) {
        self.write(out, |one, out| one.pairs_with(other, &accept, out));
    }

    /// The answer of all of them.
    fn ask<R: PartialEq + Debug>(&mut self, mut ask: impl FnMut(&mut dyn Face<S, D>) -> R) -> R {
        let (first, others) = self.all.split_first_mut().expect("there is one");
        let answer = ask(&mut **first);
        for (other, number) in others.iter_mut().zip(1..) {
            assert_eq!(ask(&mut **other), answer, "structure {number} beside the first");
        }
        answer
    }

    /// What all of them write.
    fn write<T: PartialEq + Debug + Default>(
        &mut self,
        out: &mut T,
        mut ask: impl FnMut(&mut dyn Face<S, D>, &mut T),
    ) {
        self.share_data();
        let (first, others) = self.all.split_first_mut().expect("there is one");
        ask(&mut **first, out);
        for (other, number) in others.iter_mut().zip(1..) {
            let mut theirs = T::default();
            ask(&mut **other, &mut theirs);
            assert!(theirs == *out, "structure {number}: {theirs:?}, the first: {out:?}");
        }
    }

    /// The same of those who need not change for it.
    fn find<T: PartialEq + Debug + Default>(
        &self,
        out: &mut T,
        ask: impl Fn(&dyn Face<S, D>, &mut T),
    ) {
        let (first, others) = self.parts();
        ask(first, out);
        for (other, number) in others.zip(1..) {
            let mut theirs = T::default();
            ask(other, &mut theirs);
            assert!(theirs == *out, "structure {number}: {theirs:?}, the first: {out:?}");
        }
    }

    fn parts(&self) -> (&dyn Face<S, D>, impl Iterator<Item = &dyn Face<S, D>>) {
        let (first, others) = self.all.split_first().expect("there is one");
        (&**first, others.iter().map(|other| &**other))
    }

    /// Carries over what was written through `data_mut`, which reaches the first alone.
    fn share_data(&mut self) {
        let (first, others) = self.all.split_first_mut().expect("there is one");
        for key in self.touched.drain(..) {
            let Some(data) = first.get(key).map(|entry| *entry.data) else { continue };
            for other in &mut *others {
                *other.data_mut(key).expect("it is there") = data;
            }
        }
    }

    /// Walks over the first, and lets the others do what was done.
    fn walk<R: Copy>(
        &mut self,
        mut change: impl FnMut(u32, &mut u32, &mut Aabb<S, D>) -> R,
        walk: impl Fn(&mut dyn Face<S, D>, Change<'_, S, D, R>) -> Result<(), IndexError>,
    ) -> Result<(), IndexError> {
        self.share_data();
        let (first, others) = self.all.split_first_mut().expect("there is one");
        let mut done = BTreeMap::new();
        let answer = walk(&mut **first, &mut |key, data, bounds| {
            let answer = change(key, data, bounds);
            done.insert(key, (answer, *data, *bounds));
            answer
        });
        for other in others {
            let mut seen = 0;
            let theirs = walk(&mut **other, &mut |key, data, bounds| {
                seen += 1;
                let answer;
                (answer, *data, *bounds) = done[&key];
                answer
            });
            assert_eq!((theirs, seen), (answer, done.len()), "what was walked over");
        }
        answer
    }
}

impl<S: Scalar, const D: usize> Clone for Together<S, D> {
    fn clone(&self) -> Self {
        let all = self.all.iter().map(|one| one.boxed_clone()).collect();
        Self { all, touched: self.touched.clone() }
    }
}

impl<S: Scalar, const D: usize> Debug for Together<S, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Together").field("count", &self.count()).finish_non_exhaustive()
    }
}

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
        let there = self.ask(|one| one.data_mut(key).is_some());
        if there {
            self.touched.push(key);
        }
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
        let motion = self.all[0].motion(key);
        assert!(self.all.iter().all(|one| one.motion(key) == motion), "how {key} moves");
        motion
    }
    fn get(&self, key: u32) -> Option<Entry<'_, S, D, u32>> {
        let entry = self.all[0].get(key);
        let bounds = entry.map(|entry| entry.bounds);
        let same = |one: &dyn Face<S, D>| one.get(key).map(|entry| entry.bounds) == bounds;
        assert!(self.all.iter().all(|one| same(&**one)), "the bounds of {key}");
        entry
    }
    fn len(&self) -> usize {
        let count = self.all[0].len();
        assert!(self.all.iter().all(|one| one.len() == count), "{count} objects");
        count
    }
    fn is_empty(&self) -> bool {
        let empty = self.all[0].is_empty();
        assert!(self.all.iter().all(|one| one.is_empty() == empty), "whether it is empty");
        empty
    }
    /// That of the first; all have all keys.
    fn order(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        let sorted = |one: &dyn Face<S, D>| {
            let mut keys: Vec<u32> = one.order().collect();
            keys.sort_unstable();
            keys
        };
        let (first, others) = self.parts();
        let keys = sorted(first);
        others.for_each(|other| assert_eq!(sorted(other), keys, "every key is stored once"));
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
    /// The others take over the keys of the first, in which their own order may differ.
    fn renumber(&mut self, old: &mut Vec<u32>) {
        self.share_data();
        let (first, others) = self.all.split_first_mut().expect("there is one");
        first.renumber(old);
        for other in others {
            let (before, mut theirs) = (other.boxed_clone(), vec![7]);
            other.renumber(&mut theirs);
            assert!(other.order().eq(0..theirs.len() as u32), "keys ascend in storage order");
            let same = |(new, &key)| {
                let [new, old] = [other.get(new), before.get(key)].map(Option::unwrap);
                (new.bounds, new.data) == (old.bounds, old.data)
            };
            assert!((0..).zip(&theirs).all(same), "what is renumbered is the same");
            if theirs != *old {
                other.clear();
                for (new, &key) in (0..).zip(&*old) {
                    let entry = before.get(key).expect("it was there");
                    other.insert(new, entry.bounds, *entry.data).expect("it was there");
                    let motion = before.motion(key).expect("it was there");
                    other.set_motion(new, motion).expect("it was just inserted");
                }
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
        seen.check(told);
        for other in others {
            let mut found = Vec::new();
            let see = &mut |a: Entry<'_, S, D, u32>, b: Entry<'_, S, D, u32>| {
                seen.again(&mut found, [a.key, b.key])
            };
            let told = other.pairs_unordered(see);
            seen.check_set(found, told);
        }
        seen.answer()
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
        seen.check(told);
        for other in others {
            let mut found = Vec::new();
            let see = &mut |entry: Entry<'_, S, D, u32>| seen.again(&mut found, entry.key);
            let told = other.query_unordered(region, see);
            seen.check_set(found, told);
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
        seen.check(told);
        for other in others {
            let mut found = Vec::new();
            let told = other.cast(path, &mut |one, at| seen.again(&mut found, (one.key, at)));
            seen.check_list(&found, told);
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
        seen.check(told);
        for other in others {
            let mut found = Vec::new();
            let told = other.nearest(target, &mut |one, at| seen.again(&mut found, (one.key, at)));
            seen.check_list(&found, told);
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

    /// Those of the first.
    fn cells<R: Flow>(&self, mut visit: impl FnMut(u32, Aabb<S, D>) -> R) -> R {
        let mut seen = Seen::new();
        let told = self.all[0].cells(&mut |level, cell| seen.is(level, visit(level, cell)));
        seen.check(told);
        seen.answer()
    }
    /// That of the first.
    fn spacing(&self) -> Option<f64> {
        self.all[0].spacing()
    }
    /// Where they are, if all are on the same.
    fn backend(&self) -> Option<Backend> {
        let first = self.all[0].backend();
        first.filter(|_| self.all.iter().all(|one| one.backend() == first))
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
            + self.all.iter().map(|one| one.memory_use()).sum::<usize>()
    }
    fn optimize(&mut self) {
        self.ask(|one| one.optimize());
    }
    fn assert_well_formed(&self) {
        self.all.iter().for_each(|one| one.assert_well_formed());
    }
}
