//! Pairs noted while nothing changes, so that they are found once and then only handed out.

use alloc::vec::Vec;

/// Places in a structure that meet, as long as everything stays as it is.
///
/// Noting them takes time and memory, so it begins when nothing has changed between two searches,
/// or at once where the structure knows that it pays.
///
/// ```
/// use broadphase_core::pairs::Meetings;
///
/// let mut meetings = Meetings::default();
/// for search in 0..2 {
///     assert_eq!(meetings.known(), None);
///     let noted = meetings.begin(false);
///     if noted {
///         meetings.list.push([3, 7]);
///     }
///     meetings.end(noted);
/// }
/// assert_eq!(meetings.known(), Some(&[[3, 7]][..]));
/// meetings.forget();
/// assert_eq!(meetings.known(), None);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Meetings {
    /// Where a search notes them.
    pub list: Vec<[u32; 2]>,
    known: bool,
    /// Whether nothing has changed since the last search: then nothing may change before the next.
    idle: bool,
}

impl Meetings {
    /// Those who meet, if the last search has noted them and nothing has changed since then.
    #[inline]
    #[must_use]
    pub fn known(&self) -> Option<&[[u32; 2]]> {
        self.known.then_some(&self.list[..])
    }

    /// Something has changed.
    #[inline(always)]
    pub const fn forget(&mut self) {
        (self.known, self.idle) = (false, false);
    }

    /// A search begins; yields whether it is to note who meets. `always` says that it pays even if
    /// something has changed. The list is empty then.
    #[inline]
    #[must_use]
    pub fn begin(&mut self, always: bool) -> bool {
        self.list.clear();
        always || self.idle
    }

    /// A search has found all, and noted them or not.
    #[inline]
    pub const fn end(&mut self, noted: bool) {
        (self.known, self.idle) = (noted, true);
    }

    /// The bytes of memory held.
    #[must_use]
    pub const fn memory_use(&self) -> usize {
        self.list.capacity() * size_of::<[u32; 2]>()
    }
}
