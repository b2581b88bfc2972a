//! The objects of a scene as boxes in the plane, with all data that a picture shows.

use core::ops::ControlFlow;

use hexphase::{Algorithm, LevelStats, LineKind, Options, Reason, TooManyPairs};

use crate::pairs::build_world;
use crate::scene::{Ids, Number, Objects};

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
) -> Result<Found, hexphase::Error> {
    let options = Options::new().algorithm(Algorithm::Hshg).events(false);
    let mut world = build_world(&objects, options)?;
    world.optimize();
    if world.choice().reason == Reason::OutOfMemory {
        return Err(hexphase::Error::OutOfMemory);
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
    let boxes = objects.bounds.iter().map(|bounds| {
        let [min, max] = [bounds.min, bounds.max].map(flat);
        let sides = bounds.min.iter().zip(&bounds.max);
        let side = sides.map(|(min, max)| max.to_f64() - min.to_f64()).fold(0.0, f64::max);
        Flat { min, max, side }
    });
    let mut drawn: Vec<Cell> = Vec::new();
    if cells {
        // The lines of one cell are consecutive.
        let (mut edge, edges) = (0, D << (D - 1));
        world.debug_lines(|line| {
            let LineKind::Cell { level } = line.kind else { return };
            let [min, max] = line.ends.map(flat);
            if edge % edges == 0 {
                drawn.push(Cell { level, min, max });
            } else if let Some(cell) = drawn.last_mut() {
                for axis in 0..2 {
                    cell.min[axis] = cell.min[axis].min(min[axis]);
                    cell.max[axis] = cell.max[axis].max(max[axis]);
                }
            }
            edge += 1;
        });
        // Cells that differ only in z look alike in the picture, so keep one of them.
        drawn.sort_by(|a, b| {
            let by_place = || (0..2).map(|axis| a.min[axis].total_cmp(&b.min[axis]));
            a.level.cmp(&b.level).then_with(|| by_place().reduce(|x, y| x.then(y)).expect("axes"))
        });
        drawn.dedup();
    }
    Ok(Found {
        dimensions: D,
        boxes: boxes.collect(),
        ids: objects.ids,
        overlaps,
        pairs,
        levels: world.stats().levels,
        cells: drawn,
    })
}

/// Returns the first two coordinates of a point; the second one is 0 in one dimension.
fn flat<S: Number, const D: usize>(point: [S; D]) -> [f64; 2] {
    core::array::from_fn(|axis| point.get(axis).map_or(0.0, |x| x.to_f64()))
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
