//! The cells of a body as a bitmap, with a margin of empty bits.
//!
//! ```text
//!             bit 0 1 2 3 4 5 6 7 …           One bit per cell: rows along r, bits along q. Each
//!   row 0   r     · · · · · · · ·             side has a margin of at least three empty bits, so
//!   row 1   │     · · · · · · · ·             a 4 × 4 window that contains a cell can be read
//!   row 2   │     · · · · · · · ·             without bounds checks on its sides.
//!   row 3   ↓     · · · # # · · ·
//!    …            · · · # · · · ·
//! ```

use alloc::vec::Vec;

use crate::hex::{Hex, hex};

/// Minimum number of empty rows and columns on each side of the cells.
const MARGIN: i64 = 3;

#[derive(Clone, Debug, Default)]
pub(super) struct Bitmap {
    /// Cell of the first bit of the first row.
    origin: Hex,
    rows: usize,
    /// Number of words per row.
    pitch: usize,
    /// Words of all rows, and one extra word, so reads across the end of a row need no check.
    words: Vec<u64>,
}

/// The rectangle of cells from `min` to `max`, both included.
#[derive(Clone, Copy)]
struct CellRect {
    min: [i64; 2],
    max: [i64; 2],
}

impl Bitmap {
    /// Returns the column and row of a cell's bit; at least one is out of range outside the bitmap.
    #[inline(always)]
    fn position(&self, cell: Hex) -> [u32; 2] {
        [cell.q.wrapping_sub(self.origin.q) as u32, cell.r.wrapping_sub(self.origin.r) as u32]
    }

    #[inline(always)]
    fn contains_position([bit, row]: [u32; 2], pitch: usize, rows: usize) -> bool {
        ((bit >> 6) as usize) < pitch && (row as usize) < rows
    }

    #[inline(always)]
    pub(super) fn get(&self, cell: Hex) -> bool {
        let position = self.position(cell);
        if !Self::contains_position(position, self.pitch, self.rows) {
            return false;
        }
        let word = self.words[position[1] as usize * self.pitch + (position[0] >> 6) as usize];
        word >> (position[0] & 63) & 1 == 1
    }

    /// Sets or clears the bit of a cell at least [`MARGIN`] cells away from every side.
    pub(super) fn set(&mut self, cell: Hex, on: bool) {
        let [bit, row] = self.position(cell);
        let word = &mut self.words[row as usize * self.pitch + (bit >> 6) as usize];
        let mask = 1 << (bit & 63);
        *word = if on { *word | mask } else { *word & !mask };
    }

    /// Grows the bitmap to contain a cell and the [`MARGIN`] cells around it. A growing side
    /// becomes at least 50 % longer (amortized constant cost), but at most `limit` cells long.
    pub(super) fn grow_to_contain(&mut self, cell: Hex, limit: i64) {
        let at = [i64::from(cell.q), i64::from(cell.r)];
        let required = CellRect { min: at.map(|x| x - MARGIN), max: at.map(|x| x + MARGIN) };
        if self.words.is_empty() {
            *self = Self::with_rect(required);
            return;
        }
        let origin = [i64::from(self.origin.q), i64::from(self.origin.r)];
        let size = [self.pitch as i64 * 64, self.rows as i64];
        let mut grown =
            CellRect { min: origin, max: [origin[0] + size[0] - 1, origin[1] + size[1] - 1] };
        let mut grows = false;
        for (axis, size) in size.into_iter().enumerate() {
            let max_size = limit + 2 * MARGIN + 64;
            let growth = (size / 2).min(max_size);
            if required.min[axis] < grown.min[axis] {
                let end_at_limit = grown.max[axis] - max_size;
                grown.min[axis] =
                    required.min[axis].min((grown.min[axis] - growth).max(end_at_limit));
                grows = true;
            }
            if required.max[axis] > grown.max[axis] {
                let end_at_limit = grown.min[axis] + max_size;
                grown.max[axis] =
                    required.max[axis].max((grown.max[axis] + growth).min(end_at_limit));
                grows = true;
            }
        }
        if grows {
            let mut larger = Self::with_rect(grown);
            for row in 0..self.rows {
                for cell in self.cells_of_row(row) {
                    larger.set(cell, true);
                }
            }
            *self = larger;
        }
    }

    fn with_rect(rect: CellRect) -> Self {
        let size = |axis: usize| (rect.max[axis] - rect.min[axis] + 1) as usize;
        let (pitch, rows) = (size(0).div_ceil(64), size(1));
        Self {
            origin: hex(rect.min[0] as i32, rect.min[1] as i32),
            rows,
            pitch,
            words: alloc::vec![0; pitch * rows + 1],
        }
    }

