//! Decompresses gzip data with any number of members. Zeros after the last member are ignored, as
//! `gzip -d` does: they fill the last block of a tape or an archive.

use std::io::{self, BufRead, Read};

use flate2::bufread::GzDecoder;

/// A reader that returns the decompressed data.
pub(super) struct GzipReader<R> {
    /// The decoder of the current member; `None` after the last one.
    member: Option<GzDecoder<R>>,
}

impl<R: BufRead> GzipReader<R> {
    /// Wraps compressed data.
    pub(super) fn new(inner: R) -> Self {
        Self { member: Some(GzDecoder::new(inner)) }
    }
}

impl<R: BufRead> Read for GzipReader<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.member {
            let filled = member.read(out)?;
            if filled > 0 || out.is_empty() {
                return Ok(filled);
            }
            let zeros = skip_zeros(member.get_mut())?;
            let has_more = !member.get_mut().fill_buf()?.is_empty();
            if zeros && has_more {
                return Err(io::Error::new(io::ErrorKind::InvalidInput, "invalid gzip header"));
            }
            let next = self.member.take().filter(|_| has_more);
            self.member = next.map(|member| GzDecoder::new(member.into_inner()));
        }
        Ok(0)
    }
}

/// Skips zeros. Returns whether there are any.
fn skip_zeros(inner: &mut impl BufRead) -> io::Result<bool> {
    let mut is_any = false;
    loop {
        let data = inner.fill_buf()?;
        let zeros = data.iter().take_while(|&&byte| byte == 0).count();
        if zeros == 0 {
            return Ok(is_any);
        }
        inner.consume(zeros);
        is_any = true;
    }
}
