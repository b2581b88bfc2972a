//! The oracle: a sorted map of objects, all pairs tested one by one.

use alloc::collections::BTreeMap;

use broadphase_core::{Aabb, Pair, SpatialIndex};
use proptest::prelude::*;

use crate::numbers::{Numbers, boxes};

/// One change to a structure.
#[derive(Clone, Debug)]
pub enum Step<S, const D: usize> {
    /// Adds an object, or gives an existing one other bounds.
    Put(u32, Aabb<S, D>, u32),
    /// Removes an object, if it is there.
    Remove(u32),
    /// Changes the data of an object, if it is there.
    SetData(u32, u32),
    /// Moves every object whose key is odd to another one's bounds.
    Shuffle(u32),
    /// Removes all objects.
    Clear,
}

/// Sequences of steps on a few dozen keys, some of them far apart.
pub fn steps<S: Numbers, const D: usize>() -> BoxedStrategy<Vec<Step<S, D>>> {
    let key = prop_oneof![40 => 0u32..24, 1 => Just(u32::MAX), 1 => Just(4_000_000_000)];
    let step = prop_oneof![
        50 => (key.clone(), boxes(), any::<u32>()).prop_map(|(k, b, d)| Step::Put(k, b, d)),
        18 => key.clone().prop_map(Step::Remove),
        6 => (key, any::<u32>()).prop_map(|(k, d)| Step::SetData(k, d)),
        3 => any::<u32>().prop_map(Step::Shuffle),
        1 => Just(Step::Clear),
    ];
    prop::collection::vec(step, 1..60).boxed()
}

/// What a structure should hold, and the answers it should give.
#[derive(Clone, Debug)]
pub struct Model<S, const D: usize> {
    /// Bounds and data by key.
    pub objects: BTreeMap<u32, (Aabb<S, D>, u32)>,
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
                    object.0 = bounds;
                    index.set_bounds(key, bounds).expect("the object is there");
                } else {
                    self.objects.insert(key, (bounds, data));
                    index.insert(key, bounds, data).expect("the key is free");
                }
            }
            Step::Remove(key) => {
                let removed = self.objects.remove(&key).map(|(_, data)| data);
                assert_eq!(index.remove(key), removed, "what was stored comes back");
            }
            Step::SetData(key, data) => {
                let ours = self.objects.get_mut(&key).map(|object| &mut object.1);
                let theirs = index.data_mut(key);
                assert_eq!(ours, theirs, "the same data to change");
                if let (Some(ours), Some(theirs)) = (ours, theirs) {
                    (*ours, *theirs) = (data, data);
                }
            }
            Step::Shuffle(seed) => self.shuffle(index, seed),
            Step::Clear => {
                self.objects.clear();
                index.clear();
            }
        }
    }

    /// Every object with an odd key takes over the bounds of another.
    fn shuffle<I: SpatialIndex<S, D, Data = u32>>(&mut self, index: &mut I, seed: u32) {
        let all: Vec<Aabb<S, D>> = self.objects.values().map(|(bounds, _)| *bounds).collect();
        let next = |key: u32| all[(key.wrapping_add(seed)) as usize % all.len()];
        index
            .update(|key, _, bounds| {
                if key % 2 == 1 {
                    *bounds = next(key);
                }
            })
            .expect("all bounds are valid");
        for (&key, (bounds, _)) in &mut self.objects {
            if key % 2 == 1 {
                *bounds = next(key);
            }
        }
    }

    /// All overlapping pairs that `accept` accepts, in canonical order.
    pub fn pairs_where(&self, accept: impl Fn(u32, u32) -> bool) -> Vec<Pair> {
        let mut pairs = Vec::new();
        for (&a, (bounds, data)) in &self.objects {
            for (&b, (others, theirs)) in self.objects.range(a..).skip(1) {
                if bounds.overlaps(others) && accept(*data, *theirs) {
                    pairs.push([a, b]);
                }
            }
        }
        pairs
    }

    /// All overlapping pairs, in canonical order.
    pub fn pairs(&self) -> Vec<Pair> {
        self.pairs_where(|_, _| true)
    }

    /// The keys of all objects that overlap a box, ascending.
    pub fn query(&self, region: &Aabb<S, D>) -> Vec<u32> {
        let found = self.objects.iter().filter(|(_, (bounds, _))| bounds.overlaps(region));
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
        index.assert_well_formed();
        assert_eq!(index.len(), self.objects.len());
        assert_eq!(index.is_empty(), self.objects.is_empty());
        // Queries first: they must be right before anything was refreshed.
        index.query(*region, found);
        assert_eq!(*found, self.query(region), "query for {region:?}");
        index.pairs(pairs);
        assert_eq!(*pairs, self.pairs());
        index.query(*region, found);
        assert_eq!(*found, self.query(region), "query for {region:?} after finding pairs");
        let mut order: Vec<u32> = index.order().collect();
        order.sort_unstable();
        assert!(order.iter().eq(self.objects.keys()), "every key is stored once");
        for (&key, (bounds, data)) in &self.objects {
            let entry = index.get(key).expect("the object is there");
            assert_eq!((entry.key, entry.bounds, *entry.data), (key, *bounds, *data));
        }
        assert!(index.get(12_345).is_none());
    }
}
