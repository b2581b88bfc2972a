//! Lists as kernels write them, and their copy into the order of keys.

use alloc::vec::Vec;

use bounds_hexprism::{Backend, Kernel, LANES, Lanes};

use crate::tasks;

/// Minimum number of lists per thread.
const MIN_LISTS_PER_THREAD: usize = 4096;
/// Number of lists by which prefetches are ahead of copies.
const PREFETCH_DISTANCE: usize = 12;
/// Number of keys in a cache line.
const LINE: usize = 16;

/// Lists of keys, back to back, in one buffer that is not zeroed again when it is reused.
#[derive(Clone, Debug, Default)]
pub struct ListBuffer {
    /// End of each list in `items`.
    ends: Vec<usize>,
    /// Items of all lists, then free memory.
    items: Vec<u32>,
}

impl ListBuffer {
    pub(crate) fn clear(&mut self) {
        self.ends.clear();
    }

    /// Returns the list with this index, empty if out of range.
    #[inline]
    pub(crate) fn get(&self, index: usize) -> &[u32] {
        let Some(&end) = self.ends.get(index) else { return &[] };
        &self.items[index.checked_sub(1).map_or(0, |before| self.ends[before])..end]
    }

    pub(crate) fn push(&mut self, list: &[u32]) {
        self.room(list.len())[..list.len()].copy_from_slice(list);
        self.finish(list.len());
    }

    /// Returns free memory behind the last list, for at least `len` items.
    #[inline(always)]
    pub(crate) fn room(&mut self, len: usize) -> &mut [u32] {
        let used = self.ends.last().copied().unwrap_or(0);
        if self.items.len() < used + len {
            self.items.resize((used + len).max(2 * used).max(1024), 0);
        }
        &mut self.items[used..]
    }

    /// Ends a list of `len` items that were written to [`room`](Self::room).
    #[inline(always)]
    pub(crate) fn finish(&mut self, len: usize) {
        self.ends.push(self.ends.last().copied().unwrap_or(0) + len);
    }
}

/// Lists of some objects: list `i` belongs to `keys[i]` and ends at `ends[i]` in `items`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part<'a> {
    pub(crate) keys: &'a [u32],
    pub(crate) ends: &'a [usize],
    pub(crate) items: &'a [u32],
}

impl<'a> Part<'a> {
    pub(crate) fn new(keys: &'a [u32], lists: &'a ListBuffer) -> Self {
        Self { keys, ends: &lists.ends, items: &lists.items }
    }

    /// Calls `visit` with the key, the begin and the length of each list.
    fn each(&self, mut visit: impl FnMut(u32, usize, usize)) {
        let mut begin = 0;
        for (&key, &end) in self.keys.iter().zip(self.ends) {
            visit(key, begin, end - begin);
            begin = end;
        }
    }
}

/// The location of the list of the object `key`: the index of its [`Part`], and the range
/// `begin..begin + len` of its items.
#[derive(Clone, Copy, Debug)]
struct Source {
    key: u32,
    part: u32,
    begin: usize,
    len: usize,
}

/// Entry of a key without a list.
const NONE: Source = Source { key: 0, part: u32::MAX, begin: 0, len: 0 };

