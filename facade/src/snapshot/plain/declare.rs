//! Macro [`plain!`](crate::plain!): declares types and implements [`Plain`](crate::Plain) for them.
//!
//! A `macro_rules!` macro suffices: programs compile no procedural macro.
//!
//! ```text
//! struct   field, field, ...
//! enum     discriminant, fields of the variant, zeros up to the size of the largest variant
//! ```
//!
//! * A discriminant takes 1, 2, 4 or 8 bytes: the fewest for all discriminants of the type.
//! * Each value has exactly one encoding, and equal worlds have equal hashes: unknown discriminants
//!   and padding other than zeros are rejected.
//! * `plain_part!` makes one part of an implementation from the fields of a struct or variant:
//!   `(types)`, `{ names: types }`, or nothing.

/// Declares structs and enums, and implements [`Plain`](crate::Plain) for them, for user data.
///
/// The types must be `Copy` and have no type parameters, and every field must be `Plain`: store a
/// vector of glam as `[f32; 2]`.
///
/// A struct is stored as its fields in order, an enum as its discriminant, explicit or implicit,
/// then the fields of the variant, and zeros up to the size of the largest variant. The
/// discriminant takes 1, 2, 4 or 8 bytes, the fewest that hold all. Reading an unknown
/// discriminant, or other bytes than zeros after the fields, returns `None`.
///
/// [`Plain::KIND`](crate::Plain::KIND) depends on the names of the type, its fields and its
/// variants, on the discriminants, and on the types of the fields. After a change of these, earlier
/// snapshots are rejected with [`SnapshotError::Kind`](crate::SnapshotError::Kind).
///
/// ```
/// use hexphase::{Aabb, BroadPhase, Handle, plain};
///
/// plain! {
///     /// The state of a ship.
///     #[derive(Clone, Copy, Debug, PartialEq)]
///     pub struct Ship {
///         pub velocity: [f32; 2],
///         pub order: Order,
///     }
///
///     #[derive(Clone, Copy, Debug, PartialEq)]
///     #[repr(u8)]
///     pub enum Order {
///         Idle,
///         Follow(Handle),
///         Fire { at: [f32; 2], shots: u8 } = 7,
///     }
/// }
///
/// let mut world: BroadPhase<f32, 2, Ship> = BroadPhase::new();
/// let idle = Ship { velocity: [1.0, 0.0], order: Order::Idle };
/// let first = world.insert(Aabb::of_ball([0.0, 0.0], 1.0), idle)?;
/// let order = Order::Follow(first);
/// let second = world.insert(Aabb::of_ball([5.0, 0.0], 1.0), Ship { order, ..idle })?;
/// let mut saved = Vec::new();
/// world.snapshot_into(&mut saved);
///
/// world.user_mut(second).unwrap().order = Order::Fire { at: [9.0, 9.0], shots: 3 };
/// world.restore(&saved)?;
/// assert_eq!(world[second].order, order);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The bytes:
///
/// ```
/// use hexphase::{Plain, plain};
///
/// plain! {
///     #[derive(Clone, Copy, Debug, PartialEq)]
///     #[repr(u8)]
///     enum Rock {
///         Dust,
///         Boulder { mass: u16 } = 5,
///     }
/// }
///
/// let mut bytes = Vec::new();
/// Rock::Boulder { mass: 0x1234 }.write(&mut bytes);
/// assert_eq!(bytes, [5, 0x34, 0x12]);
/// assert_eq!(Rock::read(&mut &[0, 0, 0][..]), Some(Rock::Dust));
/// assert_eq!(Rock::read(&mut &[1, 0, 0][..]), None); // unknown discriminant
/// assert_eq!(Rock::read(&mut &[5, 0][..]), None); // too few bytes
/// ```
#[macro_export]
macro_rules! plain {
    () => {};
    (
        $(#[$about:meta])*
        $see:vis struct $name:ident {
            $(
                $(#[$field_about:meta])*
                $field_see:vis $field:ident: $type:ty
            ),* $(,)?
        }
        $($rest:tt)*
    ) => {
        $(#[$about])*
        $see struct $name {
            $($(#[$field_about])* $field_see $field: $type),*
        }
        $crate::plain_part! { @struct $name { $($field: $type),* } }
        $crate::plain! { $($rest)* }
    };
    (
        $(#[$about:meta])*
        $see:vis struct $name:ident (
            $($(#[$field_about:meta])* $field_see:vis $type:ty),* $(,)?
        );
        $($rest:tt)*
    ) => {
        $(#[$about])*
        $see struct $name($($(#[$field_about])* $field_see $type),*);
        $crate::plain_part! { @struct $name ($($type),*) }
        $crate::plain! { $($rest)* }
    };
    ($(#[$about:meta])* $see:vis struct $name:ident; $($rest:tt)*) => {
        $(#[$about])*
        $see struct $name;
        $crate::plain_part! { @struct $name }
        $crate::plain! { $($rest)* }
    };
    (
        $(#[$about:meta])*
        $see:vis enum $name:ident {
            $(
                $(#[$variant_about:meta])*
                $variant:ident
                $((
                    $($(#[$item_about:meta])* $item:ty),* $(,)?
                ))?
                $({
                    $($(#[$field_about:meta])* $field:ident: $type:ty),* $(,)?
                })?
                $(= $discriminant:expr)?
            ),* $(,)?
        }
        $($rest:tt)*
    ) => {
        $(#[$about])*
        $see enum $name {
            $(
                $(#[$variant_about])*
                $variant
                $(($($(#[$item_about])* $item),*))?
                $({ $($(#[$field_about])* $field: $type),* })?
                $(= $discriminant)?
            ),*
        }
        $crate::plain_part! {
            @enum $name
            $(
                $variant
                [$($discriminant)?]
                [
                    $(($($item),*))?
                    $({ $($field: $type),* })?
                ]
            )*
        }
        $crate::plain! { $($rest)* }
    };
    ($($other:tt)+) => {
        ::core::compile_error!(
            "`plain!` accepts structs and enums without type parameters, lifetimes and `where`"
        );
    };
}

/// Parts of the implementations that [`plain!`](crate::plain!) writes.
#[doc(hidden)]
#[macro_export]
macro_rules! plain_part {
    (@struct $name:ident $($fields:tt)?) => {
        impl $crate::Plain for $name {
            const SIZE: usize = $crate::plain_part!(@size $($fields)?);
            const KIND: u32 = $crate::plain_support::combine_all(&[
                $crate::plain_support::type_number(::core::stringify!($name)),
                $crate::plain_part!(@kind $($fields)?),
            ]);
            #[allow(unused_variables, irrefutable_let_patterns)]
            fn write(&self, out: &mut $crate::plain_support::Vec<u8>) {
                let this = *self;
                $crate::plain_part!(@write [Self] this out $($fields)?);
            }
            #[allow(unused_variables)]
            fn read(bytes: &mut &[u8]) -> ::core::option::Option<Self> {
                ::core::option::Option::Some($crate::plain_part!(@read [Self] bytes $($fields)?))
            }
        }
    };
    (@enum $name:ident $($variant:ident [$($discriminant:expr)?] [$($fields:tt)?])*) => {
        impl $crate::Plain for $name {
            const SIZE: usize = $crate::plain_part!(@discriminant_bytes $([$($discriminant)?])*)
                + $crate::plain_support::largest(&[$($crate::plain_part!(@size $($fields)?)),*]);
            #[allow(unused_variables, unused_mut)]
            const KIND: u32 = {
                let mut next: i64 = -1;
                $crate::plain_support::combine_all(&[
                    $crate::plain_support::type_number(::core::stringify!($name)),
                    $({
                        next = $crate::plain_part!(@next next $($discriminant)?);
                        $crate::plain_support::combine_all(&[
                            $crate::plain_support::type_number(::core::stringify!($variant)),
                            next as u32,
                            $crate::plain_part!(@kind $($fields)?),
                        ])
                    }),*
                ])
            };
            #[allow(unused_variables, unused_mut, unused_assignments, irrefutable_let_patterns)]
            fn write(&self, out: &mut $crate::plain_support::Vec<u8>) {
                let (this, end) = (*self, out.len() + <Self as $crate::Plain>::SIZE);
                let size = const { $crate::plain_part!(@discriminant_bytes $([$($discriminant)?])*) };
                let mut next: i64 = -1;
                $(
                    next = $crate::plain_part!(@next next $($discriminant)?);
                    if let Self::$variant { .. } = this {
                        out.extend_from_slice(&next.to_le_bytes()[..size]);
                        $crate::plain_part!(@write [Self::$variant] this out $($fields)?);
                    }
                )*
                out.resize(end, 0);
            }
            #[allow(unused_variables, unused_mut, unused_assignments, unreachable_code)]
            #[allow(clippy::diverging_sub_expression)]
            fn read(bytes: &mut &[u8]) -> ::core::option::Option<Self> {
                let size = const { $crate::plain_part!(@discriminant_bytes $([$($discriminant)?])*) };
                let (value, rest) = bytes.split_at_checked(<Self as $crate::Plain>::SIZE)?;
                *bytes = rest;
                let (discriminant, mut fields) = value.split_at_checked(size)?;
                let fields = &mut fields;
                let mut next: i64 = -1;
                let value = 'found: {
                    $(
                        next = $crate::plain_part!(@next next $($discriminant)?);
                        if discriminant == &next.to_le_bytes()[..size] {
                            break 'found $crate::plain_part!(@read [Self::$variant] fields $($fields)?);
                        }
                    )*
                    return ::core::option::Option::None;
                };
                fields.iter().all(|&byte| byte == 0).then_some(value)
            }
        }
    };

    // The discriminant of the variant that follows discriminant `$last`.
    (@next $last:ident $discriminant:expr) => { $discriminant as i64 };
    (@next $last:ident) => { $last + 1 };

    (@discriminant_bytes $([$($discriminant:expr)?])*) => {{
        #[allow(unused_mut, unused_variables)]
        let mut next: i64 = -1;
        $crate::plain_support::discriminant_bytes(&[
            $({
                next = $crate::plain_part!(@next next $($discriminant)?);
                next
            }),*
        ])
    }};

    (@size) => { 0 };
    (@size ($($type:ty),*)) => {
        0 $(+ <$type as $crate::Plain>::SIZE)*
    };
    (@size { $($field:ident: $type:ty),* }) => {
        $crate::plain_part!(@size ($($type),*))
    };

    (@kind) => { 0 };
    (@kind ($($type:ty),*)) => {
        $crate::plain_support::combine_all(&[
            $(<$type as $crate::Plain>::KIND),*
        ])
    };
    (@kind { $($field:ident: $type:ty),* }) => {
        $crate::plain_support::combine_all(&[
            $($crate::plain_support::type_number(::core::stringify!($field)),)*
            $crate::plain_part!(@kind ($($type),*)),
        ])
    };

    (@write [$($path:tt)+] $this:ident $out:ident) => {};
    (@write [$($path:tt)+] $this:ident $out:ident { $($field:ident: $type:ty),* }) => {
        if let $($path)+ { $($field),* } = $this {
            $($crate::Plain::write(&$field, $out);)*
        }
    };
    // Each level of recursion adds a variable `field`; macro hygiene distinguishes them.
    (@write [$($path:tt)+] $this:ident $out:ident ($($types:ty),*)) => {
        $crate::plain_part!(@write_tuple [$($path)+] $this $out [] $($types),*);
    };
    (@write_tuple [$($path:tt)+] $this:ident $out:ident [$($field:ident)*]) => {
        if let $($path)+ ($($field),*) = $this {
            $($crate::Plain::write(&$field, $out);)*
        }
    };
    (@write_tuple [$($path:tt)+] $this:ident $out:ident [$($done:ident)*]
        $type:ty $(, $rest:ty)*
    ) => {
        $crate::plain_part!(@write_tuple [$($path)+] $this $out [$($done)* field] $($rest),*);
    };

    (@read [$($path:tt)+] $bytes:ident) => { $($path)+ };
    (@read [$($path:tt)+] $bytes:ident { $($field:ident: $type:ty),* }) => {
        $($path)+ { $($field: <$type as $crate::Plain>::read($bytes)?),* }
    };
    (@read [$($path:tt)+] $bytes:ident ($($type:ty),*)) => {
        $($path)+ ($(<$type as $crate::Plain>::read($bytes)?),*)
    };
}

/// Combines type numbers; the result depends on their order and count.
#[must_use]
pub const fn combine_all(kinds: &[u32]) -> u32 {
    let (mut kind, mut index) = (kinds.len() as u32, 0);
    while index < kinds.len() {
        kind = super::combine(kind, kinds[index]);
        index += 1;
    }
    kind
}

/// Returns the largest number, or 0 for an empty slice.
#[must_use]
pub const fn largest(sizes: &[usize]) -> usize {
    let (mut largest, mut index) = (0, 0);
    while index < sizes.len() {
        if sizes[index] > largest {
            largest = sizes[index];
        }
        index += 1;
    }
    largest
}

/// Returns the least number of bytes, 1, 2, 4 or 8, for all discriminants, either all signed or all
/// unsigned.
#[must_use]
pub const fn discriminant_bytes(discriminants: &[i64]) -> usize {
    let mut bytes = 1;
    while bytes < 8 {
        let (mut signed, mut unsigned, mut index) = (true, true, 0);
        while index < discriminants.len() {
            let high = discriminants[index] >> (8 * bytes - 1);
            signed &= high == 0 || high == -1;
            unsigned &= high == 0 || high == 1;
            index += 1;
        }
        if signed || unsigned {
            break;
        }
        bytes *= 2;
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::{combine_all, discriminant_bytes, largest};

    #[test]
    fn discriminants_take_as_few_bytes_as_possible() {
        for (discriminants, bytes) in [
            (&[][..], 1),
            (&[0, 255], 1),
            (&[-128, 127], 1),
            (&[-1, 128], 2),
            (&[0, 256], 2),
            (&[65_535], 2),
            (&[-1, 65_535], 4),
            (&[i64::from(u32::MAX)], 4),
            (&[-1, i64::from(u32::MAX)], 8),
            (&[i64::MIN, i64::MAX], 8),
        ] {
            assert_eq!(discriminant_bytes(discriminants), bytes, "{discriminants:?}");
        }
    }

    #[test]
    fn type_numbers_depend_on_order_and_count() {
        assert_ne!(combine_all(&[1, 2]), combine_all(&[2, 1]));
        assert_ne!(combine_all(&[]), combine_all(&[0]));
        assert_eq!((largest(&[]), largest(&[3, 9, 2])), (0, 9));
    }
}
