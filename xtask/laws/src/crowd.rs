//! The law of crowds. Hundreds to thousands of objects reach code that small examples do not: long
//! lists, growth, gaps, maintenance.

use broadphase_core::{Aabb, Motion, SpatialIndexExt};
use proptest::prelude::*;

use crate::Together;
use crate::examples::tried;
use crate::map::SortedMap;
use crate::model::{Model, Step};
use crate::numbers::Numbers;
use crate::random::Random;

/// A random change to a crowd.
#[derive(Clone, Copy, Debug)]
enum Action {
    /// Inserts this number of objects in the first fraction of each side of the world, 1 / the
    /// second number.
    Insert(u32, u32),
    /// Inserts this number of rods along this axis; axes beyond the dimension count from 0.
    InsertRods(u32, usize),
    /// Moves all objects, or the dynamic ones: one in `one_in` to a random position, the others by
    /// less than half of `reach` on each axis.
    Walk { reach: u32, one_in: u32, dynamic: bool },
    /// Moves all objects to random positions in the first fraction of each side, 1 / this number.
    MoveAll(u32),
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
        3 => (1u32..400).prop_map(|many| Action::Insert(many, 1)),
        3 => (1u32..400).prop_map(|many| Action::Insert(many, 16)),
        3 => (1u32..120, 0..3usize).prop_map(|(many, axis)| Action::InsertRods(many, axis)),
        4 => (1u32..40).prop_map(|reach| Action::Walk { reach, one_in: u32::MAX, dynamic: false }),
        2 => Just(Action::Walk { reach: 2, one_in: u32::MAX, dynamic: true }),
        3 => (2u32..40).prop_map(|one_in| Action::Walk { reach: 2, one_in, dynamic: false }),
        2 => Just(Action::MoveAll(8)),
        2 => Just(Action::MoveAll(1)),
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
pub fn crowds_agree_with_the_model<S: Numbers, const D: usize>(make: fn() -> Together<S, D>) {
    // The sides of the world on the first axis and on all others: a world that is long on the first
    // axis, long on the others, square, or small and therefore dense.
    let world = prop::sample::select(vec![[6000, 100], [100, 6000], [800, 800], [90, 90]]);
    let all = (world, any::<u64>(), 100u32..1500, actions());
    tried(8, all, |(world, seed, many, actions)| {
        let (model, random) = (Model::default(), Random::new(seed));
        let mut crowd = Crowd { index: make(), model, world, random };
        crowd.apply(Action::Insert(many, 1));
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
}

impl<S: Numbers, const D: usize> Crowd<S, D> {
    fn apply(&mut self, action: Action) {
        for step in self.steps(action) {
            self.model.take(&mut self.index, &step);
        }
        let region = self.random_box(1, 20);
        // In one of three cases, the next action follows before `pairs` refreshes the structure.
        if self.random.below(3) > 0 {
            self.model.compare(&mut self.index, &region);
        } else {
            self.model.compare_unrefreshed(&self.index, &region);
        }
    }

    /// Returns the steps of an action. An action without a [`Step`] is applied instead.
    fn steps(&mut self, action: Action) -> Vec<Step<S, D>> {
        match action {
            Action::Insert(many, part) => {
                let first = self.next();
                (0..many).map(|n| Step::Put(first + n, self.random_box(part, 8))).collect()
            }
            Action::InsertRods(many, axis) => {
                let (first, axis) = (self.next(), axis % D);
                let rod = |n| {
                    let mut bounds = self.random_box(1, 2);
                    let length = S::from_f64(f64::from(self.random.below(100_000)));
                    bounds.max[axis] = bounds.min[axis].plus(length);
                    Step::Put(first + n, bounds)
                };
                (0..many).map(rod).collect()
            }
            Action::MoveAll(part) => {
                let keys: Vec<u32> = self.model.objects.keys().copied().collect();
                keys.into_iter().map(|key| Step::Put(key, self.random_box(part, 8))).collect()
            }
            Action::RemoveRegion => {
                let region = self.random_box(1, 1 + self.world[0] / 3);
                self.model.query(&region).into_iter().map(Step::Remove).collect()
            }
            Action::MoveSample => {
                let near = self.targets(2, 8, false);
                self.sample().into_iter().map(|key| Step::Put(key, near[&key])).collect()
            }
            Action::ReplaceSample => {
                let sample = self.sample();
                let replace = |key| match self.random.below(3) {
                    0 => vec![Step::Resize(key, true)],
                    1 => vec![Step::Resize(key, false)],
                    _ => vec![Step::Remove(key), Step::Put(key, self.random_box(1, 8))],
                };
                sample.into_iter().flat_map(replace).collect()
            }
            Action::SetMotion(motion) => {
                self.sample().into_iter().map(|key| Step::SetMotion(key, motion)).collect()
            }
            Action::SpanSample => {
                let all = Aabb { min: [S::MIN; D], max: [S::MAX; D] };
                let [low, high] = [all.min, all.max].map(Aabb::point);
                let spans = [all, low, high];
                let sample = self.sample();
                let span = |key| Step::Put(key, spans[self.random.below(3) as usize]);
                sample.into_iter().step_by(16).map(span).collect()
            }
            Action::Walk { reach, one_in, dynamic } => {
                let targets = self.targets(reach, one_in, dynamic);
                let change = |key: u32, bounds: &mut Aabb<S, D>| *bounds = targets[&key];
                if dynamic { self.index.update_dynamic(change) } else { self.index.update(change) }
                    .expect("all bounds are valid");
                for (key, &bounds) in targets.iter() {
                    self.model.objects.get_mut(key).expect("the object exists").bounds = bounds;
                }
                Vec::new()
            }
            Action::RetainOneIn(one_in) => {
                let seed = self.random.below(one_in);
                self.index.retain(|key, _| key % one_in == seed).expect("nothing moves");
                self.model.objects.retain(|key, _| key % one_in == seed);
                Vec::new()
            }
            Action::Optimize => {
                self.index.optimize();
                Vec::new()
            }
            Action::Shrink => {
                self.index.shrink_to_fit();
                Vec::new()
            }
        }
    }

    /// Returns a key above all others.
    fn next(&self) -> u32 {
        self.model.objects.keys().last().map_or(0, |last| last + 1)
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

    /// Returns a random sample of about 10 % of the keys.
    fn sample(&mut self) -> Vec<u32> {
        let random = &mut self.random;
        self.model.objects.keys().copied().filter(|_| random.below(10) == 0).collect()
    }

    /// Returns the new box of each object that [`Action::Walk`] visits.
    fn targets(&mut self, reach: u32, one_in: u32, dynamic: bool) -> SortedMap<Aabb<S, D>> {
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
}

/// Returns whether a box can be moved without overflow.
fn can_move<S: Numbers, const D: usize>(bounds: &Aabb<S, D>) -> bool {
    let far = |x: &S| x.to_f64().abs() > 1e6;
    !bounds.min.iter().chain(&bounds.max).any(far)
}
