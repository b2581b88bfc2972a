//! Groups cells into blocks, so that one access to the hash map finds the numbers of all cells of a
//! block. Neighboring cells are mostly needed together: by an object that touches several cells,
//! and by queries.
//!
//! ```text
//!     block [0, 0]     block [1, 0]
//!   ┌────────────────┬────────────────┐
//!   │  0   1   2   3 │  0   1   2   3 │    map: block → its index
//!   │  4   5   6   7 │  4   5   6   7 │    cell [x, y] is in block [x / 4, y / 4],
//!   │  8   9  10  11 │  8   9  10  11 │    at offset y % 4 · 4 + x % 4
//!   │ 12  13  14  15 │ 12  13  14  15 │
//!   └────────────────┴────────────────┘
//! ```

use alloc::vec::Vec;

use broadphase_core::IndexError;

use super::cell_map::CellMap;
use crate::hash::cells::span::Span;
use crate::hash::{make_room, try_make_room};

/// The number of a cell that is not in use.
pub(crate) const UNUSED: u32 = u32::MAX;

/// If the map takes more than this many bytes per block, it has far more room than it needs.
const MAX_MAP_BYTES_PER_BLOCK: usize = 256;

/// A block: its position in units of blocks, and a set bit for each of its cells that is in use.
#[derive(Clone, Copy, Debug)]
struct Block<const D: usize> {
    position: [i32; D],
    used: u16,
}

/// The numbers of the cells in use, found through a map of their blocks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Blocks<const D: usize> {
    map: CellMap<D>,
    /// The blocks with at least one cell in use.
    blocks: Vec<Block<D>>,
    /// The numbers of all cells of the blocks, block after block; [`UNUSED`] for cells not in use.
    numbers: Vec<u32>,
}

impl<const D: usize> Blocks<D> {
    /// A block has 2^`SHIFT` cells along each axis: 16 in total, 8 in three dimensions.
    pub(crate) const SHIFT: u32 = if D == 3 { 1 } else { 4 / D as u32 };
    pub(crate) const SIDE: u32 = 1 << Self::SHIFT;
    pub(crate) const CELLS: usize = 1 << (Self::SHIFT as usize * D);

    /// Returns the position of the block that contains a cell, and the cell's offset in it.
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

    /// Returns the index of the block of a cell, and the cell's index in `numbers`; `None` if the
    /// block has no cell in use.
    #[inline(always)]
    fn find(&self, cell: &[i32; D]) -> Option<(usize, usize)> {
        let (block, offset) = Self::split(cell);
        let index = self.map.get(&block)? as usize;
        Some((index, index * Self::CELLS + offset))
    }

    /// Returns the number of a cell, or `None` if the cell is not in use.
    #[inline(always)]
    pub(crate) fn get(&self, cell: &[i32; D]) -> Option<u32> {
        let (_, at) = self.find(cell)?;
        Some(self.numbers[at]).filter(|&number| number != UNUSED)
    }

    /// Returns the number of a cell, after setting it to `number` if the cell was not in use.
    #[inline(always)]
    pub(crate) fn get_or_insert(&mut self, cell: &[i32; D], number: u32) -> u32 {
        let found = self.number_mut(cell);
        if *found == UNUSED {
            *found = number;
        }
        *found
    }

    /// Returns a reference to the number of a cell and marks the cell as in use. If the number is
    /// [`UNUSED`], the caller must set it.
    #[inline(always)]
    pub(crate) fn number_mut(&mut self, cell: &[i32; D]) -> &mut u32 {
        let (block, offset) = Self::split(cell);
        let fresh = self.blocks.len();
        let index = self.map.get_or_insert(&block, fresh as u32) as usize;
        if index == fresh {
            make_room(&mut self.blocks, 1);
            make_room(&mut self.numbers, Self::CELLS);
            self.blocks.push(Block { position: block, used: 0 });
            self.numbers.resize(self.numbers.len() + Self::CELLS, UNUSED);
        }
        self.blocks[index].used |= 1 << offset;
        &mut self.numbers[index * Self::CELLS + offset]
    }

    /// Sets the number of a cell in use.
    #[inline(always)]
    pub(crate) fn replace(&mut self, cell: &[i32; D], number: u32) {
        let (_, at) = self.find(cell).expect("the cell is in use");
        self.numbers[at] = number;
    }

