//! Encoding of values as a fixed number of bytes, identical on every machine.

mod declare;
#[cfg(feature = "hexcoord")]
mod hexes;

use alloc::vec::Vec;

use bounds_hexprism::{Axes, Ball, DownTriangle, HexPrism, Hexagon, UpTriangle, ZInterval};
use broadphase_core::{Aabb, Filter, Motion, Scalar};

use crate::Handle;

/// Functions of the macro [`plain!`](crate::plain!).
#[doc(hidden)]
pub mod support {
    pub use alloc::vec::Vec;

    pub use super::declare::{combine_all, discriminant_bytes, largest};
    pub use super::type_number;
}

/// A type of user data or volumes for snapshots: [`SIZE`](Self::SIZE) bytes, little-endian.
///
/// Implemented for numbers of fixed size, `bool`, `char`, handles, filters, motion classes, the
/// volumes of this crate, the cells, directions, points, angles and poses of the hexagonal plane,
/// and for arrays, tuples and options of these types. Declare structs and enums in
/// [`plain!`](crate::plain!). Only a type that is not stored field by field needs an implementation
/// of its own:
///
/// ```
/// use hexphase::Plain;
///
/// /// A direction of unit length, stored as its angle.
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// struct Heading {
///     degrees: u16,
///     cos_sin: [f32; 2],
/// }
///
/// impl Heading {
///     fn new(degrees: u16) -> Self {
///         let angle = f32::from(degrees).to_radians();
///         Self { degrees, cos_sin: [angle.cos(), angle.sin()] }
///     }
/// }
///
/// impl Plain for Heading {
///     const SIZE: usize = u16::SIZE;
///     fn write(&self, out: &mut Vec<u8>) {
///         self.degrees.write(out);
///     }
///     fn read(bytes: &mut &[u8]) -> Option<Self> {
///         u16::read(bytes).filter(|&degrees| degrees < 360).map(Self::new)
///     }
/// }
///
/// let (heading, mut bytes) = (Heading::new(90), Vec::new());
/// heading.write(&mut bytes);
/// assert_eq!(bytes, [90, 0]);
/// assert_eq!(Heading::read(&mut &bytes[..]), Some(heading));
/// assert_eq!(Heading::read(&mut &[0xff, 0xff][..]), None);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be stored in a snapshot",
    label = "does not implement `Plain`",
    note = "declare a struct or an enum in `hexphase::plain! {{ .. }}`, which implements `Plain`",
    note = "`usize` and `isize` differ between machines: use `u32`, `u64`, `i32` or `i64`"
)]
pub trait Plain: Copy {
    /// Number of bytes of every value.
    const SIZE: usize;

    /// Number of the type in the header of a snapshot: a snapshot with another type of user data is
    /// rejected, even if its size is equal. Choose a new number when the meaning of the bytes
    /// changes.
    const KIND: u32 = Self::SIZE as u32;

    /// Appends exactly [`SIZE`](Self::SIZE) bytes.
    fn write(&self, out: &mut Vec<u8>);

    /// Appends the bytes of all values, as [`write`](Self::write) would for each; numbers and
    /// arrays of numbers as one block.
    fn write_all(values: &[Self], out: &mut Vec<u8>) {
        values.iter().for_each(|value| value.write(out));
    }

    /// Reads exactly [`SIZE`](Self::SIZE) bytes and advances the slice; `None` if there are fewer
    /// bytes or they are invalid.
    fn read(bytes: &mut &[u8]) -> Option<Self>;

    /// Appends the number of values as a `u32`, then the values, for
    /// [`read_list`](Self::read_list).
    ///
    /// # Panics
    /// If there are more than `u32::MAX` values.
    fn write_list(values: &[Self], out: &mut Vec<u8>) {
        let len = u32::try_from(values.len()).expect("a list has at most u32::MAX values");
        len.write(out);
        Self::write_all(values, out);
    }

    /// Reads a list that [`write_list`](Self::write_list) wrote, and advances the slice; `None` if
    /// there are fewer bytes or a value is invalid.
    ///
    /// Lists of a program are saved beside a world, for example in a
    /// [`SnapshotRing`](crate::SnapshotRing):
    ///
    /// ```
    /// use hexphase::{BroadPhase, Plain, SnapshotRing};
    ///
    /// let mut world: BroadPhase<f32, 2> = BroadPhase::new();
    /// let (mut timers, mut scores) = (vec![3u16, 5, 8], vec![-1i32]);
    /// let mut ring = SnapshotRing::new(8);
    /// ring.save_with(0, &world, |out| {
    ///     u16::write_list(&timers, out);
    ///     i32::write_list(&scores, out);
    /// });
    /// timers.clear();
    /// scores.push(7);
    ///
    /// let mut saved = ring.restore(0, &mut world)?;
    /// timers = u16::read_list(&mut saved).expect("saved above");
    /// scores = i32::read_list(&mut saved).expect("saved above");
    /// assert_eq!((timers, scores), (vec![3, 5, 8], vec![-1]));
    /// assert_eq!(u16::read_list(&mut &[2, 0, 0, 0, 9, 9, 9][..]), None); // a byte is missing
    /// # Ok::<(), hexphase::SnapshotError>(())
    /// ```
    fn read_list(bytes: &mut &[u8]) -> Option<Vec<Self>> {
        let len = u32::read(bytes)? as usize;
        let mut values = super::take(bytes, len.checked_mul(Self::SIZE)?)?;
        (0..len).map(|_| Self::read(&mut values)).collect()
    }
}

