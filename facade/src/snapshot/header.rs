//! Header of a snapshot: signature, version, and the kind of world.

use alloc::vec::Vec;

use broadphase_core::Scalar;

use super::checksum::checksum;
use super::{HAS_BOUNDS, HAS_EVENTS, MAGIC, Plain, SnapshotError, VERSION};

/// Offset of the byte of content flags.
pub(super) const CONTENT_OFFSET: usize = MAGIC.len() + 5;

/// Offset of the sides of the world.
pub(super) const SIDES_OFFSET: usize = CONTENT_OFFSET + 17;

/// The kind of a world: its number type, dimension, data types and sides.
pub(super) struct Header {
    /// `f` or `i`, bytes per number, dimension.
    numbers: [u8; 3],
    /// Size and type number of user data, then of volumes.
    types: [u32; 4],
    sides: Vec<u8>,
}

impl Header {
    pub(super) fn of<S, const D: usize, U, B>(sides: &[S; D]) -> Self
    where
        S: Scalar + Plain,
        U: Plain,
        B: Plain,
    {
        let mut bytes = Vec::new();
        sides.write(&mut bytes);
        Self {
            numbers: [if S::INTEGER { b'i' } else { b'f' }, S::SIZE as u8, D as u8],
            types: [U::SIZE as u32, U::KIND, B::SIZE as u32, B::KIND],
            sides: bytes,
        }
    }

    /// Returns the number of bytes that [`write`](Self::write) appends.
    pub(super) const fn len(&self) -> usize {
        SIDES_OFFSET + self.sides.len()
    }

    /// Appends the header of a snapshot.
    pub(super) fn write(&self, content: u8, out: &mut Vec<u8>) {
        out.extend_from_slice(MAGIC);
        VERSION.write(out);
        (self.numbers, content).write(out);
        self.types.write(out);
        out.extend_from_slice(&self.sides);
    }

    /// Verifies signature, version, checksum and kind of a snapshot, and that it has events exactly
    /// if `events` is set. Returns the snapshot without its checksum.
    pub(super) fn check<'a>(
        &self,
        bytes: &'a [u8],
        events: bool,
    ) -> Result<&'a [u8], SnapshotError> {
        let Some(rest) = bytes.strip_prefix(MAGIC) else { return Err(SnapshotError::NotASnapshot) };
        match u16::read(&mut &*rest) {
            Some(VERSION) => {}
            Some(version) => return Err(SnapshotError::Version(version)),
            None => return Err(SnapshotError::Corrupt),
        }
        let (body, sum) = bytes.split_last_chunk().ok_or(SnapshotError::Corrupt)?;
        if checksum(body) != u64::from_le_bytes(*sum) {
            return Err(SnapshotError::Corrupt);
        }
        let content =
            body.get(CONTENT_OFFSET).copied().filter(|bits| bits & !(HAS_BOUNDS | HAS_EVENTS) == 0);
        let content = content.ok_or(SnapshotError::Corrupt)?;
        let mut kind = Vec::new();
        self.write(content, &mut kind);
        if body.starts_with(&kind) {
            return match content & HAS_EVENTS != 0 {
                with if with == events => Ok(body),
                _ => Err(SnapshotError::Kind { what: "events" }),
            };
        }
        let differs = (0..).zip(&kind).find(|&(place, byte)| body.get(place) != Some(byte));
        let what = match differs.map_or(0, |(place, _)| place - MAGIC.len()) {
            2 | 3 => "numbers",
            4 => "dimensions",
            6..14 => "user data",
            14..22 => "volumes",
            _ => "sides",
        };
        Err(SnapshotError::Kind { what })
    }
}
