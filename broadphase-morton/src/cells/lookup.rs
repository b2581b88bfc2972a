//! The pairs of few objects with a large tree: one descent for each, many of them side by side.
//!
//! Where there is much in the tree, each step of a descent waits for memory, and the next one
//! cannot begin before. So all steps at one height are taken together: none of them waits for
//! another, and the CPU fetches for several at once.
//!
//! ```text
//! height 3   │ 1 2 3 4 5 …          │   who has come to which eight nodes
//! height 2   │ 1 1 2 3 4 4 …        │
//! height 1   │                      │   as soon as there is no room below, that is done first
//! ```

use alloc::vec::Vec;
use core::ops::Range;

use broadphase_core::kernel::overlap::Spread;
use broadphase_core::pairs::pair;
use broadphase_core::{Backend, HitMask, Kernel, LANES, Lanes};

use super::names::Names;
use super::tree::{HEIGHTS, Tree, View};

/// So many descents begin at once.
pub(super) const TOGETHER: usize = 256;
/// So many wait at a height.
const ROOM: usize = 2 * TOGETHER;
/// With so many waiting at a height, it is done before those above.
const MUCH: usize = ROOM / 2;

/// Descents, and how far they have come.
#[derive(Clone, Debug)]
pub(super) struct Lookup {
    /// The objects that have not begun.
    next: usize,
    end: usize,
    /// Who waits at each height, and the first of eight nodes it has come to.
    own: Vec<i32>,
    node: Vec<i32>,
    waiting: [usize; HEIGHTS],
    /// How often two objects were tested against each other.
    pub(super) tests: u64,
}

impl Lookup {
    pub(super) const fn new() -> Self {
        let waiting = [0; HEIGHTS];
        Self { next: 0, end: 0, own: Vec::new(), node: Vec::new(), waiting, tests: 0 }
    }

    /// Makes ready for the descents of objects in these places, into a tree of so many heights.
    pub(super) fn begin(&mut self, places: Range<usize>, heights: usize) {
        let room = heights * (ROOM + LANES);
        for queue in [&mut self.own, &mut self.node] {
            queue.reserve_exact(room.saturating_sub(queue.len()));
            queue.resize(room.max(queue.len()), 0);
        }
        (self.next, self.end) = (places.start, places.end);
        self.waiting = [0; HEIGHTS];
    }

    pub(super) fn memory_use(&self) -> usize {
        (self.own.capacity() + self.node.capacity()) * size_of::<i32>()
    }

    /// The height that is to be gone on with.
    #[inline(always)]
    fn choose(&self, heights: usize) -> Option<usize> {
        let mut highest = None;
        let mut height = 0;
        while height < heights {
            if self.waiting[height] > MUCH {
                return Some(height);
            }
            if self.waiting[height] > 0 {
                highest = Some(height);
            }
            height += 1;
        }
        highest
    }
}

/// Runs [`LookUp`] on a backend.
// Not inlined: one copy serves all number types.
#[inline(never)]
pub(super) fn go_on<const D: usize>(backend: Backend, lookup: LookUp<'_, D>) -> usize {
    backend.dispatch(lookup)
}

/// Goes on with descents until they end or there might be no room for more hits; yields how many
/// pairs of names it wrote, 0 at the end.
pub(super) struct LookUp<'a, const D: usize> {
    /// Whose objects are looked up, and where.
    pub(super) trees: [&'a Tree<D>; 2],
    pub(super) names: [Names<'a>; 2],
    pub(super) lookup: &'a mut Lookup,
    pub(super) hits: &'a mut [[u32; 2]],
}

impl<const D: usize> Kernel for LookUp<'_, D> {
    type Output = usize;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> usize {
        let Self { trees: [own, other], names, lookup, hits } = self;
        if own.len() == 0 || other.len() == 0 {
            return 0;
        }
        let (own, tree) = (View::new(own).height(0), View::new(other));
        let heights = other.heights.len();
        let mut filled = 0;
        loop {
            let Some(height) = lookup.choose(heights) else {
                if lookup.next == lookup.end {
                    return filled;
                }
                let begin = lookup.next;
                lookup.next = lookup.end.min(begin + TOGETHER);
                let at = (heights - 1) * (ROOM + LANES);
                for (waiting, place) in (begin..lookup.next).enumerate() {
                    (lookup.own[at + waiting], lookup.node[at + waiting]) = (place as i32, 0);
                }
                lookup.waiting[heights - 1] = lookup.next - begin;
                continue;
            };
            let (nodes, len) = (tree.height(height), tree.len(height));
            let at = height * (ROOM + LANES);
            let mut left = lookup.waiting[height];
            if height == 0 {
                while left > 0 && filled + LANES <= hits.len() {
                    left -= 1;
                    let place = lookup.own[at + left];
                    let first = lookup.node[at + left] as usize;
                    let volume = Spread::new(lanes, &own.get(place as usize));
                    let met = volume.overlaps(lanes, &nodes, first) & HitMask::first(len - first);
                    lookup.tests += LANES as u64;
                    for lane in met {
                        hits[filled] =
                            pair(names[0].get(place as usize), names[1].get(first + lane));
                        filled += 1;
                    }
                }
                lookup.waiting[0] = left;
                if left > 0 {
                    return filled;
                }
                continue;
            }
            let below = at - (ROOM + LANES);
            let mut end = lookup.waiting[height - 1];
            while left > 0 && end + LANES <= ROOM {
                left -= 1;
                let place = lookup.own[at + left];
                let first = lookup.node[at + left] as usize;
                let volume = Spread::new(lanes, &own.get(place as usize));
                let met = volume.overlaps(lanes, &nodes, first) & HitMask::first(len - first);
                let all = lanes.add(lanes.splat(first as i32), lanes.lane_indices(met));
                lanes.store_at(lanes.shl(all, 3), &mut lookup.node, below + end);
                lanes.store_at(lanes.splat(place), &mut lookup.own, below + end);
                end += met.count() as usize;
            }
            (lookup.waiting[height], lookup.waiting[height - 1]) = (left, end);
        }
    }
}
