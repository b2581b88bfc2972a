//! Memory layouts of batch input and output, accessed in blocks of eight.
//!
//! A [`Source`] is split into whole blocks and a remainder of fewer than eight points; a [`Sink`]
//! is split at the same index. Blocks have a fixed size, so reading and writing them needs no
//! bounds checks.

use simd_lanes::{LANES, Lanes};

use crate::hex::Hex;
use crate::plane::Point;

/// Eight values of one coordinate.
pub(super) type Block<S> = [S; LANES];
/// Eight points: the block of coordinates a, then the block of coordinates b.
pub(super) type PointBlock<S> = (Block<S>, Block<S>);

/// A sequence of points in memory.
pub(super) trait Source: Copy {
    /// Type of the coordinates.
    type S: Copy + Default;
    /// Sequence of whole blocks.
    type Blocks: Copy;

    /// Returns the number of points.
    fn len(self) -> usize;
    /// Splits off the first `whole` blocks; the second result is the points after them.
    fn split(self, whole: usize) -> (Self::Blocks, Self);
    /// Reads one block.
    fn block<L: Lanes>(blocks: Self::Blocks, lanes: L, at: usize) -> PointBlock<Self::S>;
    /// Reads the remainder, padded with zeros; `None` if it is empty.
    fn remainder(self) -> Option<PointBlock<Self::S>>;
}

/// Points as one array per coordinate, of equal length.
#[derive(Clone, Copy)]
pub(super) struct Planes<'a, S>(pub(super) &'a [S], pub(super) &'a [S]);

impl<'a, S: Copy + Default> Source for Planes<'a, S> {
    type S = S;
    type Blocks = (&'a [Block<S>], &'a [Block<S>]);

    #[inline(always)]
    fn len(self) -> usize {
        self.0.len()
    }
    #[inline(always)]
    fn split(self, whole: usize) -> (Self::Blocks, Self) {
        let ((a, last_a), (b, last_b)) = (self.0.as_chunks(), self.1.as_chunks());
        ((&a[..whole], &b[..whole]), Self(last_a, last_b))
    }
    #[inline(always)]
    fn block<L: Lanes>((a, b): Self::Blocks, _: L, at: usize) -> PointBlock<S> {
        (a[at], b[at])
    }
    #[inline(always)]
    fn remainder(self) -> Option<PointBlock<S>> {
        let (mut a, mut b) = ([S::default(); LANES], [S::default(); LANES]);
        a[..self.len()].copy_from_slice(self.0);
        b[..self.len()].copy_from_slice(self.1);
        (self.len() > 0).then_some((a, b))
    }
}

/// Numbers whose bits fit the integer lanes, so that one deinterleave operation serves all types.
pub(super) trait LaneBits: Copy + Default {
    /// Loads the bits of eight numbers.
    fn load<L: Lanes>(lanes: L, block: &Block<Self>) -> L::I;
    /// Returns the number with these bits.
    fn from_i32_bits(bits: i32) -> Self;
}

impl LaneBits for i32 {
    #[inline(always)]
    fn load<L: Lanes>(lanes: L, block: &Block<Self>) -> L::I {
        lanes.load(block)
    }
    #[inline(always)]
    fn from_i32_bits(bits: i32) -> Self {
        bits
    }
}

impl LaneBits for f32 {
    #[inline(always)]
    fn load<L: Lanes>(lanes: L, block: &Block<Self>) -> L::I {
        lanes.f32_to_bits(lanes.load_f32(block))
    }
    #[inline(always)]
    fn from_i32_bits(bits: i32) -> Self {
        Self::from_bits(bits as u32)
    }
}

/// A point whose two coordinates are adjacent in memory.
pub(super) trait CoordinatePair: Copy {
    /// Type of the coordinates.
    type S: LaneBits;

    /// Returns both coordinates.
    fn coordinates(self) -> [Self::S; 2];
}

impl<S: LaneBits> CoordinatePair for [S; 2] {
    type S = S;

    #[inline(always)]
    fn coordinates(self) -> [S; 2] {
        self
    }
}

impl<S: LaneBits> CoordinatePair for Point<S> {
    type S = S;

    #[inline(always)]
    fn coordinates(self) -> [S; 2] {
        [self.a, self.b]
    }
}

/// Points with interleaved coordinates.
#[derive(Clone, Copy)]
pub(super) struct Interleaved<'a, P>(pub(super) &'a [P]);

impl<'a, P: CoordinatePair> Source for Interleaved<'a, P> {
    type S = P::S;
    type Blocks = &'a [[P; LANES]];

