//! The map of an unbounded world: an open-addressed hash table with linear probing and any hasher.
//!
//! * The hash value is computed from half of each coordinate; the lowest bits of the coordinates
//!   select a bucket within a group of 2^D. So the searches for the cells of a 2 by 2 (by 2) group
//!   start in adjacent buckets, often in one cache line.
//! * The table has at least [`BUCKETS_PER_CELL`] buckets for each cell, so that most searches end
//!   in the first bucket.
//! * Removal shifts later cells of the same run (consecutive used buckets) back; there are no
//!   tombstones.

use alloc::vec::Vec;
use core::hash::{BuildHasher, BuildHasherDefault, Hasher};

use broadphase_core::IndexError;

use super::CellMap;

/// The number of a free bucket; no cell has it.
const FREE: u32 = u32::MAX;
/// Minimum number of buckets for each cell. With a minimum of two, searches pass other cells so
/// often that ray casts in three dimensions take 25 % longer.
const BUCKETS_PER_CELL: usize = 4;

/// The map of an unbounded world: it stores only the cells in use.
///
/// Open addressing: a cell is stored in the first free bucket from its hash on. The hasher receives
/// half of each coordinate through `write_i32`, so that neighboring cells are stored side by side:
/// they are mostly looked up together. Results do not depend on the hasher.
///
/// ```
/// use std::hash::RandomState;
///
/// use broadphase_hshg::{Aabb, Sparse, SpatialHash, SpatialIndex};
///
/// // A hasher whose results an attacker cannot predict.
/// let map = Sparse::with_hasher(RandomState::new());
/// let mut world: SpatialHash<f32, 3, (), Sparse<3, RandomState>> =
///     SpatialHash::with_map(4.0, map);
/// world.insert(7, Aabb::of_ball([1e9, 2.0, -1e9], 1.0), ())?;
/// assert_eq!(world.cells_in_use(), 1);
/// # Ok::<(), broadphase_hshg::IndexError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Sparse<const D: usize, H = BuildHasherDefault<CellHasher>> {
    buckets: Vec<Bucket<D>>,
    used: usize,
    hasher: H,
}

#[derive(Clone, Copy, Debug)]
struct Bucket<const D: usize> {
    cell: [i32; D],
    number: u32,
}

impl<const D: usize> Bucket<D> {
    const FREE: Self = Self { cell: [0; D], number: FREE };
}

impl<const D: usize, H: BuildHasher> Sparse<D, H> {
    /// Returns an empty map with this hasher.
    #[must_use]
    pub const fn with_hasher(hasher: H) -> Self {
        Self { buckets: Vec::new(), used: 0, hasher }
    }

    /// Returns the bucket where the search for a cell begins, its *home*. Neighboring cells have
    /// neighboring homes.
    #[inline(always)]
    fn home(&self, cell: &[i32; D]) -> usize {
        let (mut hasher, mut among) = (self.hasher.build_hasher(), 0);
        for &coordinate in cell {
            hasher.write_i32(coordinate >> 1);
            among = among << 1 | (coordinate & 1) as usize;
        }
        ((hasher.finish() as usize) << D | among) & (self.buckets.len() - 1)
    }

    /// Returns the bucket of a cell, or the free bucket where the cell would be inserted. At least
    /// one bucket must be free.
    #[inline(always)]
    fn bucket(&self, cell: &[i32; D]) -> usize {
        let mut bucket = self.home(cell);
        loop {
            let other = &self.buckets[bucket];
            if other.number == FREE || other.cell == *cell {
                return bucket;
            }
            bucket = (bucket + 1) & (self.buckets.len() - 1);
        }
    }

