//! Lists of neighboring objects.

use alloc::vec::Vec;

use broadphase_core::Neighbors;

use crate::Handle;
use crate::registry::Registry;

/// For each object of a world, a list of other objects: the result of
/// [`BroadPhase::neighbors`](crate::BroadPhase::neighbors) and
/// [`nearest_to_each`](crate::BroadPhase::nearest_to_each).
///
/// ```
/// use hexphase::{Aabb, BroadPhase, NeighborLists};
///
/// let mut world: BroadPhase<f32, 2, &str> = BroadPhase::new();
/// for (x, name) in [(0.0, "a"), (1.0, "b"), (1.5, "c")] {
///     world.insert(Aabb::point([x, 0.0]), name)?;
/// }
/// let mut near = NeighborLists::default();
/// world.neighbors(1.0, &mut near);
/// let mut names = Vec::new();
/// for (object, others) in near.iter() {
///     names.extend(others.map(|other| [world[object], world[other]]));
/// }
/// assert_eq!(names, [["a", "b"], ["b", "a"], ["b", "c"], ["c", "b"]]);
/// # Ok::<(), hexphase::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct NeighborLists {
    slots: Neighbors,
    /// Generations by slot; missing ones are 0.
    generations: Vec<u32>,
}

impl NeighborLists {
    /// Returns the neighbors of an object, if it has a list. Takes logarithmic time.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase, NeighborLists};
    ///
    /// let mut world: BroadPhase = BroadPhase::new();
    /// let ship = world.insert(Aabb::point([0.0, 0.0]), ())?;
    /// let rock = world.insert(Aabb::point([1.0, 0.0]), ())?;
    /// let mut near = NeighborLists::default();
    /// world.neighbors(1.0, &mut near);
    /// assert!(near.of(ship).unwrap().eq([rock]));
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    #[must_use]
    pub fn of(&self, object: Handle) -> Option<impl ExactSizeIterator<Item = Handle> + '_> {
        let list = self.slots.of(object.index())?;
        (self.handle(object.index()) == object).then(|| self.handles(list))
    }

    /// Iterates over all objects, ascending by handle, with their neighbors.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase, NeighborLists};
    ///
    /// let mut world: BroadPhase<f32, 2, &str> = BroadPhase::new();
    /// for (x, name) in [(0.0, "a"), (1.0, "b"), (9.0, "c")] {
    ///     world.insert(Aabb::point([x, 0.0]), name)?;
    /// }
    /// let mut near = NeighborLists::default();
    /// world.neighbors(1.0, &mut near);
    /// let alone = near.iter().find(|(_, others)| others.len() == 0);
    /// assert_eq!(alone.map(|(object, _)| world[object]), Some("c"));
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn iter(
        &self,
    ) -> impl ExactSizeIterator<Item = (Handle, impl ExactSizeIterator<Item = Handle> + '_)> + '_
    {
        self.slots.iter().map(|(slot, list)| (self.handle(slot), self.handles(list)))
    }

    fn handles<'a>(&'a self, slots: &'a [u32]) -> impl ExactSizeIterator<Item = Handle> + 'a {
        slots.iter().map(|&slot| self.handle(slot))
    }

    fn handle(&self, slot: u32) -> Handle {
        Handle::new(slot, self.generations.get(slot as usize).copied().unwrap_or_default())
    }

    /// Stores the handles of all objects. Returns the buffer to fill with slots.
    pub(crate) fn set_handles(&mut self, registry: &Registry) -> &mut Neighbors {
        let Self { slots, generations } = self;
        generations.clear();
        for object in registry.slots.iter().filter(|object| object.generation() != 0) {
            generations.resize(object.index() as usize, 0);
            generations.push(object.generation());
        }
        slots
    }
}
