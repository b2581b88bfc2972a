//! Lines of output about objects, as CSV or JSON.

use core::fmt::Display;
use std::io::{self, Write};

use crate::scene::Ids;

/// Size in bytes at which buffered lines are written.
const CHUNK: usize = 1 << 14;

/// The format of the lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// Fields separated by commas.
    Csv,
    /// An object of JSON on each line.
    Json,
}

impl Format {
    /// Returns the format that the option `--json` selects.
    pub(crate) const fn new(json: bool) -> Self {
        if json { Self::Json } else { Self::Csv }
    }
}

/// Writes the line of the option `--count`.
pub(crate) fn write_count(count: u64, format: Format, out: &mut dyn Write) -> io::Result<()> {
    match format {
        Format::Csv => writeln!(out, "{count}"),
        Format::Json => writeln!(out, "{{\"count\":{count}}}"),
    }
}

/// Lines of pairs, as text: `a,b` or `{"a":…,"b":…}`.
#[derive(Clone, Debug)]
pub(crate) struct Lines<'a> {
    /// The ids of the first and of the second objects.
    ids: [&'a Ids; 2],
    /// The names of the fields in JSON.
    names: [&'static str; 2],
    format: Format,
    text: Vec<u8>,
    /// The beginning of the next lines: everything before the second id.
    begin: Vec<u8>,
}

impl<'a> Lines<'a> {
    /// Creates an empty list of lines.
    pub(crate) const fn new(ids: [&'a Ids; 2], format: Format) -> Self {
        Self { ids, names: ["a", "b"], format, text: Vec::new(), begin: Vec::new() }
    }

    /// Sets the names of the fields in JSON, which are `a` and `b` by default.
    pub(crate) fn named(self, names: [&'static str; 2]) -> Self {
        Self { names, ..self }
    }

    /// Removes all lines without freeing memory.
    pub(crate) fn clear(&mut self) {
        self.text.clear();
    }

    /// Returns the lines.
    pub(crate) fn text(&self) -> &[u8] {
        &self.text
    }

    /// Writes the lines and removes them.
    pub(crate) fn flush(&mut self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&self.text)?;
        self.clear();
        Ok(())
    }

    /// Writes the lines and removes them if they are long. Returns whether they were written.
    pub(crate) fn flush_if_full(&mut self, out: &mut dyn Write) -> io::Result<bool> {
        let full = self.text.len() >= CHUNK;
        if full {
            self.flush(out)?;
        }
        Ok(full)
    }

    /// Sets the first object of the next lines.
    pub(crate) fn begin(&mut self, first: u32) {
        self.begin.clear();
        match self.format {
            Format::Csv => {
                self.ids[0].write(first, &mut self.begin);
                self.begin.push(b',');
            }
            Format::Json => {
                let [a, b] = self.names;
                self.begin.extend_from_slice(format!("{{\"{a}\":").as_bytes());
                self.ids[0].write_json(first, &mut self.begin);
                self.begin.extend_from_slice(format!(",\"{b}\":").as_bytes());
            }
        }
    }

    /// Appends the line of a pair.
    #[inline]
    pub(crate) fn push(&mut self, second: u32) {
        self.push_second(second);
        self.end();
    }

    /// Appends the line of a pair with another field.
    pub(crate) fn push_with(&mut self, second: u32, name: &str, value: impl Display) {
        self.push_second(second);
        // A list accepts all bytes.
        let _ = match self.format {
            Format::Csv => write!(self.text, ",{value}"),
            Format::Json => write!(self.text, ",\"{name}\":{value}"),
        };
        self.end();
    }

    /// Appends the line of an object without a partner.
    pub(crate) fn push_none(&mut self) {
        self.text.extend_from_slice(&self.begin);
        if self.format == Format::Json {
            self.text.extend_from_slice(b"null");
        }
        self.end();
    }

    /// Appends a line of one object of the first scene.
    pub(crate) fn push_one(&mut self, object: u32) {
        match self.format {
            Format::Csv => self.ids[0].write(object, &mut self.text),
            Format::Json => {
                self.text.extend_from_slice(format!("{{\"{}\":", self.names[0]).as_bytes());
                self.ids[0].write_json(object, &mut self.text);
            }
        }
        self.end();
    }

    fn push_second(&mut self, second: u32) {
        self.text.extend_from_slice(&self.begin);
        match self.format {
            Format::Csv => self.ids[1].write(second, &mut self.text),
            Format::Json => self.ids[1].write_json(second, &mut self.text),
        }
    }

    fn end(&mut self) {
        if self.format == Format::Json {
            self.text.push(b'}');
        }
        self.text.push(b'\n');
    }
}
