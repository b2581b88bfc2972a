//! Scenes: read from tables or generated.

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

/// Objects in two dimensions or three.
pub(crate) enum Scene<S> {
    /// Two dimensions.
    Flat(Objects<S, 2>),
    /// Three dimensions.
    Solid(Objects<S, 3>),
}

/// The objects of a scene, ascending by id.
pub(crate) struct Objects<S, const D: usize> {
    /// Their boxes.
    pub(crate) bounds: Vec<Aabb<S, D>>,
    /// Their ids; the numbers from 0 unless given.
    pub(crate) ids: Option<Vec<u32>>,
}

impl<S: Number> Scene<S> {
    /// Reads or generates a scene, and takes note of numbers that changed on the way.
    pub(crate) fn load(source: &Source, changes: &mut Changes) -> Result<Self, Error> {
        if let Source::Generated(name) = source {
            return generated::generate(*name, changes);
        }
        let mut table = Table::open(source)?;
        let columns = Columns::read(&mut table)?;
        let solid = columns.dimensions == 3;
        let rows = Rows { table, columns, changes };
        Ok(if solid { Self::Solid(rows.read()?) } else { Self::Flat(rows.read()?) })
    }
}

/// How many numbers are others than were written, and the first of them.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    count: u64,
    first: Option<Change>,
}

#[derive(Debug)]
struct Change {
    place: String,
    from: String,
    to: String,
}

impl Changes {
    /// Takes note of a number that changed.
    pub(crate) fn note(
        &mut self,
        place: impl FnOnce() -> String,
        from: &dyn Display,
        to: &dyn Display,
    ) {
        self.count += 1;
        self.first.get_or_insert_with(|| Change {
            place: place(),
            from: from.to_string(),
            to: to.to_string(),
        });
    }

    /// A line that says so, or nothing if there were none.
    pub(crate) fn warning(&self, source: &Source, scalar: &str) -> String {
        if self.count == 0 {
            return String::new();
        }
        let source = source.to_string();
        format!("hexphase: warning: {}: as {scalar}, {self}\n", OneLine(&source))
    }
}

impl Display for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(Change { place, from, to }) = &self.first else {
            return f.write_str("no number changed");
        };
        match self.count {
            1 => write!(f, "1 number was rounded: {place}: {from} became {to}"),
            count => write!(f, "{count} numbers were rounded, first {place}: {from} became {to}"),
        }
    }
}
