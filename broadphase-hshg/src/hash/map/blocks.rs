//! Cells by the block: one look into the map finds the numbers of all cells of a block, so that who
//! asks for many cells side by side looks into it rarely.
//!
//! ```text
//!     block [0, 0]     block [1, 0]
//!   ┌────────────────┬────────────────┐
//!   │  0   1   2   3 │  0   1   2   3 │    map: block → its index
//!   │  4   5   6   7 │  4   5   6   7 │    cell [x, y] is in block [x / 4, y / 4],
//!   │  8   9  10  11 │  8   9  10  11 │    at place y % 4 · 4 + x % 4 of it
//!   │ 12  13  14  15 │ 12  13  14  15 │
//!   └────────────────┴────────────────┘
//! ```

use alloc::vec::Vec;

use broadphase_core::IndexError;

use super::CellMap;
use crate::hash::cells::span::Span;

/// A number that no cell has: it is not in use.
pub(crate) const UNUSED: u32 = u32::MAX;

/// A map that holds more bytes for each block has far more room than it needs.
const MAX_MAP_BYTES_PER_BLOCK: usize = 256;

/// Where a block is, and which of its cells are in use: a bit for each place.
#[derive(Clone, Copy, Debug)]
struct Block<const D: usize> {
    position: [i32; D],
    used: u16,
}

/// The numbers of cells in use, found through a map of the blocks they are in.
#[derive(Clone, Debug)]
pub(crate) struct Blocks<const D: usize, M> {
    map: M,
    /// Each has a cell in use.
    blocks: Vec<Block<D>>,
    /// The numbers of their cells, block after block.
    numbers: Vec<u32>,
}

impl<const D: usize, M: CellMap<D>> Blocks<D, M> {
    /// A block has 2^`SHIFT` cells along each axis: 16 in all, in space 8.
    pub(crate) const SHIFT: u32 = if D == 3 { 1 } else { 4 / D as u32 };
    pub(crate) const SIDE: u32 = 1 << Self::SHIFT;
    pub(crate) const CELLS: usize = 1 << (Self::SHIFT as usize * D);

    pub(crate) const fn new(map: M) -> Self {
        Self { map, blocks: Vec::new(), numbers: Vec::new() }
    }

    /// Says how large cells are; there must be none.
    pub(crate) fn set_side(&mut self, side: f64) {
        self.map.set_side((side * f64::from(Self::SIDE)).min(f64::MAX));
    }

    /// The block of a cell, and its place there.
    #[inline(always)]
    fn split(cell: &[i32; D]) -> ([i32; D], usize) {
        let (mut block, mut offset) = ([0; D], 0);
        let mut axis = D;
        while axis > 0 {
            axis -= 1;
            block[axis] = cell[axis] >> Self::SHIFT;
            offset = offset << Self::SHIFT | (cell[axis] as u32 & (Self::SIDE - 1)) as usize;
        }
        (block, offset)
    }

    /// The index of the block of a cell, and where in `numbers` the cell is; if there is the block.
    #[inline(always)]
    fn find(&self, cell: &[i32; D]) -> Option<(usize, usize)> {
        let (block, offset) = Self::split(cell);
        let index = self.map.get(&block)? as usize;
        Some((index, index * Self::CELLS + offset))
    }

    /// The number of a cell that is in use.
    #[inline(always)]
    pub(crate) fn get(&self, cell: &[i32; D]) -> Option<u32> {
        let (_, at) = self.find(cell)?;
        Some(self.numbers[at]).filter(|&number| number != UNUSED)
    }

    /// The number of a cell, which is `number` from now on if it was not in use.
    #[inline(always)]
    pub(crate) fn get_or_insert(&mut self, cell: &[i32; D], number: u32) -> u32 {
        let found = self.number_mut(cell);
        if *found == UNUSED {
            *found = number;
        }
        *found
    }

