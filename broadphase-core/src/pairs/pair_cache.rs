//! Cache of a search's candidate pairs, reused while the structure is unchanged.

use alloc::vec::Vec;

/// Cache of the candidate pairs (slots) of the last search, valid until an object changes.
///
/// The cache is filled only if nothing has changed since the previous search, or on request.
///
/// ```
/// use broadphase_core::pairs::PairCache;
///
/// let mut cache = PairCache::default();
/// cache.end(true);
/// assert_eq!(cache.known(), Some(&[][..]));
/// cache.invalidate();
/// assert_eq!(cache.known(), None);
/// ```
#[derive(Clone, Debug, Default)]
pub struct PairCache {
    /// Candidate pairs, appended by a search that fills the cache.
    pub list: Vec<[u32; 2]>,
    valid: bool,
    /// Set if nothing has changed since the last search: then the next search is probably equal.
    idle: bool,
}

impl PairCache {
    /// Returns the cached pairs, `None` if they are stale or were not recorded.
    #[inline]
    #[must_use]
    pub fn known(&self) -> Option<&[[u32; 2]]> {
        self.valid.then_some(&self.list[..])
    }

    /// Invalidates the cache after a change.
    #[inline(always)]
    pub const fn invalidate(&mut self) {
        (self.valid, self.idle) = (false, false);
    }

    /// Begins a search: clears the list and returns whether the search must record its pairs,
    /// because nothing has changed since the last search or `always` is set.
    #[inline]
    #[must_use]
    pub fn begin(&mut self, always: bool) -> bool {
        self.list.clear();
        always || self.idle
    }

    /// Ends a search; `recorded` is set if it has appended all its pairs to the list.
    #[inline]
    pub const fn end(&mut self, recorded: bool) {
        (self.valid, self.idle) = (recorded, true);
    }

    /// Returns the number of bytes allocated.
    #[must_use]
    pub const fn memory_use(&self) -> usize {
        self.list.capacity() * size_of::<[u32; 2]>()
    }
}
