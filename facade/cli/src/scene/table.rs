//! Tables: finding the delimiter, reading the header, and errors with their location.

use core::fmt;
use core::str;

use super::blocks::{Blocks, first_record_end};
use super::columns::{Columns, ColumnsError, Form, FoundColumns};
use super::fields::{Splitter, for_each_field, unquote};
use super::roles::Role;
use super::{Input, InputArgs, Source};
use crate::error::{Error, Location, Shown};

/// The delimiters that are tried if no option sets one, in order of preference.
const DELIMITERS: [u8; 5] = [b',', b'\t', b';', b'|', b' '];
/// The forms of tables, for error messages.
const FORMS: &str = "a scene has min_x,min_y[,min_z],max_x,max_y[,max_z] or x,y[,z],r";

/// A table whose header has been read.
pub(super) struct Table<'a> {
    pub(super) source: &'a Source,
    pub(super) columns: Columns,
    /// The length of each axis that wraps, 0 for other axes.
    pub(super) sides: [f64; 3],
    /// Splits rows into fields.
    pub(super) splitter: Splitter,
    /// The names of the columns; empty texts if the table has no header.
    pub(super) names: Vec<String>,
    has_header: bool,
}

/// The indices of fields in a split row, as used in [`Splitter::wanted`].
pub(super) mod index {
    /// The first field of maxima or sides, or the radius; the minima or the center begin at 0.
    pub(in super::super) const SECOND: usize = 3;
    pub(in super::super) const ID: usize = 6;
    pub(in super::super) const GEOMETRY: usize = 0;
}

impl<'a> Table<'a> {
    /// Finds the delimiter and the columns. Afterwards `blocks` begins with the first row.
    ///
    /// 1. Skip blank lines, and lines that begin with `#`.
    /// 2. Split the first record by each possible delimiter. Choose the delimiter that yields the
    ///    most known names, or without a header the most numbers.
    /// 3. Assign roles to the columns: first by their names, then by options.
    pub(super) fn open(
        source: &'a Source,
        input: &Input,
        blocks: &mut Blocks<'_>,
    ) -> Result<Self, Error> {
        let Input { options, sides, .. } = input;
        let first = loop {
            let line = blocks.line;
            let text = blocks.peek()?;
            let end = text.iter().position(|&byte| byte == b'\n').map_or(text.len(), |end| end + 1);
            let first = &text[..end];
            if first.is_empty() {
                return Err(Error::new(source, "empty: a header is expected").at(Location::line(1)));
            }
            if first.contains(&0) {
                let message = "contains a zero byte: neither a table nor another known format";
                return Err(Error::new(source, message).at(Location::line(line)));
            }
            if !first.trim_ascii().is_empty() && !first.starts_with(b"#") {
                break first.to_vec();
            }
            blocks.skip(end);
        };
        let delimiter = match options.delimiter {
            Some(delimiter) => delimiter,
            None => find_delimiter(&first, options),
        };
        let line = blocks.line;
        let record = blocks.peek_record(delimiter)?;
        let length = record.len();
        let fields = split_all(record, delimiter);
        let mut header = Header { source, options, line, names: Vec::new(), is_numeric: false };
        header.is_numeric = !fields.is_empty() && fields.iter().all(|field| is_number(field));
        header.read_names(&fields)?;
        let columns = header.columns()?;
        if !options.no_header {
            blocks.skip(length);
        }
        blocks.delimiter = Some(delimiter);
        let is_number = columns.form != Form::Geometry;
        let fields = |columns: &[usize], begin: usize| -> Vec<(usize, usize, bool)> {
            columns.iter().zip(begin..).map(|(&column, field)| (column, field, is_number)).collect()
        };
        let mut wanted =
            [fields(&columns.first, 0), fields(&columns.second, index::SECOND)].concat();
        wanted.extend(columns.id.map(|column| (column, index::ID, false)));
        wanted.sort_unstable();
        let shared = wanted.windows(2).find(|two| two[0].0 == two[1].0);
        if let Some([(column, ..), ..]) = shared {
            let column = header.names.get(*column).cloned().unwrap_or_default();
            let message = format_args!("column \"{}\" has two meanings", Shown(&column));
            return Err(Error::new("--columns", message));
        }
        let width = header.names.len();
        let mut splitter =
            Splitter { delimiter, decimal_comma: options.decimal_comma, wanted, width };
        if delimiter == b';' && !splitter.decimal_comma {
            splitter.decimal_comma = has_decimal_commas(blocks.peek()?, &splitter);
        }
        let has_header = !options.no_header;
        Ok(Self { source, columns, sides: *sides, splitter, names: header.names, has_header })
    }

    pub(super) fn column_name(&self, column: usize) -> String {
        column_name(&self.names, column)
    }

    pub(super) fn location(&self, line: u64, column: usize) -> Location {
        Location { line, column: Some(self.column_name(column)) }
    }

    pub(super) fn error(&self, line: u64, message: impl fmt::Display) -> Error {
        Error::new(self.source, message).at(Location::line(line))
    }

