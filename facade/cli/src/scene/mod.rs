//! Scenes: read from files of several formats, or generated.
//!
//! 1. Open each file, decompress it, and find its format from its first bytes (`file.rs`).
//! 2. Divide the text into blocks of whole records (`blocks.rs`), and parse the blocks into batches
//!    (`batch.rs`) on several threads: rows of tables (`rows.rs`) or lines with a geometry
//!    (`wkt_lines.rs`, `geojson.rs`). A GeoJSON document is divided into features instead.
//! 3. Append the objects of all files in the order of rows, and sort them by id (`collector.rs`,
//!    `ids.rs`).

mod arguments;
mod batch;
mod blocks;
mod collector;
mod columns;
mod decimal;
mod fields;
mod file;
mod generated;
mod geojson;
mod geometry;
mod gzip;
mod ids;
mod input;
mod lines;
mod number;
mod parquet;
mod roles;
mod rows;
mod seam;
mod source;
mod table;
mod warnings;
mod wkb;
mod wkt;
mod wkt_lines;
mod zstd;

use hexphase::Aabb;

use crate::error::Error;
use collector::Collector;
use file::OpenFile;

pub(crate) use arguments::{InputArgs, check_stdin};
pub(crate) use generated::{generate, movers, objects};
pub(crate) use ids::Ids;
pub(crate) use input::Input;
pub(crate) use number::Number;
pub(crate) use source::Source;
pub(crate) use warnings::Warnings;

/// A value in two or in three dimensions.
pub(crate) enum Dimensions<A, B> {
    /// Two dimensions.
    Flat(A),
    /// Three dimensions.
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

/// The objects of a scene.
pub(crate) type Scene<S> = Dimensions<Objects<S, 2>, Objects<S, 3>>;

/// The objects of a scene in ascending order of their ids. Other modules identify an object by its
/// index, which is also called its row.
pub(crate) struct Objects<S, const D: usize> {
    /// The boxes.
    pub(crate) bounds: Vec<Aabb<S, D>>,
    /// The ids.
    pub(crate) ids: Ids,
    /// Set if all objects are discs, balls or points; `bounds` has their bounding boxes.
    pub(crate) are_discs: bool,
}

impl<A, B> Dimensions<A, B> {
    /// Returns the number of dimensions.
    pub(crate) const fn dimensions(&self) -> usize {
        match self {
            Self::Flat(_) => 2,
            Self::Solid(_) => 3,
        }
    }
}

impl<S: Number> Scene<S> {
    /// Returns the number of objects.
    pub(crate) fn len(&self) -> usize {
        with_dimensions!(self, objects => objects.bounds.len())
    }

    /// Reads or generates a scene and records warnings.
    pub(crate) fn load(input: &Input, warnings: &mut Warnings) -> Result<Self, Error> {
        if let Some(name) = input.generated() {
            return generate(name, 0, warnings);
        }
        let first = OpenFile::open(&input.sources[0], &input.options)?;
        let dimensions = first.dimensions();
        let mut collector = Collector::new(dimensions, input.sources.len() > 1);
        first.read(input, &mut collector, warnings)?;
        for source in &input.sources[1..] {
            let file = OpenFile::open(source, &input.options)?;
            if file.dimensions() != dimensions {
                let (own, first) = (file.dimensions(), &input.sources[0]);
                let message = format_args!("{own} dimensions, but {first} has {dimensions}");
                return Err(Error::new(source, message));
            }
            file.read(input, &mut collector, warnings)?;
        }
        collector.finish()
    }
}