    fn cells_of_row(&self, row: usize) -> RowCells<'_> {
        let r = self.origin.r.wrapping_add(row as i32);
        self.row_cells(r, i32::MIN, i32::MAX)
    }

    /// Returns the cells of row `r` with `min <= q <= max`, ascending.
    #[inline]
    pub(super) fn row_cells(&self, r: i32, min: i32, max: i32) -> RowCells<'_> {
        let words = self.row(r);
        let first = i64::from(min) - i64::from(self.origin.q);
        let last = i64::from(max) - i64::from(self.origin.q);
        let end = (self.pitch as i64 * 64 - 1).min(last);
        let start = first.max(0);
        if words.is_empty() || start > end {
            return RowCells {
                words: &[],
                origin: self.origin.q,
                r,
                word: 0,
                bits: 0,
                last_bits: 0,
            };
        }
        let (from, to) = ((start >> 6) as usize, (end >> 6) as usize);
        let mut cells = RowCells {
            words: &words[..=to],
            origin: self.origin.q,
            r,
            word: from,
            bits: words[from] & (u64::MAX << (start & 63)),
            last_bits: u64::MAX >> (63 - (end & 63)),
        };
        if from == to {
            cells.bits &= cells.last_bits;
        }
        cells
    }

    /// Returns the words of row `r`; empty outside the bitmap.
    #[inline(always)]
    fn row(&self, r: i32) -> &[u64] {
        let row = r.wrapping_sub(self.origin.r) as u32 as usize;
        if row < self.rows { &self.words[row * self.pitch..(row + 1) * self.pitch] } else { &[] }
    }

    /// Returns the bits of 64 cells along q from `cell` on, lowest bit first; 0 outside the bitmap.
    #[inline]
    pub(super) fn bits_from(&self, cell: Hex) -> u64 {
        let words = self.row(cell.r);
        let bit = i64::from(cell.q) - i64::from(self.origin.q);
        let word = |index: i64| usize::try_from(index).ok().and_then(|i| words.get(i)).copied();
        let (index, shift) = (bit >> 6, bit & 63);
        let low = word(index).unwrap_or(0) >> shift;
        if shift == 0 { low } else { low | word(index + 1).unwrap_or(0) << (64 - shift) }
    }

    /// Returns the bits of the 4 × 4 cells from `corner` on: along q, then along r. On each axis,
    /// the corner is at most three cells before the first cell of the body or after the last.
    #[inline(always)]
    pub(super) fn window(&self, corner: Hex) -> u16 {
        let [bit, row] = self.position(corner);
        let at = row as usize * self.pitch + (bit >> 6) as usize;
        let shift = bit & 63;
        let mut window = 0;
        for i in 0..4 {
            let at = at + i * self.pitch;
            let mut bits = self.words[at] >> shift;
            if shift > 60 {
                bits |= self.words[at + 1] << (64 - shift);
            }
            window |= (bits as u16 & 0xf) << (4 * i);
        }
        window
    }

    /// Returns the smallest and the largest q of the cells in row `r`, if it has cells.
    pub(super) fn row_ends(&self, r: i32) -> Option<[i32; 2]> {
        let words = self.row(r);
        let first = words.iter().position(|&word| word != 0)?;
        let last = words.iter().rposition(|&word| word != 0)?;
        let q = |word: usize, bit: u32| self.origin.q.wrapping_add((word as u32 * 64 + bit) as i32);
        Some([q(first, words[first].trailing_zeros()), q(last, 63 - words[last].leading_zeros())])
    }
}

/// Iterator over the cells of one row, ascending.
#[derive(Clone, Debug)]
pub(super) struct RowCells<'a> {
    words: &'a [u64],
    origin: i32,
    r: i32,
    word: usize,
    /// Bits of the current word not yet returned.
    bits: u64,
    /// Mask of the valid bits of the last word.
    last_bits: u64,
}

impl Iterator for RowCells<'_> {
    type Item = Hex;

    #[inline]
    fn next(&mut self) -> Option<Hex> {
        while self.bits == 0 {
            self.word += 1;
            let last = self.words.len();
            self.bits = *self.words.get(self.word)?;
            if self.word + 1 == last {
                self.bits &= self.last_bits;
            }
        }
        let bit = self.bits.trailing_zeros();
        self.bits &= self.bits - 1;
        let q = self.origin.wrapping_add((self.word as u32 * 64 + bit) as i32);
        Some(hex(q, self.r))
    }
}
