//! Nearest objects: space around a target is searched shell by shell, inside out, as far as the
//! visitor continues.
//!
//! 1. The first shell ends at 0.9 object spacings.
//! 2. The structure tests all objects that overlap the box of the shell. An object belongs to the
//!    shell that contains its nearest point.
//! 3. A shell with too many objects is made thinner and searched again; after an empty shell the
//!    next ones are much thicker.
//! 4. The hits are passed to the visitor ascending by distance.
//! 5. When the shells have cost about four tests per object, the rest is searched at once.
//!
//! Squares that underflow or overflow cannot order distances: in `f32`, those below 1.1e-19 or
//! above 1.8e19. Two more shells order these objects by squares of scaled distances:
//!
//! * the innermost, for squares below `Measure::MIN_SQUARE`. It is searched only if the first shell
//!   has an object with such a square and a distance above 0. This is tested only if the target has
//!   a coordinate near 0: elsewhere unequal floats differ too much.
//! * the outermost, for infinite squares. It is searched only if objects are left.

use core::ops::ControlFlow;

use bounds_hexprism::{Aabb, Scalar, instances};

use super::hits::{Hit, Hits, VisitHit};
use super::region::Region;
use super::target::{Target, scaled_square, square_root_above, unscaled};

/// Maximum number of objects tested in a shell, which is made thinner otherwise.
const MAX_SEEN: usize = 128;
/// Maximum number of times a shell is made thinner.
const MAX_ATTEMPTS: usize = 12;

/// End of the first shell, in object spacings: it mostly contains one object. With 1, searches for
/// the nearest object took 10 % longer; with 0.8, those for the nearest eight.
const FIRST_RADIUS: f64 = 0.9;

/// Search around a target, shell by shell.
pub(crate) struct SearchShells<S: Scalar, const D: usize> {
    target: Target<S, D>,
    /// Upper bound of the distances to search.
    limit: f64,
    /// Whether an object may be at a distance, other than 0, whose square underflows.
    near_zero: bool,
    /// Squared distance at which the next shell begins.
    from: S::Real,
    /// Squared distance at which all shells but the outermost have ended.
    end: S::Real,
    /// Distance at which the next shell is to end.
    radius: f64,
    /// Distance at which the last shell ended.
    inner: f64,
    empty_count: i32,
    /// Number of objects that belong to no shell yet.
    left: usize,
    /// The factor by which the distances of the last shell are scaled, if they are.
    scale: Option<f64>,
    hits: Hits<S>,
}

/// One shell around a target, as the structure searches it.
#[derive(Clone, Copy, Debug)]
pub struct SearchShell<'a, S: Scalar, const D: usize> {
    target: &'a Target<S, D>,
    from: S::Real,
    /// Squared distance at which the shell ends.
    to: S::Real,
    squares: Squares,
    area: Aabb<S, D>,
}

/// How a shell computes squares of distances.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Squares {
    /// Distances are not scaled.
    Plain,
    /// Distances are not scaled; −1 replaces the square of a distance above 0 if it underflows.
    Checked,
    /// In the innermost shell distances are scaled up, because unscaled squares underflow.
    Innermost,
    /// In the outermost shell distances are scaled down, because unscaled squares overflow.
    Outermost,
}

impl<S: Scalar, const D: usize> SearchShell<'_, S, D> {
    /// Returns a box that overlaps every object that belongs to the shell.
    #[inline]
    #[must_use]
    pub const fn area(&self) -> Aabb<S, D> {
        self.area
    }

    /// Returns the squared distance of an object; `None` if it belongs to another shell or exceeds
    /// a limit. The square is scaled in the innermost and the outermost shell; visitors of
    /// [`search_nearest`] get the unscaled square.
    #[inline(always)]
    #[must_use]
    pub fn distance_squared(&self, bounds: &Aabb<S, D>) -> Option<S::Real> {
        self.square_between(self.target.bounds(), bounds)
    }

    /// Works like [`distance_squared`](Self::distance_squared) for images of the target and object.
    #[inline(always)]
    pub(crate) fn square_between(
        &self,
        target: &Aabb<S, D>,
        bounds: &Aabb<S, D>,
    ) -> Option<S::Real> {
        let square = self.target.square_between(target, bounds)?;
        if self.squares != Squares::Plain {
            return self.careful_square(target, bounds, square);
        }
        self.contains(square).then_some(square)
    }

    /// Returns whether squares are not scaled, as in all but extreme distances.
    #[inline]
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.squares == Squares::Plain
    }

    /// Works like [`distance_squared`](Self::distance_squared) with fewer instructions, if the
    /// shell [`is_plain`](Self::is_plain).
    #[inline(always)]
    #[must_use]
    pub fn plain_distance_squared(&self, bounds: &Aabb<S, D>) -> Option<S::Real> {
        let square = self.target.square_between(self.target.bounds(), bounds)?;
        self.contains(square).then_some(square)
    }

    /// Returns whether the shell contains an object at a squared distance that is not scaled.
    #[inline(always)]
    fn contains(&self, square: S::Real) -> bool {
        (self.from <= square) & (square < self.to)
    }

    /// Implements [`square_between`](Self::square_between) for all but `Plain`. `square` is the
    /// squared distance computed without scaling.
    #[cold]
    fn careful_square(
        &self,
        target: &Aabb<S, D>,
        bounds: &Aabb<S, D>,
        square: S::Real,
    ) -> Option<S::Real> {
        let scaled = |scale| scaled_square(target, bounds, scale);
        let underflows = square < S::MIN_SQUARE;
        match self.squares {
            Squares::Plain | Squares::Checked => {
                let is_inexact = underflows && scaled(S::SCALE_UP) > S::Real::ZERO;
                let number = if is_inexact { S::Real::from_f64(-1.0) } else { square };
                self.contains(square).then_some(number)
            }
            Squares::Innermost => {
                let number = scaled(S::SCALE_UP);
                let square = unscaled(number, S::SCALE_UP);
                (underflows && self.target.allows(square)).then_some(number)
            }
            Squares::Outermost => (square > S::Real::MAX).then(|| scaled(S::SCALE_DOWN)),
        }
    }
}

