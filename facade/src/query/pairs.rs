//! Pairs of two worlds, and pairs within a distance, with options.

use alloc::vec::Vec;
use core::fmt;

use bounds_hexprism::Bounds;
use broadphase_core::{Flow, Pair, Scalar};

use crate::Handle;
use crate::engine::{Engine, NearSearch, find_near_pairs};
use crate::interest::{InterestLists, update_interest};
use crate::registry::Registry;
use crate::world::VolumeTest;

/// The objects of a world.
#[derive(Clone, Copy)]
pub(crate) struct PairSide<'a, U, B> {
    pub(crate) registry: &'a Registry,
    /// User data by slot.
    pub(crate) users: &'a [U],
    /// Volumes by slot; empty if the volumes are boxes.
    pub(crate) volumes: &'a [B],
}

/// A search for pairs of two worlds, or for pairs of objects within a distance.
///
/// A query is created by [`BroadPhase::pairs_with`](crate::BroadPhase::pairs_with), with the object
/// of this world first in each pair, or by
/// [`BroadPhase::pairs_within`](crate::BroadPhase::pairs_within), with the lower handle first. Set
/// options first; then run it with [`write_to`](Self::write_to) or [`visit`](Self::visit).
///
/// ```
/// use hexphase::{Aabb, BroadPhase, Filter, Object};
///
/// const SHEEP: u64 = 1;
/// const WOLF: u64 = 2;
/// let mut world: BroadPhase<f32, 2, &str> = BroadPhase::new();
/// for (name, x, layer) in [("Dolly", 0.0, SHEEP), ("Flossie", 1.0, SHEEP), ("Akela", 4.0, WOLF)] {
///     let object = Object::new(Aabb::point([x, 0.0]), name).filter(Filter::layers(layer));
///     world.insert_object(object)?;
/// }
/// let mut chased = Vec::new();
/// world.pairs_within(3.0).between(SHEEP, WOLF).visit(|_, one, other| chased.push([*one, *other]));
/// assert_eq!(chased, [["Flossie", "Akela"]]);
/// # Ok::<(), hexphase::Error>(())
/// ```
#[must_use = "a query does nothing until it is run"]
pub struct PairQuery<'a, S: Scalar, const D: usize, U, V, B> {
    engine: &'a mut dyn Engine<S, D>,
    /// The engine of the other world; `None` for pairs in one world.
    other: Option<&'a mut dyn Engine<S, D>>,
    ours: PairSide<'a, U, B>,
    theirs: PairSide<'a, V, B>,
    /// Scratch buffer for the slots of pairs.
    found: &'a mut Vec<Pair>,
    /// Maximum distance between boxes; `None` to find overlapping volumes.
    distance: Option<S>,
    layers: [u64; 2],
}

impl<'a, S: Scalar, const D: usize, U, V, B> PairQuery<'a, S, D, U, V, B> {
    pub(crate) fn new(
        engine: &'a mut dyn Engine<S, D>,
        other: Option<&'a mut dyn Engine<S, D>>,
        ours: PairSide<'a, U, B>,
        theirs: PairSide<'a, V, B>,
        found: &'a mut Vec<Pair>,
    ) -> Self {
        let (distance, layers) = (None, [!0; 2]);
        Self { engine, other, ours, theirs, found, distance, layers }
    }
}

