//! Bins: a second, coarser grid that is used only for queries. Each object is stored once, with its
//! bounds, so a query needs no deduplication.
//!
//! Without bins, queries would test the entries of cells. Box queries that find 5 and 50 objects
//! would take 2.2 and 4.8 times as long. Long rays would take 7 times as long, longer than in a
//! tree. On the other hand, a tick would take two thirds of the time, and a sparse world half of
//! the memory.
//!
//! 1. The *level* of an object follows from its largest extent in cells on any axis, rounded up to
//!    a power of two. Bins of this level are at least as large as the object, so the object extends
//!    at most into the next bin on each axis. Where objects are sparse, the lowest levels are not
//!    used: their bins would have one object each, in a page for eight.
//! 2. An object is stored in the bin of its first cell, in [pages](super::pages) of eight.
//! 3. On each level in use, a query extends its box downwards on each axis by the largest extent of
//!    the level's objects, and visits the bins of this box. For a ray, bins away from the ray are
//!    skipped ([`Strip`]).
//!
//! ```text
//!   ┌───┬───┬───┬───┐───┬──   A level whose bins have 4 cells a side. Both discs are in the first
//!   │   │   │   │ ┌─│─┐ │     bin. The right one extends into the second bin, so a query of the
//!   ├───┼───┼───┼─│─│─│─┼──   second bin also looks into the first.
//!   │  o│   │   │ └─│─┘ │
//! ```
//!
//! Cost: inserting and removing take constant time. A query takes one map access for each block of
//! bins and one test for each page of eight objects. Limitation: long, thin objects are in bins as
//! large as they are long, so a query near many parallel objects of this kind tests them all.

use broadphase_core::query::PathBounds;
use broadphase_core::{Aabb, IndexError, Scalar, Slabs};

use super::pages::{Link, NONE, ObjectId, Page, Pages};
use super::strip::Strip;
use crate::cell::Grid;
use crate::hash::cells::span::Span;
use crate::hash::map::blocks::{BlockWalk, Blocks, UNUSED};

// `UNUSED` and `NONE` both mark a bin without a page.
const _: () = assert!(UNUSED == NONE);

/// The number of levels; only in three dimensions are all of them used.
const MAX_LEVELS: usize = 9;
/// The average number of objects in a bin of the lowest level, at least. A page has room for eight
/// objects: with one object in each bin, a sparse world would take 700 bytes per object.
const OBJECTS_PER_BIN: usize = 2;
/// The number of different results of [`bits`]: 0 to 9.
const MAX_BITS: usize = MAX_LEVELS + 1;
/// The maximum number of bins that a query tests together. A buffer of this capacity holds the head
/// of each bin's page chain, and the first pages of all these chains are prefetched together.
pub(crate) const HEADS_LEN: usize = 32;

/// For one level and axis: the number of objects for each result of [`bits`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct ReachHistogram([u32; MAX_BITS]);

/// The bins of one size.
#[derive(Clone, Debug)]
struct Level<const D: usize> {
    /// Maps bins to the heads of their page chains.
    blocks: Blocks<D>,
    reach_histograms: [ReachHistogram; D],
    /// For each axis, an upper bound on the number of cells that an object extends over beyond its
    /// first cell: a power of two minus 1.
    reach: [i32; D],
    /// For each axis, an upper bound on the length of all objects that were on the level since it
    /// was last empty; mostly tighter than `reach`.
    extent: [f64; D],
}

/// All objects that are not oversized, each in its bin.
#[derive(Clone, Debug)]
pub(crate) struct Bins<const D: usize> {
    levels: [Level<D>; MAX_LEVELS],
    /// The number of objects on each level; and, in `used_levels`, a set bit for each level with
    /// objects.
    objects: [usize; MAX_LEVELS],
    used_levels: u32,
    /// The lowest level in use; see [`set_lowest`](Self::set_lowest).
    lowest: usize,
    /// The grid of cells, not of bins.
    grid: Grid,
    side: f64,
    pages: Pages<D>,
}

/// Counts the cells after the first that an object extends over on an axis; returns the number of
/// bits of this count.
#[inline(always)]
fn bits<const D: usize>(span: &Span<D>, axis: usize) -> usize {
    let reach = span.high[axis].wrapping_sub(span.low[axis]);
    (i32::BITS - reach.leading_zeros()) as usize
}

impl<const D: usize> Bins<D> {
    /// The smallest bins have 2^`MIN_SHIFT` cells along each axis. Such a bin has about one page of
    /// objects if the cell side suits the objects. With smaller bins, queries visit more bins where
    /// objects are sparse; with larger bins, in three dimensions, they test too many objects where
    /// objects are dense.
    const MIN_SHIFT: usize = if D == 3 { 1 } else { 2 };

