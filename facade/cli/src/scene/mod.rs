//! Scenes: read from CSV tables or generated.

mod arguments;
mod columns;
mod decimal;
mod generated;
mod ids;
mod input;
mod lines;
mod number;
mod rows;
mod short;
mod source;
mod table;

use core::fmt::Display;

use hexphase::Aabb;

use crate::error::{Error, OneLine};
use columns::Columns;
use rows::Rows;
use table::Table;

pub(crate) use arguments::InputArgs;
pub(crate) use generated::{movers, objects};
pub(crate) use ids::Ids;
pub(crate) use input::Input;
pub(crate) use number::{Number, Scratch};
pub(crate) use source::Source;

/// The objects of a scene, in two or three dimensions.
pub(crate) enum Scene<S> {
    /// Two dimensions.
    Flat(Objects<S, 2>),
    /// Three dimensions.
    Solid(Objects<S, 3>),
}

/// Objects in ascending order of their ids. Other parts of the program identify an object by its
/// index.
pub(crate) struct Objects<S, const D: usize> {
    /// The boxes.
    pub(crate) bounds: Vec<Aabb<S, D>>,
    /// The ids.
    pub(crate) ids: Ids,
    /// The discs or balls in the boxes, if all objects are discs or balls, and they were asked for
    /// by [`Input::with_discs`].
    pub(crate) discs: Option<Discs<S, D>>,
}

/// Discs or balls: centers and radii, rounded to the nearest `S`.
#[derive(Debug)]
pub(crate) struct Discs<S, const D: usize> {
    /// The centers.
    pub(crate) centers: Vec<[S; D]>,
    /// The radii.
    pub(crate) radii: Vec<S>,
}

impl<S: Number> Scene<S> {
    /// Reads or generates a scene and records warnings.
    pub(crate) fn load(input: &Input, warnings: &mut Warnings) -> Result<Self, Error> {
        let source = &input.sources[0];
        if let Source::Generated(name) = source {
            return generated::generate(*name, input.discs, warnings);
        }
        let mut table = Table::open(source)?;
        let columns = Columns::read(&mut table)?;
        warnings.ignored.clone_from(&columns.ignored);
        let solid = columns.dimensions == 3;
        let rows = Rows { table, columns, wraps: input.wraps, warnings };
        Ok(if solid { Self::Solid(rows.read()?) } else { Self::Flat(rows.read()?) })
    }
}

/// The warnings about a scene: ignored columns, the number of rounded coordinates, and the first
/// rounded coordinate.
#[derive(Debug, Default)]
pub(crate) struct Warnings {
    /// The columns with known names that are not read.
    ignored: Vec<&'static str>,
    rounded: u64,
    first: Option<Rounding>,
}

#[derive(Debug)]
struct Rounding {
    location: String,
    from: String,
    to: String,
}

impl Warnings {
    /// Records a number that was rounded.
    pub(crate) fn record(
        &mut self,
        location: impl FnOnce() -> String,
        from: &dyn Display,
        to: &dyn Display,
    ) {
        self.rounded += 1;
        self.first.get_or_insert_with(|| Rounding {
            location: location(),
            from: from.to_string(),
            to: to.to_string(),
        });
    }

    /// Returns one line for each kind of warning, or an empty string.
    pub(crate) fn lines(&self, input: &Input, scalar: &str) -> String {
        let input = input.to_string();
        let begin = format_args!("hexphase: warning: {}: ", OneLine(&input)).to_string();
        let mut lines = String::new();
        if let [first, others @ ..] = &self.ignored[..] {
            let columns = if others.is_empty() {
                format!("column {first} is ignored")
            } else {
                format!("columns {} are ignored", self.ignored.join(", "))
            };
            lines += &format!("{begin}{columns}: boxes are read from min_x to max_y\n");
        }
        if let Some(Rounding { location, from, to }) = &self.first {
            let rounded = match self.rounded {
                1 => format!("1 number was rounded: {location}: {from} became {to}"),
                count => {
                    format!("{count} numbers were rounded, first {location}: {from} became {to}")
                }
            };
            lines += &format!("{begin}as {scalar}, {rounded}\n");
        }
        lines
    }
}
