//! Scenes: read from CSV tables or generated.

mod columns;
mod decimal;
mod generated;
mod lines;
mod number;
mod rows;
mod source;
mod table;

use core::fmt::{self, Display};

use hexphase::Aabb;

use crate::error::{Error, OneLine};
use columns::Columns;
use rows::Rows;
use table::Table;

pub(crate) use generated::{movers, objects};
pub(crate) use number::Number;
pub(crate) use source::Source;

/// The objects of a scene, in two or three dimensions.
pub(crate) enum Scene<S> {
    /// Two dimensions.
    Flat(Objects<S, 2>),
    /// Three dimensions.
    Solid(Objects<S, 3>),
}

/// Objects in ascending order of their ids.
pub(crate) struct Objects<S, const D: usize> {
    /// The boxes.
    pub(crate) bounds: Vec<Aabb<S, D>>,
    /// The ids; if `None`, the numbers from 0.
    pub(crate) ids: Option<Vec<u32>>,
}

impl<S: Number> Scene<S> {
    /// Reads or generates a scene and records the numbers that were rounded.
    pub(crate) fn load(source: &Source, roundings: &mut Roundings) -> Result<Self, Error> {
        if let Source::Generated(name) = source {
            return generated::generate(*name, roundings);
        }
        let mut table = Table::open(source)?;
        let columns = Columns::read(&mut table)?;
        let solid = columns.dimensions == 3;
        let rows = Rows { table, columns, roundings };
        Ok(if solid { Self::Solid(rows.read()?) } else { Self::Flat(rows.read()?) })
    }
}

/// The number of rounded coordinates, and the first of them.
#[derive(Debug, Default)]
pub(crate) struct Roundings {
    count: u64,
    first: Option<Rounding>,
}

#[derive(Debug)]
struct Rounding {
    location: String,
    from: String,
    to: String,
}

impl Roundings {
    /// Records a number that was rounded.
    pub(crate) fn record(
        &mut self,
        location: impl FnOnce() -> String,
        from: &dyn Display,
        to: &dyn Display,
    ) {
        self.count += 1;
        self.first.get_or_insert_with(|| Rounding {
            location: location(),
            from: from.to_string(),
            to: to.to_string(),
        });
    }

    /// Returns a warning line, or an empty string if no number was rounded.
    pub(crate) fn warning(&self, source: &Source, scalar: &str) -> String {
        if self.count == 0 {
            return String::new();
        }
        let source = source.to_string();
        format!("hexphase: warning: {}: as {scalar}, {self}\n", OneLine(&source))
    }
}

impl Display for Roundings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(Rounding { location, from, to }) = &self.first else {
            return f.write_str("no number was rounded");
        };
        match self.count {
            1 => write!(f, "1 number was rounded: {location}: {from} became {to}"),
            count => {
                write!(f, "{count} numbers were rounded, first {location}: {from} became {to}")
            }
        }
    }
}
