//! What points are read from and cells are written to, in blocks of eight.

use simd_lanes::{LANES, Lanes};

use crate::hex::Hex;
use crate::plane::Point;

/// Eight values of one coordinate.
pub(super) type Block<S> = [S; LANES];
/// Eight points.
pub(super) type Eight<S> = (Block<S>, Block<S>);

/// Points in memory.
pub(super) trait Source: Copy {
    /// The type of the coordinates.
    type S: Copy + Default;
    /// So many whole blocks.
    type Blocks: Copy;

    /// How many points there are.
    fn len(self) -> usize;
    /// So many whole blocks, and the points after them.
    fn split(self, whole: usize) -> (Self::Blocks, Self);
    /// One of the blocks.
    fn block<L: Lanes>(blocks: Self::Blocks, lanes: L, at: usize) -> Eight<Self::S>;
    /// Fewer points than a block, filled up; nothing if there are none.
    fn rest(self) -> Option<Eight<Self::S>>;
}

/// A plane for each coordinate, of the same length.
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
    fn block<L: Lanes>((a, b): Self::Blocks, _: L, at: usize) -> Eight<S> {
        (a[at], b[at])
    }
    #[inline(always)]
    fn rest(self) -> Option<Eight<S>> {
        let (mut a, mut b) = ([S::default(); LANES], [S::default(); LANES]);
        a[..self.len()].copy_from_slice(self.0);
        b[..self.len()].copy_from_slice(self.1);
        (self.len() > 0).then_some((a, b))
    }
}

/// Numbers that lanes de-interleave: as integers that have the same bits.
pub(super) trait Bits: Copy + Default {
    /// The bits of eight numbers.
    fn load<L: Lanes>(lanes: L, block: &Block<Self>) -> L::I;
    /// The number with these bits.
    fn from_int(bits: i32) -> Self;
}

impl Bits for i32 {
    #[inline(always)]
    fn load<L: Lanes>(lanes: L, block: &Block<Self>) -> L::I {
        lanes.load(block)
    }
    #[inline(always)]
    fn from_int(bits: i32) -> Self {
        bits
    }
}

impl Bits for f32 {
    #[inline(always)]
    fn load<L: Lanes>(lanes: L, block: &Block<Self>) -> L::I {
        lanes.f32_to_bits(lanes.load_f32(block))
    }
    #[inline(always)]
    fn from_int(bits: i32) -> Self {
        Self::from_bits(bits as u32)
    }
}

/// Two coordinates side by side.
pub(super) trait Pair: Copy {
    /// The type of the coordinates.
    type S: Bits;

    /// The two of them.
    fn coordinates(self) -> [Self::S; 2];
}

impl<S: Bits> Pair for [S; 2] {
    type S = S;

    #[inline(always)]
    fn coordinates(self) -> [S; 2] {
        self
    }
}

impl<S: Bits> Pair for Point<S> {
    type S = S;

    #[inline(always)]
    fn coordinates(self) -> [S; 2] {
        [self.a, self.b]
    }
}

/// Pairs one after the other.
#[derive(Clone, Copy)]
pub(super) struct Pairs<'a, P>(pub(super) &'a [P]);

impl<'a, P: Pair> Source for Pairs<'a, P> {
    type S = P::S;
    type Blocks = &'a [[P; LANES]];

    #[inline(always)]
    fn len(self) -> usize {
        self.0.len()
    }
    #[inline(always)]
    fn split(self, whole: usize) -> (Self::Blocks, Self) {
        let (blocks, last) = self.0.as_chunks();
        (&blocks[..whole], Self(last))
    }
    #[inline(always)]
    fn block<L: Lanes>(blocks: Self::Blocks, lanes: L, at: usize) -> Eight<P::S> {
        // Copied as pairs, then read as numbers: compilers see through that. Picked one by one,
        // each coordinate would be a load of its own.
        let mut pairs = [[P::S::default(); 2]; LANES];
        let mut i = 0;
        while i < LANES {
            pairs[i] = blocks[at][i].coordinates();
            i += 1;
        }
        let (halves, _) = pairs.as_flattened().as_chunks();
        let (low, high) = (P::S::load(lanes, &halves[0]), P::S::load(lanes, &halves[1]));
        let (a, b) = lanes.deinterleave(low, high);
        (numbers(lanes.store(a)), numbers(lanes.store(b)))
    }
    #[inline(always)]
    fn rest(self) -> Option<Eight<P::S>> {
        let (mut a, mut b) = ([P::S::default(); LANES], [P::S::default(); LANES]);
        for (i, pair) in self.0.iter().enumerate() {
            [a[i], b[i]] = pair.coordinates();
        }
        (self.len() > 0).then_some((a, b))
    }
}

#[inline(always)]
fn numbers<S: Bits>(bits: Block<i32>) -> Block<S> {
    let mut numbers = [S::default(); LANES];
    let mut i = 0;
    while i < LANES {
        numbers[i] = S::from_int(bits[i]);
        i += 1;
    }
    numbers
}

/// Room for cells.
pub(super) trait Sink: Sized {
    /// So many whole blocks.
    type Blocks;

    /// Room for so many whole blocks, and what comes after them.
    fn split(self, whole: usize) -> (Self::Blocks, Self);
    /// Writes one of the blocks.
    fn write<L: Lanes>(blocks: &mut Self::Blocks, lanes: L, at: usize, q: L::I, r: L::I);
    /// Writes as many cells as there is room for.
    fn write_rest(&mut self, q: &Block<i32>, r: &Block<i32>);
}

impl<'a> Sink for &'a mut [Hex] {
    type Blocks = &'a mut [[Hex; LANES]];

    #[inline(always)]
    fn split(self, whole: usize) -> (Self::Blocks, Self) {
        let (blocks, last) = self.as_chunks_mut();
        (&mut blocks[..whole], last)
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
    fn write_rest(&mut self, q: &Block<i32>, r: &Block<i32>) {
        for (cell, (&q, &r)) in self.iter_mut().zip(q.iter().zip(r)) {
            *cell = Hex::new(q, r);
        }
    }
}

/// A plane for q and one for r, of the same length.
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
    fn write_rest(&mut self, q: &Block<i32>, r: &Block<i32>) {
        self.0.copy_from_slice(&q[..self.0.len()]);
        self.1.copy_from_slice(&r[..self.1.len()]);
    }
}
