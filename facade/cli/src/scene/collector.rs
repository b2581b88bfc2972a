//! Collects the objects of all files in the order of rows: reads the blocks in batches on several
//! threads, appends the batches, and sorts the objects by id.

use hexphase::Aabb;

use super::batch::{Batch, Parser};
use super::blocks::{Block, Blocks};
use super::ids::{IdList, Ids};
use super::{Number, Objects, Scene, Source, Warnings};
use crate::error::{Error, Location, NO_MEMORY, Shown};
use crate::jobs::{self, Job};
use crate::memory;

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

    fn job<'j>(&'j mut self, parser: &'j dyn Parser<S>) -> Job<'j> {
        Box::new(|| self.run(parser))
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
    boxes: Boxes<S>,
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

impl<'a, S: Number> Collector<'a, S> {
    /// Creates an empty collector for objects with 2 or 3 dimensions. If `names_files` is set,
    /// warnings have the name of the file.
    pub(super) fn new(dimensions: usize, names_files: bool) -> Self {
        Self {
            names_files,
            boxes: match dimensions {
                3 => Boxes::Solid(Vec::new()),
                _ => Boxes::Flat(Vec::new()),
            },
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
            return self.append_task(&mut first, warnings);
        }
        memory::start_threads().map_err(|_| self.no_memory())?;
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
            let jobs: Vec<_> = current.iter_mut().map(|task| task.job(parser)).collect();
            let (result, ()) = rayon::join(append_and_read, || jobs::run_all(jobs));
            let read: Result<(), Error> = result?;
            if read.is_err() {
                self.append_all(&mut current, warnings)?;
            }
            read?;
            core::mem::swap(&mut current, &mut other);
        }
        self.append_all(&mut other, warnings)
    }

    fn append_all(&mut self, tasks: &mut [Task<S>], warnings: &mut Warnings) -> Result<(), Error> {
        tasks.iter_mut().try_for_each(|task| self.append_task(task, warnings))
    }

    fn append_task(&mut self, task: &mut Task<S>, warnings: &mut Warnings) -> Result<(), Error> {
        core::mem::replace(&mut task.result, Ok(()))?;
        self.append(&mut task.batch, warnings)
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

    fn append_lists(&mut self, batch: &mut Batch<S>) -> Result<(), hexphase::Error> {
        if !batch.without_box.is_empty() && self.with_box.is_none() {
            self.with_box = Some(memory::collect((0..self.boxes.len()).map(|row| row as u64))?);
        }
        if let Some(rows) = &mut self.with_box {
            rows.try_reserve(batch.bounds.len()).map_err(|_| hexphase::Error::OutOfMemory)?;
            let mut missing = batch.without_box.drain(..).peekable();
            let with_box = (0..batch.rows).filter(|&row| missing.next_if_eq(&row).is_none());
            rows.extend(with_box.map(|row| self.rows + row));
        }
        self.boxes.append(&mut batch.bounds)?;
        self.ids.append(&mut batch.ids)
    }

    /// Returns the objects in ascending order of their ids.
    ///
    /// # Errors
    /// If an id occurs twice. The error names the first row that repeats the id of an earlier row.
    pub(super) fn finish(self) -> Result<Scene<S>, Error> {
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
            return Ok(self.boxes.into_scene(ids, are_discs));
        };
        if let Some(two) = self.ids.duplicate(&order) {
            return Err(self.duplicate(two));
        }
        let boxes = self.boxes.in_order(&order).map_err(|_| self.no_memory())?;
        let no_memory = self.no_memory();
        let ids = self.ids.into_ids(Some(&order)).map_err(|_| no_memory)?;
        Ok(boxes.into_scene(ids, are_discs))
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

/// Boxes in two or three dimensions.
enum Boxes<S> {
    Flat(Vec<Aabb<S, 2>>),
    Solid(Vec<Aabb<S, 3>>),
}

impl<S: Number> Boxes<S> {
    const fn len(&self) -> usize {
        match self {
            Self::Flat(list) => list.len(),
            Self::Solid(list) => list.len(),
        }
    }

    /// Moves all boxes of a batch to the end of the list. In two dimensions, drops the third axis.
    fn append(&mut self, more: &mut Vec<Aabb<S, 3>>) -> Result<(), hexphase::Error> {
        let no_memory = |_| hexphase::Error::OutOfMemory;
        match self {
            Self::Flat(list) => {
                list.try_reserve(more.len()).map_err(no_memory)?;
                list.extend(more.drain(..).map(|Aabb { min: [x, y, _], max: [right, top, _] }| {
                    Aabb { min: [x, y], max: [right, top] }
                }));
            }
            Self::Solid(list) => {
                list.try_reserve(more.len()).map_err(no_memory)?;
                list.append(more);
            }
        }
        Ok(())
    }

    /// Returns the boxes of these rows, in the order of `rows`.
    fn in_order(&self, rows: &[u32]) -> Result<Self, hexphase::Error> {
        Ok(match self {
            Self::Flat(list) => {
                Self::Flat(memory::collect(rows.iter().map(|&row| list[row as usize]))?)
            }
            Self::Solid(list) => {
                Self::Solid(memory::collect(rows.iter().map(|&row| list[row as usize]))?)
            }
        })
    }

    fn into_scene(self, ids: Ids, are_discs: bool) -> Scene<S> {
        match self {
            Self::Flat(bounds) => Scene::Flat(Objects { bounds, ids, are_discs }),
            Self::Solid(bounds) => Scene::Solid(Objects { bounds, ids, are_discs }),
        }
    }
}