/// Passes all objects that may belong to a shell to [`Hits::see`].
pub type LookAtShell<'a, S, const D: usize> = dyn FnMut(&SearchShell<'_, S, D>, &mut Hits<S>) + 'a;

instances! {
    /// Visits the objects around a target, ascending by squared distance, then by key, until
    /// `visit` returns `Break`; returns its last answer. For structures.
    ///
    /// `spacing` is the typical distance between adjacent objects, and `objects` their number.
    pub fn search_nearest<S, D>(
        target: &Target<S, D>,
        spacing: Option<f64>,
        objects: usize,
        look: &mut LookAtShell<'_, S, D>,
        visit: &mut VisitHit<'_, S>,
    ) -> ControlFlow<()> {
        match SearchShells::new(target, spacing, objects) {
            Some(mut shells) => shells.each(look, visit),
            None => ControlFlow::Continue(()),
        }
    }
}

impl<S: Scalar, const D: usize> SearchShells<S, D> {
    /// Prepares the search of [`search_nearest`]; `None` if no object can be near the target.
    pub(crate) fn new(target: &Target<S, D>, spacing: Option<f64>, objects: usize) -> Option<Self> {
        let target = target.normalized()?;
        Some(Self {
            target,
            limit: target.limit(),
            near_zero: has_corner_near_zero(target.bounds()),
            from: S::Real::ZERO,
            end: target.end(),
            radius: spacing.map_or(f64::INFINITY, |spacing| FIRST_RADIUS * spacing),
            inner: 0.0,
            empty_count: 0,
            left: objects,
            scale: None,
            hits: Hits::new(objects),
        })
    }

    /// Adds an image of the target, which may have a coordinate near 0 although the target has
    /// none.
    pub(crate) fn add_image(&mut self, bounds: &Aabb<S, D>) {
        self.near_zero |= has_corner_near_zero(bounds);
    }

    pub(crate) fn each(
        &mut self,
        look: &mut LookAtShell<'_, S, D>,
        visit: &mut VisitHit<'_, S>,
    ) -> ControlFlow<()> {
        while self.search_next(look) {
            match self.scale.take() {
                None => self.hits.in_order(visit)?,
                Some(scale) => self.hits.in_order(&mut |hit| {
                    visit(&Hit { number: unscaled(hit.number, scale), ..*hit })
                })?,
            }
        }
        ControlFlow::Continue(())
    }

    /// Searches the next shell, making it thinner while its box has too many objects; returns
    /// `false` at the end.
    fn search_next(&mut self, look: &mut LookAtShell<'_, S, D>) -> bool {
        let Self { target, from, end, limit, .. } = *self;
        if self.left > 0 && from >= end && target.may_overflow() {
            self.search_scaled(look, Squares::Outermost, target.reach());
            self.left = 0;
            return true;
        }
        if self.left == 0 || from >= end {
            return false;
        }
        let is_first = from < S::MIN_SQUARE;
        let squares = if is_first && self.near_zero { Squares::Checked } else { Squares::Plain };
        for attempt in 0.. {
            let ends = self.radius < limit && self.hits.has_budget();
            let (area, to, max_seen) = match target.nearer(self.radius).filter(|_| ends) {
                Some((area, to)) => {
                    let max_seen = if attempt < MAX_ATTEMPTS { MAX_SEEN } else { usize::MAX };
                    (area, if to < end { to } else { end }, max_seen)
                }
                None => (target.reach(), end, usize::MAX),
            };
            if is_first && to <= S::MIN_SQUARE {
                self.search_innermost(look);
                break;
            }
            self.hits.begin(max_seen);
            look(&SearchShell { target: &target, from, to, squares, area }, &mut self.hits);
            self.hits.spend(1 << D);
            if self.hits.are_all() {
                if squares == Squares::Checked && self.hits.has_negative() {
                    self.search_innermost(look);
                } else {
                    self.left -= self.hits.len();
                    self.from = to;
                    self.grow();
                }
                break;
            }
            self.radius = self.inner + (self.radius - self.inner) * 0.25;
        }
        true
    }

