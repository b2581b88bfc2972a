//! All pairs within one tree, or between two.
//!
//! Groups of eight clusters look for the clusters that come into question, once for all of them.
//! Each cluster then picks from those the objects that reach it, and its eight meet what was
//! picked four at a time.

use alloc::vec::Vec;
use core::ops::Range;

use broadphase_core::kernel::hits::{self, MakePairs};
use broadphase_core::kernel::overlap::Spread;
use broadphase_core::{Backend, HitMask, Kernel, LANES, Lanes, SlabPlanes};

use super::names::{EightNames, Names};
use super::tree::{All, Descent, Planes, Tree, View, Wanted};

/// Clusters looked for at a time.
const CLUSTERS: usize = 256;
/// Objects picked at a time.
const PICKED: usize = 256;
/// Pairs found at a time: room for two times what is picked to meet eight, and for the pairs
/// within a cluster.
pub(super) const HITS: usize = 2 * PICKED * LANES;
/// So many are tested before anything is decided.
const FOUR: usize = 4;

/// Where a join has come to, and what it has in hand.
#[derive(Clone, Debug)]
pub(super) struct Join<const D: usize> {
    /// The group whose turn it is, and the one to stop before.
    group: usize,
    end: usize,
    /// Whether a group has begun.
    begun: bool,
    /// Whether these are the first clusters found for the group.
    first: bool,
    descent: Descent,
    /// The cluster whose turn it is.
    cluster: usize,
    /// How many of the clusters near it it has picked from.
    at: usize,
    found: Vec<i32>,
    found_len: usize,
    /// Those of the clusters found that its bounds reach.
    near: Vec<i32>,
    near_len: usize,
    bounds: Planes<D>,
    picked: Vec<i32>,
    /// How often two objects were tested against each other.
    pub(super) tests: u64,
}

impl<const D: usize> Join<D> {
    pub(super) fn new() -> Self {
        Self {
            group: 0,
            end: 0,
            begun: false,
            first: false,
            descent: Descent::DONE,
            cluster: 0,
            at: 0,
            found: Vec::new(),
            found_len: 0,
            near: Vec::new(),
            near_len: 0,
            bounds: Planes::new(),
            picked: Vec::new(),
            tests: 0,
        }
    }

    /// Makes ready for a join of these groups of clusters.
    pub(super) fn begin(&mut self, groups: Range<usize>) {
        if self.picked.is_empty() {
            self.found = alloc::vec![0; CLUSTERS + LANES];
            self.near = alloc::vec![0; CLUSTERS + LANES];
            self.bounds.resize(CLUSTERS + LANES);
            self.picked = alloc::vec![0; PICKED + 2 * LANES];
        }
        (self.group, self.end, self.begun) = (groups.start, groups.end, false);
    }

    pub(super) fn memory_use(&self) -> usize {
        self.bounds.memory_use()
            + (self.found.capacity() + self.near.capacity() + self.picked.capacity())
                * size_of::<i32>()
    }
}

/// Runs [`JoinTrees`] on a backend.
// Not inlined: one copy serves all number types.
#[inline(never)]
pub(super) fn go_on<const D: usize>(backend: Backend, join: JoinTrees<'_, D>) -> usize {
    backend.dispatch(join)
}

