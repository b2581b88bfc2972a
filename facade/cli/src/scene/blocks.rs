//! Splits text into blocks of whole records, so that blocks can be parsed on several threads.
//!
//! Line ends are normalized to `\n`: `\r\n` and `\r` are replaced, and the last line is completed.
//! A byte order mark at the start, which some programs write, is removed.
//!
//! A record of a table ends at a line end outside quotes. In other formats each line is a record. A
//! block ends after its last complete record, and the bytes after it begin the next block. If no
//! record in a block is complete, the block grows until one is, or until the text ends.

use core::mem;
use std::io::{self, Read};

use memchr::{memchr, memchr_iter, memrchr};

use super::source::{Source, Text};
use crate::error::{Error, Location};

/// Size of a block in bytes, unless its first record is longer.
pub(super) const BLOCK: usize = 1 << 18;

/// Whole records, with the number of their first line.
#[derive(Debug, Default)]
pub(crate) struct Block {
    /// The records. Each ends with `\n`, including the last one.
    pub(super) text: Vec<u8>,
    /// The number of the first line, counted from 1.
    pub(super) line: u64,
}

impl Block {
    pub(crate) fn lines(&self) -> impl Iterator<Item = (u64, &[u8])> {
        (self.line..).zip(self.text.split(|&byte| byte == b'\n'))
    }
}

pub(super) struct Blocks<'a> {
    source: &'a Source,
    /// The name of the compression, if the source is compressed, for messages.
    packing: Option<&'static str>,
    reader: Box<dyn Read + Send>,
    /// Set if the last byte read was `\r`, so that a following `\n` is dropped.
    after_return: bool,
    /// Set before the first read.
    at_start: bool,
    /// The delimiter of a table, in which quotes can contain line ends; `None` for other formats.
    pub(super) delimiter: Option<u8>,
    /// The bytes that have been read but are not yet in a block.
    pub(super) pending: Vec<u8>,
    /// The line number of the first pending byte, counted from 1.
    pub(super) line: u64,
    pub(super) at_end: bool,
}

impl<'a> Blocks<'a> {
    pub(super) fn new(source: &'a Source, text: Text) -> Self {
        let Text { reader, packing } = text;
        Self {
            source,
            packing,
            reader,
            after_return: false,
            at_start: true,
            delimiter: None,
            pending: Vec::new(),
            line: 1,
            at_end: false,
        }
    }

    /// Returns the first bytes without removing them: at least one line, or all bytes.
    pub(super) fn peek(&mut self) -> Result<&[u8], Error> {
        while !self.at_end && memchr(b'\n', &self.pending).is_none() {
            self.read_more()?;
        }
        Ok(&self.pending)
    }

    /// Returns the first record of a table, including its line end, without removing it.
    pub(super) fn peek_record(&mut self, delimiter: u8) -> Result<&[u8], Error> {
        loop {
            let end = first_record_end(&self.pending, delimiter);
            if let Some(end) = end.or(self.at_end.then_some(self.pending.len())) {
                return Ok(&self.pending[..end]);
            }
            self.read_more()?;
        }
    }

    /// Removes this number of bytes from the start of the text.
    pub(super) fn skip(&mut self, bytes: usize) {
        self.line += memchr_iter(b'\n', &self.pending[..bytes]).count() as u64;
        self.pending.drain(..bytes);
    }

    /// Returns whether only blank lines follow the first line.
    pub(super) fn is_one_line(&mut self) -> Result<bool, Error> {
        loop {
            let end = memchr(b'\n', self.peek()?).map_or(self.pending.len(), |end| end + 1);
            let has_more = !self.pending[end..].trim_ascii().is_empty();
            if has_more || self.at_end {
                return Ok(!has_more);
            }
            self.read_more()?;
        }
    }

