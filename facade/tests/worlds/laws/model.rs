//! The reference model: objects in a sorted map, all pairs tested, steps compared as sets.

use alloc::collections::{BTreeMap, BTreeSet};

use hexphase::{
    Aabb, BruteForce, Error, Filter, Handle, InvalidBounds, Motion, Overlap, Region, SpatialIndex,
    Torus,
};
use laws::numbers::Numbers;

use crate::laws::op::Walk;
use crate::laws::tally::Tally;
use crate::laws::volume::Volume;

/// The expected state of an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Object<S, const D: usize, B> {
    pub(crate) bounds: B,
    /// Box that the world stores for the bounds: wrapped, with −0 replaced by 0.
    pub(crate) at: Aabb<S, D>,
    pub(crate) user: u32,
    pub(crate) filter: Filter,
    pub(crate) motion: Motion,
    /// Bounds at the last step, or when the object became swept; `None` if it is not swept.
    pub(crate) was: Option<Aabb<S, D>>,
    /// Ends of the path of the last step; `None` if the object was not swept then.
    pub(crate) path: Option<[Aabb<S, D>; 2]>,
}

/// A pair of objects, ordered by slot.
type Pair = [Handle; 2];

/// The expected state of a world.
#[derive(Clone, Debug)]
pub(crate) struct Model<S, const D: usize, B> {
    /// Objects ascending by slot; at most one handle per slot.
    pub(crate) objects: BTreeMap<Handle, Object<S, D, B>>,
    /// All handles ever returned by insertions.
    pub(crate) known: Vec<Handle>,
    /// By slot: the generation of the object, or of the next object in a free slot. The last item
    /// holds for all further slots.
    generations: Vec<u32>,
    /// User data of objects removed since the last step, and of those in ended pairs.
    departed: BTreeMap<Handle, u32>,
    /// Objects that existed at the last step, with their filters.
    seen: BTreeMap<Handle, Filter>,
    pairs: BTreeSet<Pair>,
    began: BTreeSet<Pair>,
    /// Ended pairs with their filters.
    ended: Vec<(Pair, [Filter; 2])>,
    /// Tests boxes for overlap in a world that wraps; `None` if the world does not wrap.
    torus: Option<Torus<BruteForce<S, D>, S, D>>,
}

impl<S: Numbers, const D: usize, B: Volume<S, D>> Model<S, D, B> {
    pub(crate) fn new(sides: [S; D]) -> Self {
        let wraps = sides.iter().any(|&side| side > S::ZERO);
        let torus = || Torus::new(BruteForce::new(), sides).expect("valid sides");
        Self {
            objects: BTreeMap::new(),
            known: Vec::new(),
            generations: vec![0],
            departed: BTreeMap::new(),
            seen: BTreeMap::new(),
            pairs: BTreeSet::new(),
            began: BTreeSet::new(),
            ended: Vec::new(),
            torus: wraps.then(torus),
        }
    }

    /// Returns the box of a volume as a world stores it, or the reason a world rejects it.
    pub(crate) fn place(&self, bounds: &B) -> Result<Aabb<S, D>, InvalidBounds> {
        let bounds = (*bounds).checked()?;
        match &self.torus {
            Some(torus) => torus.reduced(bounds.aabb()),
            None => bounds.aabb().checked(),
        }
    }

    /// Returns slot and generation of the next object: the lowest free slot.
    pub(crate) fn next(&self) -> (u32, u32) {
        let gap = (0..).zip(self.objects.keys()).find(|(slot, handle)| handle.index() != *slot);
        let slot = gap.map_or(self.objects.len() as u32, |(slot, _)| slot);
        (slot, self.generation(slot))
    }

    fn generation(&self, slot: u32) -> u32 {
        self.generations[(slot as usize).min(self.generations.len() - 1)]
    }

    pub(crate) fn insert(&mut self, object: Handle, new: Object<S, D, B>) {
        let slots = self.generations.len().max(object.index() as usize + 2);
        self.generations.resize(slots, self.generation(object.index()));
        self.objects.insert(object, new);
        self.known.push(object);
    }

    /// Removes an object and returns its user data. The generation of its slot grows by one; then
    /// all slots of its run of free slots get the largest generation among them.
    pub(crate) fn remove(&mut self, object: Handle) -> Option<u32> {
        let user = self.objects.remove(&object)?.user;
        self.departed.insert(object, user);
        let before = self.objects.range(..object).next_back();
        let first = before.map_or(0, |(before, _)| before.index() as usize + 1);
        let after = self.objects.range(object..).next();
        let last = after.map_or(self.generations.len(), |(after, _)| after.index() as usize);
        self.generations[object.index() as usize] += 1;
        let run = &mut self.generations[first..last];
        run.fill(run.iter().copied().max().expect("contains the object"));
        Some(user)
    }

