//! A row: objects of one tier that begin in one strip, ascending along the first axis.

use core::ops::Range;

use broadphase_core::Slabs;
pub(super) use broadphase_core::kernel::sweep::SPARE;

/// One place in so many is left free when a row is laid out, for what arrives later.
pub(super) const GAP: usize = 16;

/// How many kinds of objects have rows of their own.
pub(super) const KINDS: u8 = 3;

/// Where a row is: whose objects it has, its tier, then its cell on every axis but the first,
/// which is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RowId<const D: usize> {
    pub(super) kind: u8,
    pub(super) tier: i32,
    pub(super) cell: [i32; D],
}

/// A stretch of places.
///
/// ```text
///   fence  objects, ascending by min[0]   free places
///    −∞    a  b  c  d  ○  e  f  g  h       ∞  ∞  ∞ …       ○ a hole
///          ↑ begin              ↑ begin + len − 1        ↑ begin + room
/// ```
#[derive(Clone, Copy, Debug)]
pub(super) struct Row<const D: usize> {
    pub(super) id: RowId<D>,
    pub(super) begin: usize,
    pub(super) len: usize,
    /// Places from `begin` on, the free ones included.
    pub(super) room: usize,
    /// How many of the places hold nothing: what was there was removed or went elsewhere.
    pub(super) holes: usize,
    /// Between which keys its objects begin, on every axis.
    pub(super) gate: Slabs<D>,
    /// Encloses all objects, unless it is loose.
    pub(super) bounds: Slabs<D>,
    /// Whether objects were changed in place since the last refresh.
    pub(super) loose: bool,
}

impl<const D: usize> Row<D> {
    /// A row that has no places yet.
    pub(super) const fn new(id: RowId<D>, gate: Slabs<D>) -> Self {
        let bounds = Slabs::PADDING;
        Self { id, begin: 0, len: 0, room: 0, holes: 0, gate, bounds, loose: false }
    }

    /// How many places it takes up, its fence included.
    pub(super) const fn held(&self) -> usize {
        self.room + (self.room > 0) as usize
    }

    /// How many objects it has.
    pub(super) const fn objects(&self) -> usize {
        self.len - self.holes
    }

    #[inline(always)]
    pub(super) const fn places(&self) -> Range<usize> {
        self.begin..self.begin + self.len
    }
}

/// How many places a row needs for so many objects, holes among them included.
pub(super) const fn places_for(objects: usize) -> usize {
    objects + objects / (GAP - 1)
}

/// Makes the first volume enclose the second as well.
#[inline(always)]
pub(super) fn enclose<const D: usize>(all: &mut Slabs<D>, other: &Slabs<D>) {
    for axis in 0..D {
        all.min[axis] = all.min[axis].min(other.min[axis]);
        all.max[axis] = all.max[axis].max(other.max[axis]);
    }
}

/// Visits the rows of one kind and tier in the block of cells between two corners, in order.
///
/// Along the last axis rows follow each other; each such line costs a search, and lines without
/// rows cost nothing.
pub(super) fn in_block<const D: usize>(
    rows: &[Row<D>],
    [kind, tier]: [i32; 2],
    [low, high]: [[i32; D]; 2],
    mut visit: impl FnMut(usize),
) {
    let last = D - 1;
    let id = |cell| RowId { kind: kind as u8, tier, cell };
    let mut from = low;
    loop {
        let mut end = from;
        end[last] = high[last];
        let begin = rows.partition_point(|row| row.id < id(from));
        let line = rows[begin..].iter().take_while(|row| row.id <= id(end)).count();
        for index in begin..begin + line {
            visit(index);
        }
        let Some(next) = rows.get(begin + line) else { return };
        if D < 3 || next.id > id(high) {
            return;
        }
        // On a later line, or on this one, behind the block.
        let is_later = next.id.cell[1] > from[1];
        from[1] = if is_later { next.id.cell[1] } else { from[1] + 1 };
    }
}
