//! [`Together`]: several structures as one. Each call is applied to all structures, and their
//! results must be equal.

mod index;
mod visits;

use core::any::Any;
use core::cell::Cell;
use core::fmt::{self, Debug};
use core::mem::replace;

use broadphase_core::{Backend, Entry, IndexError, Scalar, SpatialIndex};

use crate::dyn_index::{Change, DynIndex, describe};

std::thread_local! {
    static TURN: Cell<usize> = const { Cell::new(0) };
}

/// Calls a method of a structure that walks all objects, with a closure.
type WalkCall<'a, S, const D: usize, R> =
    &'a dyn Fn(&mut dyn DynIndex<S, D>, Change<'_, S, D, R>) -> Result<(), IndexError>;

/// Several structures of any types with the same objects.
///
/// A call returns the result of the first structure, and panics if the result of another structure
/// differs. Unordered results may have another order. If a visitor breaks, all structures must stop
/// after the same number of visits.
pub struct Together<S: Scalar, const D: usize> {
    all: Vec<Box<dyn DynIndex<S, D>>>,
    /// Set if the structures differ only in their backends; the storage orders must then be equal.
    same_order: bool,
    /// Keys of the objects whose data was borrowed mutably from the first structure. Their data in
    /// the other structures may be stale.
    stale_data: Vec<u32>,
}

impl<S: Scalar, const D: usize> Together<S, D> {
    /// Wraps one structure.
    #[must_use]
    pub fn one(index: impl SpatialIndex<S, D, Data = u32> + 'static) -> Self {
        Self { all: vec![Box::new(index)], same_order: true, stale_data: Vec::new() }
    }

    /// Combines a copy of a structure on each available backend. Returns a `Together` unchanged.
    ///
    /// # Panics
    /// If a structure reports another backend than the one set.
    #[must_use]
    pub fn on_each_backend(index: impl SpatialIndex<S, D, Data = u32> + 'static) -> Self {
        if let Some(some) = (&index as &dyn Any).downcast_ref::<Self>() {
            return some.clone();
        }
        let on = |backend| {
            let mut index = index.clone();
            index.set_backend(backend);
            assert_eq!(index.backend(), Some(backend), "the backend that was set");
            Self::one(index)
        };
        Self { same_order: true, ..Self::of(Backend::available().map(on)) }
    }

    /// Combines all structures of several `Together`s.
    #[must_use]
    pub fn of(some: impl IntoIterator<Item = Self>) -> Self {
        let mut all: Vec<_> = some.into_iter().flat_map(|some| some.all).collect();
        all.shrink_to_fit();
        Self { all, same_order: false, stale_data: Vec::new() }
    }

    /// Assigns the available backends to the structures in turn. Each call on a thread starts with
    /// the next backend.
    ///
    /// # Panics
    /// If a structure reports another backend than the one set.
    #[must_use]
    pub fn on_backends_in_turn(mut self) -> Self {
        let backends: Vec<Backend> = Backend::available().collect();
        let turn = TURN.replace((TURN.get() + 1) % backends.len());
        for (one, &backend) in self.all.iter_mut().zip(backends.iter().cycle().skip(turn)) {
            one.set_backend(backend);
            assert_eq!(one.backend(), Some(backend), "the backend that was set");
        }
        self
    }

    /// Splits into one `Together` for each structure.
    pub(crate) fn each_alone(mut self) -> impl Iterator<Item = Self> {
        self.copy_data();
        let alone = |one| Self { all: vec![one], same_order: true, stale_data: Vec::new() };
        self.all.into_iter().map(alone)
    }

    /// Returns the memory use of each structure, without the size of the structure itself.
    pub fn memory_of_each(&self) -> impl Iterator<Item = usize> {
        self.all.iter().map(|one| one.memory_use())
    }