/// Goes on with a join until it ends or there might be no room for more hits; yields how many
/// pairs of names it wrote, 0 at the end.
pub(super) struct JoinTrees<'a, const D: usize> {
    pub(super) trees: [&'a Tree<D>; 2],
    pub(super) names: [Names<'a>; 2],
    /// Whether both are the same.
    pub(super) alone: bool,
    pub(super) join: &'a mut Join<D>,
    /// Room for [`HITS`].
    pub(super) hits: &'a mut [[u32; 2]],
}

impl<const D: usize> Kernel for JoinTrees<'_, D> {
    type Output = usize;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> usize {
        let Self { trees: [own, other], names, alone, join, hits } = self;
        if own.len() == 0 || other.len() == 0 {
            return 0;
        }
        let views = [&View::new(own), &View::new(other)];
        let clusters = own.heights[1].len;
        let mut filled = 0;
        while join.group < join.end {
            let first = join.group * LANES;
            let last = clusters.min(first + LANES);
            if !join.begun {
                join.descent.begin(other);
                (join.begun, join.first) = (true, true);
                join.look(lanes, views, alone);
            }
            while join.cluster < last {
                if filled + PICKED * LANES + 2 * LANES * LANES > HITS {
                    return filled;
                }
                filled = join.meet(lanes, views, names, alone, hits, filled);
            }
            if join.descent.is_done() {
                join.group += 1;
                join.begun = false;
            } else {
                join.first = false;
                join.look(lanes, views, alone);
            }
        }
        filled
    }
}

