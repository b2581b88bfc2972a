//! Where questions look: *bins*, larger than cells, in which every object is listed once.
//!
//! An object is in the bin of its first cell. How large bins are goes by how many cells an object
//! reaches over: those of each size have a *level* of their own, so none reaches farther than into
//! the next bin, and a question begins as much earlier as objects of that level are long. What a
//! bin lists are the bounds themselves, a [page](crate::hash::queries::pages) of eight after the other.
//!
//! What is long and thin is in bins as oversized as it is long: many such objects in space, side by
//! side, are all looked at by who asks near them.
//!
//! ```text
//!   ┌───┬───┬───┬───┐───┬──     level of bins with 4 cells a side:
//!   │   │   │   │ ┌─│─┐ │         both discs are in the first bin; the right one reaches over
//!   ├───┼───┼───┼─│─│─│─┼──       two cells, so who asks about the second bin begins before it,
//!   │  o│   │   │ └─│─┘ │         in the first
//! ```

use broadphase_core::query::Course;
use broadphase_core::{Aabb, IndexError, Scalar, Slabs};

use super::pages::{Link, NONE, ObjectId, Page, Pages};
use super::strip::Strip;
use crate::cell::Grid;
use crate::hash::cells::span::Span;
use crate::hash::map::CellMap;
use crate::hash::map::blocks::{BlockWalk, Blocks, UNUSED};

// A bin that is not in use has no page.
const _: () = assert!(UNUSED == NONE);

/// How many levels there are at most, in space.
const MAX_LEVELS: usize = 9;
/// A number of cells over which an object reaches has fewer bits.
const MAX_BITS: usize = MAX_LEVELS + 1;
/// Room for so many first pages at once: so many are waited for together, a block more or less.
pub(crate) const HEADS_LEN: usize = 32;

/// How many objects reach over how many cells along an axis: by the bits of the number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct ReachHistogram([u32; MAX_BITS]);

/// Bins of one size.
#[derive(Clone, Debug)]
struct Level<const D: usize, M> {
    /// From bins to their first pages.
    blocks: Blocks<D, M>,
    reach_histograms: [ReachHistogram; D],
    /// Over how many cells behind its first one an object reaches at most.
    reach: [i32; D],
    /// No object has been longer since there were none, which mostly says more.
    extent: [f64; D],
}

/// Every object that is not oversized, in its bin.
#[derive(Clone, Debug)]
pub(crate) struct Bins<const D: usize, M> {
    levels: [Level<D, M>; MAX_LEVELS],
    /// How many objects each has, and which have any: a bit for each.
    objects: [usize; MAX_LEVELS],
    used_levels: u32,
    /// Of cells, not of bins.
    grid: Grid,
    side: f64,
    pages: Pages<D>,
}

/// How many bits the number of cells has over which an object reaches behind its first.
#[inline(always)]
fn bits<const D: usize>(span: &Span<D>, axis: usize) -> usize {
    let reach = span.high[axis].wrapping_sub(span.low[axis]);
    (i32::BITS - reach.leading_zeros()) as usize
}

impl<const D: usize, M: CellMap<D>> Bins<D, M> {
    /// The smallest bins have 2^`MIN_SHIFT` cells along each axis: about as many objects as a page, if
    /// cells suit them. Where few are in a cell, smaller bins make more to look at; in space,
    /// larger ones see far too much where many are.
    const MIN_SHIFT: usize = if D == 3 { 1 } else { 2 };

