//! Serde implementations of worlds, handles and options.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use bounds_hexprism::Bounds;
use broadphase_core::{Number, Scalar};
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Algorithm, BroadPhase, Handle, Plain};

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

/// Writes the name of the algorithm: a number would depend on which algorithms are compiled.
impl Serialize for Algorithm {
    fn serialize<W: Serializer>(&self, serializer: W) -> Result<W::Ok, W::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Algorithm {
    fn deserialize<R: Deserializer<'de>>(deserializer: R) -> Result<Self, R::Error> {
        String::deserialize(deserializer)?.parse().map_err(Error::custom)
    }
}

/// Unchecked options without the backend, as written and read.
#[derive(Serialize, Deserialize)]
#[serde(default, bound(deserialize = "S: Scalar + Deserialize<'de>"))]
pub(crate) struct Options<S> {
    algorithm: Algorithm,
    smallest_cell: Option<S>,
    capacity: usize,
    events: bool,
    /// One side per axis; empty if the world does not wrap.
    wrap: Vec<S>,
}

impl<S: Scalar> Default for Options<S> {
    fn default() -> Self {
        crate::Options::<S, 1>::new().into()
    }
}

impl<S: Scalar, const D: usize> From<crate::Options<S, D>> for Options<S> {
    fn from(options: crate::Options<S, D>) -> Self {
        let wrap = if options.wraps() { options.sides.to_vec() } else { Vec::new() };
        let crate::Options { algorithm, cell, capacity, events, .. } = options;
        Self { algorithm, smallest_cell: cell, capacity, events, wrap }
    }
}

impl<S: Scalar, const D: usize> TryFrom<Options<S>> for crate::Options<S, D> {
    type Error = String;

    fn try_from(saved: Options<S>) -> Result<Self, String> {
        let Options { algorithm, smallest_cell, capacity, events, wrap } = saved;
        let mut options = Self::new().algorithm(algorithm).capacity(capacity).events(events);
        if let Some(side) = smallest_cell {
            options = options.try_smallest_cell(side).map_err(|why| why.to_string())?;
        }
        if !wrap.is_empty() {
            let count = wrap.len();
            let sides = wrap.try_into().map_err(|_| format!("{count} sides, expected {D}"))?;
            options = options.try_wrap(sides).map_err(|why| why.to_string())?;
        }
        Ok(options)
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
        // The length hint comes from untrusted input, so the initial allocation is limited.
        let mut bytes = Vec::with_capacity(numbers.size_hint().unwrap_or(0).min(1 << 16));
        while let Some(byte) = numbers.next_element()? {
            bytes.push(byte);
        }
        Ok(bytes)
    }
}
