//! Encodes and decodes many Morton codes, eight per step, on every backend.
//!
//! Encoding reads one slice of coordinates per axis and writes one code per cell. Decoding is the
//! reverse.
//!
//! 1. Load the coordinates of eight cells, one vector per axis.
//! 2. Spread and interleave their bits in 32-bit lanes (see `curve.rs`).
//! 3. Build a 64-bit code from 32-bit codes of parts of the coordinates: 16 + 16 bits per axis in
//!    two dimensions, 10 + 10 + 1 bits in three.
//! 4. Encode the last `len % 8` cells one by one.

use core::ops::Range;

use broadphase_core::{Backend, Kernel, LANES, Lanes, instances};

use crate::Code;
use crate::curve::{deinterleave, interleave};

impl<const D: usize> Code<D> {
    /// Number of bits per coordinate in a 32-bit code: 16 in two dimensions, 10 in three.
    pub const SHORT_BITS: u32 = u32::BITS / D as u32;

    /// Encodes many cells, given axis by axis, with the fastest backend.
    ///
    /// ```
    /// use broadphase_morton::Code;
    ///
    /// let (x, y) = ([5, 7, 9], [1, 0, u32::MAX]);
    /// let mut codes = [Code::default(); 3];
    /// Code::encode_all([&x, &y], &mut codes);
    /// assert_eq!(codes[2], Code::encode([9, u32::MAX]));
    /// ```
    ///
    /// # Panics
    /// Panics if the length of `codes` differs from the number of coordinates on any axis.
    pub fn encode_all(cells: [&[u32]; D], codes: &mut [Self]) {
        Self::encode_all_on(Backend::detect(), cells, codes);
    }

    /// Encodes many cells like [`encode_all`](Self::encode_all), with a given backend.
    ///
    /// # Panics
    /// Panics if the length of `codes` differs from the number of coordinates on any axis.
    pub fn encode_all_on(backend: Backend, cells: [&[u32]; D], codes: &mut [Self]) {
        assert_lengths(&cells, codes.len());
        encode(backend, Encode { cells, codes });
        for at in tail(codes.len()) {
            codes[at] = Self::encode(cells.map(|plane| plane[at]));
        }
    }

    /// Decodes many codes; the inverse of [`encode_all_on`](Self::encode_all_on).
    ///
    /// # Panics
    /// Panics if the number of coordinates on any axis differs from the length of `codes`.
    pub fn decode_all_on(backend: Backend, codes: &[Self], mut cells: [&mut [u32]; D]) {
        assert_lengths(&cells, codes.len());
        decode(backend, Decode { codes, cells: &mut cells });
        for at in tail(codes.len()) {
            let cell = codes[at].decode();
            cells.iter_mut().zip(cell).for_each(|(plane, x)| plane[at] = x);
        }
    }

    /// Encodes many cells into 32-bit codes. Compared with 64-bit codes, these need half the memory
    /// and half the time to sort. Coordinate bits from [`SHORT_BITS`](Self::SHORT_BITS) up are
    /// dropped.
    ///
    /// # Panics
    /// Panics if the length of `codes` differs from the number of coordinates on any axis.
    pub fn encode_short_on(backend: Backend, cells: [&[u32]; D], codes: &mut [u32]) {
        assert_lengths(&cells, codes.len());
        encode_short(backend, EncodeShort { cells, codes });
        let mask = u32::MAX >> (u32::BITS - Self::SHORT_BITS);
        for at in tail(codes.len()) {
            codes[at] = Self::encode(cells.map(|plane| plane[at] & mask)).bits() as u32;
        }
    }

    /// Decodes many 32-bit codes; the inverse of [`encode_short_on`](Self::encode_short_on).
    ///
    /// # Panics
    /// Panics if the number of coordinates on any axis differs from the length of `codes`.
    pub fn decode_short_on(backend: Backend, codes: &[u32], mut cells: [&mut [u32]; D]) {
        assert_lengths(&cells, codes.len());
        decode_short(backend, DecodeShort { codes, cells: &mut cells });
        let mask = u32::MAX >> (u32::BITS - Self::SHORT_BITS * D as u32);
        for at in tail(codes.len()) {
            let cell = Self::from_bits(u64::from(codes[at] & mask)).decode();
            cells.iter_mut().zip(cell).for_each(|(plane, x)| plane[at] = x);
        }
    }

