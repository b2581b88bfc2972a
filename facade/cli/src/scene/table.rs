//! CSV, row by row, with the places of its faults.

use core::fmt;
use core::str;
use std::io::Read;

use csv::{ByteRecord, Reader, ReaderBuilder};

use super::lines::Lines;
use super::source::{Source, Text};
use crate::error::{Error, Place, Shown};

/// Bytes taken apart at once.
const CHUNK: usize = 1 << 16;

/// A table with a header. At first the header is the current row.
pub(crate) struct Table<'a> {
    source: &'a Source,
    packed: bool,
    reader: Reader<Lines<Box<dyn Read>>>,
    /// The current row.
    row: ByteRecord,
    /// The names in the header, once it was passed.
    names: Vec<String>,
    /// Where the current row ends in a field with a line end, as fields with an open quote do:
    /// they swallow the rest of the text.
    suspect: Option<Place>,
}

impl<'a> Table<'a> {
    /// The table of a source, before its header.
    pub(crate) fn open(source: &'a Source) -> Result<Self, Error> {
        let Text { reader, packed } = source.open()?;
        let reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .buffer_capacity(CHUNK)
            .from_reader(Lines::new(reader));
        Ok(Self {
            source,
            packed,
            reader,
            row: ByteRecord::new(),
            names: Vec::new(),
            suspect: None,
        })
    }

    /// Goes to the next row that is not blank; `false` at the end.
    pub(crate) fn advance(&mut self) -> Result<bool, Error> {
        let header = self.names.is_empty();
        let more =
            self.reader.read_byte_record(&mut self.row).map_err(|fault| self.fault(&fault))?;
        if !more {
            return self.open_quote().map_or(Ok(false), Err);
        }
        let suspicious = self.row.as_slice().last() == Some(&b'\n');
        self.suspect = suspicious.then(|| {
            // With an open quote no line end is the row's own.
            let place = self.place(self.width() - 1);
            Place { line: place.line + 1, ..place }
        });
        if header {
            self.names = (0..self.width())
                .map(|column| self.text(column).map(Into::into))
                .collect::<Result<_, _>>()?;
        } else if self.width() != self.names.len() {
            let ragged = self.ragged();
            // An open quote swallows fields as well, and then there is nothing left to read.
            let at_end = self.suspect.is_some()
                && self.reader.read_byte_record(&mut self.row).is_ok_and(|more| !more);
            return Err(self.open_quote().filter(|_| at_end).unwrap_or(ragged));
        }
        Ok(true)
    }

    /// At the end of the text: whether it lies in the last field of the last row.
    fn open_quote(&mut self) -> Option<Error> {
        let place = self.suspect.take()?;
        (self.reader.get_ref().last_visible() != b'"')
            .then(|| Error::new(self.source, "a quote never ends").at(place))
    }

    /// How many fields the current row has.
    pub(crate) fn width(&self) -> usize {
        self.row.len()
    }

    /// A field of the current row, without spaces around it.
    pub(crate) fn text(&self, column: usize) -> Result<&str, Error> {
        let bytes = self.row.get(column).unwrap_or_default().trim_ascii();
        str::from_utf8(bytes).map_err(|_| {
            let text = String::from_utf8_lossy(bytes);
            self.error_in(column, format_args!("\"{}\" is not UTF-8", Shown(&text)))
        })
    }

    /// The line on which the current row begins.
    pub(crate) fn line(&self) -> u64 {
        // Rows may go over several lines, and blank lines may come before them.
        let within = self.row.as_slice().iter().filter(|&&byte| byte == b'\n').count();
        self.reader.position().line().saturating_sub(1 + within as u64).max(1)
    }

    /// The place of a field of the current row.
    pub(crate) fn place(&self, column: usize) -> Place {
        let name = self.names.get(column).filter(|name| !name.is_empty());
        let column = name.map_or_else(|| (column + 1).to_string(), Clone::clone);
        Place { line: self.line(), column: Some(column) }
    }

    /// There is no header.
    pub(crate) fn empty(&self) -> Error {
        let place = Place { line: 1, column: None };
        Error::new(self.source, "empty: a header is expected").at(place)
    }

    /// Something is wrong with the current row.
    pub(crate) fn error(&self, what: impl fmt::Display) -> Error {
        Error::new(self.source, what).at(Place { line: self.line(), column: None })
    }

    /// Something is wrong with a field of the current row.
    pub(crate) fn error_in(&self, column: usize, what: impl fmt::Display) -> Error {
        Error::new(self.source, what).at(self.place(column))
    }

    /// Something is wrong with a field of an earlier row.
    pub(crate) fn error_on(&self, line: u64, column: usize, what: impl fmt::Display) -> Error {
        Error::new(self.source, what).at(Place { line, ..self.place(column) })
    }

    /// Something is wrong with what the header says about a column.
    pub(crate) fn error_at(&self, name: &str, what: impl fmt::Display) -> Error {
        let place = Place { line: self.line(), column: Some(name.into()) };
        Error::new(self.source, what).at(place)
    }

    /// The row has more or fewer fields than the header.
    fn ragged(&self) -> Error {
        let (width, wanted) = (self.width(), self.names.len());
        let what = if width < wanted { "missing" } else { "too many" };
        let fields = if width == 1 { "field" } else { "fields" };
        let what = format!("{what}: {width} {fields} where the header has {wanted}");
        self.error_in(width.min(wanted), what)
    }

    /// The text could not be read on.
    fn fault(&self, fault: &csv::Error) -> Error {
        let error = match fault.kind() {
            csv::ErrorKind::Io(error) if self.packed => {
                Error::new(self.source, format_args!("damaged or cut off gzip data: {error}"))
            }
            csv::ErrorKind::Io(error) => Error::system(self.source, error),
            _ => Error::new(self.source, fault),
        };
        error.at(Place { line: self.reader.position().line(), column: None })
    }
}
