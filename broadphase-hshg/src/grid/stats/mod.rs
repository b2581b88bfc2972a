//! Statistics of a grid for users.

pub(super) mod cells;

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use broadphase_core::{Scalar, instances};

use crate::grid::{Hshg, by_key};

/// Statistics of a grid, returned by [`Hshg::stats`].
///
/// `Display` writes them as a table.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Stats {
    /// The levels that have objects, ascending.
    pub levels: Vec<LevelStats>,
    /// The number of objects.
    pub objects: usize,
    /// The number of pending objects, which the next refresh inserts into rows.
    pub waiting: usize,
    /// The number of slots without an object: gaps for insertions, holes, and unused slots.
    pub gaps: usize,
    /// The number of allocated bytes.
    pub bytes: usize,
}

/// Statistics of one level.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct LevelStats {
    /// The level number; level 0 has the smallest cells.
    pub level: u32,
    /// The side of the cells of this level.
    pub cell: f64,
    /// The number of objects.
    pub objects: usize,
    /// The number of cells that contain the low corner of an object of this level.
    pub cells: usize,
    /// The number of rows with objects of this level. Up to three levels share a row.
    pub rows: usize,
    /// The largest number of objects of this level whose low corners lie in one cell.
    pub most: usize,
}

impl<S: Scalar, const D: usize> Hshg<S, D> {
    /// Returns the distribution of objects over levels and cells.
    ///
    /// An object is in one cell of one level. Cells of a level are twice as large as those of the
    /// level below. An object is at most as large as its cell and, above level 0, larger than half
    /// of its cell. Takes O(n log n) time and O(n) memory.
    ///
    /// ```
    /// use broadphase_hshg::{Aabb, Hshg, SpatialIndexExt};
    ///
    /// let mut world: Hshg<f32, 2> = Hshg::with_smallest_cell(1.0);
    /// world.extend((0..90).map(|n| (n, Aabb::of_ball([n as f32, 0.0], 0.25))))?;
    /// world.insert(90, Aabb::of_ball([0.0, 0.0], 50.0))?;
    /// let stats = world.stats();
    /// assert_eq!((stats.levels[0].objects, stats.levels[1].objects), (90, 1));
    /// assert_eq!((stats.levels[1].level, stats.levels[1].cell), (7, 128.0));
    /// println!("{stats}");
    /// # Ok::<(), broadphase_hshg::IndexError>(())
    /// ```
    #[must_use]
    pub fn stats(&self) -> Stats {
        stats(self)
    }
}

instances! {
    /// Implements [`Hshg::stats`].
    fn stats<S, D>(grid: &Hshg<S, D>) -> Stats {
        let mut levels: Vec<LevelStats> = Vec::new();
        let object_cells = grid.object_cells();
        for in_level in object_cells.chunk_by(|a, b| a.level == b.level) {
            let level = in_level[0].level;
            let (mut cells, mut most) = (0, 0);
            for in_cell in in_level.chunk_by(|a, b| a == b) {
                cells += 1;
                most = most.max(in_cell.len());
            }
            let (cell, objects) = (grid.cell_side(level), in_level.len());
            levels.push(LevelStats { level, cell, objects, cells, rows: 0, most });
        }
        grid.count_rows(&mut levels);
        Stats {
            levels,
            objects: grid.len,
            waiting: grid.pending.len(),
            gaps: grid.store.len() - (grid.len - grid.pending.len()),
            bytes: by_key::memory_use(grid),
        }
    }
}

impl<S: Scalar, const D: usize> Hshg<S, D> {
    fn count_rows(&self, levels: &mut [LevelStats]) {
        let mut last = None;
        let mut seen = Vec::new();
        for (row, _, bounds) in self.objects() {
            if row.is_none() || row != last {
                seen.clear();
                last = row;
            }
            let level = self.level_of(&bounds);
            if row.is_none() || seen.contains(&level) {
                continue;
            }
            seen.push(level);
            if let Some(stats) = levels.iter_mut().find(|stats| stats.level == level) {
                stats.rows += 1;
            }
        }
    }
}

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = Vec::from([TITLES.map(String::from)]);
        table.extend(self.levels.iter().map(LevelStats::columns));
        let width = |column: usize| table.iter().map(|row| row[column].len()).max().unwrap_or(0);
        let widths: [usize; 6] = core::array::from_fn(width);
        for row in &table {
            for (column, (text, width)) in row.iter().zip(widths).enumerate() {
                let between = if column == 0 { "" } else { "  " };
                write!(f, "{between}{text:>width$}")?;
            }
            writeln!(f)?;
        }
        let Self { objects, waiting, gaps, bytes, .. } = self;
        write!(f, "{objects} objects, {waiting} waiting, {gaps} gaps, {bytes} bytes")
    }
}

const TITLES: [&str; 6] = ["level", "cell", "objects", "cells", "rows", "most in a cell"];

impl LevelStats {
    fn columns(&self) -> [String; 6] {
        let Self { level, cell, objects, cells, rows, most } = *self;
        let is_short = (1e-4..1e9).contains(&cell);
        let cell = if is_short { format!("{cell}") } else { format!("{cell:.2e}") };
        [
            format!("{level}"),
            cell,
            format!("{objects}"),
            format!("{cells}"),
            format!("{rows}"),
            format!("{most}"),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stats_display_as_a_table() {
        let level = |level, cell, objects| LevelStats {
            level,
            cell,
            objects,
            cells: objects / 2,
            rows: 1,
            most: 3,
        };
        let levels = [level(0, 0.0625, 12_000), level(12, 256.0, 2), level(90, 2e26, 4)];
        let stats =
            Stats { levels: levels.into(), objects: 12_006, bytes: 90_000, ..Stats::default() };
        let expected = "\
level     cell  objects  cells  rows  most in a cell
    0   0.0625    12000   6000     1               3
   12      256        2      1     1               3
   90  2.00e26        4      2     1               3
12006 objects, 0 waiting, 0 gaps, 90000 bytes";
        assert_eq!(format!("{stats}"), expected);
    }
}
