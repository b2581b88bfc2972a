//! What a world looks like from outside: counts, memory, and what it stands on.

use alloc::vec::Vec;
use core::any::Any;
use core::fmt;

#[cfg(feature = "hash")]
use broadphase_core::SpatialIndex;
use broadphase_core::{Motion, Scalar, Torus};

use super::{Choice, Core};
#[cfg(any(feature = "hash", feature = "hshg", feature = "morton"))]
use crate::Proxy;
use crate::registry::Registry;
use crate::structure::Erased;

/// Counts of a world, returned by [`BroadPhase::stats`](crate::BroadPhase::stats), for people to look
/// at. The structure and its memory are part of no answer.
///
/// Shown as some lines.
///
/// ```
/// # use hexphase::{Aabb, BroadPhase};
/// let mut world: BroadPhase<f32, 1, &str> = BroadPhase::new();
/// world.insert(Aabb::point([0.0]), "ship")?;
/// world.step();
/// let stats = world.stats();
/// assert_eq!((stats.objects, stats.dynamic, stats.swept), (1, 1, 0));
/// println!("{stats}");
/// # Ok::<(), hexphase::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Stats<S = f32> {
    /// How many objects there are.
    pub objects: usize,
    /// How many of them are [`Motion::Dynamic`].
    pub dynamic: usize,
    /// How many are [`Motion::Static`].
    pub statics: usize,
    /// How many are [`Motion::Sleeping`].
    pub sleeping: usize,
    /// How many are swept.
    pub swept: usize,
    /// How many pairs the last step found.
    pub pairs: usize,
    /// How many of them were none in the step before.
    pub began: usize,
    /// How many were pairs in the step before alone.
    pub ended: usize,
    /// How many different filters objects have.
    pub filters: usize,
    /// How many slots there are, in use or free.
    pub slots: usize,
    /// The bytes of memory that the structure holds.
    pub structure_bytes: usize,
    /// The bytes of memory that the world holds beside it: slots, filters, volumes and pairs.
    pub world_bytes: usize,
    /// The structure, and why it is this one.
    pub choice: Choice<S>,
    /// The levels of the structure that have objects, ascending; none if it has no cells.
    pub levels: Vec<LevelStats>,
}

/// The objects in cells of one size.
///
/// ```
/// # use hexphase::{Aabb, BroadPhase};
/// let mut world: BroadPhase<f32, 1, u32> = BroadPhase::new();
/// for user in 0..1_000 {
///     world.insert(Aabb::of_ball([user as f32], 0.5), user)?;
/// }
/// world.step();
/// for level in &world.stats().levels {
///     println!("{level:?}");
/// }
/// # Ok::<(), hexphase::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct LevelStats {
    /// Its number; 0 has the smallest cells.
    pub level: u32,
    /// The side of its cells; of clusters of Morton-sorted objects, the longest on average.
    pub cell: f64,
    /// How many objects it has.
    pub objects: usize,
    /// How many cells are in use.
    pub cells: usize,
}

impl<S> Stats<S> {
    /// The bytes of memory held in all.
    ///
    /// ```
    /// # use hexphase::BroadPhase;
    /// let stats = BroadPhase::<f32, 2>::new().stats();
    /// assert_eq!(stats.bytes(), stats.structure_bytes + stats.world_bytes);
    /// ```
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.structure_bytes + self.world_bytes
    }
}

impl<S: Scalar, const D: usize> Core<S, D> {
    /// Counts objects and pairs; memory beside the structure without user data and volumes.
    pub(super) fn count(&self, registry: &Registry) -> Stats<S> {
        let (mut dynamic, mut statics, mut sleeping) = (0, 0, 0);
        for object in registry.slots.iter() {
            match registry.slots.motion(object.index()) {
                Some(Motion::Static) => statics += 1,
                Some(Motion::Sleeping) => sleeping += 1,
                _ => dynamic += 1,
            }
        }
        Stats {
            objects: registry.slots.len(),
            dynamic,
            statics,
            sleeping,
            swept: self.swept.len(),
            pairs: registry.pairs.len(),
            began: registry.began.len(),
            ended: 0,
            filters: registry.filters.in_use(),
            slots: registry.slots.capacity(),
            structure_bytes: self.structure.memory_use(),
            world_bytes: registry.memory_use() + self.swept.memory_use(),
            choice: self.choice,
            levels: self.structure.levels(),
        }
    }
}

/// Returns the levels of a structure that has any, by itself or in a world that wraps.
pub(crate) fn levels<S: Scalar, const D: usize>(structure: &dyn Any) -> Vec<LevelStats> {
    if let Some(torus) = structure.downcast_ref::<Torus<Erased<S, D>, S, D>>() {
        return torus.inner().0.levels();
    }
    #[cfg(feature = "hshg")]
    if let Some(grid) = structure.downcast_ref::<broadphase_hshg::Hshg<S, D, Proxy>>() {
        let level = |level: &broadphase_hshg::LevelStats| LevelStats {
            level: level.level,
            cell: level.cell,
            objects: level.objects,
            cells: level.cells,
        };
        return grid.stats().levels.iter().map(level).collect();
    }
    #[cfg(feature = "hash")]
    if let Some(hash) = structure.downcast_ref::<broadphase_hshg::SpatialHash<S, D, Proxy>>() {
        let objects = hash.len() - hash.oversized();
        let (cell, cells) = (hash.cell().to_f64(), hash.cells_in_use());
        return Vec::from([LevelStats { level: 0, cell, objects, cells }]);
    }
    #[cfg(feature = "morton")]
    if let Some(cells) = structure.downcast_ref::<broadphase_morton::MortonCells<S, D, Proxy>>() {
        let level = |level: &broadphase_morton::LevelStats| LevelStats {
            level: level.level,
            cell: level.side,
            objects: level.objects,
            cells: level.moving + level.resting,
        };
        return cells.stats().levels.iter().map(level).collect();
    }
    Vec::new()
}

impl<S: Scalar> fmt::Display for Stats<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { objects, dynamic, statics, sleeping, swept, .. } = self;
        writeln!(
            f,
            "{objects} objects: {dynamic} dynamic, {statics} static, {sleeping} sleeping; \
             {swept} swept"
        )?;
        let Self { pairs, began, ended, filters, slots, .. } = self;
        writeln!(f, "{pairs} pairs: {began} began; {ended} ended")?;
        writeln!(f, "{filters} different filters, {slots} slots")?;
        let Self { structure_bytes, world_bytes, choice, .. } = self;
        writeln!(f, "{structure_bytes} bytes in the structure, {world_bytes} beside it")?;
        write!(f, "{choice}, {}", choice.reason)?;
        for LevelStats { level, cell, objects, cells } in &self.levels {
            write!(f, "\nlevel {level}: {objects} objects in {cells} cells of {cell}")?;
        }
        Ok(())
    }
}