    /// Returns bins without objects, for cells of this side.
    pub(crate) fn new(side: f64) -> Self {
        // Objects that extend over more cells are oversized, so every object has a level.
        const { assert!(3 * D - Self::MIN_SHIFT < MAX_LEVELS && 3 * D < MAX_BITS) };
        let level = |_| Level {
            blocks: Blocks::default(),
            reach_histograms: [ReachHistogram::default(); D],
            reach: [0; D],
            extent: [0.0; D],
        };
        let levels = core::array::from_fn(level);
        let (grid, pages) = (Grid::new(side), Pages::new());
        let objects = [0; MAX_LEVELS];
        Self { levels, objects, used_levels: 0, lowest: 0, grid, side, pages }
    }

    /// Sets the side of the cells. Requires that there are no objects.
    pub(crate) fn set_side(&mut self, side: f64) {
        self.grid = Grid::new(side);
        self.side = side;
    }

    /// Sets the lowest level to the first one on which a bin has [`OBJECTS_PER_BIN`] objects on
    /// average; frees all memory if it changes. Requires that there are no objects. `bins` returns
    /// the number of bins that the objects are in if bins have 2^n cells along each axis, given n.
    pub(crate) fn set_lowest(&mut self, objects: usize, bins: impl Fn(usize) -> usize) {
        let is_full = |level: &usize| OBJECTS_PER_BIN * bins(Self::MIN_SHIFT + level) <= objects;
        let lowest = (0..MAX_LEVELS - 1).find(is_full).unwrap_or(MAX_LEVELS - 1);
        if lowest != self.lowest {
            self.lowest = lowest;
            self.pages = Pages::new();
            self.levels.iter_mut().for_each(|level| level.blocks.shrink_to_fit());
        }
    }

    #[inline(always)]
    pub(crate) fn pages(&self) -> (&[Page<D>], &[Link]) {
        self.pages.all()
    }

    /// Returns the level of an object that touches these cells, and its bin on this level.
    #[inline(always)]
    fn level_and_bin(&self, span: &Span<D>) -> (usize, [i32; D]) {
        let bits =
            (0..D).fold(Self::MIN_SHIFT + self.lowest, |most, axis| most.max(bits(span, axis)));
        (bits - Self::MIN_SHIFT, span.low.map(|cell| cell >> bits))
    }

    /// Adds an object with these cells and lengths. Returns the position of the object.
    pub(crate) fn insert(
        &mut self,
        span: &Span<D>,
        extent: &[f64; D],
        slabs: &Slabs<D>,
        id: ObjectId,
    ) -> u32 {
        let (index, bin) = self.level_and_bin(span);
        self.objects[index] += 1;
        self.used_levels |= 1 << index;
        let level = &mut self.levels[index];
        level.add_reach(span);
        level.grow_extent(extent);
        self.pages.push(level.blocks.number_mut(&bin), slabs, id)
    }

    /// Removes the object at a position. Returns the slot of the object that was moved to this
    /// position, or `None` if none was.
    pub(crate) fn remove(&mut self, span: &Span<D>, position: u32) -> Option<u32> {
        let (index, bin) = self.level_and_bin(span);
        self.objects[index] -= 1;
        let level = &mut self.levels[index];
        level.remove_reach(span);
        if self.objects[index] == 0 {
            self.used_levels &= !(1 << index);
            level.extent = [0.0; D];
        }
        let head = level.blocks.number_mut(&bin);
        let moved = self.pages.swap_remove(head, position);
        if *head == NONE {
            level.blocks.remove(&bin);
        }
        moved
    }

    /// Sets the bounds of an object if its new cells belong to the same bin. Returns whether they
    /// do.
    #[inline]
    pub(crate) fn try_move_within_bin(
        &mut self,
        old: &Span<D>,
        new: &Span<D>,
        extent: &[f64; D],
        position: u32,
        slabs: &Slabs<D>,
    ) -> bool {
        let ((from, bin), to) = (self.level_and_bin(old), self.level_and_bin(new));
        if (from, bin) != to {
            return false;
        }
        let level = &mut self.levels[from];
        level.add_reach(new);
        level.remove_reach(old);
        level.grow_extent(extent);
        self.pages.set(position, slabs);
        true
    }

    /// Sets the bounds of an object that still touches the same cells.
    #[inline(always)]
    pub(crate) fn set_bounds(
        &mut self,
        span: &Span<D>,
        extent: &[f64; D],
        position: u32,
        slabs: &Slabs<D>,
    ) {
        let level = self.level_and_bin(span).0;
        self.levels[level].grow_extent(extent);
        self.pages.set(position, slabs);
    }

    /// Sets the slot of the object at a position.
    pub(crate) fn set_slot(&mut self, position: u32, slot: u32) {
        self.pages.set_slot(position, slot);
    }