    /// Returns an error about a field of the row that starts on `line`.
    pub(super) fn error_in(&self, line: u64, column: usize, message: impl fmt::Display) -> Error {
        Error::new(self.source, message).at(self.location(line, column))
    }

    /// Returns the text of a field, which must be UTF-8.
    pub(super) fn text<'t>(
        &self,
        line: u64,
        column: usize,
        text: &'t [u8],
    ) -> Result<&'t str, Error> {
        str::from_utf8(text).map_err(|_| {
            let text = String::from_utf8_lossy(text);
            self.error_in(line, column, format_args!("\"{}\" is not UTF-8", Shown(&text)))
        })
    }

    /// Returns the error for a row whose number of fields differs from that of the header.
    pub(super) fn ragged(&self, line: u64, width: usize) -> Error {
        let wanted = self.splitter.width;
        let message = if width < wanted { "missing" } else { "too many" };
        let fields = if width == 1 { "field" } else { "fields" };
        let first = if self.has_header { "header" } else { "first row" };
        let message = format!("{message}: {width} {fields}, but the {first} has {wanted}");
        self.error_in(line, width.min(wanted), message)
    }

    /// Returns the warning about columns that are ignored although their names are known.
    pub(super) fn note(&self) -> Option<String> {
        let columns = match &self.columns.ignored[..] {
            [] => return None,
            [one] => format!("column {} is", Shown(one)),
            all => format!("columns {} are", Shown(&all.join(", "))),
        };
        let from = match self.columns.form {
            Form::Geometry => &*self.names[self.columns.first[0]],
            _ => "min_x to max_y",
        };
        Some(format!("{columns} ignored: boxes are read from {from}"))
    }
}

/// Returns the name of a column, or its number, counted from 1, if it has no name.
fn column_name(names: &[String], column: usize) -> String {
    let name = names.get(column).filter(|name| !name.is_empty());
    name.map_or_else(|| (column + 1).to_string(), Clone::clone)
}

/// The header of a table while it is being read.
struct Header<'a> {
    source: &'a Source,
    options: &'a InputArgs,
    line: u64,
    names: Vec<String>,
    /// Set if all fields of the header are numbers.
    is_numeric: bool,
}

impl Header<'_> {
    /// Sets the names of the columns, from the first record or from the option `--columns`.
    fn read_names(&mut self, fields: &[Vec<u8>]) -> Result<(), Error> {
        if self.options.no_header {
            self.names = vec![String::new(); fields.len()];
        } else {
            for (column, field) in fields.iter().enumerate() {
                let name = str::from_utf8(field).map_err(|_| {
                    let text = String::from_utf8_lossy(field);
                    let message = format_args!("\"{}\" is not UTF-8", Shown(&text));
                    let column = Some((column + 1).to_string());
                    Error::new(self.source, message).at(Location { line: self.line, column })
                })?;
                self.names.push(name.into());
            }
        }
        let Some(columns) = self.options.columns.as_deref().filter(|names| !names.contains('='))
        else {
            return Ok(());
        };
        let given: Vec<_> = columns.split(',').map(str::trim).collect();
        if given.len() > self.names.len() {
            let (given, width) = (given.len(), self.names.len());
            let message = format_args!("{given} names, but {} has {width} columns", self.source);
            return Err(Error::new("--columns", message));
        }
        for (name, given) in self.names.iter_mut().zip(given) {
            *name = if given == "-" { String::new() } else { given.into() };
        }
        Ok(())
    }

    /// Assigns roles to the columns, and chooses those to read.
    fn columns(&self) -> Result<Columns, Error> {
        use Role::{At, Geometry, Max, Min, Radius};
        let found = FoundColumns::by_name(&self.names);
        let mut found = found.map_err(|why| self.explain(&why))?;
        let is_unnamed = self.names.iter().all(String::is_empty);
        if is_unnamed {
            let roles: &[Role] = match self.names.len() {
                1 => &[Geometry],
                2 => &[At(0), At(1)],
                3 => &[At(0), At(1), Radius],
                4 => &[Min(0), Min(1), Max(0), Max(1)],
                6 => &[Min(0), Min(1), Min(2), Max(0), Max(1), Max(2)],
                _ => &[],
            };
            for (column, role) in roles.iter().enumerate() {
                found.set(*role, Some(column));
            }
        }
        let renamed = self.options.columns.as_deref().filter(|names| names.contains('='));
        for item in renamed.into_iter().flat_map(|names| names.split(',')) {
            let Some((role, column)) = item.split_once('=') else {
                let message = format_args!("\"{}\" has no \"=\"", Shown(item));
                return Err(Error::new("--columns", message));
            };
            let Some((role, _)) = Role::find(role.trim()) else {
                let message = format_args!(
                    "\"{}\" has no meaning; use min_x, min_y, min_z, max_x, max_y, max_z, x, y, z, \
                     r, width, height, depth, id or geometry",
                    Shown(role)
                );
                return Err(Error::new("--columns", message));
            };
            found.set(role, self.find_column("--columns", column.trim())?);
        }
        if let Some(id) = self.options.id.as_deref() {
            found.set(Role::Id, self.find_column("--id", id.trim())?);
        }
        let name = |column| column_name(&self.names, column);
        found.choose(name).map_err(|why| self.explain(&why))
    }

    /// Returns the column with this name or number; `None` for the text `-`.
    fn find_column(&self, option: &str, text: &str) -> Result<Option<usize>, Error> {
        if text == "-" {
            return Ok(None);
        }
        let by_name = self.names.iter().position(|name| name == text);
        let by_number =
            || text.parse().ok().filter(|number| (1..=self.names.len()).contains(number));
        let column = by_name.or_else(|| by_number().map(|number| number - 1));
        column.map(Some).ok_or_else(|| {
            let message =
                format!("{} has no column \"{}\": read {}", self.source, Shown(text), self.shown());
            Error::new(option, message)
        })
    }

    fn shown(&self) -> String {
        if self.options.no_header && self.names.iter().all(String::is_empty) {
            return format!("{} columns without names", self.names.len());
        }
        Shown(&self.names.join(",")).to_string()
    }

    /// Returns the error for columns that do not describe boxes, with advice.
    fn explain(&self, why: &ColumnsError) -> Error {
        let read = self.shown();
        let (column, message) = match why {
            ColumnsError::Unknown => {
                let advice = if self.options.no_header {
                    "--columns names the columns in order"
                } else if self.is_numeric {
                    "if the first line is a row, use --no-header"
                } else {
                    "the first line names the columns; --columns sets other names"
                };
                let separator = match self.names.len() {
                    1 => ", --delimiter the character between columns",
                    _ => "",
                };
                (None, format!("no known column: read {read}; {FORMS}; {advice}{separator}"))
            }
            ColumnsError::Incomplete(column, problem) => {
                let message = format!("{problem}: read {read}; {FORMS} (see --columns)");
                (Some(column.clone()), message)
            }
            ColumnsError::Twice(column, problem) => (Some(column.clone()), problem.clone()),
        };
        Error::new(self.source, message).at(Location { line: self.line, column })
    }
}

