//! Header of a snapshot: signature, version, and the kind of world.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::any::type_name;

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
    /// Names of the types of user data and volumes, for messages. Not in the snapshot.
    type_names: [&'static str; 2],
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
            type_names: [type_name::<U>(), type_name::<B>()],
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

    /// Verifies signature, version, checksum, kind, and events (as `events`) of a snapshot. Returns
    /// the snapshot without its checksum.
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
        self.check_kind(body, [content & HAS_EVENTS != 0, events])?;
        Ok(body)
    }

    /// Compares the header of a snapshot with this one, and `events` of both. The error names the
    /// first property that differs.
    fn check_kind(&self, body: &[u8], events: [bool; 2]) -> Result<(), SnapshotError> {
        let mut rest = &body[CONTENT_OFFSET - 3..];
        let corrupt = || SnapshotError::Corrupt;
        let (numbers, _, types) = <([u8; 3], u8, [u32; 4])>::read(&mut rest).ok_or_else(corrupt)?;
        let differ =
            |what, [saved, world]: [String; 2]| Err(SnapshotError::Kind { what, saved, world });
        let all = [numbers, self.numbers];
        if numbers[..2] != self.numbers[..2] {
            return differ("number type", all.map(|numbers| number_type(numbers).to_string()));
        }
        if numbers != self.numbers {
            return differ("dimensions", all.map(|numbers| numbers[2].to_string()));
        }
        for (index, what) in ["user data", "volumes"].into_iter().enumerate() {
            let [saved, here] = [types, self.types].map(|types| types.as_chunks::<2>().0[index]);
            if saved != here {
                let text =
                    |[size, kind]: [u32; 2]| format!("of {size} bytes (type number {kind:#x})");
                let here = format!("{} {}", self.type_names[index], text(here));
                return differ(what, [text(saved), here]);
            }
        }
        let saved = rest.get(..self.sides.len()).ok_or_else(corrupt)?;
        if saved != self.sides {
            return differ("sides", [saved, &self.sides].map(|sides| sides_text(numbers, sides)));
        }
        if events[0] != events[1] {
            let text = |events| if events { "enabled" } else { "disabled" };
            return differ("events", events.map(|events| text(events).to_string()));
        }
        Ok(())
    }
}

const fn number_type([kind, size, _]: [u8; 3]) -> &'static str {
    match (kind, size) {
        (b'f', 4) => "f32",
        (b'f', 8) => "f64",
        (b'i', 4) => "i32",
        _ => "unknown",
    }
}

/// Returns the sides of a world, which are stored as bytes.
fn sides_text(numbers: [u8; 3], mut sides: &[u8]) -> String {
    fn next<S: Plain + ToString>(bytes: &mut &[u8]) -> Option<String> {
        S::read(bytes).map(|side| side.to_string())
    }
    let mut list = Vec::new();
    while let Some(side) = match number_type(numbers) {
        "f64" => next::<f64>(&mut sides),
        "i32" => next::<i32>(&mut sides),
        _ => next::<f32>(&mut sides),
    } {
        list.push(side);
    }
    format!("[{}]", list.join(", "))
}
