//! A map from bins to numbers: an open-addressed hash table with linear probing.
//!
//! * The hash value depends on half of each coordinate; the lowest bits select a bucket within a
//!   group of 2^D. So searches for neighboring bins start in adjacent buckets, often in one cache
//!   line.
//! * There are at least [`BUCKETS_PER_BIN`] buckets for each bin: most searches end in the first.
//! * Removal shifts later bins of the run of used buckets back; there are no tombstones.
//!
//! Rejected: an array of all bins of a bounded world. Ticks took from 6 % less to 16 % more time.

use alloc::vec::Vec;

use broadphase_core::IndexError;

/// The number of a free bucket; no bin has it.
pub(crate) const FREE: u32 = u32::MAX;
/// Minimum number of buckets for each bin. With two, searches pass more buckets of other bins, and
/// ray casts in three dimensions take 25 % longer.
const BUCKETS_PER_BIN: usize = 4;

/// A map from bins to numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct BinMap<const D: usize> {
    buckets: Vec<Bucket<D>>,
    used: usize,
}

/// A bin and its number; [`FREE`] if the bucket has no bin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bucket<const D: usize> {
    pub(crate) bin: [i32; D],
    pub(crate) number: u32,
}

impl<const D: usize> Bucket<D> {
    const FREE: Self = Self { bin: [0; D], number: FREE };
}

/// Returns the hash of a group of 2^D neighboring bins: mixes all coordinates into all bits.
///
/// Multiplies by the golden ratio (Knuth, The Art of Computer Programming, 6.4): fast, but
/// predictable. An attacker that chooses coordinates can fill one run of buckets and slow the map
/// down.
#[inline(always)]
fn hash_of_group<const D: usize>(bin: &[i32; D]) -> u64 {
    bin.iter().fold(0, |hash, &coordinate| {
        let group = u64::from((coordinate >> 1) as u32);
        let hash = (hash ^ group).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        hash ^ hash >> 32
    })
}

impl<const D: usize> BinMap<D> {
    pub(crate) const fn is_empty(&self) -> bool {
        self.used == 0
    }

    /// Returns all buckets, of which some are free.
    #[inline(always)]
    pub(crate) fn buckets(&self) -> &[Bucket<D>] {
        &self.buckets
    }

    /// Returns all bins in use, with their numbers.
    pub(crate) fn bins(&self) -> impl Iterator<Item = &Bucket<D>> {
        self.buckets.iter().filter(|bucket| bucket.number != FREE)
    }

    /// Returns mutable references to the numbers of all bins in use.
    pub(crate) fn numbers_mut(&mut self) -> impl Iterator<Item = &mut u32> {
        self.buckets.iter_mut().map(|bucket| &mut bucket.number).filter(|number| **number != FREE)
    }

    /// Returns the bucket where the search for a bin begins, its *home*.
    #[inline(always)]
    fn home(&self, bin: &[i32; D]) -> usize {
        let among = bin.iter().fold(0, |among, &x| among << 1 | (x & 1) as usize);
        ((hash_of_group(bin) as usize) << D | among) & (self.buckets.len() - 1)
    }

    /// Returns the bucket of a bin, or the free bucket for it. At least one bucket must be free.
    #[inline(always)]
    fn bucket(&self, bin: &[i32; D]) -> usize {
        let mut bucket = self.home(bin);
        loop {
            let other = &self.buckets[bucket];
            if other.number == FREE || other.bin == *bin {
                return bucket;
            }
            bucket = (bucket + 1) & (self.buckets.len() - 1);
        }
    }

    /// Moves all bins into a new table, `buckets`, extended to `count` buckets: a power of two,
    /// larger than the number of bins.
    fn rehash(&mut self, mut buckets: Vec<Bucket<D>>, count: usize) {
        buckets.resize(count, Bucket::FREE);
        let old = core::mem::replace(&mut self.buckets, buckets);
        for used in old.iter().filter(|bucket| bucket.number != FREE) {
            let bucket = self.bucket(&used.bin);
            self.buckets[bucket] = *used;
        }
    }

    /// Returns the number of a bin, or `None` if it is not in use.
    #[inline(always)]
    pub(crate) fn get(&self, bin: &[i32; D]) -> Option<u32> {
        if self.buckets.is_empty() {
            return None;
        }
        let number = self.buckets[self.bucket(bin)].number;
        (number != FREE).then_some(number)
    }

