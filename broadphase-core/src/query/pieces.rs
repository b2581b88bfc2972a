//! A path, piece by piece, so that it is walked front to back and no farther than wanted.

use core::ops::ControlFlow;

use bounds_hexprism::{Aabb, Flow, Scalar, instances};

use super::course::Course;
use super::hits::{Hit, Hits, Show};
use super::path::{Path, Straight};
use crate::kernel::sweep::Line;

/// So many objects in one piece are too many, if it can be shorter.
const MANY: usize = 128;
/// So many are few.
const FEW: usize = 16;
/// So many spacings are a good first piece.
const FIRST: f64 = 3.0;

/// A path, piece by piece. An object belongs to the piece in which it is first touched.
///
/// How structures cast: [`SpatialIndex::cast`](crate::SpatialIndex::cast) as provided is nothing
/// else, with a box query for each piece.
#[derive(Clone, Debug)]
pub struct Pieces<S: Scalar, const D: usize> {
    straight: Straight<S, D>,
    line: Line<D>,
    /// Where the next piece begins.
    from: f64,
    /// How long it should be, as a fraction.
    length: f64,
    /// Shorter ones do not pay.
    shortest: f64,
    /// How far it is from one object to the next, and how many there are.
    spacing: f64,
    objects: usize,
    grows: bool,
    /// How many pieces in a row had nothing in them.
    empty: i32,
    hits: Hits<S>,
}

/// What is asked about one piece.
#[derive(Clone, Copy, Debug)]
pub struct Piece<'a, S: Scalar, const D: usize> {
    straight: &'a Straight<S, D>,
    line: &'a Line<D>,
    from: f64,
    to: f64,
    area: Aabb<S, D>,
}

impl<S: Scalar, const D: usize> Piece<'_, S, D> {
    /// A box, maybe infinite, that overlaps all that belongs to the piece.
    #[inline]
    #[must_use]
    pub const fn area(&self) -> Aabb<S, D> {
        self.area
    }

    /// The whole way, for a quick look at many objects.
    #[inline]
    #[must_use]
    pub const fn line(&self) -> &Line<D> {
        self.line
    }

    /// Where the way is beside its main axis, if that is known.
    #[inline(always)]
    #[must_use]
    pub fn course(&self) -> Option<Course<D>> {
        let end = self.straight.end();
        self.straight.course(if self.to < end { self.to } else { end })
    }

    /// The fraction at which an object is first touched, if it belongs to the piece.
    #[inline(always)]
    #[must_use]
    pub fn first_touch(&self, bounds: &Aabb<S, D>) -> Option<S::Real> {
        let fraction = self.straight.first_touch(bounds)?;
        (self.from..self.to).contains(&fraction.to_f64()).then_some(fraction)
    }

    /// A box that overlaps all in another one, which may be infinite, that belongs to the piece;
    /// `None` if nothing does. The other one must overlap the [`area`](Self::area).
    #[inline]
    #[must_use]
    pub fn area_within(&self, bounds: &Aabb<S, D>) -> Option<Aabb<S, D>> {
        let [enter, exit] = self.straight.stay(bounds);
        let from = if enter > self.from { enter } else { self.from };
        let to = if exit < self.to { exit } else { self.to };
        (from <= to).then(|| self.straight.piece([from, to]))
    }
}

impl<S: Scalar, const D: usize> Pieces<S, D> {
    /// The pieces of a path among so many objects that are about so far apart; `None` if the path
    /// touches nothing. `grows` says whether pieces may soon become much larger where there is
    /// little, which is bad where what a box costs is its size.
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

