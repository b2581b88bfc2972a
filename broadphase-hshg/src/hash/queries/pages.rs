//! Pages of objects: eight to a page, their bounds side by side, and behind these who they are, so
//! that a question finds in one place all it has to know of them.
//!
//! Pages that hang on each other are a *chain*: the first may have room, all others are full. What
//! leads to a page says whether more hang on it, so that few have to look where these are. Nothing
//! is freed unasked but all is reused.

use alloc::vec::Vec;
use core::hint::select_unpredictable;

use broadphase_core::{HitMask, IndexError, LANES, Lanes, SlabPlanes, Slabs};

/// No page: the end of a chain.
pub(crate) const NONE: u32 = u32::MAX;

/// Said of a page beside its number: more hang on it.
const HAS_MORE: u32 = 1 << 31;

/// With more pages there are places without a number.
const MAX_PAGES: usize = u32::MAX as usize / LANES;

/// The number of the page that something leads to.
#[inline(always)]
pub(crate) const fn number(head: u32) -> usize {
    (head & !HAS_MORE) as usize
}

/// Whether more hang on the page that something leads to.
#[inline(always)]
pub(crate) const fn has_more(head: u32) -> bool {
    head & HAS_MORE != 0
}

/// What it is: an object's slot and its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ObjectId {
    pub(crate) slot: u32,
    pub(crate) key: u32,
}

/// Eight objects, in whole lines of cache.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Page<const D: usize> {
    min: [[i32; LANES]; D],
    max: [[i32; LANES]; D],
    /// As numbers of lanes; of those without an object they mean nothing.
    slots: [i32; LANES],
    keys: [u32; LANES],
}

/// What a page is to its chain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    /// What leads to the next one.
    pub(crate) next: u32,
    /// How many objects the page has.
    len: u32,
}

impl Link {
    /// Which lanes of the page have objects.
    #[inline(always)]
    pub(crate) fn objects(self) -> HitMask {
        HitMask::first(self.len as usize)
    }
}

impl<const D: usize> Page<D> {
    const EMPTY: Self = Self {
        min: [[Slabs::<D>::PADDING.min[0]; LANES]; D],
        max: [[Slabs::<D>::PADDING.max[0]; LANES]; D],
        slots: [0; LANES],
        keys: [0; LANES],
    };

    /// Their bounds; of lanes without an object, padding.
    #[inline(always)]
    pub(crate) fn planes(&self) -> SlabPlanes<'_, D> {
        let mut planes = SlabPlanes { min: [&[][..]; D], max: [&[][..]; D] };
        let mut axis = 0;
        while axis < D {
            planes.min[axis] = &self.min[axis];
            planes.max[axis] = &self.max[axis];
            axis += 1;
        }
        planes
    }

    /// Who is in a lane.
    #[inline(always)]
    pub(crate) const fn id(&self, lane: usize) -> ObjectId {
        ObjectId { slot: self.slots[lane] as u32, key: self.keys[lane] }
    }

    /// Asks for all bounds.
    #[inline(always)]
    pub(crate) fn prefetch<L: Lanes>(&self, lanes: L) {
        // Two planes are a line of cache.
        for axis in 0..D {
            if axis.is_multiple_of(2) {
                lanes.prefetch(&self.min[axis], 0);
            }
            if (D + axis).is_multiple_of(2) {
                lanes.prefetch(&self.max[axis], 0);
            }
        }
    }

    /// Asks for who they are if something hits; nobody can guess whether it does, so no branch
    /// depends on it.
    #[inline(always)]
    pub(crate) fn prefetch_ids<L: Lanes>(&self, lanes: L, hit: HitMask) {
        lanes.prefetch(select_unpredictable(hit.is_empty(), &self.min[0], &self.slots), 0);
    }

    #[inline(always)]
    const fn set_id(&mut self, lane: usize, id: ObjectId) {
        self.slots[lane] = id.slot as i32;
        self.keys[lane] = id.key;
    }

    #[inline(always)]
    fn set(&mut self, lane: usize, slabs: &Slabs<D>) {
        for axis in 0..D {
            self.min[axis][lane] = slabs.min[axis];
            self.max[axis][lane] = slabs.max[axis];
        }
    }

    #[inline(always)]
    pub(crate) fn get(&self, lane: usize) -> Slabs<D> {
        self.planes().get(lane)
    }
}

/// All pages. A *place* is a page and a lane of it.
#[derive(Clone, Debug)]
pub(crate) struct Pages<const D: usize> {
    pages: Vec<Page<D>>,
    /// Of each page.
    links: Vec<Link>,
    /// The first of those in no chain, which hang on each other too.
    unused: u32,
}

impl<const D: usize> Pages<D> {
    pub(crate) const fn new() -> Self {
        Self { pages: Vec::new(), links: Vec::new(), unused: NONE }
    }

    #[inline(always)]
    pub(crate) fn all(&self) -> (&[Page<D>], &[Link]) {
        (&self.pages, &self.links)
    }

    #[inline(always)]
    fn at(&mut self, position: u32) -> (&mut Page<D>, usize) {
        (&mut self.pages[position as usize / LANES], position as usize % LANES)
    }

    /// Adds an object to the chain that begins with `head`, which may begin with another page then;
    /// yields its place.
    #[inline(always)]
    pub(crate) fn push(&mut self, head: &mut u32, slabs: &Slabs<D>, id: ObjectId) -> u32 {
        let has_room = |link: &Link| (link.len as usize) < LANES;
        if !self.links.get(number(*head)).is_some_and(has_room) {
            *head = self.take_page(*head);
        }
        let (page, link) = (&mut self.pages[number(*head)], &mut self.links[number(*head)]);
        let lane = link.len as usize;
        page.set(lane, slabs);
        page.set_id(lane, id);
        link.len += 1;
        (number(*head) * LANES + lane) as u32
    }