    /// Encodes a cell with lookup tables, eleven bits of a coordinate at a time. This is the method
    /// of the article "Collision detection with Morton order" (see [`Octree`](crate::Octree)). The
    /// code equals that of [`encode`](Self::encode), which needs no table.
    #[must_use]
    pub fn encode_by_table(cell: [u32; D]) -> Self {
        let mut code = 0;
        for (axis, x) in cell.into_iter().enumerate() {
            let mut taken = 0;
            while taken < Self::BITS {
                let bits = (Self::BITS - taken).min(11);
                let spread = SPREAD_TABLES[D - 1][(x >> taken) as usize & ((1 << bits) - 1)];
                code |= spread << (D as u32 * taken) << axis;
                taken += bits;
            }
        }
        Self::from_bits(code)
    }
}

/// Tables of all eleven-bit numbers with their bits spread: in one, two and three dimensions, bit i
/// moves to bit i, 2 i or 3 i.
static SPREAD_TABLES: [[u64; 2048]; 3] = {
    let mut tables = [[0; 2048]; 3];
    let mut dimensions = 1;
    while dimensions <= 3 {
        let mut number = 0;
        while number < 2048 {
            let mut bit = 0;
            while bit < 11 {
                tables[dimensions - 1][number] |=
                    ((number as u64 >> bit) & 1) << (bit * dimensions);
                bit += 1;
            }
            number += 1;
        }
        dimensions += 1;
    }
    tables
};

instances! {
    fn encode<D>(backend: Backend, kernel: Encode<'_, D>) {
        backend.dispatch(kernel);
    }

    fn decode<D>(backend: Backend, kernel: Decode<'_, '_, D>) {
        backend.dispatch(kernel);
    }

    fn encode_short<D>(backend: Backend, kernel: EncodeShort<'_, D>) {
        backend.dispatch(kernel);
    }

    fn decode_short<D>(backend: Backend, kernel: DecodeShort<'_, '_, D>) {
        backend.dispatch(kernel);
    }
}

fn assert_lengths<P: AsRef<[u32]>, const D: usize>(planes: &[P; D], len: usize) {
    for plane in planes {
        assert_eq!(
            plane.as_ref().len(),
            len,
            "codes and coordinates of each axis differ in length"
        );
    }
}

/// Returns the range of items after the last whole block of eight. Kernels process whole blocks
/// only: when the loop also checked for a shorter last block, every block took 50 % longer.
const fn tail(len: usize) -> Range<usize> {
    len - len % LANES..len
}

/// Loads eight unsigned numbers.
#[inline(always)]
fn load<L: Lanes>(lanes: L, numbers: &[u32; LANES]) -> L::I {
    let mut eight = [0; LANES];
    for (lane, &number) in eight.iter_mut().zip(numbers) {
        *lane = number.cast_signed();
    }
    lanes.load(&eight)
}

/// Stores eight unsigned numbers.
#[inline(always)]
fn store<L: Lanes>(lanes: L, loaded: L::I, numbers: &mut [u32; LANES]) {
    for (number, lane) in numbers.iter_mut().zip(lanes.store(loaded)) {
        *number = lane.cast_unsigned();
    }
}

/// Loads the coordinates of eight cells from index `at` on.
#[inline(always)]
fn load_cells<L: Lanes, const D: usize>(lanes: L, cells: &[&[u32]; D], at: usize) -> [L::I; D] {
    let mut loaded = [lanes.splat(0); D];
    let mut axis = 0;
    while axis < D {
        loaded[axis] =
            load(lanes, cells[axis][at..].first_chunk().expect("`at` begins a whole block"));
        axis += 1;
    }
    loaded
}

/// Stores the coordinates of eight cells from index `at` on.
#[inline(always)]
fn store_cells<L: Lanes, const D: usize>(
    lanes: L,
    loaded: &[L::I; D],
    cells: &mut [&mut [u32]; D],
    at: usize,
) {
    let mut axis = 0;
    while axis < D {
        let eight = cells[axis][at..].first_chunk_mut().expect("`at` begins a whole block");
        store(lanes, loaded[axis], eight);
        axis += 1;
    }
}

