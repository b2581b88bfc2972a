//! Collects the objects of all files in the order of rows: reads the blocks in batches on several
//! threads, appends the batches, and sorts the objects by id.

use core::array::from_fn;
use core::mem::swap;

use hexphase::Aabb;
use rayon::prelude::*;

use super::blocks::{Block, Blocks};
use super::{Ids, Number, Objects, Source, Warnings};
use crate::error::{Error, Location, NO_MEMORY, Shown};
use crate::memory::{self, OutOfMemory};

/// Number of blocks per thread that are parsed together, while the next blocks are read.
const BLOCKS_PER_THREAD: usize = 4;

#[derive(Debug, Default)]
pub(super) struct Batch<S> {
    /// The boxes. In two dimensions, both ends are 0 on the third axis.
    pub(super) bounds: Vec<Aabb<S, 3>>,
    pub(super) ids: Ids,
    /// The number of rows, with and without a box.
    pub(super) rows: u64,
    /// The indices of the rows without a box.
    pub(super) without_box: Vec<u64>,
    /// The rows that are not on the line after the previous row, each with its line.
    pub(super) lines: Vec<(u64, u64)>,
    /// The line after the last row.
    pub(super) next_line: u64,
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
        self.warnings.empty.add(location);
    }

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

/// A parser for the blocks of one format, compiled for each number type but not each dimension.
pub(super) trait Parser<S>: Sync {
    fn parse(&self, block: &Block, batch: &mut Batch<S>) -> Result<(), Error>;
}

/// A block, the batch of its objects, and the error of parsing it.
#[derive(Default)]
struct Task<S> {
    block: Block,
    batch: Batch<S>,
    error: Option<Error>,
}

impl<S: Number> Task<S> {
    fn run(&mut self, parser: &dyn Parser<S>) {
        self.error = parser.parse(&self.block, &mut self.batch).err();
    }
}

/// Reads up to `count` blocks into tasks: fewer at the end of the text.
fn read_blocks<S: Number>(
    blocks: &mut Blocks<'_>,
    count: usize,
    tasks: &mut Vec<Task<S>>,
) -> Result<(), Error> {
    tasks.resize_with(count, Task::default);
    for index in 0..count {
        blocks.read(&mut tasks[index].block)?;
        if tasks[index].block.text.is_empty() {
            tasks.truncate(index);
            break;
        }
    }
    Ok(())
}

/// The objects of all files in the order of rows.
pub(super) struct Collector<'a, S> {
    /// The boxes; in two dimensions, both ends are 0 on the third axis.
    boxes: Vec<Aabb<S, 3>>,
    /// Set if all objects are discs, balls or points.
    pub(super) are_discs: bool,
    ids: Ids,
    has_ids: bool,
    rows: u64,
    /// The numbers of the rows with boxes; `None` if all rows have boxes.
    with_box: Option<Vec<u64>>,
    /// The first row of each run of rows on successive lines, with its line and its file.
    lines: Vec<(u64, u64, usize)>,
    /// The files, each with the name of its column of ids.
    files: Vec<(&'a Source, String)>,
    names_files: bool,
    pub(super) warnings: &'a mut Warnings,
}

