//! The objects of a scene as boxes in the plane, with all data that a picture shows.

use core::ops::ControlFlow;

use hexphase::{Aabb, Algorithm, LevelStats, LineKind, Options, Reason, TooManyPairs};

use crate::memory::OutOfMemory;
use crate::scene::{Ids, Number, Objects};

/// Memory in bytes per object, in addition to that of the world.
pub(super) const BYTES: usize = 2 * size_of::<Flat>();

/// A box in the plane; for a scene in three dimensions, the box as seen along z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Flat {
    pub(super) min: [f64; 2],
    pub(super) max: [f64; 2],
    /// The longest side of the object in all its dimensions.
    pub(super) side: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cell {
    /// The level of the cell; level 0 has the smallest cells.
    pub(super) level: u32,
    pub(super) min: [f64; 2],
    pub(super) max: [f64; 2],
}

pub(super) struct Found {
    pub(super) dimensions: usize,
    pub(super) boxes: Vec<Flat>,
    pub(super) ids: Ids,
    /// Set if all objects are discs, balls or points, and `boxes` has the boxes around them.
    pub(super) are_discs: bool,
    /// Set for each object that overlaps another object.
    pub(super) overlaps: Vec<bool>,
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
    let mut world = objects.world(options)?;
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
    let (mut drawn, mut edge) = (Vec::<Cell>::new(), 0usize);
    if cells {
        world.debug_lines(|line| {
            let LineKind::Cell { level } = line.kind else { return };
            let [min, max] = line.ends.each_ref().map(|end| flat(end));
            // The edges of one cell follow each other.
            let is_first = edge.is_multiple_of(D << (D - 1));
            edge += 1;
            match drawn.last_mut() {
                Some(cell) if !is_first => {
                    [cell.min, cell.max] = union([cell.min, cell.max], [min, max]);
                }
                _ => drawn.push(Cell { level, min, max }),
            }
        });
        drawn.sort_by(|a, b| {
            let by_axis = |axis: usize| a.min[axis].total_cmp(&b.min[axis]);
            a.level.cmp(&b.level).then(by_axis(0)).then(by_axis(1))
        });
        // Cells that differ only in z look alike in the picture.
        drawn.dedup();
    }
    Ok(Found {
        dimensions: D,
        boxes,
        ids: objects.ids,
        are_discs: objects.are_discs,
        overlaps,
        pairs,
        levels: world.stats().levels,
        cells: drawn,
    })
}

fn flat<S: Number>(point: &[S]) -> [f64; 2] {
    [point[0].to_f64(), point[1].to_f64()]
}

/// Returns the smallest box around two boxes.
fn union([min, max]: [[f64; 2]; 2], [other_min, other_max]: [[f64; 2]; 2]) -> [[f64; 2]; 2] {
    let axes = [0, 1];
    [axes.map(|i| min[i].min(other_min[i])), axes.map(|i| max[i].max(other_max[i]))]
}

impl Found {
    /// Returns the smallest box around all objects; `None` without objects.
    pub(super) fn extent(&self) -> Option<[[f64; 2]; 2]> {
        self.boxes.iter().map(|bounds| [bounds.min, bounds.max]).reduce(union)
    }

    pub(super) fn id(&self, object: usize) -> String {
        self.ids.text(object as u32)
    }
}
