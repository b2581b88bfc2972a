//! From the caller's key to the slot an object is stored in.

use alloc::vec::Vec;

/// Keys on one page.
const PAGE: usize = 4096;
const NONE: u32 = u32::MAX;

/// A paged table: fast and small for dense keys, and the key 4 · 10⁹ costs 4 MB, not 16 GB.
///
/// Slots are below 2^32 − 1.
#[derive(Clone, Debug, Default)]
pub struct Slots {
    /// For each page of keys where it begins in `pages`, in pages; `NONE` if it has no keys.
    directory: Vec<u32>,
    /// The slots, page by page; `NONE` where the key is free.
    pages: Vec<u32>,
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
        self.pages[place] = slot as u32;
    }

    /// Frees the key.
    #[inline]
    pub fn remove(&mut self, key: u32) {
        if let Some(place) = self.place(key) {
            self.pages[place] = NONE;
        }
    }

    /// Frees all keys, keeping the memory.
    pub fn clear(&mut self) {
        self.pages.fill(NONE);
    }

    /// Makes the page of a key.
    #[cold]
    fn open(&mut self, key: u32) -> usize {
        let page = key as usize / PAGE;
        if page >= self.directory.len() {
            self.directory.resize(page + 1, NONE);
        }
        let begin = self.pages.len();
        self.directory[page] = (begin / PAGE) as u32;
        self.pages.resize(begin + PAGE, NONE);
        begin + key as usize % PAGE
    }
}
