//! Keeps the work of searches for pairs within a distance, and for pairs of two grids, while no
//! object changes.
//!
//! 1. Each state of a grid has a number that no other state of any grid has ([`StateId`]). A
//!    change makes it unknown; the next search draws a new number.
//! 2. Enlarged rows are reused while the state and the distance stay as they are.
//! 3. The second search of the same states with the same distance records its pairs of slots;
//!    further searches replay them. A grid that is searched once between two changes thus records
//!    nothing.
//!
//! Filters and visitors are applied after the pairs are replayed, so they may differ.
//!
//! Memory: 8 bytes per axis and slot for enlarged rows, which are reused while objects move, so
//! that steady ticks do not allocate; 8 bytes per recorded pair, for up to [`PAIRS_PER_OBJECT`]
//! pairs per object. All of it is freed after [`MAX_UNUSED`] searches for overlapping pairs without
//! another search for pairs within a distance or of two grids.

use alloc::vec::Vec;
use core::ops::ControlFlow;
#[cfg(target_has_atomic = "ptr")]
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use broadphase_core::Scalar;
use broadphase_core::pairs::PairCache;

use crate::grid::Core;
use crate::grid::pairs::enlarged::EnlargedRows;
use crate::grid::pairs::sweep::SweepScratch;
use crate::grid::storage::tiers::Tier;

/// Receives pairs of slots; breaks to stop the search.
pub(in crate::grid) type VisitSlots<'a> = dyn FnMut(&[[u32; 2]]) -> ControlFlow<()> + 'a;

/// The maximum number of recorded pairs per object; a search with more pairs is not recorded.
const PAIRS_PER_OBJECT: usize = 8;
/// The number of searches for overlapping pairs, usually one per tick, after which unused memory is
/// freed.
const MAX_UNUSED: u8 = 8;

/// The number of a state of a grid. Two grids with equal known numbers have the same objects in the
/// same slots: a copy keeps the number until one of the two changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::grid) struct StateId(usize);

impl StateId {
    /// A state that has no number yet: the state after a change.
    pub(in crate::grid) const UNKNOWN: Self = Self(0);

    /// Returns a new number. When all numbers are used up, returns `UNKNOWN`; then nothing is kept.
    #[cfg(target_has_atomic = "ptr")]
    fn draw() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(1);
        Self(NEXT.fetch_update(Relaxed, Relaxed, |next| next.checked_add(1)).unwrap_or(0))
    }

    /// Returns `UNKNOWN`: the target has no atomic counters, so nothing is kept.
    #[cfg(not(target_has_atomic = "ptr"))]
    const fn draw() -> Self {
        Self::UNKNOWN
    }
}

/// The inputs of a search: the states of both grids (in a search in one grid, its state twice) and
/// the distance.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Search<S> {
    states: [StateId; 2],
    distance: S,
}

/// The pairs of slots of the last search, if they were recorded.
#[derive(Debug)]
struct KeptPairs<S> {
    last: Option<Search<S>>,
    cache: PairCache,
    /// Set if the last search had more pairs than are recorded.
    too_many: bool,
}

impl<S> Default for KeptPairs<S> {
    fn default() -> Self {
        Self { last: None, cache: PairCache::default(), too_many: false }
    }
}

