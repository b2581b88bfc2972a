//! Collects the objects of all files in the order of rows: reads the blocks in batches on several
//! threads, appends the batches, and sorts the objects by id.

use core::array::from_fn;
use core::mem::{replace, swap};

use hexphase::Aabb;
use rayon::prelude::*;

use super::batch::{Batch, Parser};
use super::blocks::{Block, Blocks};
use super::{Ids, Number, Objects, Scene, Source, Warnings};
use crate::error::{Error, Location, NO_MEMORY, Shown};
use crate::memory::{self, OutOfMemory};

/// Number of blocks per thread that are parsed together, while the next blocks are read.
const BLOCKS_PER_THREAD: usize = 4;

/// A block, the batch of its objects, and the result of parsing it.
struct Task<S> {
    block: Block,
    batch: Batch<S>,
    result: Result<(), Error>,
}

impl<S: Number> Task<S> {
    fn new() -> Self {
        Self { block: Block::default(), batch: Batch::default(), result: Ok(()) }
    }

    fn run(&mut self, parser: &dyn Parser<S>) {
        self.result = parser.parse(&self.block, &mut self.batch);
    }
}

/// Reads up to `count` blocks into tasks: fewer at the end of the text.
fn read_blocks<S: Number>(
    blocks: &mut Blocks<'_>,
    count: usize,
    tasks: &mut Vec<Task<S>>,
) -> Result<(), Error> {
    tasks.resize_with(count, Task::new);
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
    /// The number of dimensions, 2 or 3. In two dimensions, boxes are 0 on the third axis.
    dimensions: usize,
    boxes: Vec<Aabb<S, 3>>,
    /// Set if all objects are discs, balls or points.
    are_discs: bool,
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
}

impl<'a, S: Number> Collector<'a, S> {
    /// Creates an empty collector for objects with 2 or 3 dimensions. If `names_files` is set,
    /// warnings have the name of the file.
    pub(super) fn new(dimensions: usize, names_files: bool) -> Self {
        Self {
            dimensions,
            boxes: Vec::new(),
            are_discs: true,
            ids: Ids::default(),
            has_ids: false,
            rows: 0,
            with_box: None,
            lines: Vec::new(),
            files: Vec::new(),
            names_files,
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

    /// Reads all blocks of the current file. While some blocks are parsed, the objects of the blocks
    /// before them are appended and the next blocks are read; only these blocks are in memory.
    pub(super) fn read(
        &mut self,
        blocks: &mut Blocks<'_>,
        parser: &dyn Parser<S>,
        warnings: &mut Warnings,
    ) -> Result<(), Error> {
        let mut first = Task::new();
        blocks.read(&mut first.block)?;
        if blocks.is_done() {
            first.run(parser);
            return self.append_all(&mut [first], warnings);
        }
        memory::start_threads().map_err(|OutOfMemory| self.no_memory())?;
        let count = BLOCKS_PER_THREAD * rayon::current_num_threads();
        let mut current = vec![first];
        // Blocks that have been parsed. Their objects are appended, then the next blocks are read
        // into them.
        let mut other = Vec::new();
        while !current.is_empty() {
            let append_and_read = || {
                self.append_all(&mut other, warnings)?;
                Ok(read_blocks(blocks, count, &mut other))
            };
            let parse = || current.par_iter_mut().for_each(|task| task.run(parser));
            let (result, ()) = rayon::join(append_and_read, parse);
            let read: Result<(), Error> = result?;
            if read.is_err() {
                self.append_all(&mut current, warnings)?;
            }
            read?;
            swap(&mut current, &mut other);
        }
        self.append_all(&mut other, warnings)
    }

    fn append_all(&mut self, tasks: &mut [Task<S>], warnings: &mut Warnings) -> Result<(), Error> {
        tasks.iter_mut().try_for_each(|task| {
            replace(&mut task.result, Ok(()))?;
            self.append(&mut task.batch, warnings)
        })
    }

    /// Appends the objects of a batch and clears the batch.
    ///
    /// # Errors
    /// If there are more than 2^32 rows, or if allocation fails.
    pub(super) fn append(
        &mut self,
        batch: &mut Batch<S>,
        warnings: &mut Warnings,
    ) -> Result<(), Error> {
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
        warnings.append(&mut batch.warnings, self.names_files.then_some(source));
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
    pub(super) fn finish(self) -> Result<Scene<S>, Error> {
        let no_memory = self.no_memory();
        let Ok(order) = self.ids.order() else { return Err(no_memory) };
        if let Some(two) = order.as_ref().and_then(|order| self.ids.duplicate(order)) {
            return Err(self.duplicate(two));
        }
        self.in_order(order.as_deref()).map_err(|OutOfMemory| no_memory)
    }

    fn in_order(self, order: Option<&[u32]>) -> Result<Scene<S>, OutOfMemory> {
        let Self { dimensions, boxes, are_discs, .. } = self;
        let ids = match (order, self.with_box) {
            (_, Some(rows)) if !self.has_ids => Ids::Numbers(rows),
            (Some(order), _) => self.ids.in_order(order)?,
            (None, _) => self.ids,
        };
        Ok(match dimensions {
            2 => Scene::Flat(Objects { bounds: picked(&boxes, order)?, ids, are_discs }),
            _ => Scene::Solid(Objects { bounds: picked(&boxes, order)?, ids, are_discs }),
        })
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
