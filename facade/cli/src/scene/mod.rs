//! Scenes: read from files of several formats, or generated.
//!
//! 1. Open each file, decompress it, and find its format from its first bytes (`file.rs`).
//! 2. Divide the text into blocks of whole records (`blocks.rs`), and parse the blocks into batches
//!    on several threads: rows of tables (`rows.rs`) or lines with a geometry (`geometry.rs`,
//!    `geojson.rs`). A GeoJSON document is divided into features instead.
//! 3. Append the objects of all files in the order of rows, and sort them by id (`collector.rs`,
//!    `ids.rs`).

mod blocks;
mod collector;
mod columns;
mod decimal;
mod fields;
mod file;
mod generated;
mod geojson;
mod geometry;
mod ids;
mod input;
mod number;
mod parquet;
mod roles;
mod rows;
mod seam;
mod source;
mod table;
mod ticks;
mod unpack;
mod warnings;
mod wkb;
mod wkt;

use hexphase::{Aabb, BroadPhase, Options};

use crate::error::Error;
use crate::memory::OutOfMemory;
use collector::Collector;
use file::OpenFile;

pub(crate) use generated::{generate, movers, objects};
pub(crate) use ids::Ids;
pub(crate) use input::{Input, InputArgs, check_stdin};
pub(crate) use number::Number;
pub(crate) use source::Source;
pub(crate) use ticks::Ticks;
pub(crate) use warnings::Warnings;

/// A value in two or in three dimensions.
pub(crate) enum Dimensions<A, B> {
    Flat(A),
    Solid(B),
}

/// Evaluates an expression for the value in either number of dimensions.
macro_rules! with_dimensions {
    ($value:expr, $name:ident => $result:expr) => {
        match $value {
            $crate::scene::Dimensions::Flat($name) => $result,
            $crate::scene::Dimensions::Solid($name) => $result,
        }
    };
}
pub(crate) use with_dimensions;

pub(crate) type Scene<S> = Dimensions<Objects<S, 2>, Objects<S, 3>>;

/// The objects of a scene in ascending order of their ids. Other modules identify an object by its
/// index, which is also called its row.
pub(crate) struct Objects<S, const D: usize> {
    pub(crate) bounds: Vec<Aabb<S, D>>,
    pub(crate) ids: Ids,
    /// Set if all objects are discs, balls or points; `bounds` has their bounding boxes.
    pub(crate) are_discs: bool,
}

impl<S: Number, const D: usize> Objects<S, D> {
    /// Returns a world with these objects; the user data of an object is its row.
    pub(crate) fn world(
        &self,
        options: Options<S, D>,
    ) -> Result<BroadPhase<S, D, u32>, OutOfMemory> {
        let mut world = BroadPhase::with_options(options);
        for (row, bounds) in (0..).zip(&self.bounds) {
            world.insert(*bounds, row)?;
        }
        Ok(world)
    }
}

impl<A, B> Dimensions<A, B> {
    pub(crate) const fn dimensions(&self) -> usize {
        match self {
            Self::Flat(_) => 2,
            Self::Solid(_) => 3,
        }
    }
}

impl<S: Number> Scene<S> {
    pub(crate) fn len(&self) -> usize {
        with_dimensions!(self, objects => objects.bounds.len())
    }

    /// Reads or generates a scene and records warnings.
    pub(crate) fn load(input: &Input, warnings: &mut Warnings) -> Result<Self, Error> {
        if let Some(name) = input.generated() {
            return generate(name, 0, warnings);
        }
        let first = OpenFile::open(&input.sources[0], input)?;
        let dimensions = first.dimensions();
        let mut collector = Collector::new(input.sources.len() > 1, warnings);
        first.read(input, &mut collector)?;
        for source in &input.sources[1..] {
            let file = OpenFile::open(source, input)?;
            if file.dimensions() != dimensions {
                let (own, first) = (file.dimensions(), &input.sources[0]);
                let message = format_args!("{own} dimensions, but {first} has {dimensions}");
                return Err(Error::new(source, message));
            }
            file.read(input, &mut collector)?;
        }
        Ok(match dimensions {
            2 => Self::Flat(collector.finish()?),
            _ => Self::Solid(collector.finish()?),
        })
    }
}
