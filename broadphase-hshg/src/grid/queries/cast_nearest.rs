//! Casts (objects on a path, front to back) and nearest-object queries.
//!
//! A path is cut into segments, the space around a target into shells. For each, in order of
//! distance, the rows near it are scanned, and the hits are sorted and visited. A visitor that
//! stops saves the remaining scans.

use core::ops::ControlFlow;

use broadphase_core::kernel::sweep::Line;
use broadphase_core::query::{CastSegment, Hits, SearchShell, search_nearest, search_path};
use broadphase_core::{Aabb, Path, Scalar, Slabs, Target, Visit};

use crate::grid::storage::axis_order::AxisOrder;
use crate::grid::storage::row::Row;
use crate::grid::{Hshg, PENDING};

/// Segments shorter than this along the rows, in object spacings, are not clipped to each row,
/// where they have only a few blocks to scan.
const SHORT_SPACINGS: f64 = 4.0;

impl<S: Scalar, const D: usize> Hshg<S, D> {
    /// Visits the objects on a path, front to back.
    pub(super) fn cast(&self, path: &Path<S, D>, visit: &mut Visit<'_, S, D>) -> ControlFlow<()> {
        search_path(
            path,
            self.spacing,
            self.len,
            true,
            &mut |segment, hits| self.scan_segment(segment, hits),
            &mut |hit| visit(self.entry(hit.slot as usize), hit.number),
        )
    }

    /// Visits the objects near a target, nearest first.
    pub(super) fn nearest(
        &self,
        target: &Target<S, D>,
        visit: &mut Visit<'_, S, D>,
    ) -> ControlFlow<()> {
        search_nearest(
            target,
            self.spacing,
            self.len,
            &mut |shell, hits| self.scan_shell(shell, hits),
            &mut |hit| visit(self.entry(hit.slot as usize), hit.number),
        )
    }

    /// Adds to `hits` the objects of a shell, with their squared distances.
    fn scan_shell(&self, shell: &SearchShell<'_, S, D>, hits: &mut Hits<S>) {
        if !(shell.is_plain() && self.store.axes == AxisOrder::UNCHANGED) {
            return self.scan_any_shell(shell, hits);
        }
        // Slabs of the shell stay in registers, and objects are tested without a branch.
        let area = shell.area();
        let slabs = area.slabs();
        let number = |bounds: &Aabb<S, D>| shell.plain_distance_squared(bounds);
        self.scan_area(&area, &slabs, None, |_| Some(slabs), hits, number);
    }

    /// Does [`scan_shell`](Self::scan_shell) for any shell and order of axes.
    #[inline(never)]
    fn scan_any_shell(&self, shell: &SearchShell<'_, S, D>, hits: &mut Hits<S>) {
        let area = shell.area();
        let slabs = self.store.axes.slabs(&area);
        let number = |bounds: &Aabb<S, D>| shell.distance_squared(bounds);
        self.scan_area(&area, &slabs, None, |_| Some(slabs), hits, number);
    }

    /// Adds to `hits` the objects that a segment touches, each with the fraction of first touch.
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
            // Clipping changes nothing if the segment lies within the row's box on all axes except
            // the first.
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

    /// Tests the objects that overlap `area`, whose slabs are `slabs`, and adds hits to `hits`,
    /// until the maximum of objects is exceeded. `part` is described at
    /// [`scan_rows`](Self::scan_rows). `number` returns the fraction or squared distance of a hit,
    /// else `None`.
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
        for (index, bounds) in self.pending.bounds.iter().enumerate() {
            if answer.is_break() {
                return;
            }
            if bounds.overlaps(area) {
                let slot = (PENDING | index) as u32;
                answer = hits.see(self.pending.keys[index], slot, || number(bounds));
            }
        }
    }
}
