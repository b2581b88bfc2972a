//! The oracle: a sorted map of objects, all pairs tested one by one.

use alloc::collections::BTreeMap;

use broadphase_core::{Aabb, IndexError, Motion, Pair, SpatialIndex, apply_order};
use proptest::prelude::*;

use crate::numbers::{Numbers, boxes, wrong_boxes};

/// One change to a structure.
#[derive(Clone, Debug)]
pub enum Step<S, const D: usize> {
    /// Adds an object, or gives an existing one other bounds.
    Put(u32, Aabb<S, D>, u32),
    /// Removes an object, if it is there.
    Remove(u32),
    /// Changes the data of an object, if it is there.
    SetData(u32, u32),
    /// Says how an object moves, if it is there.
    SetMotion(u32, Motion),
    /// Makes every second key static, the even ones or the odd ones.
    Petrify(bool),
    /// Makes an object eight times as large, or an eighth, if it is there.
    Resize(u32, bool),
    /// Moves every object whose key is odd to another one's bounds.
    Shuffle(u32),
    /// The same, but for those that are not dynamic.
    ShuffleDynamic(u32),
    /// Moves many objects at once, or none if one is not there or a box is wrong.
    SetBoundsMany(Vec<(u32, Aabb<S, D>)>),
    /// Gives all objects other keys.
    Renumber,
    /// Removes all objects.
    Clear,
}

/// Sequences of steps on a few dozen keys, some of them far apart.
pub fn steps<S: Numbers, const D: usize>() -> BoxedStrategy<Vec<Step<S, D>>> {
    let key = prop_oneof![40 => 0u32..24, 1 => Just(u32::MAX), 1 => Just(4_000_000_000)];
    let motion = prop_oneof![
        4 => Just(Motion::Static),
        1 => Just(Motion::Sleeping),
        1 => Just(Motion::Dynamic),
    ];
    // One in eight has a box that is wrong.
    let wrong = prop_oneof![7 => Just(None), 1 => (0usize..8, wrong_boxes()).prop_map(Some)];
    let many =
        (prop::collection::vec((0u32..24, boxes()), 0..8), wrong).prop_map(|(many, wrong)| {
            let mut many = many;
            if let Some((place, wrong)) = wrong
                && let Some(change) = many.get_mut(place)
            {
                change.1 = wrong;
            }
            many
        });
    let step = prop_oneof![
        50 => (key.clone(), boxes(), any::<u32>()).prop_map(|(k, b, d)| Step::Put(k, b, d)),
        18 => key.clone().prop_map(Step::Remove),
        6 => (key.clone(), any::<u32>()).prop_map(|(k, d)| Step::SetData(k, d)),
        8 => (key.clone(), any::<bool>()).prop_map(|(k, up)| Step::Resize(k, up)),
        20 => (key, motion).prop_map(|(k, m)| Step::SetMotion(k, m)),
        4 => any::<bool>().prop_map(Step::Petrify),
        3 => any::<u32>().prop_map(Step::Shuffle),
        3 => any::<u32>().prop_map(Step::ShuffleDynamic),
        6 => many.prop_map(Step::SetBoundsMany),
        2 => Just(Step::Renumber),
        1 => Just(Step::Clear),
    ];
    prop::collection::vec(step, 1..90).boxed()
}

/// An object as the model knows it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Object<S, const D: usize> {
    /// Its bounds.
    pub bounds: Aabb<S, D>,
    /// What is stored with it.
    pub data: u32,
    /// How it moves.
    pub motion: Motion,
}

impl<S: Numbers, const D: usize> Object<S, D> {
    /// An object as it is when it was just inserted.
    pub const fn new(bounds: Aabb<S, D>, data: u32) -> Self {
        Self { bounds, data, motion: Motion::Dynamic }
    }

    /// Whether the two are a pair.
    pub fn meets(&self, other: &Self) -> bool {
        let moves = self.motion != Motion::Static || other.motion != Motion::Static;
        self.bounds.overlaps(&other.bounds) && moves
    }
}

/// A box with the same low corner, about so many times as large.
fn resized<S: Numbers, const D: usize>(bounds: &Aabb<S, D>, times: f64) -> Aabb<S, D> {
    let mut resized = *bounds;
    for axis in 0..D {
        let (min, max) = (bounds.min[axis], bounds.max[axis]);
        let end = S::from_f64(min.to_f64() + (max.to_f64() - min.to_f64()) * times);
        resized.max[axis] = if end.is_finite() && end >= min { end } else { S::MAX };
    }
    resized
}

/// The largest extent of a box.
fn size<S: Numbers, const D: usize>(bounds: &Aabb<S, D>) -> f64 {
    let extent = |axis: usize| bounds.max[axis].to_f64() - bounds.min[axis].to_f64();
    (0..D).map(extent).fold(0.0, f64::max)
}

/// What a structure should hold, and the answers it should give.
#[derive(Clone, Debug, PartialEq)]
pub struct Model<S, const D: usize> {
    /// All objects by key.
    pub objects: BTreeMap<u32, Object<S, D>>,
}

