//! From the caller's key to the slot an object is stored in.

use alloc::vec::Vec;

use bounds_hexprism::Lanes;

use crate::IndexError;

/// Keys on one page.
const PAGE: usize = 4096;
const NONE: u32 = u32::MAX;

/// A paged table: fast and small for dense keys, and the key 4 · 10⁹ costs 4 MB, not 16 GB. Pages
/// whose keys are all free are used again, so keys may go on counting up.
///
/// Slots are below 2^32 − 1.
#[derive(Clone, Debug, Default)]
pub struct Slots {
    /// For each page of keys where it begins in `pages`, in pages; `NONE` if it has no keys.
    directory: Vec<u32>,
    /// The slots, page by page; `NONE` where the key is free.
    pages: Vec<u32>,
    /// How many keys of each page are not free.
    live: Vec<u32>,
    /// Pages without keys, all `NONE`. There is room for every page, so that removing a key never
    /// asks for memory.
    unused: Vec<u32>,
}

impl Slots {
    #[inline(always)]
    fn place(&self, key: u32) -> Option<usize> {
        let page = *self.directory.get(key as usize / PAGE)?;
        (page != NONE).then(|| page as usize * PAGE + key as usize % PAGE)
    }

    /// The slot of the key.
    #[inline(always)]
    #[must_use]
    pub fn get(&self, key: u32) -> Option<usize> {
        let slot = self.pages[self.place(key)?];
        (slot != NONE).then_some(slot as usize)
    }

    /// Says in which slot the key is.
    ///
    /// # Panics
    /// If the memory for its page is not to be had.
    #[inline]
    pub fn set(&mut self, key: u32, slot: usize) {
        self.try_set(key, slot).expect("memory for another page of keys");
    }

    /// Says in which slot the key is.
    ///
    /// # Errors
    /// If the memory for its page is not to be had. Nothing has changed then.
    #[inline]
    pub fn try_set(&mut self, key: u32, slot: usize) -> Result<(), IndexError> {
        let place = match self.place(key) {
            Some(place) => place,
            None => self.open(key)?,
        };
        if self.pages[place] == NONE {
            self.live[place / PAGE] += 1;
        }
        self.pages[place] = slot as u32;
        Ok(())
    }

    /// Says in which other slot a key is that is not free.
    #[inline]
    pub fn relocate(&mut self, key: u32, slot: usize) {
        if let Some(place) = self.place(key) {
            assert!(self.pages[place] != NONE, "the key is not free");
            self.pages[place] = slot as u32;
        }
    }

    /// Asks for the memory of a key, which will be read or changed soon.
    #[inline(always)]
    pub fn prefetch<L: Lanes>(&self, lanes: L, key: u32) {
        if let Some(place) = self.place(key) {
            lanes.prefetch(&self.pages, place);
        }
    }

    /// Frees the key.
    #[inline]
    pub fn remove(&mut self, key: u32) {
        let Some(place) = self.place(key) else { return };
        if self.pages[place] != NONE {
            self.pages[place] = NONE;
            self.live[place / PAGE] -= 1;
            if self.live[place / PAGE] == 0 {
                self.unused.push((place / PAGE) as u32);
                self.directory[key as usize / PAGE] = NONE;
            }
        }
    }

    /// Frees all keys, keeping the memory.
    pub fn clear(&mut self) {
        self.directory.clear();
        self.pages.clear();
        self.live.clear();
        self.unused.clear();
    }

    /// Makes room for so many more keys that follow each other. Keys far apart, or far from zero,
    /// may need more.
    ///
    /// # Errors
    /// If the memory is not to be had. No key has changed then.
    pub fn try_reserve(&mut self, additional: usize) -> Result<(), IndexError> {
        // They may begin and end within a page.
        let pages = match additional {
            0 => 0,
            more => more.div_ceil(PAGE) + 1,
        };
        self.try_reserve_pages(pages.saturating_sub(self.unused.len()))?;
        self.directory.try_reserve(pages).map_err(|_| IndexError::OutOfMemory)
    }

    fn try_reserve_pages(&mut self, pages: usize) -> Result<(), IndexError> {
        let all = self.live.len() + pages;
        self.pages
            .try_reserve(pages.saturating_mul(PAGE))
            .and_then(|()| self.live.try_reserve(pages))
            .and_then(|()| self.unused.try_reserve(all - self.unused.len()))
            .map_err(|_| IndexError::OutOfMemory)
    }

