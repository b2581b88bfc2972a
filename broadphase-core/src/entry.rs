//! Stored objects as structures return them.

use core::hint::select_unpredictable;

use bounds_hexprism::Aabb;

/// One stored object: key, bounds, and a reference to its data.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Entry<'a, S, const D: usize, T> {
    /// Number that the caller chose for the object.
    pub key: u32,
    /// Bounds as validated and stored.
    pub bounds: Aabb<S, D>,
    /// Data stored with the object.
    pub data: &'a T,
}

impl<S: Copy, const D: usize, T> Entry<'_, S, D, T> {
    /// Returns the two entries, the one with the smaller key first.
    ///
    /// Fields of the result that the caller does not read cost nothing: the compiler removes their
    /// selection.
    ///
    /// ```
    /// # extern crate broadphase_core as hexphase;
    /// use hexphase::{Aabb, BruteForce, Entry, SpatialIndex};
    ///
    /// let mut world: BruteForce = BruteForce::new();
    /// world.extend([(7, Aabb::point([1.0, 0.0]), ()), (3, Aabb::point([2.0, 0.0]), ())])?;
    /// let [a, b] = [7, 3].map(|key| world.get(key).expect("inserted above"));
    /// assert_eq!(Entry::in_order(a, b), [b, a]);
    /// # Ok::<(), hexphase::IndexError>(())
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn in_order(a: Self, b: Self) -> [Self; 2] {
        // The code is branch-free, because the order of the keys is unpredictable.
        let swap = a.key > b.key;
        let corner = |mut one: [S; D], other: [S; D]| {
            for axis in 0..D {
                one[axis] = select_unpredictable(swap, other[axis], one[axis]);
            }
            one
        };
        let first = |one: Self, other: Self| Self {
            key: select_unpredictable(swap, other.key, one.key),
            bounds: Aabb {
                min: corner(one.bounds.min, other.bounds.min),
                max: corner(one.bounds.max, other.bounds.max),
            },
            data: select_unpredictable(swap, other.data, one.data),
        };
        [first(a, b), first(b, a)]
    }
}

impl<S: Copy, const D: usize, T> Clone for Entry<'_, S, D, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: Copy, const D: usize, T> Copy for Entry<'_, S, D, T> {}
