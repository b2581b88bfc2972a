//! Table from the caller's keys to slots.
//!
//! A directory has the position of the page of each key (`key / 4096`); only pages with keys in use
//! are allocated. A lookup reads two arrays, O(1).

use alloc::vec::Vec;

use bounds_hexprism::Lanes;

use crate::IndexError;

/// Number of keys per page.
const PAGE: usize = 4096;
const NONE: u32 = u32::MAX;

/// Paged table from key to slot. Dense keys are fast and small; the single key 4 · 10⁹ costs 4 MB.
/// Pages whose keys are all free are reused, so keys may count up forever. Slots are below 2^32 −
/// 1.
#[derive(Clone, Debug, Default)]
pub struct KeySlots {
    /// Position of each page in `pages`, counted in pages; `NONE` if the page has no keys in use.
    directory: Vec<u32>,
    /// Slots, page by page; `NONE` where the key is free.
    pages: Vec<u32>,
    /// Number of keys in use on each page.
    live: Vec<u32>,
    /// Pages without keys in use, all entries `NONE`. Capacity is reserved for every page: removing
    /// a key never allocates.
    unused: Vec<u32>,
}

impl KeySlots {
    #[inline(always)]
    fn position(&self, key: u32) -> Option<usize> {
        let page = *self.directory.get(key as usize / PAGE)?;
        (page != NONE).then(|| page as usize * PAGE + key as usize % PAGE)
    }

    /// Returns the slot of a key, `None` if it is free.
    #[inline(always)]
    #[must_use]
    pub fn get(&self, key: u32) -> Option<usize> {
        let slot = self.pages[self.position(key)?];
        (slot != NONE).then_some(slot as usize)
    }

    /// Sets the slot of a key.
    ///
    /// # Panics
    /// If allocation of its page fails.
    #[inline]
    pub fn set(&mut self, key: u32, slot: usize) {
        if !self.try_claim(key, slot).expect("allocation of a page of keys") {
            self.relocate(key, slot);
        }
    }

    /// Sets the slot of a free key. Returns `false` if the key is in use.
    ///
    /// # Errors
    /// If allocation of its page fails. On error nothing has changed.
    #[inline]
    pub fn try_claim(&mut self, key: u32, slot: usize) -> Result<bool, IndexError> {
        let position = match self.position(key) {
            Some(position) => position,
            None => self.open_page(key)?,
        };
        let entry = &mut self.pages[position];
        let free = *entry == NONE;
        if free {
            *entry = slot as u32;
            self.live[position / PAGE] += 1;
        }
        Ok(free)
    }

    /// Changes the slot of a key in use; does nothing if no key of its page is in use.
    ///
    /// # Panics
    /// If the key is free but its page is in use.
    #[inline]
    pub fn relocate(&mut self, key: u32, slot: usize) {
        if let Some(position) = self.position(key) {
            assert!(self.pages[position] != NONE, "the key is not free");
            self.pages[position] = slot as u32;
        }
    }

    /// Prefetches the table entry of a key.
    #[inline(always)]
    pub fn prefetch<L: Lanes>(&self, lanes: L, key: u32) {
        if let Some(position) = self.position(key) {
            lanes.prefetch(&self.pages, position);
        }
    }

    /// Frees a key, if it is in use.
    #[inline]
    pub fn remove(&mut self, key: u32) {
        let Some(position) = self.position(key) else { return };
        if self.pages[position] != NONE {
            self.pages[position] = NONE;
            self.live[position / PAGE] -= 1;
            if self.live[position / PAGE] == 0 {
                self.unused.push((position / PAGE) as u32);
                self.directory[key as usize / PAGE] = NONE;
            }
        }
    }

    /// Frees all keys without freeing memory.
    pub fn clear(&mut self) {
        self.directory.clear();
        self.pages.clear();
        self.live.clear();
        self.unused.clear();
    }

    /// Reserves memory for `additional` more consecutive keys; keys far apart may need more.
    ///
    /// # Errors
    /// If allocation fails. On error no key has changed.
    pub fn try_reserve(&mut self, additional: usize) -> Result<(), IndexError> {
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

    /// Returns the number of bytes allocated.
    #[must_use]
    pub const fn memory_use(&self) -> usize {
        let numbers = self.directory.capacity()
            + self.pages.capacity()
            + self.live.capacity()
            + self.unused.capacity();
        numbers * size_of::<u32>()
    }

    /// Frees unused memory, and brings the remaining pages into key order.
    pub fn shrink_to_fit(&mut self) {
        let in_use = self.directory.iter().rposition(|&page| page != NONE).map_or(0, |at| at + 1);
        self.directory.truncate(in_use);
        if !self.unused.is_empty() {
            let pages = self.live.len() - self.unused.len();
            let mut packed = Vec::with_capacity(pages * PAGE);
            let mut live = Vec::with_capacity(pages);
            for page_position in
                self.directory.iter_mut().filter(|page_position| **page_position != NONE)
            {
                let page = *page_position as usize;
                packed.extend_from_slice(&self.pages[page * PAGE..][..PAGE]);
                *page_position = live.len() as u32;
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

    /// Allocates or reuses the page of a key; returns the position of the key.
    #[cold]
    fn open_page(&mut self, key: u32) -> Result<usize, IndexError> {
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
        let page_position =
            self.unused.pop().expect("an unused page, pushed above if there was none");
        self.directory[page] = page_position;
        Ok(page_position as usize * PAGE + key as usize % PAGE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ascending_keys_reuse_pages() {
        let mut slots = KeySlots::default();
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
    fn reserved_memory_suffices_for_consecutive_keys() {
        let mut slots = KeySlots::default();
        assert_eq!(slots.try_reserve(0), Ok(()));
        assert_eq!(slots.memory_use(), 0);
        slots.set(4_000, 0);
        slots.try_reserve(10_000).expect("a few pages");
        let reserved = slots.memory_use();
        for key in 4_001..14_001 {
            slots.try_claim(key, 1).expect("reserved above");
        }
        for key in 4_000..14_001 {
            slots.remove(key);
        }
        assert_eq!(slots.memory_use(), reserved, "neither setting nor removing allocates");
        assert_eq!(slots.try_reserve(usize::MAX), Err(IndexError::OutOfMemory));
    }

    #[test]
    fn shrinking_keeps_the_keys_and_the_pages_in_use() {
        let mut slots = KeySlots::default();
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
        assert_eq!(slots.memory_use(), held, "removing does not allocate");
        slots.shrink_to_fit();
        assert_eq!(slots.memory_use(), 0);
        slots.set(5, 5);
        assert_eq!(slots.get(5), Some(5));
    }
}
