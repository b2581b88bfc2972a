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

use broadphase_core::{Flow, IndexError};

use super::map::CellMap;
use super::span::Span;

/// A number that no cell has: it is not in use.
const NOTHING: u32 = u32::MAX;

/// A map that holds more bytes for each block has far more room than it needs.
const ROOMY: usize = 256;

/// Where a block is, and which of its cells are in use: a bit for each place.
#[derive(Clone, Copy, Debug)]
struct Block<const D: usize> {
    at: [i32; D],
    used: u16,
}

/// The numbers of cells in use, found through a map of the blocks they are in.
#[derive(Clone, Debug)]
pub(super) struct Blocks<const D: usize, M> {
    map: M,
    /// Each has a cell in use.
    blocks: Vec<Block<D>>,
    /// The numbers of their cells, block after block.
    numbers: Vec<u32>,
}

impl<const D: usize, M: CellMap<D>> Blocks<D, M> {
    /// A block has 2^`SHIFT` cells along each axis: 16 in all, in space 8.
    const SHIFT: u32 = if D == 3 { 1 } else { 4 / D as u32 };
    const SIDE: u32 = 1 << Self::SHIFT;
    const CELLS: usize = 1 << (Self::SHIFT as usize * D);

    pub(super) const fn new(map: M) -> Self {
        Self { map, blocks: Vec::new(), numbers: Vec::new() }
    }

    /// Says how large cells are; there must be none.
    pub(super) fn set_side(&mut self, side: f64) {
        self.map.set_side((side * f64::from(Self::SIDE)).min(f64::MAX));
    }

    /// The block of a cell, and its place there.
    #[inline(always)]
    fn split(cell: &[i32; D]) -> ([i32; D], usize) {
        let (mut block, mut place) = ([0; D], 0);
        let mut axis = D;
        while axis > 0 {
            axis -= 1;
            block[axis] = cell[axis] >> Self::SHIFT;
            place = place << Self::SHIFT | (cell[axis] as u32 & (Self::SIDE - 1)) as usize;
        }
        (block, place)
    }

    /// The index of the block of a cell, and where in `numbers` the cell is; if there is the block.
    #[inline(always)]
    fn find(&self, cell: &[i32; D]) -> Option<(usize, usize)> {
        let (block, place) = Self::split(cell);
        let index = self.map.get(&block)? as usize;
        Some((index, index * Self::CELLS + place))
    }

    /// The number of a cell that is in use.
    #[inline(always)]
    pub(super) fn get(&self, cell: &[i32; D]) -> Option<u32> {
        let (_, at) = self.find(cell)?;
        Some(self.numbers[at]).filter(|&number| number != NOTHING)
    }

    /// The number of a cell, which is `number` from now on if it was not in use.
    #[inline(always)]
    pub(super) fn get_or_insert(&mut self, cell: &[i32; D], number: u32) -> u32 {
        let (block, place) = Self::split(cell);
        let fresh = self.blocks.len();
        let index = self.map.get_or_insert(&block, fresh as u32) as usize;
        if index == fresh {
            self.blocks.push(Block { at: block, used: 0 });
            self.numbers.resize(self.numbers.len() + Self::CELLS, NOTHING);
        }
        let found = &mut self.numbers[index * Self::CELLS + place];
        if *found == NOTHING {
            *found = number;
            self.blocks[index].used |= 1 << place;
        }
        *found
    }

    /// Gives a cell in use another number.
    #[inline(always)]
    pub(super) fn replace(&mut self, cell: &[i32; D], number: u32) {
        let (_, at) = self.find(cell).expect("it is in use");
        self.numbers[at] = number;
    }

    /// Forgets a cell in use, and its block if that has no other; the last block takes its place.
    #[inline(always)]
    pub(super) fn remove(&mut self, cell: &[i32; D]) {
        let (index, at) = self.find(cell).expect("it is in use");
        self.numbers[at] = NOTHING;
        self.blocks[index].used &= !(1 << (at % Self::CELLS));
        if self.blocks[index].used > 0 {
            return;
        }
        self.map.remove(&self.blocks[index].at);
        self.blocks.swap_remove(index);
        let last = self.blocks.len() * Self::CELLS;
        if let Some(moved) = self.blocks.get(index) {
            self.numbers.copy_within(last.., index * Self::CELLS);
            self.map.replace(&moved.at, index as u32);
        }
        self.numbers.truncate(last);
    }