impl<'a, S, const D: usize, U, V, B> PairQuery<'a, S, D, U, V, B>
where
    S: Scalar,
    U: Copy + Send + Sync,
    V: Copy + Send + Sync,
    B: Bounds<S, D>,
{
    /// Finds the pairs of objects at most `distance` apart instead of overlapping pairs. A second
    /// call replaces the distance.
    ///
    /// The distance is between boxes, as in [`pairs_within`](crate::BroadPhase::pairs_within):
    /// tighter volumes are not tested, and a negative or NaN distance finds no pairs.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase};
    ///
    /// let mut ships: BroadPhase = BroadPhase::new();
    /// let mut rocks: BroadPhase = BroadPhase::new();
    /// let ship = ships.insert(Aabb::point([0.0, 0.0]), ())?;
    /// let rock = rocks.insert(Aabb::point([3.0, 4.0]), ())?;
    /// let mut near = Vec::new();
    /// ships.pairs_with(&mut rocks).within(5.0).write_to(&mut near);
    /// assert_eq!(near, [[ship, rock]]);
    /// ships.pairs_with(&mut rocks).within(4.0).write_to(&mut near);
    /// assert!(near.is_empty());
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn within(self, distance: S) -> Self {
        Self { distance: Some(distance), ..self }
    }

    /// Restricts the pairs to objects of this world in a layer of `ours` with objects of the other
    /// world in a layer of `theirs`. Several calls intersect their layers.
    ///
    /// In one world, either object of a pair may be the one in `ours`; the lower handle is still
    /// first. Filters must accept each other as well.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase, Filter, Object};
    ///
    /// const SHEEP: u64 = 1;
    /// const WOLF: u64 = 2;
    /// let mut world: BroadPhase = BroadPhase::new();
    /// let at = Aabb::point([0.0, 0.0]);
    /// let a = world.insert_object(Object::new(at, ()).filter(Filter::layers(SHEEP)))?;
    /// let b = world.insert_object(Object::new(at, ()).filter(Filter::layers(SHEEP)))?;
    /// let c = world.insert_object(Object::new(at, ()).filter(Filter::layers(WOLF)))?;
    /// let mut near = Vec::new();
    /// world.pairs_within(0.0).between(WOLF, SHEEP).write_to(&mut near);
    /// assert_eq!(near, [[a, c], [b, c]]);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn between(mut self, ours: u64, theirs: u64) -> Self {
        self.layers = [self.layers[0] & ours, self.layers[1] & theirs];
        self
    }

    /// Runs the query and replaces the contents of `out` with the handles of all pairs, ascending.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase};
    ///
    /// let mut ships: BroadPhase<f32, 2, &str> = BroadPhase::new();
    /// let mut rocks: BroadPhase<f32, 2, u32> = BroadPhase::new();
    /// ships.insert(Aabb::point([0.0, 0.0]), "Ada")?;
    /// rocks.insert(Aabb::point([0.0, 0.0]), 7)?;
    /// let mut pairs = Vec::new();
    /// ships.pairs_with(&mut rocks).write_to(&mut pairs);
    /// let [ship, rock] = pairs[0];
    /// assert_eq!((ships[ship], rocks[rock]), ("Ada", 7));
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn write_to(self, out: &mut Vec<[Handle; 2]>) {
        out.clear();
        self.run(true, |pair, _, _| out.push(pair));
    }

    /// Runs the query and calls `visit` for each pair, with handles and user data, until it returns
    /// [`Break`](core::ops::ControlFlow::Break) or `Err`. Returns the last value of `visit`.
    ///
    /// The order is unspecified: the list is not sorted. All pairs are found before the first call.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    ///
    /// use hexphase::{Aabb, BroadPhase};
    ///
    /// let mut ships: BroadPhase<f32, 2, &str> = BroadPhase::new();
    /// let mut rocks: BroadPhase<f32, 2, u32> = BroadPhase::new();
    /// ships.insert(Aabb::point([0.0, 0.0]), "Ada")?;
    /// for weight in [7, 8] {
    ///     rocks.insert(Aabb::point([0.0, 0.0]), weight)?;
    /// }
    /// let mut weights = 0;
    /// ships.pairs_with(&mut rocks).visit(|_, _, weight| weights += weight);
    /// assert_eq!(weights, 15);
    /// let hit = ships.pairs_with(&mut rocks).visit(|[ship, _], _, _| ControlFlow::Break(ship));
    /// assert_eq!(hit.break_value().map(|ship| ships[ship]), Some("Ada"));
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn visit<R: Flow>(self, visit: impl FnMut([Handle; 2], &U, &V) -> R) -> R {
        self.run(false, visit)
    }

    /// Runs the query and visits the pairs, in canonical order if `sorted`.
    fn run<R: Flow>(mut self, sorted: bool, mut visit: impl FnMut([Handle; 2], &U, &V) -> R) -> R {
        self.find(sorted);
        let exact = self.tests_volumes();
        let Self { engine, ours, theirs, found, .. } = self;
        let mut volumes = VolumeTest::new(engine, [ours.volumes, theirs.volumes]);
        let (mut last, mut pair) = (R::CONTINUE, 0);
        // A plain loop is fast even if the caller's crate is compiled without optimization.
        while pair < found.len() && !last.stops() {
            let [a, b] = found[pair];
            let handles = [ours.registry.slots.handle(a), theirs.registry.slots.handle(b)];
            if !exact || volumes.overlap([a, b]) {
                last = visit(handles, &ours.users[a as usize], &theirs.users[b as usize]);
            }
            pair += 1;
        }
        last
    }

    /// Runs the query and updates the lists of interest.
    pub(crate) fn update(mut self, enter: S, lists: &mut InterestLists) {
        self.find(true);
        let Self { engine, other, ours, theirs, found, .. } = self;
        let engine = &*engine;
        let engines = [engine, other.as_deref().unwrap_or(engine)];
        update_interest(lists, found, [ours.registry, theirs.registry], engines, enter);
    }

    /// Finds the slots of the pairs whose boxes are within the distance.
    fn find(&mut self, sorted: bool) {
        let search = NearSearch {
            ours: self.ours.registry,
            theirs: self.theirs.registry,
            distance: self.distance.unwrap_or(S::ZERO),
            layers: self.layers,
            sorted,
        };
        match &mut self.other {
            Some(other) => find_near_pairs(self.engine, Some(&mut **other), &search, self.found),
            None => find_near_pairs(self.engine, None, &search, self.found),
        }
    }

    /// Returns whether volumes, tighter than boxes, are tested: no distance is set.
    const fn tests_volumes(&self) -> bool {
        !B::IS_BOX && self.distance.is_none()
    }
}

impl<S: Scalar, const D: usize, U, V, B> fmt::Debug for PairQuery<'_, S, D, U, V, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PairQuery")
            .field("of_two_worlds", &self.other.is_some())
            .field("distance", &self.distance)
            .field("layers", &self.layers)
            .finish_non_exhaustive()
    }
}
