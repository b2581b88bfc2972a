//! Prefetches data that closures of walks read by slot.

use broadphase_core::{Backend, Kernel, Lanes};

/// Data is prefetched from this number of bytes on: −15 % time of an update in `discs:500000` (4 MB
/// of user data), but +5 % in `discs:10000` (80 KB). The table of slots is not prefetched: closures
/// that do not use the generation of a handle do not load it (+33 % in `discs:500000`).
const MIN_BYTES: usize = 1 << 19;

/// Data by slot, which the closure of a walk reads. Not generic over its type: compiled once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prefetch {
    backend: Backend,
    address: usize,
    /// The size of an item in bytes; 0 if nothing is prefetched.
    size: usize,
}

impl Prefetch {
    /// Prepares to prefetch these items, unless all of them fit a cache near the core.
    pub(crate) fn new<T>(backend: Backend, items: &[T]) -> Self {
        let is_large = size_of_val(items) >= MIN_BYTES;
        let size = if is_large { size_of::<T>() } else { 0 };
        Self { backend, address: items.as_ptr().addr(), size }
    }

    /// Prefetches the items at these slots, unless there is only one slot.
    pub(crate) fn at(&self, slots: &[u32]) {
        if slots.len() > 1 && self.size > 0 {
            self.backend.dispatch(PrefetchAll { data: *self, slots });
        }
    }
}

/// The kernel of [`Prefetch::at`]: only kernels have the instruction.
struct PrefetchAll<'a> {
    data: Prefetch,
    slots: &'a [u32],
}

impl Kernel for PrefetchAll<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        for &slot in self.slots {
            let offset = (slot as usize).wrapping_mul(self.data.size);
            lanes.prefetch_address(self.data.address.wrapping_add(offset));
        }
    }
}
