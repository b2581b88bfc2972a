//! The objects of a block, and the parsers that read them.
//!
//! Parsers are compiled for each number type, but not for each dimension.

use hexphase::Aabb;

use super::blocks::Block;
use super::{Ids, Warnings};
use crate::error::Error;
use crate::memory::OutOfMemory;

/// The objects of one block.
#[derive(Debug, Default)]
pub(super) struct Batch<S> {
    /// The boxes. In two dimensions, both ends are 0 on the third axis.
    pub(super) bounds: Vec<Aabb<S, 3>>,
    /// The ids, if rows have ids.
    pub(super) ids: Ids,
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

    /// Appends the object of the current row.
    ///
    /// # Errors
    /// If allocation fails.
    #[inline]
    pub(super) fn push(
        &mut self,
        bounds: Aabb<S, 3>,
        id: Option<&[u8]>,
    ) -> Result<(), OutOfMemory> {
        if let Some(id) = id {
            self.ids.push(id)?;
        }
        self.bounds.try_reserve(1)?;
        self.bounds.push(bounds);
        Ok(())
    }
}

/// A parser for the blocks of one format.
pub(super) trait Parser<S>: Sync {
    /// Appends the objects of a block to a batch.
    fn parse(&self, block: &Block, batch: &mut Batch<S>) -> Result<(), Error>;
}
