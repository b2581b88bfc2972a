//! The map of an unbounded world: open addressing, with any hasher.

use alloc::vec::Vec;
use core::hash::{BuildHasher, BuildHasherDefault, Hasher};

use broadphase_core::IndexError;

use super::CellMap;

/// A number that no cell has: the place is free.
const FREE: u32 = u32::MAX;
/// Of so many places …
const PLACES: usize = 8;
/// … so many may be taken.
const TAKEN: usize = 5;

/// The map of an unbounded world: it has the cells that anything touches, and no others.
///
/// Open addressing: a cell is in the first free place from the one its hash names. The hasher is
/// told each coordinate by `write_i32`; answers do not depend on it, nor does any order.
///
/// ```
/// use std::hash::RandomState;
///
/// use broadphase_hshg::{Aabb, Sparse, SpatialHash, SpatialIndex};
///
/// // A hasher that strangers cannot foresee.
/// let map = Sparse::with_hasher(RandomState::new());
/// let mut world: SpatialHash<f32, 3, (), Sparse<3, RandomState>> =
///     SpatialHash::with_map(4.0, map);
/// world.insert(7, Aabb::of_ball([1e9, 2.0, -1e9], 1.0), ())?;
/// assert_eq!(world.cells_in_use(), 1);
/// # Ok::<(), broadphase_hshg::IndexError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Sparse<const D: usize, H = BuildHasherDefault<CellHasher>> {
    places: Vec<Place<D>>,
    taken: usize,
    hasher: H,
}

#[derive(Clone, Copy, Debug)]
struct Place<const D: usize> {
    cell: [i32; D],
    number: u32,
}

impl<const D: usize> Place<D> {
    const FREE: Self = Self { cell: [0; D], number: FREE };
}

impl<const D: usize, H: BuildHasher> Sparse<D, H> {
    /// An empty map with that hasher.
    #[must_use]
    pub const fn with_hasher(hasher: H) -> Self {
        Self { places: Vec::new(), taken: 0, hasher }
    }

    /// Where the search for a cell begins.
    #[inline(always)]
    fn home(&self, cell: &[i32; D]) -> usize {
        let mut hasher = self.hasher.build_hasher();
        for &coordinate in cell {
            hasher.write_i32(coordinate);
        }
        hasher.finish() as usize & (self.places.len() - 1)
    }

    /// The place of a cell, or the free place where it would be. Some place must be free.
    #[inline(always)]
    fn place(&self, cell: &[i32; D]) -> usize {
        let mut place = self.home(cell);
        loop {
            let other = &self.places[place];
            if other.number == FREE || other.cell == *cell {
                return place;
            }
            place = (place + 1) & (self.places.len() - 1);
        }
    }

    /// Makes so many places, which must be enough, a power of two, and in the memory there is.
    #[cold]
    fn rebuild(&mut self, mut places: Vec<Place<D>>, count: usize) {
        places.resize(count, Place::FREE);
        let old = core::mem::replace(&mut self.places, places);
        for taken in old.iter().filter(|place| place.number != FREE) {
            let place = self.place(&taken.cell);
            self.places[place] = *taken;
        }
    }
}

/// How many places so many cells need.
fn places_for(cells: usize) -> Option<usize> {
    cells.checked_mul(PLACES)?.div_ceil(TAKEN).max(16).checked_next_power_of_two()
}

impl<const D: usize, H: BuildHasher + Clone + Send + Sync> CellMap<D> for Sparse<D, H>
where
    Self: core::fmt::Debug,
{
    #[inline(always)]
    fn get(&self, cell: &[i32; D]) -> Option<u32> {
        if self.places.is_empty() {
            return None;
        }
        let number = self.places[self.place(cell)].number;
        (number != FREE).then_some(number)
    }

    #[inline(always)]
    fn get_or_insert(&mut self, cell: &[i32; D], number: u32) -> u32 {
        if (self.taken + 1) * PLACES > self.places.len() * TAKEN {
            let count = places_for(self.taken + 1).expect("there are cells for every place");
            self.rebuild(Vec::new(), count);
        }
        let place = self.place(cell);
        let found = &mut self.places[place];
        if found.number == FREE {
            *found = Place { cell: *cell, number };
            self.taken += 1;
        }
        found.number
    }

    #[inline(always)]
    fn replace(&mut self, cell: &[i32; D], number: u32) {
        let place = self.place(cell);
        self.places[place].number = number;
    }

    #[inline(always)]
    fn remove(&mut self, cell: &[i32; D]) {
        // Later cells of the same run move up, so that no search stops short.
        let mask = self.places.len() - 1;
        let mut hole = self.place(cell);
        let mut probe = hole;
        loop {
            probe = (probe + 1) & mask;
            let other = self.places[probe];
            if other.number == FREE {
                break;
            }
            let home = self.home(&other.cell);
            if (probe.wrapping_sub(home) & mask) >= (probe.wrapping_sub(hole) & mask) {
                self.places[hole] = other;
                hole = probe;
            }
        }
        self.places[hole] = Place::FREE;
        self.taken -= 1;
    }

    fn clear(&mut self) {
        self.places.fill(Place::FREE);
        self.taken = 0;
    }

    fn try_reserve(&mut self, additional: usize) -> Result<(), IndexError> {
        let cells = self.taken.saturating_add(additional);
        let count = places_for(cells).ok_or(IndexError::OutOfMemory)?;
        if count > self.places.len() {
            let mut places = Vec::new();
            places.try_reserve_exact(count).map_err(|_| IndexError::OutOfMemory)?;
            self.rebuild(places, count);
        }
        Ok(())
    }

    fn shrink_to_fit(&mut self) {
        if self.taken == 0 {
            self.places = Vec::new();
        } else if let Some(count) =
            places_for(self.taken).filter(|&count| count < self.places.len())
        {
            self.rebuild(Vec::new(), count);
        }
    }

    fn memory_use(&self) -> usize {
        self.places.capacity() * size_of::<Place<D>>()
    }
}

/// The hasher of cells: mixes all coordinates into all bits, so that neighbours end up anywhere.
///
/// Multiplies by the golden ratio, as Knuth has it (The Art of Computer Programming, 6.4). Fast,
/// and easily foreseen: who can choose coordinates can put many cells into one place, and make
/// things slow, not wrong.
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