    /// Reads the next block into the buffer. Its text is empty at the end of the source.
    pub(super) fn read(&mut self, block: &mut Block) -> Result<(), Error> {
        loop {
            let end = match self.delimiter {
                Some(delimiter) => last_record_end(&self.pending, delimiter),
                None => memrchr(b'\n', &self.pending).map(|last| last + 1),
            };
            let is_full = self.pending.len() >= BLOCK;
            let end = match end {
                Some(end) if is_full => Some(end),
                // At the end of the text the last block is not cut. If its last record is
                // incomplete, a quote is open, which the parser reports.
                _ if self.at_end => Some(self.pending.len()),
                _ => None,
            };
            if let Some(end) = end {
                block.text.clear();
                block.text.extend_from_slice(&self.pending[end..]);
                mem::swap(&mut block.text, &mut self.pending);
                block.text.truncate(end);
                block.line = self.line;
                self.line += memchr_iter(b'\n', &block.text).count() as u64;
                return Ok(());
            }
            self.read_more()?;
        }
    }

    pub(super) fn read_all(&mut self) -> Result<Block, Error> {
        while !self.at_end {
            self.read_more()?;
        }
        Ok(Block { text: mem::take(&mut self.pending), line: self.line })
    }

    /// Appends bytes to fill a block, or half as many as are pending, whichever is more.
    fn read_more(&mut self) -> Result<(), Error> {
        let begin = self.pending.len();
        let wanted = BLOCK.saturating_sub(begin).max(begin / 2).max(1 << 14);
        self.pending.resize(begin + wanted, 0);
        let mut filled = begin;
        let read = loop {
            match self.reader.read(&mut self.pending[filled..]) {
                Ok(0) => break Ok(()),
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => break Err(error),
            }
        };
        self.pending.truncate(filled);
        if mem::take(&mut self.at_start) {
            if let [0xff, 0xfe, ..] | [0xfe, 0xff, ..] = self.pending[..] {
                let message = "UTF-16 text; convert it to UTF-8, as with iconv -f UTF-16 -t UTF-8";
                return Err(Error::new(self.source, message).at(Location::line(1)));
            }
            if self.pending.starts_with("\u{feff}".as_bytes()) {
                self.pending.drain(.."\u{feff}".len());
            }
        }
        self.replace_returns(begin);
        read.map_err(|error| self.fault(&error))?;
        self.at_end = filled < begin + wanted;
        if self.at_end && self.pending.last().is_some_and(|&last| last != b'\n') {
            self.pending.push(b'\n');
        }
        Ok(())
    }

    /// Replaces `\r\n` and `\r` with `\n` in the pending bytes from `begin` on.
    fn replace_returns(&mut self, begin: usize) {
        if !self.after_return && memchr(b'\r', &self.pending[begin..]).is_none() {
            return;
        }
        let text = &mut self.pending[begin..];
        let (mut kept, mut after_return) = (0, self.after_return);
        for index in 0..text.len() {
            let byte = text[index];
            if !(after_return && byte == b'\n') {
                text[kept] = if byte == b'\r' { b'\n' } else { byte };
                kept += 1;
            }
            after_return = byte == b'\r';
        }
        self.after_return = after_return;
        self.pending.truncate(begin + kept);
    }

    /// Returns the error for a read that failed after the pending bytes.
    fn fault(&self, error: &io::Error) -> Error {
        let fault = match self.packing {
            Some(packing) => {
                let message = format_args!("damaged or truncated {packing} data: {error}");
                Error::new(self.source, message)
            }
            None => Error::system(self.source, error),
        };
        let lines = memchr_iter(b'\n', &self.pending).count() as u64;
        fault.at(Location::line(self.line + lines))
    }
}

/// Returns the position after the first record of a table and its line end; `None` if no record is
/// complete. The text must begin with a record.
pub(super) fn first_record_end(text: &[u8], delimiter: u8) -> Option<usize> {
    record_end(text, delimiter, true)
}

/// Returns the position after the last complete record of a table, as [`first_record_end`] does.
pub(super) fn last_record_end(text: &[u8], delimiter: u8) -> Option<usize> {
    record_end(text, delimiter, false)
}

