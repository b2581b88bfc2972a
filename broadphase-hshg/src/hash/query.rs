//! What a region overlaps: what is in the cells it touches, and who is oversized.

use alloc::vec::Vec;

use broadphase_core::{Entry, Flow, Region, Scalar};

use super::span::Span;
use super::{CellMap, SpatialHash};

impl<S: Scalar, const D: usize, T: Copy, M: CellMap<D>> SpatialHash<S, D, T, M> {
    /// Visits the objects that overlap a region.
    pub(super) fn query_region<R: Flow>(
        &self,
        region: &Region<S, D>,
        visit: &mut impl FnMut(Entry<'_, S, D, T>) -> R,
    ) -> R {
        let mut confirm = |slot: u32| {
            let entry = self.objects.entry(slot as usize);
            if region.overlaps(&entry.bounds) { visit(entry) } else { R::CONTINUE }
        };
        let reach = region.reach();
        let span = self.cells.span(&reach);
        if span.count() > self.objects.len() as u64 {
            // Fewer objects than cells to look into: look at the objects.
            for slot in 0..self.objects.len() {
                let answer = confirm(slot as u32);
                if answer.stops() {
                    return answer;
                }
            }
            return R::CONTINUE;
        }
        let slabs = reach.slabs();
        let answer = self.cells.overlapping(&slabs, &span, &mut confirm);
        if answer.stops() {
            return answer;
        }
        self.cells
            .large
            .query(self.backend, &slabs, |position| confirm(self.cells.large_slots[position]))
    }
}

impl<S: Scalar, const D: usize, T: Copy, M: CellMap<D>> SpatialHash<S, D, T, M> {
    /// The keys of the objects that touch a cell, in no particular order.
    ///
    /// Which cells a segment or box touches say [`cells_on_segment`](crate::cells_on_segment) and
    /// [`cells_in_box`](crate::cells_in_box), with [`cell`](Self::cell) as the side.
    ///
    /// ```
    /// use broadphase_hshg::{Aabb, SpatialHash, SpatialIndex, cells_on_segment};
    ///
    /// let mut world: SpatialHash<f32, 2> = SpatialHash::new(4.0);
    /// world.insert(7, Aabb::new([5.0, 1.0], [9.0, 2.0]), ())?;
    /// let cells = cells_on_segment([0.0, 1.0], [5.0, 3.0], world.cell()).unwrap();
    /// let found: Vec<_> = cells.flat_map(|cell| world.keys_in(cell)).collect();
    /// assert_eq!(found, [7]);
    /// # Ok::<(), broadphase_hshg::IndexError>(())
    /// ```
    pub fn keys_in(&self, cell: [i32; D]) -> impl Iterator<Item = u32> + '_ {
        let mut slots = Vec::new();
        let touches = |slot: &u32| self.cells.places[*slot as usize].span.contains(&cell);
        let around = self.cells.homes_of_those_in(&Span { low: cell, high: cell });
        self.cells.table.each(&around, |number| {
            let entries = self.cells.table.entries_of(number as usize).flatten();
            slots.extend(entries.copied().filter(touches));
        });
        slots.extend(self.cells.large_slots.iter().copied().filter(touches));
        slots.into_iter().map(|slot| self.objects.keys()[slot as usize])
    }
}