    /// Returns the stored box for new bounds of an object, or the reason they are rejected.
    fn try_place(&self, object: Handle, bounds: &B) -> Result<Aabb<S, D>, Error> {
        if !self.objects.contains_key(&object) {
            return Err(Error::Stale { object });
        }
        self.place(bounds).map_err(|why| Error::InvalidBounds { object: Some(object), why })
    }

    /// Applies all changes. If one is invalid, applies none, and returns the error of the first
    /// invalid change.
    pub(crate) fn set_bounds_many(&mut self, changes: &[(Handle, B)]) -> Result<(), Error> {
        let places = changes.iter().map(|(object, bounds)| self.try_place(*object, bounds));
        let places = places.collect::<Result<Vec<_>, _>>()?;
        for (&(object, bounds), at) in changes.iter().zip(places) {
            self.put(object, bounds, at);
        }
        Ok(())
    }

    fn put(&mut self, object: Handle, bounds: B, at: Aabb<S, D>) {
        let object = self.objects.get_mut(&object).expect("live object");
        (object.bounds, object.at) = (bounds.stored(at), at);
    }

    /// Changes one property of an object.
    pub(crate) fn change(
        &mut self,
        object: Handle,
        change: impl FnOnce(&mut Object<S, D, B>),
    ) -> Result<(), Error> {
        self.objects.get_mut(&object).map(change).ok_or(Error::Stale { object })
    }

    /// Applies an update. Returns its result and the visited objects, ascending.
    pub(crate) fn walk(&mut self, walk: &Walk<S, D, B>) -> (Result<(), Error>, Vec<Handle>) {
        let dynamic = |object: &&Object<S, D, B>| object.motion == Motion::Dynamic;
        let seen = |(&handle, object): (&Handle, &Object<S, D, B>)| {
            (!walk.only_dynamic() || dynamic(&object)).then_some(handle)
        };
        let seen: Vec<Handle> = self.objects.iter().filter_map(seen).collect();
        let mut worst = Ok(());
        for &handle in &seen {
            let object = self.objects.get_mut(&handle).expect("visited object");
            if !walk.keeps_users() {
                object.user = walk.user(handle, object.user);
            }
            let bounds = walk.bounds(handle, object.bounds);
            match self.try_place(handle, &bounds) {
                Ok(at) => self.put(handle, bounds, at),
                Err(why) => worst = worst.and(Err(why)),
            }
        }
        (worst, seen)
    }

    /// Returns the pairs of objects whose boxes overlap; swept objects use the box of their path.
    fn boxes_meet(&self) -> Vec<Pair> {
        let ways: Vec<(Handle, Aabb<S, D>)> =
            self.objects.iter().map(|(&handle, object)| (handle, self.way(object))).collect();
        if let Some(torus) = &self.torus {
            let (mut torus, mut pairs) = (torus.clone(), Vec::new());
            for &(handle, way) in &ways {
                torus.insert(handle.index(), way, ()).expect("valid box");
            }
            torus.pairs(&mut pairs);
            let slots: BTreeMap<u32, Handle> =
                self.objects.keys().map(|handle| (handle.index(), *handle)).collect();
            return pairs.into_iter().map(|pair| pair.map(|slot| slots[&slot])).collect();
        }
        let mut pairs = Vec::new();
        for (place, (a, way)) in ways.iter().enumerate() {
            let met = ways[place + 1..].iter().filter(|(_, other)| way.overlaps(other));
            pairs.extend(met.map(|(b, _)| [*a, *b]));
        }
        pairs
    }

    /// Returns the box around the bounds at the last step and the current bounds of a swept object;
    /// for any other object, its box.
    fn way(&self, object: &Object<S, D, B>) -> Aabb<S, D> {
        let Some(was) = object.was else { return object.at };
        self.nearest_image(was, &object.at).union(&object.at)
    }

    /// Returns the image of the bounds at the last step that is nearest to the current ones; if two
    /// images are equally near, the image inside the world.
    pub(super) fn nearest_image(&self, was: Aabb<S, D>, at: &Aabb<S, D>) -> Aabb<S, D> {
        let Some(torus) = &self.torus else { return was };
        let mut image = was;
        for (axis, side) in torus.world().into_iter().enumerate() {
            let far = |min: S| (min.to_f64() - at.min[axis].to_f64()).abs();
            let (low, high) = (was.min[axis], was.max[axis]);
            for (low, high) in
                [(low.plus(side), high.plus(side)), (low.minus(side), high.minus(side))]
            {
                if far(low) < far(image.min[axis]) {
                    (image.min[axis], image.max[axis]) = (low, high);
                }
            }
        }
        image
    }

