//! Interest: for each observer, the objects that entered and left its surroundings.
//!
//! 1. Find all pairs of an observer and an object within the larger distance, sorted.
//! 2. Merge them with the pairs of the update before. A pair in both lists stays. A pair that is
//!    only in the new list has entered if its distance is at most the smaller one. A pair that is
//!    only in the old list has left.
//!
//! Linear in both lists after the search.

use alloc::vec::Vec;

use bounds_hexprism::Bounds;
use broadphase_core::torus::World;
use broadphase_core::{Pair, Region, Scalar, instances};

use crate::engine::Engine;
use crate::registry::Registry;
use crate::{Handle, PairQuery};

/// For each observer, the objects that entered and left its surroundings in the last update. A
/// server sends these changes to its players.
///
/// Observers and objects are the objects of two worlds. An object enters if it is within the
/// distance `enter` of an observer, and leaves if it is farther away than `leave`, a larger
/// distance: an object that moves to and fro near one distance enters once. Distances are those of
/// [`BroadPhase::pairs_within`](crate::BroadPhase::pairs_within), between boxes.
///
/// All lists are ascending by handle. An update takes as long as a search within the larger
/// distance. If both worlds use the hierarchical grid, it allocates only for lists that are longer
/// than before.
///
/// ```
/// use hexphase::{Aabb, BroadPhase, Interest};
///
/// let mut players: BroadPhase = BroadPhase::new();
/// let mut monsters: BroadPhase = BroadPhase::new();
/// let player = players.insert(Aabb::point([0.0, 0.0]), ())?;
/// let monster = monsters.insert(Aabb::point([9.0, 0.0]), ())?;
/// let mut interest = Interest::new(5.0, 6.0);
/// let mut log = Vec::new();
/// for x in [9.0, 4.0, 5.5, 4.0, 7.0] {
///     monsters.set_bounds(monster, Aabb::point([x, 0.0]))?;
///     interest.update(players.pairs_with(&mut monsters));
///     for change in interest.changes() {
///         assert_eq!(change.observer, player);
///         log.push((x, change.entered.len(), change.left.len()));
///     }
/// }
/// assert_eq!(log, [(4.0, 1, 0), (7.0, 0, 1)]);
/// # Ok::<(), hexphase::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Interest<S = f32> {
    enter: S,
    leave: S,
    lists: InterestLists,
}

/// The objects that entered and left the surroundings of one observer in the last update of an
/// [`Interest`]. At least one list is not empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InterestChange<'a> {
    /// The observer; its handle is stale if it was removed.
    pub observer: Handle,
    /// The objects that entered, ascending.
    pub entered: &'a [Handle],
    /// The objects that left, ascending; handles of removed objects are stale.
    pub left: &'a [Handle],
}

#[derive(Clone, Debug, Default)]
pub(crate) struct InterestLists {
    /// Pairs of an observer and an object, ascending.
    pairs: Vec<[Handle; 2]>,
    /// The pairs of the update before; between updates unused.
    before: Vec<[Handle; 2]>,
    changes: Vec<Change>,
    entered: Vec<Handle>,
    left: Vec<Handle>,
}

/// An observer, and where its objects end in the two lists of objects.
#[derive(Clone, Copy, Debug)]
struct Change {
    observer: Handle,
    entered: usize,
    left: usize,
}

impl<S: Scalar> Interest<S> {
    /// Creates the interest of no observers.
    ///
    /// If `enter` is larger than `leave`, objects enter within `leave`. No object is within a
    /// negative or NaN distance.
    #[must_use]
    pub fn new(enter: S, leave: S) -> Self {
        Self { enter, leave, lists: InterestLists::default() }
    }