/// Returns a type number for a name.
#[must_use]
pub const fn type_number(name: &str) -> u32 {
    let (mut kind, mut byte) = (0, 0);
    while byte < name.len() {
        kind = combine(kind, name.as_bytes()[byte] as u32);
        byte += 1;
    }
    kind
}

/// Combines two type numbers; the result depends on their order.
const fn combine(kind: u32, other: u32) -> u32 {
    (kind.rotate_left(5) ^ other).wrapping_mul(0x9e37_79b9)
}

macro_rules! numbers {
    ($($N:ty)*) => {$(
        impl Plain for $N {
            const SIZE: usize = size_of::<$N>();
            const KIND: u32 = type_number(stringify!($N));
            #[inline]
            fn write(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }
            #[inline]
            fn write_all(values: &[Self], out: &mut Vec<u8>) {
                let begin = out.len();
                out.resize(begin + size_of_val(values), 0);
                let (places, _) = out[begin..].as_chunks_mut();
                for (bytes, value) in places.iter_mut().zip(values) {
                    *bytes = value.to_le_bytes();
                }
            }
            #[inline]
            fn read(bytes: &mut &[u8]) -> Option<Self> {
                let (number, rest) = bytes.split_first_chunk()?;
                *bytes = rest;
                Some(Self::from_le_bytes(*number))
            }
        }
    )*};
}

numbers!(u8 u16 u32 u64 u128 i8 i16 i32 i64 i128 f32 f64);