    /// Returns the number of objects. For tests.
    pub(crate) fn objects(&self) -> usize {
        self.objects.iter().sum()
    }

    /// Starts a walk over the bins whose objects may overlap a box (`area`). `span` has the cells
    /// that the box touches. With path bounds, only bins along the path are visited.
    #[inline(always)]
    pub(crate) fn walk_bins<S: Scalar>(
        &self,
        area: &Aabb<S, D>,
        span: &Span<D>,
        path_bounds: Option<PathBounds<D>>,
    ) -> BinWalk<D> {
        let mut area_min = [0.0; D];
        for (to, from) in area_min.iter_mut().zip(area.min) {
            *to = from.to_f64();
        }
        // If no level is in use, the walk starts on the last one, which is empty.
        let level = (self.used_levels.trailing_zeros() as usize).min(MAX_LEVELS - 1);
        let levels_left = self.used_levels & self.used_levels.wrapping_sub(1);
        let (walk, strip) = self.walk_level(level, &area_min, span, &path_bounds);
        BinWalk { area_min, span: *span, path_bounds, levels_left, level, walk, strip }
    }

    /// Starts the walk on one level.
    #[inline(always)]
    fn walk_level(
        &self,
        level: usize,
        area_min: &[f64; D],
        span: &Span<D>,
        path_bounds: &Option<PathBounds<D>>,
    ) -> (BlockWalk<D>, Option<Strip<D>>) {
        let (mut bins, shift) = (*span, Self::MIN_SHIFT + level);
        let Level { blocks, reach, extent, .. } = &self.levels[level];
        for axis in 0..D {
            // `min` also removes NaN, the difference of two infinities.
            let from = (area_min[axis] - extent[axis]).min(area_min[axis]);
            let low = self.grid.cell(from).max(span.low[axis] - reach[axis]);
            bins.low[axis] = low >> shift;
            bins.high[axis] = span.high[axis] >> shift;
        }
        let strip = path_bounds.as_ref().and_then(|path_bounds| {
            let (cells, inverse) = (f64::from(1 << shift), 1.0 / self.side);
            let mut reaches = [0.0; D];
            for axis in 0..D {
                reaches[axis] = f64::from(reach[axis]).min(extent[axis] * inverse) / cells;
            }
            Strip::new(path_bounds, &bins, self.side * cells, &reaches)
        });
        (blocks.walk(&bins), strip)
    }

    /// Continues a walk: writes the heads of page chains until the walk ends or the heads of
    /// another block might not fit. Returns the number of heads written; 0 means that the walk has
    /// ended.
    #[inline(always)]
    pub(crate) fn next_heads(&self, at: &mut BinWalk<D>, heads: &mut [u32; HEADS_LEN]) -> usize {
        let mut len = 0;
        loop {
            let BinWalk { area_min, span, path_bounds, levels_left, level, walk, strip } = at;
            let wanted = |block: &[i32; D]| match &*strip {
                Some(strip) => strip.bins_in_block(block),
                None => u16::MAX,
            };
            len = self.levels[*level].blocks.next_numbers(walk, wanted, heads, len);
            // Return if this is the last level, or if the buffer has no room for another block.
            // Otherwise the walk over this level has ended: continue with the next level.
            if *levels_left == 0 || len + Blocks::<D>::CELLS > HEADS_LEN {
                return len;
            }
            *level = levels_left.trailing_zeros() as usize;
            *levels_left &= *levels_left - 1;
            (*walk, *strip) = self.walk_level(*level, area_min, span, path_bounds);
        }
    }

    /// Reserves memory for `objects` more objects, assuming that each touches one cell and is in a
    /// bin of its own.
    pub(crate) fn try_reserve(&mut self, objects: usize) -> Result<(), IndexError> {
        self.pages.try_reserve(objects)?;
        self.levels[self.lowest].blocks.try_reserve(objects)
    }

    /// Reserves memory for one more object that touches these cells.
    pub(crate) fn try_reserve_for(&mut self, span: &Span<D>) -> Result<(), IndexError> {
        // The bounds are not validated yet, so the span may be inverted.
        let is_valid = (0..D).all(|axis| span.low[axis] <= span.high[axis]);
        let level = if is_valid { self.level_and_bin(span).0 } else { self.lowest };
        self.pages.try_reserve(1)?;
        self.levels[level].blocks.try_reserve(1)
    }

    /// Removes all objects without freeing memory.
    pub(crate) fn clear(&mut self) {
        for level in &mut self.levels {
            level.blocks.clear();
            level.reach_histograms = [ReachHistogram::default(); D];
            level.reach = [0; D];
            level.extent = [0.0; D];
        }
        self.objects = [0; MAX_LEVELS];
        self.used_levels = 0;
        self.pages.clear();
    }