    /// No objects; bins are found through maps like this one, which is empty.
    pub(crate) fn new(map: &M) -> Self {
        // What reaches farther is oversized.
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

    /// Says how large cells are; there must be no objects.
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

    /// The level of an object that touches these cells, and its bin there.
    #[inline(always)]
    fn level_and_bin(span: &Span<D>) -> (usize, [i32; D]) {
        let bits = (0..D).fold(Self::MIN_SHIFT, |most, axis| most.max(bits(span, axis)));
        (bits - Self::MIN_SHIFT, span.low.map(|cell| cell >> bits))
    }

    /// Adds an object that touches these cells and is so long; yields its place.
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

    /// Removes the object that touches these cells from its place; yields the slot of the object
    /// that is there now, if one is.
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

    /// Gives the object in a place other bounds, if it stays in its bin: whether it does.
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

    /// Gives the object in a place other bounds, which touch the same cells.
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

    /// Says that the object in a place has another slot now.
    pub(crate) fn set_slot(&mut self, position: u32, slot: u32) {
        self.pages.set_slot(position, slot);
    }

    /// Says that the object in a place has another key now.
    pub(crate) fn set_key(&mut self, position: u32, key: u32) {
        self.pages.set_key(position, key);
    }

    /// How many objects there are; for tests.
    pub(crate) fn objects(&self) -> usize {
        self.objects.iter().sum()
    }

    /// A walk over the bins in which objects may be that overlap a box, which touches these cells,
    /// and, if there is a course, are touched by what takes it.
    #[inline(always)]
    pub(crate) fn walk_bins<S: Scalar>(
        &self,
        area: &Aabb<S, D>,
        span: &Span<D>,
        course: Option<Course<D>>,
    ) -> BinWalk<D> {
        let mut area_min = [0.0; D];
        for (to, from) in area_min.iter_mut().zip(area.min) {
            *to = from.to_f64();
        }
        // If no level is in use, the last one has nothing either.
        let level = (self.used_levels.trailing_zeros() as usize).min(MAX_LEVELS - 1);
        let levels_left = self.used_levels & self.used_levels.wrapping_sub(1);
        let (walk, strip) = self.walk_level(level, &area_min, span, &course);
        BinWalk { area_min, span: *span, course, levels_left, level, walk, strip }
    }

    /// The same on one level.
    #[inline(always)]
    fn walk_level(
        &self,
        level: usize,
        area_min: &[f64; D],
        span: &Span<D>,
        course: &Option<Course<D>>,
    ) -> (BlockWalk<D>, Option<Strip<D>>) {
        let (mut bins, shift) = (*span, Self::MIN_SHIFT + level);
        let Level { blocks, reach, extent, .. } = &self.levels[level];
        for axis in 0..D {
            // Not more, if both are infinite.
            let from = (area_min[axis] - extent[axis]).min(area_min[axis]);
            let low = self.grid.cell(from).max(span.low[axis] - reach[axis]);
            bins.low[axis] = low >> shift;
            bins.high[axis] = span.high[axis] >> shift;
        }
        let strip = course.as_ref().and_then(|course| {
            let (cells, inverse) = (f64::from(1 << shift), 1.0 / self.side);
            let mut reaches = [0.0; D];
            for axis in 0..D {
                reaches[axis] = f64::from(reach[axis]).min(extent[axis] * inverse) / cells;
            }
            Strip::new(course, &bins, self.side * cells, &reaches)
        });
        (blocks.walk(&bins), strip)
    }

    /// Goes on with a walk: writes what leads to the first pages of bins until there are no more or
    /// more might not find room; yields how many it wrote, 0 at the end.
    #[inline(always)]
    pub(crate) fn next_heads(&self, at: &mut BinWalk<D>, heads: &mut [u32; HEADS_LEN]) -> usize {
        let mut len = 0;
        loop {
            let BinWalk { area_min, span, course, levels_left, level, walk, strip } = at;
            let wanted = |block: &[i32; D]| match &*strip {
                Some(strip) => strip.bins_in_block::<M>(block),
                None => u16::MAX,
            };
            len = self.levels[*level].blocks.next_numbers(walk, wanted, heads, len);
            // With room for another block it has come to its end.
            if *levels_left == 0 || len + Blocks::<D, M>::CELLS > HEADS_LEN {
                return len;
            }
            *level = levels_left.trailing_zeros() as usize;
            *levels_left &= *levels_left - 1;
            (*walk, *strip) = self.walk_level(*level, area_min, span, course);
        }
    }

    /// Makes room for so many more objects, were each in a bin of its own and in one cell.
    pub(crate) fn try_reserve(&mut self, objects: usize) -> Result<(), IndexError> {
        self.pages.try_reserve(objects)?;
        self.levels[0].blocks.try_reserve(objects)
    }

    /// Makes room for one more object that touches these cells.
    pub(crate) fn try_reserve_for(&mut self, span: &Span<D>) -> Result<(), IndexError> {
        // It is not known yet whether they are in order.
        let is_valid = (0..D).all(|axis| span.low[axis] <= span.high[axis]);
        let level = if is_valid { Self::level_and_bin(span).0 } else { 0 };
        self.pages.try_reserve(1)?;
        self.levels[level].blocks.try_reserve(1)
    }

    /// Forgets all objects, keeping the memory.
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

    /// Gives back the memory that is not needed. Objects go to other places: `relocate` is told the
    /// slot and the new place of each.
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

    /// The bytes of memory held.
    pub(crate) fn memory_use(&self) -> usize {
        let blocks = self.levels.iter().map(|level| level.blocks.memory_use());
        blocks.sum::<usize>() + self.pages.memory_use()
    }

    /// Checks that what is known of each object, the cells it touches, how long it is, its bounds,
    /// its key and its position, by slot, is what is found here, and nothing else; for tests.
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
                    assert_eq!((slabs, [key, position]), (own_slabs, own), "slot {slot} knows it");
                    for (axis, histogram) in reaching.iter_mut().enumerate() {
                        histogram.0[bits(&span, axis)] += 1;
                        let length = extent[axis].next_up();
                        assert!(length <= level.extent[axis], "slot {slot} is not longer");
                    }
                    count += 1;
                });
                assert!(count > 0, "bins in use are not empty");
                pages += count.div_ceil(broadphase_core::LANES);
                objects += count;
            });
            level.blocks.assert_well_formed(bins);
            assert_eq!(objects, self.objects[index], "objects are counted");
            assert_eq!(objects > 0, self.used_levels >> index & 1 == 1, "levels in use are known");
            assert_eq!(reaching, level.reach_histograms, "how far they reach is counted");
            assert_eq!(
                reaching.map(ReachHistogram::max_reach),
                level.reach,
                "how far they reach is known"
            );
        }
        assert_eq!(pages, self.pages.len(), "no page is lost");
    }
}

/// Where a walk over bins has come to.
pub(crate) struct BinWalk<const D: usize> {
    /// Where the box begins.
    area_min: [f64; D],
    span: Span<D>,
    /// The levels that are still to come.
    levels_left: u32,
    level: usize,
    walk: BlockWalk<D>,
    course: Option<Course<D>>,
    strip: Option<Strip<D>>,
}

impl ReachHistogram {
    /// Over how many cells they reach, at most, as far as bits tell.
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

    /// Sees how long an object is.
    #[inline(always)]
    fn grow_extent(&mut self, extent: &[f64; D]) {
        for (most, extent) in self.extent.iter_mut().zip(extent) {
            // The difference of two numbers may have been rounded down.
            *most = most.max(extent.next_up());
        }
    }

    /// Counts one less.
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