impl Plain for bool {
    const SIZE: usize = 1;
    const KIND: u32 = type_number("bool");
    fn write(&self, out: &mut Vec<u8>) {
        u8::from(*self).write(out);
    }
    fn read(bytes: &mut &[u8]) -> Option<Self> {
        match u8::read(bytes)? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
}

impl Plain for char {
    const SIZE: usize = 4;
    const KIND: u32 = type_number("char");
    fn write(&self, out: &mut Vec<u8>) {
        u32::from(*self).write(out);
    }
    fn read(bytes: &mut &[u8]) -> Option<Self> {
        Self::from_u32(u32::read(bytes)?)
    }
}

impl<T: Plain, const N: usize> Plain for [T; N] {
    const SIZE: usize = N * T::SIZE;
    const KIND: u32 = combine(T::KIND, N as u32);
    #[inline]
    fn write(&self, out: &mut Vec<u8>) {
        T::write_all(self, out);
    }
    #[inline]
    fn write_all(values: &[Self], out: &mut Vec<u8>) {
        T::write_all(values.as_flattened(), out);
    }
    #[inline]
    fn read(bytes: &mut &[u8]) -> Option<Self> {
        let mut good = true;
        let items = core::array::from_fn(|_| {
            let item = T::read(bytes);
            good &= item.is_some();
            item
        });
        if good { Some(items.map(|item: Option<T>| item.expect("checked above"))) } else { None }
    }
}

macro_rules! tuples {
    ($(($($T:ident)*))*) => {$(
        impl<$($T: Plain),*> Plain for ($($T,)*) {
            const SIZE: usize = 0 $(+ $T::SIZE)*;
            const KIND: u32 = {
                #[allow(unused_mut, reason = "the empty tuple does not change it")]
                let mut kind = type_number("tuple");
                $(kind = combine(kind, $T::KIND);)*
                kind
            };
            #[allow(non_snake_case, unused_variables, reason = "fields are named like their types")]
            fn write(&self, out: &mut Vec<u8>) {
                let ($($T,)*) = self;
                $($T.write(out);)*
            }
            #[allow(unused_variables, reason = "the empty tuple reads nothing")]
            fn read(bytes: &mut &[u8]) -> Option<Self> {
                Some(($($T::read(bytes)?,)*))
            }
        }
    )*};
}

tuples!(() (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F));

impl<T: Plain> Plain for Option<T> {
    const SIZE: usize = 1 + T::SIZE;
    const KIND: u32 = combine(type_number("Option"), T::KIND);
    /// `None` is encoded as zeros.
    fn write(&self, out: &mut Vec<u8>) {
        self.is_some().write(out);
        match self {
            Some(item) => item.write(out),
            None => out.resize(out.len() + T::SIZE, 0),
        }
    }
    fn read(bytes: &mut &[u8]) -> Option<Self> {
        if bool::read(bytes)? {
            return Some(Some(T::read(bytes)?));
        }
        let (nothing, rest) = bytes.split_at_checked(T::SIZE)?;
        *bytes = rest;
        nothing.iter().all(|&byte| byte == 0).then_some(None)
    }
}

impl Plain for Handle {
    const SIZE: usize = 8;
    const KIND: u32 = type_number("Handle");
    fn write(&self, out: &mut Vec<u8>) {
        (self.index(), self.generation()).write(out);
    }
    fn read(bytes: &mut &[u8]) -> Option<Self> {
        let (index, generation) = Plain::read(bytes)?;
        Some(Self::new(index, generation))
    }
}

impl Plain for Filter {
    const SIZE: usize = <(u64, u64, i32, u32)>::SIZE;
    const KIND: u32 = type_number("Filter");
    fn write(&self, out: &mut Vec<u8>) {
        (self.layers, self.mask, self.group, self.owner).write(out);
    }
    #[inline]
    fn read(bytes: &mut &[u8]) -> Option<Self> {
        let (layers, mask, group, owner) = Plain::read(bytes)?;
        Some(Self { layers, mask, group, owner })
    }
}

impl Plain for Motion {
    const SIZE: usize = 1;
    const KIND: u32 = type_number("Motion");
    fn write(&self, out: &mut Vec<u8>) {
        super::motion_bits(*self).write(out);
    }
    fn read(bytes: &mut &[u8]) -> Option<Self> {
        match u8::read(bytes)? {
            1 => Some(Self::Dynamic),
            2 => Some(Self::Static),
            3 => Some(Self::Sleeping),
            _ => None,
        }
    }
}

impl<S: Scalar + Plain, const D: usize> Plain for Aabb<S, D> {
    const SIZE: usize = 2 * D * S::SIZE;
    const KIND: u32 = combine(combine(type_number("Aabb"), S::KIND), D as u32);
    #[inline]
    fn write(&self, out: &mut Vec<u8>) {
        (self.min, self.max).write(out);
    }
    #[inline]
    fn read(bytes: &mut &[u8]) -> Option<Self> {
        let (min, max) = Plain::read(bytes)?;
        Some(Self { min, max })
    }
}

impl<S: Scalar + Plain, const D: usize> Plain for Ball<S, D> {
    const SIZE: usize = (D + 1) * S::SIZE;
    const KIND: u32 = combine(combine(type_number("Ball"), S::KIND), D as u32);
    fn write(&self, out: &mut Vec<u8>) {
        (self.center, self.radius).write(out);
    }
    fn read(bytes: &mut &[u8]) -> Option<Self> {
        let (center, radius) = Plain::read(bytes)?;
        Some(Self { center, radius })
    }
}

impl<S: Scalar + Plain, A: Axes> Plain for Hexagon<S, A> {
    const SIZE: usize = 6 * S::SIZE;
    const KIND: u32 = combine(combine(type_number("Hexagon"), S::KIND), type_number(A::NAME));
    fn write(&self, out: &mut Vec<u8>) {
        let UpTriangle { min_a, min_b, min_c } = self.up;
        let DownTriangle { max_a, max_b, max_c } = self.down;
        [min_a, min_b, min_c, max_a, max_b, max_c].write(out);
    }
    fn read(bytes: &mut &[u8]) -> Option<Self> {
        let mut hexagon = Self::EMPTY;
        [hexagon.up.min_a, hexagon.up.min_b, hexagon.up.min_c] = Plain::read(bytes)?;
        [hexagon.down.max_a, hexagon.down.max_b, hexagon.down.max_c] = Plain::read(bytes)?;
        Some(hexagon)
    }
}

impl<S: Scalar + Plain, A: Axes> Plain for HexPrism<S, A> {
    const SIZE: usize = 8 * S::SIZE;
    const KIND: u32 = combine(combine(type_number("HexPrism"), S::KIND), type_number(A::NAME));
    fn write(&self, out: &mut Vec<u8>) {
        let Self { hexagon, z: ZInterval { min_z, max_z } } = self;
        hexagon.write(out);
        [*min_z, *max_z].write(out);
    }
    fn read(bytes: &mut &[u8]) -> Option<Self> {
        let mut prism = Self::EMPTY;
        prism.hexagon = Plain::read(bytes)?;
        [prism.z.min_z, prism.z.max_z] = Plain::read(bytes)?;
        Some(prism)
    }
}
