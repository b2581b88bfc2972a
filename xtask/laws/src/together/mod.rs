//! Structures side by side: they are told the same and must answer the same.

mod index;

use core::any::Any;
use core::cell::Cell;
use core::fmt::{self, Debug};

use alloc::collections::BTreeMap;
use broadphase_core::{Aabb, Backend, Entry, IndexError, Scalar, SpatialIndex};

use crate::face::{Change, Face, who};

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

    /// Each of them, alone.
    pub(crate) fn each_alone(mut self) -> impl Iterator<Item = Self> {
        self.share_data();
        let alone = |one| Self { all: vec![one], alike: true, touched: Vec::new() };
        self.all.into_iter().map(alone)
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
