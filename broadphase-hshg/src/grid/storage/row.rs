//! Rows: ranges of slots. The objects of a row have one motion class and tier, their low corners
//! lie in one strip of cells, and they ascend along the first axis.
//!
//! Rows are in a vector sorted by [`RowId`]. [`find`] finds a row by interpolation, then by binary
//! search; [`visit_block`] visits the rows in a box of cells, with one search per line of cells.

use core::ops::Range;

pub(crate) use broadphase_core::kernel::sweep::SPARE;
use broadphase_core::{Motion, Slabs};

/// One slot in every `GAP_PERIOD` is free when a row is laid out, for later insertions.
pub(crate) const GAP_PERIOD: usize = 16;

/// The motion class of a row. Rows are sorted by class, then by tier and cell: dynamic rows are
/// first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Class {
    Dynamic,
    Sleeping,
    Static,
}

impl Class {
    pub(crate) const ALL: [Self; 3] = [Self::Dynamic, Self::Sleeping, Self::Static];

    pub(crate) const fn of(motion: Motion) -> Self {
        match motion {
            Motion::Dynamic => Self::Dynamic,
            Motion::Sleeping => Self::Sleeping,
            Motion::Static => Self::Static,
        }
    }

    pub(crate) const fn motion(self) -> Motion {
        match self {
            Self::Dynamic => Motion::Dynamic,
            Self::Sleeping => Motion::Sleeping,
            Self::Static => Motion::Static,
        }
    }
}

/// The identity of a row: motion class, tier, and cell. The cell is 0 on the first axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RowId<const D: usize> {
    pub(crate) class: Class,
    pub(crate) tier: i32,
    pub(crate) cell: [i32; D],
}

/// A row: a range of slots.
///
/// ```text
///   fence  objects, ascending by min[0]   free slots
///    −∞    a  b  c  d  ○  e  f  g  h       ∞  ∞  ∞ …       ○ a hole
///          ↑ begin              ↑ begin + len − 1        ↑ begin + room
/// ```
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row<const D: usize> {
    pub(crate) id: RowId<D>,
    pub(crate) begin: usize,
    pub(crate) len: usize,
    /// The number of slots from `begin` on, including free slots.
    pub(crate) room: usize,
    /// The number of holes among the first `len` slots.
    pub(crate) holes: usize,
    /// For each axis, the range of integer keys in which the low ends of this row's objects lie.
    pub(crate) gate: Slabs<D>,
    /// The box around the slabs of all objects; out of date if `bounds_stale` is set.
    pub(crate) bounds: Slabs<D>,
    /// Set if an object got other slabs in its old slot since the last refresh.
    pub(crate) bounds_stale: bool,
}

impl<const D: usize> Row<D> {
    /// Returns a row without slots.
    pub(crate) const fn new(id: RowId<D>, gate: Slabs<D>) -> Self {
        let bounds = Slabs::PADDING;
        Self { id, begin: 0, len: 0, room: 0, holes: 0, gate, bounds, bounds_stale: false }
    }

    /// Returns the number of slots in the store, including the fence and free slots.
    pub(crate) const fn slots_held(&self) -> usize {
        self.room + (self.room > 0) as usize
    }

    pub(crate) const fn objects(&self) -> usize {
        self.len - self.holes
    }

    /// Returns whether the boxes of two rows, which must not be stale, overlap.
    pub(crate) fn meets(&self, other: &Self) -> bool {
        self.len > 0 && other.len > 0 && self.bounds.overlaps(&other.bounds)
    }

    #[inline(always)]
    pub(crate) const fn slots(&self) -> Range<usize> {
        self.begin..self.begin + self.len
    }
}

/// Returns the number of slots of a new row with this number of objects and gaps ([`GAP_PERIOD`]).
pub(crate) const fn slots_for(objects: usize) -> usize {
    objects + objects / (GAP_PERIOD - 1)
}

/// Enlarges `all` to contain `other`.
#[inline(always)]
pub(crate) fn enclose<const D: usize>(all: &mut Slabs<D>, other: &Slabs<D>) {
    for axis in 0..D {
        all.min[axis] = all.min[axis].min(other.min[axis]);
        all.max[axis] = all.max[axis].max(other.max[axis]);
    }
}

/// Returns the number of rows of the motion classes up to `last`. These are the first rows.
pub(crate) fn rows_up_to<const D: usize>(rows: &[Row<D>], last: Class) -> usize {
    rows.partition_point(|row| row.id.class <= last)
}

