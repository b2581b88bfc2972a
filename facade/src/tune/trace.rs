//! Records the ticks of a world, to be replayed in other worlds.

use alloc::vec::Vec;

use bounds_hexprism::Bounds;
use broadphase_core::{Aabb, Filter, Motion, Scalar};

use crate::{BroadPhase, Error, Handle, UserData};

/// The ticks of a world: the bounds, motion classes and filters of its objects in each tick.
///
/// A trace stores only changes.
///
/// ```
/// use hexphase::tune::{Budget, Trace, tune};
/// use hexphase::{Aabb, BroadPhase};
///
/// let mut world: BroadPhase<f32, 2> = BroadPhase::new();
/// world.insert(Aabb::point([0.0, 0.0]), ())?;
/// let mut trace = Trace::default();
/// for _ in 0..3 {
///     world.step();
///     trace.record(&world);
/// }
/// assert_eq!(tune(&trace, &Budget::default()).profile.ticks, 3);
/// # Ok::<(), hexphase::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Trace<S = f32, const D: usize = 2> {
    pub(super) ticks: Vec<Tick<S, D>>,
    pub(super) sides: [S; D],
    pub(super) events: bool,
    /// Objects after the last tick, by slot.
    now: Vec<Option<Item<S, D>>>,
    /// Distances that objects moved in the last tick with movement.
    pub(super) steps: Vec<f64>,
    /// Number of objects after the last tick, and its maximum over all ticks.
    live: usize,
    pub(super) most: usize,
}

/// A recorded object.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item<S, const D: usize> {
    generation: u32,
    pub(super) bounds: Aabb<S, D>,
    pub(super) motion: Motion,
    pub(super) filter: Filter,
    pub(super) swept: bool,
}

/// The changes of a tick, by slot.
#[derive(Clone, Debug)]
pub(super) struct Tick<S, const D: usize> {
    pub(super) removed: Vec<u32>,
    pub(super) inserted: Vec<(u32, Item<S, D>)>,
    /// Objects with a new motion class, filter or swept flag.
    pub(super) altered: Vec<(u32, Item<S, D>)>,
    /// New bounds of the objects that moved.
    pub(super) moved: Vec<(u32, Aabb<S, D>)>,
    /// Whether a replay sets the bounds by an update of all dynamic objects; otherwise one by one.
    pub(super) walks: bool,
    /// Number of objects after the tick.
    pub(super) objects: usize,
}

impl<S: Scalar, const D: usize> Trace<S, D> {
    /// Adds a tick with the current state of a world. Call this after each step of the world.
    ///
    /// Volumes are recorded as the boxes around them. The first recorded tick defines whether the
    /// world wraps and has events. Takes time linear in the number of objects.
    ///
    /// ```
    /// use hexphase::tune::Trace;
    /// use hexphase::{Aabb, BroadPhase};
    ///
    /// let mut world: BroadPhase = BroadPhase::new();
    /// world.insert(Aabb::point([0.0, 0.0]), ())?;
    /// let mut trace = Trace::default();
    /// world.step();
    /// trace.record(&world);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn record<U: UserData, B: Bounds<S, D>>(&mut self, world: &BroadPhase<S, D, U, B>) {
        if self.ticks.is_empty() {
            let options = world.engine.options();
            (self.sides, self.events) = (options.sides, options.events);
        }
        let BroadPhase { engine, registry, .. } = world;
        let item = |slot: u32| {
            let object = registry.slots.occupant(slot)?;
            let (stored, filter) = (engine.structure().get(slot)?, registry.filter(object)?);
            let (generation, bounds, motion) = (object.generation(), stored.bounds, stored.motion);
            Some(Item { generation, bounds, motion, filter, swept: engine.swept().contains(slot) })
        };
        self.add((0..registry.slots.capacity() as u32).map(item), false);
    }

    /// Adds a tick from a list of bounds. All objects are dynamic and have [`Filter::ALL`].
    ///
    /// An object is identified by its index in the list; missing indices remove objects. A replay
    /// sets the bounds of all objects in every tick, even if they are unchanged.
    ///
    /// # Errors
    /// If any bounds are NaN, infinite or inverted. The error names the first such object; its
    /// handle has the index in the list as slot. On error no tick is added.
    ///
    /// ```
    /// use hexphase::Aabb;
    /// use hexphase::tune::Trace;
    ///
    /// let mut trace = Trace::default();
    /// for tick in 0..3 {
    ///     let balls = (0..10).map(|n| Aabb::of_ball([n as f32, tick as f32], 0.5));
    ///     trace.push(balls)?;
    /// }
    /// assert!(trace.push([Aabb::point([f32::NAN, 0.0])]).is_err());
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn push(&mut self, bounds: impl IntoIterator<Item = Aabb<S, D>>) -> Result<(), Error> {
        let check = |(index, bounds): (u32, Aabb<S, D>)| {
            let object = Some(Handle::new(index, 0));
            let bounds = bounds.checked();
            let bounds = bounds.map_err(|why| Error::InvalidBounds { object, why })?;
            let (motion, filter) = (Motion::Dynamic, Filter::ALL);
            Ok(Some(Item { generation: 0, bounds, motion, filter, swept: false }))
        };
        let items: Vec<_> = (0..).zip(bounds).map(check).collect::<Result<_, Error>>()?;
        self.add(items.into_iter(), true);
        Ok(())
    }

    /// Adds a tick, given the objects after it, by slot. A replay sets bounds by an update if
    /// `walks` is set, or if more than half of the objects moved, all of them dynamic.
    fn add(&mut self, items: impl ExactSizeIterator<Item = Option<Item<S, D>>>, walks: bool) {
        let mut tick = Tick {
            removed: Vec::new(),
            inserted: Vec::new(),
            altered: Vec::new(),
            moved: Vec::new(),
            walks,
            objects: 0,
        };
        let slots = items.len().max(self.now.len());
        self.now.resize(slots, None);
        let (mut steps, mut all_dynamic) = (Vec::new(), true);
        for (slot, new) in (0..slots as u32).zip(items.chain(core::iter::repeat(None))) {
            let old = core::mem::replace(&mut self.now[slot as usize], new);
            let same = |old: &Item<S, D>| new.is_some_and(|new| new.generation == old.generation);
            match (old.filter(same), new) {
                (Some(old), Some(new)) => {
                    let is = |item: Item<S, D>| (item.motion, item.filter, item.swept);
                    if is(old) != is(new) {
                        tick.altered.push((slot, new));
                    }
                    if old.bounds != new.bounds {
                        tick.moved.push((slot, new.bounds));
                        steps.push(distance(&old.bounds, &new.bounds, &self.sides));
                        all_dynamic &= new.motion == Motion::Dynamic;
                    }
                }
                (_, new) => {
                    tick.removed.extend(old.map(|_| slot));
                    tick.inserted.extend(new.map(|new| (slot, new)));
                }
            }
        }
        self.live = self.live + tick.inserted.len() - tick.removed.len();
        self.most = self.most.max(self.live);
        tick.objects = self.live;
        tick.walks |= all_dynamic && 2 * tick.moved.len() > self.live;
        if !steps.is_empty() {
            self.steps = steps;
        }
        self.ticks.push(tick);
    }
}

