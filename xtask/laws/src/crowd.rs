//! The law of crowds. Hundreds to thousands of objects reach code that small examples do not: long
//! lists, growth, gaps, maintenance.

use broadphase_core::{Aabb, Motion, SpatialIndexExt};
use proptest::prelude::*;

use crate::Together;
use crate::examples::tried;
use crate::model::{Model, Step};
use crate::numbers::Numbers;
use crate::random::Random;

/// A random change to a crowd.
#[derive(Clone, Copy, Debug)]
enum Action {
    /// Inserts this number of objects, anywhere in the world.
    Insert(u32),
    /// Inserts this number of objects in a small region.
    InsertCluster(u32),
    /// Inserts this number of rods along this axis; axes beyond the dimension count from 0.
    InsertRods(u32, usize),
    /// Moves all objects on each axis by less than half of this number.
    Drift(u32),
    /// Moves all dynamic objects a little.
    DriftDynamic,
    /// Moves most objects a little, and one in this number of objects to a random position.
    DriftAndJump(u32),
    /// Moves all objects into one small region.
    Gather,
    /// Moves all objects to random positions.
    Scatter,
    /// Removes all objects in a region one by one.
    RemoveRegion,
    /// Removes all objects but one in this number, with `retain`.
    RetainOneIn(u32),
    /// Moves a random sample of the objects by key: most of them a little, some of them far.
    MoveSample,
    /// Resizes a part of a random sample; removes the rest and inserts new objects with the same
    /// keys.
    ReplaceSample,
    /// Sets the motion class of a random sample.
    SetMotion(Motion),
    /// Replaces the boxes of a random sample with the whole number range, or with a point at one
    /// end of the range.
    SpanSample,
    /// Calls `optimize`.
    Optimize,
    /// Calls `shrink_to_fit`.
    Shrink,
}

fn actions() -> impl Strategy<Value = Vec<Action>> {
    let motion = [Motion::Static, Motion::Sleeping, Motion::Dynamic];
    let action = prop_oneof![
        3 => (1u32..400).prop_map(Action::Insert),
        3 => (1u32..400).prop_map(Action::InsertCluster),
        3 => (1u32..120, 0..3usize).prop_map(|(many, axis)| Action::InsertRods(many, axis)),
        4 => (1u32..40).prop_map(Action::Drift),
        2 => Just(Action::DriftDynamic),
        3 => (2u32..40).prop_map(Action::DriftAndJump),
        2 => Just(Action::Gather),
        2 => Just(Action::Scatter),
        2 => Just(Action::RemoveRegion),
        2 => (2u32..9).prop_map(Action::RetainOneIn),
        3 => Just(Action::MoveSample),
        3 => Just(Action::ReplaceSample),
        3 => prop::sample::select(motion.to_vec()).prop_map(Action::SetMotion),
        1 => Just(Action::SpanSample),
        1 => Just(Action::Optimize),
        1 => Just(Action::Shrink),
    ];
    prop::collection::vec(action, 16..32)
}

/// Asserts that after every action on a crowd all results equal those of the model.
///
/// # Panics
/// If the law is violated.
pub fn crowds_agree_with_the_model<S: Numbers, const D: usize>(make: fn() -> Together<S, D>) {
    // The sides of the world on the first axis and on all others: a world that is long on the first
    // axis, long on the others, square, or small and therefore dense.
    let world = prop::sample::select(vec![[6000, 100], [100, 6000], [800, 800], [90, 90]]);
    let all = (world, any::<u64>(), 100u32..1500, actions());
    tried(8, all, |(world, seed, many, actions)| {
        let mut crowd = Crowd::new(make(), world, seed);
        crowd.apply(Action::Insert(many));
        actions.into_iter().for_each(|action| crowd.apply(action));
        Ok(())
    });
}

/// A structure, the model of its content, and the source of new objects.
struct Crowd<S: Numbers, const D: usize> {
    index: Together<S, D>,
    model: Model<S, D>,
    /// The sides of the world on the first axis and on all other axes.
    world: [u32; 2],
    random: Random,
    next: u32,
}

impl<S: Numbers, const D: usize> Crowd<S, D> {
    fn new(index: Together<S, D>, world: [u32; 2], seed: u64) -> Self {
        Self { index, model: Model::default(), world, random: Random::new(seed), next: 0 }
    }

    fn apply(&mut self, action: Action) {
        match action {
            Action::Insert(many) => (0..many).for_each(|_| self.insert(1)),
            Action::InsertCluster(many) => (0..many).for_each(|_| self.insert(16)),
            Action::InsertRods(many, axis) => (0..many).for_each(|_| self.insert_rod(axis % D)),
            Action::Drift(reach) => self.walk(reach, u32::MAX, false),
            Action::DriftDynamic => self.walk(2, u32::MAX, true),
            Action::DriftAndJump(one_in) => self.walk(2, one_in, false),
            Action::Gather => self.move_all(8),
            Action::Scatter => self.move_all(1),
            Action::RemoveRegion => {
                let region = self.random_box(1, 1 + self.world[0] / 3);
                for key in self.model.query(&region) {
                    self.model.take(&mut self.index, &Step::Remove(key));
                }
            }
            Action::RetainOneIn(one_in) => self.retain_one_in(one_in),
            Action::MoveSample => self.move_sample(),
            Action::ReplaceSample => self.replace_sample(),
            Action::SetMotion(motion) => {
                for key in self.sample() {
                    self.model.take(&mut self.index, &Step::SetMotion(key, motion));
                }
            }
            Action::SpanSample => self.span_sample(),
            Action::Optimize => self.index.optimize(),
            Action::Shrink => self.index.shrink_to_fit(),
        }
        let region = self.random_box(1, 20);
        // In one of three cases, the next action follows before `pairs` refreshes the structure.
        if self.random.below(3) > 0 {
            self.model.compare(&mut self.index, &region, &mut Default::default());
        } else {
            self.model.compare_unrefreshed(&self.index, &region, &mut Vec::new());
        }
    }

