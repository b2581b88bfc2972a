//! The objects of a block, and the parsers that read them.
//!
//! Parsers are compiled for each number type, but not for each dimension.

use hexphase::Aabb;

use super::Warnings;
use super::blocks::Block;
use super::ids::IdList;
use crate::error::Error;

/// The objects of a block.
#[derive(Debug)]
pub(super) struct Batch<S> {
    /// The boxes. In two dimensions, the third axis is 0.
    pub(super) bounds: Vec<Aabb<S, 3>>,
    /// The ids, if rows have ids.
    pub(super) ids: IdList,
    /// The number of rows: of objects and of rows without a box.
    pub(super) rows: u64,
    /// The rows without a box.
    pub(super) without_box: Vec<u64>,
    /// Rows that are not on the line after the previous row, with their lines.
    pub(super) lines: Vec<(u64, u64)>,
    /// The line after the last row.
    pub(super) next_line: u64,
    /// Warnings about the objects.
    pub(super) warnings: Warnings,
}

impl<S> Default for Batch<S> {
    fn default() -> Self {
        Self {
            bounds: Vec::new(),
            ids: IdList::default(),
            rows: 0,
            without_box: Vec::new(),
            lines: Vec::new(),
            next_line: 0,
            warnings: Warnings::default(),
        }
    }
}

impl<S> Batch<S> {
    /// Records the line of a row. The row counts even if its box is missing.
    pub(super) fn begin_row(&mut self, line: u64) {
        if line != self.next_line {
            self.lines.push((self.rows, line));
        }
        self.next_line = line + 1;
        self.rows += 1;
    }

    /// Records that the current row has no box.
    pub(super) fn leave_out(&mut self, location: impl FnOnce() -> String) {
        self.without_box.push(self.rows - 1);
        self.warnings.record_empty(location);
    }
}

/// Parses blocks of one format.
pub(super) trait Parser<S>: Sync {
    /// Appends the objects of a block to a batch.
    fn parse(&self, block: &Block, batch: &mut Batch<S>) -> Result<(), Error>;
}
