//! A row: objects of one tier that begin in one strip, ascending along the first axis.

use core::ops::Range;

use broadphase_core::Slabs;

use super::level::RowId;

/// A stretch of places.
///
/// ```text
///   fence  objects, ascending by min[0]   fence  free
///    −∞    a  b  c  d  e  f  g              ∞    ·  ·
///          ↑ begin           ↑ begin + len − 1        ↑ begin + room
/// ```
#[derive(Clone, Copy, Debug)]
pub(super) struct Row<const D: usize> {
    pub(super) id: RowId<D>,
    pub(super) begin: usize,
    pub(super) len: usize,
    /// Places from `begin` on, the last fence included.
    pub(super) room: usize,
    /// How many of the places hold nothing: what was there was removed or went elsewhere.
    pub(super) holes: usize,
    /// Between which keys its objects begin, on every axis; anywhere where keys are not exact.
    pub(super) gate: Slabs<D>,
    /// Encloses all objects, as of the last refresh.
    pub(super) bounds: Slabs<D>,
}

impl<const D: usize> Row<D> {
    #[inline(always)]
    pub(super) const fn places(&self) -> Range<usize> {
        self.begin..self.begin + self.len
    }
}

/// The smallest volume that encloses both.
#[inline(always)]
pub(super) fn enclose<const D: usize>(all: &mut Slabs<D>, other: &Slabs<D>) {
    for axis in 0..D {
        all.min[axis] = all.min[axis].min(other.min[axis]);
        all.max[axis] = all.max[axis].max(other.max[axis]);
    }
}

/// Visits the rows in the block between two corners, in order.
///
/// Along the last axis rows follow each other; each such line costs a search, and lines without
/// rows cost nothing.
pub(super) fn between<const D: usize>(
    rows: &[Row<D>],
    [low, high]: [RowId<D>; 2],
    mut visit: impl FnMut(usize),
) {
    let last = D - 1;
    let line = |id: &RowId<D>| RowId {
        cell: {
            let mut cell = id.cell;
            cell[last] = 0;
            cell
        },
        ..*id
    };
    let mut from = low;
    loop {
        let mut index = rows.partition_point(|row| row.id < from);
        while let Some(row) = rows.get(index)
            && line(&row.id) == line(&from)
            && row.id.cell[last] <= high.cell[last]
        {
            visit(index);
            index += 1;
        }
        let Some(row) = rows.get(index) else { return };
        if D < 3 || row.id > high {
            return;
        }
        // Still on this line, or on a later one.
        if line(&row.id) == line(&from) {
            from.cell[1] += 1;
        } else {
            from = row.id;
        }
        from.cell[last] = low.cell[last];
    }
}