    /// Frees unused memory. The positions of objects change: `relocate` is called with the slot and
    /// the new position of each object.
    pub(crate) fn shrink_to_fit(&mut self, mut relocate: impl FnMut(u32, u32)) {
        let mut packed = Pages::new();
        for level in &mut self.levels {
            level.blocks.shrink_to_fit();
            level.blocks.each_mut(|head| {
                *head = packed.append(&self.pages, *head);
                packed.each(*head, &mut relocate);
            });
        }
        packed.shrink_to_fit();
        self.pages = packed;
    }

    /// Returns the bytes of memory held.
    pub(crate) fn memory_use(&self) -> usize {
        let blocks = self.levels.iter().map(|level| level.blocks.memory_use());
        blocks.sum::<usize>() + self.pages.memory_use()
    }

    /// Checks that all objects in the bins match `known`, which returns data of the object in a
    /// slot: cells, lengths, key bounds, key and position. For tests.
    pub(crate) fn assert_well_formed(
        &self,
        known: impl Fn(u32) -> (Span<D>, [f64; D], Slabs<D>, [u32; 2]),
    ) {
        let mut pages = self.pages.count_unused();
        for (index, level) in self.levels.iter().enumerate() {
            let (mut bins, mut objects, mut reaching) = (0, 0, [ReachHistogram::default(); D]);
            level.blocks.each_used(|bin, head| {
                bins += 1;
                let mut count = 0usize;
                self.pages.assert_chain(head, |position, slabs, ObjectId { slot, key }| {
                    let (span, extent, own_slabs, own) = known(slot);
                    assert_eq!(
                        self.level_and_bin(&span),
                        (index, bin),
                        "slot {slot} is in its bin"
                    );
                    assert_eq!(
                        (slabs, [key, position]),
                        (own_slabs, own),
                        "slot {slot} has matching bounds, key and position"
                    );
                    for (axis, histogram) in reaching.iter_mut().enumerate() {
                        histogram.0[bits(&span, axis)] += 1;
                        let length = extent[axis].next_up();
                        assert!(
                            length <= level.extent[axis],
                            "slot {slot} is within the extent of its level"
                        );
                    }
                    count += 1;
                });
                assert!(count > 0, "bins in use are not empty");
                pages += count.div_ceil(broadphase_core::LANES);
                objects += count;
            });
            level.blocks.assert_well_formed(bins);
            assert_eq!(objects, self.objects[index], "objects are counted");
            assert_eq!(
                objects > 0,
                self.used_levels >> index & 1 == 1,
                "the mask has a bit for each level in use"
            );
            assert_eq!(reaching, level.reach_histograms, "the histograms match");
            assert_eq!(
                reaching.map(ReachHistogram::max_reach),
                level.reach,
                "the reach matches the histograms"
            );
        }
        assert_eq!(pages, self.pages.len(), "every page is in a chain or unused");
    }
}

/// The state of a walk over bins.
pub(crate) struct BinWalk<const D: usize> {
    /// The low corner of the query box.
    area_min: [f64; D],
    span: Span<D>,
    /// The levels still to visit, one bit each.
    levels_left: u32,
    level: usize,
    walk: BlockWalk<D>,
    path_bounds: Option<PathBounds<D>>,
    strip: Option<Strip<D>>,
}

impl ReachHistogram {
    /// Returns an upper bound on the number of cells that any counted object extends over beyond
    /// its first cell.
    fn max_reach(self) -> i32 {
        let bits = self.0.iter().rposition(|&count| count > 0).unwrap_or(0);
        (1 << bits) - 1
    }
}

impl<const D: usize> Level<D> {
    /// Adds an object that touches these cells to the histograms, and updates `reach`.
    #[inline(always)]
    fn add_reach(&mut self, span: &Span<D>) {
        for axis in 0..D {
            let bits = bits(span, axis);
            self.reach_histograms[axis].0[bits] += 1;
            self.reach[axis] = self.reach[axis].max((1 << bits) - 1);
        }
    }

    /// Raises `extent` to at least these lengths of an object.
    #[inline(always)]
    fn grow_extent(&mut self, extent: &[f64; D]) {
        for (most, extent) in self.extent.iter_mut().zip(extent) {
            // The difference of two floats may have been rounded down.
            *most = most.max(extent.next_up());
        }
    }

    /// Removes an object that touches these cells from the histograms, and updates `reach`.
    #[inline(always)]
    fn remove_reach(&mut self, span: &Span<D>) {
        for axis in 0..D {
            let count = &mut self.reach_histograms[axis].0[bits(span, axis)];
            *count -= 1;
            if *count == 0 {
                self.reach[axis] = self.reach_histograms[axis].max_reach();
            }
        }
    }
}
