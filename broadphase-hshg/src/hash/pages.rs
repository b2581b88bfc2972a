//! Pages of objects: eight to a page, their bounds side by side and their slots beside these, so
//! that a question finds in one place all it has to know of them.
//!
//! Pages that hang on each other are a *chain*: the first may have room, all others are full.
//! Nothing is freed unasked but all is reused.

use alloc::vec::Vec;

use broadphase_core::{HitMask, IndexError, LANES, Lanes, SlabPlanes, Slabs};

/// No page: the end of a chain.
pub(super) const NONE: u32 = u32::MAX;

/// With more pages there are places without a number.
const MOST: usize = u32::MAX as usize / LANES;

/// Eight objects, in whole lines of cache.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Page<const D: usize> {
    min: [[i32; LANES]; D],
    max: [[i32; LANES]; D],
    /// As numbers of lanes; of those without an object they mean nothing.
    slots: [i32; LANES],
    pub(super) next: u32,
    len: u32,
}

impl<const D: usize> Page<D> {
    const EMPTY: Self = Self {
        min: [[Slabs::<D>::PADDING.min[0]; LANES]; D],
        max: [[Slabs::<D>::PADDING.max[0]; LANES]; D],
        slots: [0; LANES],
        next: NONE,
        len: 0,
    };

    /// Their bounds; of lanes without an object, padding.
    #[inline(always)]
    pub(super) fn planes(&self) -> SlabPlanes<'_, D> {
        SlabPlanes {
            min: core::array::from_fn(|axis| &self.min[axis][..]),
            max: core::array::from_fn(|axis| &self.max[axis][..]),
        }
    }

    /// Which lanes have objects.
    #[inline(always)]
    pub(super) fn objects(&self) -> HitMask {
        HitMask::first(self.len as usize)
    }

    /// The slot of the object in a lane.
    #[inline(always)]
    pub(super) const fn slot(&self, lane: usize) -> u32 {
        self.slots[lane] as u32
    }

    /// Asks for all of it.
    #[inline(always)]
    pub(super) fn prefetch<L: Lanes>(&self, lanes: L) {
        // Two planes are a line of cache.
        for axis in 0..D {
            if axis.is_multiple_of(2) {
                lanes.prefetch(&self.min[axis], 0);
            }
            if (D + axis).is_multiple_of(2) {
                lanes.prefetch(&self.max[axis], 0);
            }
        }
        lanes.prefetch(&self.slots, 0);
    }

    #[inline(always)]
    fn set(&mut self, lane: usize, slabs: &Slabs<D>) {
        for axis in 0..D {
            self.min[axis][lane] = slabs.min[axis];
            self.max[axis][lane] = slabs.max[axis];
        }
    }

    #[inline(always)]
    pub(super) fn get(&self, lane: usize) -> Slabs<D> {
        self.planes().get(lane)
    }
}

/// All pages. A *place* is a page and a lane of it.
#[derive(Clone, Debug)]
pub(super) struct Pages<const D: usize> {
    pages: Vec<Page<D>>,
    /// The first of those in no chain, which hang on each other too.
    unused: u32,
}

impl<const D: usize> Pages<D> {
    pub(super) const fn new() -> Self {
        Self { pages: Vec::new(), unused: NONE }
    }

    #[inline(always)]
    pub(super) fn all(&self) -> &[Page<D>] {
        &self.pages
    }

    #[inline(always)]
    fn at(&mut self, place: u32) -> (&mut Page<D>, usize) {
        (&mut self.pages[place as usize / LANES], place as usize % LANES)
    }

    /// Adds an object to the chain that begins with `head`, which may begin with another page then;
    /// yields its place.
    #[inline(always)]
    pub(super) fn push(&mut self, head: &mut u32, slabs: &Slabs<D>, slot: u32) -> u32 {
        let has_room = |page: &Page<D>| (page.len as usize) < LANES;
        if !self.pages.get(*head as usize).is_some_and(has_room) {
            *head = self.take(*head);
        }
        let page = &mut self.pages[*head as usize];
        let lane = page.len as usize;
        page.set(lane, slabs);
        page.slots[lane] = slot as i32;
        page.len += 1;
        *head * LANES as u32 + lane as u32
    }

