//! Casts: a path is searched segment by segment, as far as the visitor continues.
//!
//! 1. The first segment is about three object spacings long.
//! 2. The structure tests all objects that overlap the segment's box. An object belongs to the
//!    segment in which the path first touches it.
//! 3. A segment with too many objects is shortened and searched again; after one with few, the next
//!    is longer.
//! 4. The hits are passed to the visitor ascending by fraction.
//! 5. When the segments have cost about four tests per object, the rest is searched at once.

use core::ops::ControlFlow;

use bounds_hexprism::{Aabb, Scalar, instances};

use super::hits::{Hits, VisitHit};
use super::path::{Path, PreparedPath};
use super::path_bounds::PathBounds;
use crate::kernel::sweep::Line;

/// Maximum number of objects tested in a segment, which is shortened otherwise.
const MAX_SEEN: usize = 128;
/// A segment with fewer objects tested is followed by a longer one.
const MIN_SEEN: usize = 16;
/// Length of the first segment, in object spacings.
const FIRST_LENGTH: f64 = 3.0;

/// Search of a path segment by segment.
pub(crate) struct CastSegments<S: Scalar, const D: usize> {
    path: PreparedPath<S, D>,
    line: Line<D>,
    /// Fraction at which the next segment begins.
    from: f64,
    /// Length of the next segment, as a fraction.
    length: f64,
    /// Minimum and maximum length of a segment, as fractions.
    shortest: f64,
    longest: f64,
    /// Typical distance between adjacent objects.
    spacing: f64,
    objects: usize,
    grows: bool,
    /// Number of successive segments without objects.
    empty_count: i32,
    hits: Hits<S>,
}

/// One segment of a path, as the structure searches it.
#[derive(Clone, Copy, Debug)]
pub struct CastSegment<'a, S: Scalar, const D: usize> {
    path: &'a PreparedPath<S, D>,
    line: &'a Line<D>,
    from: f64,
    to: f64,
    area: Aabb<S, D>,
}

impl<S: Scalar, const D: usize> CastSegment<'_, S, D> {
    /// Returns a box, possibly infinite, that overlaps every object of the segment.
    #[inline]
    #[must_use]
    pub const fn area(&self) -> Aabb<S, D> {
        self.area
    }

    /// Returns the line of the whole path for the conservative test of eight objects at a time.
    #[inline]
    #[must_use]
    pub const fn line(&self) -> &Line<D> {
        self.line
    }

    /// Returns the bounds of the path beside its main axis, up to the end of the segment, if
    /// finite.
    #[inline(always)]
    #[must_use]
    pub fn path_bounds(&self) -> Option<PathBounds<D>> {
        self.path.path_bounds(self.range()[1])
    }

    /// Returns the fraction at which the path first touches an object, if in this segment.
    #[inline(always)]
    #[must_use]
    pub fn first_touch(&self, bounds: &Aabb<S, D>) -> Option<S::Real> {
        self.first_touch_of(self.path, bounds)
    }

    /// Returns [`first_touch`](Self::first_touch) for an image of the path.
    #[inline(always)]
    pub(crate) fn first_touch_of(
        &self,
        path: &PreparedPath<S, D>,
        bounds: &Aabb<S, D>,
    ) -> Option<S::Real> {
        let fraction = path.first_touch(bounds)?;
        (self.from..self.to).contains(&fraction.to_f64()).then_some(fraction)
    }

    pub(crate) fn range(&self) -> [f64; 2] {
        let end = self.path.end();
        [self.from, if self.to < end { self.to } else { end }]
    }

    /// Returns a box around the part of the segment that may touch `bounds`. The box overlaps every
    /// object inside `bounds` that is first touched in this segment. Returns `None` if no such
    /// object can exist. `bounds` may be infinite and must overlap the [`area`](Self::area).
    #[inline]
    #[must_use]
    pub fn area_within(&self, bounds: &Aabb<S, D>) -> Option<Aabb<S, D>> {
        let [enter, exit] = self.path.overlap_interval(bounds);
        let from = if enter > self.from { enter } else { self.from };
        let to = if exit < self.to { exit } else { self.to };
        (from <= to).then(|| self.path.segment_box([from, to]))
    }
}