impl<S: Scalar, const D: usize> Default for Trace<S, D> {
    /// Creates a trace without ticks.
    fn default() -> Self {
        Self {
            ticks: Vec::new(),
            sides: [S::ZERO; D],
            events: true,
            now: Vec::new(),
            steps: Vec::new(),
            live: 0,
            most: 0,
        }
    }
}

/// Returns the distance between two boxes along the axis where it is largest, in a world that wraps
/// the shorter way around.
fn distance<S: Scalar, const D: usize>(from: &Aabb<S, D>, to: &Aabb<S, D>, sides: &[S; D]) -> f64 {
    let along = |axis: usize| {
        let way = |from: S, to: S| (to.to_f64() - from.to_f64()).abs();
        let way = way(from.min[axis], to.min[axis]).max(way(from.max[axis], to.max[axis]));
        let side = sides[axis].to_f64();
        if side > 0.0 { way.min((side - way).abs()) } else { way }
    };
    (0..D).map(along).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;
    use crate::Object;

    type World = BroadPhase<f32, 2, ()>;

    #[test]
    fn updates_are_used_if_many_objects_move() {
        let mut world = World::new();
        for x in 0..6 {
            let motion = if x < 2 { Motion::Static } else { Motion::Dynamic };
            world
                .insert_object(Object::new(Aabb::point([x as f32, 0.0]), ()).motion(motion))
                .unwrap();
        }
        let mut trace = Trace::default();
        let on = |bounds: &mut Aabb| *bounds = bounds.translated([1.0, 0.0]);
        trace.record(&world);
        world.update_dynamic(|_, (), bounds| on(bounds)).unwrap();
        trace.record(&world);
        world.update(|_, (), bounds| on(bounds)).unwrap();
        trace.record(&world);
        trace.record(&world);
        let walks: Vec<_> = trace.ticks.iter().map(|tick| tick.walks).collect();
        assert_eq!(walks, [false, true, false, false]);
    }

    #[test]
    fn lists_may_get_shorter() {
        let mut trace = Trace::<f32, 2>::default();
        for count in [3, 3, 2] {
            trace.push((0..count).map(|x| Aabb::point([x as f32, 0.0]))).unwrap();
        }
        assert!(trace.ticks.iter().all(|tick| tick.walks));
        assert_eq!(trace.ticks[1].moved.len(), 0);
        assert_eq!(trace.ticks[2].removed, [2]);
        let wrong = [Aabb::point([0.0; 2]), Aabb::new([1.0; 2], [0.0; 2])];
        let why = trace.push(wrong).unwrap_err().to_string();
        assert!(why.starts_with("object 1: "), "{why}");
        assert_eq!(trace.ticks.len(), 3);
    }
}
