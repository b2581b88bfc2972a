//! Searches that grow: along a path piece by piece, and around a target ring by ring.
//!
//! Both ask for boxes and decide exactly what is found there, so they are right for every
//! structure, and fast where its box queries are. A box is as large as pays: it grows where there
//! is little and shrinks where there is much.

use bounds_hexprism::{Flow, Scalar};

use super::hits::{Hit, Hits};
use super::path::Path;
use super::pieces::Pieces;
use super::target::Target;
use crate::{Entry, SpatialIndex};

/// So many objects in one box are too many, if it can be smaller.
const MANY: usize = 128;

/// Shows what was found.
#[inline]
pub(crate) fn show<S: Scalar, const D: usize, I: SpatialIndex<S, D>, R: Flow>(
    index: &I,
    hits: &[Hit<S>],
    visit: &mut impl FnMut(Entry<'_, S, D, I::Data>, S::Real) -> R,
) -> R {
    for hit in hits {
        if let Some(entry) = index.get(hit.key) {
            let answer = visit(entry, hit.number);
            if answer.stops() {
                return answer;
            }
        }
    }
    R::CONTINUE
}

/// Visits what a path touches, ascending by fraction, then by key.
pub(crate) fn cast<S: Scalar, const D: usize, I: SpatialIndex<S, D>, R: Flow>(
    index: &I,
    path: &Path<S, D>,
    grows: bool,
    mut visit: impl FnMut(Entry<'_, S, D, I::Data>, S::Real) -> R,
) -> R {
    let Some(mut pieces) = Pieces::new(path, index.spacing(), index.len(), grows) else {
        return R::CONTINUE;
    };
    loop {
        let hits = pieces.next(|piece, hits| {
            let _ = index.query_unordered(piece.area(), |entry| {
                hits.see(entry.key, 0, || piece.first_touch(&entry.bounds))
            });
        });
        let Some(hits) = hits else { return R::CONTINUE };
        let answer = show(index, hits, &mut visit);
        if answer.stops() {
            return answer;
        }
    }
}

/// Visits what is near, ascending by squared distance, then by key.
pub(crate) fn nearest<S: Scalar, const D: usize, I: SpatialIndex<S, D>, R: Flow>(
    index: &I,
    target: Target<S, D>,
    mut visit: impl FnMut(Entry<'_, S, D, I::Data>, S::Real) -> R,
) -> R {
    let Some(target) = target.askable() else { return R::CONTINUE };
    let mut rings = Rings::new(index, target);
    while rings.next(index) {
        let answer = show(index, rings.hits.sorted(), &mut visit);
        if answer.stops() {
            return answer;
        }
    }
    R::CONTINUE
}

/// What is around a target, ring by ring.
struct Rings<S: Scalar, const D: usize> {
    target: Target<S, D>,
    /// The square of where the next ring begins.
    from: S::Real,
    /// Where it should end.
    radius: f64,
    /// Where the last one ended.
    inner: f64,
    empty: i32,
    /// How many objects are in no ring yet.
    left: usize,
    hits: Hits<S>,
}

impl<S: Scalar, const D: usize> Rings<S, D> {
    fn new<I: SpatialIndex<S, D>>(index: &I, target: Target<S, D>) -> Self {
        Self {
            target,
            from: S::Real::ZERO,
            radius: index.spacing().unwrap_or(f64::INFINITY),
            inner: 0.0,
            empty: 0,
            left: index.len(),
            hits: Hits::new(index.len()),
        }
    }

    /// Looks at the next ring; `false` if there is none.
    fn next<I: SpatialIndex<S, D>>(&mut self, index: &I) -> bool {
        if self.left == 0 {
            return false;
        }
        let (target, from) = (self.target, self.from);
        for attempt in 0.. {
            let ends = self.radius < target.limit() && self.hits.may_go_on();
            let Some((area, to)) = target.nearer(self.radius).filter(|_| ends) else {
                // The last one has no end.
                self.left = 0;
                self.hits.begin(usize::MAX);
                let _ = index.query_unordered(target.reach(), |entry| {
                    let square = target.distance_squared(&entry.bounds);
                    self.hits.see(entry.key, 0, || square.filter(|&square| square >= from))
                });
                return true;
            };
            self.hits.begin(if attempt < 12 { MANY } else { usize::MAX });
            let _ = index.query_unordered(area, |entry| {
                let square = target.distance_squared(&entry.bounds);
                self.hits.see(entry.key, 0, || square.filter(|&s| from <= s && s < to))
            });
            self.hits.pay(1 << D);
            if self.hits.are_all() {
                self.left -= self.hits.len();
                self.from = to;
                self.grow();
                return true;
            }
            self.radius = self.inner + (self.radius - self.inner) * 0.25;
        }
        false
    }

    /// Chooses where the next ring should end.
    fn grow(&mut self) {
        self.inner = self.radius;
        self.empty = if self.hits.seen() == 0 { self.empty + 1 } else { 0 };
        self.radius *= if self.empty > 0 { f64::from(1 << self.empty.min(16)) } else { 1.5 };
    }
}
