//! Splits a record of a table into fields, and returns the fields that are read.

use memchr::{memchr, memchr_iter};

use super::blocks::closing_quote;
use super::decimal::Decimal;

/// Maximum number of fields of a record that are read.
pub(super) const MAX_FIELDS: usize = 8;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Field<'t> {
    /// The text without spaces and quotes around it.
    pub(super) text: &'t [u8],
    /// The number, if the text is a short number.
    pub(super) short: Option<Decimal>,
}

pub(super) type Fields<'t> = [Field<'t>; MAX_FIELDS];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SplitError {
    /// The record has this number of fields, but the header has another number.
    Width(usize),
    /// The field in this column has no closing quote.
    OpenQuote(usize),
}

pub(super) struct Splitter {
    pub(super) delimiter: u8,
    /// Set if numbers have a comma in place of the decimal point.
    pub(super) decimal_comma: bool,
    /// The columns that are read, in ascending order: each with its index in the returned fields,
    /// and whether it is a number.
    pub(super) wanted: Vec<(usize, usize, bool)>,
    pub(super) width: usize,
}

impl Splitter {
    /// Splits a record without its line end into `fields`. `scratch` holds the text of fields that
    /// must be changed: fields with two quotes in a row, and fields with decimal commas, in which
    /// points and commas are exchanged. `has_quotes` is set if the record may have quotes.
    #[inline]
    pub(super) fn split<'t>(
        &self,
        record: &'t [u8],
        has_quotes: bool,
        scratch: &'t mut Vec<u8>,
        fields: &mut Fields<'t>,
    ) -> Result<(), SplitError> {
        if self.delimiter == b' ' || self.decimal_comma || has_quotes {
            self.split_quoted(record, scratch, fields)
        } else {
            self.split_plain(record, fields)
        }
    }

    /// Splits a record without quotes. Short numbers are parsed while their end is searched for.
    fn split_plain<'t>(&self, record: &'t [u8], fields: &mut Fields<'t>) -> Result<(), SplitError> {
        let too_short = || SplitError::Width(memchr_iter(self.delimiter, record).count() + 1);
        // The start of the field in `column`. After the last field it is beyond the end of the
        // record.
        let (mut begin, mut column) = (0, 0);
        for &(wanted, index, is_number) in &self.wanted {
            while column < wanted {
                let rest = record.get(begin..).ok_or_else(too_short)?;
                begin += memchr(self.delimiter, rest).map_or(rest.len(), |offset| offset) + 1;
                column += 1;
            }
            let rest = record.get(begin..).ok_or_else(too_short)?;
            let (mut short, length) =
                if is_number { Decimal::short_prefix(rest) } else { (None, 0) };
            let end = if rest.get(length).is_none_or(|&next| next == self.delimiter) {
                length
            } else {
                short = None;
                memchr(self.delimiter, &rest[length..]).map_or(rest.len(), |offset| length + offset)
            };
            let text = if short.is_some() { &rest[..end] } else { rest[..end].trim_ascii() };
            fields[index] = Field { text, short };
            begin += end + 1;
            column += 1;
        }
        // Unless the record has ended, the rest follows a delimiter, so it has one field more than
        // delimiters.
        let more =
            record.get(begin..).map_or(0, |rest| memchr_iter(self.delimiter, rest).count() + 1);
        match column + more {
            width if width == self.width => Ok(()),
            width => Err(SplitError::Width(width)),
        }
    }

    /// Splits any record, also with quotes, decimal commas or spaces as delimiters.
    fn split_quoted<'t>(
        &self,
        record: &'t [u8],
        scratch: &'t mut Vec<u8>,
        fields: &mut Fields<'t>,
    ) -> Result<(), SplitError> {
        /// The text of a field: a range of the record or of the scratch buffer.
        #[derive(Clone, Copy, Default)]
        struct Text {
            begin: usize,
            end: usize,
            is_copied: bool,
        }

        scratch.clear();
        let mut texts = [Text::default(); MAX_FIELDS];
        let mut wanted = self.wanted.iter().peekable();
        let (mut width, mut open) = (0, None);
        for_each_field(record, self.delimiter, |column, begin, end, quoted| {
            width = column + 1;
            if quoted == Some(Quoted::Open) {
                open = Some(column);
            }
            let Some(&(_, index, is_number)) = wanted.next_if(|wanted| wanted.0 == column) else {
                return;
            };
            texts[index] = match quoted {
                _ if self.decimal_comma && is_number => {
                    let start = scratch.len();
                    match quoted {
                        None => scratch.extend_from_slice(&record[begin..end]),
                        Some(_) => unquote(&record[begin..end], scratch),
                    }
                    exchange_points(&mut scratch[start..]);
                    Text { begin: start, end: scratch.len(), is_copied: true }
                }
                None => Text { begin, end, is_copied: false },
                Some(Quoted::Plain) => Text { begin: begin + 1, end: end - 1, is_copied: false },
                Some(_) => {
                    let start = scratch.len();
                    unquote(&record[begin..end], scratch);
                    Text { begin: start, end: scratch.len(), is_copied: true }
                }
            };
        });
        if let Some(column) = open {
            return Err(SplitError::OpenQuote(column));
        }
        if width != self.width {
            return Err(SplitError::Width(width));
        }
        let scratch: &'t [u8] = scratch;
        for &(_, index, is_number) in &self.wanted {
            let Text { begin, end, is_copied } = texts[index];
            let text = if is_copied { &scratch[begin..end] } else { &record[begin..end] };
            let text = text.trim_ascii();
            let short = match Decimal::short_prefix(text) {
                (short, length) if is_number && length == text.len() => short,
                _ => None,
            };
            fields[index] = Field { text, short };
        }
        Ok(())
    }
}

