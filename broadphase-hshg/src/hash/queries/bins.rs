//! Bins: a second, coarser grid that is used only for queries. Each object is stored once, with its
//! bounds, so a query needs no deduplication.
//!
//! Without bins, queries would test the entries of cells: boxes of 5 and 50 objects would take 2.2
//! and 4.8 times as long and long rays 7 times, more than in a tree; a tick two thirds of the time,
//! and a sparse world half of the memory.
//!
//! 1. The *level* of an object follows from the largest number of cells it touches on an axis,
//!    rounded up to a power of two. Bins of that level are at least as large, so an object extends
//!    at most into the next bin on each axis.
//! 2. An object is stored in the bin of its first cell, in [pages](super::pages) of eight.
//! 3. A query visits on each level in use the bins of its box, extended downwards by the largest
//!    extent of an object on this level. For a ray, bins away from it are skipped ([`Strip`]).
//!
//! ```text
//!   ┌───┬───┬───┬───┐───┬──     A level whose bins have 4 cells a side. Both discs are in the first
//!   │   │   │   │ ┌─│─┐ │       bin. The right one extends into the second bin, so a query of the
//!   ├───┼───┼───┼─│─│─│─┼──     second bin also looks into the first.
//!   │  o│   │   │ └─│─┘ │
//! ```
//!
//! Cost: inserting and removing take constant time. A query takes one map access for each block of
//! bins and one test for each page of eight objects. Limitation: long, thin objects are in bins as
//! large as they are long, so a query near many parallel ones tests them all.

use broadphase_core::query::PathBounds;
use broadphase_core::{Aabb, IndexError, Scalar, Slabs};

use super::pages::{Link, NONE, ObjectId, Page, Pages};
use super::strip::Strip;
use crate::cell::Grid;
use crate::hash::cells::span::Span;
use crate::hash::map::CellMap;
use crate::hash::map::blocks::{BlockWalk, Blocks, UNUSED};

// Both mark a bin without a page.
const _: () = assert!(UNUSED == NONE);

/// Maximum number of levels; three dimensions need all.
const MAX_LEVELS: usize = 9;
/// Maximum number of bits in the number of cells an object extends over.
const MAX_BITS: usize = MAX_LEVELS + 1;
/// Capacity for the first pages of bins. Their cache misses overlap, so this is also the number of
/// bins prefetched together.
pub(crate) const HEADS_LEN: usize = 32;

/// The number of objects on a level by how many cells they extend over along an axis, as the number
/// of bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct ReachHistogram([u32; MAX_BITS]);

/// The bins of one size.
#[derive(Clone, Debug)]
struct Level<const D: usize, M> {
    /// From bins to their first pages.
    blocks: Blocks<D, M>,
    reach_histograms: [ReachHistogram; D],
    /// Maximum number of cells that an object extends over beyond its first cell, for each axis.
    reach: [i32; D],
    /// Upper bound on the length of objects since the level was last empty; mostly tighter than
    /// `reach`.
    extent: [f64; D],
}

/// All objects that are not oversized, each in its bin.
#[derive(Clone, Debug)]
pub(crate) struct Bins<const D: usize, M> {
    levels: [Level<D, M>; MAX_LEVELS],
    /// The number of objects on each level, and a bit for each level with objects.
    objects: [usize; MAX_LEVELS],
    used_levels: u32,
    /// The grid of cells, not of bins.
    grid: Grid,
    side: f64,
    pages: Pages<D>,
}

/// Returns the number of bits of the number of cells that an object extends over beyond its first.
#[inline(always)]
fn bits<const D: usize>(span: &Span<D>, axis: usize) -> usize {
    let reach = span.high[axis].wrapping_sub(span.low[axis]);
    (i32::BITS - reach.leading_zeros()) as usize
}

impl<const D: usize, M: CellMap<D>> Bins<D, M> {
    /// The smallest bins have 2^`MIN_SHIFT` cells along each axis: about a page of objects, if the
    /// cell side suits them. Smaller bins mean more bins to visit where objects are sparse; in
    /// three dimensions, larger ones mean too many objects to test where they are dense.
    const MIN_SHIFT: usize = if D == 3 { 1 } else { 2 };

    /// Returns bins without objects, found through clones of this map, which must be empty.
    pub(crate) fn new(map: &M) -> Self {
        // Larger objects are oversized.
        const { assert!(3 * D - Self::MIN_SHIFT < MAX_LEVELS && 3 * D < MAX_BITS) };
        let level = |_| Level {
            blocks: Blocks::new(map.clone()),
            reach_histograms: [ReachHistogram::default(); D],
            reach: [0; D],
            extent: [0.0; D],
        };
        let levels = core::array::from_fn(level);
        let (grid, pages) = (Grid::new(1.0), Pages::new());
        Self { levels, objects: [0; MAX_LEVELS], used_levels: 0, grid, side: 1.0, pages }
    }

    /// Sets the side of the cells. There must be no objects.
    pub(crate) fn set_side(&mut self, side: f64) {
        (self.grid, self.side) = (Grid::new(side), side);
        for (level, shift) in self.levels.iter_mut().zip(Self::MIN_SHIFT..) {
            level.blocks.set_side((side * f64::from(1 << shift)).min(f64::MAX));
        }
    }

    #[inline(always)]
    pub(crate) fn pages(&self) -> (&[Page<D>], &[Link]) {
        self.pages.all()
    }