    /// Returns a random box, mostly small, in the first 1/`part` of each side of the world.
    fn random_box(&mut self, part: u32, size: u32) -> Aabb<S, D> {
        let size = match self.random.below(200) {
            0 => 40 * size,
            1..20 => 5 * size,
            _ => size,
        };
        let (mut min, mut max) = ([S::ZERO; D], [S::ZERO; D]);
        for axis in 0..D {
            let at = f64::from(self.random.below(4 * self.world[axis.min(1)] / part)) / 4.0;
            let extent = f64::from(self.random.below(4 * size)) / 4.0;
            (min[axis], max[axis]) = (S::from_f64(at), S::from_f64(at + extent));
        }
        Aabb { min, max }
    }

    fn insert(&mut self, part: u32) {
        let bounds = self.random_box(part, 8);
        self.put_new(bounds);
    }

    fn insert_rod(&mut self, axis: usize) {
        let mut bounds = self.random_box(1, 2);
        let length = S::from_f64(f64::from(self.random.below(100_000)));
        bounds.max[axis] = bounds.min[axis].plus(length);
        self.put_new(bounds);
    }

    fn put_new(&mut self, bounds: Aabb<S, D>) {
        self.model.take(&mut self.index, &Step::Put(self.next, bounds));
        self.next += 1;
    }

    /// Returns a random sample of about 10 % of the keys.
    fn sample(&mut self) -> Vec<u32> {
        let random = &mut self.random;
        self.model.objects.keys().copied().filter(|_| random.below(10) == 0).collect()
    }

    /// Returns the new box of each object (only of dynamic objects if `dynamic` is set). One in
    /// `one_in` objects moves to a random position, the others by less than half of `reach`.
    fn targets(&mut self, reach: u32, one_in: u32, dynamic: bool) -> Vec<(u32, Aabb<S, D>)> {
        let objects = self.model.objects.clone();
        let walks = objects.iter().filter(|(_, one)| !dynamic || one.motion == Motion::Dynamic);
        walks
            .map(|(&key, object)| {
                let mut bounds = object.bounds;
                if self.random.below(one_in) == 0 {
                    bounds = self.random_box(1, 8);
                } else if can_move(&bounds) {
                    for axis in 0..D {
                        let step = S::from_f64(f64::from(self.random.below(reach)) / 2.0);
                        let from = bounds.min[axis].plus(step);
                        let to = bounds.max[axis].plus(step);
                        (bounds.min[axis], bounds.max[axis]) = (from, to);
                    }
                }
                (key, bounds)
            })
            .collect()
    }

    fn walk(&mut self, reach: u32, one_in: u32, dynamic: bool) {
        let targets = self.targets(reach, one_in, dynamic);
        let change = |key: u32, bounds: &mut Aabb<S, D>| *bounds = box_of(&targets, key);
        if dynamic { self.index.update_dynamic(change) } else { self.index.update(change) }
            .expect("all bounds are valid");
        for (key, bounds) in targets {
            self.model.objects.get_mut(&key).expect("the object exists").bounds = bounds;
        }
    }

    /// Moves all objects to random positions in the first 1/`part` of each side of the world.
    fn move_all(&mut self, part: u32) {
        let keys: Vec<u32> = self.model.objects.keys().copied().collect();
        for key in keys {
            let step = Step::Put(key, self.random_box(part, 8));
            self.model.take(&mut self.index, &step);
        }
    }

    fn retain_one_in(&mut self, one_in: u32) {
        let seed = self.random.below(one_in);
        self.index.retain(|key, _| key % one_in == seed).expect("nothing moves");
        self.model.retain(&mut |key, _| key % one_in == seed);
    }

    fn move_sample(&mut self) {
        let near = self.targets(2, 8, false);
        for key in self.sample() {
            self.model.take(&mut self.index, &Step::Put(key, box_of(&near, key)));
        }
    }

    fn replace_sample(&mut self) {
        for key in self.sample() {
            if self.random.below(2) == 0 {
                self.model.take(&mut self.index, &Step::Resize(key, self.random.below(2) == 0));
                continue;
            }
            self.model.take(&mut self.index, &Step::Remove(key));
            let bounds = self.random_box(1, 8);
            self.model.take(&mut self.index, &Step::Put(key, bounds));
        }
    }

    fn span_sample(&mut self) {
        for key in self.sample().into_iter().step_by(16) {
            let mut bounds = Aabb { min: [S::MIN; D], max: [S::MAX; D] };
            match self.random.below(3) {
                0 => bounds.max = bounds.min,
                1 => bounds.min = bounds.max,
                _ => {}
            }
            self.model.take(&mut self.index, &Step::Put(key, bounds));
        }
    }
}

/// Returns the box of a key; `boxes` must be sorted by key.
fn box_of<S: Numbers, const D: usize>(boxes: &[(u32, Aabb<S, D>)], key: u32) -> Aabb<S, D> {
    boxes[boxes.binary_search_by_key(&key, |one| one.0).expect("the object exists")].1
}

/// Returns whether a box can be moved without overflow.
fn can_move<S: Numbers, const D: usize>(bounds: &Aabb<S, D>) -> bool {
    let far = |x: &S| x.to_f64().abs() > 1e6;
    !bounds.min.iter().chain(&bounds.max).any(far)
}
