//! Steps: pairs found, and compared with those of the step before.

use bounds_hexprism::Bounds;
use broadphase_core::{Pair, Scalar};

use super::{BroadPhase, volume};
use crate::events;
use crate::{Overlap, Overlaps};

impl<S: Scalar, const D: usize, U: Copy + Send + Sync, B: Bounds<S, D>> BroadPhase<S, D, U, B> {
    /// Finds all pairs, and which of them began or ended since the last step: pairs are two objects
    /// that overlap, whose filters agree, and that are not both static.
    ///
    /// What began and ended is there until the next step, and no longer after a
    /// [`restore`](Self::restore): it is best read in the tick of the step.
    ///
    /// ```
    /// # use hexphase::{Aabb, BroadPhase};
    /// let mut world: BroadPhase<f32, 2, &str> = BroadPhase::new();
    /// let ship = world.insert(Aabb::of_ball([0.0, 0.0], 2.0), "ship")?;
    /// world.insert(Aabb::around([3.0, 0.0], [2.0, 1.0]), "rock")?;
    /// world.step();
    /// assert_eq!(world.began().next().unwrap().users, ["ship", "rock"]);
    /// world.remove(ship);
    /// world.step();
    /// assert_eq!(world.ended().next().unwrap().users, ["ship", "rock"]);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn step(&mut self) {
        self.find();
        self.compare();
    }

    /// The same, of those pairs alone that `accept` accepts, which is asked in their order. If it
    /// panics, the next step tells what began and ended since this one.
    ///
    /// ```
    /// # use hexphase::{Aabb, BroadPhase};
    /// let mut world: BroadPhase<f32, 1, u32> = BroadPhase::new();
    /// for team in [1, 1, 2] {
    ///     world.insert(Aabb::point([0.0]), team)?;
    /// }
    /// world.step_where(|overlap| overlap.users[0] != overlap.users[1]);
    /// assert_eq!(world.pairs().len(), 2);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn step_where(&mut self, mut accept: impl FnMut(&Overlap<U>) -> bool) {
        self.find();
        let Self { pairs, slots, filters, .. } = self;
        pairs.retain(|pair| {
            let now = pair.map(|index| slots.now(index, filters));
            accept(&Overlap::of(now))
        });
        self.compare();
    }

    /// The pairs of the last step, ascending by slots, the lower slot first.
    ///
    /// ```
    /// # use hexphase::{Aabb, BroadPhase};
    /// let mut world: BroadPhase<f32, 1, &str> = BroadPhase::new();
    /// let _ship = world.insert(Aabb::point([0.0]), "ship")?;
    /// world.insert(Aabb::point([0.0]), "rock")?;
    /// world.step();
    /// assert_eq!(world.pairs().next().unwrap().users, ["ship", "rock"]);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn pairs(&self) -> Overlaps<'_, U> {
        Overlaps::of_pairs(&self.pairs, &self.slots, &self.filters)
    }

    /// The pairs of the last step that were none in the step before, in the order of
    /// [`pairs`](Self::pairs).
    ///
    /// ```
    /// # use hexphase::{Aabb, BroadPhase};
    /// let mut world: BroadPhase<f32, 1, &str> = BroadPhase::new();
    /// let _ship = world.insert(Aabb::point([0.0]), "ship")?;
    /// world.insert(Aabb::point([0.0]), "rock")?;
    /// world.step();
    /// assert_eq!(world.began().len(), 1);
    /// world.step();
    /// assert_eq!((world.began().len(), world.pairs().len()), (0, 1));
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn began(&self) -> Overlaps<'_, U> {
        Overlaps::of_pairs(&self.began, &self.slots, &self.filters)
    }

    /// The pairs of the step before that were none in the last one, in the order of
    /// [`pairs`](Self::pairs): what moved apart, was removed, or has another filter. What was
    /// removed is shown as it was.
    ///
    /// ```
    /// # use hexphase::{Aabb, BroadPhase};
    /// let mut world: BroadPhase<f32, 1, &str> = BroadPhase::new();
    /// let ship = world.insert(Aabb::point([0.0]), "ship")?;
    /// world.insert(Aabb::point([0.0]), "rock")?;
    /// world.step();
    /// world.remove(ship);
    /// world.step();
    /// assert_eq!(world.ended().next().unwrap().users, ["ship", "rock"]);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn ended(&self) -> Overlaps<'_, U> {
        Overlaps::of_copies(&self.ended)
    }

    /// Puts the pairs of now in `pairs`, and those of the last step in `before`.
    fn find(&mut self) {
        self.choose();
        self.filters.prepare();
        if self.options.events {
            core::mem::swap(&mut self.pairs, &mut self.before);
        }
        let Self { structure, swept, volumes, pairs, filters, .. } = self;
        swept.enlarge(&mut **structure, &self.options.sides);
        structure.pairs(filters, pairs);
        swept.restore_bounds(&mut **structure);
        if !volume::is_box::<S, D, B>() {
            pairs.retain(|&[a, b]| {
                let on_its_way = || swept.has_moved(a) || swept.has_moved(b);
                volumes[a as usize].overlaps(&volumes[b as usize]) || on_its_way()
            });
        }
    }

    /// Compares `pairs` with those of the last step; that one is past then.
    fn compare(&mut self) {
        let Self { slots, filters, pairs, before, began, ended, gone, .. } = self;
        ended.clear();
        if self.options.events {
            let replaced = |pair: Pair| pair.iter().any(|&index| slots.is_replaced(index));
            let replaced: Option<&dyn Fn(Pair) -> bool> =
                if slots.any_replaced() { Some(&replaced) } else { None };
            events::compare(before, pairs, replaced, began, gone);
            let copies = gone
                .iter()
                .map(|pair| Overlap::of(pair.map(|index| slots.at_last_step(index, filters))));
            ended.extend(copies);
        }
        slots.step();
    }
}