pub(super) fn exchange_points(text: &mut [u8]) {
    for byte in text {
        *byte = match *byte {
            b'.' => b',',
            b',' => b'.',
            byte => byte,
        };
    }
}

/// The kind of quotes in a field that begins with a quote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quoted {
    /// One quote at each end, and none between them.
    Plain,
    /// Two quotes in a row, or text after the closing quote.
    Complex,
    /// No closing quote.
    Open,
}

/// Calls `visit` for each field with its column, its start and end in the record, and its quotes.
/// If the delimiter is a space, several spaces count as one, and spaces at the ends of the record
/// are ignored.
pub(super) fn for_each_field(
    record: &[u8],
    delimiter: u8,
    mut visit: impl FnMut(usize, usize, usize, Option<Quoted>),
) {
    let skip_spaces = |mut at: usize| {
        while delimiter == b' ' && record.get(at) == Some(&b' ') {
            at += 1;
        }
        at
    };
    let (mut begin, mut column) = (skip_spaces(0), 0);
    loop {
        let (after, quoted) = if record.get(begin) == Some(&b'"') {
            match closing_quote(record, begin + 1) {
                Some(closing) => {
                    let is_plain = memchr(b'"', &record[begin + 1..closing]).is_none();
                    (closing + 1, Some(if is_plain { Quoted::Plain } else { Quoted::Complex }))
                }
                None => (record.len(), Some(Quoted::Open)),
            }
        } else {
            (begin, None)
        };
        let end = memchr(delimiter, &record[after..]).map_or(record.len(), |offset| after + offset);
        let quoted = match quoted {
            Some(Quoted::Plain) if end > after => Some(Quoted::Complex),
            quoted => quoted,
        };
        visit(column, begin, end, quoted);
        if end == record.len() {
            return;
        }
        begin = skip_spaces(end + 1);
        if delimiter == b' ' && begin == record.len() {
            return;
        }
        column += 1;
    }
}

/// Appends the text of a field that begins with a quote. Characters after the closing quote are
/// appended unchanged.
pub(super) fn unquote(field: &[u8], out: &mut Vec<u8>) {
    let mut rest = &field[1..];
    while let Some(quote) = memchr(b'"', rest) {
        out.extend_from_slice(&rest[..quote]);
        match rest.get(quote + 1) {
            Some(b'"') => {
                out.push(b'"');
                rest = &rest[quote + 2..];
            }
            _ => {
                rest = &rest[quote + 1..];
                break;
            }
        }
    }
    out.extend_from_slice(rest);
}

#[cfg(test)]
mod tests {
    use super::super::blocks::{first_record_end, last_record_end};
    use super::*;

    fn splitter(delimiter: u8, width: usize) -> Splitter {
        let wanted = (0..width).map(|column| (column, column, true)).collect();
        Splitter { delimiter, decimal_comma: false, wanted, width }
    }

    /// Asserts that the first fields of a record are those of another reader, without spaces.
    fn check(record: &[u8], expected: &[Vec<u8>]) {
        let (mut scratch, mut fields) = (Vec::new(), Fields::default());
        let has_quotes = record.contains(&b'"');
        let mut splitter = splitter(b',', expected.len());
        splitter.wanted.truncate(MAX_FIELDS);
        splitter.split(record, has_quotes, &mut scratch, &mut fields).expect("closed quotes");
        for (field, expected) in fields.iter().zip(expected) {
            let text = expected.trim_ascii();
            assert_eq!(field.text, text, "{:?}", String::from_utf8_lossy(record));
            assert!(field.short.is_none() || field.short == Decimal::new(text));
        }
        splitter.width += 1;
        let mut scratch = Vec::new();
        let result = splitter.split(record, has_quotes, &mut scratch, &mut Fields::default());
        assert_eq!(result, Err(SplitError::Width(expected.len())));
    }

    #[test]
    fn fields_are_those_of_the_csv_crate() {
        let (mut bits, mut compared) = (1u64, 0);
        for _ in 0..20_000 {
            let mut text = Vec::new();
            for _ in 0..12 {
                bits ^= bits << 13;
                bits ^= bits >> 7;
                bits ^= bits << 17;
                text.push(b"a,\"\"\n 1,"[(bits % 8) as usize]);
            }
            text.push(b'\n');
            let mut records = Vec::new();
            let mut rest = &text[..];
            while let Some(end) = first_record_end(rest, b',') {
                records.extend(Some(&rest[..end - 1]).filter(|record| !record.is_empty()));
                rest = &rest[end..];
            }
            let complete = text.len() - rest.len();
            assert_eq!(last_record_end(&text, b','), Some(complete).filter(|&end| end > 0));
            // A quote may be open.
            if !rest.is_empty() {
                continue;
            }
            let mut reader =
                csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(&text[..]);
            let expected: Vec<Vec<Vec<u8>>> = reader
                .byte_records()
                .map(|row| row.expect("bytes").iter().map(<[u8]>::to_vec).collect())
                .collect();
            assert_eq!(records.len(), expected.len(), "{:?}", String::from_utf8_lossy(&text));
            records.iter().zip(&expected).for_each(|(record, expected)| check(record, expected));
            compared += 1;
        }
        assert!(compared > 10_000, "{compared} texts");
    }
}
