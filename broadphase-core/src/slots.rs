//! From the caller's key to the slot an object is stored in.

use alloc::vec::Vec;

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
    /// Pages without keys, all `NONE`.
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
    #[inline]
    pub fn set(&mut self, key: u32, slot: usize) {
        let place = self.place(key).unwrap_or_else(|| self.open(key));
        if self.pages[place] == NONE {
            self.live[place / PAGE] += 1;
        }
        self.pages[place] = slot as u32;
    }

    /// Says in which other slot a key is that is not free.
    #[inline]
    pub fn relocate(&mut self, key: u32, slot: usize) {
        if let Some(place) = self.place(key) {
            debug_assert!(self.pages[place] != NONE, "the key is not free");
            self.pages[place] = slot as u32;
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

    /// Makes the page of a key.
    #[cold]
    fn open(&mut self, key: u32) -> usize {
        let page = key as usize / PAGE;
        if page >= self.directory.len() {
            self.directory.resize(page + 1, NONE);
        }
        let number = self.unused.pop().unwrap_or_else(|| {
            self.pages.resize(self.pages.len() + PAGE, NONE);
            self.live.push(0);
            (self.live.len() - 1) as u32
        });
        self.directory[page] = number;
        number as usize * PAGE + key as usize % PAGE
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
}