impl<S: Scalar> KeptPairs<S> {
    /// Passes the pairs of a search to `visit`: recorded pairs, or the results of `find`, which
    /// are recorded if the last search was the same and there are at most `limit` pairs.
    fn run(
        &mut self,
        search: Search<S>,
        limit: usize,
        visit: &mut VisitSlots<'_>,
        find: impl FnOnce(&mut VisitSlots<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let is_same = self.last == Some(search) && !search.states.contains(&StateId::UNKNOWN);
        if !is_same {
            self.cache.invalidate();
            (self.last, self.too_many) = (Some(search), false);
        }
        if let Some(known) = self.cache.known() {
            return visit(known);
        }
        if !self.cache.begin(false) || self.too_many {
            find(visit)?;
            self.cache.end(false);
            return ControlFlow::Continue(());
        }
        let (list, mut fits) = (&mut self.cache.list, true);
        find(&mut |hits| {
            fits = fits && list.len() + hits.len() <= limit;
            if fits {
                list.extend_from_slice(hits);
            }
            visit(hits)
        })?;
        if !fits {
            self.cache.list = Vec::new();
        }
        self.too_many = !fits;
        self.cache.end(fits);
        ControlFlow::Continue(())
    }
}

/// The buffers of a sweep, kept to avoid reallocating, and the enlarged rows of the last sweep.
#[derive(Debug)]
pub(in crate::grid) struct NearBuffers<S, const D: usize> {
    pub(in crate::grid) enlarged: EnlargedRows<D>,
    /// The state and the margin from which the enlarged rows were made.
    made_from: Option<(StateId, S)>,
    pub(in crate::grid) tiers: [Vec<Tier>; 2],
    pub(in crate::grid) row_pairs: Vec<[u32; 2]>,
    pub(in crate::grid) scratch: SweepScratch,
}

impl<S, const D: usize> Default for NearBuffers<S, D> {
    fn default() -> Self {
        Self {
            enlarged: EnlargedRows::default(),
            made_from: None,
            tiers: [const { Vec::new() }; 2],
            row_pairs: Vec::new(),
            scratch: SweepScratch::default(),
        }
    }
}

impl<S: Scalar, const D: usize> NearBuffers<S, D> {
    /// Writes copies of a grid's rows, enlarged by a margin, to `enlarged`. Does nothing if
    /// `enlarged` already has them for this state of the grid and this margin.
    pub(in crate::grid) fn enlarge(&mut self, core: &Core<S, D>, margin: S) {
        let from = Some((core.row_pairs.state, margin));
        if core.row_pairs.state == StateId::UNKNOWN || self.made_from != from {
            self.made_from = None;
            core.enlarge_rows(margin, &mut self.enlarged);
            self.made_from = from;
        }
    }
}

/// All results and buffers that a grid keeps between searches for pairs within a distance or with
/// another grid. A copy of a grid starts without them.
#[derive(Debug)]
pub(in crate::grid) struct NearCache<S, const D: usize> {
    buffers: NearBuffers<S, D>,
    within: KeptPairs<S>,
    between: KeptPairs<S>,
    /// The number of searches for overlapping pairs since the last use.
    unused: u8,
}

impl<S, const D: usize> Default for NearCache<S, D> {
    fn default() -> Self {
        let kept = KeptPairs::default;
        Self { buffers: NearBuffers::default(), within: kept(), between: kept(), unused: 0 }
    }
}

impl<S, const D: usize> Clone for NearCache<S, D> {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl<S: Scalar, const D: usize> NearCache<S, D> {
    /// Passes the pairs of a search in one grid, or of a grid and another one, to `visit`: kept
    /// pairs if nothing has changed, or the results of `find`.
    pub(in crate::grid) fn run(
        &mut self,
        core: &Core<S, D>,
        other: Option<&Core<S, D>>,
        distance: S,
        visit: &mut VisitSlots<'_>,
        find: impl FnOnce(&mut NearBuffers<S, D>, &mut VisitSlots<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.unused = 0;
        let Self { buffers, within, between, .. } = self;
        let kept = if other.is_some() { between } else { within };
        let states = [core, other.unwrap_or(core)].map(|core| core.row_pairs.state);
        let objects = core.len + other.map_or(0, |other| other.len);
        let limit = PAIRS_PER_OBJECT * objects;
        kept.run(Search { states, distance }, limit, visit, |visit| find(buffers, visit))
    }

    /// Counts a search for overlapping pairs, and frees all memory if there were many since the
    /// last use.
    pub(in crate::grid) fn age(&mut self) {
        self.unused += 1;
        if self.unused > MAX_UNUSED {
            *self = Self::default();
        }
    }

    pub(in crate::grid) fn memory_use(&self) -> usize {
        let Self { buffers, within, between, .. } = self;
        buffers.enlarged.memory_use()
            + buffers.tiers.each_ref().map(Vec::capacity).iter().sum::<usize>() * size_of::<Tier>()
            + buffers.row_pairs.capacity() * size_of::<[u32; 2]>()
            + buffers.scratch.memory_use()
            + within.cache.memory_use()
            + between.cache.memory_use()
    }
}

impl<S: Scalar, const D: usize> Core<S, D> {
    /// Gives the current state a number if it has none.
    pub(in crate::grid) fn draw_state(&mut self) {
        if self.row_pairs.state == StateId::UNKNOWN {
            self.row_pairs.state = StateId::draw();
        }
    }
}