    /// Returns the sides of the world; 0 on an axis that does not wrap.
    pub(super) fn sides(&self) -> [S; D] {
        self.torus.as_ref().map_or([S::ZERO; D], Torus::world)
    }

    /// Returns whether two objects with overlapping boxes are a pair. Counts each reason for a
    /// rejection, and the pairs whose current boxes do not overlap.
    pub(crate) fn agree(&self, [a, b]: Pair, tally: &mut Tally) -> bool {
        let [a, b] = [a, b].map(|handle| &self.objects[&handle]);
        let on_its_way = [a, b].iter().any(|object| object.was.is_some_and(|was| was != object.at));
        if a.motion == Motion::Static && b.motion == Motion::Static {
            tally.count("both static");
        } else if !a.filter.accepts(&b.filter) {
            tally.count("filtered");
        } else if !on_its_way && !Self::volumes_touch(self.torus.as_ref(), a, b) {
            tally.count("only boxes overlap");
        } else {
            let rest = [Motion::Sleeping, Motion::Static];
            let at_rest = [a, b].iter().all(|object| rest.contains(&object.motion));
            tally.count_if(at_rest && a.motion != b.motion, "a sleeping and a static object");
            if !a.at.overlaps(&b.at) {
                tally.count("overlap on the path or across the seam");
            }
            return true;
        }
        false
    }

    /// Returns whether the volumes of two objects overlap; in a world that wraps, whether they do
    /// in an image in which their boxes overlap.
    pub(super) fn volumes_touch(
        torus: Option<&Torus<BruteForce<S, D>, S, D>>,
        a: &Object<S, D, B>,
        b: &Object<S, D, B>,
    ) -> bool {
        let Some(torus) = torus else { return a.bounds.touches(&b.bounds) };
        let sides = torus.world();
        let covers = |at: &Aabb<S, D>| {
            (0..D).any(|axis| {
                sides[axis] > S::ZERO && at.max[axis].minus(at.min[axis]) >= sides[axis]
            })
        };
        // The number of whole sides from the home box to the volume as it was given.
        let worlds = |object: &Object<S, D, B>, axis: usize| {
            let given = object.bounds.aabb().min[axis].to_f64();
            ((given - object.at.min[axis].to_f64()) / sides[axis].to_f64()).round()
        };
        let overlap_in = |image: [i32; D]| {
            let mut by = [S::ZERO; D];
            for axis in 0..D {
                let (side, low, high) = (sides[axis], &a.at, &b.at);
                let boxes_overlap = match image[axis] {
                    0 => low.min[axis] <= high.max[axis] && high.min[axis] <= low.max[axis],
                    1 => side > S::ZERO && low.max[axis].minus(side) >= high.min[axis],
                    _ => side > S::ZERO && high.max[axis].minus(side) >= low.min[axis],
                };
                if !boxes_overlap {
                    return false;
                }
                if side > S::ZERO {
                    let worlds = worlds(a, axis) - worlds(b, axis) + f64::from(image[axis]);
                    by[axis] = S::from_f64(worlds * side.to_f64());
                    if S::INTEGER && by[axis].to_f64() != worlds * side.to_f64() {
                        return true; // out of range: the boxes decide
                    }
                }
            }
            let moved = if by == [S::ZERO; D] { Some(b.bounds) } else { b.bounds.translated(by) };
            moved.is_none_or(|b| a.bounds.touches(&b))
        };
        let mut images = (0..3usize.pow(D as u32)).map(|number| {
            core::array::from_fn(|axis| (number / 3usize.pow(axis as u32) % 3) as i32 - 1)
        });
        covers(&a.at) || covers(&b.at) || images.any(overlap_in)
    }

    /// Takes a step. Returns the pairs passed to `accept`.
    pub(crate) fn step(
        &mut self,
        accept: impl Fn(&Overlap<u32>) -> bool,
        tally: &mut Tally,
    ) -> Vec<Overlap<u32>> {
        let mut met = self.boxes_meet();
        met.retain(|pair| self.agree(*pair, tally));
        let filters = |handle: Handle| self.objects[&handle].filter;
        let passed: Vec<Overlap<u32>> =
            met.iter().map(|&pair| self.overlap(pair, filters)).collect();
        let kept = passed.iter().filter(|overlap| accept(overlap));
        let now: BTreeSet<Pair> = kept.map(|overlap| overlap.handles).collect();
        let gone = self.pairs.difference(&now);
        self.ended = gone.map(|&pair| (pair, pair.map(|handle| self.seen[&handle]))).collect();
        self.began = now.difference(&self.pairs).copied().collect();
        self.count_events(tally);
        self.pairs = now;
        let ended = &self.ended;
        self.departed.retain(|handle, _| ended.iter().any(|(pair, _)| pair.contains(handle)));
        self.seen = self.objects.iter().map(|(&handle, object)| (handle, object.filter)).collect();
        for object in self.objects.values_mut() {
            object.path = object.was.map(|was| [was, object.at]);
            object.was = object.was.map(|_| object.at);
        }
        passed
    }