/// Returns the delimiter that splits the first record best.
fn find_delimiter(record: &[u8], options: &InputArgs) -> u8 {
    let named: Vec<_> = options.columns.iter().flat_map(|names| names.split(',')).collect();
    let is_named = |field: &str| {
        let renamed =
            named.iter().filter_map(|item| item.split_once('=')).any(|(_, it)| it == field);
        renamed || options.id.as_deref() == Some(field)
    };
    let score = |delimiter: u8| {
        let fields = split_all(record, delimiter);
        let known = if options.no_header {
            fields.iter().filter(|field| is_number(field)).count()
        } else {
            let texts = fields.iter().filter_map(|field| str::from_utf8(field).ok());
            texts.filter(|text| is_named(text) || Role::find(text).is_some()).count()
        };
        let all_known = known == fields.len();
        (known, all_known, if delimiter == b' ' { 0 } else { fields.len() })
    };
    // If several delimiters are equally good, the first one is used.
    let best = DELIMITERS.into_iter().rev().max_by_key(|&delimiter| score(delimiter));
    best.unwrap_or(b',')
}

/// Returns whether the numbers of a table have decimal commas: all numbers in these rows have a
/// comma, and not all of them may have thousands, such as `1,234`.
fn has_decimal_commas(mut rows: &[u8], splitter: &Splitter) -> bool {
    let mut may_be_thousands = true;
    while let Some(end) = first_record_end(rows, splitter.delimiter) {
        let (record, rest) = rows.split_at(end);
        rows = rest;
        if record.trim_ascii().is_empty() {
            continue;
        }
        let fields = split_all(record, splitter.delimiter);
        for &(column, _, wants_number) in &splitter.wanted {
            let Some(field) = fields.get(column).filter(|_| wants_number) else { continue };
            let Some(comma) = field.iter().position(|&byte| byte == b',') else { return false };
            if field.contains(&b'.') || !is_number(field) {
                return false;
            }
            let whole = &field[..comma];
            let whole = whole.strip_prefix(b"-").unwrap_or(whole);
            may_be_thousands &= field.len() - comma == 4
                && matches!(whole, [b'1'..=b'9', rest @ ..] if rest.len() < 3);
        }
    }
    !may_be_thousands
}

/// Returns all fields of a record, without the spaces and quotes around them.
pub(super) fn split_all(record: &[u8], delimiter: u8) -> Vec<Vec<u8>> {
    let record = record.strip_suffix(b"\n").unwrap_or(record);
    let mut fields = Vec::new();
    for_each_field(record, delimiter, |_, begin, end, quoted| {
        let mut text = Vec::new();
        match quoted {
            None => text.extend_from_slice(&record[begin..end]),
            Some(_) => unquote(&record[begin..end], &mut text),
        }
        fields.push(text.trim_ascii().to_vec());
    });
    fields
}

/// Returns whether a field is a number, with a decimal point or a decimal comma.
fn is_number(field: &[u8]) -> bool {
    let text = str::from_utf8(field).unwrap_or_default().replacen(',', ".", 1);
    text.parse::<f64>().is_ok()
}
