//! Line ends made alike, so that lines can be counted.

use std::io::{self, Cursor, Read};

/// What some programs put before text in UTF-8.
const MARK: &[u8] = "\u{feff}".as_bytes();

/// Passes text on without a byte order mark and with every line ending in one `\n`: `\r\n` and `\r`
/// become `\n`, and the last line gets one if it has none.
pub(crate) struct Lines<R> {
    inner: R,
    /// What was read to see whether there is a mark; `None` before.
    head: Option<Cursor<Vec<u8>>>,
    /// Whether the last byte read was `\r`, so that a `\n` to follow belongs to it.
    after_return: bool,
    /// The last byte passed on; `\n` before the first.
    last: u8,
    /// The last byte passed on that was not `\n`.
    last_visible: u8,
}

impl<R> Lines<R> {
    /// The lines of a text.
    pub(crate) const fn new(inner: R) -> Self {
        Self { inner, head: None, after_return: false, last: b'\n', last_visible: b'\n' }
    }

    /// The last byte of the last line that is not blank, so far.
    pub(crate) const fn last_visible(&self) -> u8 {
        self.last_visible
    }
}

impl<R: Read> Read for Lines<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() {
            return Ok(0);
        }
        loop {
            let mut filled = self.read_marked(out)?;
            if filled == 0 {
                if self.last == b'\n' {
                    return Ok(0);
                }
                out[0] = b'\n';
                self.last = b'\n';
                return Ok(1);
            }
            if self.after_return || out[..filled].contains(&b'\r') {
                filled = self.without_returns(&mut out[..filled]);
            }
            let text = &out[..filled];
            if let Some(&last) = text.last() {
                self.last = last;
                if let Some(&visible) = text.iter().rev().find(|&&byte| byte != b'\n') {
                    self.last_visible = visible;
                }
                return Ok(filled);
            }
        }
    }
}

impl<R: Read> Lines<R> {
    /// Reads on, behind the mark if there is one.
    fn read_marked(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.head.is_none() {
            let mut head = Vec::with_capacity(MARK.len());
            self.inner.by_ref().take(MARK.len() as u64).read_to_end(&mut head)?;
            head.truncate(if head == MARK { 0 } else { head.len() });
            self.head = Some(Cursor::new(head));
        }
        match self.head.as_mut().map_or(Ok(0), |head| head.read(out))? {
            0 => self.inner.read(out),
            filled => Ok(filled),
        }
    }

    /// Turns `\r\n` and `\r` into `\n`, in place; the new length.
    fn without_returns(&mut self, text: &mut [u8]) -> usize {
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

    /// Hands out one byte at a time.
    struct Drops<'a>(&'a [u8]);

    impl Read for Drops<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let length = out.len().min(1);
            self.0.read(&mut out[..length])
        }
    }

    fn passed_on(inner: impl Read) -> String {
        io::read_to_string(Lines::new(inner)).unwrap()
    }

    #[test]
    fn line_ends_become_alike() {
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
            assert_eq!(passed_on(written.as_bytes()), read, "{written:?} at once");
            assert_eq!(passed_on(Drops(written.as_bytes())), read, "{written:?} byte by byte");
        }
    }

    #[test]
    fn the_last_visible_byte_is_remembered() {
        let mut lines = Lines::new(&b"ab\"\r\n\r\n"[..]);
        io::copy(&mut lines, &mut io::sink()).unwrap();
        assert_eq!(lines.last_visible(), b'"');
    }
}
