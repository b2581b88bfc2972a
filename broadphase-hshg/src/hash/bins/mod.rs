//! Stores each object once in a *bin*: a box of cells that is at least as large as the object.
//!
//! 1. The *level* of an object is its largest extent in cells, rounded up to a power of two. Bins
//!    of this level are at least as large, so the object extends at most into the next bin on each
//!    axis. Where objects are sparse, the lowest levels are not used: their bins would have few
//!    objects, each in a page for eight.
//! 2. An object is stored in the bin of its low corner, in [`pages`] of eight. A [`map`] of each
//!    level has the bins in use.
//! 3. On each level in use, a search extends its box downwards by the largest extent of the level's
//!    objects, and visits the bins of this box ([`walk`]).
//!
//! ```text
//!   ┌───┬───┬───┬───┐───┬──   A level whose bins have 4 cells a side. Both discs are in the first
//!   │   │   │   │ ┌─│─┐ │     bin. The right one extends into the second bin, so a query of the
//!   ├───┼───┼───┼─│─│─│─┼──   second bin also looks into the first.
//!   │  o│   │   │ └─│─┘ │
//! ```
//!
//! Cost: inserting, moving and removing take constant time. A search takes one map access for each
//! bin and one test for each page of eight objects. Limitation: long, thin objects are in bins as
//! large as they are long, so a search near many parallel ones tests them all.
//!
//! Rejected: an entry in every cell an object touches. Box queries that find 5 and 50 objects took
//! 2.2 and 4.8 times as long, long rays 7 times.

pub(crate) mod map;
pub(crate) mod pages;
pub(crate) mod walk;

use alloc::vec::Vec;

use broadphase_core::objects::Objects;
use broadphase_core::{Aabb, IndexError, LANES, Motion, Scalar};

use super::{make_room, try_make_room};
use crate::cell::Grid;
use crate::span::Span;
use map::BinMap;
use pages::{Link, NONE, ObjectId, Page, Pages};

// Both mark a bin without a page.
const _: () = assert!(map::FREE == NONE);

/// The disorder that an insertion or a removal adds, in moves to another bin: an inserted object is
/// at a random position in storage, and so is the last object after a removal.
pub(crate) const DISORDER_PER_INSERTION: usize = 2;

/// Bins of level 0 have 2^`MIN_SHIFT` cells along each axis.
const MIN_SHIFT: u8 = 1;
/// The number of levels. The largest bins have 2^31 cells along each axis, as many as there are.
const LEVELS: usize = 31;
/// Maximum number of the lowest level in use.
const MAX_LOWEST: u8 = 16;
/// The minimum average number of objects in a bin of the lowest level: half of a page. With two,
/// pairs of objects of mixed sizes take twice as long (`tail:10000`).
const OBJECTS_PER_BIN: usize = 4;

#[derive(Clone, Copy, Debug)]
struct Record<const D: usize> {
    bin: [i32; D],
    /// The page and lane of the object.
    position: u32,
    level: u8,
}

#[derive(Clone, Debug)]
struct Level<const D: usize> {
    /// Maps bins to the heads of their page chains.
    bins: BinMap<D>,
    /// For each axis, an upper bound of the lengths of objects since the level was last empty.
    extent: [f64; D],
}

