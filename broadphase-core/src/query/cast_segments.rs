//! Casts: a path is searched segment by segment, front to back, and only as far as the visitor
//! continues.
//!
//! 1. The first segment is about three object spacings long.
//! 2. The structure tests all objects that overlap the segment's bounding box. An object belongs to
//!    the segment in which it is first touched.
//! 3. If a segment has too many objects, it is shortened and searched again; if it has few, the
//!    next one is longer.
//! 4. The hits are passed to the visitor ascending by fraction.
//! 5. When the segments have cost about four tests per object of the structure, the rest of the
//!    path is searched at once.

use bounds_hexprism::{Aabb, Flow, Scalar, instances};

use super::hits::{Hit, Hits, Visitor, show_until_stopped};
use super::path::{Path, PreparedPath};
use super::path_bounds::PathBounds;
use crate::kernel::sweep::Line;

/// Maximum number of objects tested in a segment; with more, the segment is shortened if possible.
const MAX_SEEN: usize = 128;
/// A segment with fewer objects tested is followed by a longer one.
const MIN_SEEN: usize = 16;
/// Length of the first segment, in object spacings.
const FIRST_LENGTH: f64 = 3.0;

/// Search of a path segment by segment. An object belongs to the segment in which it is first
/// touched.
///
/// Structures implement casts with this type. [`visit_by_regions`](super::visit_by_regions) runs
/// one box query per segment.
#[derive(Clone, Debug)]
pub struct CastSegments<S: Scalar, const D: usize> {
    path: PreparedPath<S, D>,
    line: Line<D>,
    /// Fraction at which the next segment begins.
    from: f64,
    /// Length of the next segment, as a fraction.
    length: f64,
    /// Minimum length of a segment, as a fraction.
    shortest: f64,
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

    /// Returns the line of the whole path, for [`Along`](crate::kernel::sweep::Along), the
    /// conservative test of eight objects at a time.
    #[inline]
    #[must_use]
    pub const fn line(&self) -> &Line<D> {
        self.line
    }

    /// Returns the bounds of the path beside its main axis, up to the end of the segment; `None` if
    /// they are not finite.
    #[inline(always)]
    #[must_use]
    pub fn path_bounds(&self) -> Option<PathBounds<D>> {
        let end = self.path.end();
        self.path.path_bounds(if self.to < end { self.to } else { end })
    }

    /// Returns the fraction at which the path first touches an object; `None` if never, or in
    /// another segment.
    #[inline(always)]
    #[must_use]
    pub fn first_touch(&self, bounds: &Aabb<S, D>) -> Option<S::Real> {
        let fraction = self.path.first_touch(bounds)?;
        (self.from..self.to).contains(&fraction.to_f64()).then_some(fraction)
    }

    /// Returns a box around the part of the segment that may touch `bounds`. The box overlaps every
    /// object that lies inside `bounds` and is first touched in this segment. Returns `None` if no
    /// such object can exist. `bounds` may be infinite and must overlap the [`area`](Self::area).
    #[inline]
    #[must_use]
    pub fn area_within(&self, bounds: &Aabb<S, D>) -> Option<Aabb<S, D>> {
        let [enter, exit] = self.path.overlap_interval(bounds);
        let from = if enter > self.from { enter } else { self.from };
        let to = if exit < self.to { exit } else { self.to };
        (from <= to).then(|| self.path.segment_box([from, to]))
    }
}

impl<S: Scalar, const D: usize> CastSegments<S, D> {
    /// Prepares the search of a path among `objects` objects whose typical distance is `spacing`;
    /// `None` if the path touches nothing.
    ///
    /// `grows` allows segments to lengthen fast where there are few objects. Set it to `false` if
    /// larger boxes make queries slower, as in structures with cells.
    #[inline]
    #[must_use]
    pub fn new(
        path: &Path<S, D>,
        spacing: Option<f64>,
        objects: usize,
        grows: bool,
    ) -> Option<Self> {
        begin(path, spacing, objects, grows)
    }

