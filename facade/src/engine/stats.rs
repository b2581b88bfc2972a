//! Statistics of a world: counts, memory, and the structure in use.

use alloc::vec::Vec;
use core::any::Any;
use core::fmt;

use broadphase_core::{Aabb, Motion, Scalar, SpatialIndex, Torus};

use super::{Choice, Core};
use crate::registry::Registry;

/// Statistics of a world, returned by [`BroadPhase::stats`](crate::BroadPhase::stats). They are for
/// diagnostics: results do not depend on the structure and its memory.
///
/// `Display` writes several lines of text.
///
/// ```
/// use hexphase::{Aabb, BroadPhase};
///
/// let mut world: BroadPhase<f32, 2, &str> = BroadPhase::new();
/// world.insert(Aabb::point([0.0, 0.0]), "ship")?;
/// world.step();
/// let stats = world.stats();
/// assert_eq!((stats.objects, stats.dynamic, stats.swept), (1, 1, 0));
/// println!("{stats}");
/// # Ok::<(), hexphase::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Stats<S = f32> {
    /// Number of objects.
    pub objects: usize,
    /// Number of objects of class [`Motion::Dynamic`].
    pub dynamic: usize,
    /// Number of objects of class [`Motion::Static`].
    pub statics: usize,
    /// Number of objects of class [`Motion::Sleeping`].
    pub sleeping: usize,
    /// Number of swept objects.
    pub swept: usize,
    /// Number of pairs of the last step.
    pub pairs: usize,
    /// Number of pairs that began in the last step.
    pub began: usize,
    /// Number of pairs that ended in the last step.
    pub ended: usize,
    /// Number of distinct filters.
    pub filters: usize,
    /// Number of slots, used or free, up to the highest slot in use.
    pub slots: usize,
    /// Bytes allocated by the structure.
    pub structure_bytes: usize,
    /// Bytes allocated by the rest of the world: slots, filters, user data, volumes and pairs.
    pub world_bytes: usize,
    /// The structure in use, and the reason for its selection.
    pub choice: Choice<S>,
    /// Levels that contain objects, ascending; empty if the structure has no cells.
    pub levels: Vec<LevelStats>,
}

/// Statistics of the cells of one size.
///
/// ```
/// use hexphase::{Aabb, BroadPhase};
///
/// let mut world: BroadPhase<f32, 2, u32> = BroadPhase::new();
/// for user in 0..1_000 {
///     world.insert(Aabb::of_ball([user as f32, 0.0], 0.5), user)?;
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
    /// Number of the level; level 0 has the smallest cells.
    pub level: u32,
    /// Side length of the cells; for Morton-sorted objects, the mean longest side of the clusters.
    pub cell: f64,
    /// Number of objects.
    pub objects: usize,
    /// Number of cells in use.
    pub cells: usize,
}

impl<S> Stats<S> {
    /// Returns the number of bytes allocated by the world, including its structure.
    ///
    /// ```
    /// use hexphase::BroadPhase;
    ///
    /// let stats = BroadPhase::<f32, 2>::new().stats();
    /// assert_eq!(stats.bytes(), stats.structure_bytes + stats.world_bytes);
    /// ```
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.structure_bytes + self.world_bytes
    }
}

impl<S: Scalar, const D: usize> Core<S, D> {
    /// Returns the statistics without the memory of user data and volumes, which the caller adds.
    pub(super) fn collect_stats(&self, registry: &Registry) -> Stats<S> {
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
            ended: registry.ended.len(),
            filters: registry.filters.in_use(),
            slots: registry.slots.capacity(),
            structure_bytes: self.current.memory_use(),
            world_bytes: registry.memory_use()
                + self.swept.memory_use()
                + self.crowd.memory_use()
                + self.staged.memory_use(),
            choice: self.current.latest().choice,
            levels: levels(self.current.structure()),
        }
    }
}

/// Returns a structure without the torus around it, to be converted to its type.
fn without_torus<S: Scalar, const D: usize>(structure: &dyn SpatialIndex<S, D>) -> &dyn Any {
    let structure: &dyn Any = structure;
    match structure.downcast_ref::<Torus<S, D>>() {
        Some(torus) => torus.inner(),
        None => structure,
    }
}

/// Calls `visit` with the cells of a structure of this workspace and their levels, level by level.
#[cfg_attr(
    not(any(feature = "hash", feature = "hshg", feature = "morton")),
    expect(unused_variables, reason = "brute force has no cells")
)]
pub(super) fn each_cell<S: Scalar, const D: usize>(
    structure: &dyn SpatialIndex<S, D>,
    visit: &mut dyn FnMut(u32, Aabb<S, D>),
) {
    let structure = without_torus(structure);
    #[cfg(feature = "hshg")]
    if let Some(grid) = structure.downcast_ref::<broadphase_hshg::Hshg<S, D>>() {
        grid.cells(&mut *visit);
    }
    #[cfg(feature = "hash")]
    if let Some(hash) = structure.downcast_ref::<broadphase_hshg::SpatialHash<S, D>>() {
        hash.cells(&mut *visit);
    }
    #[cfg(feature = "morton")]
    if let Some(cells) = structure.downcast_ref::<broadphase_morton::MortonCells<S, D>>() {
        cells.cells(&mut *visit);
    }
}

/// Returns the levels of a structure; empty if the structure has no cells.
#[cfg_attr(
    not(any(feature = "hash", feature = "hshg", feature = "morton")),
    expect(unused_variables, reason = "brute force has no cells")
)]
fn levels<S: Scalar, const D: usize>(structure: &dyn SpatialIndex<S, D>) -> Vec<LevelStats> {
    let structure = without_torus(structure);
    #[cfg(feature = "hshg")]
    if let Some(grid) = structure.downcast_ref::<broadphase_hshg::Hshg<S, D>>() {
        let level = |level: &broadphase_hshg::LevelStats| LevelStats {
            level: level.level,
            cell: level.cell,
            objects: level.objects,
            cells: level.cells,
        };
        return grid.stats().levels.iter().map(level).collect();
    }
    #[cfg(feature = "hash")]
    if let Some(hash) = structure.downcast_ref::<broadphase_hshg::SpatialHash<S, D>>() {
        let objects = hash.len() - hash.oversized();
        let (cell, cells) = (hash.cell().to_f64(), hash.cells_in_use());
        return Vec::from([LevelStats { level: 0, cell, objects, cells }]);
    }
    #[cfg(feature = "morton")]
    if let Some(cells) = structure.downcast_ref::<broadphase_morton::MortonCells<S, D>>() {
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
        writeln!(f, "distinct filters: {filters}, slots: {slots}")?;
        let Self { structure_bytes, world_bytes, choice, .. } = self;
        writeln!(f, "{structure_bytes} bytes in the structure, {world_bytes} beside it")?;
        write!(f, "{choice}, {}", choice.reason)?;
        for LevelStats { level, cell, objects, cells } in &self.levels {
            write!(f, "\nlevel {level}: {objects} objects in {cells} cells of {cell}")?;
        }
        Ok(())
    }
}
