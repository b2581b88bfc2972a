//! Output lines about objects, as CSV or JSON.

use core::fmt::Display;
use std::io::{self, Write};

use crate::scene::Ids;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Csv,
    Json,
}

impl Format {
    pub(crate) const fn new(json: bool) -> Self {
        if json { Self::Json } else { Self::Csv }
    }
}

pub(crate) fn write_count(count: u64, format: Format, out: &mut dyn Write) -> io::Result<()> {
    match format {
        Format::Csv => writeln!(out, "{count}"),
        Format::Json => writeln!(out, "{{\"count\":{count}}}"),
    }
}

/// Buffered output lines about pairs: `a,b` or `{"a":…,"b":…}`.
#[derive(Clone, Debug)]
pub(crate) struct Lines<'a> {
    /// The ids of the objects of the first and of the second scene; equal for pairs in one scene.
    ids: [&'a Ids; 2],
    /// The JSON names of the two fields.
    names: [&'static str; 2],
    format: Format,
    text: Vec<u8>,
    /// The beginning of the next lines: everything before the id of the second object.
    begin: Vec<u8>,
}

impl<'a> Lines<'a> {
    pub(crate) const fn new(ids: [&'a Ids; 2], format: Format) -> Self {
        Self { ids, names: ["a", "b"], format, text: Vec::new(), begin: Vec::new() }
    }

    /// Sets the JSON names of the two fields, which are `a` and `b` by default.
    pub(crate) fn named(self, names: [&'static str; 2]) -> Self {
        Self { names, ..self }
    }

    pub(crate) fn clear(&mut self) {
        self.text.clear();
    }

    pub(crate) fn text(&self) -> &[u8] {
        &self.text
    }

    /// Sets the first object of the next lines, given by its index.
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

    /// Appends the line of a pair: the object set by [`begin`](Self::begin), and this one.
    #[inline]
    pub(crate) fn push(&mut self, second: u32) {
        self.push_second(second);
        self.end();
    }

    pub(crate) fn push_with(&mut self, second: u32, name: &str, value: impl Display) {
        self.push_second(second);
        // Writing to a vector cannot fail.
        let _ = match self.format {
            Format::Csv => write!(self.text, ",{value}"),
            Format::Json => write!(self.text, ",\"{name}\":{value}"),
        };
        self.end();
    }

    /// Appends the line for an object without a partner, with an empty second field.
    pub(crate) fn push_none(&mut self) {
        self.text.extend_from_slice(&self.begin);
        if self.format == Format::Json {
            self.text.extend_from_slice(b"null");
        }
        self.end();
    }

    /// Appends a line with only one object, of the first scene.
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
