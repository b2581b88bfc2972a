//! Collects objects in the order of rows: reads them in batches on several threads, appends the
//! batches, and sorts the objects by id.

use hexphase::Aabb;
use rayon::prelude::*;

use super::blocks::{Block, Blocks};
use super::ids::{IdList, Ids};
use super::{Number, Objects, Source, Warnings};
use crate::error::{Error, Location, NO_MEMORY, Shown};
use crate::memory;

/// Number of blocks per thread that are parsed together, while the next blocks are read.
const BLOCKS_PER_THREAD: usize = 4;

/// The objects of one block.
#[derive(Debug)]
pub(super) struct Batch<S, const D: usize> {
    /// The boxes.
    pub(super) bounds: Vec<Aabb<S, D>>,
    /// The ids, if rows have ids.
    pub(super) ids: IdList,
    /// The number of rows, with and without a box.
    pub(super) rows: u64,
    /// The indices of the rows without a box.
    pub(super) without_box: Vec<u64>,
    /// The rows that are not on the line after the previous row, each with its line.
    lines: Vec<(u64, u64)>,
    next_line: u64,
    /// The warnings about these objects.
    pub(super) warnings: Warnings,
}

impl<S, const D: usize> Default for Batch<S, D> {
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

impl<S, const D: usize> Batch<S, D> {
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
pub(super) trait Parser<S, const D: usize>: Sync {
    /// Appends the objects of a block to a batch.
    fn parse(&self, block: &Block, batch: &mut Batch<S, D>) -> Result<(), Error>;
}

/// A block, the batch of its objects, and the result of parsing it.
struct Task<S, const D: usize> {
    block: Block,
    batch: Batch<S, D>,
    result: Result<(), Error>,
}

impl<S: Number, const D: usize> Task<S, D> {
    fn new() -> Self {
        Self { block: Block::default(), batch: Batch::default(), result: Ok(()) }
    }

    fn run(&mut self, parser: &dyn Parser<S, D>) {
        self.result = parser.parse(&self.block, &mut self.batch);
    }
}

/// The objects of all files in the order of rows.
pub(super) struct Collector<'a, S, const D: usize> {
    bounds: Vec<Aabb<S, D>>,
    /// Set if all objects are discs, balls or points.
    are_discs: bool,
    ids: IdList,
    has_ids: bool,
    rows: u64,
    /// The numbers of the rows with boxes; `None` if all rows have boxes.
    with_box: Option<Vec<u64>>,
    /// The first row of each run of rows on successive lines, with its line and its file.
    lines: Vec<(u64, u64, usize)>,
    /// The files, each with the name of its column of ids.
    files: Vec<(&'a Source, String)>,
    names_files: bool,
}

impl<'a, S: Number, const D: usize> Collector<'a, S, D> {
    /// Creates an empty collector. If `names_files` is set, warnings have the name of the file.
    pub(super) fn new(names_files: bool) -> Self {
        Self {
            names_files,
            bounds: Vec::new(),
            are_discs: true,
            ids: IdList::default(),
            has_ids: false,
            rows: 0,
            with_box: None,
            lines: Vec::new(),
            files: Vec::new(),
        }
    }

    /// Begins a file. `ids` is the name of its column of ids, if it has one.
    ///
    /// # Errors
    /// If only some files have ids.
    pub(super) fn begin_file(
        &mut self,
        source: &'a Source,
        ids: Option<String>,
    ) -> Result<(), Error> {
        if let Some((first, _)) = self.files.first()
            && self.has_ids != ids.is_some()
        {
            let message = match ids {
                Some(_) => format!("has ids, but {first} has none (--id - ignores them)"),
                None => format!("has no ids, but {first} has ids (--id - ignores them)"),
            };
            return Err(Error::new(source, message));
        }
        self.has_ids = ids.is_some();
        self.files.push((source, ids.unwrap_or_default()));
        Ok(())
    }

    /// Records that the current file has objects that are not discs, balls or points.
    pub(super) const fn set_not_discs(&mut self) {
        self.are_discs = false;
    }

    /// Reads all blocks of the current file. While some blocks are parsed, the next blocks are
    /// read; only these blocks are in memory.
    pub(super) fn read(
        &mut self,
        blocks: &mut Blocks<'_>,
        parser: &dyn Parser<S, D>,
        warnings: &mut Warnings,
    ) -> Result<(), Error> {
        let mut first = Task::new();
        blocks.read(&mut first.block)?;
        if blocks.is_done() {
            first.run(parser);
            return self.append_task(&mut first, warnings);
        }
        memory::start_threads().map_err(|_| self.no_memory())?;
        let count = BLOCKS_PER_THREAD * rayon::current_num_threads();
        let mut current = vec![first];
        let mut next = Vec::new();
        while !current.is_empty() {
            let read = || {
                next.resize_with(count, Task::new);
                for index in 0..count {
                    blocks.read(&mut next[index].block)?;
                    if next[index].block.text.is_empty() {
                        next.truncate(index);
                        break;
                    }
                }
                Ok(())
            };
            let parse = || current.par_iter_mut().for_each(|task| task.run(parser));
            let (read, ()) = rayon::join(read, parse);
            for task in &mut current {
                self.append_task(task, warnings)?;
            }
            read?;
            core::mem::swap(&mut current, &mut next);
        }
        Ok(())
    }

