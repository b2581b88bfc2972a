//! Sorted octree cells: the algorithm of the article on Morton order, as published.
//!
//! Input: objects with integer bounds. Output: all overlapping pairs.
//!
//! 1. *Add*: cover each object with at most 2^D cells of the smallest level whose cells are at
//!    least as large as the object.
//! 2. *Sort* the cells by their first code; if first codes are equal, the larger cell comes first.
//!    This order is an octree: the cells inside a cell follow it directly.
//! 3. *Link*: sweep over the cells, with a stack of the cells that contain the current cell. The
//!    top of the stack is the smallest container; store its index in the current cell.
//! 4. *Pairs*: for each cell, follow the container links upwards and test the two objects exactly.
//! 5. Sort the pairs and remove duplicates, because two objects may share several cells.
//!
//! Sorting costs O(n log n), or O(n) if the cells are already in order. Then there is one test per
//! cell and container.
//!
//! ```text
//! start  0        8   9        16  …        stack while at 9: the cell of 0 (level 2), that of 8
//! level  2 ────────────────────┤ 1             container:  –  0  1  –
//!            1 ───────┤
//!                 0 ──┤
//! ```
//!
//! Source: "Collision detection with Morton order", by the author of The Polynomial. Added here: a
//! separate list of objects that reach outside the world, exact tests of pairs, and the stack. With
//! the stack, a large cell adds no cost for the cells after it.

use alloc::vec::Vec;

use broadphase_core::pairs::{self, Pair};
use broadphase_core::{Aabb, IndexError};

use crate::Code;

/// Marks a cell without a container.
const NONE: u32 = u32::MAX;

/// A cell that covers part of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OctreeCell<const D: usize> {
    /// The code of the low corner.
    pub start: Code<D>,
    /// The level; the side of the cell is 2^level.
    pub level: u8,
    /// The index of the object, in the order of addition.
    pub object: u32,
    /// The index of the smallest cell that contains this cell.
    container: u32,
}

impl<const D: usize> OctreeCell<D> {
    /// Returns the last code inside the cell. (The first code after the cell would overflow for the
    /// largest cell.)
    #[must_use]
    pub const fn last(&self) -> Code<D> {
        *self.start.range(self.level as u32).end()
    }

    /// Returns the sort key: ascending by start, then the larger cell first.
    const fn sort_key(&self) -> (u64, u8) {
        (self.start.bits(), u8::MAX - self.level)
    }
}

/// Counters of one search for pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OctreeStats {
    /// The number of cells.
    pub cells: usize,
    /// The largest number of cells of one object.
    pub most_cells: usize,
    /// The number of times that a cell was found inside another cell.
    pub raw_pairs: u64,
    /// The number of times that both the inner and the outer cell belonged to one object. This is
    /// always 0; any other value is a bug.
    pub same_object: u64,
}

/// Objects as sorted octree cells, rebuilt each time: add all objects, find the pairs, clear.
///
/// ```
/// use broadphase_morton::{Aabb, Octree};
///
/// let mut tree: Octree<3> = Octree::new();
/// tree.add(7, Aabb::new([0, 0, 0], [9, 9, 9]))?;
/// tree.add(3, Aabb::new([9, 9, 9], [12, 10, 11]))?;
/// tree.add(5, Aabb::new([-1_000_000_000; 3], [-999_999_990; 3]))?;
/// let mut pairs = Vec::new();
/// let stats = tree.pairs(&mut pairs);
/// assert_eq!(pairs, [[3, 7]]);
/// assert!(stats.most_cells <= 8 && stats.same_object == 0);
/// # Ok::<(), broadphase_morton::IndexError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Octree<const D: usize = 3> {
    objects: Vec<(u32, Aabb<i32, D>)>,
    cells: Vec<OctreeCell<D>>,
    /// Objects without cells, because they reach outside the world.
    outside: Vec<u32>,
    /// Scratch stack of the cells that contain the current cell.
    stack: Vec<u32>,
    most_cells: usize,
    /// Whether two objects that share an identical cell are tested as a pair.
    pairs_identical: bool,
    sorted: bool,
}

