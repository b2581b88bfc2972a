//! Decompresses gzip data and Zstandard data with any number of members or frames.

use std::io::{self, BufRead, Read};

use flate2::bufread::GzDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

/// Decompresses gzip data. Zeros after the last member are ignored, as `gzip -d` does: they fill
/// the last block of a tape or an archive.
pub(super) struct GzipReader<R> {
    /// The decoder of the current member; `None` after the last one.
    member: Option<GzDecoder<R>>,
}

impl<R: BufRead> GzipReader<R> {
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

/// The number with which a frame of Zstandard begins, little-endian.
const MAGIC: u32 = 0xfd2f_b528;
/// The number with which a skippable frame begins; its last 4 bits can have any value.
const SKIPPED: u32 = 0x184d_2a50;

/// Returns whether data begins like Zstandard data.
pub(super) fn is_zstd(head: &[u8]) -> bool {
    let Some(head) = head.first_chunk() else { return false };
    let magic = u32::from_le_bytes(*head);
    magic == MAGIC || magic & !0xf == SKIPPED
}

pub(super) struct ZstdReader<R> {
    inner: R,
    decoder: FrameDecoder,
    is_in_frame: bool,
}

impl<R: BufRead> ZstdReader<R> {
    pub(super) fn new(inner: R) -> Self {
        Self { inner, decoder: FrameDecoder::new(), is_in_frame: false }
    }

    /// Begins the next frame. Returns `false` at the end of the data.
    fn begin_frame(&mut self) -> io::Result<bool> {
        while !self.inner.fill_buf()?.is_empty() {
            match self.decoder.reset(&mut self.inner) {
                Ok(()) => {
                    self.is_in_frame = true;
                    return Ok(true);
                }
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let skipped = &mut self.inner.by_ref().take(length.into());
                    if io::copy(skipped, &mut io::sink())? < length.into() {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(error) => return Err(io::Error::other(error)),
            }
        }
        Ok(false)
    }
}

impl<R: BufRead> Read for ZstdReader<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            if !self.is_in_frame && !self.begin_frame()? {
                return Ok(0);
            }
            while self.decoder.can_collect() < out.len() && !self.decoder.is_finished() {
                let wanted = BlockDecodingStrategy::UptoBytes(out.len());
                self.decoder.decode_blocks(&mut self.inner, wanted).map_err(io::Error::other)?;
            }
            let read = self.decoder.read(out)?;
            if read > 0 || out.is_empty() {
                return Ok(read);
            }
            self.is_in_frame = false;
            let stored = self.decoder.get_checksum_from_data();
            if stored.is_some() && stored != self.decoder.get_calculated_checksum() {
                return Err(io::Error::other("the checksum differs"));
            }
        }
    }
}
