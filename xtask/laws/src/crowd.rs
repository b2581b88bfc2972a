//! The law of crowds: some hundreds to thousands of objects, so that whatever a structure does
//! only with many at once happens: long lists, growth, gaps, upkeep.

use broadphase_core::{Aabb, Motion, SpatialIndex};
use proptest::prelude::*;

use crate::Together;
use crate::examples::tried;
use crate::model::{Model, Step};
use crate::numbers::Numbers;

/// What happens to a crowd.
#[derive(Clone, Copy, Debug)]
enum Act {
    /// So many come, all over the world.
    Come(u32),
    /// So many come, into a small region.
    Gather(u32),
    /// All walk a little; the number says how far.
    Drift(u32),
    /// Those that are dynamic walk a little.
    DriftDynamic,
    /// All walk a little, and one in so many goes anywhere.
    Leap(u32),
    /// All go to one small region.
    Meet,
    /// All go anywhere.
    Scatter,
    /// All in a region are removed one by one.
    Leave,
    /// One in so many stays; the others are removed in a walk.
    Stay(u32),
    /// Some are moved a little by key, and some far.
    Call,
    /// Some are resized, moved or replaced by key, with the same keys.
    Replace,
    /// Some rest or wake.
    Rest(Motion),
    /// Some reach over all numbers, or begin at the least and end at the largest.
    Span,
    /// The structure is asked to tidy up.
    Optimize,
    Shrink,
    Renumber,
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let motion = [Motion::Static, Motion::Sleeping, Motion::Dynamic];
    let act = prop_oneof![
        3 => (1u32..400).prop_map(Act::Come),
        3 => (1u32..400).prop_map(Act::Gather),
        4 => (1u32..40).prop_map(Act::Drift),
        2 => Just(Act::DriftDynamic),
        3 => (2u32..40).prop_map(Act::Leap),
        2 => Just(Act::Meet),
        2 => Just(Act::Scatter),
        2 => Just(Act::Leave),
        2 => (2u32..9).prop_map(Act::Stay),
        3 => Just(Act::Call),
        3 => Just(Act::Replace),
        3 => prop::sample::select(motion.to_vec()).prop_map(Act::Rest),
        1 => Just(Act::Span),
        1 => Just(Act::Optimize),
        1 => Just(Act::Shrink),
        1 => Just(Act::Renumber),
    ];
    prop::collection::vec(act, 16..32)
}

/// After everything that happens to a crowd, every answer is the model's.
///
/// # Panics
/// If not.
pub fn crowds_agree_with_the_model<S: Numbers, const D: usize>(make: fn() -> Together<S, D>) {
    // Long and narrow, wide, or so small that all are close together.
    let world = prop::sample::select(vec![[6000, 100], [800, 800], [90, 90]]);
    let all = (world, any::<u64>(), 100u32..1500, acts());
    tried(8, all, |(world, seed, many, acts)| {
        let mut crowd = Crowd::new(make(), world, seed);
        crowd.act(Act::Come(many));
        acts.into_iter().for_each(|act| crowd.act(act));
        Ok(())
    });
}

/// A structure, what should be in it, and where new ones come from.
struct Crowd<S: Numbers, const D: usize> {
    index: Together<S, D>,
    model: Model<S, D>,
    /// The side of the world along the first axis, and along the others.
    world: [u32; 2],
    random: Random,
    next: u32,
}

impl<S: Numbers, const D: usize> Crowd<S, D> {
    fn new(index: Together<S, D>, world: [u32; 2], seed: u64) -> Self {
        Self { index, model: Model::default(), world, random: Random(seed | 1), next: 0 }
    }

    fn act(&mut self, act: Act) {
        match act {
            Act::Come(many) => (0..many).for_each(|_| self.come(1)),
            Act::Gather(many) => (0..many).for_each(|_| self.come(16)),
            Act::Drift(reach) => self.walk(reach, u32::MAX, false),
            Act::DriftDynamic => self.walk(2, u32::MAX, true),
            Act::Leap(one_in) => self.walk(2, one_in, false),
            Act::Meet => self.go(8),
            Act::Scatter => self.go(1),
            Act::Leave => {
                let region = self.anywhere(1, 1 + self.world[0] / 3);
                for key in self.model.query(&region) {
                    self.model.take(&mut self.index, &Step::Remove(key));
                }
            }
            Act::Stay(one_in) => self.stay(one_in),
            Act::Call => self.call(),
            Act::Replace => self.replace(),
            Act::Rest(motion) => {
                for key in self.some() {
                    self.model.take(&mut self.index, &Step::SetMotion(key, motion));
                }
            }
            Act::Span => self.span(),
            Act::Optimize => self.index.optimize(),
            Act::Shrink => self.index.shrink_to_fit(),
            Act::Renumber => {
                self.model.take(&mut self.index, &Step::Renumber);
                self.next = self.model.objects.len() as u32;
            }
        }
        let region = self.anywhere(1, 20);
        // Now and then more happens before anything is refreshed.
        if self.random.below(3) > 0 {
            self.model.compare(&mut self.index, &region, &mut Default::default());
        } else {
            self.model.compare_unrefreshed(&self.index, &region, &mut Vec::new());
        }
    }