    /// Calls [`pairs_with`](SpatialIndex::pairs_with) of each structure, with structures of other
    /// types.
    ///
    /// # Panics
    /// If the results of the structures differ.
    pub fn pairs_with_any(
        &mut self,
        other: &mut Self,
        accept: impl Fn(&u32, &u32) -> bool + Sync,
        out: &mut Vec<[u32; 2]>,
    ) {
        self.apply_into(out, &mut |one, out| one.pairs_with(other, &accept, out));
    }

    /// Calls [`pairs_with_within`](SpatialIndex::pairs_with_within) of each structure, with
    /// structures of other types.
    ///
    /// # Panics
    /// If the results of the structures differ.
    pub fn pairs_with_any_within(
        &mut self,
        other: &mut Self,
        distance: S,
        accept: impl Fn(&u32, &u32) -> bool + Sync,
        out: &mut Vec<[u32; 2]>,
    ) {
        self.apply_into(out, &mut |one, out| one.pairs_with_within(other, distance, &accept, out));
    }

    /// Calls a method of all structures. Returns the common result.
    fn apply<R: PartialEq + Debug>(
        &mut self,
        call: &mut dyn FnMut(&mut dyn DynIndex<S, D>) -> R,
    ) -> R {
        let (first, others) = self.all.split_first_mut().expect("there is at least one structure");
        let answer = call(&mut **first);
        for (other, number) in others.iter_mut().zip(1..) {
            let theirs = call(&mut **other);
            assert_eq!(theirs, answer, "{} compared with the first", describe(number, &**other));
        }
        answer
    }

    /// Calls a method that does not change the structures. Returns the common result.
    fn read<R: PartialEq + Debug>(&self, call: &dyn Fn(&dyn DynIndex<S, D>) -> R) -> R {
        let (first, others) = self.first_and_others();
        let answer = call(first);
        for (other, number) in others {
            assert_eq!(call(other), answer, "{} compared with the first", describe(number, other));
        }
        answer
    }

    /// Calls a method with an output argument; each structure gets a copy of its initial content.
    fn apply_into<T: PartialEq + Debug + Clone>(
        &mut self,
        out: &mut T,
        call: &mut dyn FnMut(&mut dyn DynIndex<S, D>, &mut T),
    ) {
        self.copy_data();
        *out = self.apply(&mut |one| {
            let mut theirs = out.clone();
            call(one, &mut theirs);
            theirs
        });
    }

    /// Calls a method that has an output argument and does not change the structures.
    fn read_into<T: PartialEq + Debug + Clone>(
        &self,
        out: &mut T,
        call: &dyn Fn(&dyn DynIndex<S, D>, &mut T),
    ) {
        *out = self.read(&|one| {
            let mut theirs = out.clone();
            call(one, &mut theirs);
            theirs
        });
    }

    /// Returns the first structure, and the others with their numbers.
    fn first_and_others(
        &self,
    ) -> (&dyn DynIndex<S, D>, impl Iterator<Item = (&dyn DynIndex<S, D>, usize)>) {
        let (first, others) = self.all.split_first().expect("there is at least one structure");
        (&**first, others.iter().map(|other| &**other).zip(1..))
    }

    /// Asserts that the entry of another structure for a key equals the entry of the first
    /// structure.
    fn check_entry(&self, key: u32, theirs: Option<Entry<'_, S, D, u32>>) {
        let ours = self.all[0].get(key);
        let place = |one: Entry<'_, S, D, u32>| (one.key, one.bounds);
        assert_eq!(theirs.map(place), ours.map(place), "object {key}");
        if !self.stale_data.contains(&key) {
            assert_eq!(theirs.map(|one| *one.data), ours.map(|one| *one.data), "data of {key}");
        }
    }

    /// Copies data changed through `data_mut` from the first structure to the others.
    fn copy_data(&mut self) {
        let (first, others) = self.all.split_first_mut().expect("there is at least one structure");
        for key in self.stale_data.drain(..) {
            let Some(data) = first.get(key).map(|entry| *entry.data) else { continue };
            for other in &mut *others {
                *other.data_mut(key).expect("the object exists") = data;
            }
        }
    }