impl<S: Numbers, const D: usize> Default for Model<S, D> {
    fn default() -> Self {
        Self { objects: BTreeMap::new() }
    }
}

impl<S: Numbers, const D: usize> Model<S, D> {
    /// Takes one step with the model and with the structure; the answers must agree.
    ///
    /// # Panics
    /// If they do not.
    pub fn take<I: SpatialIndex<S, D, Data = u32>>(&mut self, index: &mut I, step: &Step<S, D>) {
        match *step {
            Step::Put(key, bounds, data) => {
                if let Some(object) = self.objects.get_mut(&key) {
                    object.bounds = bounds;
                    index.set_bounds(key, bounds).expect("the object is there");
                } else {
                    self.objects.insert(key, Object::new(bounds, data));
                    index.insert(key, bounds, data).expect("the key is free");
                }
            }
            Step::Remove(key) => {
                let removed = self.objects.remove(&key).map(|object| object.data);
                assert_eq!(index.remove(key), removed, "what was stored comes back");
            }
            Step::SetData(key, data) => {
                let ours = self.objects.get_mut(&key).map(|object| &mut object.data);
                let theirs = index.data_mut(key);
                assert_eq!(ours, theirs, "the same data to change");
                if let (Some(ours), Some(theirs)) = (ours, theirs) {
                    (*ours, *theirs) = (data, data);
                }
            }
            Step::SetMotion(key, motion) => {
                let ours = self.objects.get_mut(&key).map(|object| object.motion = motion);
                let unknown = IndexError::UnknownKey { key };
                assert_eq!(index.set_motion(key, motion), ours.ok_or(unknown));
            }
            Step::Petrify(odd) => {
                for (&key, object) in &mut self.objects {
                    if (key % 2 == 1) == odd {
                        object.motion = Motion::Static;
                        index.set_motion(key, Motion::Static).expect("the object is there");
                    }
                }
            }
            Step::Resize(key, up) => {
                if let Some(object) = self.objects.get(&key) {
                    let bounds = resized(&object.bounds, if up { 8.0 } else { 0.125 });
                    self.take(index, &Step::Put(key, bounds, 0));
                }
            }
            Step::Shuffle(seed) => self.shuffle(index, seed, false),
            Step::ShuffleDynamic(seed) => self.shuffle(index, seed, true),
            Step::SetBoundsMany(ref changes) => self.set_bounds_many(index, changes),
            Step::Renumber => self.renumber(index),
            Step::Clear => {
                self.objects.clear();
                index.clear();
            }
        }
    }

    /// Every object with an odd key takes over the bounds of another.
    fn shuffle<I: SpatialIndex<S, D, Data = u32>>(
        &mut self,
        index: &mut I,
        seed: u32,
        dynamic: bool,
    ) {
        let all: Vec<Aabb<S, D>> = self.objects.values().map(|object| object.bounds).collect();
        let next = |key: u32| all[(key.wrapping_add(seed)) as usize % all.len()];
        let mut walked = Vec::new();
        let change = |key: u32, data: &mut u32, bounds: &mut Aabb<S, D>| {
            walked.push(key);
            *data ^= 1;
            if key % 2 == 1 {
                *bounds = next(key);
            }
        };
        if dynamic { index.update_dynamic(change) } else { index.update(change) }
            .expect("all bounds are valid");
        let mut expected = Vec::new();
        for (&key, object) in &mut self.objects {
            if !dynamic || object.motion == Motion::Dynamic {
                expected.push(key);
                object.data ^= 1;
                if key % 2 == 1 {
                    object.bounds = next(key);
                }
            }
        }
        walked.sort_unstable();
        assert_eq!(walked, expected, "a walk sees each of its objects once");
    }

    fn set_bounds_many<I: SpatialIndex<S, D, Data = u32>>(
        &mut self,
        index: &mut I,
        changes: &[(u32, Aabb<S, D>)],
    ) {
        let wrong = changes.iter().find_map(|&(key, bounds)| {
            if !self.objects.contains_key(&key) {
                return Some(IndexError::UnknownKey { key });
            }
            bounds.checked().err().map(|why| IndexError::InvalidBounds { key, why })
        });
        if let Some(wrong) = wrong {
            assert_eq!(index.set_bounds_many(changes), Err(wrong), "the first that is wrong");
            // What is left is right, unless a box was wrong.
            let right = |(key, bounds): &&(u32, Aabb<S, D>)| {
                self.objects.contains_key(key) && bounds.checked().is_ok()
            };
            let right: Vec<_> = changes.iter().filter(right).copied().collect();
            return self.set_bounds_many(index, &right);
        }
        assert_eq!(index.set_bounds_many(changes), Ok(()));
        for &(key, bounds) in changes {
            self.objects.get_mut(&key).expect("none is wrong").bounds = bounds;
        }
    }