    /// Removes a cell in use. If its block becomes empty, the last block replaces it.
    #[inline(always)]
    pub(crate) fn remove(&mut self, cell: &[i32; D]) {
        let (index, at) = self.find(cell).expect("the cell is in use");
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

    /// Starts a walk over the cells of a box.
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

    /// Continues a walk: writes the numbers of cells in use to `numbers[len..]` until the walk ends
    /// or the numbers of another block might not fit. Returns the new length. `wanted` returns, for
    /// the position of a block, a set bit for each cell to include.
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

    /// Writes the numbers of a block's cells in use whose bits are set in `offsets`. Returns the
    /// new length.
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
            // Masking with the block's `used` bits first would wait for one more memory access.
            let number = all[left.trailing_zeros() as usize % Self::CELLS];
            numbers[len] = number;
            len += usize::from(number != UNUSED);
            left &= left - 1;
        }
        len
    }

    /// Visits the numbers of all cells in use. The visitor may change them.
    pub(crate) fn each_mut(&mut self, mut visit: impl FnMut(&mut u32)) {
        self.numbers.iter_mut().filter(|number| **number != UNUSED).for_each(&mut visit);
    }

    /// Visits all cells in use with their numbers. For tests.
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

    /// Returns a mask of the cells of a block that are in `span`. The span must overlap the block.
    #[inline(always)]
    fn offsets_in(block: &[i32; D], span: &Span<D>) -> u16 {
        (0..D).fold(u16::MAX, |offsets, axis| {
            let first = block[axis] << Self::SHIFT;
            let low = span.low[axis].saturating_sub(first);
            let high = span.high[axis].saturating_sub(first);
            offsets & Self::offsets_between(axis, low, high)
        })
    }

    /// Returns a mask of the cells of a block whose offset along an axis is from `low` to `high`;
    /// both limits may lie outside the block.
    #[inline(always)]
    pub(crate) fn offsets_between(axis: usize, low: i32, high: i32) -> u16 {
        let last = Self::SIDE as i32 - 1;
        let from = Self::OFFSETS_FROM[axis][low.clamp(0, last + 1) as usize % 32];
        from & !Self::OFFSETS_FROM[axis][(high.clamp(-1, last) + 1) as usize % 32]
    }

    /// For each axis and each offset along the axis, a mask of the cells of a block at that offset
    /// or after it.
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

    /// Reserves memory for this number of additional blocks.
    #[inline]
    pub(crate) fn try_reserve(&mut self, blocks: usize) -> Result<(), IndexError> {
        let numbers = blocks.checked_mul(Self::CELLS).ok_or(IndexError::OutOfMemory)?;
        try_make_room(&mut self.blocks, blocks)?;
        try_make_room(&mut self.numbers, numbers)?;
        self.map.try_reserve(blocks)
    }

    /// Removes all cells without freeing memory.
    pub(crate) fn clear(&mut self) {
        // If the map has much more room than blocks, removing the blocks one by one is faster than
        // clearing it.
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

    /// Frees unused memory.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.map.shrink_to_fit();
        self.blocks.shrink_to_fit();
        self.numbers.shrink_to_fit();
    }

    /// Returns the bytes of memory held.
    pub(crate) fn memory_use(&self) -> usize {
        self.map.memory_use()
            + self.blocks.capacity() * size_of::<Block<D>>()
            + self.numbers.capacity() * size_of::<u32>()
    }

    /// Checks that every block is found and has cells in use, and that `cells` cells are in use in
    /// all. For tests.
    pub(crate) fn assert_well_formed(&self, cells: usize) {
        assert_eq!(
            self.numbers.len(),
            self.blocks.len() * Self::CELLS,
            "every block has all its numbers"
        );
        let mut used = 0;
        for (index, block) in self.blocks.iter().enumerate() {
            assert_eq!(
                self.map.get(&block.position),
                Some(index as u32),
                "{:?} is found",
                block.position
            );
            assert!(block.used > 0, "every block has a cell in use");
            used += block.used.count_ones() as usize;
            for (offset, &number) in
                self.numbers[index * Self::CELLS..][..Self::CELLS].iter().enumerate()
            {
                assert_eq!(
                    number != UNUSED,
                    block.used >> offset & 1 == 1,
                    "the mask has a bit for each cell in use"
                );
            }
        }
        assert_eq!(used, cells, "every cell in use is counted");
    }
}

/// The state of a walk over the cells of a box.
pub(crate) struct BlockWalk<const D: usize> {
    span: Span<D>,
    /// The box of blocks that contains the cells of `span`.
    around: Span<D>,
    next: BlockSource<D>,
}

/// How a walk finds its next block.
enum BlockSource<const D: usize> {
    /// Looks up each block of the box in the map, from this position on; `None` at the end of the
    /// walk.
    Lookup(Option<[i32; D]>),
    /// Scans the list of all blocks, from this index on. Used if the list is shorter than the
    /// number of blocks in the box.
    Scan(usize),
}

#[cfg(test)]
mod tests {
    use alloc::collections::{BTreeMap, BTreeSet};

    use laws::random::Random;

    use super::*;

    /// Inserts, renumbers and removes cells, and compares all results with a `BTreeMap`.
    fn agrees_with_a_tree<const D: usize>() {
        let (mut blocks, mut tree) = (Blocks::<D>::default(), BTreeMap::new());
        let mut random = Random::new(1);
        let mut random = |below: u32| random.below(below) as i32;
        for step in 0..4000 {
            // Choose cells near the origin and at both ends of the cell numbers.
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
                    assert!(found.insert(*number), "every cell is returned once");
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
        // Remove all but one cell individually, then clear; then clear all at once.
        for few in [1, tree.len()] {
            for (cell, &number) in tree.iter().take(few) {
                blocks.get_or_insert(cell, number);
            }
            if few == 1 {
                tree.keys().skip(1).for_each(|cell| blocks.remove(cell));
            }
            blocks.clear();
            blocks.assert_well_formed(0);
            assert!(
                tree.keys().all(|cell| blocks.get(cell).is_none()),
                "no cell is in use after clear"
            );
        }
    }

    #[test]
    fn agrees_with_a_tree_in_each_dimension() {
        agrees_with_a_tree::<1>();
        agrees_with_a_tree::<2>();
        agrees_with_a_tree::<3>();
    }
}
