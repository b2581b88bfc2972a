//! Cell ids: one number that names a cell and its grid.
//!
//! The id of a cell is all that [`overlaps`](crate::overlaps) gets about the grid, so it has the
//! side of the cell and the rule by which pairs are reported:
//!
//! ```text
//! bit  63      53 to 62      48 to 52              0 to 47
//!      tier    base + 512    level above base      Morton code of the low corner, in base cells
//! ```
//!
//! * *Base cells* have the side 2^base. A coordinate has 24 bits in two dimensions and 16 in three,
//!   and is 0 at half the range. Coordinates out of range are in the first or last cell. The
//!   mapping is monotone, which is all that the rules below need.
//! * The cell consists of 2^level base cells on each axis.
//! * A *tier* cell is a cell of a coarser level, for large boxes. Its base is the side of the cells
//!   of the next finer level.
//!
//! **Which cells.** A box is *small* at a level if it touches at most 64 cells there. It is listed
//! in the cells of the first level at which it is small, or of the last level, and of all coarser
//! levels.
//!
//! **Which pairs.** The low corner of the intersection of two boxes is in one cell of each level;
//! both boxes are listed there if they are listed at this level. So a group of boxes reports a pair
//! if its cell contains that corner. In a tier cell, two boxes that are both small at the next
//! finer level are skipped: they are reported there. So each pair is reported once.

use broadphase_morton::Code;

/// The largest number of cells of a small box.
const MAX_CELLS_OF_SMALL: f64 = 64.0;
/// The largest number of cells of a box at the last level.
pub(crate) const MAX_CELLS: u64 = 1 << 20;
/// Levels are between these; 2^level and 2^-level are exact.
pub(crate) const LEVELS: core::ops::RangeInclusive<i64> = -512..=511;
/// Number of bits of the Morton code.
const CODE_BITS: u32 = 48;

/// A cell and its grid in `D` dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cell<const D: usize> {
    code: Code<D>,
    level: u32,
    base: i32,
    is_tier: bool,
}

/// Bounds of a box in base cells, without a limit of the range.
#[derive(Clone, Copy)]
struct Reach<const D: usize> {
    low: [f64; D],
    high: [f64; D],
}

impl<const D: usize> Reach<D> {
    fn new(base: i32, min: [f64; D], max: [f64; D]) -> Self {
        let scale = scale(base);
        let floor = |x: [f64; D]| x.map(|x| (x * scale).floor());
        Self { low: floor(min), high: floor(max) }
    }

    /// Returns whether the box touches at most 64 cells.
    fn is_small(&self) -> bool {
        let along = |axis| self.high[axis] - self.low[axis] + 1.0;
        (0..D).map(along).product::<f64>() <= MAX_CELLS_OF_SMALL
    }
}

/// Returns 2^-base.
fn scale(base: i32) -> f64 {
    f64::from_bits(((1023 - base) as u64) << 52)
}

impl<const D: usize> Cell<D> {
    /// Number of bits of a coordinate.
    const BITS: u32 = CODE_BITS / D as u32;

    /// Returns the base cell of a coordinate.
    fn index(floor: f64) -> u32 {
        let half = f64::from(1u32 << (Self::BITS - 1));
        (floor + half).clamp(0.0, 2.0 * half - 1.0) as u32
    }

    /// Returns the number that names this cell.
    fn id(self) -> u64 {
        let base = (self.base + 512) as u64;
        u64::from(self.is_tier) << 63
            | base << 53
            | u64::from(self.level) << CODE_BITS
            | self.code.bits()
    }

    /// Returns the cell with this id.
    pub(crate) fn from_id(id: u64) -> Self {
        Self {
            code: Code::from_bits(id & ((1 << CODE_BITS) - 1)),
            level: (id >> CODE_BITS) as u32 & 31,
            base: (id >> 53) as i32 % 1024 - 512,
            is_tier: id >> 63 == 1,
        }
    }

    /// Returns whether the group of this cell reports the pair of two boxes that overlap. Maxima
    /// are enlarged as they were when cells were listed.
    pub(crate) fn reports(&self, a: [[f64; D]; 2], b: [[f64; D]; 2]) -> bool {
        let scale = scale(self.base);
        let corner: [u32; D] = core::array::from_fn(|axis| {
            let x = if a[0][axis] > b[0][axis] { a[0][axis] } else { b[0][axis] };
            Self::index((x * scale).floor())
        });
        let contains = Code::encode(corner).parent(self.level) == self.code;
        let is_small = |[min, max]: [[f64; D]; 2]| Reach::new(self.base, min, max).is_small();
        contains && !(self.is_tier && is_small(a) && is_small(b))
    }
}

/// Appends the ids of the cells of a box to `out`. `levels` are ascending, in [`LEVELS`], and at
/// most 16 apart. The box is valid; it may be infinite.
///
/// # Errors
/// If the box touches more than 2^20 cells of the last level.
pub(crate) fn list_cells<const D: usize>(
    levels: &[i32],
    min: [f64; D],
    max: [f64; D],
    out: &mut Vec<u64>,
) -> Result<(), TooManyCells> {
    let is_small = |&level: &i32| Reach::new(level, min, max).is_small();
    let home = levels.iter().position(is_small).unwrap_or(levels.len() - 1);
    for (at, &level) in levels.iter().enumerate().skip(home) {
        let base = levels[at.saturating_sub(1)];
        let above = (level - base) as u32;
        let reach = Reach::new(base, min, max);
        let low = reach.low.map(|x| Cell::<D>::index(x) >> above);
        let high = reach.high.map(|x| Cell::<D>::index(x) >> above);
        let count: u64 = (0..D).map(|axis| u64::from(high[axis] - low[axis]) + 1).product();
        if count > MAX_CELLS {
            return Err(TooManyCells(count));
        }
        let mut at_cell = low;
        for _ in 0..count {
            let code = Code::encode(at_cell.map(|x| x << above));
            out.push(Cell { code, level: above, base, is_tier: at > 0 }.id());
            for axis in 0..D {
                if at_cell[axis] < high[axis] {
                    at_cell[axis] += 1;
                    break;
                }
                at_cell[axis] = low[axis];
            }
        }
    }
    Ok(())
}

/// A box touches this number of cells of the last level.
pub(crate) struct TooManyCells(pub(crate) u64);