    /// Grows the table to `count` buckets, a power of two, and rehashes in place.
    ///
    /// Reserved memory beyond `count` stays unused: spreading few cells over much memory would cost
    /// one cache miss per cell.
    #[cold]
    fn grow(&mut self, count: usize) {
        let old = self.buckets.len();
        let free = self.buckets.iter().position(|bucket| bucket.number == FREE).unwrap_or(0);
        self.buckets.reserve_exact(count - old);
        self.buckets.resize(count, Bucket::FREE);
        // Cells are removed and reinserted in the order of their buckets, starting after a free
        // bucket. The cells between a cell's home and its new bucket were also between its home and
        // its old bucket, so no cell moves farther from its home. Therefore no cell is placed after
        // a cell that is reinserted later. Otherwise the later removal could leave a free bucket
        // between a cell and its home, where searches would end.
        for step in 0..old {
            let bucket = (free + step) & (old - 1);
            let cell = core::mem::replace(&mut self.buckets[bucket], Bucket::FREE);
            if cell.number != FREE {
                let bucket = self.bucket(&cell.cell);
                self.buckets[bucket] = cell;
            }
        }
    }

    /// Rehashes all cells into a new table of `count` buckets. `count` must be a power of two and
    /// larger than the number of cells.
    fn rehash(&mut self, count: usize) {
        let buckets = alloc::vec![Bucket::FREE; count];
        let old = core::mem::replace(&mut self.buckets, buckets);
        for used in old.iter().filter(|bucket| bucket.number != FREE) {
            let bucket = self.bucket(&used.cell);
            self.buckets[bucket] = *used;
        }
    }
}

/// Returns the number of buckets for this number of cells, or `None` if it overflows.
fn bucket_count_for(cells: usize) -> Option<usize> {
    cells.checked_mul(BUCKETS_PER_CELL)?.max(16).checked_next_power_of_two()
}

impl<const D: usize, H: BuildHasher + Clone + Send + Sync> CellMap<D> for Sparse<D, H>
where
    Self: core::fmt::Debug,
{
    #[inline(always)]
    fn get(&self, cell: &[i32; D]) -> Option<u32> {
        if self.buckets.is_empty() {
            return None;
        }
        let number = self.buckets[self.bucket(cell)].number;
        (number != FREE).then_some(number)
    }

    #[inline(always)]
    fn get_or_insert(&mut self, cell: &[i32; D], number: u32) -> u32 {
        if (self.used + 1) * BUCKETS_PER_CELL > self.buckets.len() && self.get(cell).is_none() {
            let count =
                bucket_count_for(self.used + 1).expect("the number of buckets fits into usize");
            self.grow(count);
        }
        let bucket = self.bucket(cell);
        let found = &mut self.buckets[bucket];
        if found.number == FREE {
            *found = Bucket { cell: *cell, number };
            self.used += 1;
        }
        found.number
    }

    #[inline(always)]
    fn replace(&mut self, cell: &[i32; D], number: u32) {
        let bucket = self.bucket(cell);
        self.buckets[bucket].number = number;
    }

    #[inline(always)]
    fn remove(&mut self, cell: &[i32; D]) {
        // Shift later cells of the same run back, so that no search ends at the hole before it
        // reaches its cell.
        let mask = self.buckets.len() - 1;
        let mut hole = self.bucket(cell);
        let mut probe = hole;
        loop {
            probe = (probe + 1) & mask;
            let other = self.buckets[probe];
            if other.number == FREE {
                break;
            }
            let home = self.home(&other.cell);
            if (probe.wrapping_sub(home) & mask) >= (probe.wrapping_sub(hole) & mask) {
                self.buckets[hole] = other;
                hole = probe;
            }
        }
        self.buckets[hole] = Bucket::FREE;
        self.used -= 1;
    }

    fn clear(&mut self) {
        self.buckets.fill(Bucket::FREE);
        self.used = 0;
    }

    fn try_reserve(&mut self, additional: usize) -> Result<(), IndexError> {
        let cells = self.used.saturating_add(additional);
        let count = bucket_count_for(cells).ok_or(IndexError::OutOfMemory)?;
        let more = count.saturating_sub(self.buckets.len());
        self.buckets.try_reserve_exact(more).map_err(|_| IndexError::OutOfMemory)
    }

    fn shrink_to_fit(&mut self) {
        if self.used == 0 {
            self.buckets = Vec::new();
        } else if let Some(count) =
            bucket_count_for(self.used).filter(|&count| count < self.buckets.capacity())
        {
            self.rehash(count);
        }
    }

    fn memory_use(&self) -> usize {
        self.buckets.capacity() * size_of::<Bucket<D>>()
    }
}