/// Passes all objects that may belong to a segment to [`Hits::see`].
pub type LookAtSegment<'a, S, const D: usize> =
    dyn FnMut(&CastSegment<'_, S, D>, &mut Hits<S>) + 'a;

instances! {
    /// Visits the objects that a path touches, ascending by fraction, then by key, until `visit`
    /// returns `Break`; returns its last answer.
    ///
    /// For structures: `spacing` is the typical distance between adjacent objects, `objects` their
    /// number. Set `grows` to `false` if larger boxes make queries slower, as in structures with
    /// cells: otherwise segments lengthen fast where there are few objects.
    ///
    /// ```
    /// use broadphase_core::{Aabb, Path, query};
    /// use std::ops::ControlFlow;
    ///
    /// let world = [5.0, 2.0, 9.0].map(|x| Aabb::point([x]));
    /// let mut touched = Vec::new();
    /// let path = Path::segment([0.0], [8.0]);
    /// let _ = query::search_path(&path, Some(3.0), 3, true, &mut |segment, hits| {
    ///     let _ = (0..).zip(&world).try_for_each(|(key, bounds)| {
    ///         hits.see(key, 0, || segment.first_touch(bounds))
    ///     });
    /// }, &mut |hit| {
    ///     touched.push((hit.key, hit.number));
    ///     ControlFlow::Continue(())
    /// });
    /// assert_eq!(touched, [(1, 0.25), (0, 0.625)]);
    /// ```
    pub fn search_path<S, D>(
        path: &Path<S, D>,
        spacing: Option<f64>,
        objects: usize,
        grows: bool,
        look: &mut LookAtSegment<'_, S, D>,
        visit: &mut VisitHit<'_, S>,
    ) -> ControlFlow<()> {
        match CastSegments::new(path, spacing, objects, grows) {
            Some(mut segments) => segments.each(look, visit),
            None => ControlFlow::Continue(()),
        }
    }
}

impl<S: Scalar, const D: usize> CastSegments<S, D> {
    /// Prepares the search of [`search_path`]; `None` if the path touches nothing.
    pub(crate) fn new(
        path: &Path<S, D>,
        spacing: Option<f64>,
        objects: usize,
        grows: bool,
    ) -> Option<Self> {
        let path = path.prepared()?;
        // The length is infinite for a path that does not move.
        let length =
            spacing.map_or(f64::INFINITY, |spacing| FIRST_LENGTH * spacing / path.max_movement());
        Some(Self {
            line: path.line(),
            path,
            from: 0.0,
            length,
            shortest: length * 0.25,
            longest: f64::INFINITY,
            spacing: spacing.unwrap_or(f64::INFINITY),
            objects,
            grows,
            empty_count: 0,
            hits: Hits::new(objects),
        })
    }

    /// Sets the minimum and maximum length of a segment, as fractions. With a finite maximum, the
    /// whole path is searched in segments.
    pub(crate) fn limit_lengths(&mut self, shortest: f64, longest: f64) {
        self.shortest = self.shortest.max(shortest).min(longest);
        self.longest = longest;
        self.length = self.length.max(shortest).min(longest);
    }

    pub(crate) fn each(
        &mut self,
        look: &mut LookAtSegment<'_, S, D>,
        visit: &mut VisitHit<'_, S>,
    ) -> ControlFlow<()> {
        while self.search_next(look) {
            self.hits.in_order(visit)?;
        }
        ControlFlow::Continue(())
    }

    /// Searches the next segment, shortening it while it has too many objects; returns `false` at
    /// the end.
    fn search_next(&mut self, look: &mut LookAtSegment<'_, S, D>) -> bool {
        let (from, end) = (self.from, self.path.end());
        if from == f64::INFINITY || from > end || self.path.is_out_of_range(from) {
            return false;
        }
        loop {
            let mut to = from + self.length;
            let budget_spent = !self.hits.has_budget() && self.longest == f64::INFINITY;
            let is_last = to >= end || to >= S::Real::MAX.to_f64() || budget_spent;
            // If `to <= from`, no number lies between the two.
            if is_last || to <= from {
                to = f64::INFINITY;
            }
            let area = self.path.segment_box([from, if to < end { to } else { end }]);
            let shrinks = self.length > self.shortest && to < f64::INFINITY;
            self.hits.begin(if shrinks { MAX_SEEN } else { usize::MAX });
            let segment = CastSegment { path: &self.path, line: &self.line, from, to, area };
            look(&segment, &mut self.hits);
            self.hits.spend(self.cell_cost(&area));
            if self.hits.are_all() {
                self.from = to;
                self.adapt_length();
                return true;
            }
            let shorter = self.length * 0.25;
            self.length = if shorter > self.shortest { shorter } else { self.shortest };
        }
    }

    /// Returns the cost of searching a box without the tests of objects: the number of cells in the
    /// box, at most that of objects; a constant if `grows` is set.
    fn cell_cost(&self, area: &Aabb<S, D>) -> usize {
        if self.grows {
            return 1 << D;
        }
        let cells = (0..D).fold(1.0, |cells, axis| {
            let extent = area.max[axis].to_f64() - area.min[axis].to_f64();
            cells * (extent / self.spacing + 1.0)
        });
        // The cast saturates: infinity becomes the largest number, NaN 0.
        (cells as usize).min(self.objects).max((FIRST_LENGTH as usize).pow(D as u32))
    }

    /// Adapts the length of the next segment to the number of objects tested in the last one.
    fn adapt_length(&mut self) {
        let seen = self.hits.seen();
        self.empty_count = if seen == 0 { self.empty_count + 1 } else { 0 };
        if seen > MAX_SEEN {
            // Even the shortest segment has too many objects: test them less often.
            self.length *= 2.0;
        } else if self.empty_count > 0 {
            self.length *= f64::from(1 << self.empty_count.min(16));
        } else if seen < MIN_SEEN {
            self.length *= if self.grows { 4.0 } else { 2.0 };
        }
        self.length = if self.length < self.longest { self.length } else { self.longest };
    }
}

#[cfg(test)]
mod tests {
    use core::ops::ControlFlow;

    use super::{Aabb, CastSegment, Hits, Path, search_path};

    #[test]
    fn a_large_moving_box_with_few_objects_takes_few_steps() {
        let looks = |side: f32| {
            let start = Aabb::new([0.0; 2], [side; 2]);
            let path = Path::sweep(start, [100_000.0, 0.0]);
            let mut looks = 0;
            let look = &mut |_: &CastSegment<'_, f32, 2>, hits: &mut Hits<f32>| {
                looks += 1;
                let _ = (0..20).try_for_each(|key| hits.see(key, 0, || None));
            };
            let visit = &mut |_: &_| ControlFlow::Continue(());
            let _ = search_path(&path, Some(1.0), 100_000, false, look, visit);
            looks
        };
        // When four tests per object are spent, one last segment covers the rest of the path.
        assert!(looks(250.0) < 16, "{} looks", looks(250.0));
        assert!(looks(1e6) < 16, "{} looks", looks(1e6));
        assert!(looks(1.0) > 1000, "{} looks, as each is cheap", looks(1.0));
    }
}