    #[inline(always)]
    fn len(self) -> usize {
        self.0.len()
    }
    #[inline(always)]
    fn split(self, whole: usize) -> (Self::Blocks, Self) {
        let (blocks, tail) = self.0.as_chunks();
        (&blocks[..whole], Self(tail))
    }
    #[inline(always)]
    fn block<L: Lanes>(blocks: Self::Blocks, lanes: L, at: usize) -> PointBlock<P::S> {
        // Copy pairs and then reinterpret them as numbers: this compiles to vector loads. Selecting
        // coordinates one by one compiles to one load per coordinate.
        let mut pairs = [[P::S::default(); 2]; LANES];
        let mut i = 0;
        while i < LANES {
            pairs[i] = blocks[at][i].coordinates();
            i += 1;
        }
        let (halves, _) = pairs.as_flattened().as_chunks();
        let (low, high) = (P::S::load(lanes, &halves[0]), P::S::load(lanes, &halves[1]));
        let (a, b) = lanes.deinterleave(low, high);
        (from_bits_block(lanes.store(a)), from_bits_block(lanes.store(b)))
    }
    #[inline(always)]
    fn remainder(self) -> Option<PointBlock<P::S>> {
        let (mut a, mut b) = ([P::S::default(); LANES], [P::S::default(); LANES]);
        for (i, pair) in self.0.iter().enumerate() {
            [a[i], b[i]] = pair.coordinates();
        }
        (self.len() > 0).then_some((a, b))
    }
}

#[inline(always)]
fn from_bits_block<S: LaneBits>(bits: Block<i32>) -> Block<S> {
    let mut numbers = [S::default(); LANES];
    let mut i = 0;
    while i < LANES {
        numbers[i] = S::from_i32_bits(bits[i]);
        i += 1;
    }
    numbers
}

/// A destination for cells.
pub(super) trait Sink: Sized {
    /// Sequence of whole blocks.
    type Blocks;

    /// Splits off the first `whole` blocks; the second result is the memory after them.
    fn split(self, whole: usize) -> (Self::Blocks, Self);
    /// Writes one block.
    fn write<L: Lanes>(blocks: &mut Self::Blocks, lanes: L, at: usize, q: L::I, r: L::I);
    /// Writes the first cells of a block until the destination is full.
    fn write_remainder(&mut self, q: &Block<i32>, r: &Block<i32>);
}

impl<'a> Sink for &'a mut [Hex] {
    type Blocks = &'a mut [[Hex; LANES]];

    #[inline(always)]
    fn split(self, whole: usize) -> (Self::Blocks, Self) {
        let (blocks, tail) = self.as_chunks_mut();
        (&mut blocks[..whole], tail)
    }
    #[inline(always)]
    fn write<L: Lanes>(blocks: &mut Self::Blocks, lanes: L, at: usize, q: L::I, r: L::I) {
        let (low, high) = lanes.interleave(q, r);
        let (low, high) = (lanes.store(low), lanes.store(high));
        let block = &mut blocks[at];
        let mut i = 0;
        while i < LANES / 2 {
            block[i] = Hex::new(low[2 * i], low[2 * i + 1]);
            block[i + LANES / 2] = Hex::new(high[2 * i], high[2 * i + 1]);
            i += 1;
        }
    }
    #[inline(always)]
    fn write_remainder(&mut self, q: &Block<i32>, r: &Block<i32>) {
        for (cell, (&q, &r)) in self.iter_mut().zip(q.iter().zip(r)) {
            *cell = Hex::new(q, r);
        }
    }
}

/// Cells as one array for q and one for r, of equal length.
pub(super) struct CellPlanes<'a>(pub(super) &'a mut [i32], pub(super) &'a mut [i32]);

impl<'a> Sink for CellPlanes<'a> {
    type Blocks = (&'a mut [Block<i32>], &'a mut [Block<i32>]);

    #[inline(always)]
    fn split(self, whole: usize) -> (Self::Blocks, Self) {
        let ((q, last_q), (r, last_r)) = (self.0.as_chunks_mut(), self.1.as_chunks_mut());
        ((&mut q[..whole], &mut r[..whole]), Self(last_q, last_r))
    }
    #[inline(always)]
    fn write<L: Lanes>((qs, rs): &mut Self::Blocks, lanes: L, at: usize, q: L::I, r: L::I) {
        qs[at] = lanes.store(q);
        rs[at] = lanes.store(r);
    }
    #[inline(always)]
    fn write_remainder(&mut self, q: &Block<i32>, r: &Block<i32>) {
        self.0.copy_from_slice(&q[..self.0.len()]);
        self.1.copy_from_slice(&r[..self.1.len()]);
    }
}
