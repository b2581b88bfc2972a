//! Pages of eight objects: the key bounds side by side for SIMD, then slots and keys, in adjacent
//! cache lines.
//!
//! The pages of a bin are a *chain*, of which only the first may have room. A *head* is the number
//! of a page, with a bit that is set if more pages follow: links are read only for the few longer
//! chains. A *position* is a page number and a lane: `page · 8 + lane`. Unused pages are reused;
//! only [`Bins::shrink_to_fit`](super::Bins::shrink_to_fit) frees them.

use alloc::vec::Vec;
use core::hint::select_unpredictable;

use broadphase_core::{HitMask, IndexError, LANES, Lanes, SlabPlanes, Slabs};

use crate::hash::{make_room, try_make_room};

/// The end of a chain.
pub(crate) const NONE: u32 = u32::MAX;

/// The bit of a head that is set if more pages follow.
const HAS_MORE: u32 = 1 << 31;

/// Maximum number of pages: every position fits into 32 bits.
const MAX_PAGES: usize = u32::MAX as usize / LANES;

/// Returns the number of the page that a head refers to.
#[inline(always)]
pub(crate) const fn number(head: u32) -> usize {
    (head & !HAS_MORE) as usize
}

/// Returns whether more pages follow the page that a head refers to.
#[inline(always)]
pub(crate) const fn has_more(head: u32) -> bool {
    head & HAS_MORE != 0
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ObjectId {
    pub(crate) slot: u32,
    pub(crate) key: u32,
}

/// Eight objects, in whole cache lines.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Page<const D: usize> {
    min: [[i32; LANES]; D],
    max: [[i32; LANES]; D],
    /// The slots, as `i32` for prefetches in lanes; unspecified in lanes without an object.
    pub(crate) slots: [i32; LANES],
    keys: [u32; LANES],
}

/// The link of a page in its chain, and data of its objects.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    /// The head of the next page.
    pub(crate) next: u32,
    /// The number of objects in the page; 0 if the page is unused.
    len: u8,
    /// A set bit for each lane with an object that is not static.
    movers: u8,
    /// The level of the chain's bin.
    pub(crate) level: u8,
    /// Whether the page is the first of its chain.
    pub(crate) is_first: bool,
}

impl Link {
    /// Returns a mask of the lanes with an object.
    #[inline(always)]
    pub(crate) fn objects(self) -> HitMask {
        HitMask::first(self.len.into())
    }

    /// Returns a mask of the lanes with an object that is not static.
    #[inline(always)]
    pub(crate) const fn movers(self) -> HitMask {
        HitMask(self.movers)
    }

    #[inline(always)]
    const fn set_mover(&mut self, lane: usize, is_mover: bool) {
        self.movers = self.movers & !(1 << lane) | (is_mover as u8) << lane;
    }
}

impl<const D: usize> Page<D> {
    const EMPTY: Self = Self {
        min: [[Slabs::<D>::PADDING.min[0]; LANES]; D],
        max: [[Slabs::<D>::PADDING.max[0]; LANES]; D],
        slots: [0; LANES],
        keys: [0; LANES],
    };

    /// Returns the key bounds as planes; other lanes have padding.
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

    #[inline(always)]
    pub(crate) const fn id(&self, lane: usize) -> ObjectId {
        ObjectId { slot: self.slots[lane] as u32, key: self.keys[lane] }
    }

    /// Prefetches all key bounds.
    #[inline(always)]
    pub(crate) fn prefetch<L: Lanes>(&self, lanes: L) {
        for axis in 0..D {
            if axis.is_multiple_of(2) {
                lanes.prefetch(&self.min[axis], 0);
            }
            if (D + axis).is_multiple_of(2) {
                lanes.prefetch(&self.max[axis], 0);
            }
        }
    }

    /// Prefetches the ids if there is a hit; branch-free, because that is unpredictable.
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

#[derive(Clone, Debug)]
pub(crate) struct Pages<const D: usize> {
    pages: Vec<Page<D>>,
    links: Vec<Link>,
    /// The number of the first unused page, which links to the next unused page, or `NONE`.
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

    /// Returns the pages of a chain with their numbers and links, from the first on.
    pub(crate) fn chain(&self, head: u32) -> impl Iterator<Item = (usize, &Page<D>, Link)> {
        let mut next = head;
        core::iter::from_fn(move || {
            let index = number(next);
            let link = *self.links.get(index)?;
            next = link.next;
            Some((index, &self.pages[index], link))
        })
    }

    #[inline(always)]
    fn at(&mut self, position: u32) -> (&mut Page<D>, &mut Link, usize) {
        let (index, lane) = (position as usize / LANES, position as usize % LANES);
        (&mut self.pages[index], &mut self.links[index], lane)
    }

    /// Adds an object to the chain of a bin of this level that starts at `head`. If the first page
    /// is full, a new page becomes the `head`. Returns the object's position.
    #[inline(always)]
    pub(crate) fn push(
        &mut self,
        head: &mut u32,
        level: u8,
        slabs: &Slabs<D>,
        id: ObjectId,
        is_mover: bool,
    ) -> u32 {
        let has_room = |link: &Link| usize::from(link.len) < LANES;
        if !self.links.get(number(*head)).is_some_and(has_room) {
            *head = self.take_page(*head, level);
        }
        let (page, link) = (&mut self.pages[number(*head)], &mut self.links[number(*head)]);
        let lane = usize::from(link.len);
        page.set(lane, slabs);
        page.set_id(lane, id);
        link.set_mover(lane, is_mover);
        link.len += 1;
        (number(*head) * LANES + lane) as u32
    }

