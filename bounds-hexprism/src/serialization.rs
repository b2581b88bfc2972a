//! Deserialization of volumes: the fields are read without validation, then checked.

use core::fmt;
use core::marker::PhantomData;

use serde::de::{Error, SeqAccess, Visitor};
use serde::ser::SerializeTuple;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use simd_lanes::Scalar;

use crate::{
    Aabb, Axes, Ball, Bounds, DownTriangle, HexPrism, Hexagon, InvalidBounds, UpTriangle, ZInterval,
};

#[derive(Deserialize)]
#[serde(rename = "Aabb", bound = "S: Scalar + Deserialize<'de>")]
pub(crate) struct UncheckedAabb<S, const D: usize> {
    #[serde(deserialize_with = "read_array")]
    min: [S; D],
    #[serde(deserialize_with = "read_array")]
    max: [S; D],
}

#[derive(Deserialize)]
#[serde(rename = "Ball", bound = "S: Scalar + Deserialize<'de>")]
pub(crate) struct UncheckedBall<S, const D: usize> {
    #[serde(deserialize_with = "read_array")]
    center: [S; D],
    radius: S,
}

#[derive(Deserialize)]
#[serde(rename = "Hexagon")]
pub(crate) struct UncheckedHexagon<S> {
    up: UpTriangle<S>,
    down: DownTriangle<S>,
}

#[derive(Deserialize)]
#[serde(rename = "HexPrism")]
pub(crate) struct UncheckedPrism<S> {
    hexagon: UncheckedHexagon<S>,
    z: ZInterval<S>,
}

impl<S: Scalar, const D: usize> TryFrom<UncheckedAabb<S, D>> for Aabb<S, D> {
    type Error = InvalidBounds;

    fn try_from(UncheckedAabb { min, max }: UncheckedAabb<S, D>) -> Result<Self, InvalidBounds> {
        Self::new(min, max).checked()
    }
}

impl<S: Scalar, const D: usize> TryFrom<UncheckedBall<S, D>> for Ball<S, D> {
    type Error = InvalidBounds;

    fn try_from(ball: UncheckedBall<S, D>) -> Result<Self, InvalidBounds> {
        Self::new(ball.center, ball.radius).checked()
    }
}

impl<S: Scalar, A: Axes> TryFrom<UncheckedHexagon<S>> for Hexagon<S, A> {
    type Error = InvalidBounds;

    fn try_from(UncheckedHexagon { up, down }: UncheckedHexagon<S>) -> Result<Self, InvalidBounds> {
        Self::new(up, down).checked()
    }
}

impl<S: Scalar, A: Axes> TryFrom<UncheckedPrism<S>> for HexPrism<S, A> {
    type Error = InvalidBounds;

    fn try_from(UncheckedPrism { hexagon, z }: UncheckedPrism<S>) -> Result<Self, InvalidBounds> {
        Self::new(hexagon.up, hexagon.down, z).checked()
    }
}

/// Serializes an array as a tuple: serde does not support arrays of generic length.
pub(crate) fn write_array<S: Serialize, W: Serializer, const D: usize>(
    array: &[S; D],
    serializer: W,
) -> Result<W::Ok, W::Error> {
    let mut tuple = serializer.serialize_tuple(D)?;
    array.iter().try_for_each(|number| tuple.serialize_element(number))?;
    tuple.end()
}

/// Deserializes an array written by [`write_array`].
fn read_array<'de, S: Scalar + Deserialize<'de>, R: Deserializer<'de>, const D: usize>(
    deserializer: R,
) -> Result<[S; D], R::Error> {
    deserializer.deserialize_tuple(D, Numbers(PhantomData))
}

struct Numbers<S, const D: usize>(PhantomData<S>);

impl<'de, S: Scalar + Deserialize<'de>, const D: usize> Visitor<'de> for Numbers<S, D> {
    type Value = [S; D];

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{D} numbers")
    }

    fn visit_seq<Q: SeqAccess<'de>>(self, mut numbers: Q) -> Result<[S; D], Q::Error> {
        let mut array = [S::ZERO; D];
        for (axis, number) in array.iter_mut().enumerate() {
            let next = numbers.next_element()?;
            *number = next.ok_or_else(|| Error::invalid_length(axis, &self))?;
        }
        Ok(array)
    }
}