    /// Runs a walk on the first structure with the caller's closure. Walks of the other structures
    /// apply the same changes.
    fn walk<R: Copy + Debug>(
        &mut self,
        change: Change<'_, S, D, R>,
        walk: WalkCall<'_, S, D, R>,
    ) -> Result<(), IndexError> {
        self.copy_data();
        let (first, others) = self.all.split_first_mut().expect("there is at least one structure");
        if others.is_empty() {
            return walk(&mut **first, change);
        }
        let mut done = Vec::new();
        let answer = walk(&mut **first, &mut |key, data, bounds| {
            let before = (*data, *bounds);
            let answer = change(key, data, bounds);
            done.push((key, before, answer, (*data, *bounds)));
            answer
        });
        done.sort_unstable_by_key(|one| one.0);
        for two in done.windows(2) {
            assert!(two[0].0 < two[1].0, "object {} is visited twice", two[0].0);
        }
        for (other, number) in others.iter_mut().zip(1..) {
            let (mut left, name) = (vec![true; done.len()], describe(number, &**other));
            let theirs = walk(&mut **other, &mut |key, data, bounds| {
                let place = done.binary_search_by_key(&key, |one| one.0);
                let place = place.ok().filter(|&place| replace(&mut left[place], false));
                let place = place.unwrap_or_else(|| panic!("{name}: another visit of {key}"));
                let (_, before, answer, after) = done[place];
                assert_eq!((*data, *bounds), before, "{name}: object {key}");
                (*data, *bounds) = after;
                answer
            });
            assert_eq!(theirs, answer, "{name} compared with the first");
            let left = left.iter().zip(&done).find(|(left, _)| **left).map(|(_, one)| one.0);
            assert_eq!(left, None, "{name} does not visit an object");
        }
        answer
    }
}

impl<S: Scalar, const D: usize> Clone for Together<S, D> {
    fn clone(&self) -> Self {
        let all = self.all.iter().map(|one| one.boxed_clone()).collect();
        Self { all, same_order: self.same_order, stale_data: self.stale_data.clone() }
    }
}

impl<S: Scalar, const D: usize> Debug for Together<S, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries((0..).zip(&self.all).map(|(n, one)| describe(n, &**one))).finish()
    }
}

#[cfg(test)]
mod tests {
    use core::panic::AssertUnwindSafe;
    use std::panic::catch_unwind;

    use broadphase_core::{Aabb, BruteForce, Path, SpatialIndex};

    use super::Together;

    /// Returns two structures of which the second one contains only the objects below `end`.
    fn two(end: u32) -> Together<f32, 1> {
        Together::of([3, end].map(|end| {
            let mut index = BruteForce::new();
            let objects = (0..end).map(|key| (key, Aabb::point([0.0]), key));
            index.extend(objects).expect("keys are free");
            Together::one(index)
        }))
    }

    #[test]
    fn a_missing_object_is_detected_by_each_method_that_visits_objects() {
        let calls: [fn(&mut Together<f32, 1>); 7] = [
            |both| both.update(|_, _, _| ()).expect("valid bounds"),
            |both| both.retain(|_, _, _| true).expect("valid bounds"),
            |both| both.pairs_unordered(|_, _| ()),
            |both| both.query_unordered([0.0], |_| ()),
            |both| both.nearest([0.0], |_, _| ()),
            |both| both.cast(Path::ray([-1.0], [1.0]), |_, _| ()),
            |both| both.pairs(&mut Vec::new()),
        ];
        for (number, call) in calls.into_iter().enumerate() {
            call(&mut two(3));
            let panicked = catch_unwind(AssertUnwindSafe(|| call(&mut two(2)))).is_err();
            assert!(panicked, "call {number} compares the structures");
        }
    }
}
