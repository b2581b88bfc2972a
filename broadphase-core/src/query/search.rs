//! Searches that grow: along a path piece by piece, and around a target ring by ring.
//!
//! Both ask a structure for boxes and decide exactly what they find there, so they are right for
//! every structure, and fast where its box queries are. A box is as large as pays: it grows where
//! there is little and shrinks where there is much.

use alloc::vec::Vec;
use core::cmp::Ordering;
use core::ops::ControlFlow;

use bounds_hexprism::{Aabb, Flow, Scalar};

use super::path::{Path, Straight};
use super::target::Target;
use crate::{Entry, SpatialIndex};

/// So many objects in one box are too many, if it can be smaller.
const MANY: usize = 128;
/// So many are few.
const FEW: usize = 16;
/// So many spacings are a good first piece of a path.
const PIECE: f64 = 4.0;

/// What was found, with its fraction or squared distance, and how much was looked at.
struct Found<S: Scalar> {
    hits: Vec<(S::Real, u32)>,
    /// How many objects were in the last box.
    seen: usize,
    /// How many may yet be looked at before the search goes on in one piece.
    budget: usize,
}

impl<S: Scalar> Found<S> {
    /// A search that asks for boxes does not look at much more than one that looks at everything.
    fn new(objects: usize) -> Self {
        Self { hits: Vec::new(), seen: 0, budget: 4 * objects + 64 }
    }

    /// Looks at all objects in a box and notes those that `rank` gives a number; `false` if there
    /// are more than `most`.
    fn look<const D: usize, I: SpatialIndex<S, D>>(
        &mut self,
        index: &I,
        area: Aabb<S, D>,
        most: usize,
        rank: impl Fn(&Aabb<S, D>) -> Option<S::Real>,
    ) -> bool {
        let Self { hits, seen, .. } = self;
        hits.clear();
        *seen = 0;
        let answer = index.query_unordered(area, |entry| {
            *seen += 1;
            if *seen > most {
                return ControlFlow::Break(());
            }
            if let Some(number) = rank(&entry.bounds) {
                hits.push((number, entry.key));
            }
            ControlFlow::Continue(())
        });
        self.budget = self.budget.saturating_sub(self.seen);
        let whole = answer.is_continue();
        if whole {
            sort::<S>(&mut self.hits);
        }
        whole
    }
}

/// Ascending by number, then by key.
fn sort<S: Scalar>(hits: &mut [(S::Real, u32)]) {
    hits.sort_unstable_by(|a, b| {
        a.0.partial_cmp(&b.0).unwrap_or(Ordering::Equal).then(a.1.cmp(&b.1))
    });
}

