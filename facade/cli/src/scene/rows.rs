//! Converts the rows of a table to boxes.

use hexphase::Aabb;
use memchr::{memchr, memchr_iter};

use super::blocks::{Block, first_record_end};
use super::collector::{Batch, Parser};
use super::columns::Form;
use super::fields::{Field, Fields, SplitError, exchange_points};
use super::geometry;
use super::number::{Number, NumberError, Parsed};
use super::table::{Table, index};
use crate::error::{Error, NO_MEMORY, Shown};
use crate::memory::OutOfMemory;

impl<S: Number> Parser<S> for Table<'_> {
    fn parse(&self, block: &Block, batch: &mut Batch<S>) -> Result<(), Error> {
        let delimiter = self.splitter.delimiter;
        let text = &block.text[..];
        let has_quotes = memchr(b'"', text).is_some();
        let (mut begin, mut line) = (0, block.line);
        let mut unquoted = Vec::new();
        while begin < text.len() {
            let rest = &text[begin..];
            let mut length = memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
            let mut lines = 1;
            let has_quotes = has_quotes && memchr(b'"', &rest[..length]).is_some();
            if has_quotes {
                length = first_record_end(rest, delimiter).unwrap_or(rest.len());
                lines = memchr_iter(b'\n', &rest[..length]).count() as u64;
            }
            let record = rest[..length].strip_suffix(b"\n").unwrap_or(rest);
            if !is_blank(record, delimiter) {
                let mut fields = Fields::default();
                let split = self.splitter.split(record, has_quotes, &mut unquoted, &mut fields);
                split.map_err(|why| match why {
                    SplitError::Width(width) => self.ragged(line, width),
                    SplitError::OpenQuote(column) => self.error_in(line, column, "unclosed quote"),
                })?;
                batch.begin_row(line);
                Row { table: self, line, fields: &fields }.read(batch)?;
            }
            begin += length;
            line += lines;
        }
        Ok(())
    }
}

/// Returns whether a row has only spaces and no delimiter. Such rows are skipped.
pub(super) fn is_blank(record: &[u8], delimiter: u8) -> bool {
    let starts_blank = record.first().is_none_or(u8::is_ascii_whitespace);
    starts_blank
        && record.trim_ascii().is_empty()
        && (delimiter == b' ' || memchr(delimiter, record).is_none())
}

struct Row<'t> {
    table: &'t Table<'t>,
    line: u64,
    fields: &'t Fields<'t>,
}

