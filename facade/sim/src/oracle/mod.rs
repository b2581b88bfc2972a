//! The expected state of a world: a plain list of objects and pairs, searched by brute force.

mod pairs;
mod queries;
mod swept;

use alloc::collections::{BTreeMap, BTreeSet};

use hexphase::{Error, Filter, Handle, InvalidBounds, Motion, Overlap};

use crate::config::Config;
use crate::shape::{Box64, New, State, Volume64};
use crate::space::Space;
use crate::subject::Setting;
use crate::totals::Situations;

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
    slot_of: Vec<Option<u32>>,
    /// Generations by slot: of the object in the slot, or of the next object if the slot is free.
    /// The last item is also the generation of all slots beyond the list.
    generations: Vec<u32>,
    /// User data of objects at their removal: those removed since the last step, and those in ended
    /// pairs.
    departed: BTreeMap<Handle, u32>,
    /// The pairs of the last step: all, begun and ended ones. Filters are the filters at that
    /// step; user data may be outdated.
    pairs: [Vec<Overlap<u32>>; 3],
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
            generations: vec![0],
            departed: BTreeMap::new(),
            pairs: Default::default(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.objects().count()
    }

    /// Returns the objects, ascending by slot.
    pub(crate) fn objects(&self) -> impl Iterator<Item = &Object> {
        self.slots.iter().flatten()
    }

    pub(crate) fn get(&self, id: u32) -> Option<&Object> {
        self.slots[(*self.slot_of.get(id as usize)?)? as usize].as_ref()
    }

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
    }

    /// Removes an object and returns it. The generation of its slot grows by one. A world stores
    /// one generation for each run of adjacent free slots, the largest, so all free slots around
    /// this one get it.
    pub(crate) fn remove(&mut self, id: u32) -> Option<Object> {
        let slot = self.slot_of[id as usize].take()?;
        let object = self.slots[slot as usize].take()?;
        self.departed.insert(object.handle, object.user);
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

    pub(crate) fn place(&self, volume: &Volume64) -> Result<(Volume64, Box64), InvalidBounds> {
        self.space.place(&self.sides, volume)
    }

    /// Returns the object with a handle, or the error of a world if the object does not exist.
    fn live(&mut self, object: Handle) -> Result<&mut Object, Error> {
        let found = self.slots.get_mut(object.index() as usize).and_then(Option::as_mut);
        found.filter(|found| found.handle == object).ok_or(Error::Stale { object })
    }

    pub(crate) fn set(&mut self, object: Handle, setting: &Setting) -> Result<(), Error> {
        let (space, sides) = (self.space, self.sides);
        let found = self.live(object)?;
        match *setting {
            Setting::Bounds(volume) => {
                let invalid = |why| Error::InvalidBounds { object: Some(object), why };
                (found.volume, found.bounds) = space.place(&sides, &volume).map_err(invalid)?;
            }
            Setting::Filter(filter) => found.filter = filter,
            Setting::Motion(motion) => found.motion = motion,
            Setting::Swept(swept) => {
                found.was = swept.then(|| found.was.unwrap_or(found.bounds));
                found.path = found.path.filter(|_| swept);
            }
            Setting::User(user) => found.user = user,
        }
        Ok(())
    }

    pub(crate) fn states(&self) -> impl Iterator<Item = State> {
        self.objects().map(|object| {
            let &Object { handle, volume, user, motion, filter, was, .. } = object;
            State { handle, volume, user, motion, filter, swept: was.is_some() }
        })
    }

    /// Completes a step that keeps these pairs: updates pairs and events, and begins new paths of
    /// swept objects.
    pub(crate) fn complete_step(&mut self, kept: Vec<Overlap<u32>>, situations: &mut Situations) {
        let [before, began, ended] = &mut self.pairs;
        if self.events {
            // Both lists ascend.
            let is_in = |pairs: &[Overlap<u32>], pair: &Overlap<u32>| {
                pairs.binary_search_by_key(&pair.handles, |one| one.handles).is_ok()
            };
            *began = kept.iter().filter(|pair| !is_in(before, pair)).copied().collect();
            *ended = before.iter().filter(|pair| !is_in(&kept, pair)).copied().collect();
        }
        *before = kept;
        self.count_events(situations);
        let ended = &self.pairs[2];
        self.departed.retain(|handle, _| ended.iter().any(|pair| pair.handles.contains(handle)));
        for object in self.slots.iter_mut().flatten() {
            object.path = object.was.map(|was| [was, object.bounds]);
            object.was = object.was.map(|_| object.bounds);
        }
    }

    fn count_events(&self, situations: &mut Situations) {
        let [_, began, ended] = &self.pairs;
        let slots = |pair: &Overlap<u32>| pair.handles.map(Handle::index);
        let begun: BTreeSet<[u32; 2]> = began.iter().map(slots).collect();
        situations.add("began", begun.len());
        situations.add("ended", ended.len());
        for pair in ended {
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
            self.pairs[0].clear();
        }
    }

    /// Returns the pairs of the last step: all, begun and ended ones.
    pub(crate) fn pairs(&self) -> [Vec<Overlap<u32>>; 3] {
        let user = |handle: Handle| match self.by_handle(handle) {
            Some(object) => object.user,
            None => self.departed.get(&handle).copied().unwrap_or(u32::MAX),
        };
        let current = |pair: &Overlap<u32>| Overlap { users: pair.handles.map(user), ..*pair };
        self.pairs.each_ref().map(|pairs| pairs.iter().map(current).collect())
    }

    /// Returns the state that a world has after restoring a snapshot of this state.
    pub(crate) fn restored(&self) -> Self {
        let mut state = self.clone();
        state.pairs[1..].iter_mut().for_each(Vec::clear);
        state.slots.iter_mut().flatten().for_each(|object| object.path = None);
        state.interrupt_step();
        state
    }
}
