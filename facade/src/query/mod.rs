//! Queries with options.

mod found;
mod many;
mod neighbors;
mod pairs;
mod shape;

use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;
use core::ops::ControlFlow;

use bounds_hexprism::Bounds;
use broadphase_core::{Flow, Scalar, Search, Target};

use crate::engine::FilteredSearch;
use crate::{BroadPhase, Handle};
pub use found::{Found, Hit, Neighbor};
pub use many::QueryMany;
pub use neighbors::NeighborLists;
pub use pairs::PairQuery;
pub(crate) use pairs::PairSide;
pub use shape::IntoShape;

/// A predicate that accepts every object.
pub(crate) type AcceptAll<U> = fn(Handle, &U) -> bool;

/// A query: which objects overlap a region, touch a path, or are nearest to a target.
///
/// A query is created by [`BroadPhase::query`], [`cast`](BroadPhase::cast) and
/// [`nearest`](BroadPhase::nearest). Set options first; then run it with [`first`](Self::first),
/// [`to_vec`](Self::to_vec), [`write_to`](Self::write_to) or [`visit`](Self::visit).
///
/// A query finds every change immediately, without a step. It tests the boxes of objects, even if
/// volumes are tighter. Objects in a region are ordered by handle, hits by fraction, neighbors by
/// distance; on ties by handle. A query with a NaN finds nothing.
///
/// ```
/// use hexphase::{Aabb, BroadPhase, Filter, Object, Path, Region};
///
/// const WALL: u64 = 1;
/// const FOOD: u64 = 2;
/// let mut world: BroadPhase<f32, 2, u32> = BroadPhase::new();
/// for (user, layer) in [(0, FOOD), (1, WALL), (2, FOOD), (3, FOOD)] {
///     let at = Aabb::of_ball([4.0 * user as f32, 0.0], 1.0);
///     world.insert_object(Object::new(at, user).filter(Filter::layers(layer)))?;
/// }
/// let shot = world.cast(Path::ray([-4.0, 0.0], [1.0, 0.0])).mask(WALL).first().unwrap();
/// assert_eq!((world[shot.object], shot.fraction), (1, 7.0));
///
/// let near = world.nearest([9.0, 0.0]).mask(FOOD).within(5.0).to_vec();
/// let users: Vec<u32> = near.iter().map(|near| world[near.object]).collect();
/// assert_eq!(users, [2, 3]);
///
/// let even = world.query(Region::ball([4.0, 0.0], 3.5)).filter(|_, user| user % 2 == 0);
/// assert_eq!(even.to_vec().len(), 2);
/// # Ok::<(), hexphase::Error>(())
/// ```
#[must_use = "a query does nothing until it is run"]
pub struct Query<'a, S: Scalar, const D: usize, U, B, Q, F = AcceptAll<U>> {
    world: &'a BroadPhase<S, D, U, B>,
    search: FilteredSearch<S, D>,
    most: usize,
    with_ties: bool,
    accept: F,
    finds: PhantomData<Q>,
}

impl<'a, S: Scalar, const D: usize, U, B, Q> Query<'a, S, D, U, B, Q> {
    pub(crate) fn new(world: &'a BroadPhase<S, D, U, B>, kind: Search<S, D>) -> Self {
        Self {
            world,
            search: FilteredSearch { kind, mask: !0, except: None },
            most: usize::MAX,
            with_ties: false,
            accept: |_, _| true,
            finds: PhantomData,
        }
    }
}