impl<'a, S: Number> Collector<'a, S> {
    /// Creates an empty collector. If `names_files` is set, warnings have the name of the file.
    pub(super) const fn new(names_files: bool, warnings: &'a mut Warnings) -> Self {
        Self {
            boxes: Vec::new(),
            are_discs: true,
            ids: Ids::Rows,
            has_ids: false,
            rows: 0,
            with_box: None,
            lines: Vec::new(),
            files: Vec::new(),
            names_files,
            warnings,
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

    /// Reads all blocks of the current file. While some blocks are parsed, the objects of the blocks
    /// before them are appended and the next blocks are read; only these blocks are in memory.
    pub(super) fn read(
        &mut self,
        blocks: &mut Blocks<'_>,
        parser: &dyn Parser<S>,
    ) -> Result<(), Error> {
        let mut first = Task::default();
        blocks.read(&mut first.block)?;
        if blocks.at_end && blocks.pending.is_empty() {
            first.run(parser);
            return self.append_all(&mut [first]);
        }
        memory::start_threads().map_err(|OutOfMemory| self.no_memory())?;
        let count = BLOCKS_PER_THREAD * rayon::current_num_threads();
        let mut current = vec![first];
        // Blocks that have been parsed. Their objects are appended, then the next blocks are read
        // into them.
        let mut other = Vec::new();
        while !current.is_empty() {
            let append_and_read = || {
                self.append_all(&mut other)?;
                Ok(read_blocks(blocks, count, &mut other))
            };
            let parse = || current.par_iter_mut().for_each(|task| task.run(parser));
            let (result, ()) = rayon::join(append_and_read, parse);
            let read: Result<(), Error> = result?;
            if read.is_err() {
                self.append_all(&mut current)?;
            }
            read?;
            swap(&mut current, &mut other);
        }
        self.append_all(&mut other)
    }

    fn append_all(&mut self, tasks: &mut [Task<S>]) -> Result<(), Error> {
        tasks.iter_mut().try_for_each(|task| match task.error.take() {
            Some(error) => Err(error),
            None => self.append(&mut task.batch),
        })
    }

    /// Appends the objects of a batch and clears the batch.
    pub(super) fn append(&mut self, batch: &mut Batch<S>) -> Result<(), Error> {
        let file = self.files.len() - 1;
        let (source, _) = self.files[file];
        let first = self.rows;
        if first + batch.rows > 1 << 32 {
            return Err(Error::new(source, "more than 2^32 objects"));
        }
        self.append_lists(batch).map_err(|OutOfMemory| {
            let line = batch.next_line.saturating_sub(1);
            Error::new(source, NO_MEMORY).at(Location::line(line))
        })?;
        self.lines.extend(batch.lines.drain(..).map(|(row, line)| (first + row, line, file)));
        self.rows += batch.rows;
        self.warnings.append(&mut batch.warnings, self.names_files.then_some(source));
        batch.rows = 0;
        batch.next_line = 0;
        Ok(())
    }

    fn append_lists(&mut self, batch: &mut Batch<S>) -> Result<(), OutOfMemory> {
        if !batch.without_box.is_empty() && self.with_box.is_none() {
            self.with_box = Some(memory::collect((0..self.boxes.len()).map(|row| row as u64))?);
        }
        if let Some(rows) = &mut self.with_box {
            rows.try_reserve(batch.bounds.len())?;
            let mut missing = batch.without_box.drain(..).peekable();
            let with_box = (0..batch.rows).filter(|&row| missing.next_if_eq(&row).is_none());
            rows.extend(with_box.map(|row| self.rows + row));
        }
        self.boxes.try_reserve(batch.bounds.len())?;
        self.boxes.append(&mut batch.bounds);
        self.ids.append(&mut batch.ids)
    }

    /// Returns the objects in ascending order of their ids.
    ///
    /// # Errors
    /// If an id occurs twice. The error names the first row that repeats the id of an earlier row.
    pub(super) fn finish<const D: usize>(self) -> Result<Objects<S, D>, Error> {
        let no_memory = self.no_memory();
        let Ok(order) = self.ids.order() else { return Err(no_memory) };
        if let Some(two) = order.as_ref().and_then(|order| self.ids.duplicate(order)) {
            return Err(self.duplicate(two));
        }
        self.in_order(order.as_deref()).map_err(|OutOfMemory| no_memory)
    }

    fn in_order<const D: usize>(self, order: Option<&[u32]>) -> Result<Objects<S, D>, OutOfMemory> {
        let ids = match (order, self.with_box) {
            (_, Some(rows)) if !self.has_ids => Ids::Numbers(rows),
            (Some(order), _) => self.ids.in_order(order)?,
            (None, _) => self.ids,
        };
        Ok(Objects { bounds: picked(&self.boxes, order)?, ids, are_discs: self.are_discs })
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

/// Returns the first axes of the boxes of these rows, or of all rows.
fn picked<S: Number, const D: usize>(
    boxes: &[Aabb<S, 3>],
    order: Option<&[u32]>,
) -> Result<Vec<Aabb<S, D>>, OutOfMemory> {
    let first_axes = |Aabb { min, max }: &Aabb<S, 3>| Aabb {
        min: from_fn(|axis| min[axis]),
        max: from_fn(|axis| max[axis]),
    };
    match order {
        Some(order) => memory::collect(order.iter().map(|&row| first_axes(&boxes[row as usize]))),
        None => memory::collect(boxes.iter().map(first_axes)),
    }
}