impl<const D: usize> Join<D> {
    /// Finds the next clusters that the group may reach.
    #[inline(always)]
    fn look<L: Lanes>(&mut self, lanes: L, [own, other]: [&View<'_, D>; 2], alone: bool) {
        let group = Spread::new(lanes, &own.height(2).get(self.group));
        let first = self.group * LANES;
        let from = if alone { first } else { 0 };
        let found = &mut self.found[..CLUSTERS];
        let len = self.descent.go_on(lanes, other, &group, Wanted { floor: 1, from }, All, found);
        let clusters = other.height(1);
        let mut axis = 0;
        while axis < D {
            let (min, max) = (&mut self.bounds.min[axis], &mut self.bounds.max[axis]);
            let both = min.iter_mut().zip(max);
            for (&cluster, (min, max)) in found[..len].iter().zip(both) {
                *min = clusters.min[axis][cluster as usize];
                *max = clusters.max[axis][cluster as usize];
            }
            axis += 1;
        }
        self.found_len = len;
        (self.cluster, self.at) = (first, 0);
    }

    /// Goes on with the cluster whose turn it is; there must be room for what it may find.
    #[inline(always)]
    fn meet<L: Lanes>(
        &mut self,
        lanes: L,
        [own, other]: [&View<'_, D>; 2],
        names: [Names<'_>; 2],
        alone: bool,
        found: &mut [[u32; 2]],
        mut filled: usize,
    ) -> usize {
        let places = self.cluster * LANES;
        let eight = Eight::new(lanes, &own.height(0), places);
        let called = EightNames::new(lanes, names[0].eight(places));
        let bounds = Spread::new(lanes, &own.height(1).get(self.cluster));
        if self.at == 0 {
            if self.first && alone {
                filled = self.meet_each_other(lanes, own, &eight, &called, found, filled);
            }
            self.near_len = 0;
            let found_bounds = self.bounds.view();
            let least = lanes.splat(if alone { self.cluster as i32 } else { -1 });
            let mut at = 0;
            while at < self.found_len {
                let clusters = lanes.load_at(&self.found, at);
                let later = lanes.movemask(lanes.gt(clusters, least));
                let valid = HitMask::first(self.found_len - at) & later;
                let hits = bounds.overlaps(lanes, &found_bounds, at) & valid;
                lanes.store_at(lanes.compress(clusters, hits), &mut self.near, self.near_len);
                self.near_len += hits.count() as usize;
                at += LANES;
            }
        }
        let objects = other.height(0);
        let mut picked = 0;
        while self.at < self.near_len && picked + LANES <= PICKED {
            let begin = self.near[self.at] as usize * LANES;
            let hits = bounds.overlaps(lanes, &objects, begin);
            let places = lanes.add(lanes.splat(begin as i32), lanes.lane_indices(hits));
            lanes.store_at(places, &mut self.picked, picked);
            picked += hits.count() as usize;
            self.at += 1;
        }
        lanes.store_at(lanes.splat(0), &mut self.picked, picked);
        self.tests += (picked * LANES) as u64;
        let mut next = 0;
        while next < picked {
            let four: &[i32; FOUR] = self.picked[next..].first_chunk().expect("there is padding");
            let apart = eight.apart(lanes, &objects, four);
            let mut others = [0; FOUR];
            for (name, &place) in others.iter_mut().zip(four) {
                *name = names[1].get(place as usize);
            }
            let met = Met { called: &called, others: &others };
            let valid = u64::MAX >> (u64::BITS as usize).saturating_sub((picked - next) * LANES);
            filled = hits::write_pairs::<true, FOUR, _>(lanes, apart, valid, found, filled, &met);
            next += FOUR;
        }
        if self.at >= self.near_len {
            (self.cluster, self.at) = (self.cluster + 1, 0);
        }
        filled
    }

    /// The pairs within a cluster.
    #[inline(always)]
    fn meet_each_other<L: Lanes>(
        &mut self,
        lanes: L,
        own: &View<'_, D>,
        eight: &Eight<L, D>,
        called: &EightNames<L>,
        found: &mut [[u32; 2]],
        mut filled: usize,
    ) -> usize {
        /// Which of the eight come before each of four.
        const BEFORE: [u32; 2] = [0x0703_0100, 0x7f3f_1f0f];
        let objects = own.height(0);
        let places = self.cluster * LANES;
        self.tests += (LANES * (LANES - 1) / 2) as u64;
        let mut half = 0;
        while half < 2 {
            let begin = (places + half * FOUR) as i32;
            let four = [begin, begin + 1, begin + 2, begin + 3];
            let others: &[u32; FOUR] = called.names[half * FOUR..].first_chunk().expect("four");
            let apart = eight.apart(lanes, &objects, &four);
            let met = Met { called, others };
            let valid = BEFORE[half].into();
            filled = hits::write_pairs::<true, FOUR, _>(lanes, apart, valid, found, filled, &met);
            half += 1;
        }
        filled
    }
}

/// The names of eight, and of four others that they are tested against.
struct Met<'a, L: Lanes> {
    called: &'a EightNames<L>,
    others: &'a [u32; FOUR],
}

impl<L: Lanes> MakePairs<L> for Met<'_, L> {
    #[inline(always)]
    fn pair(&self, bit: usize) -> [u32; 2] {
        self.called.pair(bit % LANES, self.others[bit / LANES])
    }

    #[inline(always)]
    fn pairs(&self, lanes: L, hit: HitMask, which: usize) -> (L::I, L::I) {
        self.called.pairs(lanes, hit, self.others[which])
    }
}

/// Eight objects, one in a lane.
struct Eight<L: Lanes, const D: usize> {
    min: [L::I; D],
    max: [L::I; D],
}

impl<L: Lanes, const D: usize> Eight<L, D> {
    #[inline(always)]
    fn new(lanes: L, planes: &SlabPlanes<'_, D>, at: usize) -> Self {
        let mut eight = Self { min: [lanes.splat(0); D], max: [lanes.splat(0); D] };
        let mut axis = 0;
        while axis < D {
            eight.min[axis] = lanes.load_at(planes.min[axis], at);
            eight.max[axis] = lanes.load_at(planes.max[axis], at);
            axis += 1;
        }
        eight
    }

    /// Which of the eight are apart from each of four others.
    #[inline(always)]
    fn apart(&self, lanes: L, planes: &SlabPlanes<'_, D>, four: &[i32; FOUR]) -> [L::M; FOUR] {
        let none = lanes.gt(self.min[0], self.min[0]);
        let mut apart = [none; FOUR];
        for (apart, &place) in apart.iter_mut().zip(four) {
            let place = place as usize;
            let mut axis = 0;
            while axis < D {
                let below = lanes.gt(self.min[axis], lanes.splat(planes.max[axis][place]));
                let above = lanes.gt(lanes.splat(planes.min[axis][place]), self.max[axis]);
                *apart = lanes.mask_or(*apart, lanes.mask_or(below, above));
                axis += 1;
            }
        }
        apart
    }
}
