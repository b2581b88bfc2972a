//! [`Together`]: several structures as one. Each call is applied to all structures, and their
//! results must be equal.

mod index;

use core::any::Any;
use core::cell::Cell;
use core::fmt::{self, Debug};
use core::mem::replace;

use broadphase_core::{Backend, IndexError, Scalar, SpatialIndex, WalkBatch};

std::thread_local! {
    static TURN: Cell<usize> = const { Cell::new(0) };
}

/// Closure of a walk.
type Change<'a, S, const D: usize> = &'a mut dyn FnMut(&mut WalkBatch<'_, S, D>);

/// Several structures of any types with the same objects.
///
/// A call returns the result of the first structure, and panics if the result of another structure
/// differs. Unordered results may have another order. If a visitor breaks, all structures must stop
/// after the same number of visits.
pub struct Together<S: Scalar, const D: usize> {
    all: Vec<Box<dyn SpatialIndex<S, D>>>,
    /// Set if the structures differ only in their backends; the storage orders must then be equal.
    same_order: bool,
}

impl<S: Scalar, const D: usize> Together<S, D> {
    /// Wraps one structure.
    #[must_use]
    pub fn one(index: impl SpatialIndex<S, D>) -> Self {
        Self { all: vec![Box::new(index)], same_order: true }
    }

    /// Combines a copy of a structure on each available backend. Returns a `Together` unchanged.
    ///
    /// # Panics
    /// If a structure reports another backend than the one set.
    #[must_use]
    pub fn on_each_backend(index: impl SpatialIndex<S, D>) -> Self {
        if let Some(some) = (&index as &dyn Any).downcast_ref::<Self>() {
            return some.clone();
        }
        let mut all: Vec<_> = Backend::available().map(|_| index.boxed_clone()).collect();
        all.shrink_to_fit();
        all.iter_mut().zip(Backend::available()).for_each(|(one, on)| set_backend(&mut **one, on));
        Self { all, same_order: true }
    }

    /// Combines all structures of several `Together`s.
    #[must_use]
    pub fn of(some: impl IntoIterator<Item = Self>) -> Self {
        let mut all: Vec<_> = some.into_iter().flat_map(|some| some.all).collect();
        all.shrink_to_fit();
        Self { all, same_order: false }
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
            set_backend(&mut **one, backend);
        }
        self
    }

    /// Splits into one `Together` for each structure.
    pub(crate) fn each_alone(self) -> impl Iterator<Item = Self> {
        self.all.into_iter().map(|one| Self { all: vec![one], same_order: true })
    }

    /// Returns the memory use of each structure, without the size of the structure itself.
    pub fn memory_of_each(&self) -> impl Iterator<Item = usize> {
        self.all.iter().map(|one| one.memory_use())
    }

    /// Calls a method of all structures. Returns the common result.
    fn apply<R: PartialEq + Debug>(
        &mut self,
        call: &mut dyn FnMut(&mut dyn SpatialIndex<S, D>) -> R,
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
    fn read<R: PartialEq + Debug>(&self, call: &dyn Fn(&dyn SpatialIndex<S, D>) -> R) -> R {
        let (first, others) = self.first_and_others();
        let answer = call(first);
        for (other, number) in others {
            assert_eq!(call(other), answer, "{} compared with the first", describe(number, other));
        }
        answer
    }

    /// Calls a method that has an output argument and does not change the structures. Each
    /// structure gets a copy of the initial content of the argument.
    fn read_into<T: PartialEq + Debug + Clone>(
        &self,
        out: &mut T,
        call: &dyn Fn(&dyn SpatialIndex<S, D>, &mut T),
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
    ) -> (&dyn SpatialIndex<S, D>, impl Iterator<Item = (&dyn SpatialIndex<S, D>, usize)>) {
        let (first, others) = self.all.split_first().expect("there is at least one structure");
        (&**first, others.iter().map(|other| &**other).zip(1..))
    }

    /// Runs a walk on the first structure with the caller's closure. Walks of the other structures
    /// apply the same changes. If there are others, the closure gets batches of one object.
    fn walk_alike(
        &mut self,
        change: Change<'_, S, D>,
        walk: fn(&mut dyn SpatialIndex<S, D>, Change<'_, S, D>) -> Result<(), IndexError>,
    ) -> Result<(), IndexError> {
        let (first, others) = self.all.split_first_mut().expect("there is at least one structure");
        if others.is_empty() {
            return walk(&mut **first, change);
        }
        let mut done = Vec::new();
        let answer = walk(&mut **first, &mut |batch| {
            batch.retain(|key, bounds| {
                let before = *bounds;
                let kept = WalkBatch::one(key, bounds, &mut *change);
                done.push((key, before, kept, *bounds));
                kept
            });
        });
        done.sort_unstable_by_key(|one| one.0);
        for two in done.windows(2) {
            assert!(two[0].0 < two[1].0, "object {} is visited twice", two[0].0);
        }
        for (other, number) in others.iter_mut().zip(1..) {
            let (mut left, name) = (vec![true; done.len()], describe(number, &**other));
            let theirs = walk(&mut **other, &mut |batch| {
                batch.retain(|key, bounds| {
                    let place = done.binary_search_by_key(&key, |one| one.0);
                    let place = place.ok().filter(|&place| replace(&mut left[place], false));
                    let place = place.unwrap_or_else(|| panic!("{name}: another visit of {key}"));
                    let (_, before, kept, after) = done[place];
                    assert_eq!(replace(bounds, after), before, "{name}: object {key}");
                    kept
                });
            });
            assert_eq!(theirs, answer, "{name} compared with the first");
            let left = left.iter().zip(&done).find(|(left, _)| **left).map(|(_, one)| one.0);
            assert_eq!(left, None, "{name} does not visit an object");
        }
        answer
    }
}

/// Sets the backend of a structure; asserts that the structure reports it.
fn set_backend<S: Scalar, const D: usize>(index: &mut dyn SpatialIndex<S, D>, backend: Backend) {
    index.set_backend(backend);
    assert_eq!(index.state().backend, Some(backend), "the backend that was set");
}

/// Returns the number of a structure and its backend as text for messages.
fn describe<S: Scalar, const D: usize>(number: usize, one: &dyn SpatialIndex<S, D>) -> String {
    let on = one.state().backend.map_or(String::new(), |backend| format!(" on {backend}"));
    format!("structure {number}{on}")
}

impl<S: Scalar, const D: usize> Clone for Together<S, D> {
    fn clone(&self) -> Self {
        let all = self.all.iter().map(|one| one.boxed_clone()).collect();
        Self { all, same_order: self.same_order }
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

    use broadphase_core::{Aabb, BruteForce, Path, SpatialIndexExt};

    use super::Together;

    /// Returns two structures of which the second one contains only the objects below `end`.
    fn two(end: u32) -> Together<f32, 1> {
        Together::of([3, end].map(|end| {
            let mut index = BruteForce::new();
            index.extend((0..end).map(|key| (key, Aabb::point([0.0])))).expect("keys are free");
            Together::one(index)
        }))
    }

    #[test]
    fn a_missing_object_is_detected_by_each_method_that_visits_objects() {
        let calls: [fn(&mut Together<f32, 1>); 7] = [
            |both| both.update(|_, _| ()).expect("valid bounds"),
            |both| both.retain(|_, _| true).expect("valid bounds"),
            |both| both.pairs_unordered(&mut Vec::new()),
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
