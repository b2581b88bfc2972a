//! Walks over the objects of a structure, in batches.

use core::slice::{from_mut, from_ref};

use bounds_hexprism::Aabb;

/// The objects that a walk visits, and the closure that it calls for each batch.
pub enum Walk<'a, S, const D: usize> {
    /// All objects.
    All(&'a mut dyn FnMut(&mut WalkBatch<'_, S, D>)),
    /// The objects with [`Motion::Dynamic`](crate::Motion::Dynamic).
    Dynamic(&'a mut dyn FnMut(&mut WalkBatch<'_, S, D>)),
    /// All objects, possibly on several threads. The result, including the storage order, is that
    /// of [`All`](Self::All). If the closure panics, removals may be lost.
    Parallel(&'a (dyn Fn(&mut WalkBatch<'_, S, D>) + Sync)),
}

impl<S, const D: usize> core::fmt::Debug for Walk<'_, S, D> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::All(_) => "All",
            Self::Dynamic(_) => "Dynamic",
            Self::Parallel(_) => "Parallel",
        })
    }
}

/// Up to [`WalkBatch::MAX`] objects of a walk, in storage order.
///
/// A vacant position has the key of no object, or of one that was removed, and any bounds.
#[derive(Debug)]
pub struct WalkBatch<'a, S, const D: usize> {
    keys: &'a [u32],
    bounds: &'a mut [Aabb<S, D>],
    /// Bit `i` is set if position `i` is vacant.
    vacant: u128,
    /// The number of positions that the closure has passed.
    done: usize,
}

impl<'a, S, const D: usize> WalkBatch<'a, S, D> {
    /// The largest number of positions.
    pub const MAX: usize = 128;

    /// Creates a batch for a closure. Bit `i` of `vacant` is set if position `i` has no object.
    ///
    /// # Panics
    /// If there are more than [`MAX`](Self::MAX) keys, or not as many boxes as keys.
    #[inline]
    pub fn new(keys: &'a [u32], bounds: &'a mut [Aabb<S, D>], vacant: u128) -> Self {
        assert!(keys.len() <= Self::MAX && keys.len() == bounds.len(), "one box per key");
        Self { keys, bounds, vacant, done: 0 }
    }

    /// Passes one object to a closure; returns `false` if the closure removes it.
    #[inline]
    pub fn one(
        key: u32,
        bounds: &mut Aabb<S, D>,
        change: impl FnOnce(&mut WalkBatch<'_, S, D>),
    ) -> bool {
        let mut batch =
            WalkBatch { keys: from_ref(&key), bounds: from_mut(bounds), vacant: 0, done: 0 };
        change(&mut batch);
        batch.vacant == 0
    }

    /// Returns the keys in all positions, including vacant ones.
    #[inline]
    #[must_use]
    pub const fn keys(&self) -> &[u32] {
        self.keys
    }

    /// Returns the positions without objects, as bits, the lowest for the first. Higher bits are 0.
    #[inline]
    #[must_use]
    pub const fn vacant(&self) -> u128 {
        self.vacant
    }

    /// Returns the number of positions before the first object that no closure has processed,
    /// because it panicked or was not called.
    #[inline]
    #[must_use]
    pub const fn done(&self) -> usize {
        self.done
    }

    /// Calls `change` for the bounds of the objects in the first [`done`](Self::done) positions.
    pub(crate) fn each_done(&mut self, mut change: impl FnMut(&mut Aabb<S, D>)) {
        let mut begin = 0;
        while let Some((from, to)) = next_run(self.vacant, begin, self.done) {
            self.bounds[from..to].iter_mut().for_each(&mut change);
            begin = to;
        }
    }

    /// Calls `change` for each object.
    #[inline(always)]
    pub fn each(&mut self, mut change: impl FnMut(u32, &mut Aabb<S, D>)) {
        let mut begin = 0;
        while let Some((from, to)) = next_run(self.vacant, begin, self.keys.len()) {
            for place in from..to {
                change(self.keys[place], &mut self.bounds[place]);
                self.done = place + 1;
            }
            begin = to;
        }
        self.done = self.keys.len();
    }

    /// Calls `keep` for each object; removes the object if `keep` returns `false`.
    #[inline(always)]
    pub fn retain(&mut self, mut keep: impl FnMut(u32, &mut Aabb<S, D>) -> bool) {
        let (mut begin, vacant) = (0, self.vacant);
        while let Some((from, to)) = next_run(vacant, begin, self.keys.len()) {
            for place in from..to {
                let kept = keep(self.keys[place], &mut self.bounds[place]);
                self.vacant |= u128::from(!kept) << place;
                self.done = place + 1;
            }
            begin = to;
        }
        self.done = self.keys.len();
    }
}

/// Returns the first run of adjacent objects that begins at `begin` or later, as its first position
/// and the position behind its last.
fn next_run(vacant: u128, begin: usize, len: usize) -> Option<(usize, usize)> {
    let from = begin + (!vacant).checked_shr(begin as u32)?.trailing_zeros() as usize;
    if from >= len {
        return None;
    }
    Some((from, (from + (vacant >> from).trailing_zeros() as usize).min(len)))
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::{Aabb, WalkBatch, next_run};

    #[test]
    fn runs_are_the_places_with_objects() {
        for len in [0, 1, 2, 63, 64, 65, 127, 128] {
            for vacant in [0, 1, 2, 5, u128::MAX, 1 << 127, (1 << 127) | 1 << 64, !(1 << 126)] {
                let (mut begin, mut places) = (0, Vec::new());
                while let Some((from, to)) = next_run(vacant, begin, len) {
                    places.extend(from..to);
                    begin = to;
                }
                let expected = (0..len).filter(|place| vacant >> place & 1 == 0);
                assert!(places.iter().copied().eq(expected), "{vacant:#x} {len}");
            }
        }
    }

    #[test]
    fn each_skips_vacant_places_and_retain_marks_removed_ones() {
        let keys = [4, 0, 7, 9];
        let mut bounds = [0, 1, 2, 3].map(|x| Aabb::point([x]));
        let mut batch = WalkBatch::new(&keys, &mut bounds, 2);
        let mut seen = Vec::new();
        batch.each(|key, bounds| {
            seen.push(key);
            *bounds = Aabb::point([10]);
        });
        batch.retain(|key, _| key != 7);
        assert_eq!((batch.vacant(), batch.done()), (0b110, 4));
        batch.retain(|key, _| key != 4);
        assert_eq!(batch.vacant(), 0b111);
        assert_eq!((seen, bounds.map(|it| it.min[0])), ([4, 7, 9].to_vec(), [10, 1, 10, 10]));
    }
}
