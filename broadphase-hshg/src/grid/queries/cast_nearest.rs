//! Casts (objects on a path, front to back) and nearest-object queries.
//!
//! Both proceed in order of distance: a path is cut into segments, the space around a target into
//! shells. For each segment or shell, the rows near it are scanned, and the hits are sorted and
//! visited. Then the next one is scanned, so a visitor that stops saves the remaining scans.

use core::ops::ControlFlow;

use broadphase_core::kernel::sweep::Line;
use broadphase_core::query::{CastSegment, CastSegments, Hit, Hits, SearchShell, SearchShells};
use broadphase_core::{Aabb, Entry, Flow, Path, Scalar, Slabs, Target, instances};

use crate::grid::storage::axis_order::AxisOrder;
use crate::grid::storage::row::Row;
use crate::grid::{Core, Hshg, PENDING};

/// Segments whose extent along the rows is below this many object spacings are not clipped to each
/// row: they have only a few blocks to scan per row.
const SHORT_SPACINGS: f64 = 4.0;

instances! {
    /// Calls `emit` with the objects on a path, front to back, until `emit` breaks.
    fn cast<S, D>(
        core: &Core<S, D>,
        path: &Path<S, D>,
        emit: &mut dyn FnMut(&Hit<S>) -> ControlFlow<()>,
    ) {
        if let Some(mut segments) = CastSegments::new(path, core.spacing, core.len, true) {
            let _ = segments.each(|segment, hits| core.scan_segment(segment, hits), emit);
        }
    }

    /// Calls `emit` with the objects near a target, nearest first, until `emit` breaks.
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

    /// Calls the visitor with a hit and stores its result. Breaks if the visitor stops.
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
    /// Adds to `hits` the objects of a shell, with their squared distances.
    fn scan_shell(&self, shell: &SearchShell<'_, S, D>, hits: &mut Hits<S>) {
        if !(shell.is_plain() && self.store.axes == AxisOrder::UNCHANGED) {
            return self.scan_any_shell(shell, hits);
        }
        // The slabs of the shell stay in registers, and the test of an object has no branch.
        let area = shell.area();
        let slabs = area.slabs();
        let number = |bounds: &Aabb<S, D>| shell.plain_distance_squared(bounds);
        self.scan_area(&area, &slabs, None, |_| Some(slabs), hits, number);
    }

    /// Does the work of [`scan_shell`](Self::scan_shell) for any shell and order of axes.
    #[inline(never)]
    fn scan_any_shell(&self, shell: &SearchShell<'_, S, D>, hits: &mut Hits<S>) {
        let area = shell.area();
        let slabs = self.store.axes.slabs(&area);
        let number = |bounds: &Aabb<S, D>| shell.distance_squared(bounds);
        self.scan_area(&area, &slabs, None, |_| Some(slabs), hits, number);
    }

    /// Adds to `hits` the objects that a segment touches, each with the fraction of the path at its
    /// first touch.
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
            // Clipping has no effect on a segment that lies within the box of the row on all axes
            // but the first.
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

    /// Tests the objects that overlap `area`, whose slabs are `slabs`, and adds each hit to `hits`,
    /// until `hits` has seen more objects than its maximum. `part` is described at
    /// [`scan_rows`](Self::scan_rows). `number` returns the fraction or squared distance of a hit,
    /// or `None` if an object is not a hit.
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
        let bounds = self.store.all_bounds();
        let mut answer = self.scan_rows(slabs, line, part, &mut |slots| {
            slots.iter().try_for_each(|&slot| {
                hits.see(self.store.keys[slot as usize], slot, || number(&bounds(slot as usize)))
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
