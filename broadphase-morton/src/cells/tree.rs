//! Implicit tree of bounds with eight children per node, and descents into it.
//!
//! Input: the key bounds of the objects in sorted order, height 0. Each node of a higher height
//! encloses eight consecutive nodes of the height below.
//!
//! ```text
//! height 3        [                      0                       …      positions 0..512
//! height 2        [          0           |          1            …      0..64, 64..128, …
//! height 1        [ 0 | 1 | 2 | … | 7    |  8 | 9 | …            …      0..8, 8..16, …
//! height 0        [ objects, by position                         …
//! ```
//!
//! The children of node `i` are nodes 8 · i to 8 · i + 7 one height below, without pointers. Each
//! height has two planes per axis, of minima and of maxima: one test of eight lanes covers all
//! children of a node.
//!
//! A descent pops blocks of eight nodes from a stack and tests them against the search volume. At
//! the target height it writes the hits, above it pushes the children of each hit. Cost: O(log n)
//! blocks plus the blocks hit.

use alloc::vec::Vec;
use core::marker::PhantomData;

use broadphase_core::kernel::overlap::Spread;
use broadphase_core::kernel::sweep::{Along, Line};
use broadphase_core::kernel::within::Gate;
use broadphase_core::{Backend, HitMask, Kernel, LANES, Lanes, Scalar, SlabPlanes, Slabs};

/// The key bounds of one height, one plane per axis and end, padded to whole blocks of eight.
#[derive(Clone, Debug)]
pub(super) struct Planes<const D: usize> {
    pub(super) min: [Vec<i32>; D],
    pub(super) max: [Vec<i32>; D],
    pub(super) len: usize,
}

impl<const D: usize> Planes<D> {
    pub(super) fn new() -> Self {
        Self { min: [const { Vec::new() }; D], max: [const { Vec::new() }; D], len: 0 }
    }

    #[inline(always)]
    pub(super) fn view(&self) -> SlabPlanes<'_, D> {
        let mut planes = SlabPlanes { min: [&[][..]; D], max: [&[][..]; D] };
        let mut axis = 0;
        while axis < D {
            planes.min[axis] = self.min[axis].as_slice();
            planes.max[axis] = self.max[axis].as_slice();
            axis += 1;
        }
        planes
    }

    /// Sets the number of bounds, whose contents are unspecified, and fills the padding after them.
    pub(super) fn resize(&mut self, len: usize) {
        let padded = len.next_multiple_of(LANES);
        for axis in 0..D {
            for (plane, padding) in [(&mut self.min, i32::MAX), (&mut self.max, i32::MIN)] {
                plane[axis].reserve_exact(padded.saturating_sub(plane[axis].len()));
                plane[axis].resize(padded, padding);
                plane[axis][len..].fill(padding);
            }
        }
        self.len = len;
    }

    pub(super) fn shrink_to_fit(&mut self) {
        self.min.iter_mut().chain(&mut self.max).for_each(Vec::shrink_to_fit);
    }

    pub(super) fn memory_use(&self) -> usize {
        self.min.iter().chain(&self.max).map(|plane| plane.capacity() * size_of::<i32>()).sum()
    }
}

/// Key bounds of objects in sorted order and of the nodes above them, height by height.
#[derive(Clone, Debug)]
pub(super) struct Tree<const D: usize> {
    /// Heights 0, 1, 2, …: none in a new tree, else at least three. The last is one block of at
    /// most eight nodes.
    pub(super) heights: Vec<Planes<D>>,
    /// Unused heights, the lowest last: a varying number of objects does not reallocate.
    spare: Vec<Planes<D>>,
}

