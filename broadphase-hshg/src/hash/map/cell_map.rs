//! A map from cells to numbers: an open-addressed hash table with linear probing.
//!
//! * The hash value is computed from half of each coordinate; the lowest bits of the coordinates
//!   select a bucket within a group of 2^D. So the searches for the cells of a 2 by 2 (by 2) group
//!   start in adjacent buckets, often in one cache line.
//! * The table has at least [`BUCKETS_PER_CELL`] buckets for each cell, so that most searches end
//!   in the first bucket.
//! * Removal shifts later cells of the same run (consecutive used buckets) back; there are no
//!   tombstones.
//!
//! Rejected: an array of all blocks of a bounded world. Ticks took from 6 % less to 16 % more time.

use alloc::vec::Vec;

use broadphase_core::IndexError;

/// The number of a free bucket; no cell has it.
const FREE: u32 = u32::MAX;
/// Minimum number of buckets for each cell. With a minimum of two, searches pass other cells so
/// often that ray casts in three dimensions take 25 % longer.
const BUCKETS_PER_CELL: usize = 4;

/// A map from cells to numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct CellMap<const D: usize> {
    buckets: Vec<Bucket<D>>,
    used: usize,
}

#[derive(Clone, Copy, Debug)]
struct Bucket<const D: usize> {
    cell: [i32; D],
    number: u32,
}

impl<const D: usize> Bucket<D> {
    const FREE: Self = Self { cell: [0; D], number: FREE };
}

/// Returns the hash of a group of 2^D neighboring cells. It mixes all coordinates into all bits, so
/// that groups are spread evenly over the table.
///
/// Multiplies by the golden ratio (Knuth, The Art of Computer Programming, 6.4). The hash is fast,
/// but predictable: an attacker that chooses coordinates can put many cells into one run of buckets
/// and slow the map down. Results stay correct.
#[inline(always)]
fn hash_of_group<const D: usize>(cell: &[i32; D]) -> u64 {
    cell.iter().fold(0, |hash, &coordinate| {
        let group = u64::from((coordinate >> 1) as u32);
        let hash = (hash ^ group).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        hash ^ hash >> 32
    })
}

impl<const D: usize> CellMap<D> {
    /// Returns the bucket where the search for a cell begins, its *home*. Neighboring cells have
    /// neighboring homes.
    #[inline(always)]
    fn home(&self, cell: &[i32; D]) -> usize {
        let among = cell.iter().fold(0, |among, &x| among << 1 | (x & 1) as usize);
        ((hash_of_group(cell) as usize) << D | among) & (self.buckets.len() - 1)
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

    /// Returns the number of a cell, or `None` if it has none.
    #[inline(always)]
    pub(crate) fn get(&self, cell: &[i32; D]) -> Option<u32> {
        if self.buckets.is_empty() {
            return None;
        }
        let number = self.buckets[self.bucket(cell)].number;
        (number != FREE).then_some(number)
    }

    /// Returns the number of a cell, after setting it to `number` if the cell had none.
    #[inline(always)]
    pub(crate) fn get_or_insert(&mut self, cell: &[i32; D], number: u32) -> u32 {
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

    /// Sets the number of a cell that already has one.
    #[inline(always)]
    pub(crate) fn replace(&mut self, cell: &[i32; D], number: u32) {
        let bucket = self.bucket(cell);
        self.buckets[bucket].number = number;
    }

    /// Removes a cell that has a number.
    #[inline(always)]
    pub(crate) fn remove(&mut self, cell: &[i32; D]) {
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

    /// Removes all cells without freeing memory.
    pub(crate) fn clear(&mut self) {
        self.buckets.fill(Bucket::FREE);
        self.used = 0;
    }

    /// Reserves memory for `additional` cells. On error, if allocation fails, the cells are
    /// unchanged.
    pub(crate) fn try_reserve(&mut self, additional: usize) -> Result<(), IndexError> {
        let cells = self.used.saturating_add(additional);
        let count = bucket_count_for(cells).ok_or(IndexError::OutOfMemory)?;
        let more = count.saturating_sub(self.buckets.len());
        self.buckets.try_reserve_exact(more).map_err(|_| IndexError::OutOfMemory)
    }

    /// Frees unused memory.
    pub(crate) fn shrink_to_fit(&mut self) {
        if self.used == 0 {
            self.buckets = Vec::new();
        } else if let Some(count) =
            bucket_count_for(self.used).filter(|&count| count < self.buckets.capacity())
        {
            self.rehash(count);
        }
    }

    /// Returns the bytes of memory held.
    pub(crate) const fn memory_use(&self) -> usize {
        self.buckets.capacity() * size_of::<Bucket<D>>()
    }
}

/// Returns the number of buckets for this number of cells, or `None` if it overflows.
fn bucket_count_for(cells: usize) -> Option<usize> {
    cells.checked_mul(BUCKETS_PER_CELL)?.max(16).checked_next_power_of_two()
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeMap;

    use laws::random::Random;

    use super::*;

    /// Inserts and removes these cells while the table grows and shrinks, and compares it with a
    /// `BTreeMap`.
    fn agrees_with_a_tree(cells: &[[i32; 2]]) {
        let (mut map, mut tree) = (CellMap::<2>::default(), BTreeMap::new());
        let mut random = Random::new(1);
        let mut random = |below: u32| random.below(below);
        for step in 0..6000 {
            let cell = cells[random(cells.len() as u32) as usize];
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
            for cell in cells {
                assert_eq!(map.get(cell), tree.get(cell).copied(), "{cell:?}");
            }
        }
    }

    #[test]
    fn agrees_with_a_tree_while_growing_and_shrinking() {
        let near = |x: i32| (-8..8).map(move |y| [x, y]);
        agrees_with_a_tree(&(-12..12).flat_map(near).collect::<Vec<_>>());
        // Cells whose homes are crowded at the beginning, in the middle or at the end of the table,
        // whatever its size.
        let is_crowded = |cell: &[i32; 2]| {
            let hash = hash_of_group(cell) % 512;
            (hash + 1).is_power_of_two()
        };
        let far = (0..400).flat_map(|x| (-400..0).map(move |y| [x, y]));
        let crowded: Vec<_> = far.filter(is_crowded).take(384).collect();
        assert_eq!(crowded.len(), 384);
        agrees_with_a_tree(&crowded);
    }

    #[test]
    fn reserved_memory_is_used_only_as_needed() {
        let mut map: CellMap<2> = CellMap::default();
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
