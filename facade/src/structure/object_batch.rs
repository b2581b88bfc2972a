//! Batches of objects that a walk passes to a closure, which may change them.

use core::slice::from_mut;

use broadphase_core::{Aabb, DataAddress};

use crate::Handle;
use crate::structure::Proxy;

/// Changes the objects of a batch.
pub(crate) type ChangeFn<'a, S, const D: usize> = dyn FnMut(&mut ObjectBatch<'_, S, D>) + 'a;

/// Closure that changes the objects of a batch; called from several threads at once.
pub(crate) type ParChangeFn<'a, S, const D: usize> = dyn Fn(&mut ObjectBatch<'_, S, D>) + Sync + 'a;

/// User data is prefetched if all of it takes at least this number of bytes. Prefetching changes
/// the time of an update by −15 % in `discs:500000` (4 MB of user data), but by +5 % in
/// `discs:10000` (80 KB).
const PREFETCH_MIN_BYTES: usize = 1 << 19;

/// Returns the address of user data, by slot, for walks to prefetch; [`DataAddress::NONE`] if a
/// cache near the core can hold all of it.
pub(crate) fn address_to_prefetch<U>(users: &[U]) -> DataAddress {
    let is_large = size_of_val(users) >= PREFETCH_MIN_BYTES;
    if is_large { DataAddress::of(users) } else { DataAddress::NONE }
}

/// A batch of 1 to 128 adjacent places of a structure, whose objects the caller may change. A place
/// is occupied by an object or vacant.
#[derive(Debug)]
pub(crate) struct ObjectBatch<'a, S, const D: usize> {
    pub(crate) handles: &'a [Handle],
    pub(crate) proxies: &'a mut [Proxy],
    pub(crate) bounds: &'a mut [Aabb<S, D>],
    /// Runs of occupied places, as `[begin, end]` with `end` exclusive; ascending and not empty.
    pub(crate) runs: &'a [[usize; 2]],
    /// Number of processed places, set by the closure. If the closure panics, the objects in these
    /// places keep their new bounds.
    pub(crate) done: usize,
}

impl<S, const D: usize> ObjectBatch<'_, S, D> {
    /// Calls `change` with a batch of one object.
    pub(super) fn one(
        key: u32,
        proxy: &mut Proxy,
        bounds: &mut Aabb<S, D>,
        change: impl FnOnce(&mut ObjectBatch<'_, S, D>),
    ) {
        let handles = &[proxy.handle(key)];
        let (proxies, bounds) = (from_mut(proxy), from_mut(bounds));
        change(&mut ObjectBatch { handles, proxies, bounds, runs: &[[0, 1]], done: 0 });
    }

    /// Calls `change` for each object of the batch.
    #[inline]
    pub(crate) fn each(&mut self, mut change: impl FnMut(u32, &mut Proxy, &mut Aabb<S, D>)) {
        for place in self.runs.iter().flat_map(|&[begin, end]| begin..end) {
            let key = self.handles[place].index();
            change(key, &mut self.proxies[place], &mut self.bounds[place]);
            self.done = place + 1;
        }
    }
}
