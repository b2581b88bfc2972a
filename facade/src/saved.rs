//! Serde implementations of worlds and handles.

use alloc::vec::Vec;
use core::fmt;

use bounds_hexprism::Bounds;
use broadphase_core::{Number, Scalar};
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{BroadPhase, Handle, Plain};

/// Writes an array of slot and generation.
impl Serialize for Handle {
    fn serialize<W: Serializer>(&self, serializer: W) -> Result<W::Ok, W::Error> {
        [self.index(), self.generation()].serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Handle {
    fn deserialize<R: Deserializer<'de>>(deserializer: R) -> Result<Self, R::Error> {
        let [index, generation] = Deserialize::deserialize(deserializer)?;
        Ok(Self::new(index, generation))
    }
}

/// Writes the snapshot as bytes.
impl<S, const D: usize, U, B> Serialize for BroadPhase<S, D, U, B>
where
    S: Scalar + Plain,
    U: Plain + Send + Sync,
    B: Bounds<S, D> + Plain,
{
    fn serialize<W: Serializer>(&self, serializer: W) -> Result<W::Ok, W::Error> {
        let mut bytes = Vec::new();
        self.snapshot_into(&mut bytes);
        serializer.serialize_bytes(&bytes)
    }
}

/// Reads a world [from a snapshot](BroadPhase::from_snapshot), with default options.
impl<'de, S, const D: usize, U, B> Deserialize<'de> for BroadPhase<S, D, U, B>
where
    S: Number + Plain,
    U: Plain + Send + Sync,
    B: Bounds<S, D> + Plain,
{
    fn deserialize<R: Deserializer<'de>>(deserializer: R) -> Result<Self, R::Error> {
        let bytes = deserializer.deserialize_byte_buf(Bytes)?;
        Self::from_snapshot(&bytes, crate::Options::new()).map_err(Error::custom)
    }
}

/// Reads bytes, or a sequence of numbers from formats without bytes.
struct Bytes;

impl<'de> Visitor<'de> for Bytes {
    type Value = Vec<u8>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the bytes of a snapshot")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
        Ok(bytes.to_vec())
    }

    fn visit_byte_buf<E: Error>(self, bytes: Vec<u8>) -> Result<Vec<u8>, E> {
        Ok(bytes)
    }

    fn visit_seq<Q: SeqAccess<'de>>(self, mut numbers: Q) -> Result<Vec<u8>, Q::Error> {
        // The length hint comes from untrusted input: limit the initial allocation.
        let mut bytes = Vec::with_capacity(numbers.size_hint().unwrap_or(0).min(1 << 16));
        while let Some(byte) = numbers.next_element()? {
            bytes.push(byte);
        }
        Ok(bytes)
    }
}
