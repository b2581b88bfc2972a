//! The expected state of a world: a plain list of objects and pairs, searched by brute force.

use alloc::collections::BTreeMap;

use hexphase::{Filter, Handle, Motion, Overlap};

use crate::config::Config;
use crate::overlaps::Overlaps;
use crate::shape::{Box64, Found, Question, Shape, State};
use crate::space::{Space, Touch};
use crate::subject::accepts;

/// An object of the expected state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Object {
    /// Number of the object in the simulation. It remains when the object is removed and inserted
    /// again.
    pub(crate) id: u32,
    pub(crate) handle: Handle,
    /// The box as the world stores it: moved home on axes that wrap.
    pub(crate) bounds: Box64,
    pub(crate) user: u32,
    pub(crate) motion: Motion,
    pub(crate) filter: Filter,
    /// Box at the last step, or when the object became swept; `None` if the object is not swept.
    pub(crate) was: Option<Box64>,
}

/// A pair of the last step, with the filters that the objects had at that step.
#[derive(Clone, Copy, Debug)]
struct KnownPair {
    handles: [Handle; 2],
    filters: [Filter; 2],
}

/// The expected state of a world.
#[derive(Clone)]
pub(crate) struct Oracle {
    space: &'static dyn Space,
    sides: [f64; 3],
    dimensions: usize,
    events: bool,
    /// Objects by slot; slots and generations are those of their handles.
    slots: Vec<Option<Object>>,
    /// Slots by object number.
    slot_of: Vec<Option<u32>>,
    live: usize,
    /// Generations by slot: of the object in the slot, or of the next object if the slot is free.
    /// The last item is also the generation of all slots beyond the list.
    generations: Vec<u32>,
    /// User data of objects at their removal: those removed since the last step, and those in ended
    /// pairs.
    departed: BTreeMap<Handle, u32>,
    pairs: Vec<KnownPair>,
    began: Vec<KnownPair>,
    ended: Vec<KnownPair>,
    overlaps: Overlaps,
    /// Scratch buffer: pairs of indices into the list of objects.
    found: Vec<[u32; 2]>,
}

impl Oracle {
    pub(crate) fn new(config: &Config) -> Self {
        Self {
            space: config.space(),
            sides: config.sides,
            dimensions: config.dimensions,
            events: config.events,
            slots: Vec::new(),
            slot_of: vec![None; config.objects as usize],
            live: 0,
            generations: vec![0],
            departed: BTreeMap::new(),
            pairs: Vec::new(),
            began: Vec::new(),
            ended: Vec::new(),
            overlaps: Overlaps::default(),
            found: Vec::new(),
        }
    }

    pub(crate) const fn len(&self) -> usize {
        self.live
    }

    /// Returns the objects, ascending by slot.
    pub(crate) fn objects(&self) -> impl Iterator<Item = &Object> {
        self.slots.iter().flatten()
    }

    /// Returns the object with a number, if the object exists.
    pub(crate) fn get(&self, id: u32) -> Option<&Object> {
        self.slots[(*self.slot_of.get(id as usize)?)? as usize].as_ref()
    }

    pub(crate) fn get_mut(&mut self, id: u32) -> Option<&mut Object> {
        self.slots[(*self.slot_of.get(id as usize)?)? as usize].as_mut()
    }

    /// Returns the object with a handle, if the object exists.
    pub(crate) fn by_handle(&self, handle: Handle) -> Option<&Object> {
        let object = self.slots.get(handle.index() as usize)?.as_ref();
        object.filter(|object| object.handle == handle)
    }

    /// Returns the handles that the next `count` inserted objects get: those of the lowest free
    /// slots.
    pub(crate) fn next_handles(&self, count: usize) -> Vec<Handle> {
        let is_free = |&slot: &u32| self.slots.get(slot as usize).is_none_or(Option::is_none);
        let free = (0..).filter(is_free).take(count);
        let handle = |slot: u32| u64::from(slot) << 32 | u64::from(self.generation(slot));
        free.map(|slot| Handle::from_bits(handle(slot))).collect()
    }