    /// Where the number of a cell is, which is in use from now on: if it has none, it must get one.
    #[inline(always)]
    pub(crate) fn number_mut(&mut self, cell: &[i32; D]) -> &mut u32 {
        let (block, offset) = Self::split(cell);
        let fresh = self.blocks.len();
        let index = self.map.get_or_insert(&block, fresh as u32) as usize;
        if index == fresh {
            self.blocks.push(Block { position: block, used: 0 });
            self.numbers.resize(self.numbers.len() + Self::CELLS, UNUSED);
        }
        self.blocks[index].used |= 1 << offset;
        &mut self.numbers[index * Self::CELLS + offset]
    }

    /// Gives a cell in use another number.
    #[inline(always)]
    pub(crate) fn replace(&mut self, cell: &[i32; D], number: u32) {
        let (_, at) = self.find(cell).expect("it is in use");
        self.numbers[at] = number;
    }

    /// Forgets a cell in use, and its block if that has no other; the last block takes its place.
    #[inline(always)]
    pub(crate) fn remove(&mut self, cell: &[i32; D]) {
        let (index, at) = self.find(cell).expect("it is in use");
        self.numbers[at] = UNUSED;
        self.blocks[index].used &= !(1 << (at % Self::CELLS));
        if self.blocks[index].used > 0 {
            return;
        }
        self.map.remove(&self.blocks[index].position);
        self.blocks.swap_remove(index);
        let last = self.blocks.len() * Self::CELLS;
        if let Some(moved) = self.blocks.get(index) {
            self.numbers.copy_within(last.., index * Self::CELLS);
            self.map.replace(&moved.position, index as u32);
        }
        self.numbers.truncate(last);
    }

    /// A walk over some cells, at its beginning.
    #[inline(always)]
    pub(crate) fn walk(&self, span: &Span<D>) -> BlockWalk<D> {
        let around = Span {
            low: span.low.map(|cell| cell >> Self::SHIFT),
            high: span.high.map(|cell| cell >> Self::SHIFT),
        };
        let next = if around.count() > self.blocks.len() as u64 {
            BlockSource::Scan(0)
        } else {
            BlockSource::Lookup(Some(around.low))
        };
        BlockWalk { span: *span, around, next }
    }

    /// Goes on with a walk: writes the numbers of cells in use to `numbers[len..]` until there are
    /// no more or another block might not find room; yields how many there are then. Of each block
    /// only places count that `wanted` has a bit for.
    #[inline(always)]
    pub(crate) fn next_numbers(
        &self,
        walk: &mut BlockWalk<D>,
        wanted: impl Fn(&[i32; D]) -> u16,
        numbers: &mut [u32],
        mut len: usize,
    ) -> usize {
        let BlockWalk { span, around, next } = walk;
        match next {
            BlockSource::Lookup(next) => {
                while let Some(at) = *next
                    && len + Self::CELLS <= numbers.len()
                {
                    *next = around.after(at);
                    let offsets = Self::offsets_in(&at, span) & wanted(&at);
                    if offsets > 0
                        && let Some(index) = self.map.get(&at)
                    {
                        len = self.write_numbers(index as usize, offsets, numbers, len);
                    }
                }
            }
            BlockSource::Scan(next) => {
                while let Some(block) = self.blocks.get(*next)
                    && len + Self::CELLS <= numbers.len()
                {
                    if around.contains(&block.position) {
                        let offsets =
                            Self::offsets_in(&block.position, span) & wanted(&block.position);
                        len = self.write_numbers(*next, offsets, numbers, len);
                    }
                    *next += 1;
                }
            }
        }
        len
    }

    /// Writes the numbers of the cells in use in some places of a block.
    #[inline(always)]
    fn write_numbers(
        &self,
        index: usize,
        offsets: u16,
        numbers: &mut [u32],
        mut len: usize,
    ) -> usize {
        let all = &self.numbers[index * Self::CELLS..][..Self::CELLS];
        let mut left = offsets;
        while left > 0 {
            // To ask first which are in use would be to wait for one thing more.
            let number = all[left.trailing_zeros() as usize % Self::CELLS];
            numbers[len] = number;
            len += usize::from(number != UNUSED);
            left &= left - 1;
        }
        len
    }

