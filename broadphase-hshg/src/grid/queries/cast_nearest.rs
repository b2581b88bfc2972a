//! Casts (objects on a path, front to back) and nearest-object queries.
//!
//! Both proceed in order of distance: a path is cut into segments, the surroundings of a target
//! into shells. For each segment or shell, the rows near it are scanned, and hits are sorted before
//! the next one is scanned, so that visitors can stop early.

use core::ops::ControlFlow;

use broadphase_core::kernel::sweep::Line;
use broadphase_core::query::{CastSegment, CastSegments, Hit, Hits, SearchShell, SearchShells};
use broadphase_core::{Aabb, Entry, Flow, Path, Scalar, Slabs, Target, instances};

use crate::grid::storage::row::Row;
use crate::grid::{Core, Hshg, PENDING};

/// Segments shorter than this many object spacings along the rows have only a few blocks to scan
/// per row. Clipping them to each row is not worthwhile.
const SHORT_SPACINGS: f64 = 4.0;

instances! {
    /// Calls `emit` with the objects on a path, front to back, until it breaks.
    fn cast<S, D>(
        core: &Core<S, D>,
        path: &Path<S, D>,
        emit: &mut dyn FnMut(&Hit<S>) -> ControlFlow<()>,
    ) {
        if let Some(mut segments) = CastSegments::new(path, core.spacing, core.len, true) {
            let _ = segments.each(|segment, hits| core.scan_segment(segment, hits), emit);
        }
    }

    /// Calls `emit` with the objects near a target, nearest first, until it breaks.
    fn nearest<S, D>(
        core: &Core<S, D>,
        target: Target<S, D>,
        emit: &mut dyn FnMut(&Hit<S>) -> ControlFlow<()>,
    ) {
        if let Some(mut shells) = SearchShells::new(target, core.spacing, core.len) {
            let _ = shells.each(|shell, hits| core.scan_shell(shell, hits), emit);
        }
    }
}

impl<S: Scalar, const D: usize, T: Copy> Hshg<S, D, T> {
    /// Visits the objects on a path, front to back.
    pub(in crate::grid) fn cast_path<R: Flow>(
        &self,
        path: &Path<S, D>,
        visit: &mut impl FnMut(Entry<'_, S, D, T>, S::Real) -> R,
    ) -> R {
        let mut answer = R::CONTINUE;
        cast(&self.core, path, &mut |hit| self.emit(hit, visit, &mut answer));
        answer
    }

    /// Visits the objects near a target, nearest first.
    pub(in crate::grid) fn find_nearest<R: Flow>(
        &self,
        target: Target<S, D>,
        visit: &mut impl FnMut(Entry<'_, S, D, T>, S::Real) -> R,
    ) -> R {
        let mut answer = R::CONTINUE;
        nearest(&self.core, target, &mut |hit| self.emit(hit, visit, &mut answer));
        answer
    }

    /// Calls the visitor with a hit.
    #[inline]
    fn emit<R: Flow>(
        &self,
        hit: &Hit<S>,
        visit: &mut impl FnMut(Entry<'_, S, D, T>, S::Real) -> R,
        answer: &mut R,
    ) -> ControlFlow<()> {
        *answer = visit(self.entry(hit.slot as usize), hit.number);
        if answer.stops() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl<S: Scalar, const D: usize> Core<S, D> {
    /// Collects the objects that can belong to a shell.
    fn scan_shell(&self, shell: &SearchShell<'_, S, D>, hits: &mut Hits<S>) {
        let area = shell.area();
        let slabs = self.store.axes.slabs(&area);
        let number = |bounds: &Aabb<S, D>| shell.distance_squared(bounds);
        self.scan_area(&area, &slabs, None, |_| Some(slabs), hits, number);
    }

    /// Collects the objects that can belong to a segment.
    #[inline]
    fn scan_segment(&self, segment: &CastSegment<'_, S, D>, hits: &mut Hits<S>) {
        let area = segment.area();
        let axes = self.store.axes;
        let (slabs, first) = (axes.slabs(&area), axes.first());
        let width = area.max[first].to_f64() - area.min[first].to_f64();
        let is_short = self.spacing.is_some_and(|spacing| width < SHORT_SPACINGS * spacing);
        let part = |row: &Row<D>| {
            if is_short {
                return Some(slabs);
            }
            let Slabs { min, max } = row.bounds;
            // A segment that stays within the row cannot be clipped.
            let stays =
                (1..D).all(|axis| min[axis] <= slabs.min[axis] && slabs.max[axis] <= max[axis]);
            if row.bounds_stale || stays {
                return Some(slabs);
            }
            segment.area_within(&axes.bounds(&row.bounds)).map(|area| axes.slabs(&area))
        };
        let number = |bounds: &Aabb<S, D>| segment.first_touch(bounds);
        self.scan_area(&area, &slabs, Some(segment.line()), part, hits, number);
    }

    /// Tests the objects that overlap an area with these slabs, until there are too many; `number`
    /// returns the fraction or squared distance of a hit.
    #[inline(always)]
    fn scan_area(
        &self,
        area: &Aabb<S, D>,
        slabs: &Slabs<D>,
        line: Option<&Line<D>>,
        part: impl FnMut(&Row<D>) -> Option<Slabs<D>>,
        hits: &mut Hits<S>,
        number: impl Fn(&Aabb<S, D>) -> Option<S::Real>,
    ) {
        let mut answer = self.scan_rows(slabs, line, part, &mut |slots| {
            slots.iter().try_for_each(|&slot| {
                let (key, bounds) =
                    (self.store.keys[slot as usize], self.store.bounds(slot as usize));
                hits.see(key, slot, || number(&bounds))
            })
        });
        for (index, body) in self.pending.iter().enumerate() {
            if answer.is_break() {
                return;
            }
            if body.bounds.overlaps(area) {
                let slot = (PENDING | index) as u32;
                answer = hits.see(body.key, slot, || number(&body.bounds));
            }
        }
    }
}