    /// Counts the events of a step.
    fn count_events(&self, tally: &mut Tally) {
        let slots = |handles: Pair| handles.map(Handle::index);
        let begun: BTreeSet<[u32; 2]> = self.began.iter().map(|&pair| slots(pair)).collect();
        for (ended, _) in &self.ended {
            tally.count("ended");
            let gone = ended.iter().any(|handle| self.departed.contains_key(handle));
            tally.count_if(gone, "ended with a removal");
            let refiltered = |handle: &Handle| {
                self.objects.get(handle).is_some_and(|now| now.filter != self.seen[handle])
            };
            tally.count_if(!gone && ended.iter().any(refiltered), "ended by a filter");
            let again = begun.contains(&slots(*ended));
            tally.count_if(again, "ended and began in the same slots");
        }
        tally.add("began", self.began.len());
    }

    /// Returns a pair with the user data of both objects; for a removed object, the user data at
    /// its removal.
    fn overlap(&self, handles: Pair, filter: impl Fn(Handle) -> Filter) -> Overlap<u32> {
        let user = |handle: Handle| match self.objects.get(&handle) {
            Some(object) => object.user,
            None => self.departed[&handle],
        };
        Overlap { handles, users: handles.map(user), filters: handles.map(filter) }
    }

    fn shown<'a>(&'a self, pairs: &'a BTreeSet<Pair>) -> impl Iterator<Item = Overlap<u32>> + 'a {
        pairs.iter().map(|&pair| self.overlap(pair, |handle| self.seen[&handle]))
    }

    pub(crate) fn pairs(&self) -> Vec<Overlap<u32>> {
        self.shown(&self.pairs).collect()
    }

    pub(crate) fn began(&self) -> Vec<Overlap<u32>> {
        self.shown(&self.began).collect()
    }

    pub(crate) fn ended(&self) -> Vec<Overlap<u32>> {
        let filters = |pair: Pair, filters: [Filter; 2]| {
            move |handle| filters[usize::from(handle != pair[0])]
        };
        self.ended.iter().map(|&(pair, of)| self.overlap(pair, filters(pair, of))).collect()
    }

    /// Returns all objects in a torus, if the world wraps.
    pub(crate) fn wrapped(&self) -> Option<Torus<BruteForce<S, D>, S, D>> {
        let mut torus = self.torus.clone()?;
        for (handle, object) in &self.objects {
            torus.insert(handle.index(), object.at, ()).expect("valid box");
        }
        Some(torus)
    }

    /// Returns the objects that currently form a pair with an object. Paths of swept objects are
    /// ignored.
    pub(crate) fn overlapping(
        &self,
        object: Handle,
        tally: &mut Tally,
    ) -> Result<Vec<Handle>, Error> {
        if !self.objects.contains_key(&object) {
            return Err(Error::Stale { object });
        }
        let mut here = self.clone();
        here.objects.values_mut().for_each(|object| object.was = None);
        let mut met = here.boxes_meet();
        met.retain(|pair| pair.contains(&object) && here.agree(*pair, tally));
        Ok(met.iter().flatten().copied().filter(|&other| other != object).collect())
    }

    /// Returns the objects in each region that are in at least one of `layers`: regions in order,
    /// objects ascending.
    pub(crate) fn inside_each(
        &self,
        regions: &[Region<S, D>],
        layers: u64,
    ) -> Vec<(usize, Handle)> {
        let torus = self.wrapped();
        let in_layers =
            self.objects.iter().filter(|(_, object)| object.filter.layers & layers != 0);
        let boxes: Vec<(Handle, Aabb<S, D>)> =
            in_layers.map(|(&handle, object)| (handle, object.at)).collect();
        let mut found = Vec::new();
        for (number, region) in regions.iter().enumerate() {
            let mut keys = Vec::new();
            if let Some(torus) = &torus {
                torus.query(*region, &mut keys);
            }
            let region = region.normalized();
            let inside = |handle: Handle, at: &Aabb<S, D>| match &torus {
                Some(_) => keys.binary_search(&handle.index()).is_ok(),
                None => region.is_some_and(|region| region.overlaps(at)),
            };
            let met = boxes.iter().filter(|(handle, at)| inside(*handle, at));
            found.extend(met.map(|&(handle, _)| (number, handle)));
        }
        found
    }

    /// Returns the model as restored from a snapshot: without events and paths of the last step.
    pub(crate) fn without_events(&self) -> Self {
        let mut model = Self { began: BTreeSet::new(), ended: Vec::new(), ..self.clone() };
        model.objects.values_mut().for_each(|object| object.path = None);
        model
    }
}