    /// Visits the numbers of all cells in use, which may be changed.
    pub(crate) fn each_mut(&mut self, mut visit: impl FnMut(&mut u32)) {
        self.numbers.iter_mut().filter(|number| **number != UNUSED).for_each(&mut visit);
    }

    /// Visits all cells in use with their numbers; for tests.
    pub(crate) fn each_used(&self, mut visit: impl FnMut([i32; D], u32)) {
        for (at, &number) in
            self.numbers.iter().enumerate().filter(|(_, number)| **number != UNUSED)
        {
            let (mut cell, mut offset) = (self.blocks[at / Self::CELLS].position, at % Self::CELLS);
            for coordinate in &mut cell {
                *coordinate = *coordinate << Self::SHIFT | (offset % Self::SIDE as usize) as i32;
                offset /= Self::SIDE as usize;
            }
            visit(cell, number);
        }
    }

    /// A bit for each place of a block whose cell is one of some, which reach into the block.
    #[inline(always)]
    fn offsets_in(block: &[i32; D], span: &Span<D>) -> u16 {
        (0..D).fold(u16::MAX, |offsets, axis| {
            let first = block[axis] << Self::SHIFT;
            let low = span.low[axis].saturating_sub(first);
            let high = span.high[axis].saturating_sub(first);
            offsets & Self::offsets_between(axis, low, high)
        })
    }

    /// A bit for each place of a block that is between two on an axis, which may be outside of it.
    #[inline(always)]
    pub(crate) fn offsets_between(axis: usize, low: i32, high: i32) -> u16 {
        let last = Self::SIDE as i32 - 1;
        let from = Self::OFFSETS_FROM[axis][low.clamp(0, last + 1) as usize % 32];
        from & !Self::OFFSETS_FROM[axis][(high.clamp(-1, last) + 1) as usize % 32]
    }

    /// Of each axis and place along it, a bit for each place of a block that is not before it.
    const OFFSETS_FROM: [[u16; 32]; D] = {
        let mut from = [[0; 32]; D];
        let mut axis = 0;
        while axis < D {
            let mut offset = 0;
            while offset < Self::CELLS {
                let along = offset >> (Self::SHIFT as usize * axis) & (Self::SIDE as usize - 1);
                let mut first = 0;
                while first <= along {
                    from[axis][first] |= 1 << offset;
                    first += 1;
                }
                offset += 1;
            }
            axis += 1;
        }
        from
    };

    /// Makes room for so many more cells, were each in a block of its own.
    #[inline]
    pub(crate) fn try_reserve(&mut self, cells: usize) -> Result<(), IndexError> {
        let numbers = cells.checked_mul(Self::CELLS).ok_or(IndexError::OutOfMemory)?;
        self.blocks
            .try_reserve(cells)
            .and_then(|()| self.numbers.try_reserve(numbers))
            .map_err(|_| IndexError::OutOfMemory)?;
        self.map.try_reserve(cells)
    }

    /// Forgets all cells, keeping the memory.
    pub(crate) fn clear(&mut self) {
        // Where few are in a map that has room for many, they are sooner taken out one by one.
        if self.map.memory_use() > MAX_MAP_BYTES_PER_BLOCK * self.blocks.len() {
            for block in &self.blocks {
                self.map.remove(&block.position);
            }
        } else {
            self.map.clear();
        }
        self.blocks.clear();
        self.numbers.clear();
    }

