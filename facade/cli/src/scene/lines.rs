//! Normalizes line ends to `\n`, so that lines can be counted in blocks.

use std::io::{self, Cursor, Read};

/// The UTF-8 byte order mark, which some programs write before the text.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// A reader that removes a byte order mark, and ends every line with `\n`: it replaces `\r\n` and
/// `\r`, and completes the last line.
pub(super) struct LineReader<R> {
    inner: R,
    /// The first bytes, which are read to detect a byte order mark; `None` before the first read.
    head: Option<Cursor<Vec<u8>>>,
    /// Set if the last byte read was `\r`, so that a following `\n` is dropped.
    after_return: bool,
    /// The last byte of the output; `\n` before the first read.
    last: u8,
}

impl<R> LineReader<R> {
    /// Wraps a reader.
    pub(super) const fn new(inner: R) -> Self {
        Self { inner, head: None, after_return: false, last: b'\n' }
    }
}

impl<R: Read> Read for LineReader<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() {
            return Ok(0);
        }
        loop {
            let mut filled = self.read_unmarked(out)?;
            if filled == 0 {
                if self.last == b'\n' {
                    return Ok(0);
                }
                out[0] = b'\n';
                self.last = b'\n';
                return Ok(1);
            }
            if self.after_return || out[..filled].contains(&b'\r') {
                filled = self.replace_returns(&mut out[..filled]);
            }
            let text = &out[..filled];
            if let Some(&last) = text.last() {
                self.last = last;
                return Ok(filled);
            }
        }
    }
}

impl<R: Read> LineReader<R> {
    /// Reads the next bytes after the byte order mark, if there is one.
    fn read_unmarked(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.head.is_none() {
            let mut head = Vec::with_capacity(BYTE_ORDER_MARK.len());
            self.inner.by_ref().take(BYTE_ORDER_MARK.len() as u64).read_to_end(&mut head)?;
            if head.starts_with(&[0xff, 0xfe]) || head.starts_with(&[0xfe, 0xff]) {
                let message = "UTF-16 text; convert it to UTF-8, as with iconv -f UTF-16 -t UTF-8";
                return Err(io::Error::new(io::ErrorKind::Unsupported, message));
            }
            head.truncate(if head == BYTE_ORDER_MARK { 0 } else { head.len() });
            self.head = Some(Cursor::new(head));
        }
        match self.head.as_mut().map_or(Ok(0), |head| head.read(out))? {
            0 => self.inner.read(out),
            filled => Ok(filled),
        }
    }

    /// Replaces `\r\n` and `\r` with `\n` in place. Returns the new length.
    fn replace_returns(&mut self, text: &mut [u8]) -> usize {
        let mut kept = 0;
        for index in 0..text.len() {
            let byte = text[index];
            if !(self.after_return && byte == b'\n') {
                text[kept] = if byte == b'\r' { b'\n' } else { byte };
                kept += 1;
            }
            self.after_return = byte == b'\r';
        }
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reader that returns one byte at a time.
    struct ByteReader<'a>(&'a [u8]);

    impl Read for ByteReader<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let length = out.len().min(1);
            self.0.read(&mut out[..length])
        }
    }

    fn normalized(inner: impl Read) -> String {
        io::read_to_string(LineReader::new(inner)).unwrap()
    }

    #[test]
    fn line_ends_are_normalized() {
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
        ] {
            assert_eq!(normalized(written.as_bytes()), read, "{written:?} at once");
            assert_eq!(
                normalized(ByteReader(written.as_bytes())),
                read,
                "{written:?} byte by byte"
            );
        }
    }
}