    /// Reuses or allocates an empty page, and links it in front of `next`. Returns its head.
    fn take_page(&mut self, next: u32, level: u8) -> u32 {
        let more = if next == NONE { 0 } else { HAS_MORE };
        if let Some(second) = self.links.get_mut(number(next)) {
            second.is_first = false;
        }
        let fresh = Link { next, len: 0, movers: 0, level, is_first: true };
        let Some(link) = self.links.get_mut(self.unused as usize) else {
            make_room(&mut self.pages, 1);
            make_room(&mut self.links, 1);
            self.pages.push(Page::EMPTY);
            self.links.push(fresh);
            return (self.pages.len() - 1) as u32 | more;
        };
        let rest = core::mem::replace(link, fresh).next;
        core::mem::replace(&mut self.unused, rest) | more
    }

    /// Removes the object at a position from the chain that starts at `head`; an empty chain gets
    /// the head `NONE`. The last object of the first page moves into the gap. Returns its slot, or
    /// `None` if it was the removed object.
    #[inline(always)]
    pub(crate) fn swap_remove(&mut self, head: &mut u32, position: u32) -> Option<u32> {
        let index = number(*head);
        let (first, link) = (&mut self.pages[index], &mut self.links[index]);
        link.len -= 1;
        let last = usize::from(link.len);
        let (slabs, id, is_mover) = (first.get(last), first.id(last), link.movers >> last != 0);
        first.set(last, &Slabs::PADDING);
        link.set_mover(last, false);
        if last == 0 {
            *head = core::mem::replace(&mut link.next, self.unused);
            link.is_first = false;
            self.unused = index as u32;
            if let Some(next) = self.links.get_mut(number(*head)) {
                next.is_first = true;
            }
        }
        if position as usize == index * LANES + last {
            return None;
        }
        let (page, link, lane) = self.at(position);
        page.set(lane, &slabs);
        page.set_id(lane, id);
        link.set_mover(lane, is_mover);
        Some(id.slot)
    }

    /// Sets the key bounds of the object at a position.
    #[inline(always)]
    pub(crate) fn set(&mut self, position: u32, slabs: &Slabs<D>) {
        let (page, _, lane) = self.at(position);
        page.set(lane, slabs);
    }

    /// Sets the slot of the object at a position.
    #[inline(always)]
    pub(crate) fn set_slot(&mut self, position: u32, slot: u32) {
        let (page, _, lane) = self.at(position);
        page.slots[lane] = slot as i32;
    }

    /// Sets whether the object at a position is not static.
    pub(crate) fn set_mover(&mut self, position: u32, is_mover: bool) {
        let (_, link, lane) = self.at(position);
        link.set_mover(lane, is_mover);
    }

    /// Reserves memory for this number of additional pages.
    pub(crate) fn try_reserve(&mut self, pages: usize) -> Result<(), IndexError> {
        if self.pages.len().checked_add(pages).is_none_or(|pages| pages > MAX_PAGES) {
            return Err(IndexError::OutOfMemory);
        }
        try_make_room(&mut self.pages, pages)?;
        try_make_room(&mut self.links, pages)
    }

    /// Removes all objects without freeing memory.
    pub(crate) fn clear(&mut self) {
        self.pages.clear();
        self.links.clear();
        self.unused = NONE;
    }

    /// Appends copies of all pages of a chain of `from`, in order. Returns the head of the copy.
    pub(crate) fn append(&mut self, from: &Self, head: u32) -> u32 {
        let first = self.pages.len() as u32 | head & HAS_MORE;
        for (_, page, link) in from.chain(head) {
            self.pages.push(*page);
            let is_last = link.next == NONE;
            let next = if is_last { NONE } else { self.pages.len() as u32 | link.next & HAS_MORE };
            self.links.push(Link { next, ..link });
        }
        first
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.pages.shrink_to_fit();
        self.links.shrink_to_fit();
    }

    pub(crate) const fn memory_use(&self) -> usize {
        self.pages.capacity() * size_of::<Page<D>>() + self.links.capacity() * size_of::<Link>()
    }

    /// Checks the links of a chain and returns its number of pages. For tests.
    pub(crate) fn assert_chain(&self, head: u32, level: usize) -> usize {
        let mut at = head;
        for (index, page, link) in self.chain(head) {
            let len = usize::from(link.len);
            assert!(len > 0 && (at == head || len == LANES), "pages after the first are full");
            assert_eq!(has_more(at), link.next != NONE, "heads mark whether more pages follow");
            assert_eq!((usize::from(link.level), link.is_first), (level, at == head));
            let is_padding = |lane| page.get(lane) == Slabs::PADDING;
            assert!((len..LANES).all(is_padding), "page {index}: empty lanes are padding");
            assert_eq!(link.movers >> (len - 1) >> 1, 0, "empty lanes have no movers");
            at = link.next;
        }
        self.chain(head).count()
    }

    /// Checks that all pages that are not unused are in chains. For tests.
    pub(crate) fn assert_used(&self, used: usize) {
        let unused = self.links.iter().filter(|link| link.len == 0).count();
        assert_eq!(used + unused, self.pages.len(), "every page is in a chain or unused");
    }
}
