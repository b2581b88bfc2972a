//! The objects of a block, and the parsers that read them.
//!
//! Parsers are compiled for each number type, but not for each dimension.

use hexphase::Aabb;

use super::Warnings;
use super::blocks::Block;
use super::ids::IdList;
use crate::error::Error;

/// The objects of one block.
#[derive(Debug)]
pub(super) struct Batch<S> {
    /// The boxes. In two dimensions, both ends are 0 on the third axis.
    pub(super) bounds: Vec<Aabb<S, 3>>,
    /// The ids, if rows have ids.
    pub(super) ids: IdList,
    /// The number of rows, with and without a box.
    pub(super) rows: u64,
    /// The indices of the rows without a box.
    pub(super) without_box: Vec<u64>,
    /// The rows that are not on the line after the previous row, each with its line.
    pub(super) lines: Vec<(u64, u64)>,
    /// The line after the last row.
    pub(super) next_line: u64,
    /// The warnings about these objects.
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
    /// Begins a row on this line. The row counts even if it turns out to have no box.
    pub(super) fn begin_row(&mut self, line: u64) {
        if line != self.next_line {
            self.lines.push((self.rows, line));
        }
        self.next_line = line + 1;
        self.rows += 1;
    }

    /// Records that the current row has no box, so that it forms no object.
    pub(super) fn leave_out(&mut self, location: impl FnOnce() -> String) {
        self.without_box.push(self.rows - 1);
        self.warnings.record_empty(location);
    }
}

/// A parser for the blocks of one format.
pub(super) trait Parser<S>: Sync {
    /// Appends the objects of a block to a batch.
    fn parse(&self, block: &Block, batch: &mut Batch<S>) -> Result<(), Error>;
}