    /// Searches all segments: `look` must pass to [`Hits::see`] every object that may belong to the
    /// segment. Passes the hits to `show`, ascending by fraction, then by key, until `show` stops.
    ///
    /// ```
    /// use broadphase_core::query::CastSegments;
    /// use broadphase_core::{Aabb, Path};
    ///
    /// let world = [5.0, 2.0, 9.0].map(|x| Aabb::point([x]));
    /// let mut segments = CastSegments::new(&Path::segment([0.0], [8.0]), Some(3.0), 3, true).unwrap();
    /// let mut touched = Vec::new();
    /// segments.each(
    ///     |segment, hits| {
    ///         let _ = (0..).zip(&world).try_for_each(|(key, bounds)| {
    ///             hits.see(key, 0, || segment.first_touch(bounds))
    ///         });
    ///     },
    ///     |hit| touched.push((hit.key, hit.number)),
    /// );
    /// assert_eq!(touched, [(1, 0.25), (0, 0.625)]);
    /// ```
    #[inline]
    pub fn each<R: Flow>(
        &mut self,
        mut look: impl FnMut(&CastSegment<'_, S, D>, &mut Hits<S>),
        show: impl FnMut(&Hit<S>) -> R,
    ) -> R {
        show_until_stopped(show, |show| each(self, &mut look, show))
    }

    /// Searches the next segment, repeatedly if it must be shortened: `look` must pass to
    /// [`Hits::see`] every object that may belong to the segment. Returns the hits of the segment;
    /// `None` after the last one.
    #[inline]
    pub fn next(
        &mut self,
        mut look: impl FnMut(&CastSegment<'_, S, D>, &mut Hits<S>),
    ) -> Option<&mut Hits<S>> {
        next(self, &mut look).then_some(&mut self.hits)
    }

    /// Returns the cost of searching a box, without the cost of testing objects: constant if
    /// `grows` is set, else the number of cells in the box, at most the number of objects.
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
            // Even the shortest segment has too many objects: lengthen it, to test them less often.
            self.length *= 2.0;
        } else if self.empty_count > 0 {
            self.length *= f64::from(1 << self.empty_count.min(16));
        } else if seen < MIN_SEEN {
            self.length *= if self.grows { 4.0 } else { 2.0 };
        }
    }
}

/// Callback of the structure: tests all objects that may belong to the segment.
type Look<'a, S, const D: usize> = dyn FnMut(&CastSegment<'_, S, D>, &mut Hits<S>) + 'a;

instances! {
    /// Implements [`CastSegments::new`].
    fn begin<S, D>(
        path: &Path<S, D>,
        spacing: Option<f64>,
        objects: usize,
        grows: bool,
    ) -> Option<CastSegments<S, D>> {
        let path = path.prepared()?;
        // The length is infinite for a path that does not move.
        let length =
            spacing.map_or(f64::INFINITY, |spacing| FIRST_LENGTH * spacing / path.max_movement());
        Some(CastSegments {
            line: path.line(),
            path,
            from: 0.0,
            length,
            shortest: length * 0.25,
            spacing: spacing.unwrap_or(f64::INFINITY),
            objects,
            grows,
            empty_count: 0,
            hits: Hits::new(objects),
        })
    }

    /// Implements [`CastSegments::each`].
    fn each<S, D>(
        segments: &mut CastSegments<S, D>,
        look: &mut Look<'_, S, D>,
        show: &mut Visitor<'_, S>,
    ) {
        while search_next(segments, look) {
            if segments.hits.in_order(&mut *show).is_break() {
                return;
            }
        }
    }

    /// Implements [`CastSegments::next`]; returns whether there was another segment.
    fn next<S, D>(segments: &mut CastSegments<S, D>, look: &mut Look<'_, S, D>) -> bool {
        search_next(segments, look)
    }
}

/// Searches the next segment, shortening it while it has too many objects; returns `false` if the
/// path has ended.
fn search_next<S: Scalar, const D: usize>(
    segments: &mut CastSegments<S, D>,
    look: &mut Look<'_, S, D>,
) -> bool {
    let (from, end) = (segments.from, segments.path.end());
    if from == f64::INFINITY || from > end || segments.path.is_out_of_range(from) {
        return false;
    }
    loop {
        let mut to = from + segments.length;
        let is_last = to >= end || to >= S::Real::MAX.to_f64() || !segments.hits.has_budget();
        // If `to <= from`, no number lies between the two.
        if is_last || to <= from {
            to = f64::INFINITY;
        }
        let area = segments.path.segment_box([from, if to < end { to } else { end }]);
        let shrinks = segments.length > segments.shortest && to < f64::INFINITY;
        segments.hits.begin(if shrinks { MAX_SEEN } else { usize::MAX });
        let segment = CastSegment { path: &segments.path, line: &segments.line, from, to, area };
        look(&segment, &mut segments.hits);
        segments.hits.spend(segments.cell_cost(&area));
        if segments.hits.are_all() {
            segments.from = to;
            segments.adapt_length();
            return true;
        }
        let shorter = segments.length * 0.25;
        segments.length = if shorter > segments.shortest { shorter } else { segments.shortest };
    }
}

#[cfg(test)]
mod tests {
    use super::{Aabb, CastSegments, Path};

    #[test]
    fn a_large_moving_box_with_few_objects_takes_few_steps() {
        let looks = |side: f32| {
            let start = Aabb::new([0.0; 2], [side; 2]);
            let path = Path::sweep(start, [100_000.0, 0.0]);
            let mut looks = 0;
            let segments = CastSegments::new(&path, Some(1.0), 100_000, false);
            segments.expect("the path moves").each(
                |_, hits| {
                    looks += 1;
                    let _ = (0..20).try_for_each(|key| hits.see(key, 0, || None));
                },
                |_| (),
            );
            looks
        };
        // When four tests per object are spent, one last segment covers the rest of the path.
        assert!(looks(250.0) < 16, "{} looks", looks(250.0));
        assert!(looks(1e6) < 16, "{} looks", looks(1e6));
        assert!(looks(1.0) > 1000, "{} looks, as each is cheap", looks(1.0));
    }
}
