//! The address of data, independent of its type, for prefetching.

use core::ops::Range;

use crate::Lanes;

/// The bytes of a cache line.
const LINE: usize = 64;

/// The address and the item size of a slice, independent of the item type; for prefetching only.
///
/// It lets a function that is compiled once prefetch data whose type only its caller has.
#[derive(Clone, Copy, Debug)]
pub struct DataAddress {
    address: usize,
    size: usize,
}

impl DataAddress {
    /// No data: prefetches nothing.
    pub const NONE: Self = Self { address: 0, size: 0 };

    /// Returns the address of a slice.
    #[must_use]
    pub fn of<T>(items: &[T]) -> Self {
        Self { address: items.as_ptr().addr(), size: size_of::<T>() }
    }

    /// Returns the size of an item in bytes.
    #[must_use]
    pub const fn size(self) -> usize {
        self.size
    }

    /// Prefetches the item at an index, which may be out of range.
    #[inline(always)]
    pub fn prefetch<L: Lanes>(self, lanes: L, index: usize) {
        lanes.prefetch_address(self.address.wrapping_add(index.wrapping_mul(self.size)));
    }

    /// Prefetches a range of items, which may be empty.
    #[inline(always)]
    pub fn prefetch_all<L: Lanes>(self, lanes: L, items: Range<usize>) {
        // Zero-sized data needs no prefetch.
        if self.size == 0 {
            return;
        }
        let (mut at, end) = (items.start * self.size, items.end * self.size);
        while at < end {
            lanes.prefetch_address(self.address.wrapping_add(at));
            at += self.size.max(LINE);
        }
    }
}