    /// A box in the first part of the world, mostly small.
    fn anywhere(&mut self, part: u32, size: u32) -> Aabb<S, D> {
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

    fn come(&mut self, part: u32) {
        let bounds = self.anywhere(part, 8);
        let data = self.random.below(1000);
        self.model.take(&mut self.index, &Step::Put(self.next, bounds, data));
        self.next += 1;
    }

    /// About one key in ten.
    fn some(&mut self) -> Vec<u32> {
        let random = &mut self.random;
        self.model.objects.keys().copied().filter(|_| random.below(10) == 0).collect()
    }

    /// Where everyone is after a walk.
    fn targets(&mut self, reach: u32, one_in: u32, dynamic: bool) -> Vec<(u32, Aabb<S, D>)> {
        let objects = self.model.objects.clone();
        let walks = objects.iter().filter(|(_, one)| !dynamic || one.motion == Motion::Dynamic);
        walks
            .map(|(&key, object)| {
                let mut bounds = object.bounds;
                if self.random.below(one_in) == 0 {
                    bounds = self.anywhere(1, 8);
                } else if is_near(&bounds) {
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
        let change = |key: u32, _: &mut u32, bounds: &mut Aabb<S, D>| *bounds = of(&targets, key);
        if dynamic { self.index.update_dynamic(change) } else { self.index.update(change) }
            .expect("all bounds are valid");
        for (key, bounds) in targets {
            self.model.objects.get_mut(&key).expect("it is there").bounds = bounds;
        }
    }

    /// All go to the first part of the world.
    fn go(&mut self, part: u32) {
        let keys: Vec<u32> = self.model.objects.keys().copied().collect();
        let targets: Vec<_> = keys.into_iter().map(|key| (key, self.anywhere(part, 8))).collect();
        self.model.take(&mut self.index, &Step::SetBoundsMany(targets));
    }

    fn stay(&mut self, one_in: u32) {
        let seed = self.random.below(one_in);
        self.index.retain(|key, _, _| key % one_in == seed).expect("nothing moves");
        self.model.retain(&mut |key, _| key % one_in == seed);
    }

    fn call(&mut self) {
        let near = self.targets(2, 8, false);
        for key in self.some() {
            self.model.take(&mut self.index, &Step::Put(key, of(&near, key), 0));
        }
    }

    fn replace(&mut self) {
        for key in self.some() {
            if self.random.below(2) == 0 {
                self.model.take(&mut self.index, &Step::Resize(key, self.random.below(2) == 0));
                continue;
            }
            self.model.take(&mut self.index, &Step::Remove(key));
            let bounds = self.anywhere(1, 8);
            self.model.take(&mut self.index, &Step::Put(key, bounds, key));
        }
    }

    fn span(&mut self) {
        for key in self.some().into_iter().step_by(16) {
            let mut bounds = Aabb { min: [S::MIN; D], max: [S::MAX; D] };
            match self.random.below(3) {
                0 => bounds.max = bounds.min,
                1 => bounds.min = bounds.max,
                _ => {}
            }
            self.model.take(&mut self.index, &Step::Put(key, bounds, key));
        }
    }
}

/// The box of a key, of boxes by ascending key.
fn of<S: Numbers, const D: usize>(boxes: &[(u32, Aabb<S, D>)], key: u32) -> Aabb<S, D> {
    boxes[boxes.binary_search_by_key(&key, |one| one.0).expect("it is there")].1
}

/// Whether a box may be moved without leaving the numbers.
fn is_near<S: Numbers, const D: usize>(bounds: &Aabb<S, D>) -> bool {
    let far = |x: &S| x.to_f64().abs() > 1e6;
    !bounds.min.iter().chain(&bounds.max).any(far)
}

/// Marsaglia's xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (((self.0 >> 32) * u64::from(end.max(1))) >> 32) as u32
    }
}