/// Returns the position after the first or the last record.
///
/// A quote opens a quoted field only at the start of a field. Within a quoted field, two quotes in
/// a row stand for a quote.
fn record_end(text: &[u8], delimiter: u8, is_first: bool) -> Option<usize> {
    let mut outside = 0;
    let mut last = None;
    loop {
        if is_first && last.is_some() {
            return last;
        }
        let quote = memchr(b'"', &text[outside..]).map(|offset| outside + offset);
        let part = &text[outside..quote.unwrap_or(text.len())];
        let end = if is_first { memchr(b'\n', part) } else { memrchr(b'\n', part) };
        last = end.map(|offset| outside + offset + 1).or(last);
        let Some(quote) = quote else { return last };
        let opens = quote == 0 || text[quote - 1] == delimiter || text[quote - 1] == b'\n';
        outside = if opens {
            match closing_quote(text, quote + 1) {
                Some(closing) => closing + 1,
                None => return last,
            }
        } else {
            quote + 1
        };
    }
}

/// Returns the position of the quote that closes the quoted field whose text starts at `begin`.
pub(super) fn closing_quote(text: &[u8], mut begin: usize) -> Option<usize> {
    loop {
        let quote = begin + memchr(b'"', &text[begin..])?;
        if text.get(quote + 1) != Some(&b'"') {
            return Some(quote);
        }
        begin = quote + 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(text: &str) -> Blocks<'static> {
        let reader = Box::new(io::Cursor::new(text.to_owned().into_bytes()));
        Blocks::new(&Source::Stdin, Text { reader, packing: None })
    }

    #[test]
    fn line_ends_are_normalized() {
        let long = "a".repeat(BLOCK - 1);
        for (written, read) in [
            ("", ""),
            ("a", "a\n"),
            ("a\n", "a\n"),
            ("a\r\nb\r\n", "a\nb\n"),
            ("a\rb\r", "a\nb\n"),
            ("\r\n\r\na", "\n\na\n"),
            ("\u{feff}a\u{feff}", "a\u{feff}\n"),
            ("\u{feff}", ""),
            ("a\r\r\nb\n\nc", "a\n\nb\n\nc\n"),
            // The second read begins after `\r`.
            (&format!("{long}\r\nb"), &format!("{long}\nb\n")),
            (&format!("{long}\rb\r"), &format!("{long}\nb\n")),
        ] {
            let block = blocks(written).read_all().expect("text");
            assert!(block.text == read.as_bytes(), "{}", written.len());
        }
    }

    #[test]
    fn blocks_are_the_text() {
        let text: String = (0..200_000).map(|row| format!("{row},\"a\nb\",c\n")).collect();
        let mut blocks = blocks(&text);
        blocks.delimiter = Some(b',');
        let (mut block, mut all, mut count) = (Block::default(), String::new(), 0);
        loop {
            blocks.read(&mut block).expect("text");
            let part = str::from_utf8(&block.text).expect("text");
            assert_eq!(block.line, 1 + all.matches('\n').count() as u64);
            if part.is_empty() {
                break;
            }
            assert!(part.ends_with(",c\n"));
            all += part;
            count += 1;
        }
        assert!(all == text && count > 5, "{count} blocks");
    }

    #[test]
    fn the_first_line_is_found() {
        let long = "1".repeat(3 * BLOCK);
        let mut one = blocks(&long);
        assert_eq!(one.peek().expect("text").len(), long.len() + 1);
        assert!(one.is_one_line().expect("text"));
        assert!(blocks("a\n \n\n").is_one_line().expect("text"));
        let mut two = blocks(&format!("a\n{}\nb", " ".repeat(2 * BLOCK)));
        assert!(!two.is_one_line().expect("text"));
        two.skip(2);
        assert_eq!((two.line, two.peek().expect("text")[0]), (2, b' '));
    }
}
