//! Prefetches data of objects by key, because structures visit objects in another order.

use bounds_hexprism::{Backend, Kernel, Lanes};

/// Data is prefetched if all of it takes at least this number of bytes. Prefetching changes the
/// time of an update by −15 % in `discs:500000` (4 MB of user data), but by +5 % in `discs:10000`
/// (80 KB). The table of slots of a world is not prefetched: many closures do not use the
/// generation of a handle, and then its load is not compiled (+33 % in `discs:500000`).
const MIN_BYTES: usize = 1 << 19;

/// A list with data of objects by key, which a walk prefetches batch by batch.
///
/// A [`walk`](crate::SpatialIndex::walk) visits objects in storage order, so a closure that reads
/// other data by key waits for memory at each object if the data is larger than the caches.
///
/// ```
/// # extern crate broadphase_core as hexphase;
/// use hexphase::{Aabb, Backend, BruteForce, Prefetch, SpatialIndex, SpatialIndexExt};
/// use hexphase::{Walk, WalkBatch};
///
/// let speeds = [1.0, 2.0, 3.0];
/// let mut world: BruteForce = BruteForce::new();
/// world.extend((0..3).map(|key| (key, Aabb::point([0.0, key as f32]))))?;
/// let prefetch = Prefetch::new(Backend::detect(), &speeds);
/// world.walk(Walk::All(&mut |batch: &mut WalkBatch<'_, f32, 2>| {
///     prefetch.at(batch.keys());
///     batch.each(|key, bounds| *bounds = bounds.translated([speeds[key as usize], 0.0]));
/// }))?;
/// assert_eq!(world.get(2).unwrap().bounds, Aabb::point([3.0, 2.0]));
/// # Ok::<(), hexphase::IndexError>(())
/// ```
// The type of the items is not stored, so that prefetching is compiled once.
#[derive(Clone, Copy, Debug)]
pub struct Prefetch {
    backend: Backend,
    address: usize,
    /// The size of an item in bytes; 0 if nothing is prefetched.
    size: usize,
}

impl Prefetch {
    /// Prepares to prefetch items. Lists below 512 KiB are not prefetched, because they fit into a
    /// cache.
    #[must_use]
    pub fn new<T>(backend: Backend, items: &[T]) -> Self {
        let is_large = size_of_val(items) >= MIN_BYTES;
        let size = if is_large { size_of::<T>() } else { 0 };
        Self { backend, address: items.as_ptr().addr(), size }
    }

    /// Prefetches the items with these keys as indices, unless there is only one. Keys behind the
    /// end of the list have no effect.
    pub fn at(&self, keys: &[u32]) {
        if keys.len() > 1 && self.size > 0 {
            self.backend.dispatch(PrefetchAll { data: *self, keys });
        }
    }
}

/// The kernel of [`Prefetch::at`]: only kernels have the instruction.
struct PrefetchAll<'a> {
    data: Prefetch,
    keys: &'a [u32],
}

impl Kernel for PrefetchAll<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        for &key in self.keys {
            let offset = (key as usize).wrapping_mul(self.data.size);
            lanes.prefetch_address(self.data.address.wrapping_add(offset));
        }
    }
}
