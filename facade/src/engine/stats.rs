//! Diagnosis of a world: counts, memory, the structure in use, debug lines, invariants.

use alloc::vec::Vec;
use core::any::Any;
use core::fmt;

use broadphase_core::{Aabb, LevelStats, Motion, Scalar, SearchStats, SpatialIndex, Torus};

use super::lines::edges;
use super::swept::nearest_image;
use super::{Choice, Core, Line, LineKind};
use crate::registry::Registry;
use crate::snapshot::Plain;

/// Statistics of a world, returned by [`BroadPhase::stats`](crate::BroadPhase::stats), for
/// diagnostics. `Display` writes several lines of text.
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
    /// Bytes allocated by the world: its structure, slots, filters, user data, volumes and pairs.
    pub bytes: usize,
    /// The part of `bytes` that the structure has allocated.
    pub structure_bytes: usize,
    /// The structure in use, and the reason for its selection.
    pub choice: Choice<S>,
    /// The counts of the last search for pairs: tests of two bounds, and overlaps found. They
    /// depend on the structure, not on backend and threads. `None` if the search tested nothing,
    /// because nothing had changed, or if the structure does not count: only the grid and
    /// Morton-sorted objects count.
    pub search: Option<SearchStats>,
    /// Levels that contain objects, ascending; empty if the structure has no cells.
    pub levels: Vec<LevelStats>,
}

/// Describes a world and checks it.
pub(crate) trait Inspection<S: Scalar, const D: usize> {
    /// Returns the statistics without the memory of user data and volumes, which the caller adds.
    fn stats(&self, registry: &Registry) -> Stats<S>;
    /// Draws the boxes of all objects, the cells of the structure, and the pairs of the last step.
    fn debug_lines(&self, registry: &Registry, draw: &mut dyn FnMut(Line<S, D>));
    fn assert_well_formed(&self, registry: &Registry);
}

impl<S: Scalar + Plain, const D: usize> Inspection<S, D> for Core<S, D> {
    fn stats(&self, registry: &Registry) -> Stats<S> {
        let (mut dynamic, mut statics, mut sleeping) = (0, 0, 0);
        for object in registry.slots.iter() {
            match registry.slots.motion(object.index()) {
                Some(Motion::Static) => statics += 1,
                Some(Motion::Sleeping) => sleeping += 1,
                _ => dynamic += 1,
            }
        }
        let structure_bytes = self.current.memory_use();
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
            bytes: structure_bytes + registry.memory_use() + self.swept.memory_use(),
            structure_bytes,
            choice: self.current.latest().choice,
            search: self.current.structure().state().search,
            levels: levels(self.current.structure()),
        }
    }

    fn debug_lines(&self, registry: &Registry, draw: &mut dyn FnMut(Line<S, D>)) {
        for object in registry.slots.iter() {
            if let Some(stored) = self.current.structure().get(object.index()) {
                edges(&stored.bounds, LineKind::Bounds(stored.motion), draw);
            }
        }
        each_cell(self.current.structure_for(1), &mut |level, cell| {
            edges(&cell, LineKind::Cell { level }, draw);
        });
        for &pair in &registry.pairs {
            let [a, b] = registry.pair_at_last_step(pair).map(|member| {
                let object = registry.slots.get(member.handle).map(|_| member.handle)?;
                self.current.structure().get(object.index()).map(|stored| stored.bounds)
            });
            if let (Some(a), Some(b)) = (a, b) {
                let b = nearest_image(b, &a, &self.current.options.sides);
                draw(Line { ends: [a.center(), b.center()], kind: LineKind::Pair });
            }
        }
    }

    fn assert_well_formed(&self, registry: &Registry) {
        let structure = self.current.structure();
        structure.assert_well_formed();
        if let Some(backend) = structure.state().backend {
            assert_eq!(
                backend, self.current.backend,
                "the structure has another backend than the world"
            );
        }
        let keys = structure.keys();
        for &key in &keys {
            let stored = structure.get(key).map(|object| object.motion);
            assert!(stored.is_some(), "slot {key} has no object");
            assert_eq!(stored, registry.slots.motion(key), "the object in slot {key} differs");
        }
        let objects = [structure.len(), registry.slots.len()];
        assert_eq!(objects, [keys.len(); 2], "the structure has another number of objects");
        registry.assert_well_formed();
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
fn each_cell<S: Scalar, const D: usize>(
    structure: &dyn SpatialIndex<S, D>,
    visit: &mut dyn FnMut(u32, Aabb<S, D>),
) {
    let structure = without_torus(structure);
    #[cfg(feature = "hshg")]
    if let Some(grid) = structure.downcast_ref::<broadphase_hshg::Hshg<S, D>>() {
        grid.cells().into_iter().for_each(|(level, cell)| visit(level, cell));
    }
    #[cfg(feature = "hash")]
    if let Some(hash) = structure.downcast_ref::<broadphase_hshg::SpatialHash<S, D>>() {
        hash.cells().into_iter().for_each(|(level, cell)| visit(level, cell));
    }
    #[cfg(feature = "morton")]
    if let Some(cells) = structure.downcast_ref::<broadphase_morton::MortonCells<S, D>>() {
        cells.cells().into_iter().for_each(|(level, cell)| visit(level, cell));
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
        return grid.levels();
    }
    #[cfg(feature = "hash")]
    if let Some(hash) = structure.downcast_ref::<broadphase_hshg::SpatialHash<S, D>>() {
        return hash.levels();
    }
    #[cfg(feature = "morton")]
    if let Some(cells) = structure.downcast_ref::<broadphase_morton::MortonCells<S, D>>() {
        return cells.levels();
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
        let Self { bytes, structure_bytes, choice, .. } = self;
        let beside = bytes - structure_bytes;
        writeln!(f, "{structure_bytes} bytes in the structure, {beside} beside it")?;
        write!(f, "{choice}, {}", choice.reason)?;
        for LevelStats { level, cell, objects, cells } in &self.levels {
            write!(f, "\nlevel {level}: {objects} objects in {cells} cells of {cell}")?;
        }
        Ok(())
    }
}
