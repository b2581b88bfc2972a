//! Files with a geometry in WKT or hexadecimal WKB on each line.

use super::Source;
use super::batch::{Batch, Parser};
use super::blocks::Block;
use super::geometry;
use super::number::Number;
use crate::error::{Error, Location, NO_MEMORY};
use crate::memory::OutOfMemory;

/// The parser for a file with a geometry on each line.
pub(super) struct WktLines<'a> {
    /// The source.
    pub(super) source: &'a Source,
    /// The length of each axis that wraps, 0 for other axes.
    pub(super) sides: [f64; 3],
}

impl<S: Number> Parser<S> for WktLines<'_> {
    fn parse(&self, block: &Block, batch: &mut Batch<S>) -> Result<(), Error> {
        for (line, text) in (block.line..).zip(block.text.split(|&byte| byte == b'\n')) {
            let text = text.trim_ascii();
            if text.is_empty() || text.starts_with(b"#") {
                continue;
            }
            let fail = |message: &str| Error::new(self.source, message).at(Location::line(line));
            batch.begin_row(line);
            let location = || Location::line(line).to_string();
            let bounds = geometry::read(text, self.sides, location, batch);
            if let Some(bounds) = bounds.map_err(|why| fail(&why))? {
                batch.push(bounds, None).map_err(|OutOfMemory| fail(NO_MEMORY))?;
            }
        }
        Ok(())
    }
}
