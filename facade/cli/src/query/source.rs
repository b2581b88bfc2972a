//! Queries as they are written, in options or in a file.

use csv::ReaderBuilder;

use super::shape::{Shape, ShapeKind};
use crate::error::{Error, Location, Shown};
use crate::near;
use crate::scene::{Input, Number};

/// A query with its numbers as texts, before the scalar type and the number of dimensions are
/// known.
#[derive(Clone, Debug)]
pub(super) struct Written {
    pub(super) kind: ShapeKind,
    pub(super) numbers: Vec<String>,
    /// The name of the option or the file, for messages.
    pub(super) place: String,
    /// The line in the file, counted from 1.
    pub(super) line: Option<u64>,
}

impl Written {
    /// Parses the numbers and returns the query.
    ///
    /// # Errors
    /// If there are too few or too many numbers, or if a number is invalid.
    pub(super) fn shape<S: Number, const D: usize>(
        &self,
        sides: [S; D],
        nearest: Option<u32>,
    ) -> Result<Shape<S, D>, Error> {
        let [least, most] = self.kind.lengths(D);
        let count = self.numbers.len();
        if count != least && count != most {
            let (name, written) = (self.kind.name(), self.numbers.join(","));
            let or_most = if most > least { format!(" or {most}") } else { String::new() };
            return Err(self.error(format_args!(
                "\"{}\": a {name} in {D} dimensions has {least}{or_most} numbers, not {count}",
                Shown(&written)
            )));
        }
        let (count, numbers) = match (self.kind, &self.numbers[..]) {
            (ShapeKind::Nearest, [first, numbers @ ..]) => {
                let count = first.parse().ok().filter(|&count| count > 0);
                let message = || format!("\"{}\" is not a number of objects", Shown(first));
                (Some(count.ok_or_else(|| self.error(message()))?), numbers)
            }
            (_, numbers) => (nearest, numbers),
        };
        let read = |text: &String| near::parse_number(text).map_err(|message| self.error(message));
        let numbers: Vec<S> = numbers.iter().map(read).collect::<Result<_, _>>()?;
        Shape::new(self.kind, &numbers, sides, count).map_err(|why| self.error(why))
    }

    fn error(&self, message: impl core::fmt::Display) -> Error {
        let error = Error::new(&self.place, message);
        match self.line {
            Some(line) => error.at(Location::line(line)),
            None => error,
        }
    }
}

/// Appends the queries of a file. Each line has the form `box,0,0,10,10`; there is no header.
pub(super) fn read(input: &Input, queries: &mut Vec<Written>) -> Result<(), Error> {
    let place = input.to_string();
    let [source] = input.sources() else { return Ok(()) };
    let text = source.open()?;
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .trim(csv::Trim::All)
        .from_reader(text.reader);
    for row in reader.records() {
        let row = row.map_err(|error| match error.into_kind() {
            csv::ErrorKind::Io(error) => Error::system(&place, &error),
            csv::ErrorKind::Utf8 { pos, .. } => {
                let line = pos.map_or(1, |pos| pos.line());
                Error::new(&place, "is not UTF-8").at(Location::line(line))
            }
            _ => Error::new(&place, "is not a table of queries"),
        })?;
        let line = row.position().map(csv::Position::line);
        let mut fields = row.iter();
        let name = fields.next().unwrap_or_default().trim_start_matches('\u{feff}');
        if name.is_empty() && row.len() <= 1 {
            continue;
        }
        let Some(kind) = ShapeKind::named(&name.to_ascii_lowercase()) else {
            let message = format_args!(
                "\"{}\" is not a query: box, point, ball, segment, ray or nearest is expected",
                Shown(name)
            );
            let location = Location::line(line.unwrap_or(1));
            return Err(Error::new(&place, message).at(location));
        };
        let numbers = fields.map(Into::into).collect();
        queries.push(Written { kind, numbers, place: place.clone(), line });
    }
    Ok(())
}