/// Returns the motion classes up to the last one that has rows.
pub(crate) fn classes<const D: usize>(rows: &[Row<D>]) -> &'static [Class] {
    let count = rows.last().map_or(0, |row| row.id.class as usize + 1);
    const ALL: &[Class] = &Class::ALL;
    &ALL[..count]
}

pub(crate) fn sort<const D: usize>(rows: &mut [Row<D>]) {
    rows.sort_unstable_by_key(|row| row.id);
}

pub(crate) fn sort_as_stored<const D: usize>(rows: &mut [Row<D>]) {
    rows.sort_unstable_by_key(|row| row.begin);
}

pub(crate) fn sort_references_as_stored<const D: usize>(rows: &mut [(u32, &mut Row<D>)]) {
    rows.sort_unstable_by_key(|(_, row)| row.begin);
}

/// Visits the rows of one motion class and tier in a box of cells, ascending.
///
/// The rows of one line of cells along the last axis are contiguous. Each line with rows costs one
/// search; lines without rows cost nothing.
#[inline]
pub(crate) fn visit_block<const D: usize>(
    rows: &[Row<D>],
    (class, tier): (Class, i32),
    [low, high]: [[i32; D]; 2],
    mut visit: impl FnMut(usize),
) {
    let Range { start: begin, end } = rows_of_group(rows, class, tier);
    let rows = &rows[begin..end];
    let last = D - 1;
    let mut from = low;
    let mut index = first_at(rows, &from);
    while let Some(row) = rows.get(index) {
        let cell = &row.id.cell;
        let on_line = D < 3 || cell[1] == from[1];
        if on_line && cell[last] <= high[last] {
            visit(begin + index);
            index += 1;
            continue;
        }
        if D < 3 || cell[1] > high[1] {
            return;
        }
        // The row lies on a later line, or on this line but after the block.
        from[1] = if on_line { from[1] + 1 } else { cell[1] };
        if from[1] > high[1] {
            return;
        }
        index += first_at(&rows[index..], &from);
    }
}

#[inline]
pub(crate) fn find<const D: usize>(rows: &[Row<D>], id: &RowId<D>) -> Option<usize> {
    let Range { start: begin, end } = rows_of_group(rows, id.class, id.tier);
    let rows = &rows[begin..end];
    let index = first_at(rows, &id.cell);
    (rows.get(index)?.id.cell == id.cell).then_some(begin + index)
}

/// Returns the range of rows with a motion class and tier.
#[inline]
pub(crate) fn rows_of_group<const D: usize>(
    rows: &[Row<D>],
    class: Class,
    tier: i32,
) -> Range<usize> {
    let is_of = |row: &Row<D>| (row.id.class, row.id.tier) == (class, tier);
    if let [first, .., last] = rows
        && is_of(first)
        && is_of(last)
    {
        return 0..rows.len();
    }
    let begin = rows.partition_point(|row| (row.id.class, row.id.tier) < (class, tier));
    let len = rows[begin..].partition_point(is_of);
    begin..begin + len
}

/// Returns the index of the first row at or after `cell`, among rows of one motion class and tier:
/// interpolates between the first and last row, which is exact if every cell has a row, else
/// continues with a binary search.
#[inline(always)]
fn first_at<const D: usize>(rows: &[Row<D>], cell: &[i32; D]) -> usize {
    let [first, .., end] = rows else {
        return rows.iter().take_while(|row| row.id.cell < *cell).count();
    };
    let mut guess = 0;
    for ((&at, &low), &high) in cell.iter().zip(&first.id.cell).zip(&end.id.cell).skip(1) {
        let width = i64::from(high) - i64::from(low) + 1;
        let from_low = i64::from(at) - i64::from(low);
        guess = guess * width.max(1) + from_low.clamp(0, width.max(1) - 1);
    }
    let guess = (guess as usize).min(rows.len() - 1);
    let is_before = |index: usize| rows[index].id.cell < *cell;
    if is_before(guess) {
        match rows.get(guess + 1) {
            Some(next) if next.id.cell < *cell => {
                guess + 1 + rows[guess + 1..].partition_point(|row| row.id.cell < *cell)
            }
            _ => guess + 1,
        }
    } else if guess == 0 || is_before(guess - 1) {
        guess
    } else {
        rows[..guess].partition_point(|row| row.id.cell < *cell)
    }
}