impl Row<'_> {
    fn read<S: Number>(&self, batch: &mut Batch<S>) -> Result<(), Error> {
        let columns = &self.table.columns;
        let bounds = match columns.form {
            Form::Corners | Form::Point => self.corners(batch)?,
            Form::Ball => self.ball(batch)?,
            Form::Sides => self.sides(batch)?,
            Form::Geometry => {
                let text = self.fields[index::GEOMETRY].text;
                let column = columns.first[0];
                let location = || self.table.location(self.line, column).to_string();
                let bounds = geometry::read(text, self.table.sides, location, batch)
                    .map_err(|why| self.error(column, why))?;
                let Some(bounds) = bounds else { return Ok(()) };
                bounds
            }
        };
        let id = columns.id.map(|column| self.id(column)).transpose()?;
        let no_memory = |OutOfMemory| self.table.error(self.line, NO_MEMORY);
        batch.push(bounds, id).map_err(no_memory)
    }

    fn id(&self, column: usize) -> Result<&[u8], Error> {
        let id = self.fields[index::ID].text;
        if id.is_empty() {
            return Err(self.error(column, "empty where an id is expected"));
        }
        if !id.is_ascii() {
            self.table.text(self.line, column, id)?;
        }
        Ok(id)
    }

    fn error(&self, column: usize, message: impl core::fmt::Display) -> Error {
        self.table.error_in(self.line, column, message)
    }

    /// Returns the box of a row with a minimum and a maximum, or with a point.
    fn corners<S: Number>(&self, batch: &mut Batch<S>) -> Result<Aabb<S, 3>, Error> {
        let columns = &self.table.columns;
        let mut bounds = Aabb { min: [S::ZERO; 3], max: [S::ZERO; 3] };
        for axis in 0..columns.dimensions {
            let mut min = self.value::<S>(axis, columns.first[axis], batch)?;
            let mut max = match columns.second.get(axis) {
                Some(&column) => self.value(index::SECOND + axis, column, batch)?,
                None => min,
            };
            if min > max && self.table.sides[axis] == 0.0 {
                if !(axis == 1 && columns.is_y_unordered) {
                    let message = format_args!("the minimum {min} is above the maximum {max}");
                    return Err(self.error(columns.first[axis], message));
                }
                core::mem::swap(&mut min, &mut max);
            }
            (bounds.min[axis], bounds.max[axis]) = (min, max);
        }
        Ok(bounds)
    }

    /// Returns the box of a row with a minimum and sides.
    fn sides<S: Number>(&self, batch: &mut Batch<S>) -> Result<Aabb<S, 3>, Error> {
        let columns = &self.table.columns;
        let mut bounds = Aabb { min: [S::ZERO; 3], max: [S::ZERO; 3] };
        for axis in 0..columns.dimensions {
            let [low, high] = [columns.first[axis], columns.second[axis]];
            let min = self.number::<S>(axis, low)?;
            self.record(&min, low, batch);
            let side = self.number::<S>(index::SECOND + axis, high)?;
            if side.number.is_negative() {
                let message = format_args!("the side {} is negative", self.shown(&side));
                return Err(self.error(high, message));
            }
            let (end, rounded) = S::end(&min, &side).map_err(|_| {
                let [min, side] = [&min, &side].map(|number| self.shown(number));
                let range = S::NAME;
                self.error(high, format_args!("{min} + {side} is beyond the range of {range}"))
            })?;
            if rounded {
                let from = || format!("{} + {}", self.shown(&min), self.shown(&side));
                self.record_rounded(high, batch, from, &end);
            }
            (bounds.min[axis], bounds.max[axis]) = (min.value, end);
        }
        Ok(bounds)
    }

    /// Returns the bounding box of a row with a center and a radius. The ends of the box are
    /// computed exactly from the written numbers and rounded once. So ends with equal exact values
    /// are equal in every scalar type.
    fn ball<S: Number>(&self, batch: &mut Batch<S>) -> Result<Aabb<S, 3>, Error> {
        let dimensions = self.table.columns.dimensions;
        let mut bounds = Aabb { min: [S::ZERO; 3], max: [S::ZERO; 3] };
        let radius = self.fields[index::SECOND].short;
        let radius = radius.filter(|&radius| S::exact(radius).is_some_and(|r| r >= S::ZERO));
        for axis in 0..dimensions {
            let center = self.fields[axis].short;
            let ends =
                center.zip(radius).and_then(|(center, radius)| S::exact_ends(center, radius));
            let [min, max] = match ends {
                Some(ends) => ends,
                None => self.ends_of_ball(axis, batch)?,
            };
            (bounds.min[axis], bounds.max[axis]) = (min, max);
        }
        Ok(bounds)
    }

    /// Returns the ends of a ball on an axis, for any numbers. Records ends that count as rounded.
    fn ends_of_ball<S: Number>(&self, axis: usize, batch: &mut Batch<S>) -> Result<[S; 2], Error> {
        let columns = &self.table.columns;
        let column = columns.second[0];
        let radius = self.number::<S>(index::SECOND, column)?;
        if radius.number.is_negative() {
            let message = format_args!("the radius {} is negative", self.shown(&radius));
            return Err(self.error(column, message));
        }
        let column = columns.first[axis];
        let center = self.number::<S>(axis, column)?;
        let ends = S::ends(&center, &radius).map_err(|_| {
            let [center, radius] = [&center, &radius].map(|number| self.shown(number));
            let range = S::NAME;
            let message =
                format_args!("{center} with radius {radius} reaches beyond the range of {range}");
            self.error(column, message)
        })?;
        for ((end, rounded), sign) in ends.into_iter().zip(["-", "+"]) {
            if rounded {
                let from = || format!("{} {sign} {}", self.shown(&center), self.shown(&radius));
                self.record_rounded(column, batch, from, &end);
            }
        }
        Ok(ends.map(|(end, _)| end))
    }

    /// Returns the value of a field that is a coordinate. Records it if it was rounded.
    #[inline]
    fn value<S: Number>(
        &self,
        field: usize,
        column: usize,
        batch: &mut Batch<S>,
    ) -> Result<S, Error> {
        // Returned in a register. A whole `Parsed`, returned through memory, takes 10 % of the time.
        if let Some(value) = self.fields[field].short.and_then(S::exact) {
            return Ok(value);
        }
        let number = self.number::<S>(field, column)?;
        self.record(&number, column, batch);
        Ok(number.value)
    }

    fn number<'t, S: Number>(
        &'t self,
        field: usize,
        column: usize,
    ) -> Result<Parsed<'t, S>, Error> {
        let Field { text, short } = self.fields[field];
        S::read_known(text, short).map_err(|bad| self.number_error::<S>(text, column, bad))
    }

    #[cold]
    fn number_error<S: Number>(&self, text: &[u8], column: usize, bad: NumberError) -> Error {
        if text.is_empty() {
            return self.error(column, "empty where a number is expected");
        }
        let mut text = text.to_vec();
        let decimal_comma = self.table.splitter.decimal_comma;
        if decimal_comma {
            exchange_points(&mut text);
        }
        let text = match self.table.text(self.line, column, &text) {
            Ok(text) => text,
            Err(error) => return error,
        };
        let with_point = text.replacen(',', ".", 1);
        let advice = if bad == NumberError::Malformed
            && !decimal_comma
            && with_point != text
            && S::read(&*with_point).is_ok()
        {
            "; use --decimal-comma if the comma stands before decimals"
        } else {
            ""
        };
        self.error(column, format_args!("\"{}\" {}{advice}", Shown(text), bad.message::<S>()))
    }

    /// Records a number in the warnings if it was rounded.
    #[inline]
    fn record<S: Number>(&self, number: &Parsed<'_, S>, column: usize, batch: &mut Batch<S>) {
        if number.rounded {
            self.record_rounded(column, batch, || self.shown(number), &number.value);
        }
    }

    fn record_rounded<S: Number>(
        &self,
        column: usize,
        batch: &mut Batch<S>,
        from: impl FnOnce() -> String,
        to: &dyn core::fmt::Display,
    ) {
        let location = || self.table.location(self.line, column).to_string();
        batch.warnings.record_rounded(location, from, to);
    }

    fn shown<S>(&self, number: &Parsed<'_, S>) -> String {
        let mut text = number.text.to_vec();
        if self.table.splitter.decimal_comma {
            exchange_points(&mut text);
        }
        Shown(&String::from_utf8_lossy(&text)).to_string()
    }
}
