//! Joins a few objects with a large tree: one descent per object, many of them interleaved.
//!
//! In a single descent, each step waits for memory. Steps of different descents are independent:
//! all steps on one height are executed together, which overlaps their cache misses.
//!
//! 1. Queue a batch of objects at the top height.
//! 2. Choose the lowest height whose queue is more than half full, else the highest with a
//!    non-empty queue.
//! 3. For each queue entry, test eight nodes and queue the children of hits one height below. At
//!    height 0, hits are objects: write the pairs.
//! 4. Repeat from step 2 until all queues are empty, then from step 1 with the next batch.
//!
//! ```text
//! height 3   │ 1 2 3 4 5 …          │   objects, each with the block of eight nodes it has reached
//! height 2   │ 1 1 2 3 4 4 …        │   objects 1 and 4 hit two nodes of height 3
//! height 1   │                      │
//! ```

use alloc::vec::Vec;
use core::ops::Range;

use broadphase_core::kernel::overlap::Spread;
use broadphase_core::{Backend, HitMask, Kernel, LANES, Lanes};

use super::tree::{MAX_HEIGHTS, Tree, TreeView};

/// Number of objects whose descents are started together.
pub(super) const BATCH: usize = 256;
/// Capacity of the queue of a height.
const QUEUE_LEN: usize = 2 * BATCH;
/// Queue length above which a height is processed before the heights above it.
const QUEUE_HIGH: usize = QUEUE_LEN / 2;

/// The queues of all heights, and the range of objects whose descents have not started.
#[derive(Clone, Debug)]
pub(super) struct DescentQueues {
    /// The next object whose descent is to start.
    next: usize,
    end: usize,
    /// For each height, the queued objects, each with the first of the eight nodes to test.
    own: Vec<i32>,
    node: Vec<i32>,
    queued: [usize; MAX_HEIGHTS],
    /// The number of object-object tests.
    pub(super) tests: u64,
}

impl DescentQueues {
    pub(super) const fn new() -> Self {
        let queued = [0; MAX_HEIGHTS];
        Self { next: 0, end: 0, own: Vec::new(), node: Vec::new(), queued, tests: 0 }
    }

    /// Prepares descents of the objects at these positions into a tree with `heights` heights.
    pub(super) fn begin(&mut self, positions: Range<usize>, heights: usize) {
        let room = heights * (QUEUE_LEN + LANES);
        for queue in [&mut self.own, &mut self.node] {
            queue.reserve_exact(room.saturating_sub(queue.len()));
            queue.resize(room.max(queue.len()), 0);
        }
        (self.next, self.end) = (positions.start, positions.end);
        self.queued = [0; MAX_HEIGHTS];
    }

    pub(super) fn memory_use(&self) -> usize {
        (self.own.capacity() + self.node.capacity()) * size_of::<i32>()
    }

    /// Returns the height to process next; `None` if all queues are empty.
    #[inline(always)]
    fn next_height(&self, heights: usize) -> Option<usize> {
        let mut highest = None;
        let mut height = 0;
        while height < heights {
            if self.queued[height] > QUEUE_HIGH {
                return Some(height);
            }
            if self.queued[height] > 0 {
                highest = Some(height);
            }
            height += 1;
        }
        highest
    }
}

/// Runs [`ResumeDescents`] on a backend; not inlined, because one copy serves all number types.
#[inline(never)]
pub(super) fn resume<const D: usize>(backend: Backend, queues: ResumeDescents<'_, D>) -> usize {
    backend.dispatch(queues)
}

/// Continues the descents until they end or the output may overflow. Returns the number of pairs of
/// positions written; 0 at the end.
pub(super) struct ResumeDescents<'a, const D: usize> {
    /// The tree of the objects, and the tree they descend.
    pub(super) trees: [&'a Tree<D>; 2],
    pub(super) queues: &'a mut DescentQueues,
    pub(super) hits: &'a mut [[u32; 2]],
}

impl<const D: usize> Kernel for ResumeDescents<'_, D> {
    type Output = usize;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> usize {
        let Self { trees: [own, other], queues, hits } = self;
        if own.len() == 0 || other.len() == 0 {
            return 0;
        }
        let (own, tree) = (TreeView::new(own).height(0), TreeView::new(other));
        let heights = other.heights.len();
        let mut filled = 0;
        loop {
            let Some(height) = queues.next_height(heights) else {
                if queues.next == queues.end {
                    return filled;
                }
                let begin = queues.next;
                queues.next = queues.end.min(begin + BATCH);
                let at = (heights - 1) * (QUEUE_LEN + LANES);
                for (queued, position) in (begin..queues.next).enumerate() {
                    (queues.own[at + queued], queues.node[at + queued]) = (position as i32, 0);
                }
                queues.queued[heights - 1] = queues.next - begin;
                continue;
            };
            let (nodes, len) = (tree.height(height), tree.len(height));
            let at = height * (QUEUE_LEN + LANES);
            let mut remaining = queues.queued[height];
            if height == 0 {
                while remaining > 0 && filled + LANES <= hits.len() {
                    remaining -= 1;
                    let position = queues.own[at + remaining];
                    let first = queues.node[at + remaining] as usize;
                    let volume = Spread::new(lanes, &own.get(position as usize));
                    let hit_mask =
                        volume.overlaps(lanes, &nodes, first) & HitMask::first(len - first);
                    queues.tests += LANES as u64;
                    for lane in hit_mask {
                        hits[filled] = [position as u32, (first + lane) as u32];
                        filled += 1;
                    }
                }
                queues.queued[0] = remaining;
                if remaining > 0 {
                    return filled;
                }
                continue;
            }
            let below = at - (QUEUE_LEN + LANES);
            let mut end = queues.queued[height - 1];
            while remaining > 0 && end + LANES <= QUEUE_LEN {
                remaining -= 1;
                let position = queues.own[at + remaining];
                let first = queues.node[at + remaining] as usize;
                let volume = Spread::new(lanes, &own.get(position as usize));
                let hit_mask = volume.overlaps(lanes, &nodes, first) & HitMask::first(len - first);
                let all = lanes.add(lanes.splat(first as i32), lanes.lane_indices(hit_mask));
                lanes.store_at(lanes.shl(all, 3), &mut queues.node, below + end);
                lanes.store_at(lanes.splat(position), &mut queues.own, below + end);
                end += hit_mask.count() as usize;
            }
            (queues.queued[height], queues.queued[height - 1]) = (remaining, end);
        }
    }
}