/// Writes all lists ascending by key, replacing the contents of the buffers.
///
/// 1. Enter each list in a table by key: at the index of the key if keys are dense, else by a sort.
/// 2. Divide the table among threads, and copy lists, which are prefetched.
pub(crate) fn arrange(
    backend: Backend,
    parts: &[Part<'_>],
    keys: &mut Vec<u32>,
    ends: &mut Vec<usize>,
    items: &mut Vec<u32>,
) {
    let sources = sources(parts);
    let mut ranges = tasks::even(sources.len(), MIN_LISTS_PER_THREAD);
    if ranges.is_empty() {
        ranges.push(0..sources.len());
    }
    let mut jobs: Vec<ArrangeTask<'_>> =
        ranges.into_iter().map(|range| ArrangeTask::new(&sources[range])).collect();
    tasks::each(&mut jobs, ArrangeTask::count);
    let lists = jobs.iter().map(|job| job.lists).sum();
    let total = jobs.iter().map(|job| job.len).sum();
    keys.resize(lists, 0);
    ends.resize(lists, 0);
    items.resize(total, 0);
    let (mut keys, mut ends, mut items) = (&mut keys[..], &mut ends[..], &mut items[..]);
    let mut begin = 0;
    for job in &mut jobs {
        job.begin = begin;
        begin += job.len;
        (job.keys, keys) = keys.split_at_mut(job.lists);
        (job.ends, ends) = ends.split_at_mut(job.lists);
        (job.items, items) = items.split_at_mut(job.len);
    }
    tasks::each(&mut jobs, |job| backend.dispatch(Copy { parts, job }));
}

/// Returns all lists ascending by key, possibly with unused entries.
fn sources(parts: &[Part<'_>]) -> Vec<Source> {
    let count: usize = parts.iter().map(|part| part.keys.len()).sum();
    if count == 0 {
        return Vec::new();
    }
    let last = parts.iter().flat_map(|part| part.keys).fold(0, |last, &key| last.max(key)) as usize;
    if last >= 2 * count {
        let mut sources = Vec::with_capacity(count);
        for (number, part) in (0..).zip(parts) {
            part.each(|key, begin, len| sources.push(Source { key, part: number, begin, len }));
        }
        sources.sort_unstable_by_key(|source| source.key);
        return sources;
    }
    let mut sources = alloc::vec![NONE; last + 1];
    // Each thread reads all keys, for those in its own part of the table.
    let parallel = !tasks::even(sources.len(), 8 * MIN_LISTS_PER_THREAD).is_empty();
    let width = sources.len().div_ceil(if parallel { tasks::threads() } else { 1 });
    let mut jobs: Vec<(usize, &mut [Source])> = sources.chunks_mut(width).enumerate().collect();
    tasks::each(&mut jobs, |(number, own)| {
        let first = *number * width;
        for (number, part) in (0..).zip(parts) {
            part.each(|key, begin, len| {
                if let Some(source) = own.get_mut((key as usize).wrapping_sub(first)) {
                    *source = Source { key, part: number, begin, len };
                }
            });
        }
    });
    sources
}

/// Task of [`arrange`]: copies the lists of one range of the table.
struct ArrangeTask<'a> {
    sources: &'a [Source],
    /// Number of lists, and of their items.
    lists: usize,
    len: usize,
    /// Index of the first item among the items of all jobs.
    begin: usize,
    keys: &'a mut [u32],
    ends: &'a mut [usize],
    items: &'a mut [u32],
}

impl<'a> ArrangeTask<'a> {
    const fn new(sources: &'a [Source]) -> Self {
        Self { sources, lists: 0, len: 0, begin: 0, keys: &mut [], ends: &mut [], items: &mut [] }
    }

    fn count(&mut self) {
        self.lists = self.sources.iter().filter(|source| source.part != NONE.part).count();
        self.len = self.sources.iter().map(|source| source.len).sum();
    }
}

struct Copy<'a, 'b> {
    parts: &'a [Part<'a>],
    job: &'a mut ArrangeTask<'b>,
}

impl Kernel for Copy<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Self { parts, job } = self;
        let (mut index, mut at) = (0, 0);
        for (place, source) in job.sources.iter().enumerate() {
            if let Some(next) = job.sources.get(place + PREFETCH_DISTANCE)
                && let Some(part) = parts.get(next.part as usize)
            {
                let mut line = 0;
                while line < next.len.min(4 * LINE) {
                    lanes.prefetch(part.items, next.begin + line);
                    line += LINE;
                }
                lanes.prefetch(part.items, next.begin + next.len);
            }
            let Some(part) = parts.get(source.part as usize) else { continue };
            let from = &part.items[source.begin..];
            let to = &mut job.items[at..];
            let blocks = source.len.div_ceil(LANES);
            if blocks * LANES <= from.len().min(to.len()) {
                // Whole blocks: the next list overwrites the surplus.
                let (from, to) = (&from[..blocks * LANES], &mut to[..blocks * LANES]);
                for (from, to) in from.as_chunks::<LANES>().0.iter().zip(to.as_chunks_mut().0) {
                    *to = *from;
                }
            } else {
                to[..source.len].copy_from_slice(&from[..source.len]);
            }
            at += source.len;
            job.keys[index] = source.key;
            job.ends[index] = job.begin + at;
            index += 1;
        }
    }
}
