//! The expected state of a world: a plain list of objects and pairs, searched by brute force.

mod pairs;
mod queries;
mod swept;

use alloc::collections::{BTreeMap, BTreeSet};

use hexphase::{Error, Filter, Handle, InvalidBounds, Motion, Overlap};

use crate::config::Config;
use crate::overlaps::Overlaps;
use crate::shape::{Box64, New, State, Volume64};
use crate::situations::Situations;
use crate::space::Space;

/// An object of the expected state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Object {
    /// Number of the object in the simulation. It remains when the object is removed and inserted
    /// again.
    pub(crate) id: u32,
    pub(crate) handle: Handle,
    /// The volume as the world stores it.
    pub(crate) volume: Volume64,
    /// The box as the world stores it: moved home on axes that wrap.
    pub(crate) bounds: Box64,
    pub(crate) user: u32,
    pub(crate) motion: Motion,
    pub(crate) filter: Filter,
    /// Box at the last step, or when the object became swept; `None` if the object is not swept.
    pub(crate) was: Option<Box64>,
    /// Boxes at the ends of the path of the last step; `None` if the object was not swept then.
    pub(crate) path: Option<[Box64; 2]>,
}

impl Object {
    /// Returns a new object, given its volume and its home box as the world stores them.
    pub(crate) const fn new(
        id: u32,
        handle: Handle,
        new: &New,
        (volume, bounds): (Volume64, Box64),
    ) -> Self {
        let New { user, motion, filter, .. } = *new;
        Self { id, handle, volume, bounds, user, motion, filter, was: None, path: None }
    }
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
    /// A quarter of the unit of length, if the unit is a moderate power of two; otherwise 1/4.
    quarter: f64,
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
            quarter: swept::quarter(config.unit),
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

    /// Returns a volume and its home box as the world stores them.
    pub(crate) fn place(&self, volume: &Volume64) -> Result<(Volume64, Box64), InvalidBounds> {
        self.space.place(&self.sides, volume)
    }

    /// Returns the object with a handle, or the error of a world if the object does not exist.
    pub(crate) fn live(&mut self, object: Handle) -> Result<&mut Object, Error> {
        let found = self.slots.get_mut(object.index() as usize).and_then(Option::as_mut);
        found.filter(|found| found.handle == object).ok_or(Error::Stale { object })
    }

    pub(crate) fn set_bounds(&mut self, object: Handle, volume: &Volume64) -> Result<(), Error> {
        self.live(object)?;
        let placed = self.place(volume);
        let placed = placed.map_err(|why| Error::InvalidBounds { object: Some(object), why })?;
        let found = self.live(object)?;
        (found.volume, found.bounds) = placed;
        Ok(())
    }

    /// Returns the states of all objects, ascending by handle.
    pub(crate) fn states(&self) -> impl Iterator<Item = State> {
        self.objects().map(|object| {
            let &Object { handle, volume, user, motion, filter, was, .. } = object;
            State { handle, volume, user, motion, filter, swept: was.is_some() }
        })
    }

    /// Completes a step that keeps these pairs: updates pairs and events, and begins new paths of
    /// swept objects.
    pub(crate) fn complete_step(&mut self, kept: &[Overlap<u32>], situations: &mut Situations) {
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
        self.count_events(situations);
        let ended = &self.ended;
        self.departed.retain(|handle, _| ended.iter().any(|pair| pair.handles.contains(handle)));
        for object in self.slots.iter_mut().flatten() {
            object.path = object.was.map(|was| [was, object.bounds]);
            object.was = object.was.map(|_| object.bounds);
        }
    }

    fn count_events(&self, situations: &mut Situations) {
        let slots = |pair: &KnownPair| pair.handles.map(Handle::index);
        let begun: BTreeSet<[u32; 2]> = self.began.iter().map(slots).collect();
        situations.add("began", begun.len());
        situations.add("ended", self.ended.len());
        for pair in &self.ended {
            let now = pair.handles.map(|handle| self.by_handle(handle));
            let gone = now.iter().any(Option::is_none);
            let mut filters = now.iter().flatten().zip(&pair.filters);
            let refiltered = !gone && filters.any(|(object, filter)| object.filter != *filter);
            situations.add_if(gone, "ended with a removal");
            situations.add_if(refiltered, "ended by a filter");
            let again = begun.contains(&slots(pair));
            situations.add_if(again, "ended and began in the same slots");
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
        state.slots.iter_mut().flatten().for_each(|object| object.path = None);
        if !self.events {
            state.pairs.clear();
        }
        state
    }
}
