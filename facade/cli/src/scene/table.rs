//! Reads CSV row by row, with the location of errors.

use core::fmt;
use core::str;
use std::io::Read;

use csv::{ByteRecord, Reader, ReaderBuilder};

use super::lines::Lines;
use super::source::{Source, Text};
use crate::error::{Error, Location, Shown};

/// Size of the parser's buffer in bytes.
const BUFFER_SIZE: usize = 1 << 16;

/// A table with a header. The first call of [`Table::advance`] reads the header.
pub(crate) struct Table<'a> {
    source: &'a Source,
    packed: bool,
    reader: Reader<Lines<Box<dyn Read>>>,
    /// The current row.
    row: ByteRecord,
    /// The column names; empty until the header is read.
    names: Vec<String>,
    /// The location of the last field of the current row, if that field ends with a line end. The
    /// cause is an unclosed quote: a field with such a quote extends to the end of the text.
    open_field: Option<Location>,
}

impl<'a> Table<'a> {
    /// Opens the table of a source, before its header.
    pub(crate) fn open(source: &'a Source) -> Result<Self, Error> {
        let Text { reader, packed } = source.open()?;
        let reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .buffer_capacity(BUFFER_SIZE)
            .from_reader(Lines::new(reader));
        Ok(Self {
            source,
            packed,
            reader,
            row: ByteRecord::new(),
            names: Vec::new(),
            open_field: None,
        })
    }

    /// Reads the next row that is not blank. A row of spaces is blank. Returns `false` at the end.
    pub(crate) fn advance(&mut self) -> Result<bool, Error> {
        let header = self.names.is_empty();
        loop {
            let more = self.reader.read_byte_record(&mut self.row);
            if !more.map_err(|fault| self.read_error(&fault))? {
                return self.unclosed_quote().map_or(Ok(false), Err);
            }
            let ends_open = self.row.as_slice().last() == Some(&b'\n');
            self.open_field = ends_open.then(|| {
                // The unclosed quote hides the line end of the row, so the line number is one more.
                let location = self.location(self.width() - 1);
                Location { line: location.line + 1, ..location }
            });
            let is_blank = self.width() == 1 && self.row.as_slice().trim_ascii().is_empty();
            if !is_blank {
                break;
            }
        }
        if header {
            self.names = (0..self.width())
                .map(|column| self.text(column).map(Into::into))
                .collect::<Result<_, _>>()?;
        } else if self.width() != self.names.len() {
            let ragged = self.ragged();
            // An unclosed quote also causes missing fields. In this case the row is the last one.
            let at_end = self.open_field.is_some()
                && self.reader.read_byte_record(&mut self.row).is_ok_and(|more| !more);
            return Err(self.unclosed_quote().filter(|_| at_end).unwrap_or(ragged));
        }
        Ok(true)
    }

    /// Returns an error if the text has ended and its last field has an unclosed quote.
    fn unclosed_quote(&mut self) -> Option<Error> {
        let location = self.open_field.take()?;
        (self.reader.get_ref().last_visible() != b'"')
            .then(|| Error::new(self.source, "unclosed quote").at(location))
    }

    /// Returns the number of fields in the current row.
    pub(crate) fn width(&self) -> usize {
        self.row.len()
    }

    /// Returns a field of the current row without surrounding spaces.
    pub(crate) fn text(&self, column: usize) -> Result<&str, Error> {
        let bytes = self.row.get(column).unwrap_or_default().trim_ascii();
        str::from_utf8(bytes).map_err(|_| {
            let text = String::from_utf8_lossy(bytes);
            self.error_in(column, format_args!("\"{}\" is not UTF-8", Shown(&text)))
        })
    }

    /// Returns the names of all columns, for messages.
    pub(crate) fn header(&self) -> String {
        Shown(&self.names.join(",")).to_string()
    }

    /// Returns the line number of the start of the current row.
    pub(crate) fn line(&self) -> u64 {
        // A row may extend over several lines, and blank lines may precede it.
        let within = self.row.as_slice().iter().filter(|&&byte| byte == b'\n').count();
        self.reader.position().line().saturating_sub(1 + within as u64).max(1)
    }

    /// Returns the location of a field of the current row.
    pub(crate) fn location(&self, column: usize) -> Location {
        let name = self.names.get(column).filter(|name| !name.is_empty());
        let column = name.map_or_else(|| (column + 1).to_string(), Clone::clone);
        Location { line: self.line(), column: Some(column) }
    }

    /// Returns the error for a missing header.
    pub(crate) fn empty(&self) -> Error {
        let location = Location { line: 1, column: None };
        Error::new(self.source, "empty: a header is expected").at(location)
    }

    /// Returns an error about the current row.
    pub(crate) fn error(&self, message: impl fmt::Display) -> Error {
        Error::new(self.source, message).at(Location { line: self.line(), column: None })
    }

    /// Returns an error about a field of the current row.
    pub(crate) fn error_in(&self, column: usize, message: impl fmt::Display) -> Error {
        Error::new(self.source, message).at(self.location(column))
    }

    /// Returns an error about a field of the row that starts on `line`.
    pub(crate) fn error_on(&self, line: u64, column: usize, message: impl fmt::Display) -> Error {
        Error::new(self.source, message).at(Location { line, ..self.location(column) })
    }

    /// Returns an error about the column `name` of the header, present or missing. The header must
    /// be the current row.
    pub(crate) fn error_at(&self, name: &str, message: impl fmt::Display) -> Error {
        let location = Location { line: self.line(), column: Some(name.into()) };
        Error::new(self.source, message).at(location)
    }

    /// Returns the error for a row with more or fewer fields than the header.
    fn ragged(&self) -> Error {
        let (width, wanted) = (self.width(), self.names.len());
        let message = if width < wanted { "missing" } else { "too many" };
        let fields = if width == 1 { "field" } else { "fields" };
        let message = format!("{message}: {width} {fields}, but the header has {wanted}");
        self.error_in(width.min(wanted), message)
    }

    /// Converts an error of the CSV reader.
    fn read_error(&self, fault: &csv::Error) -> Error {
        let error = match fault.kind() {
            csv::ErrorKind::Io(error) if self.packed => {
                Error::new(self.source, format_args!("damaged or truncated gzip data: {error}"))
            }
            csv::ErrorKind::Io(error) => Error::system(self.source, error),
            _ => Error::new(self.source, fault),
        };
        error.at(Location { line: self.reader.position().line(), column: None })
    }
}