    /// Compares the pairs of a query, within the distance at which objects leave, with those of the
    /// last update. The query is
    /// [`observers.pairs_with(&mut objects)`](crate::BroadPhase::pairs_with), with or without
    /// [layers](PairQuery::between).
    ///
    /// If an object or observer was removed, or its filter rejects the other one now, the object
    /// has left, also if another object has its slot.
    ///
    /// The query may be one of a single world,
    /// [`pairs_within`](crate::BroadPhase::pairs_within). Then the object with the lower handle is
    /// the observer of the other one.
    pub fn update<const D: usize, U, V, B>(&mut self, query: PairQuery<'_, S, D, U, V, B>)
    where
        U: Copy + Send + Sync,
        V: Copy + Send + Sync,
        B: Bounds<S, D>,
    {
        query.within(self.leave).update(self.enter, &mut self.lists);
    }

    /// Iterates over the observers with changes, ascending.
    pub fn changes(&self) -> impl ExactSizeIterator<Item = InterestChange<'_>> + '_ {
        let InterestLists { changes, entered, left, .. } = &self.lists;
        let (mut i, mut j) = (0, 0);
        changes.iter().map(move |change| {
            let (entered, left) = (&entered[i..change.entered], &left[j..change.left]);
            (i, j) = (change.entered, change.left);
            InterestChange { observer: change.observer, entered, left }
        })
    }

    /// Iterates over all objects that have entered the surroundings of an observer and not left
    /// them, ascending. Finds the first in logarithmic time.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase, Interest};
    ///
    /// let mut players: BroadPhase = BroadPhase::new();
    /// let mut monsters: BroadPhase = BroadPhase::new();
    /// let player = players.insert(Aabb::point([0.0, 0.0]), ())?;
    /// let near = monsters.insert(Aabb::point([3.0, 4.0]), ())?;
    /// monsters.insert(Aabb::point([6.0, 0.0]), ())?;
    /// let mut interest = Interest::new(5.0, 7.0);
    /// interest.update(players.pairs_with(&mut monsters));
    /// assert!(interest.of(player).eq([near]));
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn of(&self, observer: Handle) -> impl ExactSizeIterator<Item = Handle> + '_ {
        let pairs = &self.lists.pairs;
        let start = pairs.partition_point(|pair| pair[0] < observer);
        let len = pairs[start..].partition_point(|pair| pair[0] == observer);
        pairs[start..start + len].iter().map(|pair| pair[1])
    }
}

instances! {
    /// Replaces the pairs of the lists. `found` has the slots of all pairs within the larger
    /// distance, ascending.
    pub(crate) fn update_interest<S, D>(
        lists: &mut InterestLists,
        found: &[Pair],
        registries: [&Registry; 2],
        engines: [&dyn Engine<S, D>; 2],
        enter: S
    ) {
        lists.begin();
        let world = World::of_valid(engines[0].options().sides);
        let [ours, theirs] = engines.map(Engine::structure);
        let mut old = 0;
        for &[a, b] in found {
            let pair = [registries[0].slots.handle(a), registries[1].slots.handle(b)];
            old = lists.leave_before(old, pair);
            if lists.before.get(old) == Some(&pair) {
                old += 1;
            } else if let (Some(one), Some(other)) = (ours.get(a), theirs.get(b))
                && world.within(&Region::around(one.bounds, enter), &other.bounds)
            {
                lists.enter(pair);
            } else {
                continue;
            }
            lists.pairs.push(pair);
        }
        lists.leave_before(old, [Handle::DANGLING; 2]);
    }
}

impl InterestLists {
    /// Makes the current pairs those of the update before, and clears all other lists.
    fn begin(&mut self) {
        core::mem::swap(&mut self.pairs, &mut self.before);
        self.pairs.clear();
        self.changes.clear();
        self.entered.clear();
        self.left.clear();
    }

    /// Adds the objects of the pairs of the update before, from the index `old` on, that are less
    /// than `pair` to the objects that left. Returns the index of the next pair.
    fn leave_before(&mut self, mut old: usize, pair: [Handle; 2]) -> usize {
        while let Some(&[observer, object]) = self.before.get(old).filter(|&&gone| gone < pair) {
            self.left.push(object);
            self.change(observer);
            old += 1;
        }
        old
    }

    fn enter(&mut self, [observer, object]: [Handle; 2]) {
        self.entered.push(object);
        self.change(observer);
    }

    /// Extends the lists of an observer, the last one with changes or a later one.
    fn change(&mut self, observer: Handle) {
        let change = Change { observer, entered: self.entered.len(), left: self.left.len() };
        match self.changes.last_mut().filter(|last| last.observer == observer) {
            Some(last) => *last = change,
            None => self.changes.push(change),
        }
    }
}
