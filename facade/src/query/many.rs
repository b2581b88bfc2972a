//! Batches of queries with options.

use core::fmt;
use core::marker::PhantomData;

use bounds_hexprism::Bounds;
use broadphase_core::{Lists, Scalar};

use crate::engine::{BatchSearch, QueryKinds};
use crate::query::AcceptAll;
use crate::{BroadPhase, Found, Handle};

/// A batch of queries of one kind, with the options of a [`Query`](crate::Query).
///
/// A batch is created by [`BroadPhase::query_many`], [`cast_many`](BroadPhase::cast_many) and
/// [`nearest_many`](BroadPhase::nearest_many). Set options first; then run it with
/// [`write_to`](Self::write_to). Each list equals the results of its query run alone.
///
/// A batch is faster than single queries: queries close to each other run one after another, and
/// the threads of the current pool share the batch. All objects on each path, or around each
/// target, are found unless limited by [`take`](Self::take).
///
/// ```
/// use hexphase::{Aabb, BroadPhase, Filter, Lists, Motion, Object, Path};
///
/// const WALL: u64 = 1;
/// let mut world: BroadPhase<f32, 2, &str> = BroadPhase::new();
/// for (y, name) in [(0.0, "north"), (4.0, "south")] {
///     let wall = Aabb::new([8.0, y], [9.0, y + 1.0]);
///     let wall = Object::new(wall, name).motion(Motion::Static);
///     world.insert_object(wall.filter(Filter::layers(WALL)))?;
/// }
/// let sight = [0.5, 2.5, 4.5].map(|y| Path::segment([0.0, y], [16.0, y]));
/// let mut hits = Lists::default();
/// world.cast_many(&sight).mask(WALL).take(1).write_to(&mut hits);
/// let names = hits.iter().map(|hits| hits.first().map(|hit| world[hit.object]));
/// assert!(names.eq([Some("north"), None, Some("south")]));
/// # Ok::<(), hexphase::Error>(())
/// ```
#[must_use = "a query does nothing until it is run"]
pub struct QueryMany<'a, S: Scalar, const D: usize, U, B, Q, F = AcceptAll<U>> {
    world: &'a BroadPhase<S, D, U, B>,
    search: BatchSearch<'a, S, D>,
    accept: F,
    finds: PhantomData<Q>,
}

impl<'a, S: Scalar, const D: usize, U, B, Q> QueryMany<'a, S, D, U, B, Q> {
    pub(crate) fn new(world: &'a BroadPhase<S, D, U, B>, kinds: QueryKinds<'a, S, D>) -> Self {
        let search = BatchSearch { kinds, mask: !0, most: usize::MAX };
        Self { world, search, accept: |_, _| true, finds: PhantomData }
    }
}

impl<'a, S, const D: usize, U, B, Q, F> QueryMany<'a, S, D, U, B, Q, F>
where
    S: Scalar,
    U: Copy + Send + Sync,
    B: Bounds<S, D>,
    Q: Found<S::Real>,
    F: Fn(Handle, &U) -> bool + Sync,
{
    /// Restricts the queries to objects in one of these layers. Several calls intersect their
    /// masks.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase, Filter, Lists, Motion, Object, Region};
    ///
    /// const FOOD: u64 = 2;
    /// let mut world: BroadPhase = BroadPhase::new();
    /// let at = Aabb::point([0.0, 0.0]);
    /// world.insert_object(Object::new(at, ()).motion(Motion::Static).filter(Filter::layers(1)))?;
    /// let food = world.insert_object(Object::new(at, ()).filter(Filter::layers(FOOD)))?;
    /// let mut found = Lists::default();
    /// world.query_many(&[Region::point([0.0, 0.0])]).mask(FOOD).write_to(&mut found);
    /// assert_eq!(found.items(), [food]);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub const fn mask(mut self, layers: u64) -> Self {
        self.search.mask &= layers;
        self
    }

    /// Limits the results of each query to the first `most`, the smallest of several limits.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase, Lists, Path};
    ///
    /// let mut world: BroadPhase = BroadPhase::new();
    /// let first = world.insert(Aabb::point([0.0, 0.0]), ())?;
    /// world.insert(Aabb::point([3.0, 0.0]), ())?;
    /// let mut hits = Lists::default();
    /// world.cast_many(&[Path::ray([-1.0, 0.0], [1.0, 0.0])]).take(1).write_to(&mut hits);
    /// assert_eq!((hits.items().len(), hits.items()[0].object), (1, first));
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn take(mut self, most: usize) -> Self {
        self.search.most = self.search.most.min(most);
        self
    }

    /// Restricts the queries to objects that `accept` accepts; after several calls, that all
    /// closures accept. Objects are tested in any order, possibly on several threads.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase, Lists, Region};
    ///
    /// let mut world: BroadPhase<f32, 2, u32> = BroadPhase::new();
    /// for user in 0..4 {
    ///     world.insert(Aabb::point([0.0, 0.0]), user)?;
    /// }
    /// let (regions, mut odd) = ([Region::point([0.0, 0.0])], Lists::default());
    /// world.query_many(&regions).filter(|_, user| user % 2 == 1).write_to(&mut odd);
    /// assert_eq!(odd.items().len(), 2);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn filter<G: Fn(Handle, &U) -> bool + Sync>(
        self,
        accept: G,
    ) -> QueryMany<'a, S, D, U, B, Q, impl Fn(Handle, &U) -> bool + Sync> {
        let Self { world, search, accept: before, finds } = self;
        let accept = move |object, user: &U| before(object, user) && accept(object, user);
        QueryMany { world, search, accept, finds }
    }

    /// Runs the queries and replaces the contents of `out` with one list of results for each, in
    /// order.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase, Lists, Region};
    ///
    /// let mut world: BroadPhase = BroadPhase::new();
    /// let ship = world.insert(Aabb::point([0.0, 0.0]), ())?;
    /// let mut found = Lists::default();
    /// world.query_many(&[Region::point([0.0, 0.0])]).write_to(&mut found);
    /// assert_eq!(found.get(0), Some(&[ship][..]));
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn write_to(self, out: &mut Lists<Q>) {
        out.clear();
        let mut query = 0;
        self.world.search_many(&self.search, &self.accept, &mut |found| {
            let target = match self.search.kinds {
                QueryKinds::Targets(targets) => Some(&targets[query]),
                _ => None,
            };
            query += 1;
            out.push(found.iter().map(|&(object, at)| {
                let stored = || self.world.stored_box(object).ok();
                Q::found(object, at, || self.world.found_distance(target, at, stored))
            }));
        });
    }
}

impl<S: Scalar, const D: usize, U, B, Q, F> fmt::Debug for QueryMany<'_, S, D, U, B, Q, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QueryMany").field("search", &self.search).finish_non_exhaustive()
    }
}