    /// Goes through all pieces; `look` is to [`see`](Hits::see) all that may belong to one. Shows
    /// what does, ascending by fraction, then by key, until `show` stops.
    ///
    /// ```
    /// use broadphase_core::query::Pieces;
    /// use broadphase_core::{Aabb, Path};
    ///
    /// let world = [5.0, 2.0, 9.0].map(|x| Aabb::point([x]));
    /// let mut pieces = Pieces::new(&Path::segment([0.0], [8.0]), Some(3.0), 3, true).unwrap();
    /// let mut touched = Vec::new();
    /// pieces.each(
    ///     |piece, hits| {
    ///         let _ = (0..).zip(&world).try_for_each(|(key, bounds)| {
    ///             hits.see(key, 0, || piece.first_touch(bounds))
    ///         });
    ///     },
    ///     |hit| touched.push((hit.key, hit.number)),
    /// );
    /// assert_eq!(touched, [(1, 0.25), (0, 0.625)]);
    /// ```
    #[inline]
    pub fn each<R: Flow>(
        &mut self,
        mut look: impl FnMut(&Piece<'_, S, D>, &mut Hits<S>),
        mut show: impl FnMut(&Hit<S>) -> R,
    ) -> R {
        let mut last = R::CONTINUE;
        each(self, &mut look, &mut |hit| {
            let answer = show(hit);
            if answer.stops() {
                last = answer;
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        last
    }

    /// Goes to the next piece and looks at it, maybe several times; `look` is to
    /// [`see`](Hits::see) all that may belong to it. Yields what does; `None` at the end.
    #[inline]
    pub fn next(
        &mut self,
        mut look: impl FnMut(&Piece<'_, S, D>, &mut Hits<S>),
    ) -> Option<&mut Hits<S>> {
        next(self, &mut look).then_some(&mut self.hits)
    }

    /// What looking takes even where nothing is: some for each row, or for each cell, unless that is
    /// more than a look at every object.
    fn effort(&self, area: &Aabb<S, D>) -> usize {
        if self.grows {
            return 1 << D;
        }
        let cells = (0..D).fold(1.0, |cells, axis| {
            let extent = area.max[axis].to_f64() - area.min[axis].to_f64();
            cells * (extent / self.spacing + 1.0)
        });
        // The cast turns what is infinite into the largest number, and what is none into 0.
        (cells as usize).min(self.objects).max((FIRST as usize).pow(D as u32))
    }

    /// Chooses how long the next piece should be.
    fn adapt(&mut self) {
        let seen = self.hits.seen();
        self.empty = if seen == 0 { self.empty + 1 } else { 0 };
        if seen > MANY {
            // Even the shortest pieces see so much, again and again.
            self.length *= 2.0;
        } else if self.empty > 0 {
            self.length *= f64::from(1 << self.empty.min(16));
        } else if seen < FEW {
            self.length *= if self.grows { 4.0 } else { 2.0 };
        }
    }
}

/// Shows one piece to a structure, which sees all objects that may belong to it.
type Look<'a, S, const D: usize> = dyn FnMut(&Piece<'_, S, D>, &mut Hits<S>) + 'a;

instances! {
    /// [`Pieces::new`].
    fn begin<S, D>(
        path: &Path<S, D>,
        spacing: Option<f64>,
        objects: usize,
        grows: bool,
    ) -> Option<Pieces<S, D>> {
        let straight = path.prepared()?;
        // Infinite for a path that goes nowhere.
        let length = spacing.map_or(f64::INFINITY, |spacing| FIRST * spacing / straight.pace());
        Some(Pieces {
            line: straight.line(),
            straight,
            from: 0.0,
            length,
            shortest: length * 0.25,
            spacing: spacing.unwrap_or(f64::INFINITY),
            objects,
            grows,
            empty: 0,
            hits: Hits::new(objects),
        })
    }

    /// [`Pieces::each`].
    fn each<S, D>(
        pieces: &mut Pieces<S, D>,
        look: &mut Look<'_, S, D>,
        show: &mut Show<'_, S>,
    ) {
        while go_on(pieces, look) {
            if pieces.hits.in_order(&mut *show).is_break() {
                return;
            }
        }
    }

    /// [`Pieces::next`]; returns whether there is another piece.
    fn next<S, D>(pieces: &mut Pieces<S, D>, look: &mut Look<'_, S, D>) -> bool {
        go_on(pieces, look)
    }
}

/// Goes to the next piece and looks at it, maybe several times; returns whether there is one.
fn go_on<S: Scalar, const D: usize>(pieces: &mut Pieces<S, D>, look: &mut Look<'_, S, D>) -> bool {
    let (from, end) = (pieces.from, pieces.straight.end());
    if from == f64::INFINITY || from > end || pieces.straight.has_left(from) {
        return false;
    }
    loop {
        let mut to = from + pieces.length;
        let is_last = to >= end || to >= S::Real::MAX.to_f64() || !pieces.hits.may_go_on();
        // Or there is no number between the two.
        if is_last || to <= from {
            to = f64::INFINITY;
        }
        let area = pieces.straight.piece([from, if to < end { to } else { end }]);
        let shrinks = pieces.length > pieces.shortest && to < f64::INFINITY;
        pieces.hits.begin(if shrinks { MANY } else { usize::MAX });
        let piece = Piece { straight: &pieces.straight, line: &pieces.line, from, to, area };
        look(&piece, &mut pieces.hits);
        pieces.hits.pay(pieces.effort(&area));
        if pieces.hits.are_all() {
            pieces.from = to;
            pieces.adapt();
            return true;
        }
        let shorter = pieces.length * 0.25;
        pieces.length = if shorter > pieces.shortest { shorter } else { pieces.shortest };
    }
}

#[cfg(test)]
mod tests {
    use super::{Aabb, Path, Pieces};

    #[test]
    fn a_large_box_that_sees_little_again_and_again_is_soon_there() {
        let looks = |side: f32| {
            let start = Aabb::new([0.0; 2], [side; 2]);
            let path = Path::sweep(start, [100_000.0, 0.0]);
            let mut looks = 0;
            let pieces = Pieces::new(&path, Some(1.0), 100_000, false);
            pieces.expect("it goes somewhere").each(
                |_, hits| {
                    looks += 1;
                    let _ = (0..20).try_for_each(|key| hits.see(key, 0, || None));
                },
                |_| (),
            );
            looks
        };
        // In all about four times as many cells as there are objects, and a last look at the rest.
        assert!(looks(250.0) < 16, "{} looks", looks(250.0));
        assert!(looks(1e6) < 16, "{} looks", looks(1e6));
        assert!(looks(1.0) > 1000, "{} looks, since each takes little", looks(1.0));
    }
}
