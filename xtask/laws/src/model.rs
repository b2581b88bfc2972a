//! The oracle: a sorted map of objects. Its pairs and queries test all objects one by one. All
//! structures must return the same results.

use broadphase_core::{Aabb, IndexError, IndexObject, Motion, Pair, SpatialIndex, SpatialIndexExt};
use proptest::prelude::*;

use crate::map::SortedMap;
use crate::numbers::{Numbers, boxes, wrong_boxes};
use crate::torus;

/// One change to a structure.
#[derive(Clone, Debug)]
pub enum Step<S, const D: usize> {
    /// Inserts an object, or sets the bounds of an existing object; expects an error and no change
    /// if the box is invalid.
    Put(u32, Aabb<S, D>),
    /// Removes an object if it exists.
    Remove(u32),
    /// Sets the motion class of an object; expects an error if it does not exist.
    SetMotion(u32, Motion),
    /// Sets all objects with odd keys (`true`) or even keys (`false`) to static.
    Petrify(bool),
    /// Multiplies the size of an object by 8 (`true`) or 1/8 (`false`) if it exists.
    Resize(u32, bool),
    /// Uses `update` to set the bounds of each object with an odd key to those of another object.
    Shuffle(u32),
    /// Uses `update_dynamic` to set the bounds of each dynamic object with an odd key to those of
    /// another object.
    ShuffleDynamic(u32),
    /// Uses `retain` to set the bounds of each object with an odd key to those of another object,
    /// and to remove one object in four.
    Retain(u32),
    /// Calls `insert_many`; expects an error and no change if a key is in use or repeated, or a box
    /// invalid.
    InsertMany(Vec<IndexObject<S, D>>),
    /// Calls `remove_many`; expects an error and no change if a key is unknown.
    RemoveMany(Vec<u32>),
    /// Removes all objects.
    Clear,
}

/// Returns a strategy for sequences of steps on 26 keys, two of them very large.
pub fn steps<S: Numbers, const D: usize>() -> BoxedStrategy<Vec<Step<S, D>>> {
    steps_with(boxes())
}

/// Returns a strategy for sequences of steps with these boxes.
pub(crate) fn steps_with<S: Numbers, const D: usize>(
    boxes: BoxedStrategy<Aabb<S, D>>,
) -> BoxedStrategy<Vec<Step<S, D>>> {
    let key = prop_oneof![40 => 0u32..24, 1 => Just(u32::MAX), 1 => Just(4_000_000_000)];
    let motion = prop_oneof![
        4 => Just(Motion::Static),
        1 => Just(Motion::Sleeping),
        1 => Just(Motion::Dynamic),
    ];
    let new = (0u32..32, prop_oneof![30 => boxes.clone(), 1 => wrong_boxes()], motion.clone())
        .prop_map(|(key, bounds, motion)| IndexObject { key, bounds, motion });
    let step = prop_oneof![
        50 => (key.clone(), boxes).prop_map(|(k, b)| Step::Put(k, b)),
        2 => (key.clone(), wrong_boxes()).prop_map(|(k, b)| Step::Put(k, b)),
        18 => key.clone().prop_map(Step::Remove),
        8 => (key.clone(), any::<bool>()).prop_map(|(k, up)| Step::Resize(k, up)),
        20 => (key, motion).prop_map(|(k, m)| Step::SetMotion(k, m)),
        4 => any::<bool>().prop_map(Step::Petrify),
        3 => any::<u32>().prop_map(Step::Shuffle),
        3 => any::<u32>().prop_map(Step::ShuffleDynamic),
        2 => any::<u32>().prop_map(Step::Retain),
        8 => prop::collection::vec(new, 0..6).prop_map(Step::InsertMany),
        5 => prop::collection::vec(0u32..24, 0..3).prop_map(Step::RemoveMany),
        1 => Just(Step::Clear),
    ];
    prop::collection::vec(step, 1..90).boxed()
}

/// Scales a box by `times` and keeps its minimum corner. The result is rounded and clamped.
fn resized<S: Numbers, const D: usize>(bounds: &Aabb<S, D>, times: f64) -> Aabb<S, D> {
    let mut resized = *bounds;
    for axis in 0..D {
        let (min, max) = (bounds.min[axis], bounds.max[axis]);
        let end = S::from_f64(min.to_f64() + (max.to_f64() - min.to_f64()) * times);
        resized.max[axis] = if end.is_finite() && end >= min { end } else { S::MAX };
    }
    resized
}

/// Returns the largest extent of a box.
fn size<S: Numbers, const D: usize>(bounds: &Aabb<S, D>) -> f64 {
    let extent = |axis: usize| bounds.max[axis].to_f64() - bounds.min[axis].to_f64();
    (0..D).map(extent).fold(0.0, f64::max)
}

