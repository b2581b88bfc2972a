//! Recorded ticks: a table with a row for each object in each tick. Successive rows of one tick are
//! parsed like the rows of a scene.

use memchr::memchr_iter;

use super::blocks::{Block, Blocks, first_record_end};
use super::collector::{Batch, Collector, Parser};
use super::rows::is_blank;
use super::table::{Table, split_all};
use super::{Input, Number, Objects, Warnings};
use crate::error::{Error, Location, Shown};

/// A table of recorded ticks whose header has been read.
pub(crate) struct Ticks<'a> {
    blocks: Blocks<'a>,
    table: Table<'a>,
    /// The column of ticks.
    column: usize,
}

impl<'a> Ticks<'a> {
    /// Opens a table and reads its header.
    pub(crate) fn open(input: &'a Input) -> Result<Self, Error> {
        let [source] = &input.sources[..] else {
            return Err(Error::new(input, "recorded ticks are read from one file"));
        };
        let mut blocks = Blocks::new(source, source.open()?);
        let table = Table::open(source, input, &mut blocks)?;
        let column = table.names.iter().position(|name| name == "tick");
        let Some(column) = column.filter(|_| table.columns.id.is_some()) else {
            let message = format_args!(
                "read {}; recorded ticks have tick,id and \
                 min_x,min_y[,min_z],max_x,max_y[,max_z] or x,y[,z],r",
                Shown(&table.names.join(","))
            );
            return Err(Error::new(source, message).at(Location::line(1)));
        };
        Ok(Self { blocks, table, column })
    }

    pub(crate) const fn dimensions(&self) -> usize {
        self.table.columns.dimensions
    }

    /// Calls `visit` with the objects of each tick, in order.
    pub(crate) fn read<S: Number, const D: usize>(
        mut self,
        warnings: &mut Warnings,
        mut visit: impl FnMut(Objects<S, D>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let delimiter = self.table.splitter.delimiter;
        let (mut block, mut rows, mut current) = (Block::default(), Block::default(), None);
        loop {
            self.blocks.read(&mut block)?;
            let (mut rest, mut line) = (&block.text[..], block.line);
            while !rest.is_empty() {
                let end = first_record_end(rest, delimiter).unwrap_or(rest.len());
                let (record, more) = rest.split_at(end);
                if !is_blank(record, delimiter) {
                    let tick = Some(self.tick(record, line, current)?);
                    if current != tick {
                        if current.is_some() {
                            visit(self.objects(&mut rows, warnings)?)?;
                        }
                        (rows.line, current) = (line, tick);
                    }
                }
                if current.is_some() {
                    rows.text.extend_from_slice(record);
                }
                line += memchr_iter(b'\n', record).count() as u64;
                rest = more;
            }
            if block.text.is_empty() {
                return match current {
                    Some(_) => visit(self.objects(&mut rows, warnings)?),
                    None => Ok(()),
                };
            }
        }
    }

    /// Returns the tick of a row.
    ///
    /// # Errors
    /// If the tick is before `current`.
    fn tick(&self, record: &[u8], line: u64, current: Option<u64>) -> Result<u64, Error> {
        let fields = split_all(record, self.table.splitter.delimiter);
        let text = fields.get(self.column).map_or(&b""[..], |field| field);
        let text = String::from_utf8_lossy(text);
        let fail = |message: String| Err(self.table.error_in(line, self.column, message));
        match (text.parse(), current) {
            (Err(_), _) => fail(format!("\"{}\" is not the number of a tick", Shown(&text))),
            (Ok(tick), Some(now)) if tick < now => {
                fail(format!("tick {tick} is after tick {now}; ticks must ascend"))
            }
            (Ok(tick), _) => Ok(tick),
        }
    }

    /// Parses the rows of a tick, and removes them.
    fn objects<S: Number, const D: usize>(
        &self,
        rows: &mut Block,
        warnings: &mut Warnings,
    ) -> Result<Objects<S, D>, Error> {
        let mut collector = Collector::new(false, warnings);
        let id = self.table.columns.id.map(|column| self.table.column_name(column));
        collector.begin_file(self.table.source, id)?;
        let mut batch = Batch::<S>::default();
        self.table.parse(rows, &mut batch)?;
        rows.text.clear();
        collector.append(&mut batch)?;
        collector.finish()
    }
}