/// Shows what was found.
#[inline]
fn show<S: Scalar, const D: usize, I: SpatialIndex<S, D>, R: Flow>(
    index: &I,
    hits: &[(S::Real, u32)],
    visit: &mut impl FnMut(Entry<'_, S, D, I::Data>, S::Real) -> R,
) -> R {
    for &(number, key) in hits {
        if let Some(entry) = index.get(key) {
            let answer = visit(entry, number);
            if answer.stops() {
                return answer;
            }
        }
    }
    R::CONTINUE
}

/// Visits what a path touches, ascending by fraction, then by key; `grows` says whether pieces
/// may become larger where there is little, which is bad where what an area costs is its size.
pub(crate) fn cast<S: Scalar, const D: usize, I: SpatialIndex<S, D>, R: Flow>(
    index: &I,
    path: &Path<S, D>,
    grows: bool,
    mut visit: impl FnMut(Entry<'_, S, D, I::Data>, S::Real) -> R,
) -> R {
    let Some(straight) = path.prepared() else { return R::CONTINUE };
    let mut pieces = Pieces::new(index, straight, grows);
    while pieces.next(index) {
        let answer = show(index, &pieces.found.hits, &mut visit);
        if answer.stops() {
            return answer;
        }
    }
    R::CONTINUE
}

/// A path, piece by piece. An object belongs to the piece in which it is first touched.
struct Pieces<S: Scalar, const D: usize> {
    straight: Straight<S, D>,
    /// Where the next piece begins.
    from: f64,
    /// How long it should be, as a fraction.
    length: f64,
    /// Shorter ones do not pay.
    shortest: f64,
    grows: bool,
    /// How many pieces in a row had nothing in them.
    empty: i32,
    found: Found<S>,
}

impl<S: Scalar, const D: usize> Pieces<S, D> {
    fn new<I: SpatialIndex<S, D>>(index: &I, straight: Straight<S, D>, grows: bool) -> Self {
        let length = index.spacing().map_or(f64::INFINITY, |spacing| {
            // Infinite for a path that goes nowhere.
            PIECE * spacing / straight.pace()
        });
        Self {
            straight,
            from: 0.0,
            length,
            shortest: length * 0.25,
            grows,
            empty: 0,
            found: Found::new(index.len()),
        }
    }

    /// Looks at the next piece; `false` if there is none.
    fn next<I: SpatialIndex<S, D>>(&mut self, index: &I) -> bool {
        let end = self.straight.end();
        if self.from == f64::INFINITY || self.from > end || self.straight.has_left(self.from) {
            return false;
        }
        let from = self.from;
        loop {
            let mut to = from + self.length;
            let is_last = to >= end || to >= S::Real::MAX.to_f64() || self.found.budget == 0;
            // There are too many roundings between the two, or too much was looked at.
            if is_last || to <= from {
                to = f64::INFINITY;
            }
            let area = self.straight.piece([from, to.min(end)]);
            let shrinks = self.length > self.shortest && to < f64::INFINITY;
            let most = if shrinks { MANY } else { usize::MAX };
            let straight = &self.straight;
            let whole = self.found.look(index, area, most, |bounds| {
                let fraction = straight.first_touch(bounds)?;
                (from..to).contains(&fraction.to_f64()).then_some(fraction)
            });
            if whole {
                self.from = to;
                self.adapt();
                return true;
            }
            self.length = (self.length * 0.25).max(self.shortest);
        }
    }

    /// Chooses how long the next piece should be.
    fn adapt(&mut self) {
        // Nothing takes time as well.
        self.found.budget = self.found.budget.saturating_sub(1 << D);
        self.empty = if self.found.seen == 0 { self.empty + 1 } else { 0 };
        if !self.grows {
            self.length =
                if self.found.seen > MANY { self.length * 2.0 } else { 4.0 * self.shortest };
        } else if self.empty > 0 {
            self.length *= f64::from(1 << self.empty.min(16));
        } else if self.found.seen < FEW || self.found.seen > MANY {
            // Where there is much in even the shortest pieces, they see the same again and again.
            self.length *= 2.0;
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
        let answer = show(index, &rings.found.hits, &mut visit);
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
    found: Found<S>,
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
            found: Found::new(index.len()),
        }
    }

    /// Looks at the next ring; `false` if there is none.
    fn next<I: SpatialIndex<S, D>>(&mut self, index: &I) -> bool {
        if self.left == 0 {
            return false;
        }
        let (target, from) = (self.target, self.from);
        for attempt in 0.. {
            let nearer = target
                .nearer(self.radius)
                .filter(|_| self.radius < target.limit() && self.found.budget > 0);
            let Some((area, to)) = nearer else {
                // The last one has no end.
                self.left = 0;
                return self.found.look(index, target.reach(), usize::MAX, |bounds| {
                    target.distance_squared(bounds).filter(|&square| square >= from)
                });
            };
            let most = if attempt < 12 { MANY } else { usize::MAX };
            let whole = self.found.look(index, area, most, |bounds| {
                let square = target.distance_squared(bounds);
                square.filter(|&square| from <= square && square < to)
            });
            if whole {
                self.left -= self.found.hits.len();
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
        self.empty = if self.found.seen == 0 { self.empty + 1 } else { 0 };
        self.radius *= if self.empty > 0 { f64::from(1 << self.empty.min(16)) } else { 1.5 };
    }
}
