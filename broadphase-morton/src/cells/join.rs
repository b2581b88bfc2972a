//! Joins a tree with itself or with another tree: finds all candidate pairs.
//!
//! For each group of eight clusters (64 objects) of the first tree:
//!
//! 1. Descend the other tree to the clusters that overlap the group. In a self-join, skip clusters
//!    before the group: each pair occurs once.
//! 2. For each cluster of the group, retain the found clusters that overlap it.
//! 3. Pick the objects of these clusters that overlap the cluster.
//! 4. Test the eight objects of the cluster against four picked objects at a time: 32 tests yield
//!    one mask; write a pair for each bit.
//! 5. In a self-join, also test the eight objects against each other.
//!
//! If the output buffer may overflow, the join pauses. Cost: one descent per 64 objects, and eight
//! tests per picked object.

use alloc::vec::Vec;
use core::ops::Range;

use broadphase_core::kernel::hits::{self, MakePairs};
use broadphase_core::kernel::overlap::Spread;
use broadphase_core::{Backend, HitMask, Kernel, LANES, Lanes, SlabPlanes};

use super::tree::{Descent, KeepAll, Planes, Tree, TreeView, WantedNodes};

/// Maximum number of clusters found per step.
const MAX_FOUND: usize = 256;
/// Maximum number of objects picked per step.
const MAX_PICKED: usize = 256;
/// Size of the output buffer: twice the pairs of `MAX_PICKED` with eight objects, which leaves room
/// for the pairs within a cluster.
pub(super) const HITS_LEN: usize = 2 * MAX_PICKED * LANES;
/// Number of picked objects tested per step, which has one branch: whether there is any hit.
const FOUR: usize = 4;

/// A paused join, and its scratch buffers.
#[derive(Clone, Debug)]
pub(super) struct JoinCursor<const D: usize> {
    /// The current group of clusters; `end` is the index after the last group.
    group: usize,
    end: usize,
    /// Whether the descent of the group has begun.
    is_begun: bool,
    /// Whether `found` contains the first batch of clusters for the current group.
    is_first_batch: bool,
    descent: Descent,
    cluster: usize,
    /// The number of clusters in `near` from which objects have been picked.
    at: usize,
    found: Vec<i32>,
    found_len: usize,
    /// The found clusters whose bounds overlap the current cluster.
    near: Vec<i32>,
    near_len: usize,
    bounds: Planes<D>,
    picked: Vec<i32>,
    /// The number of object-object tests.
    pub(super) tests: u64,
}