    /// The bytes of memory held.
    #[must_use]
    pub const fn memory_use(&self) -> usize {
        let numbers = self.directory.capacity()
            + self.pages.capacity()
            + self.live.capacity()
            + self.unused.capacity();
        numbers * size_of::<u32>()
    }

    /// Gives back the memory that is not needed; the pages that are stay in the order of keys.
    pub fn shrink_to_fit(&mut self) {
        let in_use = self.directory.iter().rposition(|&page| page != NONE).map_or(0, |at| at + 1);
        self.directory.truncate(in_use);
        if !self.unused.is_empty() {
            let pages = self.live.len() - self.unused.len();
            let mut packed = Vec::with_capacity(pages * PAGE);
            let mut live = Vec::with_capacity(pages);
            for number in self.directory.iter_mut().filter(|number| **number != NONE) {
                let page = *number as usize;
                packed.extend_from_slice(&self.pages[page * PAGE..][..PAGE]);
                *number = live.len() as u32;
                live.push(self.live[page]);
            }
            (self.pages, self.live) = (packed, live);
            self.unused.clear();
        }
        self.directory.shrink_to_fit();
        self.pages.shrink_to_fit();
        self.live.shrink_to_fit();
        self.unused.shrink_to(self.live.len());
    }

    /// Makes the page of a key.
    #[cold]
    fn open(&mut self, key: u32) -> Result<usize, IndexError> {
        let page = key as usize / PAGE;
        let unknown = (page + 1).saturating_sub(self.directory.len());
        self.directory.try_reserve(unknown).map_err(|_| IndexError::OutOfMemory)?;
        if self.unused.is_empty() {
            self.try_reserve_pages(1)?;
            self.pages.resize(self.pages.len() + PAGE, NONE);
            self.unused.push(self.live.len() as u32);
            self.live.push(0);
        }
        self.directory.resize(self.directory.len() + unknown, NONE);
        let number = self.unused.pop().expect("just made sure of it");
        self.directory[page] = number;
        Ok(number as usize * PAGE + key as usize % PAGE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_may_go_on_counting_up() {
        let mut slots = Slots::default();
        for key in 0..100_000 {
            slots.set(key, key as usize % 10);
            if let Some(old) = key.checked_sub(10) {
                assert_eq!(slots.get(old), Some(old as usize % 10));
                slots.remove(old);
                slots.remove(old);
                assert_eq!(slots.get(old), None);
            }
        }
        assert!(slots.pages.len() <= 2 * PAGE, "{} pages", slots.pages.len() / PAGE);
        slots.clear();
        assert_eq!(slots.get(99_999), None);
        slots.set(u32::MAX, 7);
        assert_eq!(slots.get(u32::MAX), Some(7));
        assert_eq!(slots.pages.len(), PAGE);
    }

    #[test]
    fn what_was_reserved_is_there_for_keys_that_follow_each_other() {
        let mut slots = Slots::default();
        assert_eq!(slots.try_reserve(0), Ok(()));
        assert_eq!(slots.memory_use(), 0);
        slots.set(4_000, 0);
        slots.try_reserve(10_000).expect("a few pages");
        let reserved = slots.memory_use();
        for key in 4_001..14_001 {
            slots.try_set(key, 1).expect("it was reserved");
        }
        for key in 4_000..14_001 {
            slots.remove(key);
        }
        assert_eq!(slots.memory_use(), reserved, "neither setting nor removing asked for memory");
        assert_eq!(slots.try_reserve(usize::MAX), Err(IndexError::OutOfMemory));
    }

    #[test]
    fn shrinking_keeps_the_keys_and_the_pages_in_use() {
        let mut slots = Slots::default();
        for key in (0..100_000).rev() {
            slots.set(key, key as usize % 100);
        }
        for key in (0..100_000).filter(|key| key / 4096 % 3 != 1) {
            slots.remove(key);
        }
        let keys = || (0..100_000).filter(|key| key / 4096 % 3 == 1);
        slots.shrink_to_fit();
        assert!(keys().all(|key| slots.get(key) == Some(key as usize % 100)));
        assert!((0..4096).all(|key| slots.get(key).is_none()));
        assert_eq!(slots.pages.capacity(), 8 * PAGE);
        let held = slots.memory_use();
        keys().for_each(|key| slots.remove(key));
        assert_eq!(slots.memory_use(), held, "removing asks for no memory");
        slots.shrink_to_fit();
        assert_eq!(slots.memory_use(), 0);
        slots.set(5, 5);
        assert_eq!(slots.get(5), Some(5));
    }
}
