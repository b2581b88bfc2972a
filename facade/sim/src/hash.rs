//! A hash of results that is equal on every machine.
//!
//! A result is encoded as words of 64 bits: one for each number (a float as its bits), and one for
//! the length of each list. So the hash depends neither on the order of bytes in memory nor on the
//! width of `usize`. Settings, which may differ between machines, are not results.

use core::fmt;

use hexphase::{Aabb, Error, Filter, Handle, Motion, Overlap, SnapshotError};

use crate::shape::State;
use crate::subject::Updated;

/// A result of a world.
pub(crate) trait Digest: fmt::Debug {
    /// Adds the words of the result to a hash.
    fn digest(&self, hash: &mut u64);
}

/// Implements `Digest` for types of one word.
macro_rules! words {
    ($($type:ty: $word:expr;)*) => {$(
        impl Digest for $type {
            fn digest(&self, hash: &mut u64) {
                // As in the checksum of snapshots: each operation is invertible.
                let word: fn(&Self) -> u64 = $word;
                *hash = (*hash ^ word(self)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
            }
        }
    )*};
}
words! {
    bool: |&flag| flag.into();
    u8: |&number| number.into();
    i32: |&number| i64::from(number) as u64;
    u32: |&number| number.into();
    u64: |&number| number;
    usize: |&number| number as u64;
    f64: |number| number.to_bits();
    Handle: |handle| handle.to_bits();
    Motion: |&motion| motion as u64;
    // Errors are compared with the expected ones. Their texts may change.
    Error: |_| 1;
    SnapshotError: |_| 1;
}

/// Implements `Digest` for types with fields.
macro_rules! fields {
    ($([$($parameter:ident)*] $type:ty: ($($field:tt)*);)*) => {$(
        impl<$($parameter: Digest),*> Digest for $type {
            fn digest(&self, hash: &mut u64) {
                $(self.$field.digest(hash);)*
            }
        }
    )*};
}
fields! {
    [] Aabb<f64, 3>: (min max);
    [] Filter: (layers mask group owner);
    [] Overlap<u32>: (handles users filters);
    [] State: (handle volume user motion filter swept);
    [] Updated: (result visited);
    [A B] (A, B): (0 1);
}

impl Digest for () {
    fn digest(&self, _: &mut u64) {}
}

impl<T: Digest> Digest for [T] {
    fn digest(&self, hash: &mut u64) {
        self.len().digest(hash);
        self.iter().for_each(|item| item.digest(hash));
    }
}

impl<T: Digest, const N: usize> Digest for [T; N] {
    fn digest(&self, hash: &mut u64) {
        self.iter().for_each(|item| item.digest(hash));
    }
}

impl<T: Digest> Digest for Vec<T> {
    fn digest(&self, hash: &mut u64) {
        self.as_slice().digest(hash);
    }
}

impl<T: Digest> Digest for &T {
    fn digest(&self, hash: &mut u64) {
        (*self).digest(hash);
    }
}

impl<T: Digest> Digest for Option<T> {
    fn digest(&self, hash: &mut u64) {
        self.as_slice().digest(hash);
    }
}

impl<T: Digest, E: Digest> Digest for Result<T, E> {
    fn digest(&self, hash: &mut u64) {
        (self.as_ref().ok(), self.as_ref().err()).digest(hash);
    }
}