    fn generation(&self, slot: u32) -> u32 {
        self.generations[(slot as usize).min(self.generations.len() - 1)]
    }

    pub(crate) fn insert(&mut self, object: Object) {
        let slot = object.handle.index() as usize;
        if self.slots.len() <= slot {
            self.slots.resize(slot + 1, None);
        }
        let len = self.generations.len().max(slot + 2);
        self.generations.resize(len, self.generation(slot as u32));
        self.slots[slot] = Some(object);
        self.slot_of[object.id as usize] = Some(slot as u32);
        self.live += 1;
    }

    /// Removes an object and returns it. The generation of its slot grows by one. A world stores
    /// one generation for each run of adjacent free slots, the largest, so all free slots around
    /// this one get it.
    pub(crate) fn remove(&mut self, id: u32) -> Option<Object> {
        let slot = self.slot_of[id as usize].take()?;
        let object = self.slots[slot as usize].take()?;
        self.departed.insert(object.handle, object.user);
        self.live -= 1;
        let slot = slot as usize;
        let before = self.slots[..slot].iter().rposition(Option::is_some);
        let after = self.slots[slot..].iter().position(Option::is_some);
        let end = after.map_or(self.generations.len(), |after| slot + after);
        self.generations[slot] += 1;
        let run = &mut self.generations[before.map_or(0, |before| before + 1)..end];
        let largest = run.iter().copied().fold(0, u32::max);
        run.fill(largest);
        Some(object)
    }

    /// Returns a box as the world stores it: moved home on axes that wrap.
    pub(crate) fn home(&self, bounds: &Box64) -> Box64 {
        self.space.home(&self.sides, bounds)
    }

    pub(crate) fn set_bounds(&mut self, id: u32, bounds: &Box64) {
        let home = self.home(bounds);
        if let Some(object) = self.get_mut(id) {
            object.bounds = home;
        }
    }

    /// Returns the states of all objects, ascending by handle.
    pub(crate) fn states(&self) -> impl Iterator<Item = State> {
        self.objects().map(|object| {
            let &Object { handle, bounds, user, motion, filter, was, .. } = object;
            State { handle, bounds, user, motion, filter, swept: was.is_some() }
        })
    }

    /// Returns the overlapping pairs of objects, ascending, without pairs of two static objects and
    /// pairs whose filters refuse each other. If `along_paths`, a swept object is tested with the
    /// box around its path.
    fn current_pairs(&mut self, along_paths: bool) -> Vec<[Object; 2]> {
        let objects: Vec<Object> = self.objects().copied().collect();
        let bounds = |object: &Object| match object.was {
            Some(was) if along_paths => self.space.box_of_path(&self.sides, &was, &object.bounds),
            _ => object.bounds,
        };
        let boxes: Vec<Box64> = objects.iter().map(bounds).collect();
        let Self { overlaps, sides, dimensions, found, .. } = self;
        overlaps.find(&boxes, sides, *dimensions, found);
        let pairs = found.iter().map(|pair| pair.map(|index| objects[index as usize]));
        pairs.filter(|[a, b]| may_pair(a, b)).collect()
    }

    /// Returns the pairs that a step would find in the current state.
    pub(crate) fn pairs_of_step(&mut self) -> Vec<Overlap<u32>> {
        let overlap = |[a, b]: [Object; 2]| Overlap {
            handles: [a.handle, b.handle],
            users: [a.user, b.user],
            filters: [a.filter, b.filter],
        };
        self.current_pairs(true).into_iter().map(overlap).collect()
    }