    /// Visits the numbers of the cells in use among some, until the visitor stops.
    #[inline(always)]
    pub(super) fn each<R: Flow>(&self, span: &Span<D>, mut visit: impl FnMut(u32) -> R) -> R {
        let blocks = Span {
            low: span.low.map(|cell| cell >> Self::SHIFT),
            high: span.high.map(|cell| cell >> Self::SHIFT),
        };
        blocks.each(|block| {
            let Some(index) = self.map.get(&block) else { return R::CONTINUE };
            let index = index as usize;
            let mut left = self.blocks[index].used & Self::places(&block, span);
            while left > 0 {
                let place = left.trailing_zeros();
                left &= left - 1;
                let answer = visit(self.numbers[index * Self::CELLS + place as usize]);
                if answer.stops() {
                    return answer;
                }
            }
            R::CONTINUE
        })
    }

    /// A bit for each place of a block whose cell is one of some, which reach into the block.
    #[inline(always)]
    fn places(block: &[i32; D], span: &Span<D>) -> u16 {
        let mut places = 1;
        let mut axis = D;
        while axis > 0 {
            axis -= 1;
            let first = block[axis] << Self::SHIFT;
            let before = span.low[axis].saturating_sub(first).max(0);
            let last = span.high[axis].saturating_sub(first).min(Self::SIDE as i32 - 1);
            let along = (2u32 << last) - (1 << before);
            // Once for each place of the axes behind this one.
            let (mut apart, mut place) = (0, 0);
            while place < Self::CELLS as u32 >> Self::SHIFT {
                apart |= (places >> place & 1) << (place << Self::SHIFT);
                place += 1;
            }
            places = apart * along;
        }
        places as u16
    }

    /// Makes room for so many more cells, were each in a block of its own.
    #[inline]
    pub(super) fn try_reserve(&mut self, cells: usize) -> Result<(), IndexError> {
        let numbers = cells.checked_mul(Self::CELLS).ok_or(IndexError::OutOfMemory)?;
        self.blocks
            .try_reserve(cells)
            .and_then(|()| self.numbers.try_reserve(numbers))
            .map_err(|_| IndexError::OutOfMemory)?;
        self.map.try_reserve(cells)
    }

    /// Forgets all cells, keeping the memory.
    pub(super) fn clear(&mut self) {
        // Where few are in a map that has room for many, they are sooner taken out one by one.
        if self.map.memory_use() > ROOMY * self.blocks.len() {
            for block in &self.blocks {
                self.map.remove(&block.at);
            }
        } else {
            self.map.clear();
        }
        self.blocks.clear();
        self.numbers.clear();
    }

    /// Gives back the memory that is not needed.
    pub(super) fn shrink_to_fit(&mut self) {
        self.map.shrink_to_fit();
        self.blocks.shrink_to_fit();
        self.numbers.shrink_to_fit();
    }

    /// The bytes of memory held.
    pub(super) fn memory_use(&self) -> usize {
        self.map.memory_use()
            + self.blocks.capacity() * size_of::<Block<D>>()
            + self.numbers.capacity() * size_of::<u32>()
    }

    /// Checks that blocks are found, and have cells in use, so many in all; for tests.
    pub(super) fn assert_well_formed(&self, cells: usize) {
        assert_eq!(self.numbers.len(), self.blocks.len() * Self::CELLS, "all of each block");
        let mut used = 0;
        for (index, block) in self.blocks.iter().enumerate() {
            assert_eq!(self.map.get(&block.at), Some(index as u32), "{:?} is found", block.at);
            assert!(block.used > 0, "blocks without cells in use are not kept");
            used += block.used.count_ones() as usize;
            for (place, &number) in
                self.numbers[index * Self::CELLS..][..Self::CELLS].iter().enumerate()
            {
                assert_eq!(
                    number != NOTHING,
                    block.used >> place & 1 == 1,
                    "cells in use are known"
                );
            }
        }
        assert_eq!(used, cells, "no cell is lost");
    }
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
            blocks.each(&span, |number| {
                assert!(found.insert(number), "no cell comes twice");
            });
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
