//! What overlaps a box: which cells it touches, then what their entries are, then where those lie;
//! many at each step, so that they wait for memory together.

use core::hint::black_box;

use broadphase_core::{Flow, Slabs};

use super::cells::Cells;
use super::map::CellMap;
use super::placement::Placement;
use super::span::Span;
use super::table::CHUNK;

/// So many cells, and so many entries, are fetched at once.
const TOGETHER: usize = 32;

/// Entries, and the numbers of the cells in which they are.
struct Entries {
    slots: [u32; TOGETHER + CHUNK],
    cells: [u32; TOGETHER + CHUNK],
    len: usize,
}

/// A box, and the cells it touches.
struct Question<'a, const D: usize, M> {
    all: &'a Cells<D, M>,
    slabs: &'a Slabs<D>,
    span: &'a Span<D>,
    /// Whether every object is in one cell only.
    single: bool,
}

impl<const D: usize, M: CellMap<D>> Cells<D, M> {
    /// Visits once every object that may overlap a box, which touches these cells, and is not
    /// oversized.
    pub(super) fn overlapping<R: Flow>(
        &self,
        slabs: &Slabs<D>,
        span: &Span<D>,
        mut visit: impl FnMut(u32) -> R,
    ) -> R {
        let single = self.placement() == Placement::FirstCell;
        let question = Question { all: self, slabs, span, single };
        let (mut numbers, mut len) = ([0; TOGETHER], 0);
        let none = [0; TOGETHER + CHUNK];
        let mut entries = Entries { slots: none, cells: none, len: 0 };
        let mut answer = self.table.each(&self.homes_of_those_in(span), |number| {
            numbers[len] = number;
            len += 1;
            if len < TOGETHER {
                return R::CONTINUE;
            }
            len = 0;
            question.look_into(&numbers, &mut entries, &mut visit)
        });
        if !answer.stops() {
            answer = question.look_into(&numbers[..len], &mut entries, &mut visit);
        }
        if answer.stops() { answer } else { question.visit(&mut entries, &mut visit) }
    }
}

impl<const D: usize, M: CellMap<D>> Question<'_, D, M> {
    /// Notes the entries of some cells, and visits them when there are enough.
    #[inline(always)]
    fn look_into<R: Flow>(
        &self,
        numbers: &[u32],
        entries: &mut Entries,
        visit: &mut impl FnMut(u32) -> R,
    ) -> R {
        let table = &self.all.table;
        let cell = |&number: &u32| table.cell(number as usize);
        // One thing of each, so that all are on their way before the first is needed.
        black_box(numbers.iter().fold(0, |all, number| all ^ cell(number).count));
        for number in numbers {
            if let Some(only) = cell(number).only_entries() {
                // As many as there may be, so that no branch depends on how many there are.
                entries.slots[entries.len..][..CHUNK].copy_from_slice(only);
                entries.cells[entries.len..][..CHUNK].fill(*number);
                entries.len += cell(number).count as usize;
                if entries.len >= TOGETHER {
                    let answer = self.visit(entries, visit);
                    if answer.stops() {
                        return answer;
                    }
                }
                continue;
            }
            for &slot in table.entries_of(*number as usize).flatten() {
                entries.slots[entries.len] = slot;
                entries.cells[entries.len] = *number;
                entries.len += 1;
                if entries.len >= TOGETHER {
                    let answer = self.visit(entries, visit);
                    if answer.stops() {
                        return answer;
                    }
                }
            }
        }
        R::CONTINUE
    }

    /// Visits those of some entries that may overlap the box, each in one of its cells, and forgets
    /// all.
    #[inline(always)]
    fn visit<R: Flow>(&self, entries: &mut Entries, visit: &mut impl FnMut(u32) -> R) -> R {
        let Self { all, slabs, span, single } = self;
        let place = |slot: u32| &all.places[slot as usize];
        let Entries { slots, cells, len } = entries;
        let len = core::mem::take(len);
        // All of them are waited for at once, as the cells were.
        black_box(slots[..len].iter().fold(0, |all, &slot| all ^ place(slot).span.low[0]));
        let mut hits = 0;
        for entry in 0..len {
            let slot = slots[entry];
            let (own, cell) = (place(slot), &all.table.cell(cells[entry] as usize).at);
            let mut counts = true;
            for (axis, &at) in cell.iter().enumerate() {
                counts &= own.slabs.min[axis] <= slabs.max[axis];
                counts &= slabs.min[axis] <= own.slabs.max[axis];
                // It is met in every cell that both touch, and counts in the first.
                counts &= *single | (at == own.span.low[axis].max(span.low[axis]));
            }
            // Nobody can guess which ones count: so no branch depends on it.
            slots[hits] = slot;
            hits += usize::from(counts);
        }
        for &slot in &slots[..hits] {
            let answer = visit(slot);
            if answer.stops() {
                return answer;
            }
        }
        R::CONTINUE
    }
}