    /// Completes a step that keeps these pairs: updates pairs and events, and begins new paths of
    /// swept objects.
    pub(crate) fn complete_step(&mut self, kept: &[Overlap<u32>]) {
        let known = |overlap: &Overlap<u32>| KnownPair {
            handles: overlap.handles,
            filters: overlap.filters,
        };
        let now: Vec<KnownPair> = kept.iter().map(known).collect();
        let before = core::mem::take(&mut self.pairs);
        self.began.clear();
        self.ended.clear();
        if self.events {
            let (mut i, mut j) = (0, 0);
            while i < before.len() || j < now.len() {
                let [old, new] = [before.get(i), now.get(j)];
                let slots = |pair: &KnownPair| pair.handles.map(Handle::index);
                let is_same = old.map(|pair| pair.handles) == new.map(|pair| pair.handles);
                let old_first = match (old, new) {
                    (Some(old), Some(new)) => slots(old) <= slots(new),
                    (old, _) => old.is_some(),
                };
                let new_first = match (old, new) {
                    (Some(old), Some(new)) => slots(new) <= slots(old),
                    (_, new) => new.is_some(),
                };
                if let Some(old) = old.filter(|_| old_first) {
                    if !is_same {
                        self.ended.push(*old);
                    }
                    i += 1;
                }
                if let Some(new) = new.filter(|_| new_first) {
                    if !is_same {
                        self.began.push(*new);
                    }
                    j += 1;
                }
            }
        }
        self.pairs = now;
        let ended = &self.ended;
        self.departed.retain(|handle, _| ended.iter().any(|pair| pair.handles.contains(handle)));
        for object in self.slots.iter_mut().flatten() {
            object.was = object.was.map(|_| object.bounds);
        }
    }

    /// Ends a step that failed or panicked. Pairs and events stay as they were; if events are
    /// disabled, there are no pairs.
    pub(crate) fn interrupt_step(&mut self) {
        if !self.events {
            self.pairs.clear();
        }
    }

    fn with_users(&self, pair: &KnownPair) -> Overlap<u32> {
        let user = |handle: Handle| match self.by_handle(handle) {
            Some(object) => object.user,
            None => self.departed.get(&handle).copied().unwrap_or(u32::MAX),
        };
        Overlap { handles: pair.handles, users: pair.handles.map(user), filters: pair.filters }
    }

    pub(crate) fn pairs(&self) -> Vec<Overlap<u32>> {
        self.pairs.iter().map(|pair| self.with_users(pair)).collect()
    }

    pub(crate) fn began(&self) -> Vec<Overlap<u32>> {
        self.began.iter().map(|pair| self.with_users(pair)).collect()
    }

    pub(crate) fn ended(&self) -> Vec<Overlap<u32>> {
        self.ended.iter().map(|pair| self.with_users(pair)).collect()
    }

    /// Returns the state that a world has after restoring a snapshot of this state.
    pub(crate) fn restored(&self) -> Self {
        let mut state = self.clone();
        state.began.clear();
        state.ended.clear();
        if !self.events {
            state.pairs.clear();
        }
        state
    }

    /// Returns the objects that currently form a pair with an object, ascending.
    pub(crate) fn overlapping(&mut self, handle: Handle) -> Vec<Handle> {
        let pairs = self.current_pairs(false);
        let pairs = pairs.iter().map(|[a, b]| [a.handle, b.handle]);
        pairs.filter(|pair| pair.contains(&handle)).flatten().filter(|&one| one != handle).collect()
    }

    fn boxes(&self) -> Vec<Box64> {
        self.objects().map(|object| object.bounds).collect()
    }