    /// Searches the objects whose squared distance underflows. The next shell begins beyond them.
    #[cold]
    fn search_innermost(&mut self, look: &mut LookAtShell<'_, S, D>) {
        let radius = square_root_above(S::MIN_SQUARE.to_f64());
        let area = Region::around(*self.target.bounds(), S::from_f64(radius)).reach();
        self.search_scaled(look, Squares::Innermost, area);
        self.from = S::MIN_SQUARE;
        // The next shell begins here, even if it is made thinner.
        self.inner = radius;
        self.radius = if self.radius > radius { self.radius } else { 2.0 * radius };
    }

    /// Searches the innermost or the outermost shell, whose objects overlap `area`.
    #[cold]
    fn search_scaled(
        &mut self,
        look: &mut LookAtShell<'_, S, D>,
        squares: Squares,
        area: Aabb<S, D>,
    ) {
        let Self { target, from, end, .. } = *self;
        self.hits.begin(usize::MAX);
        look(&SearchShell { target: &target, from, to: end, squares, area }, &mut self.hits);
        self.hits.spend(1 << D);
        let is_innermost = squares == Squares::Innermost;
        self.scale = Some(if is_innermost { S::SCALE_UP } else { S::SCALE_DOWN });
        self.left -= self.hits.len();
    }

    /// Chooses where the next shell ends: much farther out if the last one was empty.
    fn grow(&mut self) {
        self.inner = self.radius;
        self.empty_count = if self.hits.seen() == 0 { self.empty_count + 1 } else { 0 };
        self.radius *=
            if self.empty_count > 0 { f64::from(1 << self.empty_count.min(16)) } else { 1.5 };
    }
}

/// Returns whether a coordinate is so near 0 that a distance above 0 may have a square that
/// underflows.
pub(crate) fn has_corner_near_zero<S: Scalar, const D: usize>(bounds: &Aabb<S, D>) -> bool {
    let is_near = |x: &S| x.to_f64().abs() < S::NEAR_ZERO;
    bounds.min.iter().chain(&bounds.max).any(is_near)
}

#[cfg(test)]
mod tests {
    use alloc::{vec, vec::Vec};
    use core::ops::ControlFlow;

    use super::{Aabb, Target, search_nearest};

    /// Returns the keys of all objects as found around a point, and the number of searched boxes.
    fn search(target: [f32; 2], objects: &[[f32; 2]]) -> (Vec<u32>, usize) {
        search_spaced(1.0, target, objects)
    }

    fn search_spaced(spacing: f64, target: [f32; 2], objects: &[[f32; 2]]) -> (Vec<u32>, usize) {
        let mut looks = 0;
        let mut found = Vec::new();
        let target = Target::from(target);
        let _ = search_nearest(
            &target,
            Some(spacing),
            objects.len(),
            &mut |shell, hits| {
                looks += 1;
                for (key, &at) in (0..).zip(objects) {
                    let bounds = Aabb::point(at);
                    if shell.area().overlaps(&bounds) {
                        let _ = hits.see(key, 0, || shell.distance_squared(&bounds));
                    }
                }
            },
            &mut |hit| {
                found.push(hit.key);
                ControlFlow::Continue(())
            },
        );
        (found, looks)
    }

    #[test]
    fn crowds_at_distances_whose_squares_underflow_are_found_once() {
        let points: Vec<[f32; 2]> = (0..300u16).map(|n| [f32::from(n) * 1e-21, 0.0]).collect();
        for target in [0.0, 7e-20, 1.3e-19] {
            let (mut found, _) = search_spaced(1e-21, [target, 0.0], &points);
            found.sort_unstable();
            assert!(found.iter().copied().eq(0..300), "{} of 300 from {target}", found.len());
        }
    }

    #[test]
    fn extreme_distances_take_two_more_shells_only_where_they_occur() {
        // Boxes that overlap the target, and one next to it, are in the first shell.
        assert_eq!(search([3.0; 2], &[[3.0; 2], [3.0; 2], [3.5, 3.0]]), (vec![0, 1, 2], 1));
        assert_eq!(search([0.0; 2], &[[0.0; 2], [1e-3, 0.0]]), (vec![0, 1], 1));
        // Three searches: the first shell, the innermost one, and the rest of the first one.
        let (found, looks) = search([0.0; 2], &[[2e-30, 0.0], [1e-30, 0.0], [0.5, 0.0]]);
        assert_eq!((found, looks), (vec![1, 0, 2], 3));
        // Searches of empty shells, each much thicker than the last, and of the outermost shell.
        let (found, looks) = search([0.0; 2], &[[0.0, -2e38], [1e30, 0.0], [f32::MAX; 2]]);
        assert_eq!(found, [1, 0, 2]);
        assert!(looks < 16, "{looks} looks");
    }
}