impl<const D: usize> Level<D> {
    /// Raises `extent` to at least the lengths of an object.
    #[inline(always)]
    fn include<S: Scalar>(&mut self, bounds: &Aabb<S, D>) {
        for axis in 0..D {
            let length = bounds.max[axis].to_f64() - bounds.min[axis].to_f64();
            // The difference of two floats may have been rounded down.
            self.extent[axis] = self.extent[axis].max(length.next_up());
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Bins<const D: usize> {
    records: Vec<Record<D>>,
    levels: [Level<D>; LEVELS],
    /// A bit for each level, set if it has objects.
    used_levels: u32,
    /// The lowest level in use; see [`set_lowest`](Self::set_lowest).
    lowest: u8,
    /// The grid of cells, not of bins.
    grid: Grid,
    side: f64,
    pages: Pages<D>,
    /// The number of moves to another bin since the objects were last sorted in storage. An
    /// insertion or removal counts as [`DISORDER_PER_INSERTION`] moves.
    pub(crate) disorder: usize,
}

impl<const D: usize> Bins<D> {
    /// Returns bins without objects, for cells of this side.
    pub(crate) fn new(side: f64) -> Self {
        let level = |_| Level { bins: BinMap::default(), extent: [0.0; D] };
        Self {
            records: Vec::new(),
            levels: core::array::from_fn(level),
            used_levels: 0,
            lowest: 0,
            grid: Grid::new(side),
            side,
            pages: Pages::new(),
            disorder: 0,
        }
    }

    /// Returns the grid of cells.
    pub(crate) const fn grid(&self) -> Grid {
        self.grid
    }

    /// Sets the cell side, and stores all objects again, in the order of their slots.
    pub(crate) fn rebuild<S: Scalar>(&mut self, side: f64, objects: &Objects<S, D>) {
        self.grid = Grid::new(side);
        self.side = side;
        self.clear_levels();
        (0..objects.len()).for_each(|slot| self.add(slot, objects));
    }

    /// Sets the lowest level to the first one on which a bin has [`OBJECTS_PER_BIN`] objects on
    /// average, and frees the memory of bins if it changes. [`rebuild`](Self::rebuild) must follow.
    /// `bins` returns the number of bins with objects if bins have 2^n cells along each axis, given
    /// n.
    pub(crate) fn set_lowest(&mut self, objects: usize, bins: impl Fn(u8) -> usize) {
        let is_full = |level: &u8| OBJECTS_PER_BIN * bins(MIN_SHIFT + level) <= objects;
        let lowest = (0..MAX_LOWEST).find(is_full).unwrap_or(MAX_LOWEST);
        if lowest != self.lowest {
            self.lowest = lowest;
            self.clear_levels();
            self.pages = Pages::new();
            self.levels.iter_mut().for_each(|level| level.bins.shrink_to_fit());
        }
    }

    #[inline(always)]
    pub(crate) fn pages(&self) -> (&[Page<D>], &[Link]) {
        self.pages.all()
    }

    #[inline(always)]
    pub(crate) fn span<S: Scalar>(&self, bounds: &Aabb<S, D>) -> Span<D> {
        Span::of(self.grid, bounds)
    }

    /// Returns the bin of an object with these bounds, and the level of the bin.
    #[inline(always)]
    fn bin_of<S: Scalar>(&self, bounds: &Aabb<S, D>) -> ([i32; D], u8) {
        let Span { low, high } = self.span(bounds);
        let mut shift = MIN_SHIFT + self.lowest;
        for axis in 0..D {
            let reach = high[axis].wrapping_sub(low[axis]);
            // All cells fit into two bins of 2^31 cells along an axis.
            let bits = (i32::BITS - reach.leading_zeros()).min(i32::BITS - 1) as u8;
            shift = if bits > shift { bits } else { shift };
        }
        (low.map(|cell| cell >> shift), shift - MIN_SHIFT)
    }

    /// Adds the object with the next slot.
    pub(crate) fn push<S: Scalar>(&mut self, objects: &Objects<S, D>) {
        self.disorder += DISORDER_PER_INSERTION;
        make_room(&mut self.records, 1);
        self.records.push(Record { bin: [0; D], position: NONE, level: 0 });
        self.add(self.records.len() - 1, objects);
    }

    /// Updates an object whose bounds have changed.
    #[inline]
    pub(crate) fn set_bounds<S: Scalar>(&mut self, slot: usize, objects: &Objects<S, D>) {
        let (bounds, record) = (&objects.bounds()[slot], self.records[slot]);
        if (record.bin, record.level) == self.bin_of(bounds) {
            self.levels[usize::from(record.level)].include(bounds);
            self.pages.set(record.position, &bounds.slabs());
        } else {
            self.disorder += 1;
            self.remove_from_bin(slot);
            self.add(slot, objects);
        }
    }

    /// Sets whether an object is static.
    pub(crate) fn set_static(&mut self, slot: usize, is_static: bool) {
        self.pages.set_mover(self.records[slot].position, !is_static);
    }

    /// Removes an object and moves the last one into its slot.
    pub(crate) fn swap_remove(&mut self, slot: usize) {
        self.disorder += DISORDER_PER_INSERTION;
        self.remove_from_bin(slot);
        self.records.swap_remove(slot);
        if let Some(moved) = self.records.get(slot) {
            self.pages.set_slot(moved.position, slot as u32);
        }
    }

    fn add<S: Scalar>(&mut self, slot: usize, objects: &Objects<S, D>) {
        let bounds = &objects.bounds()[slot];
        let id = ObjectId { slot: slot as u32, key: objects.keys()[slot] };
        let is_mover = objects.motions().get(slot) != Motion::Static;
        let (bin, level) = self.bin_of(bounds);
        self.used_levels |= 1 << level;
        let on_level = &mut self.levels[usize::from(level)];
        on_level.include(bounds);
        let head = on_level.bins.number_mut(&bin);
        let position = self.pages.push(head, level, &bounds.slabs(), id, is_mover);
        self.records[slot] = Record { bin, position, level };
    }

    fn remove_from_bin(&mut self, slot: usize) {
        let Record { bin, position, level: index } = self.records[slot];
        let level = &mut self.levels[usize::from(index)];
        let head = level.bins.number_mut(&bin);
        if let Some(moved) = self.pages.swap_remove(head, position) {
            self.records[moved as usize].position = position;
        }
        if *head == NONE {
            level.bins.remove(&bin);
            if level.bins.is_empty() {
                level.extent = [0.0; D];
                self.used_levels &= !(1 << index);
            }
        }
    }

    /// Reserves memory for `additional` object records, but not for bins.
    pub(crate) fn try_reserve_records(&mut self, additional: usize) -> Result<(), IndexError> {
        try_make_room(&mut self.records, additional)
    }

    /// Reserves memory for `additional` objects, assuming that two objects share a bin.
    pub(crate) fn try_reserve(&mut self, additional: usize) -> Result<(), IndexError> {
        self.try_reserve_records(additional)?;
        self.pages.try_reserve(additional.div_ceil(2))?;
        self.levels[usize::from(self.lowest)].bins.try_reserve(additional.div_ceil(2))
    }

    /// Reserves memory for one more object with these bounds, which may be invalid.
    pub(crate) fn try_reserve_for<S: Scalar>(
        &mut self,
        bounds: &Aabb<S, D>,
    ) -> Result<(), IndexError> {
        let level = self.bin_of(bounds).1;
        self.try_reserve_records(1)?;
        self.pages.try_reserve(1)?;
        self.levels[usize::from(level)].bins.try_reserve(1)
    }

    /// Removes all objects without freeing memory.
    pub(crate) fn clear(&mut self) {
        self.records.clear();
        self.clear_levels();
        self.disorder = 0;
    }

    /// Removes all objects from their bins.
    fn clear_levels(&mut self) {
        for level in &mut self.levels {
            level.bins.clear();
            level.extent = [0.0; D];
        }
        self.used_levels = 0;
        self.pages.clear();
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        let mut packed = Pages::new();
        for level in &mut self.levels {
            level.bins.shrink_to_fit();
            level.bins.numbers_mut().for_each(|head| *head = packed.append(&self.pages, *head));
        }
        packed.shrink_to_fit();
        self.pages = packed;
        self.records.shrink_to_fit();
        let (pages, links) = self.pages.all();
        for (index, (page, link)) in pages.iter().zip(links).enumerate() {
            for lane in link.objects() {
                let position = (index * LANES + lane) as u32;
                self.records[page.id(lane).slot as usize].position = position;
            }
        }
    }

    pub(crate) fn memory_use(&self) -> usize {
        self.records.capacity() * size_of::<Record<D>>()
            + self.levels.iter().map(|level| level.bins.memory_use()).sum::<usize>()
            + self.pages.memory_use()
    }

    /// Returns level, position and number of objects of each bin in use, ascending.
    pub(crate) fn sorted(&self) -> Vec<(u8, [i32; D], usize)> {
        let mut bins = Vec::new();
        for (index, level) in (0..).zip(&self.levels) {
            for bucket in level.bins.bins() {
                let chain = self.pages.chain(bucket.number);
                let objects = chain.map(|(_, _, link)| link.objects().count() as usize);
                bins.push((index, bucket.bin, objects.sum()));
            }
        }
        bins.sort_unstable();
        bins
    }

    /// Returns the number of cells along a bin of a level.
    pub(crate) fn cells_along(level: u8) -> f64 {
        f64::from(1u32 << (level + MIN_SHIFT))
    }

    /// Checks that every object is in its bin, and nowhere else. For tests.
    pub(crate) fn assert_well_formed<S: Scalar>(&self, objects: &Objects<S, D>) {
        assert_eq!(self.records.len(), objects.len(), "one record for each object");
        let (mut stored, mut used_pages) = (0, 0);
        for (index, level) in self.levels.iter().enumerate() {
            assert_eq!(!level.bins.is_empty(), self.used_levels >> index & 1 == 1);
            for bucket in level.bins.bins() {
                assert_eq!(level.bins.get(&bucket.bin), Some(bucket.number), "the bin is found");
                used_pages += self.pages.assert_chain(bucket.number, index);
                for (number, page, link) in self.pages.chain(bucket.number) {
                    for lane in link.objects() {
                        let ObjectId { slot, key } = page.id(lane);
                        let (slot, is_mover) = (slot as usize, link.movers().0 >> lane & 1 == 1);
                        let Record { bin, position, level: own } = self.records[slot];
                        let bounds = &objects.bounds()[slot];
                        assert_eq!((bin, own), self.bin_of(bounds), "slot {slot} is in its bin");
                        assert_eq!((bin, usize::from(own)), (bucket.bin, index));
                        assert_eq!(position as usize, number * LANES + lane);
                        assert_eq!((key, page.get(lane)), (objects.keys()[slot], bounds.slabs()));
                        assert_eq!(is_mover, objects.motions().get(slot) != Motion::Static);
                        let mut tightest = Level { bins: BinMap::default(), extent: [0.0; D] };
                        tightest.include(bounds);
                        let within = |axis: usize| tightest.extent[axis] <= level.extent[axis];
                        assert!((0..D).all(within), "slot {slot} is within the extent");
                        stored += 1;
                    }
                }
            }
        }
        assert_eq!(stored, objects.len(), "every object is stored once");
        self.pages.assert_used(used_pages);
    }
}