    fn append_task(&mut self, task: &mut Task<S, D>, warnings: &mut Warnings) -> Result<(), Error> {
        core::mem::replace(&mut task.result, Ok(()))?;
        self.append(&mut task.batch, warnings)
    }

    /// Appends the objects of a batch and clears the batch.
    ///
    /// # Errors
    /// If there are more than 2^32 rows, or if allocation fails.
    pub(super) fn append(
        &mut self,
        batch: &mut Batch<S, D>,
        warnings: &mut Warnings,
    ) -> Result<(), Error> {
        let (source, _) = self.files[self.files.len() - 1];
        let first = self.rows;
        if first + batch.rows > 1 << 32 {
            return Err(Error::new(source, "more than 2^32 objects"));
        }
        self.append_lists(batch).map_err(|_| {
            let line = batch.next_line.saturating_sub(1);
            let message = NO_MEMORY;
            Error::new(source, message).at(Location::line(line))
        })?;
        let file = self.files.len() - 1;
        self.lines.extend(batch.lines.drain(..).map(|(row, line)| (first + row, line, file)));
        self.rows += batch.rows;
        warnings.append(&mut batch.warnings, self.names_files.then_some(source));
        batch.rows = 0;
        batch.next_line = 0;
        Ok(())
    }

    fn append_lists(&mut self, batch: &mut Batch<S, D>) -> Result<(), hexphase::Error> {
        if !batch.without_box.is_empty() && self.with_box.is_none() {
            self.with_box = Some(memory::collect((0..self.bounds.len()).map(|row| row as u64))?);
        }
        if let Some(rows) = &mut self.with_box {
            rows.try_reserve(batch.bounds.len()).map_err(|_| hexphase::Error::OutOfMemory)?;
            let mut missing = batch.without_box.drain(..).peekable();
            let with_box = (0..batch.rows).filter(|&row| missing.next_if_eq(&row).is_none());
            rows.extend(with_box.map(|row| self.rows + row));
        }
        append(&mut self.bounds, &mut batch.bounds)?;
        self.ids.append(&mut batch.ids)
    }

    /// Returns the objects in ascending order of their ids.
    ///
    /// # Errors
    /// If an id occurs twice. The error names the first row that repeats the id of an earlier row.
    pub(super) fn finish(self) -> Result<Objects<S, D>, Error> {
        let are_discs = self.are_discs;
        let order = match self.has_ids {
            true => self.ids.order().map_err(|_| self.no_memory())?,
            false => None,
        };
        let Some(order) = order else {
            let ids = match (self.has_ids, self.with_box) {
                (false, rows) => rows.map_or(Ok(Ids::Rows), |rows| Ok(Ids::Numbers(rows))),
                (true, _) => self.ids.into_ids(None),
            };
            let (source, _) = self.files[0];
            let ids = ids.map_err(|_| Error::new(source, NO_MEMORY))?;
            return Ok(Objects { bounds: self.bounds, ids, are_discs });
        };
        if let Some(two) = self.ids.duplicate(&order) {
            return Err(self.duplicate(two));
        }
        let bounds = order.iter().map(|&object| self.bounds[object as usize]);
        let bounds = memory::collect(bounds).map_err(|_| self.no_memory())?;
        let no_memory = self.no_memory();
        let ids = self.ids.into_ids(Some(&order)).map_err(|_| no_memory)?;
        Ok(Objects { bounds, ids, are_discs })
    }

    fn no_memory(&self) -> Error {
        Error::new(self.files[0].0, NO_MEMORY)
    }

    /// Returns the error for two objects with equal ids, given by their indices.
    fn duplicate(&self, [first, second]: [u32; 2]) -> Error {
        let [(first_file, first_line), (file, line)] = [first, second].map(|object| {
            let row = match &self.with_box {
                Some(rows) => rows[object as usize],
                None => object.into(),
            };
            let run = self.lines.partition_point(|&(first, ..)| first <= row).saturating_sub(1);
            let (first, line, file) = self.lines[run];
            (file, line + (row - first))
        });
        let id = self.ids.text(second);
        let mut message = format!("duplicate id {}, first on line {first_line}", Shown(&id));
        if first_file != file {
            message += &format!(" of {} (--id - numbers the rows)", self.files[first_file].0);
        }
        let (source, column) = &self.files[file];
        let column = Some(column.clone());
        Error::new(source, message).at(Location { line, column })
    }
}

/// Moves all items to the end of another list.
fn append<T>(list: &mut Vec<T>, items: &mut Vec<T>) -> Result<(), hexphase::Error> {
    list.try_reserve(items.len()).map_err(|_| hexphase::Error::OutOfMemory)?;
    list.append(items);
    Ok(())
}