    /// Returns the level of an object that touches these cells, and its bin there.
    #[inline(always)]
    fn level_and_bin(span: &Span<D>) -> (usize, [i32; D]) {
        let bits = (0..D).fold(Self::MIN_SHIFT, |most, axis| most.max(bits(span, axis)));
        (bits - Self::MIN_SHIFT, span.low.map(|cell| cell >> bits))
    }

    /// Adds an object with these cells and lengths. Returns its position.
    pub(crate) fn insert(
        &mut self,
        span: &Span<D>,
        extent: &[f64; D],
        slabs: &Slabs<D>,
        id: ObjectId,
    ) -> u32 {
        let (index, bin) = Self::level_and_bin(span);
        self.objects[index] += 1;
        self.used_levels |= 1 << index;
        let level = &mut self.levels[index];
        level.add_reach(span);
        level.grow_extent(extent);
        self.pages.push(level.blocks.number_mut(&bin), slabs, id)
    }

    /// Removes the object at a position. Returns the slot of the object that was moved there, if
    /// any.
    pub(crate) fn remove(&mut self, span: &Span<D>, position: u32) -> Option<u32> {
        let (index, bin) = Self::level_and_bin(span);
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

    /// Sets the bounds of an object if it stays in its bin. Returns whether it does.
    #[inline]
    pub(crate) fn try_move_within_bin(
        &mut self,
        old: &Span<D>,
        new: &Span<D>,
        extent: &[f64; D],
        position: u32,
        slabs: &Slabs<D>,
    ) -> bool {
        let ((from, bin), to) = (Self::level_and_bin(old), Self::level_and_bin(new));
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
        self.levels[Self::level_and_bin(span).0].grow_extent(extent);
        self.pages.set(position, slabs);
    }

    /// Sets the slot of the object at a position.
    pub(crate) fn set_slot(&mut self, position: u32, slot: u32) {
        self.pages.set_slot(position, slot);
    }

    /// Sets the key of the object at a position.
    pub(crate) fn set_key(&mut self, position: u32, key: u32) {
        self.pages.set_key(position, key);
    }

    /// Returns the number of objects. For tests.
    pub(crate) fn objects(&self) -> usize {
        self.objects.iter().sum()
    }

    /// Starts a walk over the bins whose objects may overlap a box, which touches the cells of
    /// `span`. With path bounds, only bins along the path are visited.
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
            // The minimum also handles NaN, from the difference of two infinities.
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

    /// Continues a walk: writes the heads of page chains until the walk ends or the next block
    /// might not fit. Returns the number written, 0 at the end.
    #[inline(always)]
    pub(crate) fn next_heads(&self, at: &mut BinWalk<D>, heads: &mut [u32; HEADS_LEN]) -> usize {
        let mut len = 0;
        loop {
            let BinWalk { area_min, span, path_bounds, levels_left, level, walk, strip } = at;
            let wanted = |block: &[i32; D]| match &*strip {
                Some(strip) => strip.bins_in_block::<M>(block),
                None => u16::MAX,
            };
            len = self.levels[*level].blocks.next_numbers(walk, wanted, heads, len);
            // If another block would fit, this level is finished.
            if *levels_left == 0 || len + Blocks::<D, M>::CELLS > HEADS_LEN {
                return len;
            }
            *level = levels_left.trailing_zeros() as usize;
            *levels_left &= *levels_left - 1;
            (*walk, *strip) = self.walk_level(*level, area_min, span, path_bounds);
        }
    }

    /// Reserves memory for `objects` more objects, assuming each is in a bin of its own and in one
    /// cell.
    pub(crate) fn try_reserve(&mut self, objects: usize) -> Result<(), IndexError> {
        self.pages.try_reserve(objects)?;
        self.levels[0].blocks.try_reserve(objects)
    }

    /// Reserves memory for one more object that touches these cells.
    pub(crate) fn try_reserve_for(&mut self, span: &Span<D>) -> Result<(), IndexError> {
        // The bounds are not validated yet, so the span may be inverted.
        let is_valid = (0..D).all(|axis| span.low[axis] <= span.high[axis]);
        let level = if is_valid { Self::level_and_bin(span).0 } else { 0 };
        self.pages.try_reserve(1)?;
        self.levels[level].blocks.try_reserve(1)
    }

    /// Removes all objects and keeps the memory.
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

    /// Frees unused memory. Objects change position: `relocate` receives the slot and the new
    /// position of each.
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

    /// Checks that the bins contain exactly the objects that `known` describes by slot: cells,
    /// lengths, key bounds, key and position. For tests.
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
                        Self::level_and_bin(&span),
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
    /// Returns an upper bound on the number of cells extended over, from the number of bits.
    fn max_reach(self) -> i32 {
        let bits = self.0.iter().rposition(|&count| count > 0).unwrap_or(0);
        (1 << bits) - 1
    }
}

impl<const D: usize, M> Level<D, M> {
    /// Counts an object that touches these cells.
    #[inline(always)]
    fn add_reach(&mut self, span: &Span<D>) {
        for axis in 0..D {
            let bits = bits(span, axis);
            self.reach_histograms[axis].0[bits] += 1;
            self.reach[axis] = self.reach[axis].max((1 << bits) - 1);
        }
    }

    /// Raises the upper bounds on the length of objects.
    #[inline(always)]
    fn grow_extent(&mut self, extent: &[f64; D]) {
        for (most, extent) in self.extent.iter_mut().zip(extent) {
            // The difference of two floats may have been rounded down.
            *most = most.max(extent.next_up());
        }
    }

    /// Uncounts an object that touches these cells.
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