impl<const D: usize> Tree<D> {
    pub(super) const fn new() -> Self {
        Self { heights: Vec::new(), spare: Vec::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.heights.first().map_or(0, |objects| objects.len)
    }

    pub(super) fn memory_use(&self) -> usize {
        let all = self.heights.iter().chain(&self.spare);
        (self.heights.capacity() + self.spare.capacity()) * size_of::<Planes<D>>()
            + all.map(Planes::memory_use).sum::<usize>()
    }

    pub(super) fn clear(&mut self) {
        for planes in &mut self.heights {
            planes.resize(0);
        }
    }

    pub(super) fn shrink_to_fit(&mut self) {
        if self.len() == 0 {
            *self = Self::new();
        }
        self.spare = Vec::new();
        self.heights.shrink_to_fit();
        self.heights.iter_mut().for_each(Planes::shrink_to_fit);
    }

    /// Asserts that every node encloses its children.
    pub(super) fn assert_well_formed(&self) {
        for pair in self.heights.windows(2) {
            let (below, above) = (pair[0].view(), pair[1].view());
            assert_eq!(pair[1].len, pair[0].len.div_ceil(LANES), "one node per eight children");
            for index in 0..pair[0].len {
                let (inner, outer) = (below.get(index), above.get(index / LANES));
                for axis in 0..D {
                    assert!(outer.min[axis] <= inner.min[axis], "a node encloses its children");
                    assert!(outer.max[axis] >= inner.max[axis], "a node encloses its children");
                }
            }
        }
    }

    /// Sets the number of objects and returns heights 0 and 1, to be written by the caller.
    pub(super) fn resize(&mut self, mut len: usize) -> [&mut Planes<D>; 2] {
        let mut height = 0;
        loop {
            if height == self.heights.len() {
                self.heights.reserve_exact(1);
                self.heights.push(self.spare.pop().unwrap_or_else(Planes::new));
            }
            self.heights[height].resize(len);
            height += 1;
            if height >= 3 && len <= LANES {
                break;
            }
            len = len.div_ceil(LANES);
        }
        self.spare.extend(self.heights.drain(height..).rev());
        let (objects, others) = self.heights.split_at_mut(1);
        [&mut objects[0], &mut others[0]]
    }

    pub(super) fn bounds(&self) -> Option<Slabs<D>> {
        let top = self.heights.last().filter(|_| self.len() > 0)?;
        let mut all = Slabs::PADDING;
        for axis in 0..D {
            for &low in &top.min[axis] {
                all.min[axis] = all.min[axis].min(low);
            }
            for &high in &top.max[axis] {
                all.max[axis] = all.max[axis].max(high);
            }
        }
        Some(all)
    }
}

/// Runs [`Enclose`] on a backend; not inlined, because one copy serves all number types.
#[inline(never)]
pub(super) fn write_nodes<const D: usize>(backend: Backend, tree: &mut Tree<D>) {
    backend.dispatch(Enclose(tree));
}

/// Computes the bounds of heights 2 and up from the bounds of clusters.
struct Enclose<'a, const D: usize>(&'a mut Tree<D>);

impl<const D: usize> Kernel for Enclose<'_, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, _: L) {
        let heights = &mut self.0.heights;
        for height in 2..heights.len() {
            let (below, above) = heights.split_at_mut(height);
            let (below, above) = (&below[height - 1], &mut above[0]);
            for axis in 0..D {
                let below = [&below.min[axis][..], &below.max[axis][..]];
                enclose(below, [&mut above.min[axis], &mut above.max[axis]]);
            }
        }
    }
}

/// On one axis, computes the lowest low end and the highest high end of each block of eight.
#[inline(always)]
pub(super) fn enclose([lows, highs]: [&[i32]; 2], [least, greatest]: [&mut [i32]; 2]) {
    for (all, block) in least.iter_mut().zip(lows.as_chunks::<LANES>().0) {
        let mut least = block[0];
        for &key in block {
            least = if key < least { key } else { least };
        }
        *all = least;
    }
    for (all, block) in greatest.iter_mut().zip(highs.as_chunks::<LANES>().0) {
        let mut greatest = block[0];
        for &key in block {
            greatest = if key > greatest { key } else { greatest };
        }
        *all = greatest;
    }
}

/// The maximum number of heights for fewer than 2^30 objects, plus one.
pub(super) const MAX_HEIGHTS: usize = 12;

#[derive(Clone, Copy, Debug)]
pub(super) struct TreeView<'a, const D: usize> {
    heights: [SlabPlanes<'a, D>; MAX_HEIGHTS],
    lens: [usize; MAX_HEIGHTS],
}

impl<'a, const D: usize> TreeView<'a, D> {
    #[inline(always)]
    pub(super) fn new(tree: &'a Tree<D>) -> Self {
        let nothing = SlabPlanes { min: [&[]; D], max: [&[]; D] };
        let mut view = Self { heights: [nothing; MAX_HEIGHTS], lens: [0; MAX_HEIGHTS] };
        for (height, planes) in tree.heights.iter().enumerate() {
            view.heights[height] = planes.view().of_one_length();
            view.lens[height] = planes.len;
        }
        view
    }

    #[inline(always)]
    pub(super) fn height(&self, height: usize) -> SlabPlanes<'a, D> {
        self.heights[height].of_one_length()
    }

    #[inline(always)]
    pub(super) const fn len(&self, height: usize) -> usize {
        self.lens[height]
    }
}

/// Stack capacity: seven waiting blocks on each of eleven heights, the current block, and padding
/// for a store of eight lanes.
const STACK_LEN: usize = 104;
/// Bit offset of the height in a stack entry; the bits below are the block index.
const HEIGHT_SHIFT: u32 = 27;

#[derive(Clone, Copy, Debug)]
pub(super) struct WantedNodes {
    /// The height of the nodes to write.
    pub(super) target_height: usize,
    /// The first node to write; earlier nodes are skipped.
    pub(super) from: usize,
}

impl WantedNodes {
    /// Selects all objects.
    const OBJECTS: Self = Self { target_height: 0, from: 0 };
}

/// A paused descent: the stack of blocks still to be tested.
#[derive(Clone, Copy, Debug)]
pub(super) struct Descent {
    nodes: [i32; STACK_LEN],
    len: usize,
}

impl Descent {
    pub(super) const DONE: Self = Self { nodes: [0; STACK_LEN], len: 0 };

    /// Starts a descent at the topmost block of a tree.
    #[inline(always)]
    pub(super) fn begin<const D: usize>(&mut self, tree: &Tree<D>) {
        self.nodes[0] = (tree.heights.len() as i32) << HEIGHT_SHIFT;
        self.len = usize::from(tree.len() > 0);
    }