/// The expected content of a structure; the expected results are computed from it.
#[derive(Clone, Debug, PartialEq)]
pub struct Model<S, const D: usize> {
    /// The objects by key.
    pub objects: SortedMap<IndexObject<S, D>>,
    /// The sides of the world, if the structure is a torus.
    sides: Option<[S; D]>,
}

impl<S: Numbers, const D: usize> Default for Model<S, D> {
    fn default() -> Self {
        Self { objects: SortedMap::default(), sides: None }
    }
}

impl<S: Numbers, const D: usize> Model<S, D> {
    /// Creates the model of a torus with these sides.
    pub(crate) fn of_torus(sides: [S; D]) -> Self {
        Self { sides: Some(sides), ..Self::default() }
    }

    /// Returns a box as the structure stores it.
    fn stored(&self, bounds: &Aabb<S, D>) -> Aabb<S, D> {
        self.sides.map_or(*bounds, |sides| torus::reduced(bounds, &sides))
    }

    fn overlap(&self, a: &Aabb<S, D>, b: &Aabb<S, D>) -> bool {
        self.sides.map_or_else(|| a.overlaps(b), |sides| torus::overlap(a, b, &sides))
    }

    /// Applies one step to the model and to the structure; asserts equal results.
    pub fn take(&mut self, index: &mut dyn SpatialIndex<S, D>, step: &Step<S, D>) {
        match *step {
            Step::Put(key, bounds) => {
                let known = self.objects.get(&key).is_some();
                let result =
                    if known { index.set_bounds(key, bounds) } else { index.insert(key, bounds) };
                let expected = bounds.checked().map(|_| ());
                let expected = expected.map_err(|why| IndexError::InvalidBounds { key, why });
                assert_eq!(result, expected, "{bounds:?}");
                if result.is_ok() {
                    let mut object = IndexObject::new(key, self.stored(&bounds));
                    object.motion = self.objects.get(&key).map_or(object.motion, |old| old.motion);
                    self.objects.insert(key, object);
                }
            }
            Step::Remove(key) => {
                let removed = self.objects.remove(&key).is_some();
                assert_eq!(index.remove(key), removed, "whether the key was known");
            }
            Step::SetMotion(key, motion) => {
                let ours = self.objects.get_mut(&key).map(|object| object.motion = motion);
                let unknown = IndexError::UnknownKey { key };
                assert_eq!(index.set_motion(key, motion), ours.ok_or(unknown));
            }
            Step::Petrify(odd) => {
                for (&key, object) in self.objects.iter_mut() {
                    if (key % 2 == 1) == odd {
                        object.motion = Motion::Static;
                        index.set_motion(key, Motion::Static).expect("the object exists");
                    }
                }
            }
            Step::Resize(key, up) => {
                if let Some(object) = self.objects.get(&key) {
                    let bounds = resized(&object.bounds, if up { 8.0 } else { 0.125 });
                    self.take(index, &Step::Put(key, bounds));
                }
            }
            Step::Shuffle(seed) | Step::ShuffleDynamic(seed) | Step::Retain(seed) => {
                self.walk(index, seed, step);
            }
            Step::InsertMany(ref objects) => self.insert_many(index, objects),
            Step::RemoveMany(ref keys) => {
                let unknown = keys.iter().find(|key| self.objects.get(key).is_none());
                let expected = unknown.map_or(Ok(()), |&key| Err(IndexError::UnknownKey { key }));
                assert_eq!(index.remove_many(keys), expected, "the first unknown key");
                if expected.is_ok() {
                    self.objects.retain(|key, _| !keys.contains(key));
                }
            }
            Step::Clear => {
                self.objects = SortedMap::default();
                index.clear();
            }
        }
    }

    /// Applies a step that visits objects.
    fn walk(&mut self, index: &mut dyn SpatialIndex<S, D>, seed: u32, step: &Step<S, D>) {
        let only_dynamic = matches!(step, Step::ShuffleDynamic(_));
        let all: Vec<Aabb<S, D>> = self.objects.values().map(|object| object.bounds).collect();
        // On a torus the given boxes are one side above the stored ones.
        let up = self.sides.map_or([S::ZERO; D], |sides| sides.map(|side| S::ZERO.minus(side)));
        let next =
            |key: u32| torus::moved_down(&all[(key.wrapping_add(seed)) as usize % all.len()], up);
        let keeps = |key: u32| {
            !matches!(step, Step::Retain(_)) || !key.wrapping_add(seed).is_multiple_of(4)
        };
        let mut walked = Vec::new();
        let mut change = |key: u32, bounds: &mut Aabb<S, D>| {
            assert_eq!(*bounds, self.objects[&key].bounds, "bounds of {key} in a walk");
            walked.push(key);
            if key % 2 == 1 {
                *bounds = next(key);
            }
            keeps(key)
        };
        let result = match step {
            Step::Retain(_) => index.retain(change),
            _ if only_dynamic => index.update_dynamic(|key, bounds| _ = change(key, bounds)),
            _ => index.update(|key, bounds| _ = change(key, bounds)),
        };
        result.expect("all bounds are valid");
        let (mut expected, before) = (Vec::new(), self.clone());
        for (&key, object) in self.objects.iter_mut() {
            if !only_dynamic || object.motion == Motion::Dynamic {
                expected.push(key);
                if key % 2 == 1 {
                    object.bounds = before.stored(&next(key));
                }
            }
        }
        walked.sort_unstable();
        assert_eq!(walked, expected, "the closure is called once for each object");
        self.objects.retain(|&key, _| keeps(key));
    }