    fn renumber<I: SpatialIndex<S, D, Data = u32>>(&mut self, index: &mut I) {
        let mut old = vec![7; 3];
        index.renumber(&mut old);
        assert!(index.order().eq(0..self.objects.len() as u32), "keys ascend in storage order");
        let before = core::mem::take(&mut self.objects);
        let mut items: Vec<Option<Object<S, D>>> =
            (0..before.len().max(64) as u32).map(|key| before.get(&key).copied()).collect();
        for (new, &key) in (0..).zip(&old) {
            let object = before.get(&key).unwrap_or_else(|| panic!("there was no object {key}"));
            self.objects.insert(new, *object);
        }
        assert_eq!(self.objects.len(), before.len(), "every object has a new key");
        let mut sorted = old.clone();
        sorted.sort_unstable();
        assert!(sorted.iter().eq(before.keys()), "every object has one new key");
        // The caller's own items follow, where keys are indices.
        if sorted.last().is_none_or(|&last| (last as usize) < items.len()) {
            apply_order(&mut old, &mut items);
            assert!(items.iter().flatten().eq(self.objects.values()), "items follow the objects");
        }
    }

    /// Removes what is not to be kept.
    pub fn retain(&mut self, keep: &mut dyn FnMut(u32, &mut Object<S, D>) -> bool) {
        self.objects.retain(|&key, object| keep(key, object));
    }

    /// All overlapping pairs that `accept` accepts, in canonical order.
    pub fn pairs_where(&self, accept: &dyn Fn(u32, u32) -> bool) -> Vec<Pair> {
        let mut pairs = Vec::new();
        // Side by side, since there may be thousands: this is what takes longest.
        let all: Vec<(u32, Object<S, D>)> =
            self.objects.iter().map(|(&key, &object)| (key, object)).collect();
        for (place, (a, object)) in all.iter().enumerate() {
            for (b, other) in &all[place + 1..] {
                if object.meets(other) && accept(object.data, other.data) {
                    pairs.push([*a, *b]);
                }
            }
        }
        pairs
    }

    /// All overlapping pairs, in canonical order.
    pub fn pairs(&self) -> Vec<Pair> {
        self.pairs_where(&|_, _| true)
    }

    /// Whether an object of `before` is now eight times as large, or an eighth, or less.
    pub fn resized(&self, before: &Self) -> bool {
        self.objects.iter().any(|(key, object)| {
            before.objects.get(key).is_some_and(|before| {
                let (old, new) = (size(&before.bounds), size(&object.bounds));
                old.min(new) > 0.0 && old.max(new) >= 8.0 * old.min(new)
            })
        })
    }

    /// Whether there are two that overlap and are no pair, since both are static.
    pub fn keeps_apart(&self) -> bool {
        let all = || self.objects.values();
        let statics = || all().enumerate().filter(|(_, object)| object.motion == Motion::Static);
        statics().any(|(a, object)| {
            statics().any(|(b, other)| a != b && object.bounds.overlaps(&other.bounds))
        })
    }

    /// The keys of all objects that overlap a box, ascending.
    pub fn query(&self, region: &Aabb<S, D>) -> Vec<u32> {
        let found = self.objects.iter().filter(|(_, object)| object.bounds.overlaps(region));
        found.map(|(&key, _)| key).collect()
    }

    /// Asks the structure everything and compares.
    ///
    /// # Panics
    /// If an answer differs.
    pub fn compare<I: SpatialIndex<S, D, Data = u32>>(
        &self,
        index: &mut I,
        region: &Aabb<S, D>,
        buffers: &mut (Vec<Pair>, Vec<u32>),
    ) {
        let (pairs, found) = buffers;
        // Queries first: they must be right before anything was refreshed.
        self.compare_unrefreshed(index, region, found);
        index.pairs(pairs);
        assert_eq!(*pairs, self.pairs());
        self.compare_unrefreshed(index, region, found);
    }

    /// Asks the structure everything that leaves it as it is, and compares.
    ///
    /// # Panics
    /// If an answer differs.
    pub fn compare_unrefreshed<I: SpatialIndex<S, D, Data = u32>>(
        &self,
        index: &I,
        region: &Aabb<S, D>,
        found: &mut Vec<u32>,
    ) {
        index.assert_well_formed();
        assert_eq!(index.len(), self.objects.len());
        assert_eq!(index.is_empty(), self.objects.is_empty());
        index.query(*region, found);
        assert_eq!(*found, self.query(region), "query for {region:?}");
        let mut order: Vec<u32> = index.order().collect();
        order.sort_unstable();
        assert!(order.iter().eq(self.objects.keys()), "every key is stored once");
        for (&key, object) in &self.objects {
            let entry = index.get(key).expect("the object is there");
            let motion = index.motion(key).expect("the object is there");
            let found = Object { bounds: entry.bounds, data: *entry.data, motion };
            assert_eq!((entry.key, found), (key, *object));
        }
        assert!(index.get(12_345).is_none());
        assert!(index.motion(12_345).is_none());
    }
}
