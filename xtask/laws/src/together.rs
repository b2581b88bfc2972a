//! Structures side by side: they are told the same and must answer the same.

use core::any::Any;
use core::cell::Cell;
use core::fmt::{self, Debug};

use alloc::collections::BTreeMap;
use broadphase_core::{
    Aabb, Backend, Entry, Flow, IndexError, Lists, Motion, Neighbors, Pair, Path, Region, Scalar,
    SpatialIndex, Target,
};

use crate::face::{Change, Face, who};
use crate::seen::Seen;

std::thread_local! {
    static TURN: Cell<usize> = const { Cell::new(0) };
}

/// The same objects in structures of any types.
///
/// Whoever asks sees what the first of them finds, in its order. The others must find the same and
/// stop as early, or it panics; where there is no order they may have another.
pub struct Together<S: Scalar, const D: usize> {
    all: Vec<Box<dyn Face<S, D>>>,
    /// Whether they are the same but for their backends: then they store in the same order.
    alike: bool,
    /// The keys of data that may be known to the first alone.
    touched: Vec<u32>,
}

impl<S: Scalar, const D: usize> Together<S, D> {
    /// One structure alone.
    #[must_use]
    pub fn one(index: impl SpatialIndex<S, D, Data = u32> + 'static) -> Self {
        Self { all: vec![Box::new(index)], alike: true, touched: Vec::new() }
    }

    /// A structure on each backend there is; those that are together already stay where they are.
    ///
    /// # Panics
    /// If it is not where it was put.
    #[must_use]
    pub fn on_each_backend(index: impl SpatialIndex<S, D, Data = u32> + 'static) -> Self {
        if let Some(some) = (&index as &dyn Any).downcast_ref::<Self>() {
            return some.clone();
        }
        let on = |backend| {
            let mut index = index.clone();
            index.set_backend(backend);
            assert_eq!(index.backend(), Some(backend), "where it was put");
            Self::one(index)
        };
        Self { alike: true, ..Self::of(Backend::available().map(on)) }
    }

    /// All that are in any of these.
    #[must_use]
    pub fn of(some: impl IntoIterator<Item = Self>) -> Self {
        let mut all: Vec<_> = some.into_iter().flat_map(|some| some.all).collect();
        all.shrink_to_fit();
        Self { all, alike: false, touched: Vec::new() }
    }

    /// Each on the next backend; the next time on this thread each is one further.
    ///
    /// # Panics
    /// If one is not where it was put.
    #[must_use]
    pub fn on_backends_in_turn(mut self) -> Self {
        let backends: Vec<Backend> = Backend::available().collect();
        let turn = TURN.replace((TURN.get() + 1) % backends.len());
        for (one, &backend) in self.all.iter_mut().zip(backends.iter().cycle().skip(turn)) {
            one.set_backend(backend);
            assert_eq!(one.backend(), Some(backend), "where it was put");
        }
        self
    }

    /// The memory of each, without the box it is in.
    pub fn memory_of_each(&self) -> impl Iterator<Item = usize> {
        self.all.iter().map(|one| one.memory_use())
    }

    /// What [`pairs_with`](SpatialIndex::pairs_with) of each finds with structures of any type.
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
            let theirs = ask(&mut **other);
            assert_eq!(theirs, answer, "{} beside the first", who(number, &**other));
        }
        answer
    }

    /// What all of them tell.
    fn tell<R: PartialEq + Debug>(&self, ask: impl Fn(&dyn Face<S, D>) -> R) -> R {
        let (first, others) = self.parts();
        let answer = ask(first);
        for (other, number) in others {
            assert_eq!(ask(other), answer, "{} beside the first", who(number, other));
        }
        answer
    }

    /// What all of them write, each over the same.
    fn write<T: PartialEq + Debug + Clone>(
        &mut self,
        out: &mut T,
        mut ask: impl FnMut(&mut dyn Face<S, D>, &mut T),
    ) {
        self.share_data();
        *out = self.ask(|one| {
            let mut theirs = out.clone();
            ask(one, &mut theirs);
            theirs
        });
    }

    /// The same of those who need not change for it.
    fn find<T: PartialEq + Debug + Clone>(
        &self,
        out: &mut T,
        ask: impl Fn(&dyn Face<S, D>, &mut T),
    ) {
        *out = self.tell(|one| {
            let mut theirs = out.clone();
            ask(one, &mut theirs);
            theirs
        });
    }

    /// The first, and the others with their numbers.
    fn parts(&self) -> (&dyn Face<S, D>, impl Iterator<Item = (&dyn Face<S, D>, usize)>) {
        let (first, others) = self.all.split_first().expect("there is one");
        (&**first, others.iter().map(|other| &**other).zip(1..))
    }

    /// That all say the same of an object.
    fn check_entry(&self, key: u32, theirs: Option<Entry<'_, S, D, u32>>) {
        let ours = self.all[0].get(key);
        let place = |one: Entry<'_, S, D, u32>| (one.key, one.bounds);
        assert_eq!(theirs.map(place), ours.map(place), "object {key}");
        if !self.touched.contains(&key) {
            assert_eq!(theirs.map(|one| *one.data), ours.map(|one| *one.data), "data of {key}");
        }
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
    fn walk<R: Copy + Debug>(
        &mut self,
        mut change: impl FnMut(u32, &mut u32, &mut Aabb<S, D>) -> R,
        walk: impl Fn(&mut dyn Face<S, D>, Change<'_, S, D, R>) -> Result<(), IndexError>,
    ) -> Result<(), IndexError> {
        self.share_data();
        let (first, others) = self.all.split_first_mut().expect("there is one");
        if others.is_empty() {
            return walk(&mut **first, &mut change);
        }
        let mut done = BTreeMap::new();
        let answer = walk(&mut **first, &mut |key, data, bounds| {
            let before = (*data, *bounds);
            let answer = change(key, data, bounds);
            let again = done.insert(key, (before, answer, *data, *bounds));
            assert!(again.is_none(), "object {key} is walked over twice");
            answer
        });
        for (other, number) in others.iter_mut().zip(1..) {
            let (mut left, who) = (done.clone(), who(number, &**other));
            let theirs = walk(&mut **other, &mut |key, data, bounds| {
                let one = left.remove(&key);
                let (before, answer, new_data, new_bounds) =
                    one.unwrap_or_else(|| panic!("{who}: object {key} is walked over again"));
                assert_eq!((*data, *bounds), before, "{who}: object {key}");
                (*data, *bounds) = (new_data, new_bounds);
                answer
            });
            assert_eq!(theirs, answer, "{who} beside the first");
            assert!(left.is_empty(), "{who} walks over all but {left:?}");
        }
        answer
    }
}

impl<S: Scalar, const D: usize> Clone for Together<S, D> {
    fn clone(&self) -> Self {
        let all = self.all.iter().map(|one| one.boxed_clone()).collect();
        Self { all, alike: self.alike, touched: self.touched.clone() }
    }
}

impl<S: Scalar, const D: usize> Debug for Together<S, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries((0..).zip(&self.all).map(|(n, one)| who(n, &**one))).finish()
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
