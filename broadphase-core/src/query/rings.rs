//! What is around a target, ring by ring, so that the nearest come first and no more is looked at
//! than wanted.

use core::ops::ControlFlow;

use bounds_hexprism::{Aabb, Flow, Scalar, instances};

use super::hits::{Hit, Hits, Show};
use super::target::Target;

/// So many objects in one box are too many, if it can be smaller.
const MANY: usize = 128;
/// So often a ring is made smaller.
const ATTEMPTS: usize = 12;

/// Where the first ring ends, if it is 1 from one object to the next: mostly there is one in it.
/// With 1 the nearest one took a tenth longer, with 0.8 the nearest eight did.
const FIRST: f64 = 0.9;

/// The surroundings of a target, ring by ring. An object belongs to the ring in which its nearest
/// point is.
///
/// How structures find what is nearest: [`SpatialIndex::nearest`](crate::SpatialIndex::nearest) as
/// provided is nothing else, with a box query for each ring.
#[derive(Clone, Debug)]
pub struct Rings<S: Scalar, const D: usize> {
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

/// What is asked about one ring.
#[derive(Clone, Copy, Debug)]
pub struct Ring<'a, S: Scalar, const D: usize> {
    target: &'a Target<S, D>,
    from: S::Real,
    /// The last one has no end.
    to: Option<S::Real>,
    area: Aabb<S, D>,
}

impl<S: Scalar, const D: usize> Ring<'_, S, D> {
    /// A box that overlaps all that belongs to the ring.
    #[inline]
    #[must_use]
    pub const fn area(&self) -> Aabb<S, D> {
        self.area
    }

    /// How far away an object is, squared, if it belongs to the ring.
    #[inline(always)]
    #[must_use]
    pub fn distance_squared(&self, bounds: &Aabb<S, D>) -> Option<S::Real> {
        let square = self.target.distance_squared(bounds)?;
        ((self.from <= square) & self.to.is_none_or(|to| square < to)).then_some(square)
    }
}

impl<S: Scalar, const D: usize> Rings<S, D> {
    /// The rings around a target among so many objects that are about so far apart; `None` if
    /// nothing is near it.
    #[inline]
    #[must_use]
    pub fn new(target: Target<S, D>, spacing: Option<f64>, objects: usize) -> Option<Self> {
        Some(Self {
            target: target.askable()?,
            from: S::Real::ZERO,
            radius: spacing.map_or(f64::INFINITY, |spacing| FIRST * spacing),
            inner: 0.0,
            empty: 0,
            left: objects,
            hits: Hits::new(objects),
        })
    }

    /// Goes through all rings; `look` is to [`see`](Hits::see) all that may belong to one. Shows
    /// what does, ascending by squared distance, then by key, until `show` stops.
    ///
    /// ```
    /// use broadphase_core::query::Rings;
    /// use broadphase_core::{Aabb, Target};
    ///
    /// let world = [5.0, 2.0, 9.0].map(|x| Aabb::point([x]));
    /// let mut rings = Rings::new(Target::from([4.0]), Some(3.0), 3).unwrap();
    /// let mut near = Vec::new();
    /// rings.each(
    ///     |ring, hits| {
    ///         let _ = (0..).zip(&world).try_for_each(|(key, bounds)| {
    ///             hits.see(key, 0, || ring.distance_squared(bounds))
    ///         });
    ///     },
    ///     |hit| near.push((hit.key, hit.number)),
    /// );
    /// assert_eq!(near, [(0, 1.0), (1, 4.0), (2, 25.0)]);
    /// ```
    #[inline]
    pub fn each<R: Flow>(
        &mut self,
        mut look: impl FnMut(&Ring<'_, S, D>, &mut Hits<S>),
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

    /// Goes to the next ring and looks at it, maybe several times; `look` is to
    /// [`see`](Hits::see) all that may belong to it. Yields what does; `None` at the end.
    pub fn next(
        &mut self,
        mut look: impl FnMut(&Ring<'_, S, D>, &mut Hits<S>),
    ) -> Option<&mut Hits<S>> {
        next(self, &mut look).then_some(&mut self.hits)
    }

    /// Chooses where the next ring should end.
    fn grow(&mut self) {
        self.inner = self.radius;
        self.empty = if self.hits.seen() == 0 { self.empty + 1 } else { 0 };
        self.radius *= if self.empty > 0 { f64::from(1 << self.empty.min(16)) } else { 1.5 };
    }
}

/// Shows one ring to a structure, which sees all objects that may belong to it.
type Look<'a, S, const D: usize> = dyn FnMut(&Ring<'_, S, D>, &mut Hits<S>) + 'a;

instances! {
    /// [`Rings::each`].
    fn each<S, D>(rings: &mut Rings<S, D>, look: &mut Look<'_, S, D>, show: &mut Show<'_, S>) {
        while go_on(rings, look) {
            if rings.hits.in_order(&mut *show).is_break() {
                return;
            }
        }
    }

    /// [`Rings::next`]; returns whether there is another ring.
    fn next<S, D>(rings: &mut Rings<S, D>, look: &mut Look<'_, S, D>) -> bool {
        go_on(rings, look)
    }
}

/// Goes to the next ring and looks at it, maybe several times; returns whether there is one.
fn go_on<S: Scalar, const D: usize>(rings: &mut Rings<S, D>, look: &mut Look<'_, S, D>) -> bool {
    if rings.left == 0 {
        return false;
    }
    let Rings { target, from, .. } = *rings;
    for attempt in 0.. {
        let ends = rings.radius < target.limit() && rings.hits.may_go_on();
        let Some((area, to)) = target.nearer(rings.radius).filter(|_| ends) else {
            rings.left = 0;
            rings.hits.begin(usize::MAX);
            look(&Ring { target: &target, from, to: None, area: target.reach() }, &mut rings.hits);
            break;
        };
        rings.hits.begin(if attempt < ATTEMPTS { MANY } else { usize::MAX });
        look(&Ring { target: &target, from, to: Some(to), area }, &mut rings.hits);
        rings.hits.pay(1 << D);
        if rings.hits.are_all() {
            rings.left -= rings.hits.len();
            rings.from = to;
            rings.grow();
            break;
        }
        rings.radius = rings.inner + (rings.radius - rings.inner) * 0.25;
    }
    true
}
