//! Cells as bits in rows, with room around them.
//!
//! ```text
//!             bit 0 1 2 3 4 5 6 7 …           Row by row along r, bit by bit along q. There are
//!   row 0   r     · · · · · · · ·             at least three empty places on each side of the
//!   row 1   │     · · · · · · · ·             cells, so that a window of 4 × 4 that meets any
//!   row 3   ↓     · · · # # · · ·             cell can be read without looking where it ends.
//!    …            · · · # · · · ·
//! ```

use alloc::vec::Vec;

use crate::hex::{Hex, hex};

/// How many empty places there are around the cells at least.
const MARGIN: i64 = 3;

#[derive(Clone, Debug, Default)]
pub(super) struct Bitmap {
    /// The cell of the first bit of the first row.
    origin: Hex,
    rows: usize,
    /// Words per row.
    pitch: usize,
    /// All rows, and one word more: reads across the end of a row need no check.
    words: Vec<u64>,
}

/// The places from `min` to `max`, both included.
#[derive(Clone, Copy)]
struct Places {
    min: [i64; 2],
    max: [i64; 2],
}

impl Bitmap {
    /// The place of a cell, in bits and rows; outside the bitmap too large.
    #[inline(always)]
    fn place(&self, cell: Hex) -> [u32; 2] {
        [cell.q.wrapping_sub(self.origin.q) as u32, cell.r.wrapping_sub(self.origin.r) as u32]
    }

    #[inline(always)]
    fn has_place([bit, row]: [u32; 2], pitch: usize, rows: usize) -> bool {
        ((bit >> 6) as usize) < pitch && (row as usize) < rows
    }

    #[inline(always)]
    pub(super) fn get(&self, cell: Hex) -> bool {
        let place = self.place(cell);
        if !Self::has_place(place, self.pitch, self.rows) {
            return false;
        }
        let word = self.words[place[1] as usize * self.pitch + (place[0] >> 6) as usize];
        word >> (place[0] & 63) & 1 == 1
    }

    /// Sets or clears the bit of a cell that has a place with a margin.
    pub(super) fn set(&mut self, cell: Hex, on: bool) {
        let [bit, row] = self.place(cell);
        let word = &mut self.words[row as usize * self.pitch + (bit >> 6) as usize];
        let mask = 1 << (bit & 63);
        *word = if on { *word | mask } else { *word & !mask };
    }

    /// Makes room for a cell and the margin around it. What is added to a side is at least half of
    /// what was there, up to `limit` cells in all, so that growing costs little per cell.
    pub(super) fn make_room(&mut self, cell: Hex, limit: i64) {
        let at = [i64::from(cell.q), i64::from(cell.r)];
        let wanted = Places { min: at.map(|x| x - MARGIN), max: at.map(|x| x + MARGIN) };
        if self.words.is_empty() {
            *self = Self::with_places(wanted);
            return;
        }
        let origin = [i64::from(self.origin.q), i64::from(self.origin.r)];
        let size = [self.pitch as i64 * 64, self.rows as i64];
        let mut new =
            Places { min: origin, max: [origin[0] + size[0] - 1, origin[1] + size[1] - 1] };
        let mut grows = false;
        for (axis, size) in size.into_iter().enumerate() {
            let most = limit + 2 * MARGIN + 64;
            let extra = (size / 2).min(most);
            if wanted.min[axis] < new.min[axis] {
                let all_of_it = new.max[axis] - most;
                new.min[axis] = wanted.min[axis].min((new.min[axis] - extra).max(all_of_it));
                grows = true;
            }
            if wanted.max[axis] > new.max[axis] {
                let all_of_it = new.min[axis] + most;
                new.max[axis] = wanted.max[axis].max((new.max[axis] + extra).min(all_of_it));
                grows = true;
            }
        }
        if grows {
            let mut larger = Self::with_places(new);
            for row in 0..self.rows {
                for cell in self.cells_of_row(row) {
                    larger.set(cell, true);
                }
            }
            *self = larger;
        }
    }

    fn with_places(places: Places) -> Self {
        let size = |axis: usize| (places.max[axis] - places.min[axis] + 1) as usize;
        let (pitch, rows) = (size(0).div_ceil(64), size(1));
        Self {
            origin: hex(places.min[0] as i32, places.min[1] as i32),
            rows,
            pitch,
            words: alloc::vec![0; pitch * rows + 1],
        }
    }

    /// Takes all cells out, keeping the memory.
    pub(super) fn clear(&mut self) {
        self.words.fill(0);
    }

    fn cells_of_row(&self, row: usize) -> RowCells<'_> {
        let r = self.origin.r.wrapping_add(row as i32);
        self.row_cells(r, i32::MIN, i32::MAX)
    }

    /// The cells of row `r` with `min <= q <= max`, ascending.
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

    /// The words of row `r`; none outside.
    #[inline(always)]
    fn row(&self, r: i32) -> &[u64] {
        let row = r.wrapping_sub(self.origin.r) as u32 as usize;
        if row < self.rows { &self.words[row * self.pitch..(row + 1) * self.pitch] } else { &[] }
    }

    /// The 64 cells from one on along q, lowest bit first; none of them outside.
    #[inline]
    pub(super) fn from(&self, cell: Hex) -> u64 {
        let words = self.row(cell.r);
        let bit = i64::from(cell.q) - i64::from(self.origin.q);
        let word = |index: i64| usize::try_from(index).ok().and_then(|i| words.get(i)).copied();
        let (index, shift) = (bit >> 6, bit & 63);
        let low = word(index).unwrap_or(0) >> shift;
        if shift == 0 { low } else { low | word(index + 1).unwrap_or(0) << (64 - shift) }
    }

    /// The 4 × 4 cells from `corner` on, bit by bit along q, then r. The corner must be at most
    /// three places before a cell and at most three beyond one, on each axis.
    #[inline(always)]
    pub(super) fn window(&self, corner: Hex) -> u16 {
        let [bit, row] = self.place(corner);
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

    /// The first and the last cell of row `r`.
    pub(super) fn ends(&self, r: i32) -> Option<[i32; 2]> {
        let words = self.row(r);
        let first = words.iter().position(|&word| word != 0)?;
        let last = words.iter().rposition(|&word| word != 0)?;
        let q = |word: usize, bit: u32| self.origin.q.wrapping_add((word as u32 * 64 + bit) as i32);
        Some([q(first, words[first].trailing_zeros()), q(last, 63 - words[last].leading_zeros())])
    }
}

/// Cells of one row, ascending.
#[derive(Clone, Debug)]
pub(super) struct RowCells<'a> {
    words: &'a [u64],
    origin: i32,
    r: i32,
    word: usize,
    /// What is left of the word.
    bits: u64,
    /// Which bits of the last word count.
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
