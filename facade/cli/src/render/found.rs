//! The objects of a scene as boxes of the plane, with everything that a picture shows about them.

use core::ops::ControlFlow;

use hexphase::{Aabb, Algorithm, LevelStats, LineKind, Options, Reason, TooManyPairs};

use crate::pairs::build_world;
use crate::scene::{Ids, Number, Objects};

/// Memory for each object in bytes, besides the world.
pub(super) const BYTES: usize = 2 * size_of::<Flat>();

/// A box of the plane: in three dimensions, the box seen along z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Flat {
    /// The lower left corner.
    pub(super) min: [f64; 2],
    /// The upper right corner.
    pub(super) max: [f64; 2],
    /// The longest side of the object in all its dimensions.
    pub(super) side: f64,
}

/// A cell of the grid, seen along z.
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
    /// Whether each object overlaps another.
    pub(super) overlaps: Vec<bool>,
    /// The number of overlapping pairs.
    pub(super) pairs: u64,
    /// The levels of the grid with objects, ascending.
    pub(super) levels: Vec<LevelStats>,
    /// The cells with objects, ascending by level; empty unless they are drawn.
    pub(super) cells: Vec<Cell>,
}

/// Finds the overlapping objects of a scene, and, if `cells` is set, the cells of the grid.
///
/// Pairs are counted and not stored: an object overlaps another if a query at its bounds finds a
/// second object. So memory does not grow with the number of pairs.
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
        overlaps,
        pairs,
        levels: world.stats().levels,
        cells: drawn.sorted(),
    })
}

/// Returns the first two coordinates of a point.
fn flat<S: Number>(point: &[S]) -> [f64; 2] {
    [point[0].to_f64(), point[1].to_f64()]
}

/// Builds cells from their edges.
struct Cells {
    list: Vec<Cell>,
    /// The number of edges so far. The edges of a cell follow each other.
    edge: usize,
    /// The number of edges of a cell.
    edges: usize,
}

impl Cells {
    /// Adds the next edge.
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

    /// Returns the cells, ascending. Cells that differ only in z are one in the picture.
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