    /// Gives back the memory that is not needed.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.map.shrink_to_fit();
        self.blocks.shrink_to_fit();
        self.numbers.shrink_to_fit();
    }

    /// The bytes of memory held.
    pub(crate) fn memory_use(&self) -> usize {
        self.map.memory_use()
            + self.blocks.capacity() * size_of::<Block<D>>()
            + self.numbers.capacity() * size_of::<u32>()
    }

    /// Checks that blocks are found, and have cells in use, so many in all; for tests.
    pub(crate) fn assert_well_formed(&self, cells: usize) {
        assert_eq!(self.numbers.len(), self.blocks.len() * Self::CELLS, "all of each block");
        let mut used = 0;
        for (index, block) in self.blocks.iter().enumerate() {
            assert_eq!(
                self.map.get(&block.position),
                Some(index as u32),
                "{:?} is found",
                block.position
            );
            assert!(block.used > 0, "blocks without cells in use are not kept");
            used += block.used.count_ones() as usize;
            for (offset, &number) in
                self.numbers[index * Self::CELLS..][..Self::CELLS].iter().enumerate()
            {
                assert_eq!(
                    number != UNUSED,
                    block.used >> offset & 1 == 1,
                    "cells in use are known"
                );
            }
        }
        assert_eq!(used, cells, "no cell is lost");
    }
}

/// Where a walk over some cells has come to.
pub(crate) struct BlockWalk<const D: usize> {
    span: Span<D>,
    /// The blocks they are in.
    around: Span<D>,
    next: BlockSource<D>,
}

/// Which block comes next.
enum BlockSource<const D: usize> {
    /// Of the blocks around, which are looked for.
    Lookup(Option<[i32; D]>),
    /// Of all there are, if these are fewer.
    Scan(usize),
}

#[cfg(test)]
mod tests {
    use alloc::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::hash::map::Sparse;

    /// Cells come, go and change their numbers; all that is told is what a tree of them tells.
    fn agrees_with_a_tree<const D: usize>() {
        let (mut blocks, mut tree) =
            (Blocks::<D, Sparse<D>>::new(Sparse::default()), BTreeMap::new());
        let mut state = 1u64;
        let mut random = |below: i32| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            ((state >> 33) % below as u64) as i32
        };
        for step in 0..4000 {
            // Around the origin, and at both ends.
            let home = [0, -(1 << 30), (1 << 30) - 8][random(3) as usize];
            let cell = core::array::from_fn(|_| home + random(9));
            match (tree.get(&cell).copied(), random(3)) {
                (None, _) => {
                    assert_eq!(blocks.get_or_insert(&cell, step), step);
                    tree.insert(cell, step);
                }
                (Some(number), 0) => assert_eq!(blocks.get_or_insert(&cell, step), number),
                (Some(_), 1) => {
                    blocks.replace(&cell, step);
                    tree.insert(cell, step);
                }
                _ => {
                    blocks.remove(&cell);
                    tree.remove(&cell);
                }
            }
            blocks.assert_well_formed(tree.len());
            let low = cell.map(|x| x - random(7));
            let span = Span { low, high: low.map(|x| x + random(12)) };
            let mut found = BTreeSet::new();
            let (mut walk, mut numbers) = (blocks.walk(&span), [0; 20]);
            loop {
                let len = blocks.next_numbers(&mut walk, |_| u16::MAX, &mut numbers, 0);
                for number in &numbers[..len] {
                    assert!(found.insert(*number), "no cell comes twice");
                }
                if len == 0 {
                    break;
                }
            }
            let expected = tree.iter().filter(|(cell, _)| span.contains(cell));
            assert!(
                expected.map(|(_, &number)| number).collect::<BTreeSet<_>>() == found,
                "{span:?}"
            );
            assert_eq!(blocks.get(&low), tree.get(&low).copied());
        }
        // Taken out one by one, then all at once.
        for few in [1, tree.len()] {
            for (cell, &number) in tree.iter().take(few) {
                blocks.get_or_insert(cell, number);
            }
            if few == 1 {
                tree.keys().skip(1).for_each(|cell| blocks.remove(cell));
            }
            blocks.clear();
            blocks.assert_well_formed(0);
            assert!(tree.keys().all(|cell| blocks.get(cell).is_none()), "all are forgotten");
        }
    }

    #[test]
    fn cells_and_their_numbers_are_those_of_a_tree() {
        agrees_with_a_tree::<1>();
        agrees_with_a_tree::<2>();
        agrees_with_a_tree::<3>();
    }
}