    /// An empty page before others.
    fn take(&mut self, next: u32) -> u32 {
        let fresh = Page { next, ..Page::EMPTY };
        let Some(page) = self.pages.get_mut(self.unused as usize) else {
            self.pages.push(fresh);
            return (self.pages.len() - 1) as u32;
        };
        let rest = core::mem::replace(page, fresh).next;
        core::mem::replace(&mut self.unused, rest)
    }

    /// Removes the object in a place from the chain that begins with `head`, `NONE` if it was the
    /// only one. Yields the slot of the object that is in its place now, if one is.
    #[inline(always)]
    pub(super) fn swap_remove(&mut self, head: &mut u32, place: u32) -> Option<u32> {
        let first = &mut self.pages[*head as usize];
        first.len -= 1;
        let last = first.len as usize;
        let (slabs, slot) = (first.get(last), first.slot(last));
        first.set(last, &Slabs::PADDING);
        let is_last = place == *head * LANES as u32 + last as u32;
        if last == 0 {
            let rest = core::mem::replace(&mut first.next, self.unused);
            self.unused = core::mem::replace(head, rest);
        }
        if is_last {
            return None;
        }
        let (page, lane) = self.at(place);
        page.set(lane, &slabs);
        page.slots[lane] = slot as i32;
        Some(slot)
    }

    /// Gives an object other bounds.
    #[inline(always)]
    pub(super) fn set(&mut self, place: u32, slabs: &Slabs<D>) {
        let (page, lane) = self.at(place);
        page.set(lane, slabs);
    }

    /// Says that an object has another slot now.
    #[inline(always)]
    pub(super) fn rename(&mut self, place: u32, slot: u32) {
        let (page, lane) = self.at(place);
        page.slots[lane] = slot as i32;
    }

    /// Makes room for so many more objects, were each in a page of its own.
    pub(super) fn try_reserve(&mut self, objects: usize) -> Result<(), IndexError> {
        if self.pages.len().checked_add(objects).is_none_or(|pages| pages > MOST) {
            return Err(IndexError::OutOfMemory);
        }
        self.pages.try_reserve(objects).map_err(|_| IndexError::OutOfMemory)
    }

    /// Forgets all objects, keeping the memory.
    pub(super) fn clear(&mut self) {
        self.pages.clear();
        self.unused = NONE;
    }

    /// Puts another chain's pages, in order, behind these; its first is `head` in `from`.
    pub(super) fn append(&mut self, from: &Self, head: u32) {
        let mut next = head;
        while next != NONE {
            let page = &from.pages[next as usize];
            next = page.next;
            let behind = if next == NONE { NONE } else { self.pages.len() as u32 + 1 };
            self.pages.push(Page { next: behind, ..*page });
        }
    }

    /// How many pages there are, in chains or not.
    pub(super) const fn len(&self) -> usize {
        self.pages.len()
    }

    /// Gives back the memory behind the last page.
    pub(super) fn shrink_to_fit(&mut self) {
        self.pages.shrink_to_fit();
    }

    /// The bytes of memory held.
    pub(super) const fn memory_use(&self) -> usize {
        self.pages.capacity() * size_of::<Page<D>>()
    }

    /// Visits the slots of the objects in a chain, each with its place.
    pub(super) fn each(&self, head: u32, mut visit: impl FnMut(u32, u32)) {
        let mut next = head;
        while let Some(page) = self.pages.get(next as usize) {
            for lane in 0..page.len {
                visit(page.slot(lane as usize), next * LANES as u32 + lane);
            }
            next = page.next;
        }
    }

    /// Visits the places of a chain, checking that it is in order; for tests.
    pub(super) fn assert_chain(&self, head: u32, mut visit: impl FnMut(u32, Slabs<D>, u32)) {
        let mut next = head;
        while next != NONE {
            let page = &self.pages[next as usize];
            let len = page.len as usize;
            assert!(len > 0 && (next == head || len == LANES), "pages behind the first are full");
            for lane in 0..LANES {
                if lane < len {
                    let place = next * LANES as u32 + lane as u32;
                    visit(place, page.get(lane), page.slot(lane));
                } else {
                    assert_eq!(page.get(lane), Slabs::PADDING, "lanes without objects are padding");
                }
            }
            next = page.next;
        }
    }

    /// How many pages are in no chain; for tests.
    pub(super) fn count_unused(&self) -> usize {
        let known = |page: u32| (page != NONE).then_some(page);
        let next = |page: &u32| known(self.pages[*page as usize].next);
        core::iter::successors(known(self.unused), next).count()
    }
}
