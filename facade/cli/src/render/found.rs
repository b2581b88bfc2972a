//! The objects of a scene as boxes in the plane, with all data that a picture shows.

use core::ops::ControlFlow;

use hexphase::{Aabb, Algorithm, LevelStats, LineKind, Options, Reason, TooManyPairs};

use crate::memory::OutOfMemory;
use crate::scene::{Ids, Number, Objects};
use crate::world;

/// Memory in bytes per object, in addition to that of the world.
pub(super) const BYTES: usize = 2 * size_of::<Flat>();

/// A box in the plane; for a scene in three dimensions, the box as seen along z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Flat {
    /// The lower left corner.
    pub(super) min: [f64; 2],
    /// The upper right corner.
    pub(super) max: [f64; 2],
    /// The longest side of the object in all its dimensions.
    pub(super) side: f64,
}

/// A cell of the grid as seen along z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cell {
    /// The level of the cell; level 0 has the smallest cells.
    pub(super) level: u32,
    /// The lower left corner.
    pub(super) min: [f64; 2],
    /// The upper right corner.
    pub(super) max: [f64; 2],
}

/// The objects, pairs and cells of a scene.
pub(super) struct Found {
    /// The number of dimensions of the scene.
    pub(super) dimensions: usize,
    /// The boxes in ascending order of their ids.
    pub(super) boxes: Vec<Flat>,
    /// The ids.
    pub(super) ids: Ids,
    /// Set if all objects are discs, balls or points, and `boxes` has the boxes around them.
    pub(super) are_discs: bool,
    /// Set for each object that overlaps another object.
    pub(super) overlaps: Vec<bool>,
    /// The number of overlapping pairs.
    pub(super) pairs: u64,
    /// The levels of the grid that contain objects, in ascending order.
    pub(super) levels: Vec<LevelStats>,
    /// The cells that contain objects, ascending by level; empty if they are not drawn.
    pub(super) cells: Vec<Cell>,
}

/// Finds the overlapping objects of a scene, and the cells of the grid if `cells` is set.
///
/// Pairs are counted and not stored: an object overlaps another object if a query with its bounds
/// finds a second object. So memory does not grow with the number of pairs.
pub(super) fn find<S: Number, const D: usize>(
    objects: Objects<S, D>,
    cells: bool,
) -> Result<Found, OutOfMemory> {
    let options = Options::new().algorithm(Algorithm::Hshg).events(false);
    let mut world = world::build(&objects, options)?;
    world.optimize();
    if world.choice().reason == Reason::OutOfMemory {
        return Err(OutOfMemory);
    }
    let pairs = match world.step_up_to(0) {
        Ok(()) => 0,
        Err(TooManyPairs { pairs, .. }) => pairs,
    };
    let overlaps = world.handles().zip(&objects.bounds).map(|(object, bounds)| {
        let others = world.query(*bounds).visit(|found, _, _| {
            if found == object { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        others.is_break()
    });
    let overlaps = overlaps.collect();
    let mut boxes = Vec::with_capacity(objects.bounds.len());
    for Aabb { min, max } in &objects.bounds {
        let mut side = 0.0;
        for axis in 0..D {
            side = f64::max(side, max[axis].to_f64() - min[axis].to_f64());
        }
        boxes.push(Flat { min: flat(min), max: flat(max), side });
    }
    let mut drawn = Cells { list: Vec::new(), edge: 0, edges: D << (D - 1) };
    if cells {
        world.debug_lines(|line| {
            if let LineKind::Cell { level } = line.kind {
                let [from, to] = &line.ends;
                drawn.add(level, flat(from), flat(to));
            }
        });
    }
    Ok(Found {
        dimensions: D,
        boxes,
        ids: objects.ids,
        are_discs: objects.are_discs,
        overlaps,
        pairs,
        levels: world.stats().levels,
        cells: drawn.sorted(),
    })
}

/// Returns the first two coordinates of a point, as `f64`.
fn flat<S: Number>(point: &[S]) -> [f64; 2] {
    [point[0].to_f64(), point[1].to_f64()]
}

/// Builds the cells as seen along z from their edges.
struct Cells {
    list: Vec<Cell>,
    /// The number of edges added. The edges of one cell are added in a row.
    edge: usize,
    /// The number of edges per cell.
    edges: usize,
}

impl Cells {
    /// Adds an edge with these ends: to the last cell, or, if all edges of this have been added, to
    /// a new cell.
    fn add(&mut self, level: u32, min: [f64; 2], max: [f64; 2]) {
        if self.edge.is_multiple_of(self.edges) {
            self.list.push(Cell { level, min, max });
        } else if let Some(cell) = self.list.last_mut() {
            for axis in 0..2 {
                cell.min[axis] = cell.min[axis].min(min[axis]);
                cell.max[axis] = cell.max[axis].max(max[axis]);
            }
        }
        self.edge += 1;
    }

    /// Returns the cells in ascending order. Cells that differ only in z look alike in the picture,
    /// so only one of them is kept.
    fn sorted(mut self) -> Vec<Cell> {
        self.list.sort_by(|a, b| {
            let by_place = || (0..2).map(|axis| a.min[axis].total_cmp(&b.min[axis]));
            a.level.cmp(&b.level).then_with(|| by_place().reduce(|x, y| x.then(y)).expect("axes"))
        });
        self.list.dedup();
        self.list
    }
}

impl Found {
    /// Returns the smallest box around all objects; `None` without objects.
    pub(super) fn extent(&self) -> Option<[[f64; 2]; 2]> {
        let corners = self.boxes.iter().map(|bounds| [bounds.min, bounds.max]);
        corners.reduce(|[min, max], [other_min, other_max]| {
            let axes = [0, 1];
            [axes.map(|i| min[i].min(other_min[i])), axes.map(|i| max[i].max(other_max[i]))]
        })
    }

    /// Returns the id of an object.
    pub(super) fn id(&self, object: usize) -> String {
        self.ids.text(object as u32)
    }
}