impl<'a, S, const D: usize, U, B, Q, F> Query<'a, S, D, U, B, Q, F>
where
    S: Scalar,
    U: Copy + Send + Sync,
    B: Bounds<S, D>,
    Q: Found<S::Real>,
    F: Fn(Handle, &U) -> bool,
{
    /// Restricts the query to objects in one of these layers. Several calls intersect their masks.
    /// Objects in no layer are never found.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase, Filter, Motion, Object};
    ///
    /// const WALL: u64 = 1;
    /// const FOOD: u64 = 2;
    /// let mut world: BroadPhase = BroadPhase::new();
    /// let at = Aabb::point([0.0, 0.0]);
    /// let wall = Object::new(at, ()).motion(Motion::Static).filter(Filter::layers(WALL));
    /// world.insert_object(wall)?;
    /// let food = world.insert_object(Object::new(at, ()).filter(Filter::layers(FOOD)))?;
    /// assert_eq!(world.query(at).mask(FOOD).to_vec(), [food]);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn mask(mut self, layers: u64) -> Self {
        self.search.mask &= layers;
        self
    }

    /// Excludes one object, which replaces that of an earlier call; see also
    /// [`filter`](Self::filter).
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase};
    ///
    /// let mut world: BroadPhase = BroadPhase::new();
    /// let ship = world.insert(Aabb::point([1.0, 0.0]), ())?;
    /// let rock = world.insert(Aabb::point([3.0, 0.0]), ())?;
    /// let near = world.nearest([1.0, 0.0]).except(ship).first().unwrap();
    /// assert_eq!(near.object, rock);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn except(mut self, object: Handle) -> Self {
        self.search.except = Some(object);
        self
    }

    /// Limits the results to the first `most`, the smallest of several limits.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase};
    ///
    /// let mut world: BroadPhase<f32, 2, u32> = BroadPhase::new();
    /// for user in 0..4 {
    ///     world.insert(Aabb::point([user as f32, 0.0]), user)?;
    /// }
    /// let near = world.nearest([3.0, 0.0]).take(2).to_vec();
    /// let users: Vec<u32> = near.iter().map(|near| world[near.object]).collect();
    /// assert_eq!(users, [3, 2]);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn take(self, most: usize) -> Self {
        Self { most: self.most.min(most), ..self }
    }

    /// Restricts the query to objects that `accept` accepts; after several calls, that all closures
    /// accept. Objects are tested in any order.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase};
    ///
    /// let mut world: BroadPhase<f32, 2, u32> = BroadPhase::new();
    /// world.insert(Aabb::point([0.0, 0.0]), 2)?;
    /// let odd = world.insert(Aabb::point([0.0, 0.0]), 3)?;
    /// let query = world.query([0.0, 0.0]).filter(|_, user| user % 2 == 1);
    /// assert_eq!(query.to_vec(), [odd]);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn filter<G: Fn(Handle, &U) -> bool>(
        self,
        accept: G,
    ) -> Query<'a, S, D, U, B, Q, impl Fn(Handle, &U) -> bool> {
        let before = self.accept;
        Query {
            world: self.world,
            search: self.search,
            most: self.most,
            with_ties: self.with_ties,
            accept: move |object, user: &U| before(object, user) && accept(object, user),
            finds: PhantomData,
        }
    }

    /// Runs the query and returns the first result.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase};
    ///
    /// let mut world: BroadPhase = BroadPhase::new();
    /// let ship = world.insert(Aabb::point([0.0, 0.0]), ())?;
    /// world.insert(Aabb::point([1.0, 0.0]), ())?;
    /// assert_eq!(world.query(Aabb::new([0.0, 0.0], [9.0, 9.0])).first(), Some(ship));
    /// assert_eq!(world.query([5.0, 5.0]).first(), None);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    #[must_use]
    pub fn first(self) -> Option<Q> {
        let mut first: Option<(Handle, Q)> = None;
        let ordered = self.is_ordered();
        self.each(|object, found| {
            if first.is_none_or(|(lowest, _)| object < lowest) {
                first = Some((object, found));
            }
            if ordered { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        first.map(|(_, found)| found)
    }

    /// Runs the query and returns all results in order.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase, Region};
    ///
    /// let mut world: BroadPhase = BroadPhase::new();
    /// let ship = world.insert(Aabb::point([0.0, 0.0]), ())?;
    /// let rock = world.insert(Aabb::point([3.0, 4.0]), ())?;
    /// assert_eq!(world.query(Region::ball([0.0, 0.0], 5.0)).to_vec(), [ship, rock]);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    #[must_use]
    pub fn to_vec(self) -> Vec<Q> {
        let mut found = Vec::new();
        self.write_to(&mut found);
        found
    }

    /// Runs the query and replaces the contents of `out` with all results in order.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase};
    ///
    /// let mut world: BroadPhase = BroadPhase::new();
    /// let ship = world.insert(Aabb::point([0.0, 0.0]), ())?;
    /// let mut found = Vec::new();
    /// for at in [[3.0, 0.0], [0.0, 0.0]] {
    ///     world.query(at).write_to(&mut found);
    /// }
    /// assert_eq!(found, [ship]);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn write_to(self, out: &mut Vec<Q>) {
        out.clear();
        self.each(|_, found| {
            out.push(found);
            ControlFlow::Continue(())
        });
        if !self.is_ordered() {
            out.sort_unstable_by_key(Q::object);
            out.truncate(self.most);
        }
    }

    /// Runs the query and calls `visit` for each result, with user data and volume, until it
    /// returns [`Break`](ControlFlow::Break) or `Err`. Returns the last value of `visit`.
    ///
    /// Allocates no list of results. Hits and neighbors are visited in order; objects in a region
    /// in storage order, which is unspecified. [`take`](Self::take) limits the number.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    ///
    /// use hexphase::{Aabb, BroadPhase};
    ///
    /// let mut world: BroadPhase<f32, 2, u32> = BroadPhase::new();
    /// for user in 0..4 {
    ///     world.insert(Aabb::point([user as f32, 0.0]), user)?;
    /// }
    /// let mut sum = 0;
    /// world.query(Aabb::new([1.0, 0.0], [9.0, 0.0])).visit(|_, user, bounds| {
    ///     assert_eq!(bounds.min[0], *user as f32);
    ///     sum += user;
    /// });
    /// assert_eq!(sum, 6);
    /// let odd = world.nearest([0.0, 0.0]).visit(|near, user, _| {
    ///     if user % 2 == 1 { ControlFlow::Break(near.object) } else { ControlFlow::Continue(()) }
    /// });
    /// assert_eq!(odd.break_value().map(|object| world[object]), Some(1));
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn visit<R: Flow>(self, mut visit: impl FnMut(Q, &U, &B) -> R) -> R {
        let mut last = R::CONTINUE;
        self.each_up_to(self.most, |_, found, user, bounds| {
            last = visit(found, user, bounds);
            if last.stops() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        last
    }

    /// Returns whether the search visits objects in result order.
    const fn is_ordered(&self) -> bool {
        !matches!(self.search.kind, Search::Region(_))
    }

    /// Returns the target of a search for the nearest objects.
    const fn target(&self) -> Option<&Target<S, D>> {
        if let Search::Nearest(target) = &self.search.kind { Some(target) } else { None }
    }

    /// Calls `visit` for each accepted object until it breaks: in result order and up to the limit,
    /// or for a region in any order and without limit.
    fn each(&self, mut visit: impl FnMut(Handle, Q) -> ControlFlow<()>) {
        let most = if self.is_ordered() { self.most } else { usize::MAX };
        self.each_up_to(most, |object, found, _, _| visit(object, found));
    }

    /// Calls `visit` for up to `most` accepted objects, and for those tied with the last on
    /// request, until it breaks.
    fn each_up_to(&self, most: usize, mut visit: impl FnMut(Handle, Q, &U, &B) -> ControlFlow<()>) {
        let (mut left, mut last) = (most, None);
        if self.most == 0 {
            return;
        }
        self.world.search(&self.search, &mut |object, user, bounds, &stored, at| {
            if !(self.accept)(object, user) {
                return ControlFlow::Continue(());
            }
            if left == 0 && last != Some(at) {
                return ControlFlow::Break(());
            }
            left = left.saturating_sub(1);
            last = Some(at);
            let distance = || self.world.found_distance(self.target(), at, || Some(stored));
            visit(object, Q::found(object, at, distance), user, bounds)?;
            if left == 0 && !self.with_ties {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
    }
}

impl<S: Scalar, const D: usize, U, B, F> Query<'_, S, D, U, B, Neighbor<S::Real>, F> {
    /// Restricts the query to objects at most `distance` away.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase};
    ///
    /// let mut world: BroadPhase = BroadPhase::new();
    /// for x in [0.0, 1.0, 2.0, 3.0] {
    ///     world.insert(Aabb::point([x, 0.0]), ())?;
    /// }
    /// assert_eq!(world.nearest([0.0, 0.0]).within(2.0).to_vec().len(), 3);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn within(mut self, distance: S) -> Self {
        if let Search::Nearest(target) = &mut self.search.kind {
            *target = target.within(distance);
        }
        self
    }

    /// Restricts the query to objects whose squared distance is at most `square`, in addition to
    /// [`within`](Self::within).
    ///
    /// An earlier result's [`distance_squared`](Neighbor::distance_squared) as the limit finds that
    /// result again. Its square root is rounded, so [`within`](Self::within) with the root may miss
    /// it.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase};
    ///
    /// let mut world: BroadPhase = BroadPhase::new();
    /// for at in [[1.0, 1.0], [-1.0, 1.0], [2.0, 0.0]] {
    ///     world.insert(Aabb::point(at), ())?;
    /// }
    /// let near = world.nearest([0.0, 0.0]).first().unwrap();
    /// let found = world.nearest([0.0, 0.0]).within_squared(near.distance_squared).to_vec();
    /// assert_eq!((found.len(), found[0]), (2, near));
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn within_squared(mut self, square: S::Real) -> Self {
        if let Search::Nearest(target) = &mut self.search.kind {
            *target = target.within_squared(square);
        }
        self
    }

    /// Extends the limit of [`take`](Self::take) by all objects at the distance of the last one:
    /// the result does not depend on handles.
    ///
    /// Distances are equal if [`distance_squared`](Neighbor::distance_squared) is: so are those
    /// whose squares overflow, and those whose squares underflow.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase};
    ///
    /// let mut world: BroadPhase = BroadPhase::new();
    /// for at in [[0.0, 0.0], [3.0, 4.0], [5.0, 0.0], [0.0, -5.0], [9.0, 9.0]] {
    ///     world.insert(Aabb::point(at), ())?;
    /// }
    /// assert_eq!(world.nearest([0.0, 0.0]).take(2).to_vec().len(), 2);
    /// assert_eq!(world.nearest([0.0, 0.0]).take(2).with_ties().to_vec().len(), 4);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub const fn with_ties(mut self) -> Self {
        self.with_ties = true;
        self
    }
}

impl<S: Scalar, const D: usize, U, B, Q, F> fmt::Debug for Query<'_, S, D, U, B, Q, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Query")
            .field("kind", &self.search.kind)
            .field("mask", &self.search.mask)
            .field("except", &self.search.except)
            .field("most", &self.most)
            .field("with_ties", &self.with_ties)
            .finish_non_exhaustive()
    }
}