    /// Returns all objects that touch a shape, each with its fraction or squared distance, in the
    /// order of query results.
    fn touched(&self, shape: &Shape) -> Vec<(Object, f64)> {
        let mut found: Vec<Touch> = Vec::new();
        self.space.touches(&self.sides, shape, &self.boxes(), &mut found);
        let objects: Vec<&Object> = self.objects().collect();
        // The sort is stable: objects at equal fractions or distances remain in ascending order.
        found.sort_by(|a, b| {
            let [a, b] = [a.order, b.order];
            a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1]))
        });
        found.iter().map(|touch| (*objects[touch.index], touch.at)).collect()
    }

    /// Returns the expected results of a query.
    pub(crate) fn answer(&self, question: &Question) -> Found {
        let mut found = self.touched(&question.shape);
        found.retain(|(object, _)| {
            question.except != Some(object.handle)
                && object.filter.layers & question.mask != 0
                && accepts(question.parity, object.user)
        });
        let found: Found = found.iter().map(|(object, at)| (object.handle, *at)).collect();
        let end = question.take.min(found.len());
        let ties = found[end..]
            .iter()
            .take_while(|found_| question.with_ties && end > 0 && found[end - 1].1 == found_.1);
        let end = end + ties.count();
        found[..end].to_vec()
    }

    /// Returns each object with all other objects within a distance of it, as handles.
    pub(crate) fn neighbors(&self, distance: f64) -> Vec<(Handle, Vec<Handle>)> {
        let (boxes, mut near) = (self.boxes(), Vec::new());
        let handles: Vec<Handle> = self.objects().map(|object| object.handle).collect();
        let lists = boxes.iter().enumerate().map(|(own, bounds)| {
            near.clear();
            self.space.within(&self.sides, bounds, distance, &boxes, &mut near);
            let others = near.iter().filter(|&&other| other != own);
            (handles[own], others.map(|&other| handles[other]).collect())
        });
        lists.collect()
    }

    /// Returns the `count` objects nearest to an object, without this object itself.
    pub(crate) fn nearest_to(&self, object: &Object, count: usize) -> Vec<Handle> {
        let target = Shape::Target { bounds: object.bounds, within: None, within_squared: None };
        let others = self.touched(&target).into_iter().map(|(other, _)| other.handle);
        others.filter(|&other| other != object.handle).take(count).collect()
    }

    /// Returns the pairs within a distance whose first object is in a layer of `layers[0]` and the
    /// second in a layer of `layers[1]`, or the other way round.
    pub(crate) fn pairs_within(&self, distance: f64, layers: [u64; 2]) -> Vec<[Handle; 2]> {
        let objects: Vec<Object> = self.objects().copied().collect();
        let (boxes, mut near, mut pairs) = (self.boxes(), Vec::new(), Vec::new());
        let in_layers = |a: &Object, b: &Object| {
            a.filter.layers & layers[0] != 0 && b.filter.layers & layers[1] != 0
        };
        for (index, own) in objects.iter().enumerate() {
            near.clear();
            let rest = &boxes[index + 1..];
            self.space.within(&self.sides, &own.bounds, distance, rest, &mut near);
            for other in near.iter().map(|&other| &objects[index + 1 + other]) {
                let chosen = layers == [!0; 2] || in_layers(own, other) || in_layers(other, own);
                if chosen && may_pair(own, other) {
                    pairs.push([own.handle, other.handle]);
                }
            }
        }
        pairs
    }

    /// Returns the pairs of an object and one of `others` that overlap, or, if a distance is given,
    /// are within it. `others` ascend by handle.
    pub(crate) fn pairs_with(&self, others: &[Object], distance: Option<f64>) -> Vec<[Handle; 2]> {
        let boxes: Vec<Box64> = others.iter().map(|object| object.bounds).collect();
        let (mut near, mut pairs) = (Vec::new(), Vec::new());
        for own in self.objects() {
            near.clear();
            let distance = distance.unwrap_or(0.0);
            self.space.within(&self.sides, &own.bounds, distance, &boxes, &mut near);
            let near = near.iter().map(|&other| &others[other]);
            let near = near.filter(|other| own.filter.accepts(&other.filter));
            pairs.extend(near.map(|other| [own.handle, other.handle]));
        }
        pairs
    }
}

/// Returns whether the motion classes and filters of two objects allow them to form a pair.
fn may_pair(a: &Object, b: &Object) -> bool {
    (a.motion != Motion::Static || b.motion != Motion::Static) && a.filter.accepts(&b.filter)
}