    fn insert_many(&mut self, index: &mut dyn SpatialIndex<S, D>, objects: &[IndexObject<S, D>]) {
        let mut after = self.objects.clone();
        let first_error = objects.iter().find_map(|object| {
            let key = object.key;
            if let Err(why) = object.bounds.checked() {
                return Some(IndexError::InvalidBounds { key, why });
            }
            let stored = IndexObject { bounds: self.stored(&object.bounds), ..*object };
            after.insert(key, stored).map(|_| IndexError::KeyInUse { key })
        });
        let expected = first_error.map_or(Ok(()), Err);
        assert_eq!(index.insert_many(objects), expected, "the first object that fails");
        if expected.is_ok() {
            self.objects = after;
        }
    }

    /// Returns all overlapping pairs, in canonical order.
    pub fn pairs(&self) -> Vec<Pair> {
        let mut pairs = Vec::new();
        // Copy to a vector, because this loop over all pairs takes most of the run time.
        let all: Vec<IndexObject<S, D>> = self.objects.values().copied().collect();
        for (object, rest) in all.iter().zip(1..) {
            let met = all[rest..].iter().filter(|other| {
                let moves = object.motion != Motion::Static || other.motion != Motion::Static;
                moves && self.overlap(&object.bounds, &other.bounds)
            });
            pairs.extend(met.map(|other| [object.key, other.key]));
        }
        pairs
    }

    /// Returns whether the size of an object changed by a factor of at least 8 since `before`.
    pub fn resized(&self, before: &Self) -> bool {
        self.objects.iter().any(|(key, object)| {
            before.objects.get(key).is_some_and(|before| {
                let (old, new) = (size(&before.bounds), size(&object.bounds));
                old.min(new) > 0.0 && old.max(new) >= 8.0 * old.min(new)
            })
        })
    }

    /// Returns whether two static objects overlap; these do not form a pair.
    pub fn keeps_apart(&self) -> bool {
        let is_static = |object: &&IndexObject<S, D>| object.motion == Motion::Static;
        let statics: Vec<_> = self.objects.values().filter(is_static).collect();
        statics.iter().zip(1..).any(|(object, rest)| {
            statics[rest..].iter().any(|other| object.bounds.overlaps(&other.bounds))
        })
    }

    /// Returns the keys of all objects that overlap a box, ascending.
    pub fn query(&self, region: &Aabb<S, D>) -> Vec<u32> {
        let region = self.stored(region);
        let found = self.objects.iter().filter(|(_, object)| self.overlap(&object.bounds, &region));
        found.map(|(&key, _)| key).collect()
    }

    /// Compares all results of the structure with the model, before and after `pairs`. Returns the
    /// pairs.
    pub fn compare(&self, index: &mut dyn SpatialIndex<S, D>, region: &Aabb<S, D>) -> Vec<Pair> {
        // Queries before `pairs`: they must also be right while objects are pending.
        self.compare_unrefreshed(index, region);
        let mut pairs = vec![[7, 7]];
        index.pairs(&mut pairs);
        assert_eq!(pairs, self.pairs());
        self.compare_unrefreshed(index, region);
        pairs
    }

    /// Compares the structure with the model: calls all methods that do not change the structure.
    pub fn compare_unrefreshed(&self, index: &dyn SpatialIndex<S, D>, region: &Aabb<S, D>) {
        index.assert_well_formed();
        assert_eq!(index.len(), self.objects.len());
        assert_eq!(index.is_empty(), self.objects.is_empty());
        let mut found = vec![7];
        index.query(*region, &mut found);
        assert_eq!(found, self.query(region), "query for {region:?}");
        let mut order = index.keys();
        order.sort_unstable();
        assert!(order.iter().eq(self.objects.keys()), "every key is stored once");
        let keys: Vec<u32> = self.objects.keys().copied().chain([12_345]).collect();
        let mut boxes = vec![[[S::MAX; D]; 2]; keys.len()];
        index.bounds_of(&keys, &mut boxes);
        assert_eq!(boxes.pop(), Some([[S::MAX; D]; 2]), "an unknown key writes nothing");
        for ((&key, object), [min, max]) in self.objects.iter().zip(boxes) {
            assert_eq!(Aabb { min, max }, object.bounds, "bounds of {key} among others");
            assert_eq!(index.get(key), Some(*object));
        }
        assert!(index.get(12_345).is_none());
    }
}
