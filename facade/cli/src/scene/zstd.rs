//! Decompresses Zstandard data with any number of frames.

use std::io::{self, BufRead, Read};

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

/// The number with which a frame begins, little-endian.
const MAGIC: u32 = 0xfd2f_b528;
/// The number with which a skippable frame begins; its last 4 bits can have any value.
const SKIPPED: u32 = 0x184d_2a50;

/// Returns whether data begins like Zstandard data.
pub(super) fn is_zstd(head: &[u8]) -> bool {
    let Some(head) = head.first_chunk() else { return false };
    let magic = u32::from_le_bytes(*head);
    magic == MAGIC || magic & !0xf == SKIPPED
}

/// A reader that returns the decompressed data.
pub(super) struct ZstdReader<R> {
    inner: R,
    decoder: FrameDecoder,
    /// Set while a frame is decoded.
    is_in_frame: bool,
}

impl<R: BufRead> ZstdReader<R> {
    /// Wraps compressed data.
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

#[cfg(test)]
mod tests {
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    use super::*;

    #[test]
    fn all_frames_are_read() {
        let text: String = (0..100_000).map(|row| format!("{row},")).collect();
        let frame = compress_to_vec(text.as_bytes(), CompressionLevel::Fastest);
        let skipped = [&0x184d_2a57u32.to_le_bytes()[..], &3u32.to_le_bytes(), b"abc"].concat();
        let data = [&skipped[..], &frame, &skipped, &frame, &frame].concat();
        assert!(is_zstd(&frame) && is_zstd(&skipped) && !is_zstd(b"x,y,r") && !is_zstd(b"x"));
        let mut read = String::new();
        ZstdReader::new(&data[..]).read_to_string(&mut read).expect("text");
        assert!(read == text.repeat(3), "{} bytes", read.len());
        for cut in [1, frame.len() / 2, frame.len() - 1, skipped.len() + frame.len() + 9] {
            let result = ZstdReader::new(&data[..cut]).read_to_string(&mut String::new());
            assert!(result.is_err(), "{cut} bytes");
        }
    }
}