    /// Returns the number of a bin, which is then in use. If it is [`FREE`], the caller must set
    /// it.
    #[inline(always)]
    pub(crate) fn number_mut(&mut self, bin: &[i32; D]) -> &mut u32 {
        if (self.used + 1) * BUCKETS_PER_BIN > self.buckets.len() && self.get(bin).is_none() {
            let count = bucket_count_for(self.used + 1).expect("the number of buckets fits");
            self.rehash(Vec::with_capacity(count), count);
        }
        let bucket = self.bucket(bin);
        let found = &mut self.buckets[bucket];
        self.used += usize::from(found.number == FREE);
        found.bin = *bin;
        &mut found.number
    }

    /// Removes a bin in use.
    #[inline(always)]
    pub(crate) fn remove(&mut self, bin: &[i32; D]) {
        // Shift later bins of the run back: no search may end at the hole before its bin.
        let mask = self.buckets.len() - 1;
        let mut hole = self.bucket(bin);
        let mut probe = hole;
        loop {
            probe = (probe + 1) & mask;
            let other = self.buckets[probe];
            if other.number == FREE {
                break;
            }
            let home = self.home(&other.bin);
            if (probe.wrapping_sub(home) & mask) >= (probe.wrapping_sub(hole) & mask) {
                self.buckets[hole] = other;
                hole = probe;
            }
        }
        self.buckets[hole] = Bucket::FREE;
        self.used -= 1;
    }

    /// Removes all bins without freeing memory.
    pub(crate) fn clear(&mut self) {
        self.buckets.fill(Bucket::FREE);
        self.used = 0;
    }

    /// Makes room for `additional` bins. On error the map is unchanged.
    pub(crate) fn try_reserve(&mut self, additional: usize) -> Result<(), IndexError> {
        let bins = self.used.saturating_add(additional);
        let count = bucket_count_for(bins).ok_or(IndexError::OutOfMemory)?;
        if count > self.buckets.len() {
            let mut buckets = Vec::new();
            buckets.try_reserve_exact(count).map_err(|_| IndexError::OutOfMemory)?;
            self.rehash(buckets, count);
        }
        Ok(())
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        if self.used == 0 {
            self.buckets = Vec::new();
        } else if let Some(count) =
            bucket_count_for(self.used).filter(|&count| count < self.buckets.len())
        {
            self.rehash(Vec::with_capacity(count), count);
        }
    }

    pub(crate) const fn memory_use(&self) -> usize {
        self.buckets.capacity() * size_of::<Bucket<D>>()
    }
}

/// Returns the number of buckets for this number of bins, or `None` if it overflows.
fn bucket_count_for(bins: usize) -> Option<usize> {
    bins.checked_mul(BUCKETS_PER_BIN)?.max(16).checked_next_power_of_two()
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeMap;

    use laws::random::Random;

    use super::*;

    /// Inserts and removes these bins while the table grows and shrinks, and compares it with a
    /// `BTreeMap`.
    fn agrees_with_a_tree(bins: &[[i32; 2]]) {
        let (mut map, mut tree) = (BinMap::<2>::default(), BTreeMap::new());
        let mut random = Random::new(1);
        let mut random = |below: u32| random.below(below);
        for step in 0..6000 {
            let bin = bins[random(bins.len() as u32) as usize];
            match (random(100), tree.contains_key(&bin)) {
                (0, _) => {
                    map.try_reserve(random(2000) as usize).expect("a small allocation succeeds");
                }
                (1, _) => map.shrink_to_fit(),
                (2, _) if step % 8 == 0 => {
                    map.clear();
                    tree.clear();
                }
                (..60, _) | (_, false) => {
                    *map.number_mut(&bin) = step;
                    tree.insert(bin, step);
                }
                (_, true) => {
                    map.remove(&bin);
                    tree.remove(&bin);
                }
            }
            assert_eq!(map.used, tree.len());
            for bin in bins {
                assert_eq!(map.get(bin), tree.get(bin).copied(), "{bin:?}");
            }
        }
    }

    #[test]
    fn agrees_with_a_tree_while_growing_and_shrinking() {
        let near = |x: i32| (-8..8).map(move |y| [x, y]);
        agrees_with_a_tree(&(-12..12).flat_map(near).collect::<Vec<_>>());
        // Bins whose homes are crowded at the beginning, in the middle or at the end of the table,
        // whatever its size.
        let is_crowded = |bin: &[i32; 2]| {
            let hash = hash_of_group(bin) % 512;
            (hash + 1).is_power_of_two()
        };
        let far = (0..400).flat_map(|x| (-400..0).map(move |y| [x, y]));
        let crowded: Vec<_> = far.filter(is_crowded).take(384).collect();
        assert_eq!(crowded.len(), 384);
        agrees_with_a_tree(&crowded);
    }
}