impl<const D: usize> Default for Octree<D> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const D: usize> Octree<D> {
    /// Half the side of the world, which spans −2^(BITS − 1) to 2^(BITS − 1) on each axis.
    const HALF_EXTENT: i64 = 1 << (Code::<D>::BITS - 1);

    /// Creates an empty tree.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            objects: Vec::new(),
            cells: Vec::new(),
            outside: Vec::new(),
            stack: Vec::new(),
            most_cells: 0,
            pairs_identical: true,
            sorted: true,
        }
    }

    /// Ignores identical cells of two objects. The objects are still a pair if another cell of one
    /// object is inside a cell of the other.
    #[must_use]
    pub fn without_identical(self) -> Self {
        Self { pairs_identical: false, ..self }
    }

    /// Adds an object. Keys should be unique. O(1).
    ///
    /// # Errors
    /// Returns an error if the bounds are inverted. On error the tree is unchanged.
    pub fn add(&mut self, key: u32, bounds: Aabb<i32, D>) -> Result<(), IndexError> {
        let bounds = bounds.checked().map_err(|why| IndexError::InvalidBounds { key, why })?;
        let object = self.objects.len() as u32;
        self.objects.push((key, bounds));
        let mut cover = Some((0, [0; D], [0; D]));
        for axis in 0..D {
            let low = i64::from(bounds.min[axis]) + Self::HALF_EXTENT;
            let high = i64::from(bounds.max[axis]) + Self::HALF_EXTENT;
            let inside = 0 <= low && high < 2 * Self::HALF_EXTENT;
            cover = cover.filter(|_| inside).map(|(level, mut first, mut last)| {
                (first[axis], last[axis]) = (low as u32, high as u32);
                // Find the smallest level whose cells are at least as long as the object, including
                // both its ends.
                let along = u64::BITS - ((high - low) as u64).leading_zeros();
                (if along > level { along } else { level }, first, last)
            });
        }
        let Some((level, first, last)) = cover else {
            self.outside.push(object);
            return Ok(());
        };
        let before = self.cells.len();
        let floor = |x: u32| if level < u32::BITS { x >> level << level } else { 0 };
        for corner in 0..1u32 << D {
            let mut cell = [0; D];
            let mut is_new = true;
            for axis in 0..D {
                let upper = corner >> axis & 1 == 1;
                cell[axis] = floor(if upper { last[axis] } else { first[axis] });
                is_new &= !upper || cell[axis] != floor(first[axis]);
            }
            if is_new {
                let start = Code::encode(cell);
                let container = NONE;
                self.cells.push(OctreeCell { start, level: level as u8, object, container });
            }
        }
        self.most_cells = self.most_cells.max(self.cells.len() - before);
        self.sorted = false;
        Ok(())
    }

    /// Removes all objects without freeing memory.
    pub fn clear(&mut self) {
        self.objects.clear();
        self.cells.clear();
        self.outside.clear();
        (self.most_cells, self.sorted) = (0, true);
    }

    /// Returns the cells. After [`sort`](Self::sort) all of them are sorted and linked.
    #[must_use]
    pub fn cells(&self) -> &[OctreeCell<D>] {
        &self.cells
    }

    /// Returns the index of the smallest cell that contains the cell at `index`; `None` if there is
    /// none. The result is valid after [`sort`](Self::sort).
    #[must_use]
    pub fn container(&self, index: usize) -> Option<usize> {
        let container = self.cells.get(index)?.container;
        (container != NONE).then_some(container as usize)
    }

    /// Sorts the cells and links each to its container. Does nothing if no cell was added since the
    /// last call.
    pub fn sort(&mut self) {
        if self.sorted {
            return;
        }
        // The stable sort merges the sorted old cells with the added cells, which are at the end.
        self.cells.sort_by_key(OctreeCell::sort_key);
        self.stack.clear();
        for index in 0..self.cells.len() {
            let start = self.cells[index].start;
            while self.stack.last().is_some_and(|&stack| self.cells[stack as usize].last() < start)
            {
                self.stack.pop();
            }
            self.cells[index].container = self.stack.last().copied().unwrap_or(NONE);
            self.stack.push(index as u32);
        }
        self.sorted = true;
    }

    /// Replaces the contents of `out` with the keys of every overlapping pair, in canonical order.
    pub fn pairs(&mut self, out: &mut Vec<Pair>) -> OctreeStats {
        self.sort();
        out.clear();
        let (cells, most_cells) = (self.cells.len(), self.most_cells);
        let mut stats = OctreeStats { cells, most_cells, ..OctreeStats::default() };
        for cell in &self.cells {
            let mut container = cell.container;
            while let Some(larger) = self.cells.get(container as usize) {
                container = larger.container;
                if larger.level == cell.level && !self.pairs_identical {
                    continue;
                }
                stats.raw_pairs += 1;
                stats.same_object += u64::from(larger.object == cell.object);
                self.push_if_overlapping(larger.object, cell.object, out);
            }
        }
        for &object in &self.outside {
            for other in 0..self.objects.len() as u32 {
                self.push_if_overlapping(object, other, out);
            }
        }
        pairs::sort(out);
        out.dedup();
        stats
    }

    /// Writes every overlapping pair of an object of this tree and an object of `other` into `out`,
    /// as `[own key, other's key]`, ascending. Sorts both trees if needed. Does not test objects of
    /// the same tree against each other. Makes one binary search in `other` per own cell, so a
    /// large presorted set of static objects costs little.
    pub fn pairs_with(&mut self, other: &mut Self, out: &mut Vec<[u32; 2]>) {
        self.sort();
        other.sort();
        out.clear();
        let mut push_if_overlapping = |own: &(u32, Aabb<i32, D>), theirs: u32| {
            let theirs = &other.objects[theirs as usize];
            if own.1.overlaps(&theirs.1) {
                out.push([own.0, theirs.0]);
            }
        };
        for cell in &self.cells {
            let own = &self.objects[cell.object as usize];
            other.overlapping(cell.start, u32::from(cell.level), |theirs| {
                push_if_overlapping(own, theirs.object);
            });
            other.outside.iter().for_each(|&theirs| push_if_overlapping(own, theirs));
        }
        for &object in &self.outside {
            let own = &self.objects[object as usize];
            (0..other.objects.len() as u32).for_each(|theirs| push_if_overlapping(own, theirs));
        }
        pairs::sort(out);
        out.dedup();
    }

    /// Visits the cells that overlap the cell of side 2^`level` around a code. These are the cells
    /// inside it, a contiguous range, and the cells that contain it. O(log n) plus the cells found.
    /// Requires [`sort`](Self::sort).
    pub fn overlapping(&self, code: Code<D>, level: u32, mut visit: impl FnMut(&OctreeCell<D>)) {
        let (first, last) = code.range(level).into_inner();
        let begin = self.cells.partition_point(|cell| cell.start < first);
        let len = self.cells[begin..].partition_point(|cell| cell.start <= last);
        self.cells[begin..][..len].iter().for_each(&mut visit);
        let mut before = begin.checked_sub(1);
        while let Some(index) = before {
            if self.cells[index].last() >= first {
                visit(&self.cells[index]);
            }
            before = self.container(index);
        }
    }

    /// Adds all objects of another tree. If both trees are sorted, the next sort takes linear time.
    pub fn merge(&mut self, other: &Self) {
        let offset = self.objects.len() as u32;
        self.objects.extend_from_slice(&other.objects);
        self.outside.extend(other.outside.iter().map(|object| object + offset));
        let moved = |cell: &OctreeCell<D>| OctreeCell { object: cell.object + offset, ..*cell };
        self.cells.extend(other.cells.iter().map(moved));
        self.most_cells = self.most_cells.max(other.most_cells);
        self.sorted = false;
    }

    /// Appends the pair of two objects if they are different and overlap.
    fn push_if_overlapping(&self, a: u32, b: u32, out: &mut Vec<Pair>) {
        let (one, other) = (&self.objects[a as usize], &self.objects[b as usize]);
        if a != b && one.1.overlaps(&other.1) {
            out.push(pairs::pair(one.0, other.0));
        }
    }
}
