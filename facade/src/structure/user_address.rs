//! The address of the user data, independent of their type.

#[cfg(feature = "hshg")]
use broadphase_core::Lanes;

/// User data is prefetched if all of it takes at least this number of bytes. Prefetching changes
/// the time of an update by −15 % in `discs:500000` (4 MB of user data), but by +5 % in
/// `discs:10000` (80 KB).
const MIN_BYTES: usize = 1 << 19;

/// The address and item size of user data by slot; used for prefetching only.
#[derive(Clone, Copy, Debug)]
#[allow(dead_code, reason = "without `hshg` nothing prefetches")]
pub(crate) struct UserAddress {
    address: usize,
    /// The size of the user data of one object in bytes.
    size: usize,
}

impl UserAddress {
    /// No user data: prefetches nothing.
    pub(crate) const NONE: Self = Self { address: 0, size: 0 };

    /// Returns the address of user data; [`NONE`](Self::NONE) if a cache near the core can hold all
    /// of them.
    pub(crate) fn of<U>(users: &[U]) -> Self {
        if size_of_val(users) < MIN_BYTES {
            return Self::NONE;
        }
        Self { address: users.as_ptr().addr(), size: size_of::<U>() }
    }

    /// Returns whether there is anything to prefetch.
    #[cfg(feature = "hshg")]
    pub(crate) const fn is_some(self) -> bool {
        self.size > 0
    }

    /// Prefetches the user data of a slot.
    #[cfg(feature = "hshg")]
    #[inline(always)]
    pub(crate) fn prefetch<L: Lanes>(self, lanes: L, slot: u32) {
        // `Lanes::prefetch` accepts any index into a slice, so the address is passed as an index
        // into an empty slice.
        let none: &[u8] = &[];
        let base = self.address.wrapping_sub(none.as_ptr().addr());
        lanes.prefetch(none, base.wrapping_add(slot as usize * self.size));
    }
}