struct EncodeShort<'a, const D: usize> {
    cells: [&'a [u32]; D],
    codes: &'a mut [u32],
}

impl<const D: usize> Kernel for EncodeShort<'_, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        for (number, out) in self.codes.as_chunks_mut().0.iter_mut().enumerate() {
            store(lanes, interleave(lanes, load_cells(lanes, &self.cells, number * LANES)), out);
        }
    }
}

struct DecodeShort<'a, 'b, const D: usize> {
    codes: &'a [u32],
    cells: &'a mut [&'b mut [u32]; D],
}

impl<const D: usize> Kernel for DecodeShort<'_, '_, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        for (number, codes) in self.codes.as_chunks().0.iter().enumerate() {
            let cells = deinterleave(lanes, load(lanes, codes));
            store_cells(lanes, &cells, self.cells, number * LANES);
        }
    }
}

/// Interleaves the coordinate bits of eight cells, beginning at bit `shift`.
#[inline(always)]
fn interleave_from<L: Lanes, const D: usize>(lanes: L, mut cells: [L::I; D], shift: u32) -> L::I {
    let mut axis = 0;
    while axis < D {
        cells[axis] = lanes.shr_logical(cells[axis], shift);
        axis += 1;
    }
    interleave(lanes, cells)
}

struct Encode<'a, const D: usize> {
    cells: [&'a [u32]; D],
    codes: &'a mut [Code<D>],
}

impl<const D: usize> Kernel for Encode<'_, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        for (number, out) in self.codes.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
            let cells = load_cells(lanes, &self.cells, number * LANES);
            // Builds a 64-bit code from two 32-bit halves; in three dimensions, from 10, 10 and 1
            // bits per axis.
            let (low, high) = match D {
                1 => (cells[0], lanes.splat(0)),
                2 => (interleave_from(lanes, cells, 0), interleave_from(lanes, cells, 16)),
                _ => {
                    let middle = interleave_from(lanes, cells, 10);
                    let top = lanes.and(interleave_from(lanes, cells, 20), lanes.splat(7));
                    let low = lanes.or(interleave_from(lanes, cells, 0), lanes.shl(middle, 30));
                    (low, lanes.or(lanes.shr_logical(middle, 2), lanes.shl(top, 28)))
                }
            };
            let (low, high) = (lanes.store(low), lanes.store(high));
            for (lane, out) in out.iter_mut().enumerate() {
                let [low, high] = [low[lane], high[lane]].map(|x| u64::from(x.cast_unsigned()));
                *out = Code::from_bits(high << 32 | low);
            }
        }
    }
}

struct Decode<'a, 'b, const D: usize> {
    codes: &'a [Code<D>],
    cells: &'a mut [&'b mut [u32]; D],
}

impl<const D: usize> Kernel for Decode<'_, '_, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let (mut low, mut high) = ([0; LANES], [0; LANES]);
        for (number, block) in self.codes.as_chunks::<LANES>().0.iter().enumerate() {
            for (lane, code) in block.iter().enumerate() {
                low[lane] = code.bits() as i32;
                high[lane] = (code.bits() >> 32) as i32;
            }
            let (low, high) = (lanes.load(&low), lanes.load(&high));
            let mut cells = [low; D];
            if D == 2 {
                let [below, above] =
                    [deinterleave::<L, D>(lanes, low), deinterleave::<L, D>(lanes, high)];
                let mut axis = 0;
                while axis < D {
                    cells[axis] = lanes.or(below[axis], lanes.shl(above[axis], 16));
                    axis += 1;
                }
            } else if D == 3 {
                let middle = lanes.or(lanes.shr_logical(low, 30), lanes.shl(high, 2));
                let below = deinterleave::<L, D>(lanes, low);
                let middle = deinterleave::<L, D>(lanes, middle);
                let mut axis = 0;
                while axis < D {
                    let top = lanes.shr_logical(high, 28 + axis as u32);
                    let top = lanes.shl(lanes.and(top, lanes.splat(1)), 20);
                    let both = lanes.or(below[axis], lanes.shl(middle[axis], 10));
                    cells[axis] = lanes.or(both, top);
                    axis += 1;
                }
            }
            store_cells(lanes, &cells, self.cells, number * LANES);
        }
    }
}