impl<const D: usize> JoinCursor<D> {
    pub(super) fn new() -> Self {
        Self {
            group: 0,
            end: 0,
            is_begun: false,
            is_first_batch: false,
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

    /// Starts a join of these groups; allocates the scratch buffers on first use.
    pub(super) fn begin(&mut self, groups: Range<usize>) {
        if self.picked.is_empty() {
            self.found = alloc::vec![0; MAX_FOUND + LANES];
            self.near = alloc::vec![0; MAX_FOUND + LANES];
            self.bounds.resize(MAX_FOUND + LANES);
            self.picked = alloc::vec![0; MAX_PICKED + 2 * LANES];
        }
        (self.group, self.end, self.is_begun) = (groups.start, groups.end, false);
    }

    pub(super) fn memory_use(&self) -> usize {
        self.bounds.memory_use()
            + (self.found.capacity() + self.near.capacity() + self.picked.capacity())
                * size_of::<i32>()
    }
}

/// Runs [`JoinTrees`] on a backend; not inlined, because one copy serves all number types.
#[inline(never)]
pub(super) fn resume<const D: usize>(backend: Backend, cursor: JoinTrees<'_, D>) -> usize {
    backend.dispatch(cursor)
}

/// Continues a join until it ends or the output may overflow. Returns the number of pairs of
/// positions written; 0 at the end.
pub(super) struct JoinTrees<'a, const D: usize> {
    pub(super) trees: [&'a Tree<D>; 2],
    /// Whether both trees are the same.
    pub(super) is_self: bool,
    pub(super) cursor: &'a mut JoinCursor<D>,
    /// The output buffer, of [`HITS_LEN`] pairs.
    pub(super) hits: &'a mut [[u32; 2]],
}

impl<const D: usize> Kernel for JoinTrees<'_, D> {
    type Output = usize;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> usize {
        let Self { trees: [own, other], is_self, cursor, hits } = self;
        if own.len() == 0 || other.len() == 0 {
            return 0;
        }
        let views = [&TreeView::new(own), &TreeView::new(other)];
        let clusters = own.heights[1].len;
        let mut filled = 0;
        while cursor.group < cursor.end {
            let first = cursor.group * LANES;
            let last = clusters.min(first + LANES);
            if !cursor.is_begun {
                cursor.descent.begin(other);
                (cursor.is_begun, cursor.is_first_batch) = (true, true);
                cursor.find_clusters(lanes, views, is_self);
            }
            while cursor.cluster < last {
                if filled + MAX_PICKED * LANES + 2 * LANES * LANES > HITS_LEN {
                    return filled;
                }
                filled = cursor.join_cluster(lanes, views, is_self, hits, filled);
            }
            if cursor.descent.is_done() {
                cursor.group += 1;
                cursor.is_begun = false;
            } else {
                cursor.is_first_batch = false;
                cursor.find_clusters(lanes, views, is_self);
            }
        }
        filled
    }
}

impl<const D: usize> JoinCursor<D> {
    /// Finds the next clusters that overlap the group, and copies their bounds to `self.bounds`.
    #[inline(always)]
    fn find_clusters<L: Lanes>(
        &mut self,
        lanes: L,
        [own, other]: [&TreeView<'_, D>; 2],
        is_self: bool,
    ) {
        let group = Spread::new(lanes, &own.height(2).get(self.group));
        let first = self.group * LANES;
        let from = if is_self { first } else { 0 };
        let found = &mut self.found[..MAX_FOUND];
        let len = self.descent.resume(
            lanes,
            other,
            &group,
            WantedNodes { target_height: 1, from },
            KeepAll,
            found,
        );
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

    /// Picks the next objects near the current cluster, tests them, and writes the pairs after the
    /// first `filled` in `found`, which must have room for one step. After the last object,
    /// advances to the next cluster. Returns the new number of pairs.
    #[inline(always)]
    fn join_cluster<L: Lanes>(
        &mut self,
        lanes: L,
        [own, other]: [&TreeView<'_, D>; 2],
        is_self: bool,
        found: &mut [[u32; 2]],
        mut filled: usize,
    ) -> usize {
        let positions = self.cluster * LANES;
        let eight = EightObjects::new(lanes, &own.height(0), positions);
        let bounds = Spread::new(lanes, &own.height(1).get(self.cluster));
        if self.at == 0 {
            if self.is_first_batch && is_self {
                filled = self.join_within_cluster(lanes, own, &eight, found, filled);
            }
            self.near_len = 0;
            let found_bounds = self.bounds.view();
            let least = lanes.splat(if is_self { self.cluster as i32 } else { -1 });
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
        while self.at < self.near_len && picked + LANES <= MAX_PICKED {
            let begin = self.near[self.at] as usize * LANES;
            let hits = bounds.overlaps(lanes, &objects, begin);
            let positions = lanes.add(lanes.splat(begin as i32), lanes.lane_indices(hits));
            lanes.store_at(positions, &mut self.picked, picked);
            picked += hits.count() as usize;
            self.at += 1;
        }
        lanes.store_at(lanes.splat(0), &mut self.picked, picked);
        self.tests += (picked * LANES) as u64;
        let mut next = 0;
        while next < picked {
            let four: &[i32; FOUR] =
                self.picked[next..].first_chunk().expect("picked objects are padded by two blocks");
            let apart = eight.apart(lanes, &objects, four);
            let candidates = FourCandidates { first: positions as i32, others: four };
            let valid = u64::MAX >> (u64::BITS as usize).saturating_sub((picked - next) * LANES);
            filled =
                hits::write_pairs::<FOUR, _>(lanes, true, apart, valid, found, filled, &candidates);
            next += FOUR;
        }
        if self.at >= self.near_len {
            (self.cluster, self.at) = (self.cluster + 1, 0);
        }
        filled
    }

    /// Appends the pairs within the current cluster. Returns the new number of pairs.
    #[inline(always)]
    fn join_within_cluster<L: Lanes>(
        &mut self,
        lanes: L,
        own: &TreeView<'_, D>,
        eight: &EightObjects<L, D>,
        found: &mut [[u32; 2]],
        mut filled: usize,
    ) -> usize {
        /// For each half of the cluster, four bytes: the mask of the lanes before each object.
        const BEFORE: [u32; 2] = [0x0703_0100, 0x7f3f_1f0f];
        let objects = own.height(0);
        let positions = self.cluster * LANES;
        self.tests += (LANES * (LANES - 1) / 2) as u64;
        let mut half = 0;
        while half < 2 {
            let begin = (positions + half * FOUR) as i32;
            let four = [begin, begin + 1, begin + 2, begin + 3];
            let apart = eight.apart(lanes, &objects, &four);
            let candidates = FourCandidates { first: positions as i32, others: &four };
            let valid = BEFORE[half].into();
            filled =
                hits::write_pairs::<FOUR, _>(lanes, true, apart, valid, found, filled, &candidates);
            half += 1;
        }
        filled
    }
}

/// The positions of eight successive objects and of four objects to test against them.
struct FourCandidates<'a> {
    first: i32,
    others: &'a [i32; FOUR],
}

impl<L: Lanes> MakePairs<L> for FourCandidates<'_> {
    #[inline(always)]
    fn pair(&self, bit: usize) -> [u32; 2] {
        [(self.first as usize + bit % LANES) as u32, self.others[bit / LANES] as u32]
    }

    #[inline(always)]
    fn pairs(&self, lanes: L, hit: HitMask, which: usize) -> (L::I, L::I) {
        let own = lanes.add(lanes.lane_indices_for_zip(hit), lanes.splat(self.first));
        (own, lanes.splat(self.others[which]))
    }
}

struct EightObjects<L: Lanes, const D: usize> {
    min: [L::I; D],
    max: [L::I; D],
}

impl<L: Lanes, const D: usize> EightObjects<L, D> {
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

    /// For each of four objects, returns a mask of the eight objects that are disjoint from it.
    #[inline(always)]
    fn apart(&self, lanes: L, planes: &SlabPlanes<'_, D>, four: &[i32; FOUR]) -> [L::M; FOUR] {
        let none = lanes.gt(self.min[0], self.min[0]);
        let mut apart = [none; FOUR];
        for (apart, &position) in apart.iter_mut().zip(four) {
            let position = position as usize;
            let mut axis = 0;
            while axis < D {
                let below = lanes.gt(self.min[axis], lanes.splat(planes.max[axis][position]));
                let above = lanes.gt(lanes.splat(planes.min[axis][position]), self.max[axis]);
                *apart = lanes.mask_or(*apart, lanes.mask_or(below, above));
                axis += 1;
            }
        }
        apart
    }
}