    #[inline(always)]
    pub(super) const fn is_done(&self) -> bool {
        self.len == 0
    }

    /// Continues the descent: writes the selected nodes that overlap `volume` and pass `filter`,
    /// until the tree is exhausted or `out` has no room for eight more. Returns the number of nodes
    /// written.
    #[inline(always)]
    pub(super) fn resume<L: Lanes, const D: usize>(
        &mut self,
        lanes: L,
        tree: &TreeView<'_, D>,
        volume: &Spread<L, D>,
        WantedNodes { target_height, from }: WantedNodes,
        filter: impl HitFilter<L, D>,
        out: &mut [i32],
    ) -> usize {
        let mut filled = 0;
        while self.len > 0 && filled + LANES <= out.len() {
            self.len -= 1;
            let node = self.nodes[self.len];
            let height = (node >> HEIGHT_SHIFT) as usize - 1;
            let first = (node as usize & ((1 << HEIGHT_SHIFT) - 1)) * LANES;
            let begin = from >> (3 * (height - target_height));
            let valid = HitMask::first(tree.len(height) - first)
                & HitMask::from(begin.saturating_sub(first));
            let nodes = tree.height(height);
            let hits = volume.overlaps(lanes, &nodes, first) & valid;
            let hits = filter.filter(lanes, &nodes, first, hits);
            let found = hits.count() as usize;
            if height == target_height {
                let all = lanes.add(lanes.splat(first as i32), lanes.lane_indices(hits));
                lanes.store_at(all, out, filled);
                filled += found;
            } else {
                let number = (height as i32) << HEIGHT_SHIFT | first as i32;
                let all = lanes.add(lanes.splat(number), lanes.lane_indices(hits));
                lanes.store_at(all, &mut self.nodes, self.len);
                self.len += found;
            }
        }
        filled
    }
}

/// An additional test of nodes that overlap the search volume.
pub(super) trait HitFilter<L: Lanes, const D: usize> {
    /// Returns which of the hits, among the eight nodes from `first` on, pass the test.
    fn filter(&self, lanes: L, nodes: &SlabPlanes<'_, D>, first: usize, hits: HitMask) -> HitMask;
}

pub(super) struct KeepAll;

impl<L: Lanes, const D: usize> HitFilter<L, D> for KeepAll {
    #[inline(always)]
    fn filter(&self, _: L, _: &SlabPlanes<'_, D>, _: usize, hits: HitMask) -> HitMask {
        hits
    }
}

/// A straight path to test against, in addition to its bounding box.
#[derive(Clone, Copy, Debug)]
pub(super) struct PathTest<'a, const D: usize> {
    pub(super) line: &'a Line<D>,
    /// Whether keys represent integers rather than floats.
    pub(super) integer: bool,
}

/// Writes the positions of objects whose key bounds overlap `volume` and may touch the path, until
/// the descent ends or `out` is full. Returns their number.
pub(super) struct FindObjects<'a, const D: usize> {
    pub(super) tree: &'a Tree<D>,
    pub(super) volume: &'a Slabs<D>,
    pub(super) path: Option<PathTest<'a, D>>,
    pub(super) descent: &'a mut Descent,
    pub(super) out: &'a mut [i32],
}

/// Up to this number of hits in a block, the path test is skipped: an exact test follows anyway.
const MAX_UNFILTERED_HITS: u32 = 2;

impl<const D: usize> Kernel for FindObjects<'_, D> {
    type Output = usize;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> usize {
        match self.path {
            None => self.resume(lanes, KeepAll),
            Some(PathTest { line, integer: false }) => {
                // The key of an `f64` is that of an adjacent `f32`.
                self.resume(lanes, PathFilter { line, scalar: PhantomData::<f32> })
            }
            Some(PathTest { line, integer: true }) => {
                self.resume(lanes, PathFilter { line, scalar: PhantomData::<i32> })
            }
        }
    }
}

impl<const D: usize> FindObjects<'_, D> {
    #[inline(always)]
    fn resume<L: Lanes>(self, lanes: L, filter: impl HitFilter<L, D>) -> usize {
        let Self { tree, volume, descent, out, .. } = self;
        let spread = Spread::new(lanes, volume);
        descent.resume(lanes, &TreeView::new(tree), &spread, WantedNodes::OBJECTS, filter, out)
    }
}

/// Accepts nodes that the path may touch.
struct PathFilter<'a, S, const D: usize> {
    line: &'a Line<D>,
    scalar: PhantomData<S>,
}

impl<L: Lanes, S: Scalar, const D: usize> HitFilter<L, D> for PathFilter<'_, S, D> {
    #[inline(always)]
    fn filter(&self, lanes: L, nodes: &SlabPlanes<'_, D>, first: usize, hits: HitMask) -> HitMask {
        if hits.count() <= MAX_UNFILTERED_HITS {
            return hits;
        }
        let Self { line, scalar } = *self;
        hits & Along { planes: *nodes, line, scalar }.open(lanes, 0, first)
    }
}