    /// An empty page before others.
    fn take_page(&mut self, next: u32) -> u32 {
        let more = if next == NONE { 0 } else { HAS_MORE };
        let fresh = Link { next, len: 0 };
        let Some(link) = self.links.get_mut(self.unused as usize) else {
            self.pages.push(Page::EMPTY);
            self.links.push(fresh);
            return (self.pages.len() - 1) as u32 | more;
        };
        let rest = core::mem::replace(link, fresh).next;
        core::mem::replace(&mut self.unused, rest) | more
    }

    /// Removes the object in a place from the chain that begins with `head`, `NONE` if it was the
    /// only one. Yields the slot of the object that is in its place now, if one is.
    #[inline(always)]
    pub(crate) fn swap_remove(&mut self, head: &mut u32, position: u32) -> Option<u32> {
        let index = number(*head);
        let (first, link) = (&mut self.pages[index], &mut self.links[index]);
        link.len -= 1;
        let last = link.len as usize;
        let (slabs, id) = (first.get(last), first.id(last));
        first.set(last, &Slabs::PADDING);
        if last == 0 {
            *head = core::mem::replace(&mut link.next, self.unused);
            self.unused = index as u32;
        }
        if position as usize == index * LANES + last {
            return None;
        }
        let (page, lane) = self.at(position);
        page.set(lane, &slabs);
        page.set_id(lane, id);
        Some(id.slot)
    }

    /// Gives an object other bounds.
    #[inline(always)]
    pub(crate) fn set(&mut self, position: u32, slabs: &Slabs<D>) {
        let (page, lane) = self.at(position);
        page.set(lane, slabs);
    }

    /// Says that an object has another slot now.
    #[inline(always)]
    pub(crate) fn set_slot(&mut self, position: u32, slot: u32) {
        let (page, lane) = self.at(position);
        page.slots[lane] = slot as i32;
    }

    /// Says that an object has another key now.
    pub(crate) fn set_key(&mut self, position: u32, key: u32) {
        let (page, lane) = self.at(position);
        page.keys[lane] = key;
    }

    /// Makes room for so many more objects, were each in a page of its own.
    pub(crate) fn try_reserve(&mut self, objects: usize) -> Result<(), IndexError> {
        if self.pages.len().checked_add(objects).is_none_or(|pages| pages > MAX_PAGES) {
            return Err(IndexError::OutOfMemory);
        }
        self.pages
            .try_reserve(objects)
            .and_then(|()| self.links.try_reserve(objects))
            .map_err(|_| IndexError::OutOfMemory)
    }

    /// Forgets all objects, keeping the memory.
    pub(crate) fn clear(&mut self) {
        self.pages.clear();
        self.links.clear();
        self.unused = NONE;
    }

    /// Puts another chain's pages, in order, behind these; yields what leads to the first.
    pub(crate) fn append(&mut self, from: &Self, head: u32) -> u32 {
        let first = self.pages.len() as u32 | head & HAS_MORE;
        let mut at = head;
        while at != NONE {
            let link = from.links[number(at)];
            self.pages.push(from.pages[number(at)]);
            at = link.next;
            let next = if at == NONE { NONE } else { self.pages.len() as u32 | at & HAS_MORE };
            self.links.push(Link { next, ..link });
        }
        first
    }

    /// How many pages there are, in chains or not.
    pub(crate) const fn len(&self) -> usize {
        self.pages.len()
    }

    /// Gives back the memory behind the last page.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.pages.shrink_to_fit();
        self.links.shrink_to_fit();
    }

    /// The bytes of memory held.
    pub(crate) const fn memory_use(&self) -> usize {
        self.pages.capacity() * size_of::<Page<D>>() + self.links.capacity() * size_of::<Link>()
    }

    /// Visits the slots of the objects in a chain, each with its place.
    pub(crate) fn each(&self, head: u32, mut visit: impl FnMut(u32, u32)) {
        let mut at = head;
        while let Some(link) = self.links.get(number(at)) {
            for lane in 0..link.len as usize {
                let slot = self.pages[number(at)].id(lane).slot;
                visit(slot, (number(at) * LANES + lane) as u32);
            }
            at = link.next;
        }
    }

    /// Visits the places of a chain, checking that it is in order; for tests.
    pub(crate) fn assert_chain(&self, head: u32, mut visit: impl FnMut(u32, Slabs<D>, ObjectId)) {
        let mut at = head;
        while at != NONE {
            let (page, link) = (&self.pages[number(at)], self.links[number(at)]);
            let len = link.len as usize;
            assert!(len > 0 && (at == head || len == LANES), "pages behind the first are full");
            assert_eq!(has_more(at), link.next != NONE, "it is known whether there are more");
            for lane in 0..LANES {
                if lane < len {
                    visit((number(at) * LANES + lane) as u32, page.get(lane), page.id(lane));
                } else {
                    assert_eq!(page.get(lane), Slabs::PADDING, "lanes without objects are padding");
                }
            }
            at = link.next;
        }
    }

    /// How many pages are in no chain; for tests.
    pub(crate) fn count_unused(&self) -> usize {
        let known = |page: u32| (page != NONE).then_some(page);
        let next = |page: &u32| known(self.links[*page as usize].next);
        core::iter::successors(known(self.unused), next).count()
    }
}