/// The default hasher of cells: mixes all coordinates into all bits, so that groups of neighboring
/// cells are spread evenly over the table.
///
/// Multiplies by the golden ratio (Knuth, The Art of Computer Programming, 6.4). The hasher is
/// fast, but predictable: an attacker that chooses coordinates can put many cells into one run of
/// buckets and slow the map down. Results stay correct.
#[derive(Clone, Copy, Debug, Default)]
pub struct CellHasher(u64);

impl CellHasher {
    #[inline(always)]
    const fn mix(&mut self, number: u32) {
        self.0 = (self.0 ^ number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 ^= self.0 >> 32;
    }
}

impl Hasher for CellHasher {
    #[inline(always)]
    fn write_i32(&mut self, number: i32) {
        self.mix(number as u32);
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.mix(u32::from(byte));
        }
    }

    #[inline(always)]
    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeMap;

    use super::*;

    /// A bad hasher: it maps many groups of cells to few buckets, at the end of the table or, after
    /// it has grown, in the middle.
    #[derive(Clone, Copy, Debug, Default)]
    struct Crowding(u64);

    impl Hasher for Crowding {
        fn write(&mut self, _: &[u8]) {}

        fn write_i32(&mut self, number: i32) {
            self.0 = self.0.wrapping_mul(5).wrapping_add((number % 4) as u64);
        }

        fn finish(&self) -> u64 {
            (1 << (self.0 % 8)) - 1
        }
    }

    /// Inserts and removes cells while the table grows and shrinks, and compares it with a
    /// `BTreeMap`.
    fn agrees_with_a_tree<H: BuildHasher + Clone + Default + Send + Sync + core::fmt::Debug>() {
        let (mut map, mut tree) = (Sparse::<2, H>::default(), BTreeMap::new());
        let mut state = 1u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % below
        };
        for step in 0..6000 {
            let cell = [random(24) as i32 - 12, random(16) as i32 - 8];
            match (random(100), tree.contains_key(&cell)) {
                (0, _) => {
                    map.try_reserve(random(2000) as usize).expect("a small allocation succeeds");
                }
                (1, _) => map.shrink_to_fit(),
                (2, _) if step % 8 == 0 => {
                    map.clear();
                    tree.clear();
                }
                (_, false) => {
                    assert_eq!(map.get_or_insert(&cell, step), step);
                    tree.insert(cell, step);
                }
                (..60, true) => {
                    map.replace(&cell, step);
                    tree.insert(cell, step);
                }
                (_, true) => {
                    map.remove(&cell);
                    tree.remove(&cell);
                }
            }
            assert_eq!(map.used, tree.len());
            for x in -12..12 {
                for y in -8..8 {
                    assert_eq!(map.get(&[x, y]), tree.get(&[x, y]).copied(), "[{x}, {y}]");
                }
            }
        }
    }

    #[test]
    fn agrees_with_a_tree_while_growing_and_shrinking() {
        agrees_with_a_tree::<BuildHasherDefault<CellHasher>>();
        agrees_with_a_tree::<BuildHasherDefault<Crowding>>();
    }

    #[test]
    fn reserved_memory_is_used_only_as_needed() {
        let mut map: Sparse<2> = Sparse::default();
        map.try_reserve(10_000).expect("a small allocation succeeds");
        let memory = map.memory_use();
        for x in 0..10_000 {
            map.get_or_insert(&[x, -x], x as u32);
            assert!(map.buckets.len() <= (2 * BUCKETS_PER_CELL * map.used).max(16));
        }
        assert_eq!(map.memory_use(), memory);
        // Setting the number of a cell already stored needs no memory.
        map.shrink_to_fit();
        for x in 10_000..(map.buckets.len() / BUCKETS_PER_CELL) as i32 {
            map.get_or_insert(&[x, -x], x as u32);
        }
        let memory = map.memory_use();
        assert_eq!(map.get_or_insert(&[7, -7], 0), 7);
        assert_eq!(map.memory_use(), memory);
        assert!((0..10_000).all(|x| map.get(&[x, -x]) == Some(x as u32)));
    }
}
